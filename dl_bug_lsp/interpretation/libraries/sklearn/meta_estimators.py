"""Models of estimators that are made of others: pipelines, transformers of columns, searches.

Source: ``sklearn.pipeline``, ``sklearn.compose``, ``sklearn.ensemble``, ``sklearn.multioutput``
and ``sklearn.model_selection`` of the scikit-learn 1.9 reference.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.effects import some_number, words
from dl_bug_lsp.interpretation.libraries.numpy.functions import as_array, new
from dl_bug_lsp.interpretation.libraries.sklearn.estimators import SEARCHES, folds_of, option
from dl_bug_lsp.interpretation.libraries.sklearn.fitted import OUTPUT, give_tables, names_in
from dl_bug_lsp.interpretation.libraries.sklearn.functions import (
    _each,
    _remember,
    matrix,
    note_fit,
    sparse,
)
from dl_bug_lsp.interpretation.model_helpers import is_true, listed, make_object, state_of, thing
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.table_values import Series, column, lacking, part_of, table_of
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Array,
    Instance,
    Library,
    LibraryObject,
    Origins,
    Raised,
    Table,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

T = TypeVar("T")


def _asked(
    interpreter: Interpreter, step: Value, name: str, given: Sequence[Value], call: Call
) -> Value:
    """Return what a method of a transformer or estimator gives, unknown where it has no model."""
    model = None
    if isinstance(step.data, Instance):
        return _asked_own(interpreter, step, name, given, call)
    if isinstance(step.data, LibraryObject):
        model = MODELS.methods.get((step.data.short, name))
    if model is None:
        return unknown(step, *given)
    return model(interpreter, Call(name, tuple(given), {}, call.place, step))


def _asked_own(
    interpreter: Interpreter, step: Value, name: str, given: Sequence[Value], call: Call
) -> Value:
    """Ask a step whose class the program has; ``fit_transform`` is that of `TransformerMixin`."""
    own = interpreter.method_of(step, name)
    if own is None and name == "fit_transform":
        fit, own = (interpreter.method_of(step, part) for part in ("fit", "transform"))
        if fit is not None:
            interpreter.call(fit, tuple(given), {}, call.place)
        given = given[:1]
    return (
        unknown(step, *given)
        if own is None
        else interpreter.call(own, tuple(given), {}, call.place)
    )


def _steps(interpreter: Interpreter, held: LibraryObject, keyword: str) -> list[list[Value]] | None:
    """Return the steps of a pipeline or of a `ColumnTransformer`, None where not all are known."""
    given = held.keywords.get(keyword) or (held.args[0] if held.args else None)
    steps = listed(interpreter, given)
    if steps is None:
        return None
    pairs = [listed(interpreter, step) for step in steps]
    least = 3 if keyword == "transformers" else 2
    if any(pair is None or len(pair) < least for pair in pairs):
        return None
    return [pair for pair in pairs if pair is not None]


@MODELS.function("sklearn.pipeline.make_pipeline")
@MODELS.function("sklearn.compose.make_column_transformer")
def _made_of_steps(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    if call.name.endswith("make_pipeline"):
        pairs = [
            Value((Value(name, step.origins), step), step.origins)
            for name, step in zip(_step_names(call.args), call.args, strict=True)
        ]
        name = "sklearn.pipeline.Pipeline"
    else:
        name, pairs = "sklearn.compose.ColumnTransformer", []
        steps = [step.data for step in call.args]
        each = [step for step in steps if isinstance(step, tuple) and len(step) == 2]
        if len(each) != len(steps):
            return call.unknown()
        for label, step in zip(_step_names([step[0] for step in each]), each, strict=True):
            pairs.append(Value((Value(label), *step), merged(*step)))
    made = LibraryObject(name, (Value(list(pairs)),), call.keywords, call.place)
    return Value(made, merged(*call.args))


def _step_names(steps: Sequence[Value]) -> list[str]:
    """Return the names that scikit-learn gives to steps: those of their classes, counted."""
    kinds = [
        step.data.short.lower()
        if isinstance(step.data, LibraryObject)
        else step.data
        if isinstance(step.data, str)
        else f"step {i}"
        for i, step in enumerate(steps)
    ]
    return [
        f"{kind}-{kinds[: i + 1].count(kind)}" if kinds.count(kind) > 1 else kind
        for i, kind in enumerate(kinds)
    ]


@_each(("ColumnTransformer",), "fit", "transform", "fit_transform")
def _columns_transformed(interpreter: Interpreter, call: Call) -> Value:
    """Let each transformer have its columns; the widths of what they give add up."""
    source = call.given(0, "X")
    held = call.held
    if held is None or source is None or call.receiver is None:
        return call.unknown()
    fitted = call.name.startswith("fit")
    if fitted:
        held.state.pop(_FITTED, None)
        _remember(call, feature_names_in_=names_in(source))
    parts = _parts(interpreter, call, held, source)
    if parts is None:
        return call.receiver if call.name == "fit" else _some_width(source, call)
    x = matrix(source)
    rows = x[0].shape[0] if x is not None and x[0].shape else Value(UNKNOWN)
    joined = _side_by_side(parts, rows, held, call)
    return call.receiver if call.name == "fit" else joined


def _parts(
    interpreter: Interpreter, call: Call, held: LibraryObject, source: Value
) -> list[Value] | None:
    """Return what the transformers of columns give, None where they or the columns are unknown."""
    fitted = call.name.startswith("fit")
    table, x = table_of(source), matrix(source)
    shape = None if x is None else x[0].shape
    steps = _steps(interpreter, held, "transformers")
    for _, _, keys, *_others in steps or ():
        if table_of(keys) is not None:
            raise Raised("value", "No valid specification of the columns", keys)
    if steps is None or shape is None or len(shape) != 2:
        return None
    if fitted:
        _remember(call, n_features_in_=note_fit(call, shape[1]))
    if table is None and size(shape[1]) is None:
        return None
    whole: list[object] = list(range(size(shape[1]) or 0)) if table is None else list(table.columns)
    jobs: list[tuple[Value, Value, list[Value], bool]] = []
    for label, step, keys, *_rest in steps:
        names = _wanted(interpreter, keys, table, whole, source)
        if names is None:
            return None
        jobs.append((label, step, names, isinstance(keys.data, str) or size(keys) is not None))
    used = {name.data for _, _, names, _ in jobs for name in names}
    left = [Value(name) for name in whole if name not in used]
    rest = held.keywords.get("remainder") or Value("drop")
    if rest.data != "drop" and left:
        jobs.append((Value("remainder"), rest, left, False))
    kept = held.state.get(_FITTED, Value(UNKNOWN)).data
    parts: list[Value] = []
    made: list[Value] = []
    for number, (label, given, names, single) in enumerate(jobs):
        step = given
        if fitted:
            step = cloned(given)
            made.append(Value((label, step, Value(names))))
        elif isinstance(kept, list) and number < len(kept):
            step = kept[number].data[1]
        if step.data == "drop" or not names:
            continue
        part = _columns(source, names, single)
        name = "fit_transform" if fitted else "transform"
        passed = step.data == "passthrough"
        parts.append(as_array(part) if passed else _asked(interpreter, step, name, [part], call))
    if fitted:
        _note_transformers(call, made)
    return parts


def _columns(source: Value, names: Sequence[Value], single: bool) -> Value:
    """Return columns of samples: one axis of a table's where one is asked for alone."""
    table, x = table_of(source), matrix(source)
    if table is not None:
        if single:
            return column(table, names[0].data, names[0])
        return Value(part_of(table, [name.data for name in names]), merged(source, *names))
    if x is None or not x[0].shape:
        return unknown(source, *names)
    count = () if single else (Value(len(names), merged(*names)),)
    return new((x[0].shape[0], *count), x[0].dtype, source.origins)


