"""What the models of PyTorch share: dtypes, devices, shapes, and how functions are registered.

Sources: PyTorch's documentation, "Tensor Attributes", "Type promotion", and ``torch.Tensor``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array, axis_of, size
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Library,
    LibraryObject,
    OneNumber,
    Raised,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

Shape = tuple[Value, ...]

WHOLE = ("bool", "uint8", "int8", "int16", "int32", "int64")
FLOATING = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")
REDUCED = ("float16", "bfloat16")
TORCH_DTYPES = {
    **{name: name for name in (*WHOLE, *FLOATING)},
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "cfloat": "complex64",
    "cdouble": "complex128",
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "HalfTensor": "float16",
    "LongTensor": "int64",
    "IntTensor": "int32",
    "ShortTensor": "int16",
    "ByteTensor": "uint8",
    "CharTensor": "int8",
    "BoolTensor": "bool",
    "BFloat16Tensor": "bfloat16",
    "Tensor": "float32",
}
OF_TENSORS = {
    f"torch.{device}{name}": (dtype, "cuda:0" if device else "cpu")
    for name, dtype in TORCH_DTYPES.items()
    for device in ("", "cuda.")
    if name.endswith("Tensor")
}
"""The dtypes and devices of the classes of tensors (PyTorch, "torch.Tensor", data types)."""
PLAIN_DTYPES = {"float": "float64", "int": "int64", "bool": "bool", "bool_": "bool"}
MAX_LISTED = 4096
MOVING = (
    *("permute", "transpose", "swapaxes", "swapdims", "movedim", "moveaxis", "t"),
    *("squeeze", "unsqueeze", "flatten", "mean", "sum", "amax", "amin", "argmax"),
)
"""Operations by which axes come to stand elsewhere."""


KEEPING_RANGE = frozenset(
    (
        *("permute", "transpose", "swapaxes", "swapdims", "movedim", "moveaxis", "t", "squeeze"),
        *("unsqueeze", "flatten", "view", "reshape", "ravel", "contiguous", "unflatten", "clone"),
        *("float", "double", "half", "bfloat16", "to", "type", "cpu", "cuda", "view_as", "flip"),
        *("reshape_as", "expand", "repeat", "narrow", "select", "index_select"),
    )
)
"""Operations whose results are numbers of their input."""


@dataclass(slots=True, eq=False)
class Stored(Array):
    """A parameter or buffer of a module; ``needs`` is whether it requires its gradient."""

    role: str = field(default="parameter", kw_only=True)
    needs: bool | None = field(default=True, kw_only=True)


# --- parts that all models of PyTorch share -------------------------------------------------------


DEFAULTS: WeakKeyDictionary[Interpreter, Value] = WeakKeyDictionary()
"""The default dtype of each interpreted program that sets one."""


def words(names: str) -> list[str]:
    """Return the words of a text."""
    return names.split()


def dtype_of(value: Value | None) -> str | None:
    """Return NumPy's name of a dtype argument, None where it is not known or no dtype."""
    if value is None:
        return None
    name = value.data.name if isinstance(value.data, Library) else value.data
    if not isinstance(name, str):
        return None
    root, _, last = name.rpartition(".")
    if root.partition(".")[0] == "torch":
        return TORCH_DTYPES.get(last)
    last = PLAIN_DTYPES.get(last, last)
    return last if last in WHOLE or last in FLOATING else None


def device_of(value: Value | None) -> str | None:
    """Return a device argument as text (``"cuda:0"``), None where it is not known."""
    if value is None:
        return None
    data = value.data
    if isinstance(data, LibraryObject) and data.name == "torch.device":
        return device_of(data.args[0]) if data.args else None
    if isinstance(data, int) and not isinstance(data, bool):
        return f"cuda:{data}"
    if data == "cuda":
        return "cuda:0"
    return data if isinstance(data, str) and data.partition(":")[0] in DEVICES else None


DEVICES = ("cpu", "cuda", "mps", "xpu", "meta")


def devices_differ(a: str | None, b: str | None) -> bool:
    """Whether two devices are known not to be the same."""
    return a is not None and b is not None and a != b


