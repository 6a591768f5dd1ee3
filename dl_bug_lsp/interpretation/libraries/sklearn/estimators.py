"""Models of scikit-learn's estimators: what fitting leaves on them, predictions, scores, searches.

Source: the scikit-learn 1.6 reference.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.effects import some_number, words
from dl_bug_lsp.interpretation.libraries.numpy.functions import new
from dl_bug_lsp.interpretation.libraries.sklearn.functions import (
    _each,
    _fit,
    _no_text,
    _remember,
    _rows_in,
    _same_features,
    _same_rows,
    _wants_matrix,
    matrix,
    note_fit,
    note_forgotten,
)
from dl_bug_lsp.interpretation.model_helpers import is_true, listed, state_of, thing
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.table_values import Series, distinct, series_of, table_of
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    UNKNOWN,
    Array,
    LibraryObject,
    Origins,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

LINEAR_CLASSIFIERS = words(
    "LogisticRegression LogisticRegressionCV SGDClassifier LinearSVC RidgeClassifier "
    "RidgeClassifierCV Perceptron PassiveAggressiveClassifier LinearDiscriminantAnalysis"
)
LINEAR_REGRESSORS = words(
    "LinearRegression Ridge RidgeCV Lasso LassoCV ElasticNet ElasticNetCV Lars LassoLars "
    "BayesianRidge ARDRegression HuberRegressor TheilSenRegressor SGDRegressor LinearSVR "
    "PoissonRegressor GammaRegressor TweedieRegressor QuantileRegressor LassoLarsIC LarsCV "
    "LassoLarsCV OrthogonalMatchingPursuit OrthogonalMatchingPursuitCV PassiveAggressiveRegressor "
    "MultiTaskLasso MultiTaskElasticNet MultiTaskLassoCV MultiTaskElasticNetCV"
)
FORESTS = words(
    "RandomForest ExtraTrees GradientBoosting AdaBoost DecisionTree ExtraTree XGB LGBM CatBoost"
)
OTHERS = words(
    "KNeighbors RadiusNeighbors MLP GaussianProcess HistGradientBoosting Bagging Voting Stacking "
    "Dummy"
)
CLASSIFIERS = [
    *LINEAR_CLASSIFIERS,
    *(f"{name}Classifier" for name in (*FORESTS, *OTHERS)),
    *("SVC", "NuSVC", "GaussianNB", "MultinomialNB", "BernoulliNB", "ComplementNB"),
    *("QuadraticDiscriminantAnalysis", "CalibratedClassifierCV", "OneVsRestClassifier"),
    *("OneVsOneClassifier", "MultiOutputClassifier", "LabelPropagation", "LabelSpreading"),
    "NearestCentroid",
]
REGRESSORS = [
    *LINEAR_REGRESSORS,
    *(f"{name}Regressor" for name in (*FORESTS, *OTHERS)),
    *("SVR", "NuSVR", "KernelRidge", "IsotonicRegression", "TransformedTargetRegressor"),
    *("MultiOutputRegressor", "RANSACRegressor", "PLSRegression", "RegressorChain"),
]
OF_TWO = frozenset((*LINEAR_CLASSIFIERS, "SVC", "NuSVC", "GradientBoostingClassifier"))
"""Classifiers that refuse samples of one class."""
OF_COLUMNS = frozenset(
    words(
        "KNeighborsClassifier RadiusNeighborsClassifier DecisionTreeClassifier "
        "ExtraTreeClassifier RandomForestClassifier ExtraTreesClassifier DummyClassifier "
        "MultiOutputClassifier"
    )
)
"""Classifiers with classes and probabilities of their own for each column of a target."""
OF_LABELS = frozenset(words("MLPClassifier RidgeClassifier RidgeClassifierCV OneVsRestClassifier"))
"""Classifiers whose targets with several columns tell which labels a sample has."""
KEEPING_COLUMNS = frozenset(
    words(
        "LinearRegression KNeighborsRegressor RadiusNeighborsRegressor KernelRidge "
        "RANSACRegressor TransformedTargetRegressor MultiTaskLasso MultiTaskElasticNet "
        "MultiTaskLassoCV MultiTaskElasticNetCV MultiOutputRegressor PLSRegression RegressorChain"
    )
)
"""Regressors that predict one column where the target has one, the others a number for each row."""
CHANGED_COLUMNS = frozenset(
    words("Ridge RidgeCV GaussianProcessRegressor XGBRegressor LGBMRegressor CatBoostRegressor")
)
"""Regressors of which this differs from version to version."""
INTERCEPTS = frozenset(words("SGDRegressor LinearSVR PassiveAggressiveRegressor"))
"""Regressors whose intercept is an array of one number."""
OF_ONE_COLUMN = frozenset(words("Lasso ElasticNet Lars LassoLars OrthogonalMatchingPursuit"))
"""Regressors whose intercept is an array of one number where the target has one column."""
TREES = [f"{name}{kind}" for name in FORESTS for kind in ("Classifier", "Regressor")]
CLUSTERS = ("KMeans", "MiniBatchKMeans", "BisectingKMeans")
LABELLING = (
    *CLUSTERS,
    *("DBSCAN", "AgglomerativeClustering", "SpectralClustering", "MeanShift", "OPTICS", "HDBSCAN"),
    *("Birch", "AffinityPropagation"),
)
MIXTURES = ("GaussianMixture", "BayesianGaussianMixture")
OUTLIERS = ("IsolationForest", "LocalOutlierFactor", "OneClassSVM", "EllipticEnvelope")
SEARCHES = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")


def option(held: LibraryObject, position: int | None, name: str) -> Value | None:
    """Return what an estimator was made with for a parameter, None where nothing was given."""
    if name in held.keywords:
        return held.keywords[name]
    if position is not None and position < len(held.args):
        return held.args[position]
    return None


def _width(x: Array | None) -> Value:
    if x is None or x.shape is None or len(x.shape) != 2:
        return Value(UNKNOWN)
    return x.shape[1]


def _rows(x: Array | None) -> Value:
    return x.shape[0] if x is not None and x.shape else Value(UNKNOWN)


def _floating(x: Array | None) -> str:
    return "float32" if x is not None and x.dtype == "float32" else "float64"


def _classes_of(target: Value | None, call: Call) -> Value:
    """Return the sorted distinct labels of a target, their number where it is known."""
    data = series_of(target)
    origins = (NOWHERE if target is None else target.origins) | {call.place}
    y = matrix(target)
    dtype = None if y is None else y[0].dtype
    found: list[object] | None = None
    if data is not None and data.cells is not None:
        found = distinct(data.cells)
    elif target is not None and isinstance(target.data, (list, tuple)):
        plain = [item.data for item in target.data]
        if plain and all(isinstance(item, (bool, int, str)) for item in plain):
            found = distinct(plain)
    bounds = (None, None) if y is None else (y[0].lowest, y[0].highest)
    if found is not None:
        count = (Value(len(found), origins),)
        made = Series(count, dtype, "numpy", None, cells=tuple(found))
        made.lowest, made.highest = bounds
        return Value(made, origins)
    two = dtype == "bool" and call.held is not None and call.held.short in OF_TWO
    return new((Value(2 if two else UNKNOWN, origins),), dtype, origins, bounds)


def _fit_estimator(interpreter: Interpreter, call: Call) -> Value:
    """Fit: check what is given, and leave the attributes of the kind of estimator."""
    result = _fit(interpreter, call)
    held = call.held
    if held is None:
        return result
    source, target = call.given(0, "X"), call.given(1, "y", "Y")
    x, y = matrix(source), matrix(target)
    data = None if x is None else x[0]
    width, origins = _width(data), merged(*call.args) | {call.place}
    _remember(call, n_features_in_=note_fit(call, width))
    table = table_of(source)
    if table is not None:
        _remember(call, feature_names_in_=new((Value(len(table.columns)),), "object", origins))
    short = held.short
    if short in CLASSIFIERS:
        _classified(call, short, width, target, y)
    elif short in REGRESSORS:
        outputs = _outputs(short, y)
        _remember(call, outputs=outputs)
        if short in LINEAR_REGRESSORS:
            floating = _floating(data)
            if outputs.data is not None and size(outputs) is None:
                _remember(call, coef_=new(None, floating, origins))
                _remember(call, intercept_=new(None, floating, origins))
                return result
            lead = () if outputs.data is None else (outputs,)
            several = y is not None and y[0].shape is not None and len(y[0].shape) == 2
            one = short in INTERCEPTS or (several and short in OF_ONE_COLUMN)
            _remember(call, coef_=new((*lead, width), floating, origins))
            alone = lead or ((Value(1),) if one else ())
            _remember(call, intercept_=new(alone, floating, origins))
    if short in TREES and not short.startswith("CatBoost"):
        _remember(call, feature_importances_=new((width,), "float64", origins))
    return result


def _outputs(short: str, y: tuple[Array, Value] | None) -> Value:
    """Return how many columns a regressor predicts: None of one axis, unknown where it may be."""
    shape = None if y is None else y[0].shape
    if shape is None:
        return Value(UNKNOWN)
    if len(shape) != 2 or short in INTERCEPTS:
        return Value(None)
    if size(shape[1]) == 1 and short not in KEEPING_COLUMNS:
        return Value(UNKNOWN if short in CHANGED_COLUMNS else None, shape[1].origins)
    return shape[1]


def _classified(
    call: Call, short: str, width: Value, target: Value | None, y: tuple[Array, Value] | None
) -> None:
    """Leave the classes of a target, and the coefficients of those that have some for each."""
    shape = None if y is None else y[0].shape
    columns = shape[1] if shape is not None and len(shape) == 2 else None
    several = columns is not None and (size(columns) != 1 or short == "MultiOutputClassifier")
    if y is not None and shape is not None and (len(shape) > 2 or several):
        _remember(call, classes_=Value(UNKNOWN), outputs=Value(UNKNOWN))
        _remember(call, coef_=Value(UNKNOWN), intercept_=Value(UNKNOWN))
        if columns is not None and short in (OF_COLUMNS | OF_LABELS) and size(columns):
            dtype = y[0].dtype if y[0].dtype != "object" and short in OF_COLUMNS else None
            each = new((Value(UNKNOWN),), dtype, y[1].origins)
            classes = Value([each] * (size(columns) or 0), y[1].origins)
            if short in OF_LABELS:
                classes = new((columns,), None, y[1].origins)
            _remember(call, outputs=columns)
            if short != "OneVsRestClassifier":
                _remember(call, classes_=classes)
        return
    single = None if y is None or shape is None else Value(None)
    classes = _classes_of(target, call)
    _remember(call, classes_=classes, outputs=single or Value(UNKNOWN))
    if short in LINEAR_CLASSIFIERS and isinstance(classes.data, Array) and classes.data.shape:
        number = size(classes.data.shape[0])
        rows = Value(UNKNOWN if number is None else 1 if number == 2 else number)
        origins = classes.origins
        coefficients = new((rows, width), "float64", origins)
        if short.startswith("RidgeClassifier") and number in (None, 2):
            coefficients = new(None, "float64", origins)  # Differs from version to version.
        x = matrix(call.given(0, "X"))
        if x is None or x[0].dtype in (None, "float32", "float16", "object"):
            assert isinstance(coefficients.data, Array)
            coefficients.data.dtype = None
        assert isinstance(coefficients.data, Array)
        _remember(call, coef_=coefficients)
        _remember(call, intercept_=new((rows,), coefficients.data.dtype, origins))


def _checked(call: Call) -> tuple[Array, Value] | None:
    source = call.given(0, "X")
    x = matrix(source)
    if x is None or source is None:
        return None
    if call.held is None or call.held.short != "IsotonicRegression":
        _wants_matrix(x)
    _no_text(x, source)
    _same_features(call, x)
    return x


def _predicted(interpreter: Interpreter, call: Call) -> Value:
    """Return a class, its probabilities or a number for each row; a score is one number."""
    held, x = call.held, _checked(call)
    if held is None:
        return call.unknown()
    if call.name == "score":
        _same_rows(x, matrix(call.given(1, "y")))
        return some_number(call)
    rows, origins = _rows(None if x is None else x[0]), merged(*call.args)
    del interpreter
    outputs = held.state.get("outputs", Value(UNKNOWN))
    if held.short in REGRESSORS:
        for asked, parts in (("return_std", (rows,)), ("return_cov", (rows, rows))):
            flag = call.keywords.get(asked)
            if flag is not None and flag.data is not False:
                if flag.data is not True or outputs.data is not None:
                    return call.unknown()
                mean = new((rows,), "float64", origins)
                return Value((mean, new(parts, "float64", origins)), origins)
        single = outputs.data is None
        if not single and size(outputs) is None:
            return new(None, None, origins)
        shape = (rows,) if single else (rows, outputs)
        return new(shape, _regressed(held.short, x), origins)
    fitted = held.state.get("classes_", Value(UNKNOWN))
    if size(outputs) is not None:
        return _predicted_columns(held, call.name, rows, outputs, fitted, origins)
    classes = fitted.data if isinstance(fitted.data, Array) else None
    if outputs.data is UNKNOWN and classes is None:
        return new(None, None, origins)
    if call.name == "predict":
        if held.short.startswith("CatBoost"):
            return new(None, None, origins)
        if classes is None or outputs.data is UNKNOWN:
            return new(
                (rows,) if held.short not in (OF_COLUMNS | OF_LABELS) else None, None, origins
            )
        bounds = (classes.lowest, classes.highest)
        return new((rows,), classes.dtype, origins | fitted.origins, bounds)
    count = classes.shape[0] if classes is not None and classes.shape else Value(UNKNOWN)
    dtype = "float32" if held.short.startswith("XGB") else "float64"
    if call.name in ("predict_proba", "predict_log_proba"):
        if outputs.data is UNKNOWN and held.short in OF_COLUMNS:
            return call.unknown()
        return new((rows, Value(count.data, fitted.origins | count.origins)), dtype, origins)
    if size(count) is None:
        return new(None, dtype, origins)
    kind = x[0].dtype if x is not None else None
    narrow = kind is None or kind in ("float32", "float16", "object")
    number = size(count)
    form = held.keywords.get("decision_function_shape")
    if form is not None and form.data != "ovr" and number is not None and number > 2:
        known = form.data == "ovo"
        count = Value(number * (number - 1) // 2 if known else UNKNOWN, count.origins)
    one_each = number == 2 and not held.short.endswith("GaussianProcessClassifier")
    shape = (rows,) if one_each else (rows, count)
    return new(shape, None if narrow else "float64", origins)


def _predicted_columns(
    held: LibraryObject, name: str, rows: Value, outputs: Value, fitted: Value, origins: Origins
) -> Value:
    """Return what a classifier predicts of a target with several columns."""
    each = fitted.data[0].data if isinstance(fitted.data, list) and fitted.data else None
    dtype = each.dtype if isinstance(each, Array) else None
    if name == "predict":
        return new((rows, outputs), dtype, origins)
    if held.short in OF_LABELS:
        return new((rows, outputs), "float64", origins)
    probabilities = new((rows, Value(UNKNOWN)), "float64", origins)
    return Value([probabilities] * (size(outputs) or 0), origins)


def _regressed(short: str, x: tuple[Array, Value] | None) -> str | None:
    if short.startswith("XGB"):
        return "float32"
    if short.startswith(("RandomForest", "ExtraTree", "DecisionTree", "GradientBoosting", "Hist")):
        return "float64"
    if short.startswith(("SVR", "NuSVR", "KNeighbors")):
        return "float64" if x is not None and x[0].dtype != "float32" else None
    return None if x is None or x[0].dtype in (None, "float32", "float16") else "float64"


for _short in (*CLASSIFIERS, *REGRESSORS):
    for _name in ("fit", "partial_fit"):
        MODELS.methods[_short, _name] = _fit_estimator
    for _name in ("predict", "predict_proba", "predict_log_proba", "decision_function", "score"):
        MODELS.methods[_short, _name] = _predicted


# --- what all estimators have ---------------------------------------------------------------------


def _parameters(interpreter: Interpreter, call: Call) -> Value:
    del interpreter
    held = call.held
    if held is None or call.receiver is None:
        return call.unknown()
    if call.name == "set_params":
        keywords = {**held.keywords, **call.keywords}
        held.keywords = keywords
        return call.receiver
    return call.unknown()


@MODELS.function("sklearn.base.clone", "sklearn.clone")
def _clone(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "estimator")
    data = None if given is None else given.data
    if not isinstance(data, LibraryObject) or given is None:
        return call.unknown()
    made = LibraryObject(data.name, data.args, dict(data.keywords), data.made)
    return Value(made, given.origins)


for _short in (*CLASSIFIERS, *REGRESSORS, *LABELLING, *MIXTURES, "Pipeline", "StandardScaler"):
    MODELS.methods.setdefault((_short, "set_params"), _parameters)


# --- scalers and other transformers ---------------------------------------------------------------

LEARNED = {
    "StandardScaler": "mean_ scale_ var_",
    "MinMaxScaler": "min_ scale_ data_min_ data_max_ data_range_",
    "MaxAbsScaler": "max_abs_ scale_",
    "RobustScaler": "center_ scale_",
    "SimpleImputer": "statistics_",
}


def _after(before: Model, names: str) -> Model:
    """Return a model of fitting that leaves an array of one number for each feature."""

    def fit(interpreter: Interpreter, call: Call) -> Value:
        result = before(interpreter, call)
        source = call.given(0, "X")
        x = matrix(source)
        if x is not None:
            origins = merged(*call.args) | {call.place}
            dtype = "float64" if x[0].dtype != "float32" or "mean_" in names else None
            if x[0].dtype == "object" and "statistics_" in names:
                dtype = "object"
            for name in names.split():
                _remember(call, **{name: new((_width(x[0]),), dtype, origins)})
        else:
            number = Value(UNKNOWN, merged(*call.args))
            for name in names.split():
                _remember(call, **{name: new((number,), None, number.origins)})
        return result

    return fit


for _short, _names in LEARNED.items():
    for _name in ("fit", "fit_transform"):
        MODELS.methods[_short, _name] = _after(MODELS.methods[_short, _name], _names)
MODELS.methods["StandardScaler", "partial_fit"] = MODELS.methods["StandardScaler", "fit"]
MODELS.methods["MinMaxScaler", "partial_fit"] = MODELS.methods["MinMaxScaler", "fit"]


REDUCING = words(
    "PCA TruncatedSVD FastICA NMF KernelPCA IncrementalPCA FactorAnalysis TSNE Isomap UMAP "
    "SparsePCA MDS LatentDirichletAllocation SelectKBest GaussianRandomProjection "
    "SpectralEmbedding LocallyLinearEmbedding"
)
COUNTS = {"SelectKBest": (1, "k", 10), "TSNE": (0, "n_components", 2), "UMAP": (None, "", 2)}
DEFAULT_TWO = ("TruncatedSVD", "Isomap", "MDS", "SpectralEmbedding", "LocallyLinearEmbedding")


def _components(held: LibraryObject, x: Array) -> Value:
    """Return how many columns a reduction of dimensions gives."""
    position, name, default = COUNTS.get(held.short, (0, "n_components", None))
    if held.short in DEFAULT_TWO:
        default = 2
    if held.short == "LatentDirichletAllocation":
        default = 10
    asked = option(held, position, name or "n_components")
    if asked is not None and size(asked) is not None:
        return asked
    if asked is not None and (asked.data is not None or held.short == "SelectKBest"):
        return Value(UNKNOWN, asked.origins)
    if default is not None:
        return Value(default, frozenset({held.made}))
    rows, width = size(_rows(x)), size(_width(x))
    if held.short in ("PCA", "FastICA", "FactorAnalysis", "IncrementalPCA") and rows and width:
        return Value(min(rows, width), merged(_rows(x), _width(x)))
    return Value(UNKNOWN)


_reduced_before = {name: MODELS.methods.get(("PCA", name)) for name in ("fit", "transform")}


@_each(REDUCING, "fit", "transform", "fit_transform")
def _reduced(interpreter: Interpreter, call: Call) -> Value:
    source, held = call.given(0, "X"), call.held
    x = matrix(source)
    before = _reduced_before["fit"]
    if held is not None and held.short in ("PCA", "TruncatedSVD") and before is not None:
        before(interpreter, call)
    if held is None or x is None or call.receiver is None:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    origins = merged(*call.args) | {held.made}
    if call.name.startswith("fit"):
        count, width = _components(held, x[0]), _width(x[0])
        _remember(call, n_features_in_=note_fit(call, width), columns=count)
        dtype = _floating(x[0])
        _remember(call, components_=new((count, width), dtype, origins), n_components_=count)
        for name in ("explained_variance_", "explained_variance_ratio_", "singular_values_"):
            _remember(call, **{name: new((count,), dtype, origins)})
        _remember(call, mean_=new((width,), dtype, origins))
        if held.short == "SelectKBest":
            _remember(call, scores_=new((width,), "float64", origins))
    if call.name == "fit":
        return call.receiver
    count = held.state.get("columns", Value(UNKNOWN))
    dtype = "float32" if held.short in ("TSNE", "UMAP") else _floating(x[0])
    if held.short == "SelectKBest":
        dtype = x[0].dtype or dtype
    return new((_rows(x[0]), count), dtype, origins)


@_each(REDUCING, "inverse_transform")
def _restored(_: Interpreter, call: Call) -> Value:
    x = matrix(call.given(0, "X"))
    fitted = state_of(call.receiver, "n_features_in_")
    if x is None:
        return call.unknown()
    return new((_rows(x[0]), fitted), _floating(x[0]), merged(*call.args))


@_each(("PolynomialFeatures",), "fit", "transform", "fit_transform")
def _polynomial(_: Interpreter, call: Call) -> Value:
    held, x = call.held, matrix(call.given(0, "X"))
    if held is None or x is None or call.receiver is None:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    degree = option(held, 0, "degree") or Value(2)
    width, power = size(_width(x[0])), size(degree)
    only = held.keywords.get("interaction_only")
    biased = held.keywords.get("include_bias")
    number: object = UNKNOWN
    if width is not None and power is not None and (only is None or isinstance(only.data, bool)):
        alone = only is not None and only.data is True
        total = sum(math.comb(width if alone else width + i - 1, i) for i in range(1, power + 1))
        number = total + (0 if biased is not None and biased.data is False else 1)
    count = Value(number, merged(_width(x[0]), degree) | {held.made})
    if call.name.startswith("fit"):
        _remember(call, n_features_in_=note_fit(call, _width(x[0])), n_output_features_=count)
        _remember(call, powers_=new((count, _width(x[0])), "int64", count.origins))
    if call.name == "fit":
        return call.receiver
    return new((_rows(x[0]), count), _floating(x[0]), merged(*call.args))


@_each(("LabelEncoder",), "inverse_transform")
def _decoded(_: Interpreter, call: Call) -> Value:
    y, fitted = matrix(call.given(0, "y")), state_of(call.receiver, "classes_")
    if y is None:
        return call.unknown()
    _refuse_codes(call, y, fitted)
    dtype = fitted.data.dtype if isinstance(fitted.data, Array) else None
    return new(y[0].shape, dtype, merged(*call.args))


def _refuse_codes(call: Call, y: tuple[Array, Value], fitted: Value) -> None:
    """Raise for codes that an encoder has no class for.

    Of codes that are only known to lie within bounds the greatest counts, on the failing line.
    """
    classes = fitted.data
    count = size(classes.shape[0]) if isinstance(classes, Array) and classes.shape else None
    if count is None:
        return
    codes = series_of(y[1])
    cells = () if codes is None else codes.cells or ()
    beyond = [c for c in cells if isinstance(c, int) and not 0 <= c < count]
    highest = y[0].highest
    if not cells and highest is not None and highest >= count and arrays.is_failing():
        beyond = [highest]
    if beyond:
        greatest = max(beyond)
        note_forgotten(call, lambda number: number > greatest)
        what = f"y contains previously unseen labels: {greatest}"
        raise Raised("value", what, Value(greatest, y[1].origins), fitted)


@_each(("LabelBinarizer", "MultiLabelBinarizer"), "fit", "transform", "fit_transform")
def _binarized(interpreter: Interpreter, call: Call) -> Value:
    source, held = call.given(0, "y"), call.held
    if source is None or held is None or call.receiver is None:
        return call.unknown()
    if call.name.startswith("fit"):
        if held.short == "MultiLabelBinarizer":
            classes = new((_labels_in(interpreter, source),), None, source.origins)
        else:
            classes = _classes_of(source, call)
        _remember(call, classes_=classes)
    if call.name == "fit":
        return call.receiver
    fitted = held.state.get("classes_", Value(UNKNOWN)).data
    width = fitted.shape[0] if isinstance(fitted, Array) and fitted.shape else Value(UNKNOWN)
    if held.short == "LabelBinarizer" and size(width) == 2:
        width = Value(1, width.origins)
    rows = _rows_in(interpreter, source) or Value(UNKNOWN)
    return new((rows, width), "int64", source.origins)


def _labels_in(interpreter: Interpreter, source: Value) -> Value:
    """Return how many different labels several lists of them hold."""
    lists = [listed(interpreter, item) for item in listed(interpreter, source) or ()]
    if not lists or any(item is None for item in lists):
        return Value(UNKNOWN, source.origins)
    labels = {
        label.data for item in lists for label in item or () if isinstance(label.data, str | int)
    }
    known = all(label.known for item in lists for label in item or ())
    return Value(len(labels) if known else UNKNOWN, source.origins)


# --- clusters, mixtures, neighbours, outliers -----------------------------------------------------


@_each((*LABELLING, *MIXTURES, *OUTLIERS), "fit", "fit_predict", "predict", "partial_fit")
def _clustered(_: Interpreter, call: Call) -> Value:
    held, x = call.held, matrix(call.given(0, "X"))
    if held is None or call.receiver is None or x is None:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    _wants_matrix(x)
    origins = merged(*call.args) | {held.made}
    count = option(held, 0, "n_clusters" if held.short in LABELLING else "n_components")
    default = {"KMeans": 8, "MiniBatchKMeans": 8, "GaussianMixture": 1}.get(held.short)
    groups = count if count is not None and size(count) is not None else Value(UNKNOWN)
    if count is None and default is not None:
        groups = Value(default)
    number = size(groups)
    dtype = "int32" if held.short in (*CLUSTERS, "SpectralClustering") else "int64"
    bounds = (0, number - 1) if number and held.short in (*CLUSTERS, *MIXTURES) else (None, None)
    if held.short in OUTLIERS:
        bounds = (-1, 1)
    labels = new((_rows(x[0]),), dtype, origins, bounds)
    if call.name != "predict":
        width = _width(x[0])
        _remember(call, labels_=labels, n_features_in_=width, inertia_=some_number(call))
        _remember(call, n_iter_=some_number(call, "int64"), converged_=Value(UNKNOWN))
        floating = _floating(x[0])
        if held.short in CLUSTERS:
            _remember(call, cluster_centers_=new((groups, width), floating, origins))
        if held.short in MIXTURES:
            _remember(call, means_=new((groups, width), "float64", origins))
            _remember(call, weights_=new((groups,), "float64", origins))
    else:
        _same_features(call, x)
    return call.receiver if call.name in ("fit", "partial_fit") else labels


@_each(("KMeans", "MiniBatchKMeans"), "transform", "fit_transform")
def _distances(interpreter: Interpreter, call: Call) -> Value:
    held, x = call.held, matrix(call.given(0, "X"))
    if held is None or x is None:
        return call.unknown()
    if call.name.startswith("fit"):
        _clustered(interpreter, Call("fit", call.args, {}, call.place, call.receiver))
    groups = option(held, 0, "n_clusters") or Value(8)
    return new((_rows(x[0]), groups), _floating(x[0]), merged(*call.args))


@_each((*MIXTURES, *OUTLIERS), "score_samples", "decision_function", "predict_proba", "score")
def _scored(_: Interpreter, call: Call) -> Value:
    held, x = call.held, matrix(call.given(0, "X"))
    if held is None or x is None:
        return call.unknown()
    if call.name == "score":
        return some_number(call)
    if call.name == "predict_proba":
        groups = option(held, 0, "n_components") or Value(1)
        return new((_rows(x[0]), groups), "float64", merged(*call.args))
    return new((_rows(x[0]),), "float64", merged(*call.args))


@_each(MIXTURES, "bic", "aic")
def _criterion(_: Interpreter, call: Call) -> Value:
    return some_number(call)


@_each(("NearestNeighbors",), "fit")
def _indexed(_: Interpreter, call: Call) -> Value:
    x = matrix(call.given(0, "X"))
    if x is not None:
        _remember(call, rows=_rows(x[0]), n_features_in_=_width(x[0]))
    return call.receiver or call.unknown()


@_each(("NearestNeighbors", "KNeighborsClassifier", "KNeighborsRegressor"), "kneighbors")
def _nearest(_: Interpreter, call: Call) -> Value:
    held, x = call.held, matrix(call.given(0, "X"))
    if held is None:
        return call.unknown()
    count = call.given(1, "n_neighbors") or option(held, 0, "n_neighbors") or Value(5)
    rows = _rows(x[0]) if x is not None else held.state.get("rows", Value(UNKNOWN))
    shape, origins = (rows, count), merged(*call.args)
    indices = new(shape, "int64", origins)
    alone = call.given(2, "return_distance")
    if alone is not None and alone.data is False:
        return indices
    return Value((new(shape, "float64", origins), indices), origins)


# --- model selection ------------------------------------------------------------------------------


def folds_of(value: Value | None, x: Value | None = None) -> Value:
    """Return how many folds ``cv`` stands for; ``x`` are the samples, where they are known."""
    if value is None or value.data is None:
        return Value(5)
    if size(value) is not None:
        return value
    data = value.data
    if isinstance(data, LibraryObject):
        return splits_of(data, x)
    return Value(UNKNOWN, value.origins)


def splits_of(held: LibraryObject, x: Value | None = None) -> Value:
    """Return how many splits a splitter makes."""
    first = option(held, 0, "n_splits") if not held.short.startswith("Repeated") else None
    if held.short.startswith("Repeated"):
        counts = [
            held.keywords.get("n_splits", Value(5)),
            held.keywords.get("n_repeats", Value(10)),
        ]
        one, other = map(size, counts)
        known = one is not None and other is not None
        return Value(one * other if known and one and other else UNKNOWN, merged(*counts))
    if held.short == "LeaveOneOut":
        data = matrix(x)
        return data[0].shape[0] if data is not None and data[0].shape else Value(UNKNOWN)
    if held.short not in SPLITTERS:
        return Value(UNKNOWN, frozenset({held.made}))
    default = 10 if "Shuffle" in held.short else 5
    if first is None:
        return Value(default)
    return first if size(first) is not None else Value(UNKNOWN, first.origins)


SPLITTERS = words(
    "KFold StratifiedKFold GroupKFold StratifiedGroupKFold TimeSeriesSplit ShuffleSplit "
    "StratifiedShuffleSplit"
)
"""Splitters whose number of splits is their first parameter."""


@MODELS.function("sklearn.model_selection.cross_val_score")
def _cross_val_score(_: Interpreter, call: Call) -> Value:
    return new((folds_of(call.given(5, "cv"), call.given(1, "X")),), "float64", merged(*call.args))


@MODELS.function("sklearn.model_selection.cross_validate")
def _cross_validate(interpreter: Interpreter, call: Call) -> Value:
    column = new(
        (folds_of(call.keywords.get("cv"), call.given(1, "X")),), "float64", merged(*call.args)
    )
    asked = call.keywords.get("scoring")
    names = ["score"]
    if asked is not None and isinstance(asked.data, dict):
        names = [str(name) for name in asked.data]
    elif asked is not None and isinstance(asked.data, (list, tuple, set)):
        items = listed(interpreter, asked)
        if items is None or not all(isinstance(item.data, str) for item in items):
            return call.unknown()
        names = [str(item.data) for item in items]
    elif asked is not None and not asked.known:
        return call.unknown()
    scores: dict[object, Value] = {"fit_time": column, "score_time": column}
    if is_true(call.keywords.get("return_estimator")):
        first = call.given(0, "estimator") or Value(UNKNOWN)
        count = size(folds_of(call.keywords.get("cv"), call.given(1, "X")))
        scores["estimator"] = Value(UNKNOWN) if count is None else Value([first] * count)
    for name in names:
        scores[f"test_{name}"] = column
        if is_true(call.keywords.get("return_train_score")):
            scores[f"train_{name}"] = column
    return Value(scores, merged(*call.args))


@MODELS.function("sklearn.model_selection.ParameterGrid")
def _grid(interpreter: Interpreter, call: Call) -> Value:
    """Return every combination of a grid, the last name varying fastest (names are sorted)."""
    given = call.given(0, "param_grid")
    if given is None or not isinstance(given.data, dict):
        return call.unknown()
    names = sorted(map(str, given.data))
    lists = [listed(interpreter, given.data[name]) for name in names]
    if any(values is None for values in lists):
        return call.unknown()
    rows = itertools.islice(itertools.product(*(values or () for values in lists)), 2_000)
    return Value([Value(dict(zip(names, row, strict=True))) for row in rows], given.origins)


@MODELS.function("sklearn.inspection.permutation_importance")
def _permuted(_: Interpreter, call: Call) -> Value:
    x = matrix(call.given(1, "X"))
    width = _width(None if x is None else x[0])
    repeats = call.keywords.get("n_repeats") or Value(5)
    origins = merged(*call.args) | {call.place}
    row = new((width,), "float64", origins)
    whole = new((width, repeats), "float64", origins)
    return thing(
        "sklearn.utils.Bunch", call, importances_mean=row, importances_std=row, importances=whole
    )


# --- metrics --------------------------------------------------------------------------------------

SCORES = words(
    "accuracy_score balanced_accuracy_score mean_squared_error mean_absolute_error "
    "root_mean_squared_error mean_squared_log_error median_absolute_error r2_score max_error "
    "mean_absolute_percentage_error explained_variance_score log_loss brier_score_loss "
    "roc_auc_score average_precision_score matthews_corrcoef cohen_kappa_score hamming_loss "
    "zero_one_loss hinge_loss adjusted_rand_score adjusted_mutual_info_score "
    "normalized_mutual_info_score mutual_info_score homogeneity_score completeness_score "
    "v_measure_score rand_score fowlkes_mallows_score auc silhouette_score "
    "calinski_harabasz_score davies_bouldin_score mean_pinball_loss top_k_accuracy_score "
    "mean_poisson_deviance d2_absolute_error_score ndcg_score dcg_score"
)
AVERAGED = ("f1_score", "precision_score", "recall_score", "fbeta_score", "jaccard_score")


def _second(call: Call) -> Value | None:
    return call.given(1, "y_pred", "y_score", "y_prob", "y_proba", "labels")


@MODELS.function(*(f"sklearn.metrics.{name}" for name in (*SCORES, *AVERAGED)))
def _metric(_: Interpreter, call: Call) -> Value:
    """Check that the two arrays are of one length; a score is one number."""
    _same_rows(matrix(call.given(0, "y_true", "X", "x")), matrix(_second(call)))
    last = call.name.rpartition(".")[2]
    average, several = call.keywords.get("average"), call.keywords.get("multioutput")
    if (average is not None and average.data is None) or (
        several is not None and several.data != "uniform_average"
    ):
        return new((Value(UNKNOWN),), "float64", merged(*call.args))
    if "normalize" in call.keywords and last in ("accuracy_score", "zero_one_loss"):
        return some_number(call, "int64" if call.keywords["normalize"].data is False else "float64")
    return some_number(call)


@MODELS.function("sklearn.metrics.confusion_matrix", "sklearn.metrics.pairwise.confusion_matrix")
def _confusion(interpreter: Interpreter, call: Call) -> Value:
    """Count pairs of classes: those of ``labels``, else all that either array holds."""
    first, second = call.given(0, "y_true"), call.given(1, "y_pred")
    _same_rows(matrix(first), matrix(second))
    labels, normalized = call.keywords.get("labels"), call.keywords.get("normalize")
    count = Value(UNKNOWN, merged(*call.args))
    if labels is not None and labels.data is not None:
        count = _rows_in(interpreter, labels) or count
    else:
        held = [series_of(first), series_of(second)]
        if all(item is not None and item.cells is not None for item in held):
            cells = [cell for item in held if item is not None for cell in item.cells or ()]
            count = Value(len(set(cells)), count.origins)
    dtype = "int64" if normalized is None or normalized.data is None else "float64"
    return new((count, count), dtype, merged(*call.args))


@MODELS.function("sklearn.metrics.classification_report")
def _reported(_: Interpreter, call: Call) -> Value:
    _same_rows(matrix(call.given(0, "y_true")), matrix(call.given(1, "y_pred")))
    return call.unknown()


@MODELS.function("sklearn.metrics.roc_curve", "sklearn.metrics.precision_recall_curve")
def _curve(_: Interpreter, call: Call) -> Value:
    _same_rows(matrix(call.given(0, "y_true")), matrix(_second(call)))
    points = Value(UNKNOWN, merged(*call.args))
    axis = new((points,), "float64", points.origins)
    return Value((axis, axis, axis), points.origins)


@MODELS.function("sklearn.metrics.precision_recall_fscore_support")
def _four(_: Interpreter, call: Call) -> Value:
    _same_rows(matrix(call.given(0, "y_true")), matrix(call.given(1, "y_pred")))
    average = call.keywords.get("average")
    if average is not None and isinstance(average.data, str):
        return Value((*(some_number(call) for _ in range(3)), Value(None)))
    row = Value(UNKNOWN, merged(*call.args))
    column = new((row,), "float64", row.origins)
    return Value((column, column, column, new((row,), "int64", row.origins)))


PAIRWISE = words(
    "euclidean_distances cosine_similarity pairwise_distances cosine_distances rbf_kernel "
    "linear_kernel manhattan_distances pairwise_kernels polynomial_kernel"
)


@MODELS.function(
    *(f"sklearn.metrics.pairwise.{name}" for name in PAIRWISE),
    *("sklearn.metrics.pairwise_distances", "sklearn.metrics.euclidean_distances"),
)
def _pairwise(_: Interpreter, call: Call) -> Value:
    x, other = matrix(call.given(0, "X")), call.given(1, "Y")
    y = x if other is None or other.data is None else matrix(other)
    if x is None or y is None:
        return call.unknown()
    for item in (x, y):
        _wants_matrix(item)
    return new((_rows(x[0]), _rows(y[0])), _floating(x[0]), merged(*call.args))


@MODELS.function("sklearn.preprocessing.scale", "sklearn.preprocessing.minmax_scale")
@MODELS.function("sklearn.preprocessing.normalize")
def _scaled(_: Interpreter, call: Call) -> Value:
    x = matrix(call.given(0, "X"))
    return call.unknown() if x is None else new(x[0].shape, _floating(x[0]), merged(*call.args))


@MODELS.function("sklearn.utils.class_weight.compute_class_weight")
def _weights(interpreter: Interpreter, call: Call) -> Value:
    classes = call.keywords.get("classes")
    rows = None if classes is None else _rows_in(interpreter, classes)
    return new((rows or Value(UNKNOWN),), "float64", merged(*call.args))


@MODELS.function("sklearn.utils.shuffle")
def _shuffled(_: Interpreter, call: Call) -> Value:
    """Return arrays of the same outline: which row is where, chance decides."""
    if call.keywords.keys() - {"random_state"}:
        return call.unknown()
    shuffled = []
    for value in call.args:
        data = matrix(value)
        if table_of(value) is not None or data is None:
            shuffled.append(unknown(value))
        else:
            shuffled.append(new(data[0].shape, data[0].dtype, value.origins))
    return shuffled[0] if len(shuffled) == 1 else Value(shuffled)


def _named(names: Sequence[str]) -> None:
    """Let what fitting leaves be unknown rather than a method of its name before it is fitted."""
    for short in names:
        for name in ("classes_", "coef_", "intercept_", "feature_importances_"):
            MODELS.attributes.setdefault((short, name), _left)


def _left(_: Interpreter, call: Call) -> Value:
    return state_of(call.receiver, call.name)


_named([*CLASSIFIERS, *REGRESSORS, *LABELLING])