_FITTED = "fitted transformers"


def _note_transformers(call: Call, made: list[Value]) -> None:
    held = call.held
    if held is None:
        return
    held.state[_FITTED] = Value(made)
    held.state["transformers_"] = Value(UNKNOWN, frozenset({held.made}))
    named = {str(one.data[0].data): one.data[1] for one in made if isinstance(one.data, tuple)}
    held.state["named_transformers_"] = thing("sklearn.utils.Bunch", call, **named)


def _wanted(
    interpreter: Interpreter,
    keys: Value,
    table: Table | None,
    whole: Sequence[object],
    source: Value,
) -> list[Value] | None:
    """Return the columns that a transformer is for: names of a table's, or positions."""
    data = keys.data
    if isinstance(data, LibraryObject) and data.short == "make_column_selector":
        selected = _selected(data, table)
        return None if selected is None else [Value(n, keys.origins) for n in selected]
    if isinstance(data, LibraryObject) and data.name == "builtins.slice" and len(data.args) == 3:
        picked = _sliced(whole, data)
        return None if picked is None else [Value(n, keys.origins) for n in picked]
    single = isinstance(data, str) or size(keys) is not None
    names = [keys] if single else listed(interpreter, keys)
    if names is None or any(isinstance(name.data, bool) for name in names):
        return None
    found: list[Value] = []
    for name in names:
        if isinstance(name.data, int):
            if not -len(whole) <= name.data < len(whole):
                return None
            found.append(Value(whole[name.data], name.origins))
        elif isinstance(name.data, str) and table is not None:
            if name.data not in table.columns:
                chosen_by = Value(name.data, name.origins | keys.origins)
                raise lacking(table, name.data, chosen_by, source)
            found.append(name)
        else:
            return None
    return found


