"""Models of scikit-learn: samples, features, classes, and what is refused.

Source: the scikit-learn 1.6 reference.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.numpy.functions import as_array, new
from dl_bug_lsp.interpretation.model_helpers import MOST_ITEMS, listed, state_of
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.operators import alike
from dl_bug_lsp.interpretation.table_values import (
    Cells,
    Draws,
    Frame,
    Series,
    affords,
    distinct,
    number_in,
    part_of,
    remade,
    rows_taken,
    series_of,
    sizes_of_table,
    table_of,
    taken,
    with_other_rows,
)
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Array,
    Lazy,
    LibraryObject,
    Origins,
    Raised,
    Table,
    Value,
    merged,
    refused_axes,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

# scikit-learn.


def matrix(value: Value | None) -> tuple[Array, Value] | None:
    """Return what scikit-learn takes as an array of samples, None where it is not known."""
    if value is None or not value.known:
        return None
    made = as_array(value)
    return (made.data, made) if isinstance(made.data, Array) else None


def _no_text(data: tuple[Array, Value], source: Value) -> None:
    """Raise where samples hold text that is no number."""
    table = table_of(source)
    if table is not None:
        texts = [name for name, dtype in table.columns.items() if dtype == "object"]
        for name in texts:
            cells = table.cells.get(name, ()) if isinstance(table, Frame) else ()
            for index, cell in enumerate(cells):
                if isinstance(cell, str) and number_in(cell.strip()) is None:
                    lines = table.lines if isinstance(table, Frame) else ()
                    line = frozenset(lines[index : index + 1])
                    origins = table.origins_of.get(name, NOWHERE)
                    side = Value(cell, origins)
                    message = f"could not convert string to float: {cell[:40]!r}"
                    raise Raised("type", message, side, Value(cell, line))
        times = [name for name, dtype in table.columns.items() if dtype == "datetime64"]
        if times and len(times) < len(table.columns):
            # Times and numbers have no dtype in common.
            message = "The DType DateTime64DType could not be promoted by Float64DType"
            raise Raised("type", message, Value(UNKNOWN, source.origins))
        return
    if data[0].dtype == "object" and data[0].shape is not None and len(data[0].shape) == 2:
        return


def _wants_matrix(pair: tuple[Array, Value]) -> None:
    data, value = pair
    if data.shape is not None and len(data.shape) == 1:
        raise refused_axes("Expected 2D array, got 1D array instead", value, 1, Value(2))


def _same_features(call: Call, pair: tuple[Array, Value]) -> None:
    """Check the number of features against that of the fit."""
    data, _ = pair
    fitted = state_of(call.receiver, "n_features_in_")
    if data.shape is None or len(data.shape) < 2 or size(fitted) is None:
        return
    given = data.shape[1]
    if size(given) is not None and size(given) != size(fitted):
        note_forgotten(call, lambda number: number == size(given))
        message = f"X has {size(given)} features, but was fitted with {size(fitted)} features"
        raise Raised("size", message, given, fitted)


def _same_rows(x: tuple[Array, Value] | None, y: tuple[Array, Value] | None) -> None:
    if x is None or y is None or not x[0].shape or not y[0].shape:
        return
    message = "Found input variables with inconsistent numbers of samples"
    arrays.same(x[0].shape[0], y[0].shape[0], message)


def _remember(call: Call, **state: Value) -> None:
    if call.receiver is not None and isinstance(call.receiver.data, LibraryObject):
        call.receiver.data.state.update(state)


def note_fit(call: Call, number: Value) -> Value:
    """Remember to what an estimator is fitted: a number of features or classes; return it.

    What it was fitted to before is forgotten by it, but not here.
    """
    made = Value(number.data, number.origins | {call.place})
    former = state_of(call.receiver, _FITS).data
    fits = former if isinstance(former, tuple) else ()
    this = Value(number.data, frozenset({call.place}))
    _remember(call, **{_FITS: Value((*fits[-MOST_FITS:], this))})
    return made


_FITS = "numbers that it was fitted to"
MOST_FITS = 20


def note_forgotten(call: Call, takes: Callable[[int], bool]) -> None:
    """Note of the last fit of an estimator that an earlier one would have taken what it refuses."""
    fits = state_of(call.receiver, _FITS).data
    if not isinstance(fits, tuple) or len(fits) < 2:
        return
    last, now = fits[-1], size(fits[-1])
    for former in reversed(fits[:-1]):
        number = size(former)
        if number is not None and now is not None and number != now and takes(number):
            ((_, line),) = former.origins
            ((file, here),) = last.origins
            where = f"line {line}" if line != here else "an earlier round"
            why = f"this fits it again, to {now}, and it forgets the {number} of {where}"
            arrays.note_reason((file, here), why)
            return


_SCALERS = (
    *("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler", "Normalizer"),
    *("QuantileTransformer", "PowerTransformer", "SimpleImputer"),
)
_ESTIMATORS = (
    *("LogisticRegression", "LinearRegression", "Ridge", "Lasso", "ElasticNet", "SGDClassifier"),
    *("RandomForestClassifier", "RandomForestRegressor", "DecisionTreeClassifier", "SVC", "SVR"),
    *("DecisionTreeRegressor", "KNeighborsClassifier", "KNeighborsRegressor", "GaussianNB"),
    *("GradientBoostingClassifier", "GradientBoostingRegressor", "MLPClassifier", "MLPRegressor"),
    *("ExtraTreesClassifier", "AdaBoostClassifier", "LinearSVC", "SGDRegressor", "RidgeClassifier"),
    *("XGBClassifier", "XGBRegressor", "LGBMClassifier", "LGBMRegressor", "MultinomialNB"),
)


def _each(kinds: Sequence[str], *names: str) -> Callable[[Model], Model]:
    def keep(model: Model) -> Model:
        for kind in kinds:
            for name in names:
                MODELS.methods[kind, name] = model
        return model

    return keep


@_each(_SCALERS, "fit", "transform", "fit_transform", "inverse_transform")
def _scaled(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    source = call.given(0, "X")
    pair = matrix(source)
    if pair is None or source is None:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    data, value = pair
    _wants_matrix(pair)
    imputes = (
        call.receiver is not None and getattr(call.receiver.data, "short", "") == "SimpleImputer"
    )
    if not imputes:
        _no_text(pair, source)
    if call.name.startswith("fit"):
        if data.shape is not None and len(data.shape) == 2:
            _remember(call, n_features_in_=note_fit(call, data.shape[1]))
    else:
        _same_features(call, pair)
    if call.name == "fit":
        return call.receiver or call.unknown()
    kept = ("float32", "float64", "object") if imputes else ("float32", "float64")
    dtype = data.dtype if data.dtype in kept else "float64"
    shape = data.shape
    if imputes and shape is not None and len(shape) == 2:
        shape = (shape[0], _imputed_width(call, source, shape[1]))
    return new(shape, dtype, value.origins)


def _imputed_width(call: Call, source: Value, width: Value) -> Value:
    """Return the number of columns that `SimpleImputer` leaves: those without any value go."""
    held = call.held
    keywords = {} if held is None else held.keywords
    if "add_indicator" in keywords and keywords["add_indicator"].data is not False:
        return Value(UNKNOWN, width.origins)
    keeps = keywords.get("keep_empty_features")
    if keeps is not None:
        return width if keeps.data is True else Value(UNKNOWN, width.origins)
    table = table_of(source)
    if call.name.startswith("fit"):
        if isinstance(table, Frame) and table.is_full:
            empty = sum(all(c is None for c in table.cells[name]) for name in table.columns)
        else:
            data = source.data
            rows = data if isinstance(data, list) else []
            cells = [[c.data for c in r.data] for r in rows if isinstance(r.data, list)]
            columns = list(zip(*cells, strict=False))
            empty = sum(
                all(c is None or (isinstance(c, float) and math.isnan(c)) for c in column)
                for column in columns
            )
        _remember(call, empty=Value(empty))
    empty_ones = size(state_of(call.receiver, "empty"))
    number = size(width)
    if not empty_ones or number is None:
        return width
    return Value(number - empty_ones, width.origins)


@_each(("LabelEncoder",), "fit", "transform", "fit_transform")
def _label_encoder(interpreter: Interpreter, call: Call) -> Value:
    source = call.given(0, "y")
    pair = matrix(source)
    if pair is None or source is None:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    data, value = pair
    if data.shape is not None and len(data.shape) > 1 and size(data.shape[1]) != 1:
        raise refused_axes("y should be a 1d array", value, len(data.shape), Value(1))
    cells = _plain_cells(interpreter, source)
    if call.name.startswith("fit"):
        values = None if cells is None else distinct(cells)
        number_of = UNKNOWN if values is None else len(values)
        count = Value(number_of, value.origins | {call.place})
        known = None if values is None else tuple(values)
        note_fit(call, count)
        classes = Series((count,), data.dtype, "numpy", None, None, None, known)
        _remember(call, classes_=Value(classes, count.origins))
    if call.name == "fit":
        return call.receiver or call.unknown()
    fitted = state_of(call.receiver, "classes_")
    held = fitted.data
    number = size(held.shape[0]) if isinstance(held, Array) and held.shape else None
    if isinstance(held, Series) and held.cells is not None and cells is not None:
        codes = {cell: code for code, cell in enumerate(held.cells)}
        for index, cell in enumerate(cells):
            if cell not in codes:
                side = _at(source, index, cell)
                raise Raised(
                    "value", f"y contains previously unseen labels: {cell!r}", side, fitted
                )
        if series_of(source) is not None and affords(len(cells)):
            coded = remade(source, [codes[cell] for cell in cells], dtype="int64")
            assert isinstance(coded.data, Series)
            coded.data.index = None
            return coded
    return new(data.shape, "int64", value.origins, (0, number - 1) if number else (None, None))


def _plain_cells(interpreter: Interpreter, value: Value) -> tuple[object, ...] | None:
    data = series_of(value)
    if data is not None:
        return data.cells
    items = listed(interpreter, value) if isinstance(value.data, (list, tuple)) else None
    if items and all(isinstance(item.data, (int, float, str)) for item in items):
        return tuple(item.data for item in items)
    return None


def _at(source: Value, index: int, cell: object) -> Value:
    data = series_of(source)
    if data is not None and index < len(data.lines):
        return Value(cell, frozenset({data.lines[index]}))
    return Value(cell, source.origins)


def categories_of(source: Value) -> list[Cells] | None:
    """Return the cells of each column of samples, None where one is not known."""
    table, single = table_of(source), series_of(source)
    if isinstance(table, Frame) and table.is_full:
        return [table.cells[name] for name in table.columns]
    return None if single is None or single.cells is None else [single.cells]


@_each(("OneHotEncoder", "OrdinalEncoder"), "fit", "transform", "fit_transform")
def _one_hot(interpreter: Interpreter, call: Call) -> Value:
    """Encode categories: what was fitted makes the width, and what it lacks is refused."""
    source = call.given(0, "X")
    pair = matrix(source)
    held = call.held
    if pair is None or source is None or held is None:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    data, value = pair
    _wants_matrix(pair)
    columns = categories_of(source)
    if call.name.startswith("fit"):
        _learn_categories(interpreter, held, columns, value, call)
        if data.shape is not None and len(data.shape) == 2:
            _remember(call, n_features_in_=note_fit(call, data.shape[1]))
    else:
        _same_features(call, pair)
        _refuse_unseen(held, columns, source)
    if call.name == "fit":
        return call.receiver or call.unknown()
    if held.short == "OrdinalEncoder":
        return new(data.shape, "float64", value.origins)
    width = state_of(call.receiver, "width")
    rows = data.shape[0] if data.shape else Value(UNKNOWN, value.origins)
    shape = (rows, Value(width.data, merged(width, value) | {held.made}))
    asked = held.keywords.get("sparse_output", held.keywords.get("sparse"))
    if asked is not None and asked.data is not True:
        return new(shape, "float64", value.origins | {held.made})
    return sparse(shape, frozenset({held.made}), data.shape[1] if data.shape else None)


def _learn_categories(
    interpreter: Interpreter,
    held: LibraryObject,
    columns: list[Cells] | None,
    value: Value,
    call: Call,
) -> None:
    given = held.keywords.get("categories")
    known: list[set[object]] | None = None
    if given is not None and given.data != "auto":
        lists = [listed(interpreter, item) for item in listed(interpreter, given) or ()]
        if lists and all(item is not None for item in lists):
            known = [{cell.data for cell in item or ()} for item in lists]
    elif columns is not None and affords(sum(map(len, columns))):
        known = [set(cells) for cells in columns]
    plain = not held.keywords.keys() & {"drop", "min_frequency", "max_categories"}
    total: object = UNKNOWN if known is None or not plain else sum(map(len, known))
    origins = merged(value, *([given] if given is not None else [])) | {call.place}
    _remember(call, width=Value(total, origins))
    held.state.pop("categories", None)
    held.state.pop("feature_names", None)
    source = table_of(call.given(0, "X"))
    cells = [cell for item in known or () for cell in item]
    named = plain and source is not None and all(isinstance(cell, str) for cell in cells)
    if known is not None and named and source is not None and len(known) == len(source.columns):
        names = [
            f"{name}_{cell}"
            for name, item in zip(source.columns, known, strict=True)
            for cell in sorted(map(str, item))
        ]
        held.state["feature_names"] = Value(tuple(names), origins)
    if known is not None:
        categories = [Value({cell for cell in item if isinstance(cell, _CELL)}) for item in known]
        held.state["categories"] = Value(categories, origins)


_CELL = (bool, int, float, str, type(None))


def _refuse_unseen(held: LibraryObject, columns: list[Cells] | None, source: Value) -> None:
    """Raise for a category that was not there when an encoder was fitted."""
    fitted, unseen = held.state.get("categories"), held.keywords.get("handle_unknown")
    strict = unseen is None or unseen.data == "error"
    if fitted is None or columns is None or not isinstance(fitted.data, list) or not strict:
        return
    table = table_of(source)
    for number, (categories, cells) in enumerate(zip(fitted.data, columns, strict=False)):
        for index, cell in enumerate(cells):
            if isinstance(categories.data, set) and cell not in categories.data:
                lines = table.lines[index : index + 1] if isinstance(table, Frame) else ()
                side = Value(cell, frozenset(lines) or source.origins)
                message = f"Found unknown categories [{cell!r}] in column {number} during transform"
                made = Value(UNKNOWN, frozenset({held.made}))
                raise Raised("value", message, side, Value(UNKNOWN, fitted.origins), made)


def sparse(shape: Sequence[Value], makers: Origins, filled: Value | None) -> Value:
    """Return a sparse matrix of SciPy's; ``filled`` is how many cells of a row are not zero."""
    made = Array(tuple(shape), "float64", "scipy")
    if filled is not None and size(filled) is not None:
        made.highest = size(filled)
    return Value(made, makers)


