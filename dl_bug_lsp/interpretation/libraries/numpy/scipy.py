"""SciPy: sparse matrices, special functions, signals, images, distances, files and statistics.

A sparse matrix is an `Array` of the library ``"scipy"``. Only the matrices are modelled, not
SciPy's newer sparse arrays, of which ``*`` is another operation. Tests, distributions, optima,
integrals and transforms are told by what they return. Source: the SciPy 1.17 reference.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import dl_bug_lsp.interpretation.libraries.numpy.dtypes
import dl_bug_lsp.interpretation.libraries.pandas.columns
import dl_bug_lsp.interpretation.libraries.sklearn.functions
import dl_bug_lsp.interpretation.libraries.torch.functions
import dl_bug_lsp.interpretation.libraries.torch.reductions
import dl_bug_lsp.interpretation.libraries.torch.shapes  # noqa: F401
from dl_bug_lsp.interpretation import arrays, operators
from dl_bug_lsp.interpretation.arrays import array, axis_of, size
from dl_bug_lsp.interpretation.libraries.effects import below, some_number, words
from dl_bug_lsp.interpretation.libraries.numpy.functions import (
    as_array,
    new,
    shape_of,
    together,
    wanted_dtype,
)
from dl_bug_lsp.interpretation.libraries.python.files import file_of
from dl_bug_lsp.interpretation.libraries.sklearn.functions import matrix
from dl_bug_lsp.interpretation.model_helpers import itself, listed, make_object, nothing, thing
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    FunctionValue,
    LibraryObject,
    Named,
    Origins,
    Raised,
    Value,
    merged,
    unknown,
)
from dl_bug_lsp.workspace.binary_files import Sound

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

SPARSE = "scipy"
FORMATS = ("coo", "csr", "csc", "dok", "lil", "bsr", "dia")


def _origins(call: Call) -> Origins:
    return merged(*call.args, *call.keywords.values())


def _matrix(shape: Sequence[Value] | None, dtype: str | None, origins: Origins) -> Value:
    return Value(Array(None if shape is None else tuple(shape), dtype, SPARSE), origins)


def is_sparse(value: Value | None) -> bool:
    """Whether a value is a sparse matrix."""
    data = array(value)
    return data is not None and data.library == SPARSE


# --- sparse matrices ------------------------------------------------------------------------------


@MODELS.function(*(f"scipy.sparse.{name}_matrix" for name in FORMATS))
def _made(interpreter: Interpreter, call: Call) -> Value:
    """Return a matrix of a shape, of another array's cells, or of cells and their places."""
    given, wanted = call.given(0, "arg1"), call.given(1, "shape")
    dtype = wanted_dtype(call, 2, None)
    shape = shape_of(interpreter, wanted) if wanted is not None and wanted.data else None
    if given is None:
        return call.unknown()
    if isinstance(given.data, tuple) and len(given.data) in (2, 3):
        sizes = [size(part) for part in given.data]
        if len(sizes) == 2 and None not in sizes:
            return _matrix(given.data, dtype or "float64", _origins(call))
        cells = array(as_array(given.data[0]))
        dtype = dtype or (None if cells is None else cells.dtype)
        return _matrix(shape or (unknown(given), unknown(given)), dtype, _origins(call))
    data = array(given) if isinstance(given.data, Array) else array(as_array(given))
    if data is None:
        return _matrix(shape, dtype, _origins(call))
    dims = data.shape
    if dims is not None and len(dims) > 2:
        raise Raised("type", "expected a matrix of two dimensions", Value(len(dims), given.origins))
    if dims is not None and len(dims) < 2:
        dims = (*(Value(1, given.origins) for _ in range(2 - len(dims))), *dims)
    return _matrix(dims, dtype or data.dtype, _origins(call))


@MODELS.function("scipy.sparse.eye", "scipy.sparse.identity")
def _identity(_: Interpreter, call: Call) -> Value:
    rows = call.given(0, "m", "n")
    columns = call.given(1, "n") if call.name.endswith("eye") else None
    if rows is None:
        return call.unknown()
    both = (rows, rows if columns is None or columns.data is None else columns)
    dtype = wanted_dtype(call, 3 if call.name.endswith("eye") else 1, "float64")
    return _matrix(both, dtype, _origins(call))