def _sliced(items: Sequence[T], bounds: LibraryObject) -> list[T] | None:
    """Return the items that a slice takes, None where its bounds are not known."""
    numbers = [bound.data for bound in bounds.args]
    whole = [number for number in numbers if number is None or isinstance(number, int)]
    return list(items)[slice(*whole)] if len(whole) == len(numbers) == 3 else None


MODELS.function("sklearn.compose.make_column_selector")(make_object)


def _selected(selector: LibraryObject, table: Table | None) -> list[object] | None:
    """Return the columns that a selector takes of a table, by their names and dtypes."""
    if table is None:
        return None
    pattern = selector.keywords.get("pattern") or (selector.args[0] if selector.args else None)
    names = list(table.columns)
    if pattern is not None and pattern.data is not None:
        if not isinstance(pattern.data, str):
            return None
        try:
            wanted = re.compile(pattern.data)
        except re.error:
            return None
        names = [name for name in names if wanted.search(str(name))]
    for keyword in ("dtype_include", "dtype_exclude"):
        asked = selector.keywords.get(keyword)
        if asked is None or asked.data is None:
            continue
        items = asked.data if isinstance(asked.data, (list, tuple)) else [asked]
        kinds = [KINDS_OF_DTYPES.get(_kind(item)) for item in items]
        dtypes = [table.columns[name] for name in names]
        if None in kinds or None in dtypes:
            return None
        starts = tuple(start for kind in kinds for start in kind or ())
        including = keyword == "dtype_include"
        names = [n for n in names if str(table.columns[n]).startswith(starts) is including]
    return names


def _kind(value: Value) -> str:
    data = value.data
    name = data.name if isinstance(data, Library) else data if isinstance(data, str) else ""
    return name.rpartition(".")[2]


KINDS_OF_DTYPES = {
    "number": ("int", "uint", "float"),
    "object": ("object",),
    "float": ("float64",),
    "float64": ("float64",),
    "int": ("int64",),
    "int64": ("int64",),
    "bool": ("bool",),
}
"""How the dtypes begin that a selector takes for a kind."""


@MODELS.object("sklearn.compose.make_column_selector")
def _select(_: Interpreter, call: Call) -> Value:
    held, table = call.held, table_of(call.given(0, "df"))
    names = None if held is None else _selected(held, table)
    if names is None:
        return call.unknown()
    return Value([Value(name, merged(*call.args)) for name in names], merged(*call.args))


@_each(("ColumnTransformer",), "get_feature_names_out")
def _names_of_columns(interpreter: Interpreter, call: Call) -> Value:
    """Return the names of all transformers' columns, each after its transformer's name."""
    held = call.held
    made = None if held is None else held.state.get(_FITTED, Value(UNKNOWN)).data
    if held is None or not isinstance(made, list):
        return call.unknown()
    verbose = held.keywords.get("verbose_feature_names_out") or Value(True)
    if not isinstance(verbose.data, bool):
        return call.unknown()
    names: list[object] | None = []
    count: int | None = 0
    for one in made:
        label, step, keys = one.data
        if step.data == "drop" or not keys.data:
            continue
        own = [name.data for name in keys.data]
        if step.data != "passthrough":
            found = _asked(interpreter, step, "get_feature_names_out", [], call)
            data = found.data
            cells = data.cells if isinstance(data, Series) else None
            number = size(data.shape[0]) if isinstance(data, Array) and data.shape else None
            count = None if count is None or number is None else count + number
            if cells is None:
                names = None
                continue
            own = list(cells)
        else:
            count = None if count is None else count + len(own)
        if not all(isinstance(name, str) for name in own):
            names = None
        if names is not None:
            names.extend(f"{label.data}__{name}" if verbose.data else name for name in own)
    total = Value(UNKNOWN if count is None else count, frozenset({held.made}))
    if names is None:
        return new((total,), "object", total.origins)
    return Value(Series((total,), "object", cells=tuple(names)), total.origins)


def _some_width(source: Value, call: Call) -> Value:
    pair = matrix(source)
    if pair is None or not pair[0].shape:
        return call.unknown()
    return new((pair[0].shape[0], Value(UNKNOWN, source.origins)), None, source.origins)


