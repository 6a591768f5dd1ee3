"""What fitting leaves on scikit-learn's estimators, and what functions give: shapes and dtypes.

Every row was compared with estimators that were fitted with scikit-learn 1.9; what differs between
versions is left out. The modules whose models it adds to are imported first.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.effects import some_number, words
from dl_bug_lsp.interpretation.libraries.numpy.functions import new
from dl_bug_lsp.interpretation.libraries.sklearn.estimators import (
    CLASSIFIERS,
    CLUSTERS,
    LABELLING,
    MIXTURES,
    OUTLIERS,
    REDUCING,
    REGRESSORS,
    folds_of,
    option,
)
from dl_bug_lsp.interpretation.libraries.sklearn.functions import (
    _each,
    _remember,
    _same_features,
    _wants_matrix,
    matrix,
    note_fit,
    sparse,
)
from dl_bug_lsp.interpretation.model_helpers import listed, make_object, state_of
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.table_values import Series, part_of, table_of
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    LibraryObject,
    Table,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

_MIXED = "means_=k,w weights_=k lower_bound_=float"
_OF_COVARIANCE = "covariance_=w,w location_=w precision_=w,w"
_NEIGHBOURS = "n_samples_fit_=#n effective_metric_=any effective_metric_params_=any"
_BAYES = "class_count_=c class_log_prior_=c feature_count_=c,w feature_log_prob_=c,w"
_TREE = "n_outputs_=#o max_features_=int"
_FOREST = "n_outputs_=#o estimators_=any"
_ANOMALY = "support_vectors_=?,w support_=?:int32 dual_coef_=1,? intercept_=1 n_support_=?:int32"
_PATH = "alpha_=float dual_gap_=float n_iter_=int"
_NETWORK = "loss_=float best_loss_=any n_iter_=int loss_curve_=any t_=int"
_CLASSICAL = "components_=k,w n_components_=#k n_iter_=int"
LEFT = {
    "StandardScaler": "mean_=w scale_=w var_=w n_samples_seen_=any",
    "MinMaxScaler": "min_=w scale_=w data_min_=w data_max_=w data_range_=w n_samples_seen_=#n",
    "MaxAbsScaler": "max_abs_=w scale_=w n_samples_seen_=#n",
    "RobustScaler": "center_=w scale_=w",
    "PowerTransformer": "lambdas_=w",
    "QuantileTransformer": "quantiles_=?,w references_=? n_quantiles_=int",
    "KBinsDiscretizer": "n_bins_=w:int64 bin_edges_=w:object",
    "PCA": "n_components_=#k explained_variance_=k explained_variance_ratio_=k "
    "singular_values_=k components_=k,w mean_=w noise_variance_=float n_samples_=#n",
    "IncrementalPCA": "explained_variance_=k explained_variance_ratio_=k singular_values_=k "
    "components_=k,w mean_=w var_=w noise_variance_=float n_components_=#k",
    "KernelPCA": "eigenvalues_=k eigenvectors_=n,k",
    "TruncatedSVD": "components_=k,w explained_variance_=k explained_variance_ratio_=k "
    "singular_values_=k",
    "FastICA": "components_=k,w mixing_=w,k mean_=w whitening_=k,w n_iter_=int",
    "NMF": f"{_CLASSICAL} reconstruction_err_=float",
    "FactorAnalysis": "components_=k,w mean_=w noise_variance_=w n_iter_=int",
    "LatentDirichletAllocation": "components_=k,w n_iter_=int n_batch_iter_=int bound_=float",
    "SparsePCA": f"{_CLASSICAL} mean_=w",
    "DictionaryLearning": "components_=k,w n_iter_=int",
    "TSNE": "embedding_=n,k:float32 kl_divergence_=float n_iter_=int",
    "MDS": "embedding_=n,k stress_=float n_iter_=int",
    "Isomap": "embedding_=n,k",
    "LocallyLinearEmbedding": "embedding_=n,k reconstruction_error_=float",
    "SpectralEmbedding": "embedding_=n,k affinity_matrix_=n,n",
    "GaussianRandomProjection": "components_=k,w n_components_=#k",
    "SelectKBest": "scores_=w pvalues_=w",
    "SelectPercentile": "scores_=w pvalues_=w",
    "VarianceThreshold": "variances_=w",
    "RFE": "support_=w:bool ranking_=w:int64 n_features_=int",
    "RFECV": "support_=w:bool ranking_=w:int64 n_features_=int",
    "SelectFromModel": "threshold_=any estimator_=any",
    "KMeans": "cluster_centers_=k,w inertia_=float n_iter_=int",
    "MiniBatchKMeans": "cluster_centers_=k,w inertia_=float n_iter_=int n_steps_=int",
    "BisectingKMeans": "cluster_centers_=k,w inertia_=float",
    "DBSCAN": "core_sample_indices_=?:int64 components_=?,w",
    "AgglomerativeClustering": "children_=?,2:int64 n_clusters_=#k n_leaves_=#n "
    "n_connected_components_=int",
    "SpectralClustering": "affinity_matrix_=n,n",
    "MeanShift": "cluster_centers_=?,w n_iter_=int",
    "AffinityPropagation": "cluster_centers_=?,w cluster_centers_indices_=?:int64 n_iter_=int "
    "affinity_matrix_=n,n",
    "Birch": "subcluster_centers_=?,w subcluster_labels_=any",
    "OPTICS": "reachability_=n core_distances_=n ordering_=n:int64 predecessor_=n:int64",
    "HDBSCAN": "probabilities_=n",
    "GaussianMixture": _MIXED,
    "BayesianGaussianMixture": f"{_MIXED} degrees_of_freedom_=k mean_precision_=k mean_prior_=w",
    "IsolationForest": "offset_=any estimators_=any max_samples_=int",
    "LocalOutlierFactor": f"negative_outlier_factor_=n offset_=any n_neighbors_=int {_NEIGHBOURS}",
    "OneClassSVM": f"{_ANOMALY} offset_=1",
    "EllipticEnvelope": f"{_OF_COVARIANCE} dist_=n support_=n:bool",
    "EmpiricalCovariance": _OF_COVARIANCE,
    "LedoitWolf": f"{_OF_COVARIANCE} shrinkage_=float",
    "OAS": f"{_OF_COVARIANCE} shrinkage_=float",
    "MinCovDet": f"{_OF_COVARIANCE} dist_=n support_=n:bool",
    "ShrunkCovariance": _OF_COVARIANCE,
    "GraphicalLasso": f"{_OF_COVARIANCE} n_iter_=int",
    "NearestNeighbors": _NEIGHBOURS,
    "KNeighborsClassifier": _NEIGHBOURS,
    "KNeighborsRegressor": _NEIGHBOURS,
    "NearestCentroid": "centroids_=c,w",
    "GaussianNB": "class_prior_=c theta_=c,w var_=c,w class_count_=c epsilon_=float",
    "MultinomialNB": _BAYES,
    "BernoulliNB": _BAYES,
    "ComplementNB": f"{_BAYES} feature_all_=w",
    "LinearDiscriminantAnalysis": "means_=c,w priors_=c",
    "QuadraticDiscriminantAnalysis": "means_=c,w priors_=c",
    "SVC": "support_vectors_=?,w support_=?:int32 n_support_=c:int32 dual_coef_=?,?",
    "NuSVC": "support_vectors_=?,w support_=?:int32 n_support_=c:int32 dual_coef_=?,?",
    "SVR": _ANOMALY,
    "NuSVR": _ANOMALY,
    "LinearSVC": "n_iter_=int",
    "LinearSVR": "n_iter_=int",
    "LogisticRegression": "n_iter_=?:int32",
    "LogisticRegressionCV": "Cs_=any C_=any",
    "SGDClassifier": "n_iter_=int t_=float",
    "SGDRegressor": "n_iter_=int t_=float",
    "Perceptron": "n_iter_=int t_=float",
    "LinearRegression": "rank_=int singular_=?",
    "RidgeCV": "alpha_=any",
    "Lasso": "dual_gap_=any n_iter_=any",
    "ElasticNet": "dual_gap_=any n_iter_=any",
    "LassoCV": f"{_PATH} alphas_=? mse_path_=?,?",
    "ElasticNetCV": f"{_PATH} l1_ratio_=float alphas_=any mse_path_=any",
    "LassoLarsCV": "alpha_=float alphas_=? mse_path_=?,?",
    "LassoLarsIC": "alpha_=float alphas_=? criterion_=?",
    "BayesianRidge": "alpha_=float lambda_=float sigma_=w,w n_iter_=int",
    "ARDRegression": "alpha_=float lambda_=w n_iter_=int",
    "HuberRegressor": "scale_=float outliers_=n:bool n_iter_=int",
    "TheilSenRegressor": "n_iter_=int breakdown_=float n_subpopulation_=int",
    "RANSACRegressor": "inlier_mask_=n:bool n_trials_=int",
    "KernelRidge": "X_fit_=n,w",
    "DecisionTreeClassifier": _TREE,
    "DecisionTreeRegressor": _TREE,
    "ExtraTreeClassifier": _TREE,
    "ExtraTreeRegressor": _TREE,
    "RandomForestClassifier": _FOREST,
    "RandomForestRegressor": _FOREST,
    "ExtraTreesClassifier": _FOREST,
    "ExtraTreesRegressor": _FOREST,
    "BaggingClassifier": "estimators_=any estimators_samples_=any",
    "BaggingRegressor": "estimators_=any estimators_samples_=any",
    "AdaBoostClassifier": "estimators_=any estimator_weights_=? estimator_errors_=? n_classes_=#c",
    "AdaBoostRegressor": "estimators_=any estimator_weights_=? estimator_errors_=?",
    "GradientBoostingClassifier": "n_classes_=#c max_features_=int train_score_=? "
    "n_estimators_=int",
    "GradientBoostingRegressor": "max_features_=int train_score_=? n_estimators_=int",
    "HistGradientBoostingClassifier": "n_iter_=int train_score_=? validation_score_=?",
    "HistGradientBoostingRegressor": "n_iter_=int train_score_=? validation_score_=?",
    "DummyClassifier": "class_prior_=any n_outputs_=#o",
    "DummyRegressor": "n_outputs_=#o constant_=1,?",
    "MLPClassifier": f"{_NETWORK} n_layers_=int out_activation_=any",
    "MLPRegressor": f"{_NETWORK} n_layers_=int out_activation_=any",
    "GaussianProcessRegressor": "X_train_=n,w L_=n,n kernel_=any alpha_=any",
    "IsotonicRegression": "X_min_=float X_max_=float",
}
"""What the attributes of estimators are, by their classes.