def tensor(
    shape: Sequence[Value] | None,
    dtype: str | None,
    *parts: Value,
    library: str = "torch",
    device: str | None = None,
) -> Value:
    """Return an array of a shape and dtype that was made of other values."""
    if library == "jax":
        # Wide numbers are off unless a program turns them on (JAX, "Sharp Bits").
        dtype = {"int64": "int32", "float64": "float32"}.get(dtype or "", dtype)
    data = Array(None if shape is None else tuple(shape), dtype, library, device)
    return Value(data, merged(*parts))


def like(x: Array, shape: Sequence[Value] | None, *parts: Value) -> Value:
    """Return an array of a new shape with all else of another, its bounds too."""
    data = Array(
        None if shape is None else tuple(shape), x.dtype, x.library, x.device, x.lowest, x.highest
    )
    data.scores = x.scores
    # What keeps the shape and the bounds keeps the items as well.
    data.attained = x.attained and shape is x.shape
    return Value(data, merged(*parts))


def in_order(x: Array, order: Sequence[int], *parts: Value) -> Value:
    """Return an array of known shape whose axes are those of another in an order."""
    assert x.shape is not None
    result = like(x, [x.shape[at] for at in order], *parts)
    if isinstance(result.data, Array) and len(order) > 1:
        result.data.columns_first = order[0] == len(order) - 1
    return result


def part_along(x: Array, at: int, middle: Sequence[Value], *parts: Value) -> Value:
    """Return a part of an array of known shape: ``middle`` stands for its axis ``at``.

    Parts of the last of several axes are columns, of which each has numbers of its own.
    """
    assert x.shape is not None
    part = like(x, (*x.shape[:at], *middle, *x.shape[at + 1 :]), *parts)
    is_column = 0 < at == len(x.shape) - 1 or (at == 0 and x.columns_first)
    if isinstance(part.data, Array) and is_column:
        part.data.forget_bounds()
    return part


def rank_of(x: Array) -> int | None:
    """Return the number of axes, None where it is not known."""
    return None if x.shape is None else len(x.shape)


def text(value: Value | None) -> str | None:
    """Return a known text, None otherwise."""
    return value.data if value is not None and isinstance(value.data, str) else None


def flag(value: Value | None, *, default: bool) -> bool | None:
    """Return a truth value, the default where it is not given, None where it is not known."""
    if value is None:
        return default
    return value.data if isinstance(value.data, bool) else None


def dimension(value: Value) -> Value:
    """Return an argument as a dimension; raise where it is no whole number."""
    if isinstance(value.data, float | str) or value.data is None:
        kind = type(value.data).__name__
        raise Raised("type", f"sizes must be whole numbers, not {kind}", value)
    return value if size(value) is not None else Value(UNKNOWN, value.origins)


def dims_of(values: Sequence[Value]) -> Shape | None:
    """Return sizes given one by one or as one sequence, None where their number is not known."""
    if len(values) == 1:
        only = values[0]
        if isinstance(only.data, list | tuple):
            values = [v if v.origins else Value(v.data, only.origins) for v in only.data]
        elif isinstance(only, OneNumber):
            pass
        elif (
            size(only) is None and not isinstance(only.data, float | str) and only.data is not None
        ):
            return None
    return tuple(dimension(v) for v in values)


def kind_of(value: Value) -> str | None:
    """Return the type's name of a value that is certainly no tensor, None otherwise."""
    data = value.data
    if data is None or isinstance(data, bool | int | float | str | list | tuple | dict):
        return type(data).__name__
    if isinstance(data, Array) and data.library == "numpy":
        return "numpy.ndarray"
    return None


def subject(call: Call) -> tuple[Array, Value] | None:
    """Return the tensor that a call works on; raise where a function gets what is no tensor."""
    value = call.given(0, "input", "self", "a", "x")
    if value is None:
        return None
    kind = kind_of(value)
    if kind is not None and call.name.startswith("torch."):
        raise Raised("type", f"argument 'input' must be Tensor, not {kind}", value)
    result = array(value)
    return None if result is None else (result, value)


