"""TensorFlow's further mathematics: ``tf.math``, ``tf.linalg``, ``tf.nn`` and ``tf.signal``.

Source: the TensorFlow 2 API reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import axis_of, size
from dl_bug_lsp.interpretation.libraries.tensorflow.functions import on_tensor, plain_dtype
from dl_bug_lsp.interpretation.libraries.tensorflow.ragged import Ragged
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import (
    ALIKE,
    FLOATING,
    KEEPING,
    REDUCTIONS,
    Shape,
    dims,
    dtype_named,
    keeps_shape,
    names,
    operand,
    reduce,
    reduced,
    tensor,
    two_operands,
    where,
)
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.values import UNKNOWN, Array, Raised, Value, merged, unknown

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

COMPLEX = {"complex64": "float32", "complex128": "float64"}
TO_COMPLEX = {"float32": "complex64", "float64": "complex128"}

MODELS.function(
    *names(
        "math.reciprocal math.lgamma math.digamma math.erfinv math.sinh math.cosh math.asin "
        "math.acos math.atan math.asinh math.acosh math.atanh math.tan math.ceil math.rint "
        "math.ndtri math.bessel_i0 math.erfc math.log_sigmoid math.cumulative_logsumexp "
        "math.softsign nn.softsign nn.log_sigmoid nn.local_response_normalization nn.lrn "
        "linalg.set_diag reverse_sequence tensor_scatter_nd_max tensor_scatter_nd_min "
        "tensor_scatter_nd_sub linalg.expm linalg.logm math.conj"
    )
)(keeps_shape)
MODELS.function(
    *names(
        "math.xlogy math.xlog1py math.xdivy math.atan2 math.floormod floormod math.floordiv "
        "math.igamma math.igammac math.zeta math.polygamma math.nextafter math.multiply_no_nan "
        "math.mod math.truncatediv truncatemod nn.log_poisson_loss"
    )
)(two_operands)


@on_tensor("math.is_nan math.is_inf math.is_finite")
def _tested(call: Call, x: Array, value: Value) -> Value:
    return tensor(call, x.shape, "bool", value)


@MODELS.function(*names("reduce_mean"))
def _mean(interpreter: Interpreter, call: Call) -> Value:
    """Return means; those of whole numbers in a ragged tensor are floats."""
    made, x = reduce(interpreter, call), arrays.array(call.given(0, "input_tensor"))
    if isinstance(x, Ragged) and isinstance(made.data, Array) and (x.dtype or "").startswith("int"):
        made.data.dtype = "float64"
    return made


@on_tensor("math.count_nonzero")
def _counted(call: Call, x: Array, value: Value) -> Value:
    shape = reduced(x, call.given(1, "axis"), call.given(2, "keepdims"))
    return tensor(call, shape, dtype_named(call.given(3, "dtype"), "int64"), value)


@on_tensor("math.zero_fraction nn.zero_fraction")
def _fraction(call: Call, x: Array, value: Value) -> Value:
    del x
    return tensor(call, (), "float32", value)


@on_tensor("nn.l2_loss")
def _half_square(call: Call, x: Array, value: Value) -> Value:
    return tensor(call, (), x.dtype, value)


@on_tensor("math.real", "math.imag", "math.angle")
def _part(call: Call, x: Array, value: Value) -> Value:
    """Return a part of complex numbers, which has half their size."""
    return tensor(call, x.shape, COMPLEX.get(x.dtype or "", x.dtype), value)


@MODELS.function(*names("math.abs abs"))
def _absolute(interpreter: Interpreter, call: Call) -> Value:
    made = keeps_shape(interpreter, call)
    if isinstance(made.data, Array):
        made.data.dtype = COMPLEX.get(made.data.dtype or "", made.data.dtype)
    return made


@MODELS.function(*names("complex dtypes.complex"))
def _complex(interpreter: Interpreter, call: Call) -> Value:
    given = {"real": "x", "imag": "y"}
    keywords = {given.get(name, name): value for name, value in call.keywords.items()}
    made = two_operands(interpreter, Call("complex", call.args, keywords, call.place))
    if isinstance(made.data, Array):
        made.data.dtype = TO_COMPLEX.get(made.data.dtype or "")
    return made


@on_tensor("signal.fft signal.ifft signal.fft2d signal.ifft2d signal.fft3d signal.ifft3d")
def _fourier(call: Call, x: Array, value: Value) -> Value:
    return tensor(call, x.shape, x.dtype, value)


@on_tensor("signal.rfft")
def _real_fourier(call: Call, x: Array, value: Value) -> Value:
    """Return half of the frequencies along the last axis."""
    dtype = TO_COMPLEX.get(x.dtype or "")
    if not x.shape or len(call.args) + len(call.keywords) > 1:
        return tensor(call, None, dtype, value)
    length = size(x.shape[-1])
    half = UNKNOWN if length is None else length // 2 + 1
    return tensor(call, (*x.shape[:-1], Value(half, x.shape[-1].origins)), dtype, value)


@on_tensor("signal.frame", "signal.stft")
def _framed(call: Call, x: Array, value: Value) -> Value:
    """Return windows of a signal, or their frequencies."""
    width, step = size(call.given(1, "frame_length")), size(call.given(2, "frame_step"))
    is_frame = call.name.endswith("frame")
    dtype = x.dtype if is_frame else TO_COMPLEX.get(x.dtype or "")
    if not x.shape or width is None or not step or len(call.args) > 4:
        return tensor(call, None, dtype, value)
    if call.keywords.keys() & {"pad_end", "axis"} or (is_frame and len(call.args) > 3):
        return tensor(call, None, dtype, value)
    length, parts = size(x.shape[-1]), merged(x.shape[-1], *call.args[1:])
    count = UNKNOWN if length is None else max((length - width) // step + 1, 0)
    last: object = width
    if not is_frame:
        asked = call.given(3, "fft_length")
        whole = size(asked) if asked is not None and asked.data is not None else None
        if asked is not None and asked.data is not None and whole is None:
            return tensor(call, None, dtype, value)
        whole = whole if whole is not None else 1 << max(width - 1, 0).bit_length()
        last = whole // 2 + 1
    return tensor(call, (*x.shape[:-1], Value(count, parts), Value(last, parts)), dtype, value)


# --- counting and choosing ------------------------------------------------------------------------


@MODELS.function(*names("math.bincount"))
def _bin_count(_: Interpreter, call: Call) -> Value:
    """Return how often each whole number occurs."""
    least, most = size(call.given(2, "minlength")), call.given(3, "maxlength")
    value = call.given(0, "arr")
    x = operand(value)
    if x is None or most is not None or call.keywords.keys() & {"axis", "binary_output", "weights"}:
        return tensor(call, None, None, *call.args)
    known = x.highest is not None and x.lowest == x.highest
    listed = value is not None and isinstance(value.data, (list, tuple))
    count: object = UNKNOWN
    if x.highest is not None and (listed or known) and call.given(2, "minlength") is None:
        count = x.highest + 1
    elif x.highest is not None and (listed or known) and least is not None:
        count = max(x.highest + 1, least)
    return tensor(call, (Value(count, merged(*call.args)),), "int32", *call.args)


@MODELS.function(*names("math.segment_sum math.segment_mean math.segment_max math.segment_min"))
def _segments(_: Interpreter, call: Call) -> Value:
    x, ids = operand(call.given(0, "data")), operand(call.given(1, "segment_ids"))
    if x is None or not x.shape or ids is None:
        return call.unknown()
    if ids.shape:
        arrays.same(x.shape[0], ids.shape[0], "segment_ids should be as many as the rows of data")
    return tensor(call, (Value(UNKNOWN), *x.shape[1:]), x.dtype, *call.args)


@MODELS.function(
    *names("math.unsorted_segment_sum math.unsorted_segment_mean math.unsorted_segment_max"),
    *names("math.unsorted_segment_min math.unsorted_segment_prod"),
)
def _unsorted(_: Interpreter, call: Call) -> Value:
    x, ids = operand(call.given(0, "data")), operand(call.given(1, "segment_ids"))
    count = call.given(2, "num_segments")
    if x is None or x.shape is None or ids is None or ids.shape is None or count is None:
        return call.unknown()
    first = Value(UNKNOWN if size(count) is None else count.data, count.origins)
    return tensor(call, (first, *x.shape[len(ids.shape) :]), x.dtype, *call.args)


@MODELS.function(*names("math.in_top_k nn.in_top_k"))
def _in_top(_: Interpreter, call: Call) -> Value:
    x = operand(call.given(0, "targets"))
    return tensor(call, None if x is None else x.shape, "bool", *call.args)


@MODELS.function(*names("math.polyval"))
def _polynomial(_: Interpreter, call: Call) -> Value:
    x = operand(call.given(1, "x"))
    return call.unknown() if x is None else tensor(call, x.shape, x.dtype, *call.args)


@MODELS.function(*names("searchsorted"))
def _searched(_: Interpreter, call: Call) -> Value:
    x = operand(call.given(1, "values"))
    dtype = dtype_named(call.given(3, "out_type"), "int32")
    return tensor(call, None if x is None else x.shape, dtype, *call.args)


@MODELS.function(*names("histogram_fixed_width"))
def _histogram(_: Interpreter, call: Call) -> Value:
    count = call.given(2, "nbins") or Value(100)
    return tensor(call, (count,), dtype_named(call.given(3, "dtype"), "int32"), *call.args)


@MODELS.function(*names("where compat.v1.where where_v2"))
def _where(interpreter: Interpreter, call: Call) -> Value:
    """Return elements of one or the other tensor, or the places where a condition holds."""
    value = call.given(0, "condition")
    if len(call.args) + len(call.keywords) == 1 and value is not None:
        x = operand(value)
        rank = None if x is None or x.shape is None else len(x.shape)
        places = Value(UNKNOWN, value.origins), Value(UNKNOWN if rank is None else rank)
        return tensor(call, places, "int64", value)
    made = where(interpreter, call)
    if isinstance(made.data, Array) and made.data.dtype is None:
        made.data.dtype = plain_dtype(call.given(1, "x"), call.given(2, "y"))
    return made


@MODELS.function(*names("gather_nd"))
def _gather_nd(_: Interpreter, call: Call) -> Value:
    """Return what stands at places, which are the rows of an array."""
    value, chosen = call.given(0, "params"), call.given(1, "indices")
    x, ids = operand(value), operand(chosen)
    if x is None or value is None or x.shape is None or ids is None or not ids.shape:
        return call.unknown()
    depth = size(ids.shape[-1])
    if depth is None or size(call.given(2, "batch_dims")) or len(call.args) > 2:
        return tensor(call, None, x.dtype, value)
    if depth > len(x.shape):
        sides = Value(depth, merged(ids.shape[-1])), Value(len(x.shape), value.origins)
        raise Raised("size", "index innermost dimension length must be <= params rank", *sides)
    return tensor(call, (*ids.shape[:-1], *x.shape[depth:]), x.dtype, value, *call.args[1:2])


_gather_rows = MODELS.functions["tensorflow.gather"]


@MODELS.function(*names("gather nn.embedding_lookup"))
def _gather(interpreter: Interpreter, call: Call) -> Value:
    """Return rows by their indices, of batches each of its own."""
    batches = size(call.keywords.get("batch_dims"))
    value, chosen = call.given(0, "params"), call.given(1, "indices")
    x, ids = operand(value), operand(chosen)
    if not batches or x is None or x.shape is None or ids is None or ids.shape is None:
        return _gather_rows(interpreter, call)
    axis = call.keywords.get("axis") or Value(batches)
    at = axis_of(axis, len(x.shape))
    if at is None or at < batches or batches > len(ids.shape) or value is None:
        return call.unknown()
    shape = (*x.shape[:at], *ids.shape[batches:], *x.shape[at + 1 :])
    return tensor(call, shape, x.dtype, value)


@on_tensor("slice")
def _slice(call: Call, x: Array, value: Value) -> Value:
    """Return a part from some places on; a size of -1 takes the rest."""
    start, length = call.given(1, "begin"), call.given(2, "size")
    begins, sizes = dims(start), dims(length)
    if x.shape is None or begins is None or sizes is None or len(begins) != len(x.shape):
        return tensor(call, None, x.dtype, value)
    shape = []
    for dim, first, count in zip(x.shape, begins, sizes, strict=False):
        whole, begin, number = size(dim), size(first), size(count)
        if number == -1:
            rest = UNKNOWN if whole is None or begin is None else whole - begin
            shape.append(Value(rest, merged(dim, first)))
            continue
        end = None if begin is None or number is None else begin + number
        if whole is not None and end is not None and end > whole:
            sides = Value(end, merged(first, count)), dim
            raise Raised("size", "a part reaches beyond the end of a dimension", *sides)
        shape.append(Value(UNKNOWN if number is None else number, merged(count)))
    return tensor(call, shape, x.dtype, value)


@on_tensor("space_to_depth", "nn.space_to_depth", "nn.depth_to_space")
def _blocks(call: Call, x: Array, value: Value) -> Value:
    """Return images whose blocks of pixels became channels, or the other way round."""
    block = size(call.given(1, "block_size"))
    if x.shape is None or len(x.shape) != 4 or not block or "data_format" in call.keywords:
        return tensor(call, None, x.dtype, value)
    sizes = [size(d) for d in x.shape]
    apart = call.name.endswith("depth_to_space")
    made: list[object] = [UNKNOWN if n is None else n for n in sizes]
    for at in (1, 2, 3):
        number = sizes[at]
        if number is None:
            continue
        factor = block * block if at == 3 else block
        made[at] = number // factor if apart is (at == 3) else number * factor
    dims_made = [Value(n, d.origins | {call.place}) for n, d in zip(made, x.shape, strict=True)]
    return tensor(call, dims_made, x.dtype, value)


# --- networks -------------------------------------------------------------------------------------


@on_tensor("nn.batch_normalization")
def _normalized(call: Call, x: Array, value: Value) -> Value:
    return tensor(call, x.shape, x.dtype, value)


@on_tensor("nn.crelu")
def _twice(call: Call, x: Array, value: Value) -> Value:
    if not x.shape or len(call.args) > 1 or "axis" in call.keywords:
        return tensor(call, None, x.dtype, value)
    number = size(x.shape[-1])
    last = Value(UNKNOWN if number is None else 2 * number, x.shape[-1].origins)
    return tensor(call, (*x.shape[:-1], last), x.dtype, value)


@MODELS.function(*names("nn.weighted_cross_entropy_with_logits"))
def _weighted(_: Interpreter, call: Call) -> Value:
    x = operand(call.given(1, "logits"))
    return call.unknown() if x is None else tensor(call, x.shape, x.dtype, *call.args)


@MODELS.function(*names("nn.compute_average_loss nn.scale_regularization_loss"))
def _average(_: Interpreter, call: Call) -> Value:
    x = operand(call.given(0, "per_example_loss", "regularization_loss"))
    return tensor(call, (), None if x is None else x.dtype or "float32", *call.args)


@MODELS.function(*names("nn.conv2d_transpose nn.conv1d_transpose nn.conv3d_transpose"))
def _transposed(_: Interpreter, call: Call) -> Value:
    """Return a transposed convolution, whose output's shape is given."""
    x, wanted = operand(call.given(0, "input")), dims(call.given(2, "output_shape"))
    return tensor(call, wanted, None if x is None else x.dtype, *call.args)