def _side_by_side(parts: Sequence[Value], rows: Value, held: LibraryObject, call: Call) -> Value:
    """Return matrices joined, sparse where few of the cells are not zero (`ColumnTransformer`)."""
    widths: list[Value] = []
    filled = 0
    known = True
    makers: Origins = NOWHERE
    for part in parts:
        data = arrays.array(part)
        if data is None or data.shape is None or len(data.shape) != 2:
            widths.append(unknown(part))
            known = False
            continue
        widths.append(data.shape[1])
        number = size(data.shape[1])
        if data.library == "scipy":
            makers |= part.origins
            number = data.highest
        known = known and number is not None
        filled += number or 0
    numbers = [size(width) for width in widths]
    total = UNKNOWN if None in numbers else sum(n for n in numbers if n is not None)
    width = Value(total, merged(*widths))
    if call.name.startswith("fit"):
        limit = held.keywords.get("sparse_threshold", Value(0.3)).data
        fits = known and isinstance(total, int) and total > 0 and isinstance(limit, (int, float))
        is_sparse = bool(makers) and fits and filled / total < limit  # type: ignore[operator]
        _remember(call, sparse_output_=Value(is_sparse))
    if state_of(call.receiver, "sparse_output_").data is True:
        return sparse((rows, width), makers, Value(filled))
    return new((rows, width), "float64", merged(*parts))


PIPED = words(
    "fit transform fit_transform predict predict_proba predict_log_proba decision_function score "
    "fit_predict score_samples"
)


@_each(("Pipeline",), *PIPED)
def _piped(interpreter: Interpreter, call: Call) -> Value:
    """Let one step after the other have what the one before gives."""
    source = call.given(0, "X")
    held = call.held
    if held is None or source is None or call.receiver is None:
        return call.unknown()
    steps = _steps(interpreter, held, "steps")
    if not steps:
        return call.receiver if call.name == "fit" else call.unknown()
    target = call.given(1, "y")
    made, rest = source, [target] if target is not None else []
    fitted = call.name.startswith("fit")
    for _, step, *_others in steps[:-1]:
        if step.data not in ("passthrough", None):
            name = "fit_transform" if fitted else "transform"
            made = _asked(interpreter, step, name, [made, *(rest if fitted else ())], call)
    last = steps[-1][1]
    if last.data in ("passthrough", None):
        return call.receiver if call.name == "fit" else made
    given = [made, *rest] if call.name in ("fit", "score", "fit_transform") else [made]
    ended = _asked(interpreter, last, call.name, given, call)
    return call.receiver if call.name == "fit" else ended


@_each(("Pipeline",), "inverse_transform")
def _piped_back(interpreter: Interpreter, call: Call) -> Value:
    held, made = call.held, call.given(0, "X")
    steps = None if held is None else _steps(interpreter, held, "steps")
    if not steps or made is None:
        return call.unknown()
    for _, step, *_others in reversed(steps):
        if step.data not in ("passthrough", None):
            made = _asked(interpreter, step, "inverse_transform", [made], call)
    return made


@_each(("Pipeline",), "get_feature_names_out")
def _piped_names(interpreter: Interpreter, call: Call) -> Value:
    held, names = call.held, call.given(0, "input_features")
    steps = None if held is None else _steps(interpreter, held, "steps")
    if not steps:
        return call.unknown()
    result = call.unknown()
    for _, step, *_others in steps:
        if step.data in ("passthrough", None):
            continue
        given = [names] if names is not None else []
        result = _asked(interpreter, step, "get_feature_names_out", given, call)
        data = result.data
        names = result if isinstance(data, Series) and data.cells is not None else None
        if names is None:
            names = Value(UNKNOWN, result.origins)
    return result


@_each(("Pipeline",), "__len__", "__getitem__", "__iter__")
def _step(interpreter: Interpreter, call: Call) -> Value:
    held, key = call.held, call.given(0)
    steps = None if held is None else _steps(interpreter, held, "steps")
    if steps is None or held is None:
        return call.unknown()
    if call.name == "__len__":
        return Value(len(steps), frozenset({held.made}))
    if call.name == "__iter__":
        return Value([step[1] for step in steps])
    data = None if key is None else key.data
    if isinstance(data, int) and -len(steps) <= data < len(steps):
        return steps[data][1]
    if isinstance(data, str):
        return next((step[1] for step in steps if step[0].data == data), call.unknown())
    if isinstance(data, LibraryObject) and data.name == "builtins.slice" and len(data.args) == 3:
        chosen = _sliced(steps, data)
        if chosen is not None:
            part = [Value(tuple(step)) for step in chosen]
            return Value(LibraryObject(held.name, (Value(part),), {}, held.made))
    return call.unknown()