def as_function(call: Call) -> Call:
    """Return a method's call as that of the function, the receiver as the first argument."""
    if call.receiver is None:
        return call
    return Call(call.name, (call.receiver, *call.args), call.keywords, call.place)


Work = Callable[[Call, Array, Value], Value]


def operation(
    *names: str, also: Sequence[str] = (), numbers: bool = False
) -> Callable[[Work], Work]:
    """Register a model as functions of ``torch`` and methods of arrays; ``also`` by whole names.

    With ``numbers`` it copes with numbers of which only the type is known.
    """

    def keep(work: Work) -> Work:
        def run(_: Interpreter, call: Call) -> Value:
            call = as_function(call)
            pair = subject(call)
            if pair is None:
                return call.unknown()
            result = work(call, *pair)
            name = call.name.rpartition(".")[2]
            if name in MOVING and type(result.data) is Array:
                result = arrays.moved(pair[0], result, Value(None, frozenset({call.place})))
            if pair[0].scores is not None and name in KEEPING_RANGE and type(result.data) is Array:
                result = Value(replace(result.data, scores=pair[0].scores), result.origins)
            return result

        MODELS.method("array", *names)(run)
        MODELS.function(*(f"torch.{name}" for name in names), *also)(run)
        if numbers:
            MODELS.numbers(run)
        return work

    return keep


def attribute(*names: str) -> Callable[[Callable[[Array, Value], Value]], None]:
    """Register a model of attributes of arrays."""

    def keep(work: Callable[[Array, Value], Value]) -> None:
        def run(_: Interpreter, call: Call) -> Value:
            pair = array(call.receiver)
            if pair is None or call.receiver is None:
                return call.unknown()
            return work(pair, call.receiver)

        MODELS.attribute("array", *names)(run)

    return keep


# --- dtypes ---------------------------------------------------------------------------------------


def promoted(a: Array, b: Array) -> str | None:
    """Return the dtype of two arrays together (PyTorch, "Type promotion"; NumPy's is alike)."""
    first, second = a.dtype, b.dtype
    if first == second or first is None or second is None:
        return first if first == second else None
    known = {*WHOLE, *FLOATING}
    if first not in known or second not in known:
        return None
    if (first in WHOLE) != (second in WHOLE):
        if a.library == b.library == "torch":
            return second if first in WHOLE else first
        return None
    if a.library == "torch" and rank_of(a) != rank_of(b) and 0 in (rank_of(a), rank_of(b)):
        return second if rank_of(a) == 0 else first
    if None in (rank_of(a), rank_of(b)):
        return None
    if {first, second} == {"float16", "bfloat16"}:
        return "float32"
    if {first, second} == {"uint8", "int8"}:
        return "int16"
    order = [*WHOLE, *FLOATING]
    if "complex64" in (first, second) and "float64" in (first, second):
        return "complex128"
    return max(first, second, key=order.index)


def floated(x: Array) -> str | None:
    """Return the dtype of a function whose result is never whole (``exp``, a division)."""
    if x.dtype in WHOLE:
        return "float64" if x.library == "numpy" else "float32"
    return x.dtype


def with_scalar(x: Array, scalar: object) -> str | None:
    """Return the dtype of an array together with a plain number."""
    if isinstance(scalar, bool):
        return x.dtype
    if isinstance(scalar, int):
        return "int64" if x.dtype == "bool" else x.dtype
    return floated(x) if isinstance(scalar, float) else x.dtype if x.dtype in FLOATING else None


def same_dtype(a: Array, left: Value, b: Array, right: Value) -> None:
    """Raise where a product's operands have different dtypes, as PyTorch does.

    The 16-bit ones are left out: under ``autocast`` they go together with 32-bit ones.
    """
    if a.library != "torch" or b.library != "torch" or a.dtype is None or b.dtype is None:
        return
    if a.dtype != b.dtype and a.dtype not in REDUCED and b.dtype not in REDUCED:
        message = f"expected m1 and m2 to have the same dtype, but got {a.dtype} != {b.dtype}"
        raise Raised("type", message, left, right)