@MODELS.function(*names("nn.depthwise_conv2d"))
def _depthwise(interpreter: Interpreter, call: Call) -> Value:
    """Return a convolution of each channel by its own filters."""
    value, kernel = call.given(0, "input"), call.given(1, "filter")
    x, f = operand(value), operand(kernel)
    if x is None or f is None or not f.shape or len(f.shape) != 4 or not x.shape or value is None:
        return call.unknown()
    if len(x.shape) != 4:
        return call.unknown()
    arrays.same(x.shape[-1], f.shape[2], "input depth must match the filters' input depth")
    each = Array((*f.shape[:3], Value(UNKNOWN)), f.dtype, "tensorflow")
    keywords = {k: v for k, v in call.keywords.items() if k not in ("input", "filter")}
    args = (value, Value(each, kernel.origins if kernel else frozenset()), *call.args[2:])
    convolve = MODELS.functions["tensorflow.conv2d"]
    made = convolve(interpreter, Call("tensorflow.conv2d", args, keywords, call.place)).data
    if not isinstance(made, Array) or not made.shape:
        return call.unknown()
    last = arrays.product((f.shape[2], f.shape[3]))
    return tensor(call, (*made.shape[:-1], last), x.dtype, value)


# --- matrices -------------------------------------------------------------------------------------