@MODELS.attribute("Pipeline", "steps", "named_steps", "classes_", "n_features_in_")
@MODELS.attribute("Pipeline", "feature_names_in_")
def _of_pipeline(interpreter: Interpreter, call: Call) -> Value:
    held = call.held
    steps = None if held is None else _steps(interpreter, held, "steps")
    if not steps or held is None:
        return call.unknown()
    if call.name == "named_steps":
        named = {str(step[0].data): step[1] for step in steps}
        return thing("sklearn.utils.Bunch", call, **named)
    if call.name == "steps":
        return Value([Value(tuple(step)) for step in steps], frozenset({held.made}))
    one = steps[-1 if call.name == "classes_" else 0][1]
    return interpreter.attribute(one, call.name, call.place) if _is_known(one) else call.unknown()


def _is_known(step: Value) -> bool:
    return isinstance(step.data, (LibraryObject, Instance))


def cloned(value: Value, given: Mapping[str, Value] | None = None) -> Value:
    """Return an estimator as it was made, with other parameters (``step__name`` of a step)."""
    data = value.data
    if not isinstance(data, LibraryObject):
        return value
    own = {name: v for name, v in (given or {}).items() if "__" not in name}
    inner: dict[str, dict[str, Value]] = {}
    for name, v in (given or {}).items():
        head, _, rest = name.partition("__")
        if rest:
            inner.setdefault(head, {})[rest] = v
    args, keywords = list(data.args), dict(data.keywords)
    first = FIRST.get(data.short)
    if first in own and args:
        args[0] = own.pop(first)
    keywords.update(own)
    for keyword in ("steps", "transformers", "transformer_list", "estimators"):
        held = keywords.get(
            keyword, args[0] if args and keyword == PARTS_OF.get(data.short) else None
        )
        if held is None or not isinstance(held.data, (list, tuple)):
            continue
        parts: list[Value] = []
        for part in held.data:
            items = part.data
            if not isinstance(items, (list, tuple)) or len(items) < 2:
                return Value(UNKNOWN, value.origins)
            label = items[0].data
            step = inner.get(label, {}) if isinstance(label, str) else {}
            chosen = own.get(label) if isinstance(label, str) else None
            copy = chosen if chosen is not None else cloned(items[1], step)
            parts.append(Value((items[0], copy, *items[2:]), part.origins))
        if keyword in keywords:
            keywords[keyword] = Value(parts, held.origins)
        else:
            args[0] = Value(parts, held.origins)
    for keyword in ("estimator", "base_estimator", "regressor"):
        part = keywords.get(keyword)
        if part is not None:
            keywords[keyword] = cloned(part, inner.get(keyword))
        elif args and keyword == PARTS_OF.get(data.short):
            args[0] = cloned(args[0], inner.get(keyword))
    made = LibraryObject(data.name, tuple(args), keywords, data.made)
    if OUTPUT in data.state:
        made.state[OUTPUT] = data.state[OUTPUT]
    return Value(made, value.origins)


PARTS_OF = {
    "Pipeline": "steps",
    "ColumnTransformer": "transformers",
    "FeatureUnion": "transformer_list",
    **dict.fromkeys(words("VotingClassifier VotingRegressor"), "estimators"),
    **dict.fromkeys(words("StackingClassifier StackingRegressor"), "estimators"),
    **dict.fromkeys(words("BaggingClassifier BaggingRegressor ClassifierChain"), "estimator"),
    **dict.fromkeys(words("MultiOutputClassifier MultiOutputRegressor"), "estimator"),
    **dict.fromkeys(words("OneVsRestClassifier OneVsOneClassifier RegressorChain"), "estimator"),
    "TransformedTargetRegressor": "regressor",
}
"""The first parameter of estimators that are made of others."""
FIRST = {
    **dict.fromkeys(words("KMeans MiniBatchKMeans AgglomerativeClustering"), "n_clusters"),
    **dict.fromkeys(
        words("PCA TruncatedSVD NMF FastICA GaussianMixture KernelPCA"), "n_components"
    ),
    **dict.fromkeys(words("Ridge Lasso ElasticNet"), "alpha"),
    **dict.fromkeys(words("KNeighborsClassifier KNeighborsRegressor"), "n_neighbors"),
    **dict.fromkeys(words("RandomForestClassifier RandomForestRegressor"), "n_estimators"),
    **dict.fromkeys(words("ExtraTreesClassifier ExtraTreesRegressor"), "n_estimators"),
    **dict.fromkeys(words("MLPClassifier MLPRegressor"), "hidden_layer_sizes"),
    **dict.fromkeys(words("SGDClassifier SGDRegressor"), "loss"),
    "PolynomialFeatures": "degree",
    "DBSCAN": "eps",
    "LogisticRegression": "penalty",
}
"""The first parameter of estimators, by which one may be given."""