@MODELS.method("array", "toarray", "todense")
def _dense(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    data = arrays.array(call.receiver)
    if data is None or call.receiver is None:
        return call.unknown()
    return new(data.shape, data.dtype, call.receiver.origins)


@_each(("PCA", "TruncatedSVD"), "fit", "transform", "fit_transform")
def _reduced(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    source = call.given(0, "X")
    pair = matrix(source)
    if pair is None or source is None or call.receiver is None:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    data, value = pair
    _wants_matrix(pair)
    held = call.receiver.data
    count = None
    if isinstance(held, LibraryObject):
        count = held.keywords.get("n_components") or (held.args[0] if held.args else None)
    if call.name.startswith("fit") and data.shape is not None and len(data.shape) == 2:
        _remember(call, n_features_in_=note_fit(call, data.shape[1]))
        wanted, limit = size(count), size(data.shape[1])
        if wanted is not None and limit is not None and wanted > limit and count is not None:
            message = "n_components must be between 0 and min(n_samples, n_features)"
            raise Raised("size", message, count, data.shape[1])
    elif not call.name.startswith("fit"):
        _same_features(call, pair)
    if call.name == "fit":
        return call.receiver
    rows = data.shape[0] if data.shape else Value(UNKNOWN, value.origins)
    width = Value(UNKNOWN) if count is None or size(count) is None else count
    return new((rows, width), "float64", value.origins)


_VECTORIZERS = ("CountVectorizer", "TfidfVectorizer", "HashingVectorizer")
_WORD = re.compile(r"\b\w\w+\b")
_MOST_TEXT = 400_000


@_each(_VECTORIZERS, "fit", "transform", "fit_transform")
def _vectorized(interpreter: Interpreter, call: Call) -> Value:
    """Count words: a sparse matrix with a column for each word of what was fitted."""
    source = call.given(0, "raw_documents", "X")
    held = call.held
    if source is None or held is None or call.receiver is None:
        return call.unknown()
    rows = _rows_in(interpreter, source) or Value(UNKNOWN, source.origins)
    if held.short == "HashingVectorizer":
        _remember(call, width=held.keywords.get("n_features", Value(1 << 20)))
    elif call.name.startswith("fit"):
        held.state.pop("feature_names", None)
        held.state["vocabulary_"] = Value(UNKNOWN, source.origins)
        width = _words_in(interpreter, source, held)
        most = held.keywords.get("max_features")
        limit = size(most)
        if limit is not None and width is not None:
            width = min(width, limit)
        origins = merged(source, *([most] if most is not None else [])) | {call.place}
        count = Value(UNKNOWN if width is None else width, origins)
        _remember(call, width=count)
        if held.short == "TfidfVectorizer":
            _remember(call, idf_=new((count,), "float64", origins))
    if call.name == "fit":
        return call.receiver
    made = sparse((rows, state_of(call.receiver, "width")), frozenset({held.made}), None)
    if held.short == "CountVectorizer" or "dtype" in held.keywords:
        assert isinstance(made.data, Array)
        made.data.dtype = "int64" if "dtype" not in held.keywords else None
    return made


def _words_in(interpreter: Interpreter, source: Value, held: LibraryObject) -> int | None:
    """Return the number of different words, None where more than whole words are counted."""
    if held.keywords.keys() - {"max_features", "lowercase", "binary", "dtype", "norm", "use_idf"}:
        return None
    texts = _plain_cells(interpreter, source)
    if texts is None or not all(isinstance(text, str) for text in texts):
        return None
    lower = held.keywords.get("lowercase")
    if sum(len(str(text)) for text in texts) > _MOST_TEXT:
        return None
    words: set[str] = set()
    for text in texts:
        kept = str(text) if lower is not None and lower.data is False else str(text).lower()
        words.update(_WORD.findall(kept))
    if "max_features" not in held.keywords:
        origins = source.origins
        names = sorted(words)
        held.state["feature_names"] = Value(tuple(names), origins)
        numbers = {name: Value(i, origins) for i, name in enumerate(names)}
        held.state["vocabulary_"] = Value(numbers, origins)
    return len(words)


@MODELS.method("CountVectorizer", "get_feature_names_out")
@MODELS.method("TfidfVectorizer", "get_feature_names_out")
@MODELS.method("OneHotEncoder", "get_feature_names_out")
def _feature_names(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    width = state_of(call.receiver, "width")
    names = state_of(call.receiver, "feature_names")
    if isinstance(names.data, tuple) and not call.args and len(names.data) == size(width):
        cells = tuple(names.data)
        return Value(Series((width,), "object", cells=cells), names.origins)
    return new((width,), "object", width.origins)


@_each(_ESTIMATORS, "fit", "partial_fit")
def _fit(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    source, target = call.given(0, "X"), call.given(1, "y")
    x, y = matrix(source), matrix(target)
    if x is not None and source is not None:
        if call.held is None or call.held.short != "IsotonicRegression":
            _wants_matrix(x)
        _no_text(x, source)
        if x[0].shape is not None and len(x[0].shape) == 2:
            _remember(call, n_features_in_=x[0].shape[1])
    _same_rows(x, y)
    return call.receiver or call.unknown()


@_each(_ESTIMATORS, "predict", "predict_proba", "score", "decision_function")
def _predict(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    source = call.given(0, "X")
    x = matrix(source)
    if x is None or source is None:
        return call.unknown()
    _wants_matrix(x)
    _no_text(x, source)
    _same_features(call, x)
    if call.name == "score":
        _same_rows(x, matrix(call.given(1, "y")))
        return call.unknown()
    rows = x[0].shape[0] if x[0].shape else Value(UNKNOWN)
    if call.name == "predict":
        return new((rows,), None, source.origins)
    if call.name == "predict_proba":
        return new((rows, Value(UNKNOWN)), "float64", source.origins)
    return call.unknown()


@MODELS.function("sklearn.model_selection.train_test_split")
def _train_test_split(interpreter: Interpreter, call: Call) -> Value:
    """Return two parts of each array; their rows as scikit-learn rounds them."""
    shapes = [_rows_in(interpreter, arg) for arg in call.args]
    first: Value | None = None
    for rows in shapes:
        if rows is not None:
            message = "Found input variables with inconsistent numbers of samples"
            first = rows if first is None else arrays.same(first, rows, message)
    if first is not None and first.data == 0:
        raise Raised("value", "the resulting train set will be empty", first)
    test, train = call.keywords.get("test_size"), call.keywords.get("train_size")
    counts = _split_counts(None if first is None else size(first), test, train)
    origins = merged(*[v for v in (first, test, train) if v is not None])
    parts = None if first is None else _split_rows(size(first), counts, call)
    results: list[Value] = []
    for arg in call.args:
        for index, number in enumerate(counts):
            rows = Value(UNKNOWN if number is None else number, origins)
            chosen = None if parts is None else _chosen(arg, parts[index], rows)
            results.append(_with_rows(arg, rows) if chosen is None else chosen)
    return Value(results, merged(*call.args))


def _chosen(value: Value, positions: Sequence[int], rows: Value) -> Value | None:
    """Return rows of data whose rows are known, None of other data."""
    table = table_of(value)
    if table is not None:
        return Value(rows_taken(table, positions, rows.origins), value.origins)
    if series_of(value) is not None:
        return taken(value, positions, rows)
    if isinstance(value.data, (list, tuple)) and affords(len(positions)):
        return Value([value.data[i] for i in positions], merged(value, rows))
    return None


def _split_rows(
    whole: int | None, counts: tuple[int | None, int | None], call: Call
) -> tuple[Sequence[int], Sequence[int]] | None:
    """Return the rows for training and test where the call fixes them, None where chance does.

    Source: ``ShuffleSplit`` and ``StratifiedShuffleSplit`` of scikit-learn.
    """
    first, second = counts
    if whole is None or first is None or second is None or first + second > whole:
        return None
    shuffle = call.keywords.get("shuffle")
    if shuffle is not None and shuffle.data is False:
        return range(first), range(first, first + second)
    seed = size(call.keywords.get("random_state"))
    if seed is None or seed < 0 or (shuffle is not None and shuffle.data is not True):
        return None
    if not affords(2 * whole):
        return None
    draws, by = Draws(seed), call.keywords.get("stratify")
    if by is None or by.data is None:
        order = draws.permutation(whole)
        return order[second : second + first], order[:second]
    held = series_of(by)
    if held is None or held.cells is None or None in held.cells or len(held.cells) != whole:
        return None
    return _stratified(draws, held.cells, first, second)


def _stratified(
    draws: Draws, cells: Sequence[object], first: int, second: int
) -> tuple[Sequence[int], Sequence[int]]:
    groups: dict[object, list[int]] = {cell: [] for cell in distinct(cells)}
    for index, cell in enumerate(cells):
        groups[cell].append(index)
    sizes = [len(rows) for rows in groups.values()]
    train_of = _apportioned(draws, sizes, first)
    test_of = _apportioned(draws, [a - b for a, b in zip(sizes, train_of, strict=True)], second)
    train: list[int] = []
    test: list[int] = []
    for rows, many, few in zip(groups.values(), train_of, test_of, strict=True):
        order = [rows[i] for i in draws.permutation(len(rows))]
        train.extend(order[:many])
        test.extend(order[many : many + few])
    shuffled = [train[i] for i in draws.permutation(len(train))]
    return shuffled, [test[i] for i in draws.permutation(len(test))]


def _apportioned(draws: Draws, sizes: Sequence[int], count: int) -> list[int]:
    """Return how many of each class are drawn (``_approximate_mode`` of scikit-learn)."""
    total = sum(sizes)
    exact = [n / total * count for n in sizes]
    counts = [math.floor(share) for share in exact]
    missing = count - sum(counts)
    rests = [share - math.floor(share) for share in exact]
    for rest in sorted(set(rests), reverse=True):
        if missing <= 0:
            break
        where = [i for i, own in enumerate(rests) if own == rest]
        taken_ = draws.permutation(len(where))[: min(len(where), missing)]
        for i in taken_:
            counts[where[i]] += 1
        missing -= len(taken_)
    return counts


def _rows_in(interpreter: Interpreter, value: Value) -> Value | None:
    data = value.data
    if isinstance(data, Table):
        return data.rows
    if isinstance(data, Array):
        return data.shape[0] if data.shape else None
    if isinstance(data, (list, tuple)):
        return Value(len(data), value.origins)
    if isinstance(data, Lazy):
        return data.length
    del interpreter
    sizes = sizes_of_table(value)
    return None if sizes is None else sizes[0]


def _split_counts(
    rows: int | None, test: Value | None, train: Value | None
) -> tuple[int | None, int | None]:
    """Return the numbers of rows for training and test (``sklearn.model_selection``)."""
    share: object = 0.25 if test is None and train is None else None
    share = test.data if test is not None and test.data is not None else share
    other = train.data if train is not None else None
    if rows is None or isinstance(share, bool) or isinstance(other, bool):
        return None, None
    for given in (share, other):
        if given is not None and not isinstance(given, (int, float)):
            return None, None
    second = math.ceil(share * rows) if isinstance(share, float) else share
    first = math.floor(other * rows) if isinstance(other, float) else other
    if second is None and isinstance(first, int):
        second = rows - first
    if first is None and isinstance(second, int):
        first = rows - second
    if not isinstance(first, int) or not isinstance(second, int) or first < 0 or second < 0:
        return None, None
    return first, second


def _with_rows(value: Value, rows: Value) -> Value:
    data = value.data
    if isinstance(data, Table):
        return Value(part_of(data, list(data.columns), rows), value.origins)
    if isinstance(data, Array):
        shape = None if data.shape is None else (rows, *data.shape[1:])
        made = Array(shape, data.dtype, data.library, data.device, data.lowest, data.highest)
        return Value(made, value.origins)
    if isinstance(data, Lazy):
        return Value(Lazy(data.item, rows), value.origins)
    if isinstance(data, (list, tuple)) and data:
        item = alike([element for element in data if isinstance(element, Value)])
        number = size(rows)
        if number is not None and number <= MOST_ITEMS:
            return Value([Value(item.data, item.origins) for _ in range(number)], value.origins)
        return Value(Lazy(item, rows), value.origins)
    return with_other_rows(value, rows) or Value(UNKNOWN, value.origins)


@_each(("KFold", "StratifiedKFold"), "split")
def _folds(interpreter: Interpreter, call: Call) -> Value:
    held = call.held
    if held is None:
        return call.unknown()
    count = held.keywords.get("n_splits") or (held.args[0] if held.args else Value(5))
    rows = _rows_in(interpreter, call.args[0]) if call.args else None
    limit = None if rows is None else size(rows)
    number = size(count)
    if rows is not None and limit is not None and number is not None and number > limit:
        message = "Cannot have number of splits greater than the number of samples"
        raise Raised("value", message, count, rows)
    top = (0, limit - 1) if limit else (None, None)
    even = limit is not None and number and limit % number == 0
    test = Value(limit // number if even and limit and number else UNKNOWN, merged(count))
    train = Value(limit - limit // number if even and limit and number else UNKNOWN, merged(count))
    pair = Value((new((train,), "int64", NOWHERE, top), new((test,), "int64", NOWHERE, top)))
    return Value(Lazy(pair, count))


@_each(("ShuffleSplit", "StratifiedShuffleSplit", "LeaveOneOut"), "split")
@_each(("GroupKFold", "StratifiedGroupKFold", "TimeSeriesSplit"), "split")
@_each(("RepeatedKFold", "RepeatedStratifiedKFold"), "split")
def _splits(interpreter: Interpreter, call: Call) -> Value:
    """Return pairs of positions, of training and test; their numbers where they are alike."""
    held = call.held
    rows = _rows_in(interpreter, call.args[0]) if call.args else None
    if held is None:
        return call.unknown()
    number = None if rows is None else size(rows)
    top = (0, number - 1) if number else (None, None)
    counts: tuple[int | None, int | None] = (None, None)
    if held.short.endswith("ShuffleSplit"):
        test, train = held.keywords.get("test_size"), held.keywords.get("train_size")
        counts = _split_counts(number, test or (Value(0.1) if train is None else None), train)
    elif held.short == "LeaveOneOut" and number:
        counts = (number - 1, 1)
    sizes = [Value(UNKNOWN if one is None else one, frozenset({held.made})) for one in counts]
    parts = [new((one,), "int64", NOWHERE, top) for one in sizes]
    asking = MODELS.methods[held.short, "get_n_splits"]
    whole = asking(interpreter, Call("get_n_splits", call.args[:1], {}, call.place, call.receiver))
    return Value(Lazy(Value(tuple(parts)), whole))