def _matrix(x: Array) -> tuple[Shape, Value, Value] | None:
    """Return the axes before a matrix, and its rows and columns."""
    if x.shape is None or len(x.shape) < 2:
        return None
    return x.shape[:-2], x.shape[-2], x.shape[-1]


def _square(x: Array) -> None:
    parts = _matrix(x)
    if parts is not None:
        arrays.same(parts[1], parts[2], "Input must be a square matrix")


@on_tensor("linalg.det", "linalg.trace", "linalg.logdet")
def _number_of_matrix(call: Call, x: Array, value: Value) -> Value:
    if not call.name.endswith("trace"):
        _square(x)
    parts = _matrix(x)
    return tensor(call, None if parts is None else parts[0], x.dtype, value)


@on_tensor("linalg.diag_part")
def _diagonal(call: Call, x: Array, value: Value) -> Value:
    parts = _matrix(x)
    if parts is None or len(call.args) > 1 or call.keywords.keys() - {"input"}:
        return tensor(call, None, x.dtype, value)
    a, b = size(parts[1]), size(parts[2])
    least = UNKNOWN if a is None or b is None else min(a, b)
    return tensor(call, (*parts[0], Value(least, merged(*parts[1:]))), x.dtype, value)


@on_tensor("linalg.matrix_transpose", "linalg.adjoint", "linalg.pinv")
def _turned(call: Call, x: Array, value: Value) -> Value:
    parts = _matrix(x)
    shape = None if parts is None else (*parts[0], parts[2], parts[1])
    return tensor(call, shape, x.dtype, value)