def _first(name: str) -> None:
    for short, parameter in FIRST.items():
        if parameter == name:
            MODELS.attributes.setdefault((short, name), _parameter)


def _parameter(_: Interpreter, call: Call) -> Value:
    held = call.held
    found = None if held is None else option(held, 0, call.name)
    return found if found is not None else call.unknown()


for _name in set(FIRST.values()):
    _first(_name)


# --- unions, votes, chains ------------------------------------------------------------------------


@MODELS.function("sklearn.pipeline.make_union")
def _union(_: Interpreter, call: Call) -> Value:
    pairs = [
        Value((Value(name, step.origins), step), step.origins)
        for name, step in zip(_step_names(call.args), call.args, strict=True)
    ]
    made = LibraryObject(
        "sklearn.pipeline.FeatureUnion", (Value(pairs),), call.keywords, call.place
    )
    return Value(made, merged(*call.args))


@_each(("FeatureUnion",), "fit", "transform", "fit_transform")
def _united(interpreter: Interpreter, call: Call) -> Value:
    source, held = call.given(0, "X"), call.held
    if source is None or held is None or call.receiver is None:
        return call.unknown()
    steps, x = _steps(interpreter, held, "transformer_list"), matrix(source)
    if steps is None or x is None or not x[0].shape:
        return call.receiver if call.name == "fit" else call.unknown()
    fitted = call.name.startswith("fit")
    parts: list[Value] = []
    target = call.given(1, "y")
    given = [source, *([target] if fitted and target is not None else [])]
    for _, step, *_rest in steps:
        if step.data == "drop":
            continue
        name = "fit_transform" if fitted else "transform"
        passed = step.data == "passthrough"
        parts.append(as_array(source) if passed else _asked(interpreter, step, name, given, call))
    known = [arrays.array(part) for part in parts]
    if call.name == "fit":
        return call.receiver
    if any(part is None or part.library == "scipy" for part in known):
        return _some_width(source, call)
    return _side_by_side(parts, x[0].shape[0], held, call)


def _clones(call: Call, steps: Sequence[Sequence[Value]]) -> None:
    """Leave clones of the estimators that vote: each is fitted on its own."""
    copies = [cloned(step[1]) for step in steps if step[1].data not in ("drop", None)]
    names = [str(step[0].data) for step in steps if step[1].data not in ("drop", None)]
    named = dict(zip(names, copies, strict=True))
    _remember(call, estimators_=Value(copies, merged(*copies)))
    _remember(call, named_estimators_=thing("sklearn.utils.Bunch", call, **named))


def _voted(name: str) -> None:
    before = MODELS.methods[name, "fit"]

    def fit(interpreter: Interpreter, call: Call) -> Value:
        result = before(interpreter, call)
        held = call.held
        steps = None if held is None else _steps(interpreter, held, "estimators")
        _remember(call, estimators_=Value(UNKNOWN), named_estimators_=Value(UNKNOWN))
        if steps is not None:
            _clones(call, steps)
        return result

    MODELS.methods[name, "fit"] = fit


for _name in words("VotingClassifier VotingRegressor StackingClassifier StackingRegressor"):
    _voted(_name)


@MODELS.attribute("VotingClassifier", "named_estimators")
@MODELS.attribute("VotingRegressor", "named_estimators")
@MODELS.attribute("StackingClassifier", "named_estimators")
@MODELS.attribute("StackingRegressor", "named_estimators")
def _estimators(interpreter: Interpreter, call: Call) -> Value:
    held = call.held
    steps = None if held is None else _steps(interpreter, held, "estimators")
    if steps is None:
        return call.unknown()
    named = {str(step[0].data): step[1] for step in steps}
    return thing("sklearn.utils.Bunch", call, **named)


@_each(("ClassifierChain",), "fit")
def _chained(_: Interpreter, call: Call) -> Value:
    x, y = matrix(call.given(0, "X")), matrix(call.given(1, "Y", "y"))
    shape = None if y is None else y[0].shape
    outputs = shape[1] if shape is not None and len(shape) == 2 else Value(UNKNOWN)
    of_x = None if x is None else x[0].shape
    if of_x is not None and len(of_x) == 2:
        _remember(call, n_features_in_=note_fit(call, of_x[1]))
    _remember(call, outputs=outputs)
    return call.receiver or call.unknown()


@_each(("ClassifierChain",), "predict", "predict_proba", "decision_function")
def _by_chain(_: Interpreter, call: Call) -> Value:
    x = matrix(call.given(0, "X"))
    rows = x[0].shape[0] if x is not None and x[0].shape else Value(UNKNOWN)
    outputs = state_of(call.receiver, "outputs")
    dtype = "float64" if call.name != "predict" else None
    return new((rows, outputs), dtype, merged(*call.args))


