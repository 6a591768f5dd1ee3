"""Models of functions of PyTorch that reduce axes or select elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array, axis_of, size
from dl_bug_lsp.interpretation.libraries.torch.tensors import (
    WHOLE,
    Shape,
    bounded,
    dimension,
    dims_of,
    dtype_of,
    flag,
    floated,
    like,
    needs_floating,
    operation,
    part_along,
    subject,
    tensor,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Raised,
    Value,
    merged,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.libraries.torch.functions import paired

# --- reductions -----------------------------------------------------------------------------------


def reduced(x: Array, value: Value, axis: Value | None, keep: bool | None) -> Shape | None:
    """Return the shape that a reduction leaves; raise where it has no such axis."""
    if axis is None or axis.data is None:
        if keep:
            return None if x.shape is None else tuple(Value(1) for _ in x.shape)
        return ()
    if x.shape is None or keep is None:
        return None
    given = axis.data if isinstance(axis.data, list | tuple) else (axis,)
    at = [axis_of(a, len(x.shape)) for a in given]
    if None in at or (isinstance(axis.data, list | tuple) and not given):
        return None
    if keep:
        return tuple(Value(1, d.origins) if i in at else d for i, d in enumerate(x.shape))
    return tuple(d for i, d in enumerate(x.shape) if i not in at)


def reduction(call: Call, x: Array, value: Value, dtype: str | None, first: int = 1) -> Value:
    """Return the result of a reduction over all axes or those that are given."""
    axis = call.given(first, "dim", "axis")
    keep = flag(call.given(first + 1, "keepdim", "keepdims"), default=False)
    if x.library != "torch":
        keep = flag(call.keywords.get("keepdims"), default=False)
    shape = reduced(x, value, axis, keep)
    return tensor(shape, dtype, value, library=x.library, device=x.device)


def asked_dtype(call: Call, otherwise: str | None) -> str | None:
    """Return the dtype keyword's dtype, the other where it is not given."""
    given = call.keywords.get("dtype")
    return otherwise if given is None or given.data is None else dtype_of(given)


@operation("sum", "prod", "nansum", "cumsum_")
def _sum(call: Call, x: Array, value: Value) -> Value:
    return reduction(call, x, value, asked_dtype(call, "int64" if x.dtype in WHOLE else x.dtype))