@MODELS.function(*names("linalg.solve linalg.triangular_solve linalg.cholesky_solve"))
def _solve(_: Interpreter, call: Call) -> Value:
    """Return the solution of equations, which has the shape of the right side."""
    x, y = operand(call.given(0, "matrix", "chol")), operand(call.given(1, "rhs"))
    if x is None or y is None:
        return call.unknown()
    _square(x)
    p, q = _matrix(x), _matrix(y)
    if p is not None and q is not None:
        arrays.same(p[1], q[1], "Input matrix and rhs must have the same number of rows")
    return tensor(call, y.shape, y.dtype or x.dtype, *call.args)


@MODELS.function(*names("linalg.lstsq"))
def _least_squares(_: Interpreter, call: Call) -> Value:
    x, y = operand(call.given(0, "matrix")), operand(call.given(1, "rhs"))
    if x is None or y is None:
        return call.unknown()
    p, q = _matrix(x), _matrix(y)
    if p is None or q is None:
        return tensor(call, None, x.dtype, *call.args)
    arrays.same(p[1], q[1], "Input matrix and rhs must have the same number of rows")
    return tensor(call, (*p[0], p[2], q[2]), x.dtype, *call.args)


@on_tensor("linalg.svd")
def _singular(call: Call, x: Array, value: Value) -> Value:
    parts = _matrix(x)
    if parts is None or len(call.args) > 1 or call.keywords.keys() - {"tensor"}:
        return call.unknown()
    lead, rows, columns = parts
    a, b = size(rows), size(columns)
    least = Value(UNKNOWN if a is None or b is None else min(a, b), merged(rows, columns))
    shapes = (*lead, least), (*lead, rows, least), (*lead, columns, least)
    return Value(tuple(tensor(call, shape, x.dtype, value) for shape in shapes), value.origins)