def _fitted_ones(call: Call, count: Value | None) -> None:
    """Leave clones of an estimator of which there is one for each column or class."""
    held = call.held
    number = size(count)
    one = None if held is None else option(held, 0, "estimator")
    if one is None or number is None or number > MOST_CLONES:
        _remember(call, estimators_=Value(UNKNOWN))
        return
    _remember(call, estimators_=Value([cloned(one) for _ in range(number)], one.origins))


MOST_CLONES = 200


def _many(name: str) -> None:
    before = MODELS.methods[name, "fit"]

    def fit(interpreter: Interpreter, call: Call) -> Value:
        result = before(interpreter, call)
        classes, outputs = state_of(call.receiver, "classes_"), state_of(call.receiver, "outputs")
        if name.startswith("MultiOutput") or name == "RegressorChain":
            _fitted_ones(call, outputs)
            return result
        data = classes.data
        number = size(data.shape[0]) if isinstance(data, Array) and data.shape else None
        if number is not None and name == "OneVsRestClassifier":
            number = 1 if number == 2 else number
        elif number is not None:
            number = number * (number - 1) // 2
        _fitted_ones(call, None if number is None else Value(number))
        return result

    MODELS.methods[name, "fit"] = fit


for _name in words(
    "MultiOutputClassifier MultiOutputRegressor RegressorChain OneVsRestClassifier "
    "OneVsOneClassifier"
):
    _many(_name)


give_tables(("ColumnTransformer",))


@MODELS.method("Pipeline", "set_output")
def _set_output(interpreter: Interpreter, call: Call) -> Value:
    held = call.held
    steps = None if held is None else _steps(interpreter, held, "steps")
    if steps is None or call.receiver is None:
        return call.unknown()
    for _, step, *_others in steps:
        if isinstance(step.data, LibraryObject):
            step.data.state[OUTPUT] = call.given(0, "transform") or Value("default")
    return call.receiver


# --- searches for parameters ----------------------------------------------------------------------

MOST_CANDIDATES = 2_000


def _grids(interpreter: Interpreter, grid: Value | None) -> list[dict[str, Value]] | None:
    """Return the dictionaries of a grid of parameters, None where they are not known."""
    if grid is None:
        return None
    given = [grid] if isinstance(grid.data, dict) else listed(interpreter, grid)
    if not given or not all(isinstance(one.data, dict) for one in given):
        return None
    return [
        {str(name): value for name, value in one.data.items()}
        for one in given
        if isinstance(one.data, dict)
    ]


def _best(
    interpreter: Interpreter, grids: list[dict[str, Value]]
) -> tuple[dict[str, Value], int | None, bool]:
    """Return the best parameters as far as they are known, their choices, and whether all are.

    A name that not all grids have may be missing among the best parameters.
    """
    count: int | None = 0
    values: dict[str, list[Value] | None] = {}
    for grid in grids:
        product: int | None = 1
        for name, value in grid.items():
            items = listed(interpreter, value)
            known = values.get(name, [])
            values[name] = None if items is None or known is None else [*known, *items]
            product = None if items is None or product is None else product * len(items)
        count = None if product is None or count is None else count + product
    best: dict[str, Value] = {}
    for name, found in values.items():
        same = found is not None and len(found) == len(grids) == 1
        best[name] = found[0] if found is not None and same else Value(UNKNOWN)
    return best, count, all(grid.keys() == values.keys() for grid in grids)


@_each(SEARCHES, "fit")
def _searched(interpreter: Interpreter, call: Call) -> Value:
    """Fit a clone of the estimator of a search, and leave what a search finds out."""
    held = call.held
    if held is None or call.receiver is None:
        return call.unknown()
    estimator = option(held, 0, "estimator") or Value(UNKNOWN)
    grid = option(held, 1, "param_grid") or held.keywords.get("param_distributions")
    grids = _grids(interpreter, grid)
    best, count, all_named = ({}, None, False) if grids is None else _best(interpreter, grids)
    fitted = Value(UNKNOWN, estimator.origins)
    refit = held.keywords.get("refit")
    if isinstance(estimator.data, LibraryObject) and grids is not None:
        fitted = cloned(estimator, best)
        model = None
        if isinstance(fitted.data, LibraryObject) and (refit is None or refit.data is not False):
            model = MODELS.methods.get((fitted.data.short, "fit"))
        if model is not None:
            model(interpreter, Call("fit", call.args, call.keywords, call.place, fitted))
    elif isinstance(estimator.data, (LibraryObject, Instance)):
        fitted = unknown(estimator)
    if held.short != "GridSearchCV":
        count = size(option(held, 2, "n_iter") or Value(10))
        if held.short != "RandomizedSearchCV":
            count = None
        # Lists of less values than asked for are used whole.
        elif grids is not None and all(
            isinstance(value.data, (list, tuple)) for one in grids for value in one.values()
        ):
            choices = _best(interpreter, grids)[1]
            count = None if count is None or choices is None else min(count, choices)
    folds = folds_of(held.keywords.get("cv"))
    known_best = grids is not None and all_named
    params = Value(dict(best), call.receiver.origins) if known_best else Value(UNKNOWN)
    _remember(
        call,
        best_estimator_=fitted,
        best_params_=params,
        best_score_=some_number(call),
        best_index_=some_number(call, "int64"),
        n_splits_=folds if size(folds) else some_number(call, "int64"),
        refit_time_=some_number(call),
        multimetric_=Value(UNKNOWN),
        scorer_=Value(UNKNOWN),
        cv_results_=Value(UNKNOWN),
    )
    scoring = held.keywords.get("scoring")
    if scoring is None or isinstance(scoring.data, str):
        _remember(call, multimetric_=Value(False))
    if grids is not None:
        results = _results(held, best, count, all_named)
        if results is not None:
            _remember(call, cv_results_=Value(results))
    return call.receiver


