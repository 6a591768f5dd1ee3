"""Models of SciPy: tests, distributions, optima, integrals and transforms, by what they return.

Source: the SciPy 1.17 reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

# These register models that are followed by others here.
import dl_bug_lsp.interpretation.libraries.numpy.scipy
import dl_bug_lsp.interpretation.libraries.numpy.ufuncs  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.effects import below, some_number, words
from dl_bug_lsp.interpretation.libraries.numpy.functions import new, together
from dl_bug_lsp.interpretation.libraries.sklearn.functions import matrix
from dl_bug_lsp.interpretation.model_helpers import listed, make_object, thing
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    FunctionValue,
    LibraryObject,
    Named,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


def _array(value: Value | None) -> Array | None:
    """Return what is known of an operand as an array with a known number of axes."""
    found = matrix(value)
    return found[0] if found is not None and found[0].shape is not None else None


def _has_axes(value: Value | None, rank: int) -> bool:
    data = _array(value)
    return data is not None and data.shape is not None and len(data.shape) == rank


def _floating(dtype: str | None) -> str | None:
    return "float64" if dtype in ("int64", "int32", "float64", "bool") else None


# --- what NumPy has, too --------------------------------------------------------------------------

LIKE_NUMPY = {
    "linalg": words("inv pinv det svd eigh cholesky solve norm"),
    "fft": words("fft ifft rfft irfft fft2 ifft2 fftn ifftn fftfreq rfftfreq fftshift ifftshift"),
}
KEYWORDS = frozenset(("full_matrices", "compute_uv", "axis", "ord", "n", "d", "axes"))


def _like_numpy(name: str) -> Model:
    def run(interpreter: Interpreter, call: Call) -> Value:
        model = MODELS.functions.get(name)
        if model is None or call.keywords.keys() - KEYWORDS:
            return call.unknown()
        return model(interpreter, Call(name, call.args, call.keywords, call.place))

    return run


for _folder, _names in LIKE_NUMPY.items():
    for _name in _names:
        _model = _like_numpy(f"numpy.{_folder}.{_name}")
        MODELS.functions.setdefault(f"scipy.{_folder}.{_name}", _model)


@MODELS.function(*below("scipy.linalg", "expm sqrtm logm"))
@MODELS.function(*below("scipy.fft", "dct idct dst idst dctn idctn"))
def _as_it_is(_: Interpreter, call: Call) -> Value:
    data = _array(call.given(0, "A", "x"))
    if data is None or call.keywords.keys() - {"A", "x", "norm", "type", "axis", "axes"}:
        return call.unknown()
    may_be_complex = call.name.endswith(("sqrtm", "logm"))
    dtype = None if may_be_complex else _floating(data.dtype)
    return new(data.shape, dtype, merged(*call.args))


@MODELS.function("scipy.linalg.lu")
def _triangular(_: Interpreter, call: Call) -> Value:
    data = _array(call.given(0, "a"))
    if data is None or data.shape is None or len(data.shape) != 2 or len(call.args) > 1:
        return call.unknown()
    rows, columns = data.shape
    numbers = [size(rows), size(columns)]
    known = [number for number in numbers if number is not None]
    least = Value(min(known) if len(known) == 2 else UNKNOWN, merged(rows, columns))
    if call.keywords:
        return call.unknown()
    shapes = ((rows, rows), (rows, least), (least, columns))
    dtype = _floating(data.dtype)
    return Value(tuple(new(shape, dtype, merged(*call.args)) for shape in shapes))


@MODELS.function("scipy.linalg.toeplitz")
def _toeplitz(_: Interpreter, call: Call) -> Value:
    first, other = _array(call.given(0, "c")), call.given(1, "r")
    row = first if other is None else _array(other)
    if first is None or row is None or len(first.shape or ()) != 1 or len(row.shape or ()) != 1:
        return call.unknown()
    shape = (*(first.shape or ()), *(row.shape or ()))
    return new(shape, together([first.dtype, row.dtype]), merged(*call.args))


@MODELS.function("scipy.linalg.block_diag")
def _blocks(_: Interpreter, call: Call) -> Value:
    found = [_array(arg) for arg in call.args]
    parts = [part for part in found if part is not None and len(part.shape or ()) == 2]
    if not parts or len(parts) != len(found):
        return call.unknown()
    totals: list[Value] = []
    for at in (0, 1):
        sizes = [size((part.shape or ())[at]) for part in parts]
        known = [number for number in sizes if number is not None]
        total = sum(known) if len(known) == len(sizes) else UNKNOWN
        totals.append(Value(total, merged(*call.args)))
    return new(totals, together([part.dtype for part in parts]), merged(*call.args))


# --- statistics -----------------------------------------------------------------------------------

TESTS = (
    "pearsonr spearmanr kendalltau ttest_ind ttest_rel ttest_1samp shapiro normaltest jarque_bera "
    "ks_2samp kstest ks_1samp mannwhitneyu wilcoxon ranksums f_oneway kruskal levene bartlett "
    "chisquare skewtest kurtosistest pointbiserialr fligner"
)
"""Tests that return a statistic and its probability."""


def _all_flat(call: Call) -> bool:
    """Whether all operands are columns of numbers: what is tested are numbers then."""
    samples = [arg for arg in call.args if isinstance(arg.data, (list, tuple, Array)) and arg.known]
    return bool(samples) and all(_has_axes(arg, 1) or _has_axes(arg, 0) for arg in samples)


@MODELS.function(*below("scipy.stats", TESTS))
def _tested(_: Interpreter, call: Call) -> Value:
    if not _all_flat(call) or "axis" in call.keywords or "keepdims" in call.keywords:
        return call.unknown()
    number = some_number(call)
    return Value(Named((number, number), ("statistic", "pvalue")), number.origins)


@MODELS.function("scipy.stats.linregress")
def _fitted_line(_: Interpreter, call: Call) -> Value:
    if not _all_flat(call) or len(call.args) != 2:
        return call.unknown()
    number = some_number(call)
    names = ("slope", "intercept", "rvalue", "pvalue", "stderr")
    return Value(Named([number] * len(names), names), number.origins)


@MODELS.function("scipy.stats.chi2_contingency")
def _independent(_: Interpreter, call: Call) -> Value:
    data = _array(call.given(0, "observed"))
    if data is None:
        return call.unknown()
    number = some_number(call)
    parts = (number, number, arrays.number("int64"), new(data.shape, "float64", number.origins))
    return Value(Named(parts, ("statistic", "pvalue", "dof", "expected_freq")), number.origins)


@MODELS.function("scipy.stats.mode")
def _most_frequent(_: Interpreter, call: Call) -> Value:
    data = _array(call.given(0, "a"))
    if data is None or len(data.shape or ()) != 1 or len(call.args) > 1 or call.keywords:
        return call.unknown()
    origins = merged(*call.args)
    parts = (new((), data.dtype, origins), new((), "int64", origins))
    return Value(Named(parts, ("mode", "count")), origins)


@MODELS.function(*below("scipy.stats", "iqr trim_mean entropy percentileofscore"))
@MODELS.function(*below("scipy.integrate", "trapezoid simpson"))
def _one_of_columns(_: Interpreter, call: Call) -> Value:
    if not _has_axes(call.given(0, "x", "a", "pk", "y"), 1) or "axis" in call.keywords:
        return call.unknown()
    return some_number(call)


CONTINUOUS = words(
    "norm uniform expon t chi2 gamma beta lognorm f cauchy laplace logistic pareto weibull_min "
    "weibull_max rayleigh triang truncnorm gumbel_r gumbel_l skewnorm halfnorm loguniform"
)
DISCRETE = words("binom poisson randint geom bernoulli nbinom hypergeom")
FROZEN = "scipy.stats.Frozen"
OF_VALUES = words("pdf logpdf cdf logcdf sf logsf ppf isf pmf logpmf")
OF_TWO_PARAMETERS = ("norm", "uniform", "expon", "logistic", "cauchy", "laplace")


def _over(parts: Sequence[Value]) -> tuple[Value, ...] | None:
    shape: tuple[Value, ...] = ()
    for part in parts:
        data = _array(part)
        if data is None or data.shape is None:
            return None
        shape = arrays.broadcast(shape, data.shape)
    return shape


def _of_distribution(call: Call, name: str, how: str, parts: Sequence[Value]) -> Value:
    """Return what a distribution gives: densities of values, or numbers drawn from it."""
    origins = merged(*call.args) | {call.place}
    if how in OF_VALUES:
        shape = _over(parts)
        return call.unknown() if shape is None else new(shape, "float64", origins)
    if how == "fit" and name in OF_TWO_PARAMETERS and len(call.args) == 1 and not call.keywords:
        return Value((some_number(call), some_number(call)))
    if how == "interval" and all(_has_axes(part, 0) for part in parts):
        return Value((some_number(call), some_number(call)))
    if how in ("mean", "var", "std", "median") and all(_has_axes(part, 0) for part in parts):
        return some_number(call)
    return call.unknown()


def _drawn(interpreter: Interpreter, call: Call, asked: Value | None, *, whole: bool) -> Value:
    dtype = "int64" if whole else "float64"
    if asked is None or asked.data is None:
        return call.unknown()
    items = [asked] if size(asked) is not None else listed(interpreter, asked)
    if items is None or any(size(item) is None for item in items):
        return call.unknown()
    return new(items, dtype, merged(asked) | {call.place})


def _distribution(name: str, *, whole: bool) -> None:
    def of(how: str) -> Model:
        def run(interpreter: Interpreter, call: Call) -> Value:
            if how == "rvs":
                asked = call.keywords.get("size")
                return _drawn(interpreter, call, asked, whole=whole)
            named = [v for k, v in call.keywords.items() if k not in ("size", "random_state")]
            return _of_distribution(call, name, how, [*call.args, *named])

        return run

    for how in (*OF_VALUES, "rvs", "fit", "interval", "mean", "var", "std", "median"):
        MODELS.functions.setdefault(f"scipy.stats.{name}.{how}", of(how))

    def freeze(_: Interpreter, call: Call) -> Value:
        made = LibraryObject(FROZEN, call.args, dict(call.keywords), call.place)
        made.state["whole"] = Value(whole)
        return Value(made, merged(*call.args))

    MODELS.functions.setdefault(f"scipy.stats.{name}", freeze)


for _name in CONTINUOUS:
    _distribution(_name, whole=False)
for _name in DISCRETE:
    _distribution(_name, whole=True)


@MODELS.method("Frozen", *OF_VALUES, "mean", "var", "std", "median", "interval", "rvs")
def _of_frozen(interpreter: Interpreter, call: Call) -> Value:
    held = call.held
    if held is None:
        return call.unknown()
    if call.name == "rvs":
        asked, whole = call.given(0, "size"), held.state.get("whole", Value(UNKNOWN)).data
        return _drawn(interpreter, call, asked, whole=whole is True)
    given = [*held.args, *held.keywords.values()]
    return _of_distribution(call, "", call.name, [*call.args, *given])


MODELS.function("scipy.stats.gaussian_kde", "scipy.stats.multivariate_normal")(make_object)


@MODELS.object("scipy.stats.gaussian_kde")
def _density(_: Interpreter, call: Call) -> Value:
    held, data = call.held, _array(call.given(0, "points"))
    one = held is not None and bool(held.args) and _has_axes(held.args[0], 1)
    if data is None or not one or len(data.shape or ()) > 1:
        return call.unknown()
    return new(data.shape or (Value(1),), "float64", merged(*call.args))


# --- optima and integrals -------------------------------------------------------------------------


@MODELS.function(*below("scipy.optimize", "minimize least_squares root basinhopping"))
@MODELS.function(*below("scipy.optimize", "differential_evolution dual_annealing"))
def _optimum(_: Interpreter, call: Call) -> Value:
    """Return a result whose ``x`` has an item for each item of the start, or of the bounds."""
    bounded = call.name.endswith(("evolution", "annealing"))
    start = _array(call.given(1, "bounds" if bounded else "x0"))
    shape = None if start is None else start.shape
    count = shape[0] if shape else Value(1)
    x = new((count if shape is not None else Value(UNKNOWN),), "float64", merged(*call.args))
    state = {"x": x, "nit": arrays.number("int64"), "nfev": arrays.number("int64")}
    state["success"] = arrays.number("bool")
    residuals = call.name.endswith(("least_squares", "root"))
    state["fun"] = Value(UNKNOWN) if residuals else some_number(call)
    state["message"] = Value(UNKNOWN)
    return thing("scipy.optimize.OptimizeResult", call, **state)


@MODELS.method("OptimizeResult", "__getitem__")
def _part_of_result(_: Interpreter, call: Call) -> Value:
    key, held = call.given(0), call.held
    if held is None or key is None or not isinstance(key.data, str):
        return call.unknown()
    return held.state.get(key.data, call.unknown())


@MODELS.function("scipy.optimize.curve_fit")
def _fitted_curve(_: Interpreter, call: Call) -> Value:
    """Return a number for each parameter of a function behind its first, and their covariances."""
    function, start = call.given(0, "f"), call.given(3, "p0")
    count = Value(UNKNOWN, merged(*call.args))
    given = None if start is None or start.data is None else _array(start)
    if given is not None and given.shape:
        count = given.shape[0]
    elif start is None and function is not None and isinstance(function.data, FunctionValue):
        arguments = function.data.node.args
        named = len(arguments.posonlyargs) + len(arguments.args)
        if not arguments.vararg and not arguments.kwonlyargs and named > 1:
            count = Value(named - 1, function.origins)
    if call.keywords.keys() & {"full_output"}:
        return call.unknown()
    place = merged(*call.args) | {call.place}
    return Value((new((count,), "float64", place), new((count, count), "float64", place)), place)


@MODELS.function("scipy.optimize.fsolve")
def _zeros(_: Interpreter, call: Call) -> Value:
    start = _array(call.given(1, "x0"))
    if start is None or "full_output" in call.keywords:
        return call.unknown()
    return new(start.shape or (Value(1),), "float64", merged(*call.args))


@MODELS.function(*below("scipy.optimize", "brentq brenth bisect ridder"))
def _zero(_: Interpreter, call: Call) -> Value:
    return call.unknown() if "full_output" in call.keywords else arrays.number("float64")


@MODELS.function("scipy.integrate.quad", "scipy.integrate.dblquad", "scipy.integrate.tplquad")
def _integral(_: Interpreter, call: Call) -> Value:
    if call.keywords.keys() & {"full_output", "complex_func"}:
        return call.unknown()
    return Value((arrays.number("float64"), arrays.number("float64")))


@MODELS.function("scipy.integrate.odeint")
def _solved(_: Interpreter, call: Call) -> Value:
    start, times = _array(call.given(1, "y0")), _array(call.given(2, "t"))
    if start is None or times is None or not times.shape or "full_output" in call.keywords:
        return call.unknown()
    width = start.shape[0] if start.shape else Value(1)
    return new((times.shape[0], width), "float64", merged(*call.args))


@MODELS.function("scipy.integrate.solve_ivp")
def _trajectory(_: Interpreter, call: Call) -> Value:
    start, times = _array(call.given(2, "y0")), call.keywords.get("t_eval")
    if start is None or not start.shape or start.dtype is None:
        return call.unknown()
    wanted = _array(times) if times is not None and times.data is not None else None
    count = wanted.shape[0] if wanted is not None and wanted.shape else Value(UNKNOWN)
    if "events" in call.keywords or not call.keywords.keys() <= {"t_eval", "method", "args"}:
        count = Value(UNKNOWN, count.origins)  # What happens may end it before.
    t, y = new((count,), "float64"), new((start.shape[0], count), "float64")
    return thing("scipy.integrate.OdeResult", call, t=t, y=y, success=arrays.number("bool"))


# --- interpolation --------------------------------------------------------------------------------

CURVES = words("interp1d CubicSpline PchipInterpolator Akima1DInterpolator UnivariateSpline")
MODELS.function(*(f"scipy.interpolate.{name}" for name in CURVES))(make_object)


@MODELS.object(*(f"scipy.interpolate.{name}" for name in CURVES))
def _between(_: Interpreter, call: Call) -> Value:
    """Return a number for each place, where there is one for each of the places given before."""
    held, data = call.held, _array(call.given(0, "x"))
    if held is None or data is None or len(held.args) < 2 or len(call.args) > 1:
        return call.unknown()
    if not _has_axes(held.args[1], 1) or call.keywords:
        return call.unknown()
    return new(data.shape, "float64", merged(*call.args))


# --- signals and images ---------------------------------------------------------------------------


@MODELS.function("scipy.signal.butter")
def _filter(_: Interpreter, call: Call) -> Value:
    order, kind = size(call.given(0, "N")), call.given(2, "btype")
    form = "low" if kind is None else kind.data
    output = call.given(4, "output") or Value("ba")
    if order is None or form not in ("low", "high", "lowpass", "highpass") or output.data != "ba":
        if order is None or output.data != "ba" or form not in ("band", "bandpass", "bandstop"):
            return call.unknown()
        order *= 2
    one = new((Value(order + 1),), "float64", merged(*call.args))
    return Value((one, one))


@MODELS.function("scipy.signal.lfilter", "scipy.signal.filtfilt", "scipy.signal.sosfilt")
def _filtered(_: Interpreter, call: Call) -> Value:
    data = _array(call.given(1 if call.name.endswith("sosfilt") else 2, "x"))
    if data is None or "zi" in call.keywords:
        return call.unknown()
    return new(data.shape, "float64" if data.dtype == "float64" else None, merged(*call.args))


@MODELS.function("scipy.signal.find_peaks")
def _peaks(_: Interpreter, call: Call) -> Value:
    count = Value(UNKNOWN, merged(*call.args) | {call.place})
    return Value((new((count,), "int64", count.origins), Value(UNKNOWN)))


@MODELS.function("scipy.ndimage.label")
def _regions(_: Interpreter, call: Call) -> Value:
    data = _array(call.given(0, "input"))
    if data is None or "output" in call.keywords:
        return call.unknown()
    labelled = new(data.shape, "int32", merged(*call.args))
    return Value((labelled, arrays.number("int64", *call.args)))


@MODELS.function("scipy.ndimage.center_of_mass")
def _center(_: Interpreter, call: Call) -> Value:
    data = _array(call.given(0, "input"))
    if data is None or data.shape is None or len(call.args) > 1 or call.keywords:
        return call.unknown()
    return Value(tuple(some_number(call) for _axis in data.shape))


# --- distances and clusters -----------------------------------------------------------------------


@MODELS.function(
    *below(
        "scipy.spatial.distance",
        "euclidean sqeuclidean cosine cityblock correlation chebyshev minkowski hamming jaccard "
        "braycurtis canberra mahalanobis",
    )
)
def _distance(_: Interpreter, call: Call) -> Value:
    known = all(_has_axes(arg, 1) for arg in call.args[:2])
    return some_number(call) if known and len(call.args) >= 2 else call.unknown()


@MODELS.function("scipy.spatial.distance.squareform")
def _square(_: Interpreter, call: Call) -> Value:
    """Turn the distances of all pairs into a matrix, or back."""
    data = _array(call.given(0, "X"))
    if data is None or not data.shape or call.keywords or len(call.args) > 1:
        return call.unknown()
    number = size(data.shape[0])
    origins = merged(*call.args)
    if len(data.shape) == 2:
        pairs = Value(UNKNOWN if number is None else number * (number - 1) // 2, origins)
        return new((pairs,), data.dtype, origins)
    if len(data.shape) != 1:
        return call.unknown()
    side = None if number is None else round(0.5 + (0.25 + 2 * number) ** 0.5)
    shape = Value(UNKNOWN if side is None else side, origins)
    return new((shape, shape), data.dtype, origins)


@MODELS.function("scipy.cluster.hierarchy.linkage", "scipy.cluster.hierarchy.ward")
def _linked(_: Interpreter, call: Call) -> Value:
    """Return a row for each time that two clusters of samples are joined."""
    data = _array(call.given(0, "y"))
    if data is None or data.shape is None or len(data.shape) != 2:
        return new((Value(UNKNOWN), Value(4)), "float64", merged(*call.args))
    number = size(data.shape[0])
    less = Value(UNKNOWN if number is None else number - 1, data.shape[0].origins)
    return new((less, Value(4)), "float64", merged(*call.args))


@MODELS.function("scipy.cluster.hierarchy.fcluster")
def _flat(_: Interpreter, call: Call) -> Value:
    data = _array(call.given(0, "Z"))
    number = size(data.shape[0]) if data is not None and data.shape else None
    more = Value(UNKNOWN if number is None else number + 1, merged(*call.args))
    return new((more,), "int32", more.origins)


@MODELS.function("scipy.cluster.vq.whiten")
def _whitened(_: Interpreter, call: Call) -> Value:
    data = _array(call.given(0, "obs"))
    if data is None:
        return call.unknown()
    return new(data.shape, _floating(data.dtype), merged(*call.args))


@MODELS.function("scipy.cluster.vq.kmeans2")
def _clustered(_: Interpreter, call: Call) -> Value:
    data, count = _array(call.given(0, "data")), call.given(1, "k")
    if data is None or data.shape is None or len(data.shape) != 2 or size(count) is None:
        return call.unknown()
    assert count is not None
    centers = new((count, data.shape[1]), _floating(data.dtype), merged(*call.args))
    return Value((centers, new((data.shape[0],), "int32", merged(*call.args))))


@MODELS.function("scipy.special.comb", "scipy.special.binom", "scipy.special.perm")
def _combinations(_: Interpreter, call: Call) -> Value:
    shape = _over(call.args)
    if shape is None or call.keywords:
        return call.unknown()
    return new(shape, "float64", merged(*call.args))


@MODELS.function("scipy.stats.boxcox")
def _transformed(_: Interpreter, call: Call) -> Value:
    data = _array(call.given(0, "x"))
    if data is None or len(data.shape or ()) != 1 or call.keywords or len(call.args) > 1:
        return call.unknown()
    dtype = _floating(data.dtype)
    return Value((new(data.shape, dtype, merged(*call.args)), some_number(call)))


@MODELS.function("scipy.stats.describe")
def _described(_: Interpreter, call: Call) -> Value:
    data = _array(call.given(0, "a"))
    if data is None or len(data.shape or ()) != 1 or len(call.args) > 1 or call.keywords:
        return call.unknown()
    number, least = some_number(call), new((), data.dtype, merged(*call.args))
    parts = ((data.shape or (Value(UNKNOWN),))[0], Value((least, least)), *([number] * 4))
    names = ("nobs", "minmax", "mean", "variance", "skewness", "kurtosis")
    return Value(Named(parts, names), number.origins)


@MODELS.function("scipy.signal.welch", "scipy.signal.periodogram")
def _spectrum(_: Interpreter, call: Call) -> Value:
    """Return frequencies and their power, of one axis of real numbers."""
    data = _array(call.given(0, "x"))
    if data is None or not data.shape or len(data.shape) != 1 or data.dtype != "float64":
        return call.unknown()
    length = size(data.shape[0])
    asked = call.keywords.get("nperseg")
    part = length if call.name.endswith("periodogram") or asked is None else size(asked)
    if asked is None and length is not None and call.name.endswith("welch"):
        part = min(length, 256)
    if call.keywords.keys() - {"fs", "nperseg", "window", "noverlap", "scaling"}:
        return call.unknown()
    known = part is not None and length is not None and part <= length
    count = Value(part // 2 + 1 if known and part is not None else UNKNOWN, merged(*call.args))
    one = new((count,), "float64", count.origins)
    return Value((one, one), count.origins)