@MODELS.function("scipy.sparse.diags")
def _diagonals(interpreter: Interpreter, call: Call) -> Value:
    """Return a square matrix around a main diagonal, else of the shape that is asked for."""
    given, offsets = call.given(0, "diagonals"), call.given(1, "offsets") or Value(0)
    wanted = call.given(2, "shape")
    shape = shape_of(interpreter, wanted) if wanted is not None and wanted.data else None
    data = array(as_array(given))
    if shape is None and data is not None and data.shape and size(offsets) is not None:
        first = size(offsets) or 0
        length = size(data.shape[-1])
        side = unknown(data.shape[-1])
        if length is not None:
            side = Value(length + abs(first), data.shape[-1].origins)
        known = len(data.shape) == 1 or size(data.shape[0]) == 1
        shape = (side, side) if known else None
    dtype = None if data is None else data.dtype
    floats = dtype in ("int64", "int32", "bool")  # They become numbers with fractions.
    return _matrix(shape, "float64" if floats else dtype, _origins(call))


@MODELS.function("scipy.sparse.random", "scipy.sparse.rand")
def _random(_: Interpreter, call: Call) -> Value:
    rows, columns = call.given(0, "m"), call.given(1, "n")
    if rows is None or columns is None:
        return call.unknown()
    return _matrix((rows, columns), wanted_dtype(call, 4, "float64"), _origins(call))


@MODELS.function("scipy.sparse.vstack", "scipy.sparse.hstack")
def _stacked(interpreter: Interpreter, call: Call) -> Value:
    parts = listed(interpreter, call.given(0, "blocks"))
    data = [array(part) for part in parts or ()]
    whole = [part for part in data if part is not None]
    if not whole or len(whole) != len(data):
        return call.unknown()
    axis = 0 if call.name.endswith("vstack") else 1
    shape = arrays.concatenated(whole, axis)
    return _matrix(shape, together([part.dtype for part in whole]), _origins(call))


@MODELS.function(*(f"scipy.sparse.{name}" for name in ("issparse", "isspmatrix")))
def _is_sparse(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "x")
    if given is None or not given.known:
        return call.unknown()
    return Value(is_sparse(given), given.origins)


@MODELS.function("scipy.sparse.load_npz")
def _loaded(interpreter: Interpreter, call: Call) -> Value:
    file_of(interpreter, call.given(0, "file"))
    return _matrix((unknown(*call.args), unknown(*call.args)), None, _origins(call))


MODELS.function("scipy.sparse.save_npz")(nothing)
MODELS.method("array", *(f"to{name}" for name in FORMATS), "eliminate_zeros", "sort_indices")(
    itself
)


def _on_sparse(*names: str) -> Callable[[Callable[[Call, Array, Value], Value]], Model]:
    """Register what methods of arrays give for sparse matrices; others keep their model."""

    def keep(work: Callable[[Call, Array, Value], Value]) -> Model:
        for name in names:
            before = MODELS.methods.get(("array", name))

            def run(interpreter: Interpreter, call: Call, other: Model | None = before) -> Value:
                data = array(call.receiver)
                if data is not None and call.receiver is not None and data.library == SPARSE:
                    return work(call, data, call.receiver)
                return call.unknown() if other is None else other(interpreter, call)

            if before in MODELS.numeric:
                MODELS.numbers(run)
            MODELS.method("array", name)(run)
        return run

    return keep


@_on_sparse("sum", "mean", "max", "min")
def _reduced(call: Call, x: Array, value: Value) -> Value:
    """Return a matrix of two axes, of which one is 1; a number where no axis is given."""
    axis = call.given(0, "axis")
    name = call.name
    dtype = x.dtype
    if name in ("sum", "mean") and dtype is not None and not dtype.startswith(("float", "complex")):
        dtype = "float64" if name == "mean" else None
    if axis is None or axis.data is None:
        return new((), dtype, value.origins)
    at = None if x.shape is None else axis_of(axis, len(x.shape))
    if x.shape is None or at is None:
        return new(None, dtype, value.origins)
    shape = [Value(1, merged(axis)) if i == at else dim for i, dim in enumerate(x.shape)]
    made = new(shape, dtype, value.origins)
    # The greatest are a sparse matrix, sums and means one of NumPy.
    return _matrix(shape, dtype, value.origins) if name in ("max", "min") else made