The axes are ``n`` samples, ``w`` features, ``k`` components or clusters, ``c`` classes, ``o``
columns of the target, a number, or ``?``; the dtype is float64 where none is told. ``#n`` is the
number itself, ``int`` and ``float`` are numbers that are not known, ``any`` is no callable.
"""
DTYPES = ("float64", "int64", "int32", "bool", "uint8", "int8", "int16")
"""dtypes of samples with which what is learned of them is of 64 bits."""


def _sizes(call: Call) -> dict[str, Value]:
    """Return the numbers that the axes of attributes stand for."""
    held, x = call.held, matrix(call.given(0, "X"))
    shape = None if x is None else x[0].shape
    rank = None if shape is None else len(shape)
    nothing = Value(UNKNOWN, merged(*call.args))
    classes = state_of(call.receiver, "classes_").data
    outputs = state_of(call.receiver, "outputs")
    found = {
        "n": shape[0] if shape else nothing,
        "w": shape[1] if shape and rank == 2 else nothing,
        "o": Value(1, outputs.origins) if outputs.data is None else outputs,
        "c": classes.shape[0] if isinstance(classes, Array) and classes.shape else nothing,
        "k": nothing,
        "?": nothing,
    }
    if held is not None:
        if "columns" in held.state:
            found["k"] = held.state["columns"]
        elif held.short in (*LABELLING, *MIXTURES):
            clusters = held.short in LABELLING
            asked = option(held, 0, "n_clusters" if clusters else "n_components")
            if asked is None and held.short in GROUPS:
                asked = Value(GROUPS[held.short])
            found["k"] = asked if asked is not None and size(asked) is not None else nothing
    return found


GROUPS = {
    "KMeans": 8,
    "MiniBatchKMeans": 8,
    "BisectingKMeans": 8,
    "AgglomerativeClustering": 2,
    "GaussianMixture": 1,
    "BayesianGaussianMixture": 1,
}
"""How many clusters or components there are where a call does not tell."""


def _left(call: Call, written: str, sizes: dict[str, Value]) -> Value:
    """Return an attribute by what is written of it."""
    origins = merged(*call.args) | {call.place}
    if written == "any":
        return Value(UNKNOWN, origins)
    if written in ("int", "float"):
        return some_number(call, f"{written}64")
    if written.startswith("#"):
        number = sizes[written[1:]]
        if size(number) is None and written != "#c":
            return some_number(call, "int64")
        return Value(number.data, number.origins) if size(number) else Value(UNKNOWN, origins)
    axes, _, dtype = written.partition(":")
    shape = [sizes[axis] if axis in sizes else Value(int(axis)) for axis in axes.split(",")]
    x = matrix(call.given(0, "X"))
    if not dtype:
        dtype = "float64" if x is not None and x[0].dtype in DTYPES else ""
    return new(shape, dtype or None, origins)


def _after_fit(before: Model | None, short: str) -> Model:
    """Return a model of fitting that leaves what `LEFT` says, and the names of features."""
    rows = [row.split("=") for row in LEFT.get(short, "").split()]

    def fit(interpreter: Interpreter, call: Call) -> Value:
        if before is not None:
            result = before(interpreter, call)
        else:
            x = matrix(call.given(0, "X"))
            if x is not None and x[0].shape is not None and len(x[0].shape) == 2:
                _remember(call, n_features_in_=note_fit(call, x[0].shape[1]))
            result = call.receiver or call.unknown()
        sizes = _sizes(call)
        for name, written in rows:
            _remember(call, **{name: _left(call, written, sizes)})
        _remember(call, feature_names_in_=names_in(call.given(0, "X")))
        more = MORE.get(short)
        if more is not None:
            more(call, sizes)
        return result

    return fit


def names_in(source: Value | None) -> Value:
    """Return the names of the features that samples have, unknown where they are no table."""
    table = table_of(source)
    if source is not None and not source.known:
        # Where there are names at all.
        return new((Value(UNKNOWN, source.origins),), "object", source.origins)
    if table is None or source is None or not all(isinstance(n, str) for n in table.columns):
        return Value(UNKNOWN)
    names = tuple(table.columns)
    return Value(Series((Value(len(names), source.origins),), "object", cells=names))


# --- trees, forests, networks ---------------------------------------------------------------------


def _tree(call: Call, sizes: dict[str, Value]) -> None:
    """Leave the nodes of a tree as arrays."""
    held = call.held
    if held is None:
        return
    nodes = Value(UNKNOWN, merged(*call.args) | {call.place})
    number = some_number(call, "int64")
    classifies = held.short.endswith("Classifier")
    classes = sizes["c"] if classifies else Value(1)
    state = {
        **{name: new((nodes,), "int64") for name in words("children_left children_right feature")},
        **{name: new((nodes,), "float64") for name in words("threshold impurity")},
        "n_node_samples": new((nodes,), "int64"),
        "weighted_n_node_samples": new((nodes,), "float64"),
        "value": new((nodes, sizes["o"], classes), "float64"),
        **dict.fromkeys(words("node_count max_depth n_leaves capacity"), number),
        "n_features": sizes["w"],
        "n_outputs": sizes["o"],
        "max_n_classes": classes,
    }
    made = LibraryObject("sklearn.tree._tree.Tree", (), {}, call.place, state)
    _remember(call, tree_=Value(made))


def _trees(call: Call, sizes: dict[str, Value]) -> None:
    """Leave the trees of a forest, and how it does on samples that were left out."""
    held = call.held
    if held is None:
        return
    kind = "Classifier" if held.short.endswith("Classifier") else "Regressor"
    count = size(option(held, 0, "n_estimators") or Value(100))
    if count is not None and count <= MOST_TREES:
        short = f"{'DecisionTree' if held.short.startswith('Random') else 'ExtraTree'}{kind}"
        trees: list[Value] = []
        for _ in range(count):
            made = LibraryObject(f"sklearn.tree.{short}", (), {}, call.place)
            one = Value(made, frozenset({call.place}))
            inner = Call("fit", call.args, call.keywords, call.place, one)
            made.state["outputs"] = state_of(call.receiver, "outputs")
            made.state["n_features_in_"] = sizes["w"]
            _tree(inner, sizes)
            trees.append(one)
        _remember(call, estimators_=Value(trees, frozenset({held.made})))
    if kind == "Classifier":
        number = sizes["c"]
        _remember(call, n_classes_=number if size(number) else Value(UNKNOWN))
    _out_of_bag(call, sizes)


MOST_TREES = 200


def _out_of_bag(call: Call, sizes: dict[str, Value]) -> None:
    held = call.held
    asked = None if held is None else held.keywords.get("oob_score")
    if held is None or asked is None or asked.data in (False, None):
        return
    single = state_of(call.receiver, "outputs").data is None
    _remember(call, oob_score_=some_number(call))
    if held.short.endswith("Classifier"):
        shape = (sizes["n"], sizes["c"]) if single else None
        _remember(call, oob_decision_function_=new(shape, "float64"))
    else:
        _remember(call, oob_prediction_=new((sizes["n"],) if single else None, "float64"))


def _layers(call: Call, sizes: dict[str, Value]) -> None:
    """Leave the weights of a network, layer by layer."""
    held = call.held
    if held is None:
        return
    asked = option(held, 0, "hidden_layer_sizes")
    hidden: list[Value] | None = [Value(100)]
    if asked is not None:
        hidden = [asked] if size(asked) is not None else None
        if isinstance(asked.data, (list, tuple)):
            hidden = list(asked.data)
    x = matrix(call.given(0, "X"))
    outputs = sizes["o"]
    if held.short == "MLPClassifier" and state_of(call.receiver, "outputs").data is None:
        number = size(sizes["c"])
        outputs = Value(UNKNOWN if number is None else 1 if number <= 2 else number)
    _remember(call, n_outputs_=outputs if size(outputs) else Value(UNKNOWN))
    if hidden is None or any(size(one) is None for one in hidden):
        _remember(call, coefs_=Value(UNKNOWN), intercepts_=Value(UNKNOWN))
        return
    dtype = "float64" if x is not None and x[0].dtype in DTYPES else None
    widths = [sizes["w"], *hidden, outputs]
    pairs = itertools.pairwise(widths)
    place = frozenset({held.made})
    _remember(
        call,
        coefs_=Value([new(pair, dtype, place) for pair in pairs], place),
        intercepts_=Value([new((width,), dtype, place) for width in widths[1:]], place),
        n_layers_=Value(len(widths), place),
    )


def _boosted(call: Call, sizes: dict[str, Value]) -> None:
    """Leave the trees of boosting: one for each class and round."""
    held = call.held
    if held is None:
        return
    number = size(sizes["c"])
    each = Value(1)
    if held.short.endswith("Classifier"):
        each = Value(UNKNOWN if number is None else 1 if number == 2 else number)
    count = held.keywords.get("n_estimators", Value(100))
    rounds = count if size(count) and "n_iter_no_change" not in held.keywords else Value(UNKNOWN)
    _remember(call, estimators_=new((rounds, each), "object"))
    _remember(call, train_score_=new((rounds,), "float64"))
    if size(rounds):
        _remember(call, n_estimators_=rounds)


def _forms_of_covariances(call: Call, sizes: dict[str, Value]) -> None:
    held = call.held
    asked = None if held is None else option(held, None, "covariance_type")
    k, w = sizes["k"], sizes["w"]
    forms = {"full": (k, w, w), "diag": (k, w), "tied": (w, w), "spherical": (k,)}
    form = "full" if asked is None else asked.data
    shape = forms.get(form) if isinstance(form, str) else None
    made = new(shape, "float64", merged(k, w))
    _remember(call, covariances_=made, precisions_=made, precisions_cholesky_=made)


MORE = {
    **dict.fromkeys(
        words(
            "DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier ExtraTreeRegressor"
        ),
        _tree,
    ),
    **dict.fromkeys(
        words(
            "RandomForestClassifier RandomForestRegressor ExtraTreesClassifier ExtraTreesRegressor"
        ),
        _trees,
    ),
    **dict.fromkeys(words("BaggingClassifier BaggingRegressor"), _out_of_bag),
    **dict.fromkeys(words("GradientBoostingClassifier GradientBoostingRegressor"), _boosted),
    **dict.fromkeys(words("MLPClassifier MLPRegressor"), _layers),
    **dict.fromkeys(MIXTURES, _forms_of_covariances),
}


@_each(
    words("DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier ExtraTreeRegressor"),
    "get_depth",
    "get_n_leaves",
)
def _of_tree(_: Interpreter, call: Call) -> Value:
    return some_number(call, "int64")


@_each(
    words(
        "DecisionTreeClassifier DecisionTreeRegressor RandomForestClassifier RandomForestRegressor "
        "ExtraTreesClassifier ExtraTreesRegressor"
    ),
    "apply",
)
def _leaves(_: Interpreter, call: Call) -> Value:
    held, x = call.held, matrix(call.given(0, "X"))
    if held is None or x is None or not x[0].shape:
        return call.unknown()
    shape: tuple[Value, ...] = (x[0].shape[0],)
    if not held.short.startswith("DecisionTree"):
        shape = (*shape, option(held, 0, "n_estimators") or Value(100))
    return new(shape, "int64", merged(*call.args))


# --- transformers ---------------------------------------------------------------------------------

KEEPING = words(
    "Binarizer KNNImputer MinMaxScaler StandardScaler MaxAbsScaler RobustScaler Normalizer "
    "QuantileTransformer PowerTransformer OrdinalEncoder SimpleImputer"
)
"""Transformers that give as many columns as they get, with their names."""
CHOOSING = words(
    "SelectKBest SelectPercentile VarianceThreshold RFE RFECV SelectFromModel "
    "SequentialFeatureSelector SelectFpr SelectFdr SelectFwe GenericUnivariateSelect"
)


@_each(("Binarizer", "KNNImputer"), "fit", "transform", "fit_transform")
def _kept(_: Interpreter, call: Call) -> Value:
    x, held = matrix(call.given(0, "X")), call.held
    if x is None or held is None:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    _wants_matrix(x)
    shape = x[0].shape
    if call.name.startswith("fit") and shape is not None and len(shape) == 2:
        _remember(call, n_features_in_=note_fit(call, shape[1]))
    elif not call.name.startswith("fit"):
        _same_features(call, x)
    if call.name == "fit":
        return call.receiver or call.unknown()
    dtype = "float64" if x[0].dtype == "float64" or held.short == "KNNImputer" else None
    if held.short == "KNNImputer" and (x[0].dtype in ("float32", None) or held.keywords):
        return new(None if "add_indicator" in held.keywords else shape, None, merged(*call.args))
    return new(shape, dtype, merged(*call.args))


@_each(CHOOSING, "fit", "transform", "fit_transform")
def _chosen(interpreter: Interpreter, call: Call) -> Value:
    """Choose columns: how many, a parameter tells or the data do."""
    del interpreter
    x, held = matrix(call.given(0, "X")), call.held
    if x is None or held is None or call.receiver is None:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    _wants_matrix(x)
    shape, nothing = x[0].shape, Value(UNKNOWN, merged(*call.args) | {held.made})
    if call.name.startswith("fit"):
        width = shape[1] if shape is not None and len(shape) == 2 else nothing
        _remember(call, n_features_in_=note_fit(call, width), columns=nothing)
        asked = held.keywords.get("n_features_to_select")
        number = size(width)
        if held.short in ("RFE", "SequentialFeatureSelector") and size(asked) is not None:
            _remember(call, columns=asked or nothing)
        elif held.short == "RFE" and number is not None and (asked is None or asked.data is None):
            _remember(call, columns=Value(number // 2, width.origins | {held.made}))
        elif held.short == "SelectKBest":
            best = option(held, 1, "k") or Value(10, frozenset({held.made}))
            few = size(best) is not None and number is not None and (size(best) or 0) > number
            whole = few or best.data == "all"
            _remember(call, columns=width if whole else best if size(best) else nothing)
    else:
        _same_features(call, x)
    if call.name == "fit":
        return call.receiver
    rows = shape[0] if shape else nothing
    return new((rows, held.state.get("columns", nothing)), x[0].dtype, merged(*call.args))


@_each(CHOOSING, "get_support")
def _support(_: Interpreter, call: Call) -> Value:
    indices, width = call.given(0, "indices"), state_of(call.receiver, "n_features_in_")
    if indices is None or indices.data is False:
        return new((width,), "bool", width.origins)
    if indices.data is not True:
        return call.unknown()
    return new((state_of(call.receiver, "columns"),), "int64", width.origins)


@_each(("FunctionTransformer",), "fit", "transform", "fit_transform", "inverse_transform")
def _by_function(interpreter: Interpreter, call: Call) -> Value:
    """Call the function that a transformer was made with."""
    held, source = call.held, call.given(0, "X")
    if held is None or call.receiver is None or source is None:
        return call.unknown()
    if call.name.startswith("fit"):
        x = matrix(source)
        if x is not None and x[0].shape is not None and len(x[0].shape) == 2:
            _remember(call, n_features_in_=note_fit(call, x[0].shape[1]))
    if call.name == "fit":
        return call.receiver
    back = call.name == "inverse_transform"
    function = option(held, 1 if back else 0, "inverse_func" if back else "func")
    given = held.keywords.get("inv_kw_args" if back else "kw_args")
    keywords: dict[str, Value] = {}
    if given is not None and given.data is not None:
        if not isinstance(given.data, dict):
            return call.unknown()
        keywords = {str(name): value for name, value in given.data.items()}
    checked = held.keywords.get("validate")
    if checked is not None and checked.data is not False:
        x = matrix(source)
        if x is None:
            return call.unknown()
        source = x[1]
    if function is None or function.data is None:
        return source
    return interpreter.call(function, (source,), keywords, call.place)


@_each(("KBinsDiscretizer", "SplineTransformer"), "fit", "transform", "fit_transform")
def _binned(_: Interpreter, call: Call) -> Value:
    x, held = matrix(call.given(0, "X")), call.held
    if x is None or held is None or not x[0].shape or len(x[0].shape) != 2:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    rows, width = x[0].shape
    if call.name.startswith("fit"):
        _remember(call, n_features_in_=width)
    if call.name == "fit":
        return call.receiver or call.unknown()
    nothing = Value(UNKNOWN, width.origins | {held.made})
    dtype = "float64" if x[0].dtype in DTYPES else None
    if held.short == "KBinsDiscretizer":
        encoded = held.keywords.get("encode")
        form = "onehot" if encoded is None else encoded.data
        if form == "ordinal":
            return new((rows, width), dtype, merged(*call.args))
        made = new((rows, nothing), dtype, merged(*call.args))
        return sparse((rows, nothing), made.origins, None) if form == "onehot" else made
    knots = size(option(held, 0, "n_knots") or Value(5))
    degree = size(option(held, 1, "degree") or Value(3))
    number = size(width)
    plain = not held.keywords.keys() & {"include_bias", "extrapolation", "knots", "sparse_output"}
    if plain and knots is not None and degree is not None and number is not None:
        nothing = Value(number * (knots + degree - 1), nothing.origins)
    return new((rows, nothing), dtype, merged(*call.args))


@_each(("LinearDiscriminantAnalysis",), "transform", "fit_transform")
def _discriminated(interpreter: Interpreter, call: Call) -> Value:
    held, x = call.held, matrix(call.given(0, "X"))
    if held is None or x is None or not x[0].shape:
        return call.unknown()
    if call.name.startswith("fit"):
        fit = MODELS.methods["LinearDiscriminantAnalysis", "fit"]
        fit(interpreter, Call("fit", call.args, call.keywords, call.place, call.receiver))
    classes = held.state.get("classes_", Value(UNKNOWN)).data
    count = size(classes.shape[0]) if isinstance(classes, Array) and classes.shape else None
    width, asked = size(held.state.get("n_features_in_")), held.keywords.get("n_components")
    number: object = UNKNOWN
    if asked is not None and asked.data is not None:
        number = asked.data if size(asked) is not None else UNKNOWN
    elif count is not None and width is not None:
        number = min(count - 1, width)
    origins = merged(*call.args)
    dtype = "float64" if x[0].dtype in DTYPES else None
    return new((x[0].shape[0], Value(number, origins)), dtype, origins)


@_each(("TfidfTransformer",), "fit", "transform", "fit_transform")
def _weighted(_: Interpreter, call: Call) -> Value:
    x = matrix(call.given(0, "X"))
    if x is None:
        return call.receiver if call.name == "fit" and call.receiver else call.unknown()
    if call.name == "fit":
        return call.receiver or call.unknown()
    return Value(Array(x[0].shape, "float64", "scipy"), merged(*call.args))


@_each(("KernelDensity",), "fit")
def _dense(_: Interpreter, call: Call) -> Value:
    x = matrix(call.given(0, "X"))
    if x is not None and x[0].shape is not None and len(x[0].shape) == 2:
        _remember(call, n_features_in_=note_fit(call, x[0].shape[1]))
    return call.receiver or call.unknown()


@_each(words("PCA IncrementalPCA FactorAnalysis BernoulliRBM KernelDensity"), "score_samples")
def _likelihoods(_: Interpreter, call: Call) -> Value:
    x = matrix(call.given(0, "X"))
    if x is None or not x[0].shape:
        return call.unknown()
    dtype = "float64" if x[0].dtype in DTYPES else None
    return new((x[0].shape[0],), dtype, merged(*call.args))


@_each(words("PCA IncrementalPCA FactorAnalysis LatentDirichletAllocation KernelDensity"), "score")
@_each(("LatentDirichletAllocation",), "perplexity")
@_each((*CLUSTERS,), "score")
def _one_score(_: Interpreter, call: Call) -> Value:
    return some_number(call)


@_each(("PCA", "IncrementalPCA", "FactorAnalysis"), "get_covariance", "get_precision")
def _square(_: Interpreter, call: Call) -> Value:
    width = state_of(call.receiver, "n_features_in_")
    return new((width, width), None, width.origins)


@_each((*MIXTURES, "KernelDensity"), "sample")
def _drawn(_: Interpreter, call: Call) -> Value:
    held = call.held
    if held is None:
        return call.unknown()
    rows = call.given(0, "n_samples") or Value(1)
    width = state_of(call.receiver, "n_features_in_")
    made = new((rows, width), "float64", merged(rows, width))
    if held.short == "KernelDensity":
        return made
    return Value((made, new((rows,), "int64", merged(rows))), merged(rows, width))


@_each(("EmpiricalCovariance", "EllipticEnvelope", "MinCovDet", "LedoitWolf"), "mahalanobis")
def _far(_: Interpreter, call: Call) -> Value:
    x = matrix(call.given(0, "X"))
    if x is None or not x[0].shape:
        return call.unknown()
    return new((x[0].shape[0],), "float64", merged(*call.args))


# --- names of what transformers give --------------------------------------------------------------


def _features(call: Call) -> tuple[list[object] | None, Value]:
    """Return the names of the features that a transformer got, and their number."""
    given = call.given(0, "input_features")
    names = state_of(call.receiver, "feature_names_in_")
    width = state_of(call.receiver, "n_features_in_")
    for source in (given, names):
        data = None if source is None else source.data
        if isinstance(data, Series) and data.cells is not None:
            return list(data.cells), Value(len(data.cells), width.origins)
        if isinstance(data, (list, tuple)) and all(isinstance(v.data, str) for v in data):
            return [v.data for v in data], Value(len(data), width.origins)
    if given is not None and given.data is not None:
        return None, width
    return None, width


def _named(names: Sequence[object] | None, width: Value) -> Value:
    if names is None:
        return new((width,), "object", width.origins)
    count = Value(len(names), width.origins)
    return Value(Series((count,), "object", cells=tuple(names)), width.origins)


@_each(KEEPING, "get_feature_names_out")
def _same_names(_: Interpreter, call: Call) -> Value:
    held = call.held
    if held is not None and held.keywords.get("add_indicator") is not None:
        return new((Value(UNKNOWN),), "object")
    return _named(*_features(call))


@_each((*REDUCING, *CLUSTERS, "LinearDiscriminantAnalysis"), "get_feature_names_out")
def _numbered_names(_: Interpreter, call: Call) -> Value:
    """Return the class's name with a number for each column."""
    held = call.held
    if held is None:
        return call.unknown()
    count = _sizes(call)["k"]
    number = size(count)
    if number is None:
        return new((count,), "object", count.origins)
    return _named([f"{held.short.lower()}{i}" for i in range(number)], count)