@on_tensor("linalg.eigh", "linalg.qr")
def _factors(call: Call, x: Array, value: Value) -> Value:
    parts = _matrix(x)
    if parts is None or len(call.args) > 1 or call.keywords.keys() - {"tensor", "input"}:
        return call.unknown()
    lead, rows, columns = parts
    if call.name.endswith("eigh"):
        _square(x)
        shapes: tuple[Shape, ...] = (*lead, rows), (*lead, rows, columns)
    else:
        a, b = size(rows), size(columns)
        least = Value(UNKNOWN if a is None or b is None else min(a, b), merged(rows, columns))
        shapes = (*lead, rows, least), (*lead, least, columns)
    return Value(tuple(tensor(call, shape, x.dtype, value) for shape in shapes), value.origins)


@on_tensor("linalg.eigvalsh")
def _eigenvalues(call: Call, x: Array, value: Value) -> Value:
    _square(x)
    return tensor(call, x.shape[:-1] if x.shape else None, x.dtype, value)


@MODELS.function(*names("linalg.cross"))
def _cross(interpreter: Interpreter, call: Call) -> Value:
    keywords = {{"a": "x", "b": "y"}.get(k, k): v for k, v in call.keywords.items()}
    made = two_operands(interpreter, Call("cross", call.args, keywords, call.place))
    if isinstance(made.data, Array) and made.data.dtype is None:
        made.data.dtype = plain_dtype(*call.args)
    return made


