"""Models of scikit-learn: samples, features, classes, and what is refused.

Source: the scikit-learn 1.6 reference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.cells import (
    Frame,
    Series,
    distinct,
    lacking,
    number_in,
    part_of,
    series_of,
    table_of,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.numpy_models import as_array, new
from dl_bug_lsp.interpretation.stdlib_models import MOST_ITEMS, is_true, listed, state_of, thing
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Array,
    Lazy,
    LibraryObject,
    Raised,
    Table,
    Value,
    merged,
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


def _no_text(found: tuple[Array, Value], source: Value) -> None:
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
                    what = f"could not convert string to float: {cell[:40]!r}"
                    raise Raised("type", what, side, Value(cell, line))
        return
    if found[0].dtype == "object" and found[0].shape is not None and len(found[0].shape) == 2:
        return


def _wants_matrix(found: tuple[Array, Value]) -> None:
    data, value = found
    if data.shape is not None and len(data.shape) == 1:
        rank = Value(1, value.origins)
        raise Raised("size", "Expected 2D array, got 1D array instead", rank, Value(2))


def _same_features(call: Call, found: tuple[Array, Value]) -> None:
    """Check the number of features against that of the fit."""
    data, _ = found
    fitted = state_of(call.receiver, "n_features_in_")
    if data.shape is None or len(data.shape) < 2 or size(fitted) is None:
        return
    given = data.shape[1]
    if size(given) is not None and size(given) != size(fitted):
        what = f"X has {size(given)} features, but was fitted with {size(fitted)} features"
        raise Raised("size", what, given, fitted)


def _same_rows(x: tuple[Array, Value] | None, y: tuple[Array, Value] | None) -> None:
    if x is None or y is None or not x[0].shape or not y[0].shape:
        return
    what = "Found input variables with inconsistent numbers of samples"
    arrays.same(x[0].shape[0], y[0].shape[0], what)


def _remember(call: Call, **state: Value) -> None:
    if call.receiver is not None and isinstance(call.receiver.data, LibraryObject):
        call.receiver.data.state.update(state)


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


def _each(kinds: Sequence[str], *names: str) -> Callable[[object], object]:
    def keep(model: object) -> object:
        for kind in kinds:
            for name in names:
                MODELS.methods[kind, name] = model  # type: ignore[assignment]
        return model

    return keep


@_each(_SCALERS, "fit", "transform", "fit_transform", "inverse_transform")
def _scaled(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    source = call.given(0, "X")
    found = matrix(source)
    if found is None or source is None:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    data, value = found
    _wants_matrix(found)
    imputes = (
        call.receiver is not None and getattr(call.receiver.data, "short", "") == "SimpleImputer"
    )
    if not imputes:
        _no_text(found, source)
    if call.name.startswith("fit"):
        if data.shape is not None and len(data.shape) == 2:
            _remember(call, n_features_in_=data.shape[1])
    else:
        _same_features(call, found)
    if call.name == "fit":
        return call.receiver or call.unknown()
    kept = ("float32", "float64", "object") if imputes else ("float32", "float64")
    return new(data.shape, data.dtype if data.dtype in kept else "float64", value.origins)


@_each(("LabelEncoder",), "fit", "transform", "fit_transform")
def _label_encoder(interpreter: Interpreter, call: Call) -> Value:
    source = call.given(0, "y")
    found = matrix(source)
    if found is None or source is None:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    data, value = found
    if data.shape is not None and len(data.shape) > 1 and size(data.shape[1]) != 1:
        raise Raised("size", "y should be a 1d array", Value(len(data.shape), value.origins))
    cells = _plain_cells(interpreter, source)
    if call.name.startswith("fit"):
        values = None if cells is None else distinct(cells)
        count = Value(UNKNOWN if values is None else len(values), value.origins)
        known = None if values is None else tuple(values)
        classes = Series((count,), data.dtype, "numpy", None, None, None, known)
        _remember(call, classes_=Value(classes, value.origins))
    if call.name == "fit":
        return call.receiver or call.unknown()
    held = state_of(call.receiver, "classes_").data
    number = size(held.shape[0]) if isinstance(held, Array) and held.shape else None
    if call.name == "transform" and isinstance(held, Series) and held.cells and cells is not None:
        for index, cell in enumerate(cells):
            if cell not in held.cells:
                side = _at(source, index, cell)
                raise Raised("value", f"y contains previously unseen labels: {cell!r}", side)
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


@_each(("OneHotEncoder", "OrdinalEncoder"), "fit", "transform", "fit_transform")
def _one_hot(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    source = call.given(0, "X")
    found = matrix(source)
    if found is None or source is None:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    data, value = found
    _wants_matrix(found)
    table = table_of(source)
    held = call.receiver.data if call.receiver is not None else None
    ordinal = isinstance(held, LibraryObject) and held.short == "OrdinalEncoder"
    if call.name.startswith("fit"):
        total: object = UNKNOWN
        if isinstance(table, Frame) and len(table.cells) == len(table.columns):
            total = sum(len(dict.fromkeys(cells)) for cells in table.cells.values())
        if isinstance(held, LibraryObject) and held.keywords.keys() & {"drop", "categories"}:
            total = UNKNOWN
        _remember(call, width=Value(total, value.origins))
        if data.shape is not None and len(data.shape) == 2:
            _remember(call, n_features_in_=data.shape[1])
    else:
        _same_features(call, found)
    if call.name == "fit":
        return call.receiver or call.unknown()
    if ordinal:
        return new(data.shape, "float64", value.origins)
    width = state_of(call.receiver, "width")
    rows = data.shape[0] if data.shape else Value(UNKNOWN, value.origins)
    return new((rows, Value(width.data, merged(width, value))), "float64", value.origins)


@_each(("PCA", "TruncatedSVD"), "fit", "transform", "fit_transform")
def _reduced(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    source = call.given(0, "X")
    found = matrix(source)
    if found is None or source is None or call.receiver is None:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    data, value = found
    _wants_matrix(found)
    held = call.receiver.data
    count = None
    if isinstance(held, LibraryObject):
        count = held.keywords.get("n_components") or (held.args[0] if held.args else None)
    if call.name.startswith("fit") and data.shape is not None and len(data.shape) == 2:
        _remember(call, n_features_in_=data.shape[1])
        wanted, limit = size(count), size(data.shape[1])
        if wanted is not None and limit is not None and wanted > limit and count is not None:
            what = "n_components must be between 0 and min(n_samples, n_features)"
            raise Raised("size", what, count, data.shape[1])
    elif not call.name.startswith("fit"):
        _same_features(call, found)
    if call.name == "fit":
        return call.receiver
    rows = data.shape[0] if data.shape else Value(UNKNOWN, value.origins)
    width = Value(UNKNOWN) if count is None or size(count) is None else count
    return new((rows, width), "float64", value.origins)


@_each(("ColumnTransformer", "Pipeline"), "fit", "transform", "fit_transform")
def _composed(interpreter: Interpreter, call: Call) -> Value:
    """Check the columns that a `ColumnTransformer` names; the width is not known."""
    source = call.given(0, "X")
    held = call.receiver.data if call.receiver is not None else None
    table = table_of(source)
    if not isinstance(held, LibraryObject) or source is None:
        return call.unknown()
    if held.short == "ColumnTransformer" and table is not None:
        steps = held.keywords.get("transformers") or (held.args[0] if held.args else None)
        for step in listed(interpreter, steps) or []:
            parts = step.data if isinstance(step.data, tuple) else ()
            for name in listed(interpreter, parts[2]) or [] if len(parts) == 3 else []:
                if isinstance(name.data, str) and name.data not in table.columns:
                    raise lacking(table, name.data, name, source)
    if call.name == "fit":
        return call.receiver or call.unknown()
    found = matrix(source)
    if found is None or not found[0].shape:
        return call.unknown()
    return new((found[0].shape[0], Value(UNKNOWN, source.origins)), None, source.origins)


@_each(_ESTIMATORS, "fit", "partial_fit")
def _fit(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    source, target = call.given(0, "X"), call.given(1, "y")
    x, y = matrix(source), matrix(target)
    if x is not None and source is not None:
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
            what = "Found input variables with inconsistent numbers of samples"
            first = rows if first is None else arrays.same(first, rows, what)
    test, train = call.keywords.get("test_size"), call.keywords.get("train_size")
    counts = _split_counts(None if first is None else size(first), test, train)
    origins = merged(*[v for v in (first, test, train) if v is not None])
    found: list[Value] = []
    for arg in call.args:
        found.extend(_with_rows(arg, Value(UNKNOWN if n is None else n, origins)) for n in counts)
    return Value(found, merged(*call.args))


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
    return None


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
        from dl_bug_lsp.interpretation.stdlib_models import alike

        item = alike([one for one in data if isinstance(one, Value)])
        number = size(rows)
        if number is not None and number <= MOST_ITEMS:
            return Value([Value(item.data, item.origins) for _ in range(number)], value.origins)
        return Value(Lazy(item, rows), value.origins)
    return Value(UNKNOWN, value.origins)


_LOADED: dict[str, tuple[int, int, str, int]] = {
    "load_iris": (150, 4, "int64", 3),
    "load_digits": (1797, 64, "int64", 10),
    "load_wine": (178, 13, "int64", 3),
    "load_breast_cancer": (569, 30, "int64", 2),
    "load_diabetes": (442, 10, "float64", 0),
    "fetch_california_housing": (20640, 8, "float64", 0),
}
"""Rows, features, dtype and classes of the data sets that come with scikit-learn."""


@MODELS.function(*(f"sklearn.datasets.{name}" for name in _LOADED))
def _load(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    rows, width, dtype, classes = _LOADED[call.name.rpartition(".")[2]]
    place = frozenset({call.place})
    bounds = (0, classes - 1) if classes else (None, None)
    x = new((Value(rows, place), Value(width, place)), "float64", place)
    y = new((Value(rows, place),), dtype, place, bounds)
    if "as_frame" in call.keywords or "n_class" in call.keywords:
        return call.unknown()
    if is_true(call.keywords.get("return_X_y")):
        return Value((x, y), place)
    names = Value([Value(UNKNOWN) for _ in range(width)], place)
    parts = {"data": x, "target": y, "feature_names": names}
    if call.name.endswith("load_digits"):
        side = Value(8, place)
        parts["images"] = new((Value(rows, place), side, side), "float64", place)
    return thing("sklearn.utils.Bunch", call, **parts)


@MODELS.method("Bunch", "__getitem__")
def _bunch(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    key = call.given(0)
    if key is None or not isinstance(key.data, str):
        return call.unknown()
    return state_of(call.receiver, key.data)


@MODELS.function("sklearn.datasets.make_classification", "sklearn.datasets.make_regression")
@MODELS.function("sklearn.datasets.make_blobs", "sklearn.datasets.make_moons")
@MODELS.function("sklearn.datasets.make_circles")
def _make(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    name = call.name.rpartition(".")[2]
    wide = {"make_classification": 20, "make_regression": 100, "make_blobs": 2}
    rows = call.given(0, "n_samples") or Value(100)
    width = call.given(1, "n_features") if name in wide else Value(2)
    width = width or Value(wide[name])
    if size(rows) is None:
        rows = Value(UNKNOWN, rows.origins)
    dtype = "float64" if name == "make_regression" else "int64"
    classes: int | None = 2
    if name == "make_classification":
        classes = size(call.keywords["n_classes"]) if "n_classes" in call.keywords else 2
    elif name == "make_blobs":
        classes = size(call.keywords["centers"]) if "centers" in call.keywords else 3
    bounds = (0, classes - 1) if classes and dtype == "int64" else (None, None)
    x = new((rows, width), "float64", merged(rows, width))
    shape: tuple[Value, ...] = (rows,)
    targets = call.keywords.get("n_targets")
    if targets is not None and targets.data != 1:
        shape = (rows, Value(targets.data if size(targets) else UNKNOWN, targets.origins))
    y = new(shape, dtype, merged(*call.keywords.values()), bounds)
    return Value((x, y), merged(rows, width))


@MODELS.function(
    *(f"sklearn.metrics.{n}" for n in ("accuracy_score", "f1_score", "mean_squared_error")),
    *(f"sklearn.metrics.{n}" for n in ("mean_absolute_error", "r2_score", "precision_score")),
    *(f"sklearn.metrics.{n}" for n in ("recall_score", "classification_report", "roc_auc_score")),
)
def _metric(interpreter: Interpreter, call: Call) -> Value:
    """Check that the two arrays are of one length."""
    del interpreter
    first, second = call.given(0, "y_true"), call.given(1, "y_pred", "y_score")
    _same_rows(matrix(first), matrix(second))
    return call.unknown()


@_each(("KFold", "StratifiedKFold"), "split")
def _folds(interpreter: Interpreter, call: Call) -> Value:
    held = call.receiver.data if call.receiver is not None else None
    if not isinstance(held, LibraryObject):
        return call.unknown()
    count = held.keywords.get("n_splits") or (held.args[0] if held.args else Value(5))
    rows = _rows_in(interpreter, call.args[0]) if call.args else None
    limit = None if rows is None else size(rows)
    number = size(count)
    if rows is not None and limit is not None and number is not None and number > limit:
        what = "Cannot have number of splits greater than the number of samples"
        raise Raised("value", what, count, rows)
    top = (0, limit - 1) if limit else (None, None)
    even = limit is not None and number and limit % number == 0
    test = Value(limit // number if even and limit and number else UNKNOWN, merged(count))
    train = Value(limit - limit // number if even and limit and number else UNKNOWN, merged(count))
    pair = Value((new((train,), "int64", NOWHERE, top), new((test,), "int64", NOWHERE, top)))
    return Value(Lazy(pair, count))