@operation("mean", "std", "var", "nanmean", "logsumexp")
def _mean(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    is_whole = x.library == "torch" and x.dtype in WHOLE
    if is_whole and name != "logsumexp" and "dtype" not in call.keywords:
        message = f"{name}(): input dtype must be floating point or complex, got {x.dtype}"
        raise Raised("type", message, value)
    second = call.given(1)
    if "unbiased" not in call.keywords and second is not None and isinstance(second.data, bool):
        return tensor((), x.dtype, value, library=x.library, device=x.device)
    if "std" in call.name or "var" in call.name:
        keep = flag(call.keywords.get("keepdim", call.keywords.get("keepdims")), default=False)
        if len(call.args) > 3:
            keep = None
        shape = reduced(x, value, call.given(1, "dim", "axis"), keep)
        return tensor(
            shape, asked_dtype(call, floated(x)), value, library=x.library, device=x.device
        )
    return reduction(call, x, value, asked_dtype(call, floated(x)))


@operation("cumsum", "cumprod")
def _cumulated(call: Call, x: Array, value: Value) -> Value:
    dtype = asked_dtype(call, "int64" if x.dtype in WHOLE else x.dtype)
    axis = call.given(1, "dim", "axis")
    shape = x.shape
    if x.library != "torch" and shape is not None and (axis is None or axis.data is None):
        shape = (arrays.product(shape),)
    elif shape is not None and axis is not None:
        axis_of(axis, len(shape))
    result = tensor(shape, dtype, value, library=x.library, device=x.device)
    held = array(result)
    if held is not None and "sum" in call.name and x.lowest is not None and x.lowest >= 0:
        # A sum of more numbers that are not below 0 is no smaller than its first.
        return Value(replace(held, lowest=x.lowest), result.origins)
    return result


@operation("all", "any")
def _all(call: Call, x: Array, value: Value) -> Value:
    return reduction(call, x, value, "bool")


@operation("argmax", "argmin", "count_nonzero")
def _argmax(call: Call, x: Array, value: Value) -> Value:
    result = reduction(call, x, value, "int64")
    along = size(call.given(1, "dim", "axis"))
    return result if "count" in call.name else indices(result, extent_of(x, along))


@operation("norm", also=["torch.linalg.norm", "torch.linalg.vector_norm"])
def _norm(call: Call, x: Array, value: Value) -> Value:
    needs_floating(x, value, "norm")
    return reduction(call, x, value, floated(x), first=2)


@operation("max", "min", "median", "mode", "nanmedian", "kthvalue", "cummax", "cummin")
def _max(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    second = call.given(1, "dim", "axis", "other")
    if x.library != "torch":
        outcome = reduction(call, x, value, x.dtype)
        data = array(outcome)
        if data is not None and name in ("max", "min") and (x.dtype or "").startswith(("int", "u")):
            data.lowest, data.highest = x.lowest, x.highest
            return _extreme(outcome, x, name) if data.shape == () else outcome
        return outcome
    if array(second) is not None:
        return paired(call, x, value, None, divides=False)
    first = 2 if name == "kthvalue" else 1
    if name in ("cummax", "cummin"):
        return pair(x, x.shape, value)
    if call.given(first, "dim", "axis") is None:
        if name in ("mode", "kthvalue"):
            shape = None if x.shape is None else x.shape[:-1]
            return pair(x, shape, value)
        return _extreme(like(x, (), value), x, name)
    result = array(reduction(call, x, value, x.dtype, first=first))
    along = size(call.given(first, "dim", "axis"))
    both = pair(x, None if result is None else result.shape, value, extent_of(x, along))
    extremes = array(both.data[0]) if isinstance(both.data, tuple) else None
    if extremes is not None and name == "min":
        # The highest of all items is seldom the least of its row.
        extremes.highest = None
    # That there are two arrays is decided here.
    return Value(both.data, both.origins | {call.place})


def _extreme(result: Value, x: Array, name: str) -> Value:
    """Return the greatest or the least item of an array, which is a bound that is attained."""
    data = array(result)
    if data is not None and x.attained and name in ("max", "min"):
        data.lowest = data.highest = x.highest if name == "max" else x.lowest
    return result


def pair(x: Array, shape: Sequence[Value] | None, value: Value, extent: int | None = None) -> Value:
    """Return values and their indices, as ``max`` along an axis of ``extent`` items gives them."""
    places = tensor(shape, "int64", value, library=x.library, device=x.device)
    return Value((like(x, shape, value), indices(places, extent)), value.origins)


def extent_of(x: Array, axis: int | None) -> int | None:
    """Return the number of items along an axis, None where it is not known."""
    if axis is None or not x.shape or not -len(x.shape) <= axis < len(x.shape):
        return None
    return size(x.shape[axis])


def indices(value: Value, extent: int | None) -> Value:
    """Bound an array of indices into an axis of ``extent`` items, and return it."""
    data = array(value)
    if data is not None and extent is not None:
        data.lowest, data.highest = 0, extent - 1
    return value


@MODELS.attribute("tuple", "values")
def _values(_: Interpreter, call: Call) -> Value:
    return _item(call, 0)


@MODELS.attribute("tuple", "indices")
def _indices(_: Interpreter, call: Call) -> Value:
    return _item(call, 1)


def _item(call: Call, at: int) -> Value:
    data = None if call.receiver is None else call.receiver.data
    item = data[at] if isinstance(data, tuple) and len(data) == 2 else None
    return item if isinstance(item, Value) else call.unknown()


@operation("sort", "topk")
def _sort(call: Call, x: Array, value: Value) -> Value:
    if x.library != "torch":
        return Value(None) if call.name == "sort" else call.unknown()
    if call.name.endswith("sort"):
        along = call.given(1, "dim")
        return pair(x, x.shape, value, extent_of(x, -1 if along is None else size(along)))
    k, axis = call.given(1, "k"), call.given(2, "dim")
    if x.shape is None or k is None or (axis is not None and size(axis) is None):
        return pair(x, None, value)
    at = axis_of(-1 if axis is None else axis, len(x.shape)) or 0
    wanted, extent = size(k), size(x.shape[at]) if x.shape else None
    if wanted is not None and extent is not None and wanted > extent:
        raise Raised("index", "selected index k out of range", k, x.shape[at])
    return pair(x, (*x.shape[:at], dimension(k), *x.shape[at + 1 :]), value, extent)


@operation("argsort")
def _argsort(call: Call, x: Array, value: Value) -> Value:
    along = call.given(1, "dim", "axis")
    result = tensor(x.shape, "int64", value, library=x.library, device=x.device)
    return indices(result, extent_of(x, -1 if along is None else size(along)))


# --- selecting ------------------------------------------------------------------------------------


@operation("gather", "take_along_dim", "take_along_axis")
def _gather(call: Call, x: Array, value: Value) -> Value:
    swapped = "take" in call.name
    axis = call.given(2 if swapped else 1, "dim", "axis")
    index = call.given(1 if swapped else 2, "index", "indices")
    y = array(index)
    if index is None or y is None:
        return tensor(None, x.dtype, value, library=x.library, device=x.device)
    if x.library == "torch" and y.dtype is not None and y.dtype not in ("int64", "int32"):
        raise Raised("type", "gather(): Expected dtype int64 for index", index)
    if x.shape is not None and y.shape is not None and not swapped:
        if len(x.shape) != len(y.shape):
            sides = Value(len(x.shape), value.origins), Value(len(y.shape), index.origins)
            raise Raised("size", "Index tensor must have the same number of dimensions", *sides)
        at = axis_of(axis, len(x.shape))
        if at is not None and x.shape:
            bounded(y, index, x.shape[at])
    return tensor(y.shape, x.dtype, value, index, library=x.library, device=x.device)


@operation("index_select", "select", "narrow")
def _index_select(call: Call, x: Array, value: Value) -> Value:
    axis, index = call.given(1, "dim"), call.given(2, "index", "start")
    if x.shape is None or axis is None or index is None:
        return like(x, None, value)
    at = axis_of(axis, len(x.shape))
    if at is None:
        return like(x, None, value)
    name = call.name.rpartition(".")[2]
    middle: Shape = ()
    if name == "index_select":
        y = array(index)
        if y is not None:
            bounded(y, index, x.shape[at])
        middle = (y.shape[0],) if y is not None and y.shape else (Value(UNKNOWN),)
    elif name == "narrow":
        length = call.given(3, "length")
        first, count, whole = size(index), size(length), size(x.shape[at])
        if length is not None and None not in (first, count, whole):
            end = (first or 0) + (count or 0)
            if end > (whole or 0):
                sides = Value(end, merged(index, length)), x.shape[at]
                raise Raised("size", "start + length exceeds dimension size", *sides)
        middle = (Value(UNKNOWN),) if length is None else (dimension(length),)
    else:
        number, top = size(index), size(x.shape[at])
        if number is not None and top is not None and not -top <= number < top:
            raise Raised("index", "select(): index out of range", index, x.shape[at])
    return part_along(x, at, middle, value, index)


@operation("diagonal", "trace")
def _diagonal(call: Call, x: Array, value: Value) -> Value:
    if call.name.endswith("trace"):
        return tensor((), x.dtype, value, library=x.library, device=x.device)
    if x.shape is not None and x.library == "torch" and call.name.endswith("diagonal"):
        return _of_diagonal(call, x, value)
    return tensor(None, x.dtype, value, library=x.library, device=x.device)


def _of_diagonal(call: Call, x: Array, value: Value) -> Value:
    assert x.shape is not None
    rank = len(x.shape)
    first = axis_of(call.given(2, "dim1") or 0, rank)
    second = axis_of(call.given(3, "dim2") or 1, rank)
    if call.given(1, "offset") is not None or first is None or second is None:
        return like(x, None, value)
    a, b = size(x.shape[first]), size(x.shape[second])
    ends = merged(x.shape[first], x.shape[second])
    length = Value(UNKNOWN if a is None or b is None else min(a, b), ends)
    rest = [dim for i, dim in enumerate(x.shape) if i not in (first, second)]
    return like(x, (*rest, length), value)


@operation("unfold")
def _unfold(call: Call, x: Array, value: Value) -> Value:
    """Return the windows along an axis, their length as a new last axis (``Tensor.unfold``)."""
    axis, wide, step = call.given(1, "dimension"), call.given(2, "size"), call.given(3, "step")
    if x.shape is None or axis is None or wide is None or step is None or x.library != "torch":
        return like(x, None, value)
    at = axis_of(axis, len(x.shape))
    length, window, every = size(x.shape[at] if at is not None else None), size(wide), size(step)
    if at is None or not every:
        return like(x, None, value)
    if length is not None and window is not None and window > length:
        raise Raised("size", "maximum size for tensor is smaller", x.shape[at], wide)
    parts = (x.shape[at], wide, step)
    known = length is not None and window is not None
    count = (length - window) // every + 1 if known else UNKNOWN  # type: ignore[operator]
    windows = Value(count, merged(*parts))
    return like(x, (*x.shape[:at], windows, *x.shape[at + 1 :], dimension(wide)), value)


@MODELS.function("torch.meshgrid")
def _meshgrid(_: Interpreter, call: Call) -> Value:
    given = call.args
    if len(given) == 1 and isinstance(given[0].data, list | tuple):
        given = tuple(given[0].data)
    data = [array(item) for item in given]
    if not data or any(x is None or x.shape is None or len(x.shape) > 1 for x in data):
        return call.unknown()
    dims = [x.shape[0] if x is not None and x.shape else Value(1) for x in data]
    indexing = call.keywords.get("indexing")
    if indexing is not None and indexing.data == "xy" and len(dims) > 1:
        dims[0], dims[1] = dims[1], dims[0]
    made = [
        tensor(dims, x.dtype, item) for x, item in zip(data, given, strict=True) if x is not None
    ]
    return Value(tuple(made), merged(*given))


@MODELS.function("torch.sparse_coo_tensor", "torch.sparse.FloatTensor")
def _sparse(_: Interpreter, call: Call) -> Value:
    """Return a sparse tensor as if it was dense; its size must hold the highest index."""
    values, wanted = array(call.given(1, "values")), call.given(2, "size")
    dims = dims_of((wanted,)) if wanted is not None else None
    dtype = dtype_of(call.keywords.get("dtype")) or (None if values is None else values.dtype)
    parts = [*call.args[:2], *(dims or ())]
    return tensor(dims, dtype, *parts)


@operation("coalesce", "to_dense", "to_sparse", "to_sparse_csr", "to_sparse_coo")
def _as_dense(_: Call, x: Array, value: Value) -> Value:
    return like(x, x.shape, value)


@MODELS.function("torch.nn.functional.one_hot")
def _one_hot(_: Interpreter, call: Call) -> Value:
    operand_pair = subject(call)
    if operand_pair is None:
        return call.unknown()
    x, value = operand_pair
    if x.dtype is not None and x.dtype != "int64":
        raise Raised("type", f"one_hot is only applicable to index tensor, not {x.dtype}", value)
    count = call.given(1, "num_classes")
    if count is None or size(count) in (None, -1):
        free = Value(UNKNOWN, value.origins)
        return tensor(None if x.shape is None else (*x.shape, free), "int64", value)
    number = size(count)
    if number is not None and x.highest is not None and x.highest >= number:
        top = arrays.elements_of(value, x.highest)
        raise Raised("index", "class values must be smaller than num_classes", top, count)
    return tensor(None if x.shape is None else (*x.shape, count), "int64", value, device=x.device)