@_each(CHOOSING, "get_feature_names_out")
def _chosen_names(_: Interpreter, call: Call) -> Value:
    count = state_of(call.receiver, "columns")
    return new((count,), "object", count.origins)


@_each(("PolynomialFeatures",), "get_feature_names_out")
def _polynomial_names(_: Interpreter, call: Call) -> Value:
    count = state_of(call.receiver, "n_output_features_")
    return new((count,), "object", count.origins)


@_each(("FunctionTransformer",), "get_feature_names_out")
def _own_names(interpreter: Interpreter, call: Call) -> Value:
    held = call.held
    asked = None if held is None else held.keywords.get("feature_names_out")
    if asked is None or not asked.known:
        return call.unknown()
    if asked.data == "one-to-one":
        return _named(*_features(call))
    names, width = _features(call)
    given = _named(names, width)
    return interpreter.call(asked, (call.receiver or unknown(), given), {}, call.place)


# --- what all estimators have ---------------------------------------------------------------------

FITTING = ("fit", "fit_transform", "fit_predict", "partial_fit")
KINDS = sorted(
    {
        *LEFT,
        *CLASSIFIERS,
        *REGRESSORS,
        *LABELLING,
        *MIXTURES,
        *OUTLIERS,
        *REDUCING,
        *KEEPING,
        *CHOOSING,
        *words("OneHotEncoder PolynomialFeatures FunctionTransformer KBinsDiscretizer"),
        *words("EmpiricalCovariance LedoitWolf OAS MinCovDet ShrunkCovariance GraphicalLasso"),
    }
    - {"PLSRegression"}
)
for _short in KINDS:
    for _name in FITTING:
        _model = MODELS.methods.get((_short, _name))
        if _model is not None or _name == "fit":
            MODELS.methods[_short, _name] = _after_fit(_model, _short)