def same_device(a: Array, left: Value, b: Array, right: Value) -> None:
    """Raise where two tensors are on different devices, both known."""
    if devices_differ(a.device, b.device):
        message = f"Expected all tensors to be on the same device, {a.device} and {b.device}"
        raise Raised("type", message, left, right)


def needs_floating(x: Array, value: Value, name: str) -> None:
    """Raise where a function that takes only floating point gets a whole-number tensor."""
    if x.library == "torch" and x.dtype in WHOLE:
        raise Raised("type", f"{name} is not implemented for {x.dtype}", value)


# --- shapes ---------------------------------------------------------------------------------------


def kept(_: Call, x: Array, value: Value) -> Value:
    """Return an array like the input."""
    result = tensor(x.shape, x.dtype, value, library=x.library, device=x.device)
    return arrays.with_last(result, x.last)


def expanded(shape: Shape | None, wanted: Shape) -> Shape:
    """Return the shape that ``expand`` gives; -1 keeps a dimension."""
    if shape is None:
        return tuple(Value(UNKNOWN, d.origins) if size(d) == -1 else d for d in wanted)
    lead = len(wanted) - len(shape)
    if lead < 0:
        message = "the number of sizes must be greater or equal to the number of dimensions"
        raise Raised("size", message, Value(len(wanted), merged(*wanted)), Value(len(shape)))
    dims = list(wanted[:lead])
    for mine, asked in zip(shape, wanted[lead:], strict=True):
        if size(asked) == -1:
            dims.append(mine)
        elif size(mine) == 1:
            dims.append(asked)
        else:
            dims.append(arrays.same(mine, asked, "the expanded size must match the existing size"))
    return tuple(dims)


def times(a: Value, b: Value) -> Value:
    """Return the product of two dimensions."""
    return arrays.product((a, b))


def flattened(
    shape: Shape | None, start: Value | None, end: Value | None, first: int = 0
) -> Shape | None:
    """Return a shape with a range of axes put into one (PyTorch, ``torch.flatten``)."""
    if shape is None:
        return None
    if not shape:
        return (Value(1),)
    low = axis_of(start if start is not None else first, len(shape))
    high = axis_of(end if end is not None else -1, len(shape))
    if low is None or high is None:
        return None
    if low > high:
        raise Raised("value", "flatten() has invalid args: start_dim cannot come after end_dim")
    return (*shape[:low], arrays.product(shape[low : high + 1]), *shape[high + 1 :])


def unflattened(shape: Shape | None, axis: Value | None, sizes: Value | None) -> Shape | None:
    """Return a shape with one axis split into several."""
    if shape is None or axis is None or sizes is None:
        return None
    at, wanted = axis_of(axis, len(shape)), dims_of((sizes,))
    if at is None or wanted is None:
        return None
    return (*shape[:at], *arrays.reshaped(shape[at : at + 1], wanted), *shape[at + 1 :])


def bounded(index: Array, value: Value, limit: Value, *, lowest: int | None = 0) -> None:
    """Raise where an index tensor's known bounds go beyond a known limit.

    ``lowest`` is the least index that is taken, None where that is not asked.
    """
    if lowest is not None and index.lowest is not None and index.lowest < lowest:
        raise Raised("index", "index out of range", arrays.elements_of(value, index.lowest), limit)
    top = size(limit)
    if top is not None and index.highest is not None and index.highest >= top:
        raise Raised("index", "index out of range", arrays.elements_of(value, index.highest), limit)
    is_open = index.highest is None or top is None
    if is_open and (value.origins or limit.origins) and arrays.is_beyond(limit):
        beyond = arrays.elements_of(value, index.highest)
        raise Raised("index", "index out of range", beyond, limit)


ACTIVATIONS = words(
    "relu relu6 elu selu celu leaky_relu prelu rrelu gelu silu mish softplus softsign "
    "softshrink hardshrink tanhshrink logsigmoid hardtanh hardswish hardsigmoid threshold "
    "tanh sigmoid dropout dropout1d dropout2d dropout3d alpha_dropout "
    "feature_alpha_dropout normalize local_response_norm instance_norm softmin "
    "gumbel_softmax"
)