@_on_sparse("dot", "__matmul__", "multiply")
def _product(call: Call, x: Array, value: Value) -> Value:
    other = call.given(0, "other")
    if other is None:
        return call.unknown()
    if call.name == "multiply" or isinstance(other.data, (int, float)):
        return _matrix(x.shape, None, merged(value, other))
    return _times(value, x, other, array(as_array(other)))


def _times(left: Value, x: Array, right: Value, y: Array | None) -> Value:
    """Return a matrix product: sparse where both are, else NumPy's."""
    if y is None:
        return unknown(left, right)
    shape, origins = arrays.matmul(x, y), merged(left, right)
    dtype = together([x.dtype, y.dtype])
    if is_sparse(left) and is_sparse(right):
        return _matrix(shape, dtype, origins)
    return new(shape, dtype, origins)


@_on_sparse("transpose", "power", "copy", "tolil_", "conj")
def _transposed(call: Call, x: Array, value: Value) -> Value:
    turned = x.shape[::-1] if call.name == "transpose" and x.shape is not None else x.shape
    return _matrix(turned, x.dtype, value.origins)


@_on_sparse("diagonal")
def _main_diagonal(_: Call, x: Array, value: Value) -> Value:
    sizes = [size(dim) for dim in x.shape or ()]
    known = [number for number in sizes if number is not None]
    count = Value(min(known) if known and len(known) == len(sizes) else UNKNOWN, value.origins)
    return new((count,), x.dtype, value.origins)


@_on_sparse("nonzero")
def _nonzero(_: Call, x: Array, value: Value) -> Value:
    del x
    part = new((Value(UNKNOWN, value.origins),), "int32", value.origins)
    return Value((part, part), value.origins)


@MODELS.attribute("array", "nnz")
def _count(_: Interpreter, call: Call) -> Value:
    return arrays.number("int64", *([call.receiver] if call.receiver is not None else []))


def product_of_sparse(kind: type[ast.operator], a: Value, b: Value) -> Value | None:
    """Return what an operator gives where an operand is a sparse matrix, None for others.

    ``*`` is the matrix product; where the shapes do not allow it nothing is said.
    """
    x, y = array(a), array(b)
    sparse = [data for data in (x, y) if data is not None and data.library == SPARSE]
    if not sparse:
        return None
    if kind is ast.MatMult or (kind is ast.Mult and x is not None and y is not None):
        if x is None or y is None:
            return unknown(a, b)
        try:
            return _times(a, x, b, y)
        except Raised:
            if kind is ast.MatMult:
                raise
            return unknown(a, b)
    if x is None or y is None:
        other = b if y is None else a
        if isinstance(other.data, (int, float)) and kind in (ast.Mult, ast.Div):
            return _matrix(sparse[0].shape, None, merged(a, b))
        return unknown(a, b)
    if kind not in (ast.Add, ast.Sub):
        return unknown(a, b)
    if x.shape is not None and y.shape is not None and len(sparse) == 2:
        for p, q in zip(x.shape, y.shape, strict=False):
            if 1 not in (size(p), size(q)):
                arrays.same(p, q, "inconsistent shapes")
    dtype = together([x.dtype, y.dtype])
    if len(sparse) == 2:
        return _matrix(x.shape, dtype, merged(a, b))
    return new(sparse[0].shape, dtype, merged(a, b))


operators.OF_ARRAYS.append(product_of_sparse)


# --- functions on arrays --------------------------------------------------------------------------


def _named(folder: str, names: str) -> list[str]:
    return [f"scipy.{folder}.{name}" for name in names.split()]


def _floated(x: Array) -> str | None:
    return x.dtype if x.dtype in ("float32", "float64") else None if x.dtype is None else "float64"


def _doubles(*parts: Array) -> str | None:
    """Return float64 where all arrays have it: what comes of others depends on the function."""
    return "float64" if all(part.dtype == "float64" for part in parts) else None


def _on_array(*names: str) -> Callable[[Callable[[Call, Array, Value], Value]], Model]:
    """Register a model of functions whose first argument is an array."""

    def keep(work: Callable[[Call, Array, Value], Value]) -> Model:
        def run(_: Interpreter, call: Call) -> Value:
            value = as_array(call.given(0, "a", "x", "input", "array"))
            data = array(value)
            return call.unknown() if data is None else work(call, data, value)

        return MODELS.function(*names)(run)

    return keep