def _framed(model: Model) -> Model:
    """Return a model of a transformer that gives a table where `set_output` asked for one."""

    def transform(interpreter: Interpreter, call: Call) -> Value:
        result = model(interpreter, call)
        asked = state_of(call.receiver, OUTPUT).data
        held = call.held
        if held is None or OUTPUT not in held.state or asked == "default":
            return result
        data = result.data
        naming = MODELS.methods.get((held.short, "get_feature_names_out"))
        if asked != "pandas" or naming is None or not isinstance(data, Array) or not data.shape:
            return unknown(result)
        names = naming(
            interpreter, Call("get_feature_names_out", (), {}, call.place, call.receiver)
        )
        cells = names.data.cells if isinstance(names.data, Series) else None
        if cells is None or data.library == "scipy":
            return unknown(result)
        columns: dict[object, str | None] = dict.fromkeys(cells, data.dtype)
        return Value(Table(columns, data.shape[0]), result.origins)

    return transform


OUTPUT = "kind of output"


def _set_output(_: Interpreter, call: Call) -> Value:
    asked = call.given(0, "transform") or Value("default")
    _remember(call, **{OUTPUT: asked})
    return call.receiver or call.unknown()


def give_tables(kinds: Sequence[str]) -> None:
    """Let transformers give tables where `set_output` asks for them."""
    for short in kinds:
        for name in ("transform", "fit_transform"):
            if (short, name) in MODELS.methods:
                MODELS.methods[short, name] = _framed(MODELS.methods[short, name])
        MODELS.methods[short, "set_output"] = _set_output


give_tables((*KEEPING, *REDUCING, *CHOOSING, "OneHotEncoder"))


# --- functions that give arrays or numbers, by a table of their shapes ----------------------------

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
"""What functions give: the axes of each array, as in `LEFT`, ``m`` the rows of the second
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