def _results(
    held: LibraryObject, best: dict[str, Value], count: int | None, all_named: bool
) -> dict[object, Value] | None:
    """Return the table of what a search tried, None where its names are not known."""
    folds = size(folds_of(held.keywords.get("cv")))
    scoring = held.keywords.get("scoring")
    if folds is None or not (scoring is None or isinstance(scoring.data, str)):
        return None
    number = Value(UNKNOWN if count is None else count, held.keywords.get("cv", Value(0)).origins)
    column = new((number,), "float64", NOWHERE)
    names = ["mean_fit_time", "std_fit_time", "mean_score_time", "std_score_time"]
    results: dict[object, Value] = dict.fromkeys(names, column)
    results.update({f"param_{name}": new((number,), "object", NOWHERE) for name in best})
    one = Value({name: Value(UNKNOWN) for name in best}) if all_named else Value(UNKNOWN)
    few = count is not None and count <= MOST_CANDIDATES
    results["params"] = Value([one] * (count or 0)) if few else Value(UNKNOWN)
    parts = ["test", "train"] if is_true(held.keywords.get("return_train_score")) else ["test"]
    for part in parts:
        for i in range(folds):
            results[f"split{i}_{part}_score"] = column
        results[f"mean_{part}_score"] = results[f"std_{part}_score"] = column
        if part == "test":
            results["rank_test_score"] = new((number,), "int32", NOWHERE)
    return results


OF_BEST = words(
    "predict predict_proba predict_log_proba decision_function transform inverse_transform score "
    "score_samples get_feature_names_out"
)


@_each(SEARCHES, *OF_BEST)
def _by_best(interpreter: Interpreter, call: Call) -> Value:
    best = state_of(call.receiver, "best_estimator_")
    if not isinstance(best.data, LibraryObject):
        return call.unknown()
    model = MODELS.methods.get((best.data.short, call.name))
    if call.name == "score" and call.held is not None and call.held.keywords.get("scoring"):
        return some_number(call)
    if model is None:
        return call.unknown()
    return model(interpreter, Call(call.name, call.args, call.keywords, call.place, best))


def _of_best(interpreter: Interpreter, call: Call) -> Value:
    best = state_of(call.receiver, "best_estimator_")
    if not isinstance(best.data, LibraryObject):
        return call.unknown()
    return interpreter.attribute(best, call.name, call.place)


for _short in SEARCHES:
    for _name in words("classes_ n_features_in_ feature_names_in_"):
        MODELS.attributes[_short, _name] = _of_best


@MODELS.function("sklearn.model_selection.cross_val_predict")
def _cross_val_predict(interpreter: Interpreter, call: Call) -> Value:
    """Return what clones of an estimator predict of the rows that they were not fitted on."""
    estimator, source = call.given(0, "estimator"), call.given(1, "X")
    target, method = call.given(2, "y"), call.keywords.get("method")
    name = "predict" if method is None else method.data
    if estimator is None or source is None or not isinstance(name, str):
        return call.unknown()
    made = cloned(estimator)
    if not isinstance(made.data, LibraryObject):
        return call.unknown()
    fit, model = (MODELS.methods.get((made.data.short, part)) for part in ("fit", name))
    if fit is None or model is None:
        return call.unknown()
    given = (source, target) if target is not None else (source,)
    fit(interpreter, Call("fit", given, {}, call.place, made))
    found = model(interpreter, Call(name, (source,), {}, call.place, made))
    return Value(found.data, merged(*call.args))