@_on_array(
    *_named("special", "softmax log_softmax expit logit erf erfc erfinv gamma gammaln digamma psi"),
    *_named("special", "log1p expm1 exp2 i0 i0e i1 i1e ndtr ndtri cbrt entr factorial log_ndtr"),
)
def _elementwise(_: Call, x: Array, value: Value) -> Value:
    return new(x.shape, _floated(x), value.origins)


@_on_array(
    *_named("stats", "zscore rankdata"),
    *_named("ndimage", "gaussian_filter median_filter uniform_filter gaussian_filter1d sobel"),
    *_named("ndimage", "laplace gaussian_laplace maximum_filter minimum_filter rotate_ shift"),
    *_named("ndimage", "convolve correlate convolve1d grey_dilation grey_erosion spline_filter"),
    *_named("signal", "detrend savgol_filter medfilt hilbert_ medfilt2d wiener"),
)
def _of_same_shape(call: Call, x: Array, value: Value) -> Value:
    kept = call.name.startswith("scipy.ndimage") and "spline" not in call.name
    dtype = x.dtype if kept else _doubles(x)
    if x.dtype == "int64" and ".stats." in call.name:
        dtype = "float64"
    return new(x.shape, None if "output" in call.keywords else dtype, value.origins)


@_on_array(*_named("ndimage", "binary_dilation binary_erosion binary_fill_holes binary_opening"),
           *_named("ndimage", "binary_closing"))  # fmt: skip
def _binary_image(_: Call, x: Array, value: Value) -> Value:
    return new(x.shape, "bool", value.origins)


@_on_array("scipy.ndimage.distance_transform_edt")
def _distances(call: Call, x: Array, value: Value) -> Value:
    if call.keywords:
        return call.unknown()
    return new(x.shape, "float64", value.origins)


@_on_array(*_named("special", "logsumexp"), *_named("stats", "skew kurtosis sem hmean gmean"))
def _over_axis(call: Call, x: Array, value: Value) -> Value:
    """Return one number of an axis: of the first in ``stats``, of all where none is given."""
    default = Value(None if "special" in call.name else 0)
    axis, keep = call.given(1, "axis") or default, call.keywords.get("keepdims")
    dtype = "float64" if x.dtype == "int64" else _doubles(x)
    if keep is not None and keep.data is not False:
        return new(None, dtype, value.origins)
    if axis.data is None:
        return new((), dtype, value.origins)
    at = None if x.shape is None or isinstance(axis.data, tuple) else axis_of(axis, len(x.shape))
    if x.shape is None or at is None:
        return new(None, dtype, value.origins)
    return new((*x.shape[:at], *x.shape[at + 1 :]), dtype, value.origins)


@_on_array("scipy.ndimage.zoom")
def _zoomed(call: Call, x: Array, value: Value) -> Value:
    """Return an array whose lengths are multiplied and rounded."""
    factors = call.given(1, "zoom")
    if x.shape is None or factors is None:
        return new(None, x.dtype, value.origins)
    several = factors.data if isinstance(factors.data, (list, tuple)) else [factors] * len(x.shape)
    if len(several) != len(x.shape):
        sides = Value(len(several), factors.origins), Value(len(x.shape), value.origins)
        raise Raised("size", "sequence argument must have length equal to input rank", *sides)
    shape = []
    for dim, factor in zip(x.shape, several, strict=True):
        length, by = size(dim), factor.data
        zoomed: object = UNKNOWN
        if length is not None and isinstance(by, (int, float)):
            zoomed = round(length * by)
        shape.append(Value(zoomed, merged(dim, factor)))
    return new(shape, x.dtype if "output" not in call.keywords else None, merged(value, factors))


