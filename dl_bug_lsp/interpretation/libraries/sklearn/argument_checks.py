"""What scikit-learn refuses besides the shapes that its models work out.

A check runs before the model of its method or function and raises where scikit-learn certainly
would. The modules whose models it adds to are imported first. Sources:
``sklearn.utils.validation``, ``sklearn.model_selection._split``, and
``sklearn.metrics._classification`` of scikit-learn 1.9.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

# The checks below run before the models that these modules add to.
import dl_bug_lsp.interpretation.libraries.sklearn.meta_estimators  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.sklearn.estimators import (
    CLASSIFIERS,
    CLUSTERS,
    MIXTURES,
    REGRESSORS,
    TREES,
)
from dl_bug_lsp.interpretation.libraries.sklearn.functions import matrix
from dl_bug_lsp.interpretation.model_helpers import in_range
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.table_values import Frame, Series, column, distinct
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Array,
    LibraryObject,
    Origin,
    Raised,
    Table,
    Value,
    merged,
    refused_axes,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

Check = Callable[[Call], None]
MOST_ITEMS = 20
BOOSTED = {
    f"{name}{kind}"
    for name in ("AdaBoost", "GradientBoosting")
    for kind in ("Classifier", "Regressor")
}
WITH_GAPS = frozenset(
    [
        *(name for name in TREES if name not in BOOSTED),
        *(f"HistGradientBoosting{kind}" for kind in ("Classifier", "Regressor")),
        *(f"{name}{kind}" for name in ("Dummy", "Bagging") for kind in ("Classifier", "Regressor")),
        *("VotingClassifier", "VotingRegressor", "StackingClassifier", "StackingRegressor"),
        *("MultiOutputClassifier", "MultiOutputRegressor", "TransformedTargetRegressor"),
    ]
)
"""Estimators that take missing values or leave them to others."""
SCALERS = ("StandardScaler", "MinMaxScaler", "RobustScaler", "MaxAbsScaler")
WHOLE = ("PCA", "TruncatedSVD", "PolynomialFeatures", "Normalizer", "SelectKBest")
"""Transformers that do not."""
LINEAR_OF_TWO = ("LogisticRegression", "LinearSVC", "SVC", "NuSVC", "SGDClassifier")
"""Classifiers that need two classes."""


def checked(kinds: Sequence[str], names: Sequence[str]) -> Callable[[Check], Check]:
    """Register a check of methods of estimators."""

    def keep(check: Check) -> Check:
        for kind in kinds:
            for name in names:
                model = MODELS.methods.get((kind, name))
                if model is not None:
                    MODELS.methods[kind, name] = _after(check, model)
        return check

    return keep


def checked_function(*names: str) -> Callable[[Check], Check]:
    """Register a check of functions, and of classes, of which those too that have no model."""

    def keep(check: Check) -> Check:
        for name in names:
            model = MODELS.functions.get(name)
            if model is None and name.rpartition(".")[2][:1].isupper():
                model = _made
            if model is not None:
                MODELS.functions[name] = _after(check, model)
        return check

    return keep


def _made(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    made = LibraryObject(call.name, call.args, dict(call.keywords), call.place)
    return Value(made, merged(*call.args))


def _after(check: Check, model: Model) -> Model:
    def run(interpreter: Interpreter, call: Call) -> Value:
        check(call)
        return model(interpreter, call)

    return run


def _short(call: Call) -> str:
    data = call.held
    return data.short if data is not None else ""


def _setting(call: Call, name: str, position: int | None = None) -> Value | None:
    """Return what the receiver was made with."""
    data = call.held
    if data is None:
        return None
    if name in data.keywords:
        return data.keywords[name]
    return data.args[position] if position is not None and position < len(data.args) else None


# --- missing values, classes ----------------------------------------------------------------------


def _gaps(value: Value | None) -> list[Value]:
    """Return the columns in which cells are missing, of those that are known.

    Each comes from what left it so, where that is known.
    """
    data = None if value is None else value.data
    if isinstance(data, Series) and data.cells is not None and value is not None:
        found = [value] if None in data.cells else []
    elif isinstance(data, Frame):
        lacking = [name for name, cells in data.cells.items() if None in cells]
        if arrays.is_failing():
            # Rows that a join by labels left without numbers, whatever these are.
            lacking += [n for n in data.gaps if n in data.columns and n not in data.cells]
        found = [column(data, n, Value(None, data.gaps.get(n, NOWHERE))) for n in lacking]
    else:
        found = []
    return [Value(o.data, getattr(o.data, "gaps", None) or o.origins) for o in found]


@checked((*CLASSIFIERS, *REGRESSORS, *CLUSTERS, *MIXTURES, *WHOLE), ("fit", "fit_transform"))
@checked((*CLASSIFIERS, *REGRESSORS, *CLUSTERS), ("predict", "predict_proba", "score"))
def _whole(call: Call) -> None:
    if _short(call) not in WITH_GAPS:
        gaps = _gaps(call.given(0, "X"))
        if gaps:
            raise Raised("value", "Input X contains NaN", *gaps[:3])
    if call.name == "fit" and _short(call) in (*CLASSIFIERS, *REGRESSORS):
        gaps = _gaps(call.given(1, "y"))
        if gaps:
            raise Raised("value", "Input y contains NaN", *gaps[:1])


@checked((*CLASSIFIERS, *REGRESSORS, *CLUSTERS, *MIXTURES, *WHOLE), ("fit", "fit_transform"))
@checked((*CLASSIFIERS, *REGRESSORS, *CLUSTERS, *SCALERS, "PCA"), ("predict", "transform"))
@checked(SCALERS, ("fit", "fit_transform"))
def _some_rows(call: Call) -> None:
    given = matrix(call.given(0, "X"))
    rows = given[0].shape[0] if given is not None and given[0].shape else None
    if rows is not None and size(rows) == 0:
        raise Raised("value", "Found array with 0 sample(s) while a minimum of 1 is required", rows)


def _labels(value: Value | None) -> list[object] | None:
    """Return the distinct labels, None where they are not known."""
    data = None if value is None else value.data
    if isinstance(data, Series) and data.cells is not None:
        cells: Sequence[object] = data.cells
    elif isinstance(data, (list, tuple)) and data:
        cells = [item.data if isinstance(item, Value) else item for item in data]
    else:
        return None
    if not all(isinstance(cell, (bool, int, float, str)) for cell in cells):
        return None
    kinds = {isinstance(cell, str) for cell in cells}
    return distinct(cells) if len(kinds) == 1 else None


def _are_continuous(labels: list[object] | None) -> bool:
    return any(isinstance(label, float) and label != int(label) for label in labels or ())


@checked((*CLASSIFIERS, *REGRESSORS), ("fit",))
def _one_of_all(call: Call) -> None:
    """Raise where ``y`` is one number: `numpy.argmax` without an axis gives one of all rows."""
    y = call.given(1, "y")
    data = None if y is None else y.data
    is_number = isinstance(data, (int, float)) and not isinstance(data, bool)
    if y is not None and (is_number or (isinstance(data, Array) and data.shape == ())):
        what = "y should be a 1d array, got an array of shape () instead"
        raise refused_axes(what, y, 0, Value(1))


@checked(CLASSIFIERS, ("fit",))
def _classes(call: Call) -> None:
    target = call.given(1, "y")
    labels = _labels(target)
    if target is None or labels is None:
        return
    if _are_continuous(labels):
        raise Raised("value", "Unknown label type: continuous", target)
    if len(labels) == 1 and _short(call) in LINEAR_OF_TWO:
        raise Raised("value", "needs samples of at least 2 classes in the data", target)


@checked((*CLASSIFIERS, *REGRESSORS), ("fit",))
def _remember_names(call: Call) -> None:
    data = call.given(0, "X")
    held = call.held
    if data is None or held is None:
        return
    held.state.pop("names of features", None)
    if isinstance(data.data, Table) and all(isinstance(n, str) for n in data.data.columns):
        held.state["names of features"] = Value(tuple(map(Value, data.data.columns)), data.origins)


@checked((*CLASSIFIERS, *REGRESSORS), ("predict", "predict_proba", "score", "decision_function"))
def _same_names(call: Call) -> None:
    held = call.held
    given = call.given(0, "X")
    fitted = held.state.get("names of features") if held is not None else None
    if fitted is None or given is None or not isinstance(given.data, Table):
        return
    assert isinstance(fitted.data, tuple)
    names = [one.data for one in fitted.data]
    own = list(given.data.columns)
    if all(isinstance(name, str) for name in own) and own != names:
        what = "The feature names should match those that were passed during fit"
        raise Raised("value", what, given, fitted)


# --- as many samples as asked for -----------------------------------------------------------------


def _rows(value: Value | None) -> Value | None:
    found = matrix(value)
    shape = None if found is None else found[0].shape
    return shape[0] if shape else None


def _not_more(count: Value | None, rows: Value | None, what: str) -> None:
    number, limit = size(count), size(rows)
    if count is None or rows is None or number is None or limit is None:
        return
    if number > limit:
        raise Raised("value", f"{what} {number} should be at most the {limit} samples", count, rows)
    if number < 1:
        raise Raised("value", f"{what} should be at least 1, got {number}", count)


@checked(CLUSTERS, ("fit", "fit_predict"))
def _clusters(call: Call) -> None:
    _not_more(_setting(call, "n_clusters", 0), _rows(call.given(0, "X")), "n_clusters")


@checked(MIXTURES, ("fit", "fit_predict"))
def _components(call: Call) -> None:
    _not_more(_setting(call, "n_components", 0), _rows(call.given(0, "X")), "n_components")


# --- splits ---------------------------------------------------------------------------------------

SPLITS = [f"sklearn.model_selection.{kind}KFold" for kind in ("", "Stratified", "Group")]


@checked_function(*SPLITS, "sklearn.model_selection.StratifiedGroupKFold")
def _folds(call: Call) -> None:
    count = call.given(0, "n_splits")
    number = size(count)
    if count is not None and number is not None and number < 2:
        raise Raised("value", "k-fold cross-validation requires at least one split", count)
    seed, shuffle = call.keywords.get("random_state"), call.given(1, "shuffle")
    kept = shuffle is None or shuffle.data is False
    if seed is not None and size(seed) is not None and kept and "Group" not in call.name:
        raise Raised("value", "Setting a random_state has no effect since shuffle is False", seed)


def _is_share(value: Value) -> bool:
    return isinstance(value.data, float)


@checked_function("sklearn.model_selection.train_test_split")
def _parts(call: Call) -> None:
    if not call.args and not any(name.startswith("array") for name in call.keywords):
        raise Raised("value", "At least one array required as input")
    given = [call.keywords[n] for n in ("test_size", "train_size") if n in call.keywords]
    rows = _rows(call.args[0]) if call.args else None
    for value in given:
        data, limit = value.data, size(rows)
        if isinstance(data, str):
            raise Raised("type", "test_size must be a number", value)
        if isinstance(data, float) and not 0 < data < 1:
            raise Raised("value", "test_size must be a float in the range (0.0, 1.0)", value)
        number = size(value)
        if number is not None and limit is not None and rows is not None and number >= limit:
            raise Raised("value", "test_size should be smaller than the samples", value, rows)
    if len(given) == 2 and all(map(_is_share, given)):
        total = sum(v.data for v in given if isinstance(v.data, float))
        if total > 1:
            raise Raised("value", "The sum of test_size and train_size should be below 1", *given)
    by = call.keywords.get("stratify")
    held = None if by is None else by.data
    cells = held.cells if isinstance(held, Series) else None
    if by is not None and cells is not None and min(Counter(cells).values(), default=2) < 2:
        raise Raised("value", "The least populated classes in y have only 1 member", by)
    if size(rows) == 1 and rows is not None:
        raise Raised("value", "the resulting train set will be empty", rows)


@checked_function(
    "sklearn.model_selection.cross_val_score",
    "sklearn.model_selection.cross_validate",
    "sklearn.model_selection.cross_val_predict",
)
def _crossed(call: Call) -> None:
    x, y = _rows(call.given(1, "X")), _rows(call.given(2, "y"))
    if x is not None and y is not None and None not in (size(x), size(y)) and size(x) != size(y):
        raise Raised("size", "Found input variables with inconsistent numbers of samples", x, y)
    _not_more(call.keywords.get("cv"), x, "the number of splits")
    estimator = call.given(0, "estimator")
    data = None if estimator is None else estimator.data
    if isinstance(data, LibraryObject) and data.short not in WITH_GAPS:
        steps = data.short in (*CLASSIFIERS, *REGRESSORS)
        gaps = _gaps(call.given(1, "X")) if steps else []
        if gaps:
            raise Raised("value", "Input X contains NaN", *gaps[:3])


# --- searches -------------------------------------------------------------------------------------


SEARCHED = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")
OF_PIPELINES = ("steps", "memory", "verbose", "transform_input")
OF_COLUMNS = (
    *("transformers", "remainder", "sparse_threshold", "n_jobs", "transformer_weights", "verbose"),
    *("verbose_feature_names_out", "force_int_remainder_cols"),
)
"""The parameters of pipelines and of column transformers besides those of their parts."""
SEARCHING = {
    *("estimator", "scoring", "n_jobs", "refit", "cv", "verbose", "pre_dispatch", "error_score"),
    *("return_train_score", "random_state", "n_iter", "factor", "resource", "max_resources"),
    *("min_resources", "aggressive_elimination", "n_candidates"),
}


@checked_function(*(f"sklearn.model_selection.{name}" for name in SEARCHED))
def _search_made(call: Call) -> None:
    """Check the arguments of a search: what to search is one, and nothing else is unknown."""
    wanted = "param_distributions" if "Random" in call.name else "param_grid"
    grid = call.given(1, wanted)
    for name, value in call.keywords.items():
        if name not in SEARCHING and name != wanted:
            raise Raised("arguments", f"got an unexpected keyword argument '{name}'", value)
    if grid is None:
        raise Raised("arguments", f"missing 1 required positional argument: '{wanted}'")
    items = grid.data if isinstance(grid.data, (list, tuple)) else [grid]
    for item in items:
        if item.data is not UNKNOWN and not isinstance(item.data, (dict, LibraryObject)):
            raise Raised("type", "Parameter grid should be a dict or a list of them", grid)


@checked(SEARCHED, ("fit",))
def _searched(call: Call) -> None:
    estimator = _setting(call, "estimator", 0)
    grid = _setting(call, "param_grid", 1) or _setting(call, "param_distributions", 1)
    if grid is None:
        return
    for item in grid.data if isinstance(grid.data, (list, tuple)) else [grid]:
        if isinstance(item.data, dict):
            for name, values in item.data.items():
                if isinstance(values.data, (list, tuple)) and not values.data:
                    what = f"Parameter grid for parameter '{name}' is empty"
                    raise Raised("value", what, values)
            _known_parameters(estimator, item.data)


@checked(("Pipeline", "ColumnTransformer"), ("set_params",))
def _set(call: Call) -> None:
    _known_parameters(call.receiver, dict(call.keywords))


def _known_parameters(estimator: Value | None, given: Mapping[Any, Value]) -> None:
    """Raise where the name of a parameter begins with the name of no part of an estimator.

    One side are all names that begin with it, the other are the names of the parts.
    """
    for name in given:
        held, rest = estimator, str(name)
        while rest and held is not None and isinstance(held.data, LibraryObject):
            parts = _parts_of(held.data)
            head, _, rest = rest.partition("__")
            if parts is None:
                break
            own = OF_PIPELINES if held.data.short == "Pipeline" else OF_COLUMNS
            if head not in parts and head not in own:
                alike = [n for n in given if head in str(n).split("__")]
                made: set[Origin] = set()
                for other in alike:
                    made |= given[other].origins
                    items = given[other].data
                    for item in items[:MOST_ITEMS] if isinstance(items, (list, tuple)) else ():
                        made |= item.origins
                names = merged(*(label for label, _ in parts.values()))
                what = f"Invalid parameter '{head}' for estimator {held.data.short}"
                side = Value(str(name), frozenset(made))
                raise Raised("value", what, side, Value(UNKNOWN, names))
            held = parts[head][1] if head in parts else None


def _parts_of(held: LibraryObject) -> dict[str, tuple[Value, Value]] | None:
    """Return the parts of a pipeline or column transformer by name, None of what has none."""
    keyword = {"Pipeline": "steps", "ColumnTransformer": "transformers"}.get(held.short)
    given = held.keywords.get(keyword or "", held.args[0] if held.args else None)
    items = given.data if given is not None and keyword is not None else None
    if not isinstance(items, (list, tuple)):
        return None
    parts: dict[str, tuple[Value, Value]] = {}
    for item in items:
        pair = item.data
        if not isinstance(pair, (list, tuple)) or len(pair) < 2:
            return None
        if not isinstance(pair[0].data, str):
            return None
        parts[pair[0].data] = (Value(pair[0].data, merged(pair[0], item)), pair[1])
    return parts


# --- metrics --------------------------------------------------------------------------------------

OF_CLASSES = [
    f"sklearn.metrics.{name}"
    for name in (
        *("accuracy_score", "f1_score", "precision_score", "recall_score", "fbeta_score"),
        *("confusion_matrix", "classification_report", "balanced_accuracy_score"),
        *("jaccard_score", "cohen_kappa_score", "matthews_corrcoef"),
    )
]
AVERAGED = ("f1_score", "precision_score", "recall_score", "jaccard_score")
AVERAGES = ("micro", "macro", "samples", "weighted", "binary")


@checked_function(*OF_CLASSES)
def _of_classes(call: Call) -> None:
    truth, found = call.given(0, "y_true", "y1"), call.given(1, "y_pred", "y2")
    a, b = _labels(truth), _labels(found)
    if truth is None or found is None:
        return
    if a and b and isinstance(a[0], str) is not isinstance(b[0], str):
        raise Raised("type", "Mix of label input types (string and number)", truth, found)
    _same_kinds(truth, found)
    if a is not None and b is not None and _are_continuous(a) is not _are_continuous(b):
        odd = found if _are_continuous(b) else truth
        raise Raised("value", "Classification metrics can't handle a mix of targets", odd)
    name = call.name.rpartition(".")[2]
    if name not in AVERAGED or a is None:
        return
    average = call.keywords.get("average")
    how = "binary" if average is None else average.data
    if isinstance(how, str) and how not in AVERAGES and average is not None:
        raise Raised("value", f"average has to be one of {AVERAGES}", average)
    labels = {*a, *(b or ())}
    if how == "binary" and len(labels) > 2:
        what = "Target is multiclass but average='binary'"
        raise Raised("value", what, *([average] if average is not None else []), truth)
    positive = call.keywords.get("pos_label", Value(1))
    binary = how == "binary" and len(labels) == 2
    if binary and isinstance(positive.data, (int, str)) and positive.data not in labels:
        raise Raised("value", f"pos_label={positive.data} is not a valid label", positive, truth)


def _same_kinds(truth: Value, found: Value) -> None:
    """Raise where one of two targets has a row of scores or of zeros and ones for each sample."""
    both = matrix(truth), matrix(found)
    if both[0] is None or both[1] is None:
        return
    for data, value in (both[0], both[1]):
        if data.shape is not None and len(data.shape) > 2:
            raise Raised("value", "unknown is not supported", value)
    widths = [_outputs(data) for data, _ in (both[0], both[1])]
    if None in widths or (widths[0] == 1) is (widths[1] == 1):
        return
    wide = truth if widths[0] != 1 else found
    # What made the number of columns is right: it is that of the classes.
    side = Value(UNKNOWN, wide.origins)
    raise Raised("value", "Classification metrics can't handle a mix of targets", side)


@checked_function("sklearn.metrics.classification_report")
def _reported(call: Call) -> None:
    truth, names = call.given(0, "y_true"), call.keywords.get("target_names")
    a, b = _labels(truth), _labels(call.given(1, "y_pred"))
    if a is None or b is None or names is None or "labels" in call.keywords:
        return
    if isinstance(names.data, (list, tuple)) and truth is not None:
        count = len({*a, *b})
        if count > len(names.data):
            what = f"Number of classes, {count}, does not match size of target_names"
            raise Raised("value", what, Value(count, truth.origins), names)


@checked_function(
    "sklearn.metrics.roc_auc_score",
    "sklearn.metrics.roc_curve",
    "sklearn.metrics.average_precision_score",
    "sklearn.metrics.precision_recall_curve",
    "sklearn.metrics.det_curve",
    "sklearn.metrics.brier_score_loss",
)
def _of_two_classes(call: Call) -> None:
    """Raise where scores for two classes are one for each class: those of the second are wanted."""
    truth, found = call.given(0, "y_true"), call.given(1, "y_score", "y_proba", "probas_pred")
    classes, scores = _labels(truth), matrix(found)
    if found is None or scores is None or scores[0].shape is None or "multi_class" in call.keywords:
        return
    shape = scores[0].shape
    columns = size(shape[1]) if len(shape) == 2 else None
    told = matrix(truth)
    of_labels = (told[0].shape if told is not None else None) or (Value(UNKNOWN),) * 2
    is_binary = columns == 2 or (classes is not None and len(classes) == 2)
    # A row of zeros and ones for each sample has a score for each.
    may_be_rows = len(of_labels) == 2 and size(of_labels[1]) != 1
    if columns not in (None, 1) and is_binary and not may_be_rows:
        what = f"y should be a 1d array, got {columns} columns"
        raise refused_axes(what, found, len(shape), Value(1))


@checked_function("sklearn.metrics.mean_squared_error", "sklearn.metrics.mean_absolute_error")
@checked_function("sklearn.metrics.r2_score", "sklearn.metrics.root_mean_squared_error")
def _of_numbers(call: Call) -> None:
    for value in (call.given(0, "y_true"), call.given(1, "y_pred")):
        gaps = _gaps(value)
        if gaps:
            raise Raised("value", "Input contains NaN", *gaps[:1])
    a, b = (matrix(v) for v in (call.given(0, "y_true"), call.given(1, "y_pred")))
    if a is None or b is None:
        return
    widths = [_outputs(found[0]) for found in (a, b)]
    if None not in widths and widths[0] != widths[1]:
        raise Raised("size", "y_true and y_pred have different number of output", a[1], b[1])


def _outputs(data: Array) -> int | None:
    if data.shape is None or len(data.shape) > 2:
        return None
    return 1 if len(data.shape) == 1 else size(data.shape[1])


__all__ = ["checked", "checked_function"]


# --- what estimators are made with ----------------------------------------------------------------

PARALLEL_TREES = tuple(
    f"{name}{kind}"
    for name in ("RandomForest", "ExtraTrees")
    for kind in ("Classifier", "Regressor")
)
OF_TREES = (*PARALLEL_TREES, "DecisionTreeClassifier", "DecisionTreeRegressor")
SEQUENTIAL_TREES = ("GradientBoostingClassifier", "GradientBoostingRegressor")
NEIGHBOURS = ("KNeighborsClassifier", "KNeighborsRegressor")
VECTORS = ("SVC", "SVR", "LinearSVC", "LinearSVR")
CRITERIA = {
    "Classifier": "gini entropy log_loss",
    "Regressor": "squared_error absolute_error friedman_mse poisson",
}
CONSTRAINTS: tuple[tuple[Sequence[str], str, str], ...] = (
    ((*PARALLEL_TREES, *SEQUENTIAL_TREES), "n_estimators", "int [1, inf)"),
    ((*OF_TREES, *SEQUENTIAL_TREES), "max_depth", "int [1, inf)"),
    (OF_TREES, "max_features", "sqrt log2"),
    (NEIGHBOURS, "n_neighbors", "int [1, inf)"),
    (NEIGHBOURS, "weights", "uniform distance"),
    ((*VECTORS, "LogisticRegression"), "C", "(0, inf)"),
    (("SVC", "SVR"), "kernel", "linear poly rbf sigmoid precomputed"),
    (("SVC", "SVR"), "gamma", "scale auto"),
    (("LogisticRegression",), "penalty", "l1 l2 elasticnet"),
    (
        ("LogisticRegression",),
        "solver",
        "lbfgs liblinear newton-cg newton-cholesky sag saga",
    ),
    (("Ridge", "Lasso", "ElasticNet"), "alpha", "[0, inf)"),
    (("DBSCAN",), "eps", "(0, inf)"),
    (("PolynomialFeatures",), "degree", "[0, inf)"),
    (("KBinsDiscretizer",), "n_bins", "[2, inf)"),
    (("KBinsDiscretizer",), "strategy", "uniform quantile kmeans"),
    (("GaussianMixture",), "covariance_type", "full tied diag spherical"),
    (("GradientBoostingClassifier",), "loss", "log_loss exponential"),
    (
        ("GradientBoostingRegressor",),
        "loss",
        "squared_error absolute_error huber quantile",
    ),
    (("Normalizer",), "norm", "l1 l2 max"),
    (("SimpleImputer",), "strategy", "mean median most_frequent constant"),
    *(
        ((name,), "criterion", CRITERIA[kind])
        for name in OF_TREES
        for kind in CRITERIA
        if kind in name
    ),
)
"""What estimators take for parameters, asked when they are fitted.

Source: ``_parameter_constraints`` of scikit-learn's estimators.
"""
FIRST = {
    "n_estimators": PARALLEL_TREES,
    "n_neighbors": NEIGHBOURS,
    "alpha": ("Ridge", "Lasso", "ElasticNet"),
    "degree": ("PolynomialFeatures",),
    "n_bins": ("KBinsDiscretizer",),
    "norm": ("Normalizer",),
    "eps": ("DBSCAN",),
}
"""Parameters that may be given by position, with the estimators of which they are the first."""


def _constrained(parameter: str, written: str) -> Check:
    refuses = in_range(written)
    is_number = "," in written

    def check(call: Call) -> None:
        position = 0 if _short(call) in FIRST.get(parameter, ()) else None
        value = _setting(call, parameter, position)
        if value is not None and (refuses(value) or (is_number and isinstance(value.data, str))):
            message = f"The {parameter!r} parameter of {_short(call)} must be in {written}."
            raise Raised("value", message, value)

    return check


for _kinds, _parameter, _written in CONSTRAINTS:
    checked(_kinds, ("fit", "fit_transform", "fit_predict"))(_constrained(_parameter, _written))
