"""Models of functions of scikit-learn that give arrays or numbers, by a table of their shapes.

Source: the scikit-learn 1.9 reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.effects import some_number, words
from dl_bug_lsp.interpretation.libraries.numpy.functions import new
from dl_bug_lsp.interpretation.libraries.sklearn.estimators import folds_of
from dl_bug_lsp.interpretation.libraries.sklearn.fitted import DTYPES
from dl_bug_lsp.interpretation.libraries.sklearn.functions import _each, matrix, sparse
from dl_bug_lsp.interpretation.model_helpers import listed, make_object, state_of
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.table_values import part_of, table_of
from dl_bug_lsp.interpretation.values import UNKNOWN, Array, Value, merged, unknown

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

GIVEN = {
    "preprocessing.binarize": "n,w:same",
    "preprocessing.maxabs_scale": "n,w",
    "preprocessing.robust_scale": "n,w",
    "preprocessing.power_transform": "n,w",
    "preprocessing.quantile_transform": "n,w",
    "feature_selection.chi2": "w w",
    "feature_selection.f_classif": "w w",
    "feature_selection.f_regression": "w w",
    "feature_selection.mutual_info_classif": "w:any",
    "feature_selection.mutual_info_regression": "w:any",
    "metrics.silhouette_samples": "n",
    "metrics.pairwise_distances_argmin": "n:int64",
    "metrics.pairwise_distances_argmin_min": "n:int64 n",
    "metrics.pairwise.paired_distances": "n",
    "metrics.pairwise.paired_euclidean_distances": "n",
    "metrics.pairwise.haversine_distances": "n,m",
    "metrics.pairwise.sigmoid_kernel": "n,m",
    "metrics.pairwise.laplacian_kernel": "n,m",
    "metrics.pairwise.chi2_kernel": "n,m",
    "metrics.multilabel_confusion_matrix": "?,2,2:int64",
    "metrics.cluster.contingency_matrix": "?,?:int64",
    "metrics.det_curve": "? ? ?",
    "metrics.coverage_error": "float",
    "metrics.label_ranking_loss": "float",
    "metrics.label_ranking_average_precision_score": "float",
    "metrics.mean_gamma_deviance": "float",
    "metrics.mean_tweedie_deviance": "float",
    "metrics.d2_pinball_score": "float",
    "metrics.d2_tweedie_score": "float",
    "metrics.root_mean_squared_log_error": "float",
    "calibration.calibration_curve": "? ?",
    "cluster.estimate_bandwidth": "float",
    "cluster.dbscan": "?:int64 n:int64",
    "covariance.empirical_covariance": "w,w",
    "utils.extmath.softmax": "n,w",
    "utils.check_array": "n,w:same",
    "utils.validation.check_array": "n,w:same",
    "utils.class_weight.compute_sample_weight": "m",
}
"""What functions give: the axes of each array, as in `fitted`, ``m`` the rows of the second
argument, or a number. ``same`` is the dtype of the samples, ``any`` one that is not told."""


def _rows(value: Value | None) -> Value:
    found = matrix(value)
    return found[0].shape[0] if found is not None and found[0].shape else Value(UNKNOWN)


def _table_model(written: str) -> Model:
    """Return a model of a function by what is written of it."""
    parts = written.split()

    def give(_: Interpreter, call: Call) -> Value:
        source = call.given(0, "X", "x", "y_true", "class_weight", "labels_true")
        x = matrix(source)
        shape = None if x is None else x[0].shape
        other = call.given(1, "Y", "y", "y_pred")
        second = _rows(other) if other is not None and other.data is not None else None
        origins = merged(*call.args, *call.keywords.values()) | {call.place}
        if call.keywords.keys() & {"multioutput", "accept_sparse", "dtype", "center"}:
            return Value(UNKNOWN, origins)
        sizes = {
            "n": shape[0] if shape else Value(UNKNOWN),
            "w": shape[1] if shape is not None and len(shape) == 2 else Value(UNKNOWN),
            "m": second if second is not None else _rows(source),
            "?": Value(UNKNOWN, origins),
        }
        given = None if x is None else x[0].dtype
        made: list[Value] = []
        for part in parts:
            if part == "float":
                made.append(some_number(call))
                continue
            axes, _colon, dtype = part.partition(":")
            if not dtype:
                known = given in DTYPES or ("n" not in axes and "w" not in axes)
                dtype = "float64" if known else "any"
            names = axes.split(",")
            whole = tuple(sizes[axis] if axis in sizes else Value(int(axis)) for axis in names)
            if dtype == "same":
                made.append(new(shape, given, origins))
            else:
                made.append(new(whole, None if dtype == "any" else dtype, origins))
        return made[0] if len(made) == 1 else Value(tuple(made), origins)

    return give


for _name, _written in GIVEN.items():
    MODELS.functions.setdefault(f"sklearn.{_name}", _table_model(_written))


@MODELS.function("sklearn.preprocessing.add_dummy_feature")
def _with_dummy(_: Interpreter, call: Call) -> Value:
    x = matrix(call.given(0, "X"))
    if x is None or x[0].shape is None or len(x[0].shape) != 2:
        return call.unknown()
    width = size(x[0].shape[1])
    wider = Value(UNKNOWN if width is None else width + 1, x[0].shape[1].origins | {call.place})
    dtype = "float64" if x[0].dtype == "float64" else None
    return new((x[0].shape[0], wider), dtype, merged(*call.args))


@MODELS.function("sklearn.preprocessing.label_binarize")
def _label_binarized(interpreter: Interpreter, call: Call) -> Value:
    classes = call.keywords.get("classes") or call.given(1)
    items = listed(interpreter, classes)
    count = None if items is None else len(items)
    if classes is not None and count is None and isinstance(classes.data, Array):
        count = size(classes.data.shape[0]) if classes.data.shape else None
    if call.keywords.keys() & {"sparse_output"}:
        return call.unknown()
    width = Value(UNKNOWN if count is None else 1 if count == 2 else count, merged(*call.args))
    return new((_rows(call.given(0, "y")), width), "int64", width.origins | {call.place})


@MODELS.function("sklearn.utils.check_X_y")
def _pair(_: Interpreter, call: Call) -> Value:
    x, y = matrix(call.given(0, "X")), matrix(call.given(1, "y"))
    if x is None or y is None or call.keywords:
        return call.unknown()
    return Value((new(x[0].shape, x[0].dtype, x[1].origins), new(y[0].shape, None, y[1].origins)))


@MODELS.function("sklearn.utils.resample")
def _resampled(_: Interpreter, call: Call) -> Value:
    """Return as many rows as are asked for, of each array; which, chance decides."""
    wanted = call.keywords.get("n_samples")
    made: list[Value] = []
    for value in call.args:
        data, table = matrix(value), table_of(value)
        rows = _rows(value)
        if wanted is not None and wanted.data is not None:
            rows = wanted if size(wanted) is not None else Value(UNKNOWN, wanted.origins)
        if table is not None:
            made.append(Value(part_of(table, list(table.columns), rows), value.origins))
        elif data is None or not data[0].shape:
            made.append(unknown(value))
        else:
            made.append(new((rows, *data[0].shape[1:]), data[0].dtype, value.origins))
    return made[0] if len(made) == 1 else Value(made)


@MODELS.function("sklearn.random_projection.johnson_lindenstrauss_min_dim")
def _least_dimensions(_: Interpreter, call: Call) -> Value:
    parts = [call.given(0, "n_samples"), call.keywords.get("eps")]
    plain = all(part is None or isinstance(part.data, (int, float)) for part in parts)
    return some_number(call, "int64") if plain else call.unknown()


@MODELS.function("sklearn.model_selection.learning_curve")
@MODELS.function("sklearn.model_selection.validation_curve")
def _curve(interpreter: Interpreter, call: Call) -> Value:
    """Return scores of training and test, for each size or value and each fold."""
    learning = call.name.endswith("learning_curve")
    asked = call.keywords.get("train_sizes" if learning else "param_range")
    count: int | None = 5 if learning and asked is None else None
    if asked is not None:
        items = listed(interpreter, asked)
        count = None if items is None else len(items)
        if isinstance(asked.data, Array) and asked.data.shape:
            count = size(asked.data.shape[0])
    if "return_times" in call.keywords:
        return call.unknown()
    points = Value(UNKNOWN if count is None else count)
    folds = folds_of(call.keywords.get("cv"), call.given(1, "X"))
    scores = new((points, folds), "float64", merged(*call.args))
    if not learning:
        return Value((scores, scores))
    # Sizes that come to the same number of samples are taken once.
    sizes = new((points if count is not None else Value(UNKNOWN),), "int64")
    return Value((sizes, scores, scores))


MODELS.function("sklearn.metrics.make_scorer", "sklearn.metrics.get_scorer")(make_object)


@MODELS.object("sklearn.metrics.make_scorer", "sklearn.metrics.get_scorer")
def _scored(_: Interpreter, call: Call) -> Value:
    held = call.held
    return some_number(call) if held is not None and held.short == "get_scorer" else call.unknown()


# --- neighbours -----------------------------------------------------------------------------------


@_each(words("KDTree BallTree"), "query")
def _queried(_: Interpreter, call: Call) -> Value:
    count = call.given(1, "k") or Value(1)
    origins = merged(*call.args)
    if size(count) is None:
        return call.unknown()
    shape: tuple[Value, ...] = (_rows(call.given(0, "X")), count)
    if call.held is not None and call.held.name.startswith("scipy."):
        # One neighbour has no axis of its own.
        found = matrix(call.given(0, "x"))
        if found is None or not found[0].shape or call.keywords.keys() - {"x", "k"}:
            return call.unknown()
        shape = (*found[0].shape[:-1], *((count,) if size(count) != 1 else ()))
    alone = call.given(2, "return_distance")
    indices = new(shape, "int64", origins)
    if alone is not None and alone.data is False:
        return indices
    return Value((new(shape, "float64", origins), indices), origins)


@_each(words("NearestNeighbors KNeighborsClassifier KNeighborsRegressor"), "kneighbors_graph")
def _graph(_: Interpreter, call: Call) -> Value:
    rows = _rows(call.given(0, "X")) if call.given(0, "X") is not None else Value(UNKNOWN)
    fitted = state_of(call.receiver, "n_samples_fit_")
    return sparse((rows, Value(fitted.data, fitted.origins)), merged(*call.args), None)


# --- labels ---------------------------------------------------------------------------------------


@_each(("LabelBinarizer",), "inverse_transform")
def _labels_again(_: Interpreter, call: Call) -> Value:
    classes = state_of(call.receiver, "classes_").data
    dtype = classes.dtype if isinstance(classes, Array) else None
    return new((_rows(call.given(0, "Y", "y")),), dtype, merged(*call.args))


# --- splits ---------------------------------------------------------------------------------------

SPLITTING = words(
    "KFold StratifiedKFold GroupKFold StratifiedGroupKFold TimeSeriesSplit ShuffleSplit "
    "StratifiedShuffleSplit RepeatedKFold RepeatedStratifiedKFold LeaveOneOut"
)


@_each(SPLITTING, "get_n_splits")
def _number_of_splits(_: Interpreter, call: Call) -> Value:
    held = call.held
    return call.unknown() if held is None else folds_of(call.receiver, call.given(0, "X"))