@_on_array(*_named("signal", "resample decimate"))
def _resampled(call: Call, x: Array, value: Value) -> Value:
    """Return an axis of another number of samples: the one given, or one of so many."""
    number, reduces = call.given(1, "num", "q"), call.name.endswith("decimate")
    axis = call.keywords.get("axis") or Value(-1 if reduces else 0)
    if "t" in call.keywords or len(call.args) > 2:
        return call.unknown()
    at = None if x.shape is None else axis_of(axis, len(x.shape))
    if x.shape is None or number is None or at is None:
        return new(None, None, value.origins)
    count = size(number)
    if count is None and isinstance(number.data, float):
        raise Raised("type", "'float' object cannot be interpreted as an integer", number)
    length = size(x.shape[at])
    if reduces and count:
        count = None if length is None else -(-length // count)
    dim = Value(UNKNOWN if count is None else count, merged(number, x.shape[at]))
    return new((*x.shape[:at], dim, *x.shape[at + 1 :]), _doubles(x), merged(value, number))


@MODELS.function(*_named("signal", "convolve fftconvolve correlate convolve2d correlate2d"))
def _convolved(_: Interpreter, call: Call) -> Value:
    """Return each axis: whole, as long as the first input, or where both overlap."""
    left, right = as_array(call.given(0, "in1")), as_array(call.given(1, "in2"))
    x, y = array(left), array(right)
    mode = call.given(2, "mode") or Value("full")
    origins = merged(left, right)
    if x is None or y is None or x.shape is None or y.shape is None or "axes" in call.keywords:
        return new(None, None, origins)
    if len(x.shape) != len(y.shape):
        sides = Value(len(x.shape), left.origins), Value(len(y.shape), right.origins)
        raise Raised("value", "in1 and in2 should have the same dimensionality", *sides)
    if mode.data not in ("full", "same", "valid"):
        return new(None, None, origins)
    shape = []
    for p, q in zip(x.shape, y.shape, strict=True):
        a, b = size(p), size(q)
        number: object = UNKNOWN
        if mode.data == "same":
            number = p.data
        elif a is not None and b is not None:
            number = a + b - 1 if mode.data == "full" else abs(a - b) + 1
        shape.append(Value(number, merged(p, q)))
    whole = call.name.endswith(("signal.convolve", "correlate")) and x.dtype == y.dtype == "int64"
    return new(shape, "int64" if whole else _doubles(x, y), origins)


@MODELS.function("scipy.spatial.distance.cdist", "scipy.spatial.distance_matrix")
def _distances_of_both(_: Interpreter, call: Call) -> Value:
    """Return rows by rows; raise where the rows are of other lengths, or no matrices are given."""
    left, right = as_array(call.given(0, "XA", "x")), as_array(call.given(1, "XB", "y"))
    x, y = array(left), array(right)
    origins = merged(left, right)
    if x is None or y is None or x.shape is None or y.shape is None:
        return new(None, "float64", origins)
    for data, value in ((x, left), (y, right)):
        if data.shape is not None and len(data.shape) != 2:
            rank = Value(len(data.shape), value.origins)
            raise Raised("value", "XA and XB must be 2-dimensional", rank, Value(2))
    arrays.same(x.shape[1], y.shape[1], "XA and XB must have the same number of columns")
    return new((x.shape[0], y.shape[0]), "float64", origins)


@_on_array("scipy.spatial.distance.pdist")
def _distances_inside(_: Call, x: Array, value: Value) -> Value:
    count = size(x.shape[0]) if x.shape else None
    number = Value(UNKNOWN if count is None else count * (count - 1) // 2, value.origins)
    return new((number,), "float64", value.origins)


@MODELS.function("scipy.optimize.linear_sum_assignment")
def _assignment(_: Interpreter, call: Call) -> Value:
    x = array(as_array(call.given(0, "cost_matrix")))
    if x is None or x.shape is None or len(x.shape) != 2:
        return call.unknown()
    numbers = [size(dim) for dim in x.shape]
    known = [number for number in numbers if number is not None]
    count = Value(min(known) if len(known) == 2 else UNKNOWN, merged(*call.args))
    part = new((count,), "int64", merged(*call.args))
    return Value((part, part), part.origins)


# --- files ----------------------------------------------------------------------------------------


@MODELS.function("scipy.io.loadmat")
def _variables(interpreter: Interpreter, call: Call) -> Value:
    """Return what is not known; raise where the file is not there."""
    file_of(interpreter, call.given(0, "file_name"))
    return call.unknown()


@MODELS.function("scipy.io.wavfile.read")
def _sound(interpreter: Interpreter, call: Call) -> Value:
    """Return (rate, samples by channels), one axis for one channel."""
    file = file_of(interpreter, call.given(0, "filename"))
    header = interpreter.workspace.media(file) if file is not None else None
    origins = merged(*call.args) | {call.place}
    if not isinstance(header, Sound):
        return Value((unknown(*call.args), new(None, None, origins)), origins)
    shape = [Value(header.samples, origins)]
    if header.channels != 1:
        shape.append(Value(header.channels, origins))
    return Value((Value(header.rate, origins), new(shape, header.dtype, origins)), origins)


# --- statistics, optima, integrals, transforms ----------------------------------------------------


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