@on_tensor("linalg.normalize")
def _unit(call: Call, x: Array, value: Value) -> Value:
    """Return a tensor of norm 1 with the norm that it had."""
    axis = call.given(2, "axis")
    norm = tensor(call, reduced(x, axis, Value(True)), x.dtype, value)
    return Value((tensor(call, x.shape, x.dtype, value), norm), value.origins)


@MODELS.function(*names("linalg.global_norm"))
def _global_norm(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "t_list")
    parts = given.data if given is not None else None
    first = operand(parts[0]) if isinstance(parts, (list, tuple)) and parts else None
    return tensor(call, (), None if first is None else first.dtype, *call.args)


@MODELS.function(*names("clip_by_global_norm"))
def _clipped(_: Interpreter, call: Call) -> Value:
    """Return tensors that are scaled together, and the norm that they had."""
    given = call.given(0, "t_list")
    parts = given.data if given is not None else None
    if not isinstance(parts, (list, tuple)):
        return call.unknown()
    made, dtype = [], None
    for part in parts:
        x = operand(part)
        dtype = x.dtype if x is not None else dtype
        made.append(unknown(part) if x is None else tensor(call, x.shape, x.dtype, part))
    return Value((Value(made), tensor(call, (), dtype)), merged(*call.args))


def _completed(count: int, model: Model, *, is_floating: bool) -> Model:
    """Return a model that tells the dtype that tensors made of plain numbers have."""

    def run(interpreter: Interpreter, call: Call) -> Value:
        made = model(interpreter, call)
        data = made.data
        if isinstance(data, Array) and data.dtype is None and len(call.args) >= count:
            dtype = plain_dtype(*call.args[:count])
            is_refused = is_floating and dtype is not None and not dtype.startswith("float")
            data.dtype = None if is_refused else dtype
        return made

    return run


for _name in FLOATING:
    MODELS.function(_name)(_completed(1, MODELS.functions[_name], is_floating=True))
for _name in (
    *KEEPING,
    *REDUCTIONS,
    *names("reshape transpose expand_dims squeeze tile gather abs"),
):
    MODELS.function(_name)(_completed(1, MODELS.functions[_name], is_floating=False))
for _name in (*ALIKE, *names("matmul")):
    if not _name.endswith(("divide", "div", "divide_no_nan")):
        MODELS.function(_name)(_completed(2, MODELS.functions[_name], is_floating=False))


@MODELS.function(*names("bitcast"))
def _same_bits(_: Interpreter, call: Call) -> Value:
    """Return the same bits as numbers of another type, which may have another size."""
    x, dtype = operand(call.given(0, "input")), dtype_named(call.given(1, "type"))
    if x is None or dtype is None or x.dtype is None:
        return call.unknown()
    bits = [int("".join(c for c in name if c.isdigit()) or 8) for name in (x.dtype, dtype)]
    return tensor(call, x.shape if bits[0] == bits[1] else None, dtype, *call.args)
