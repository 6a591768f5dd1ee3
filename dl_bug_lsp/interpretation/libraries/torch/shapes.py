"""Models of functions of PyTorch on shapes, of products, and of conversions of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array, axis_of, size
from dl_bug_lsp.interpretation.libraries.torch.tensors import (
    ACTIVATIONS,
    DEFAULTS,
    FLOATING,
    MAX_LISTED,
    OF_TENSORS,
    TORCH_DTYPES,
    WHOLE,
    Shape,
    Stored,
    attribute,
    device_of,
    dimension,
    dims_of,
    dtype_of,
    expanded,
    flag,
    flattened,
    in_order,
    kind_of,
    like,
    operation,
    part_along,
    promoted,
    rank_of,
    same_device,
    same_dtype,
    tensor,
    text,
    times,
    unflattened,
    words,
)
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.table_values import Series
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Instance,
    Lazy,
    Library,
    LibraryObject,
    Longest,
    Method,
    Ordered,
    Origins,
    Raised,
    Uneven,
    Value,
    merged,
    refused_axes,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.libraries.torch.functions import device
from dl_bug_lsp.interpretation.libraries.torch.reductions import indices, reduced

# --- shapes ---------------------------------------------------------------------------------------


@operation("view", "reshape", "_unsafe_view")
def _view(call: Call, x: Array, value: Value) -> Value:
    rest = call.args[1:]
    for name in ("shape", "size", "newshape"):
        if name in call.keywords:
            rest = (call.keywords[name],)
    if call.name == "view" and x.library != "torch":
        return call.unknown()
    if len(rest) == 1 and (dtype_of(rest[0]) or isinstance(rest[0].data, Library)):
        return tensor(x.shape, dtype_of(rest[0]), value, library=x.library, device=x.device)
    wanted = dims_of(rest)
    if wanted is None:
        return like(x, None, value, *rest)
    if sum(size(d) == -1 for d in wanted) > 1:
        raise Raised("size", "only one dimension can be inferred", *wanted)
    return like(x, arrays.reshaped(x.shape, wanted), value, *rest)


@operation("resize_")
def _resized(call: Call, x: Array, value: Value) -> Value:
    wanted = dims_of(call.args[1:])
    return like(x, wanted, value, *call.args[1:])


@MODELS.method("array", "resize")
def _resized_array(_: Interpreter, call: Call) -> Value:
    """Change the shape of a NumPy array in place (NumPy, "ndarray.resize")."""
    x = array(call.receiver)
    if x is None or x.library != "numpy":
        return call.unknown()
    x.shape = dims_of(call.args)
    return Value(None)


@operation("view_as", "reshape_as", "expand_as")
def _view_as(call: Call, x: Array, value: Value) -> Value:
    other = call.given(1, "other")
    y = array(other)
    if other is None or y is None or y.shape is None:
        return like(x, None, value)
    if call.name == "expand_as":
        return like(x, expanded(x.shape, y.shape), value, other)
    return like(x, arrays.reshaped(x.shape, y.shape), value, other)


@operation("expand", "broadcast_to")
def _expand(call: Call, x: Array, value: Value) -> Value:
    rest = (call.keywords["size"],) if "size" in call.keywords else call.args[1:]
    wanted = dims_of(rest)
    return like(x, None if wanted is None else expanded(x.shape, wanted), value, *rest)


@operation("repeat", "tile")
def _repeat(call: Call, x: Array, value: Value) -> Value:
    rest = call.args[1:]
    if x.library != "torch" and call.name == "repeat":
        return repeated(call, x, value)
    counts = dims_of(rest or tuple(call.keywords.values()))
    if counts is None or x.shape is None:
        return like(x, None, value, *rest)
    lead = len(counts) - len(x.shape)
    if lead < 0:
        if call.name.endswith("repeat"):
            message = "number of dimensions of repeat dims can not be smaller than the tensor's"
            raise Raised("size", message, Value(len(counts), merged(*counts)), Value(len(x.shape)))
        counts = (*(Value(1) for _ in range(-lead)), *counts)
        lead = 0
    shape = (*counts[:lead], *(times(a, b) for a, b in zip(x.shape, counts[lead:], strict=True)))
    return like(x, shape, value, *rest)


@operation("repeat_interleave")
def repeated(call: Call, x: Array, value: Value) -> Value:
    """Return an array whose elements are repeated along an axis (NumPy, ``numpy.repeat``)."""
    count, axis = call.given(1, "repeats"), call.given(2, "dim", "axis")
    if count is not None and x.shape is not None and size(count) is None and axis is not None:
        at, counts = axis_of(axis, len(x.shape)), array(count)
        if counts is not None and counts.shape and at is not None and size(counts.shape[0]) != 1:
            message = "repeats must have the same size as input along dim"
            arrays.same(counts.shape[0], x.shape[at], message)
        if at is not None:
            free = unknown(x.shape[at], count)
            return like(x, (*x.shape[:at], free, *x.shape[at + 1 :]), value)
    if count is None or x.shape is None or size(count) is None:
        return like(x, x.shape and (unknown(*x.shape),) if axis is None else None, value)
    if axis is None:
        return like(x, (times(arrays.product(x.shape), count),), value, count)
    at = axis_of(axis, len(x.shape))
    if at is None:
        return like(x, None, value)
    shape = (*x.shape[:at], times(x.shape[at], count), *x.shape[at + 1 :])
    return like(x, shape, value, count)


def reordered(x: Array, value: Value, axes: Sequence[Value]) -> Value:
    """Return an array with its axes in another order; raise where their number differs."""
    if x.shape is None:
        return like(x, None, value)
    if len(axes) != len(x.shape):
        sides = Value(len(x.shape), value.origins), Value(len(axes), merged(*axes))
        raise Raised("size", "the number of axes does not match the array's", *sides)
    at = [axis_of(a, len(x.shape)) for a in axes]
    if any(a is None for a in at):
        return like(x, [unknown(*x.shape) for _ in x.shape], value)
    if len(set(at)) != len(at):
        raise Raised("value", "repeated axis in permute", value)
    return in_order(x, [a for a in at if a is not None], value)


def reversed_axes(x: Array, value: Value) -> Value:
    """Return an array with its axes in the opposite order."""
    if x.shape is None:
        return like(x, None, value)
    return in_order(x, range(len(x.shape))[::-1], value)


@operation("permute")
def _permute(call: Call, x: Array, value: Value) -> Value:
    axes = dims_of((call.keywords["dims"],) if "dims" in call.keywords else call.args[1:])
    return like(x, None, value) if axes is None else reordered(x, value, axes)


@operation("transpose", "transpose_", "swapaxes", "swapdims")
def _transpose(call: Call, x: Array, value: Value) -> Value:
    first, second = call.given(1, "dim0", "axis0", "axes"), call.given(2, "dim1", "axis1")
    if x.library != "torch" and call.name == "transpose":
        if first is None:
            return reversed_axes(x, value)
        axes = dims_of(call.args[1:] or (first,))
        return like(x, None, value) if axes is None else reordered(x, value, axes)
    if x.shape is None or first is None or second is None:
        return like(x, None, value)
    a, b = axis_of(first, len(x.shape)), axis_of(second, len(x.shape))
    if a is None or b is None:
        return like(x, [unknown(*x.shape) for _ in x.shape], value)
    order = list(range(len(x.shape)))
    if order:
        order[a], order[b] = b, a
    return in_order(x, order, value)


@operation("movedim", "moveaxis")
def _movedim(call: Call, x: Array, value: Value) -> Value:
    given = call.given(1, "source"), call.given(2, "destination")
    if x.shape is None or given[0] is None or given[1] is None:
        return like(x, None, value)
    axes_moved: list[list[int | None]] = []
    for axes in given:
        assert axes is not None
        items = axes.data if isinstance(axes.data, list | tuple) else (axes,)
        axes_moved.append([axis_of(item, len(x.shape)) for item in items])
    source, target = axes_moved
    if None in source or None in target or len(source) != len(target):
        return like(x, None, value)
    order = [i for i in range(len(x.shape)) if i not in source]
    for to, item in sorted(zip(target, source, strict=True), key=lambda pair: pair[0] or 0):
        order.insert(to or 0, item or 0)
    return in_order(x, order, value)


@operation("t", "t_", "adjoint")
def _turned(_: Call, x: Array, value: Value) -> Value:
    if x.shape is not None and len(x.shape) > 2:
        rank = Value(len(x.shape), value.origins)
        raise Raised("size", "t() expects a tensor with at most 2 dimensions", rank, Value(2))
    return reversed_axes(x, value)


@operation("unsqueeze", "unsqueeze_")
def _unsqueeze(call: Call, x: Array, value: Value) -> Value:
    axis = call.given(1, "dim")
    if x.shape is None or axis is None:
        return like(x, None, value)
    at = axis_of(axis, len(x.shape) + 1)
    if at is None:
        return like(x, None, value)
    return like(x, (*x.shape[:at], Value(1, axis.origins), *x.shape[at:]), value, axis)


@operation("squeeze", "squeeze_")
def _squeeze(call: Call, x: Array, value: Value) -> Value:
    axis = call.given(1, "dim", "axis")
    if x.shape is None:
        return like(x, None, value)
    if axis is None or axis.data is None:
        if any(size(d) is None for d in x.shape):
            return like(x, None, value)
        result = like(x, [d for d in x.shape if size(d) != 1], value)
        if len(x.shape) > 1 and size(x.shape[0]) == 1:
            why = "`squeeze()` without an axis also drops that of the samples in a batch of one"
            arrays.note_reason(call.place, why)
            return Value(result.data, result.origins | {call.place})
        return result
    given = axis.data if isinstance(axis.data, tuple | list) else (axis,)
    at = [axis_of(a, len(x.shape)) for a in given]
    if any(a is None or size(x.shape[a]) is None for a in at if x.shape) or None in at:
        return like(x, None, value)
    if x.library == "numpy":
        for a in at:
            if a is not None and size(x.shape[a]) != 1:
                message = "cannot select an axis to squeeze out which has size not equal to one"
                raise Raised("size", message, x.shape[a], Value(1))
    return like(x, [d for i, d in enumerate(x.shape) if i not in at or size(d) != 1], value)


@operation("flatten", "ravel")
def _flatten(call: Call, x: Array, value: Value) -> Value:
    if x.library != "torch":
        return like(x, None if x.shape is None else (arrays.product(x.shape),), value)
    return like(x, flattened(x.shape, call.given(1, "start_dim"), call.given(2, "end_dim")), value)


@operation("unflatten")
def _unflatten(call: Call, x: Array, value: Value) -> Value:
    return like(x, unflattened(x.shape, call.given(1, "dim"), call.given(2, "sizes")), value)


def _unlike_others(parts: Sequence[Value], arrays_given: Sequence[Array | None]) -> None:
    """Raise where the message sets a size of one part against those of parts not known."""
    others = [
        part for part, x in zip(parts, arrays_given, strict=True) if x is None or x.shape is None
    ]
    for x in arrays_given:
        if others and x is not None and x.shape is not None:
            arrays.unlike(x.shape, unknown(*others), "sizes must match to be joined")


def _joined_shape(name: str, known: Sequence[Array], at: int, counted: Origins) -> Shape | None:
    """Return the shape of arrays that a function joins along an axis.

    ``counted`` is what decided how many arrays there are.
    """
    shape = None
    if name == "stack":
        if known[0].shape is not None:
            axis_of(at, len(known[0].shape) + 1)
        shape = arrays.stacked(known, at)
    elif name in ("cat", "concat", "concatenate"):
        empty = [x for x in known if x.sizes == (0,)]
        rest = [x for x in known if x.sizes != (0,)] if len(empty) < len(known) else known
        shape = arrays.concatenated(rest, at)
        if shape and counted and -len(shape) <= at < len(shape):
            # There are as many as the list got.
            sizes = list(shape)
            sizes[at] = Value(sizes[at].data, sizes[at].origins | counted)
            shape = tuple(sizes)
    elif name == "dstack":
        if all(x.shape is not None and len(x.shape) == 2 for x in known):
            shape = arrays.stacked(known, 2)
    elif name in ("hstack", "vstack"):
        lowest = 2 if name == "vstack" else 1
        wide = [x for x in known if x.shape is not None and len(x.shape) >= lowest]
        along = 1 if name == "hstack" and wide and len(wide[0].shape or ()) > 1 else 0
        if len(wide) == len(known):
            shape = arrays.concatenated(wide, along)
        elif not wide and name == "vstack":
            shape = arrays.stacked(known, 0)
    return shape


@MODELS.function(
    *(f"torch.{n}" for n in ("cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack"))
)
def _cat(interpreter: Interpreter, call: Call) -> Value:
    name = call.name.rpartition(".")[2]
    given = call.given(0, "tensors")
    if given is None:
        return call.unknown()
    if isinstance(given.data, Array):
        raise Raised("type", f"{name}(): argument 'tensors' must be tuple of Tensors", given)
    if isinstance(given.data, Lazy) and given.data.length.data == 0 and not given.data.others:
        none = Value(0, given.data.length.origins)
        raise Raised("value", f"{name}() expected a non-empty list of Tensors", none)
    if not isinstance(given.data, list | tuple):
        items = interpreter.iterate(given) if isinstance(given.data, Lazy) else None
        lazy = items if isinstance(items, Lazy) else None
        return _cat_lazy(call, name, lazy, given)
    parts = list(given.data)
    if not parts:
        raise Raised("value", f"{name}() expected a non-empty list of Tensors", given)
    for part in parts:
        kind = kind_of(part)
        if kind is not None:
            raise Raised("type", f"expected Tensor as an element, but got {kind}", part)
    arrays_given = [array(p) for p in parts]
    known = [x for x in arrays_given if x is not None]
    if not known:
        return call.unknown()
    if name in ("cat", "concat", "concatenate"):
        for part, x in zip(parts, arrays_given, strict=True):
            if x is not None and x.shape == ():
                message = "zero-dimensional tensor cannot be concatenated"
                raise _without_axes(message, part, parts[0])
    axis = call.given(1, "dim", "axis")
    at = 0 if axis is None else size(axis)
    dtype = known[0].dtype
    for more in known[1:]:
        dtype = promoted(Array((), dtype, "torch"), Array((), more.dtype, "torch"))
    for other, part in zip(known[1:], parts[1:], strict=False):
        if len(known) == len(parts):
            same_device(known[0], parts[0], other, part)
    is_whole = len(known) == len(parts) and at is not None
    shape = _joined_shape(name, known, at or 0, given.origins - {call.place}) if is_whole else None
    if shape is None:
        _unlike_others(parts, arrays_given)
    elif len(known) > 1 and name in ("cat", "concat", "concatenate"):
        shape = _put_together(interpreter, call, known, shape, at or 0)
    result = tensor(shape, dtype, given, *parts, device=known[0].device)
    bounds = array(result)
    if bounds is not None and len(known) == len(parts):
        lows, highs = [x.lowest for x in known], [x.highest for x in known]
        bounds.lowest = None if None in lows else min(v for v in lows if v is not None)
        bounds.highest = None if None in highs else max(v for v in highs if v is not None)
    if bounds is not None and shape is None and is_whole and at == -1 and name.startswith("c"):
        bounds.last = _joined_last(interpreter, call, known)
    return result


def _joined_last(interpreter: Interpreter, call: Call, parts: Sequence[Array]) -> Value | None:
    """Return the last size of arrays joined along it whose other sizes are not known."""
    lasts = [part.shape[-1] if part.shape else part.last for part in parts]
    sizes = [size(last) for last in lasts if last is not None]
    whole = [number for number in sizes if number is not None]
    if len(whole) < len(parts):
        return None
    held = [last for last in lasts if last is not None]
    joined = Value(sum(whole), merged(*held, Value(None, frozenset({call.place}))))
    for last in held if interpreter.comparisons.reported else ():
        interpreter.comparisons.relate(call.place, last, joined, None)
    return joined


def _put_together(
    interpreter: Interpreter, call: Call, parts: Sequence[Array], shape: Shape, axis: int
) -> Shape:
    """Return a joined shape of whose joined axis the call is known to have made the size."""
    at = axis_of(axis, len(shape))
    if at is None or size(shape[at]) is None:
        return shape
    sizes = list(shape)
    if shape[at].origins:
        sizes[at] = Value(shape[at].data, merged(shape[at], Value(None, frozenset({call.place}))))
    for part in parts if interpreter.comparisons.reported else ():
        if part.shape is not None and at < len(part.shape):
            interpreter.comparisons.relate(call.place, part.shape[at], sizes[at], None)
    return tuple(sizes)


def _without_axes(message: str, part: Value, other: Value) -> Raised:
    """Return the failure of a tensor without axes among others that are joined."""
    x = array(other)
    rank = len(x.shape) if x is not None and x.shape else 1
    return refused_axes(message, part, 0, Value(rank, other.origins))


def _cat_lazy(call: Call, name: str, items: Lazy | None, given: Value) -> Value:
    x = array(items.item) if items is not None else None
    axis = call.given(1, "dim", "axis")
    at = 0 if axis is None else size(axis)
    if items is None or x is None or x.shape is None or at is None:
        return tensor(None, None if x is None else x.dtype, given)
    if name == "stack":
        at = axis_of(at, len(x.shape) + 1) or 0
        return like(x, (*x.shape[:at], items.length, *x.shape[at:]), given)
    if name in ("cat", "concat", "concatenate"):
        at = axis_of(at, len(x.shape)) or 0
        total = times(x.shape[at], items.length)
        if isinstance(items.length, Uneven):
            total = unknown(total)
        return like(x, (*x.shape[:at], total, *x.shape[at + 1 :]), given)
    return tensor(None, x.dtype, given)


@operation("hsplit", "vsplit")
def _split_evenly(call: Call, x: Array, value: Value) -> Value:
    """Return the equal parts of an axis (``torch.hsplit``); raise where it cannot be split."""
    count, is_wide = call.given(1, "sections", "indices"), "hsplit" in call.name
    at = 0 if not is_wide or (x.shape is not None and len(x.shape) == 1) else 1
    number = size(count)
    if x.shape is None or len(x.shape) <= at or not number or count is None:
        return call.unknown()
    total = size(x.shape[at])
    if total is not None and total % number:
        raise Raised("size", "the size of the dimension is not divisible", x.shape[at], count)
    length = Value(UNKNOWN if total is None else total // number, merged(x.shape[at], count))
    part = like(x, (*x.shape[:at], length, *x.shape[at + 1 :]), value)
    return Value(tuple(part for _ in range(min(number, 256))), value.origins)


@operation("chunk", "split", "tensor_split", "unbind", "split_with_sizes")
def _split(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    axis = call.given(1 if name == "unbind" else 2, "dim")
    how = (
        None
        if name == "unbind"
        else call.given(1, "split_size_or_sections", "split_size", "chunks")
    )
    if x.shape is None or (axis is not None and size(axis) is None):
        return Value(Lazy(like(x, None, value), Value(UNKNOWN)), value.origins)
    at = axis_of(0 if axis is None else axis, len(x.shape)) or 0
    dim = x.shape[at]
    total = size(dim)

    def piece(length: Value | None) -> Value:
        part = part_along(x, at, () if length is None else (length,), value)
        if name == "unbind" and isinstance(part.data, Array):
            # Each of the parts has a name of its own, whichever axis they are taken of.
            part.data.forget_bounds()
        return part

    if name == "unbind":
        if total is None or total > 256:
            return Value(Lazy(piece(None), dim), value.origins)
        return Value(tuple(piece(None) for _ in range(total)), value.origins)
    origins = merged(dim, how) if how is not None else dim.origins
    if how is not None and isinstance(how.data, list | tuple):
        sizes = [dimension(v) for v in how.data]
        if name == "tensor_split":
            return call.unknown()
        plain = [size(v) for v in sizes]
        if total is not None and None not in plain and sum(v or 0 for v in plain) != total:
            given = Value(sum(v or 0 for v in plain), how.origins | merged(*sizes))
            raise Raised("size", "split sizes do not sum to the dimension", given, dim)
        return Value(tuple(piece(v) for v in sizes), value.origins)
    number = size(how)
    if number is None or number < 1 or total is None:
        count = Value(number if name != "split" and total is None else UNKNOWN, origins)
        free = piece(Value(UNKNOWN, origins))
        if name == "chunk" and number and number <= 64:
            return Value(tuple(piece(Value(UNKNOWN, origins)) for _ in range(number)), origins)
        return Value(Lazy(free, count), origins)
    if name == "tensor_split":
        lengths = [total // number + (i < total % number) for i in range(number)]
    else:
        step = number if name == "split" else max(-(-total // number), 1)
        lengths = [min(step, total - i) for i in range(0, total, step)] or [0]
    if len(lengths) > 256:
        return Value(Lazy(piece(Value(lengths[0], origins)), Value(len(lengths), origins)), origins)
    return Value(tuple(piece(Value(n, origins)) for n in lengths), value.origins)


# --- products -------------------------------------------------------------------------------------


def multiplied(call: Call, x: Array, value: Value, rank: int | None) -> Value:
    """Return a matrix product, of operands with a fixed number of axes where one is given."""
    other = call.given(1, "mat2", "other", "vec", "tensor", "b")
    y = array(other)
    if other is None or y is None:
        return tensor(None, x.dtype if x.library == "torch" else None, value)
    same_device(x, value, y, other)
    for data, operand in ((x, value), (y, other)):
        if rank is not None and data.shape is not None and len(data.shape) != rank:
            sides = Value(len(data.shape), operand.origins), Value(rank)
            raise Raised("size", f"expected a tensor of {rank} dimensions", *sides)
    if rank == 3 and x.shape is not None and y.shape is not None:
        arrays.same(x.shape[0], y.shape[0], "batches of matrices differ in number")
    shape = arrays.matmul(x, y)
    same_dtype(x, value, y, other)
    dtype = promoted(x, y) if x.library != "torch" else x.dtype or y.dtype
    if x.library == "torch" and x.dtype != y.dtype:
        dtype = None
    return tensor(shape, dtype, value, other, library=x.library, device=x.device or y.device)


@operation("matmul", "__matmul__", also=["torch.linalg.matmul"])
def _matmul(call: Call, x: Array, value: Value) -> Value:
    return multiplied(call, x, value, None)


@operation("mm", also=["torch.sparse.mm", "torch.spmm"])
def _mm(call: Call, x: Array, value: Value) -> Value:
    return multiplied(call, x, value, 2)


@operation("bmm")
def _bmm(call: Call, x: Array, value: Value) -> Value:
    return multiplied(call, x, value, 3)


@operation("dot", "vdot")
def _dot(call: Call, x: Array, value: Value) -> Value:
    rank = 1 if call.name.endswith("dot") and x.library == "torch" else None
    return multiplied(call, x, value, rank)


@operation("addmm", "baddbmm", "addbmm", "addmv")
def _addmm(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    first, second = call.given(1, "mat1", "batch1", "mat"), call.given(2, "mat2", "batch2", "vec")
    a = array(first)
    if first is None or a is None or second is None:
        return tensor(None, x.dtype, value)
    inner = Call(call.name, (first, second), {}, call.place)
    rank = {"addmm": 2, "baddbmm": 3, "addbmm": 3}.get(name)
    result = multiplied(inner, a, first, rank)
    data = array(result)
    if name == "addbmm" and data is not None and data.shape is not None:
        result = like(data, data.shape[1:], result)
        data = array(result)
    if data is not None and data.shape is not None and x.shape is not None:
        arrays.broadcast(x.shape, data.shape)
    return result


@operation("outer", "ger")
def _outer(call: Call, x: Array, value: Value) -> Value:
    other = call.given(1, "vec2", "other")
    y = array(other)
    if x.library == "torch":
        for data, operand in ((x, value), (y, other)):
            rank = None if data is None else rank_of(data)
            if rank is not None and rank != 1 and operand is not None:
                sides = Value(rank, operand.origins), Value(1)
                raise Raised("size", f"outer: expected a 1-D argument, but got {rank}-D", *sides)
    if y is None or other is None or x.shape is None or y.shape is None:
        return tensor(None, x.dtype, value)
    # NumPy lays both out flat.
    flat = (arrays.product(x.shape), arrays.product(y.shape))
    return tensor(flat, promoted(x, y), value, other, device=x.device)


@MODELS.function("torch.einsum")
def _einsum(_: Interpreter, call: Call) -> Value:
    equation = text(call.given(0, "equation"))
    operands = call.args[1:]
    if len(operands) == 1 and isinstance(operands[0].data, list | tuple):
        operands = tuple(operands[0].data)
    return einsum(call, equation, operands, "torch")


ELLIPSIS = "?"
"""Stands for the three dots of an equation."""
LEFT_OUT = "0123456789"
"""Stand for the axes that three dots leave out, the last one last."""


def _single_letters(terms: str) -> str:
    """Return the letters of the result where the equation does not name it."""
    return "".join(sorted(c for c in set(terms) if c.isalpha() and terms.count(c) == 1))


def _axes_left_out(terms: Sequence[str], operands: Sequence[Value]) -> list[int] | None:
    """Return how many axes the three dots of each term stand for, None where not known."""
    counts: list[int] = []
    for term, operand in zip(terms, operands, strict=False):
        x = array(operand)
        if ELLIPSIS not in term:
            counts.append(0)
        elif x is None or x.shape is None:
            return None
        else:
            counts.append(len(x.shape) - len(term) + 1)
    return counts if all(0 <= count < len(LEFT_OUT) for count in counts) else None


def einsum(call: Call, equation: str | None, operands: Sequence[Value], library: str) -> Value:
    """Return what ``einsum`` gives; raise where one letter stands for two known sizes."""
    if equation is None:
        return tensor(None, None, *call.args, library=library)
    left, arrow, right = equation.replace(" ", "").replace("...", ELLIPSIS).partition("->")
    if not arrow and ELLIPSIS in left:
        right = ELLIPSIS + _single_letters(left)
        arrow = "->"
    terms = left.split(",")
    if ELLIPSIS in left:
        ranks = _axes_left_out(terms, operands)
        if ranks is None:
            return tensor(None, None, *call.args, library=library)
        most = max(ranks, default=0)
        terms = [
            term.replace(ELLIPSIS, LEFT_OUT[most - rank : most])
            for term, rank in zip(terms, ranks, strict=False)
        ]
        right = right.replace(ELLIPSIS, LEFT_OUT[:most])
    if len(terms) != len(operands):
        message = "einsum: the number of operands differs from the equation's"
        raise Raised("size", message, Value(len(terms)), Value(len(operands)))
    sizes_by_letter: dict[str, Value] = {}
    dtypes: set[str | None] = set()
    for term, operand in zip(terms, operands, strict=True):
        x = array(operand)
        dtypes.add(None if x is None else x.dtype)
        if x is None or x.shape is None:
            continue
        if len(x.shape) != len(term):
            sides = Value(len(x.shape), operand.origins), Value(len(term), call.args[0].origins)
            raise Raised("size", "einsum: subscripts do not match the number of dimensions", *sides)
        for letter, dim in zip(term, x.shape, strict=True):
            before = sizes_by_letter.get(letter)
            if before is None or size(before) == 1:
                sizes_by_letter[letter] = dim
            elif size(dim) != 1:
                sizes_by_letter[letter] = arrays.same(
                    before, dim, "einsum: sizes of one subscript differ"
                )
    letters = right if arrow else _single_letters(left)
    shape = [sizes_by_letter.get(c, Value(UNKNOWN)) for c in letters]
    return tensor(shape, dtypes.pop() if len(dtypes) == 1 else None, *operands, library=library)


# --- sizes, conversions, gradients ----------------------------------------------------------------


@operation("size")
def _size(call: Call, x: Array, value: Value) -> Value:
    axis = call.given(1, "dim")
    if axis is None:
        return call.unknown() if x.shape is None else shape_of(x, value)
    if x.shape is None:
        return arrays.number("int64", value, lowest=0)
    at = axis_of(axis, len(x.shape))
    return unknown(*x.shape) if at is None or not x.shape else length_of(x.shape[at])


def length_of(dim: Value) -> Value:
    """Return a dimension as a number, of which no more may be known than that it is one."""
    return dim if size(dim) is not None else arrays.number("int64", dim, lowest=0)


def shape_of(x: Array, value: Value) -> Value:
    """Return an array's dimensions as numbers."""
    return Value(tuple(map(length_of, x.shape or ())), value.origins)


@operation("dim", "ndimension")
def _dim(_: Call, x: Array, value: Value) -> Value:
    return Value(UNKNOWN if x.shape is None else len(x.shape), value.origins)


@operation("numel", "nelement")
def _numel(_: Call, x: Array, value: Value) -> Value:
    return length_of(unknown(value) if x.shape is None else arrays.product(x.shape))


@operation("element_size")
def _element_size(_: Call, x: Array, value: Value) -> Value:
    return Value(BYTES.get(x.dtype or "", UNKNOWN), value.origins)


@MODELS.function("torch.Size")
def _sizes(_: Interpreter, call: Call) -> Value:
    given = call.args[0] if call.args else Value(())
    if not isinstance(given.data, (list, tuple)):
        return call.unknown()
    return Value(tuple(given.data), given.origins)


@MODELS.function("torch.is_tensor")
def _is_tensor(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "obj")
    if given is None or not given.known:
        return call.unknown()
    data = given.data
    if isinstance(data, (Instance, LibraryObject)):
        # Parameters, and what a class makes of a tensor, are tensors.
        return call.unknown()
    return Value(isinstance(data, Array) and data.library == "torch", given.origins)


@operation("is_floating_point", "is_contiguous", "equal", "allclose")
def _fact(call: Call, x: Array, value: Value) -> Value:
    name = call.name.rpartition(".")[2]
    if name == "is_floating_point" and x.dtype is not None:
        return Value(x.dtype in FLOATING[:4], value.origins)
    return unknown(value)


@operation("item", "tolist", "stride", "data_ptr", "get_device")
def _item_of(call: Call, x: Array, value: Value) -> Value:
    if call.name == "item" and x.shape is not None and len(call.args) < 2:
        total = arrays.product(x.shape)
        number = size(total)
        if number is not None and number != 1:
            message = f"a Tensor with {number} elements cannot be converted to Scalar"
            raise Raised("size", message, total, Value(1))
    return one_of(x, value) if call.name == "item" else unknown(value)


def one_of(x: Array, value: Value) -> Value:
    """Return an element of an array as a number of Python's."""
    if x.dtype in FLOATING[:4]:
        return arrays.number("float64", value)
    if x.dtype == "bool":
        return arrays.number("bool", value)
    if x.dtype in WHOLE or (x.dtype or "").startswith("uint"):
        if x.lowest is not None and x.lowest == x.highest:
            return Value(x.lowest, value.origins)
        return arrays.number("int64", value, lowest=x.lowest, highest=x.highest)
    return unknown(value)


def items_of(x: Array, value: Value) -> Value:
    """Return an array as nested lists of numbers."""
    if x.shape is None:
        return unknown(value)
    if not x.shape:
        return one_of(x, value)
    inner = Array(x.shape[1:], x.dtype, x.library, x.device, x.lowest, x.highest)
    item, count = items_of(inner, value), size(x.shape[0])
    total = size(arrays.product(x.shape))
    if isinstance(x, Ordered) and x.lowest is not None and (count or MAX_LISTED) < MAX_LISTED:
        # Of numbers by chance this is an order that chance may give.
        numbers = range(x.lowest, x.lowest + (count or 0))
        return Value([Value(number, value.origins) for number in numbers], value.origins)
    if count is None or total is None or total > MAX_LISTED:
        return Value(Lazy(item, x.shape[0]), value.origins)
    return Value([items_of(inner, value) for _ in range(count)], value.origins)


@operation("to", "type", "type_as")
def _to(call: Call, x: Array, value: Value) -> Value:
    result = like(x, x.shape, value)
    data = array(result)
    assert data is not None
    if call.name == "type" and len(call.args) == 1 and not call.keywords:
        return unknown(value)
    for given in (*call.args[1:], *(v for k, v in call.keywords.items() if k in TO_NAMES)):
        other = array(given)
        if other is not None:
            data.dtype, data.device = other.dtype, other.device
        elif isinstance(given.data, Library) and given.data.name in OF_TENSORS:
            data.dtype, data.device = OF_TENSORS[given.data.name]
        elif dtype_of(given) is not None:
            data.dtype = dtype_of(given)
        elif device_of(given) is not None:
            data.device = device_of(given)
        elif isinstance(given.data, bool):
            continue
        elif isinstance(given.data, LibraryObject) and given.data.name == "torch.device":
            data.device = None
        elif isinstance(given.data, str) and given.data.startswith("torch."):
            data.dtype, data.device = OF_TENSORS.get(given.data, (dtype_of(given), None))
        else:
            data.device = None
            data.dtype = None if not given.known and call.name == "type" else data.dtype
    if data.dtype in FLOATING:
        data.lowest = data.highest = None
    return result


TO_NAMES = ("dtype", "device", "other")
CASTS = words("float double half bfloat16 long int short bool byte char")


@MODELS.method("array", *CASTS)
def _cast(_: Interpreter, call: Call) -> Value:
    x = array(call.receiver)
    if x is None or call.receiver is None:
        return call.unknown()
    result = like(x, x.shape, call.receiver)
    data = array(result)
    assert data is not None
    data.dtype = {"byte": "uint8", "char": "int8"}.get(call.name) or TORCH_DTYPES[call.name]
    if data.dtype not in WHOLE:
        data.lowest = data.highest = None
    return result


@operation("cuda", "cpu", "mps", "xpu")
def _moved_to(call: Call, x: Array, value: Value) -> Value:
    result = like(x, x.shape, value)
    data = array(result)
    assert data is not None
    given = call.given(1, "device")
    is_open = call.name == "cuda" and given is not None and given.data is not None
    data.device = device_of(given if is_open else Value(call.name))
    return result


@operation("numpy", "__array__")
def _numpy(_: Call, x: Array, value: Value) -> Value:
    if x.library == "torch" and x.device is not None and x.device.startswith("cuda"):
        raise Raised("type", "can't convert cuda device type tensor to numpy", value)
    if x.library == "tensorflow" and x.shape == () and x.dtype in ("str", None):
        # A text is bytes of Python.
        return unknown(value)
    data = Array(x.shape, x.dtype, "numpy", None, x.lowest, x.highest)
    return Value(data, value.origins)


@operation("backward")
def _backward(call: Call, x: Array, value: Value) -> Value:
    if call.given(1, "gradient") is None and x.shape is not None:
        total = arrays.product(x.shape)
        number = size(total)
        if number is not None and number != 1:
            message = "grad can be implicitly created only for scalar outputs"
            raise Raised("size", message, total, Value(1))
    return Value(None, value.origins)


@attribute("shape")
def _shape(x: Array, value: Value) -> Value:
    return unknown(value) if x.shape is None else shape_of(x, value)


@attribute("ndim")
def _ndim(x: Array, value: Value) -> Value:
    """Return the number of axes, which what made their lengths did not make."""
    if x.shape is None:
        return unknown(value)
    return Value(len(x.shape), value.origins - merged(*x.shape) or value.origins)


@attribute("size")
def _size_of(x: Array, value: Value) -> Value:
    if x.library in ("numpy", "jax"):
        return unknown(value) if x.shape is None else arrays.product(x.shape)
    return Value(Method(value, "size"), value.origins)


@attribute("T", "H")
def _t(x: Array, value: Value) -> Value:
    return reversed_axes(x, value)


@attribute("mT", "mH")
def _mt(x: Array, value: Value) -> Value:
    if x.shape is None or len(x.shape) < 2:
        return like(x, None, value)
    count = len(x.shape)
    return in_order(x, (*range(count - 2), count - 1, count - 2), value)


@attribute("data")
def _data(x: Array, value: Value) -> Value:
    return like(x, x.shape, value) if x.library == "torch" else unknown(value)


@attribute("grad")
def _grad(_: Array, value: Value) -> Value:
    return unknown(value)


@attribute("real", "imag")
def _part_of(x: Array, value: Value) -> Value:
    dtype = {"complex64": "float32", "complex128": "float64"}.get(x.dtype or "", x.dtype)
    return tensor(x.shape, dtype, value, library=x.library, device=x.device)


BYTES = {
    **dict.fromkeys(("bool", "uint8", "int8"), 1),
    **dict.fromkeys(("int16", "float16", "bfloat16"), 2),
    **dict.fromkeys(("int32", "float32"), 4),
    **dict.fromkeys(("int64", "float64", "complex64"), 8),
    "complex128": 16,
}


@attribute("itemsize")
def _itemsize(x: Array, value: Value) -> Value:
    return Value(BYTES.get(x.dtype or "", UNKNOWN), value.origins)


@attribute("nbytes")
def _nbytes(x: Array, value: Value) -> Value:
    if x.shape is None or x.dtype not in BYTES:
        return unknown(value)
    return arrays.product((*x.shape, Value(BYTES[x.dtype], value.origins)))


@attribute("is_cuda")
def _is_cuda(x: Array, value: Value) -> Value:
    known = x.device is not None and x.library == "torch"
    on_gpu = x.device is not None and x.device.startswith("cuda")
    return Value(on_gpu if known else UNKNOWN, value.origins)


@attribute("dtype")
def _dtype(x: Array, value: Value) -> Value:
    if x.dtype is None:
        return unknown(value)
    if isinstance(x, Series) and x.dtype == "object" and x.cells is not None:
        # What texts are called differs from version to version.
        texts = any(isinstance(cell, str) for cell in x.cells)
        return Value(Library("numpy.object" if texts else "numpy.object_"), value.origins)
    return Value(Library(f"{x.library}.{x.dtype}"), value.origins)


@attribute("device")
def _device(x: Array, value: Value) -> Value:
    return unknown(value) if x.device is None else device(x.device, value.origins)


@attribute("requires_grad")
def _requires_grad(x: Array, value: Value) -> Value:
    if isinstance(x, Stored) and x.needs is not None:
        return Value(x.needs and x.dtype in FLOATING, value.origins)
    return unknown(value)


@attribute("is_leaf", "grad_fn", "is_sparse", "layout", "is_quantized")
def _state(_: Array, value: Value) -> Value:
    return unknown(value)


@MODELS.function("torch.set_default_dtype", "torch.set_default_tensor_type")
def _set_default(interpreter: Interpreter, call: Call) -> Value:
    if call.args:
        DEFAULTS[interpreter] = call.args[0]
    return Value(None)


@MODELS.function("torch.nn.utils.rnn.pad_sequence", "torch.pad_sequence")
def _pad_sequence(interpreter: Interpreter, call: Call) -> Value:
    given = call.given(0, "sequences")
    if given is None:
        return call.unknown()
    items = interpreter.iterate(given)
    parts = [items.item] if isinstance(items, Lazy) else items
    if isinstance(items, list) and not items:
        raise Raised("value", "received an empty list of sequences", given)
    for part in parts:
        kind = kind_of(part)
        if kind is not None:
            raise Raised("type", f"expected Tensor as an element, but got {kind}", part)
    x = array(parts[0])
    first = flag(call.given(1, "batch_first"), default=False)
    if x is None or not x.shape or first is None:
        return tensor(None, None if x is None else x.dtype, given)
    count = items.length if isinstance(items, Lazy) else Value(len(parts), given.origins)
    arrays_given = [array(p) for p in parts]
    for y in arrays_given[1:]:
        if y is not None and y.shape is not None and len(y.shape) == len(x.shape):
            for mine, other in zip(x.shape[1:], y.shape[1:], strict=True):
                arrays.same(mine, other, "sequences must have the same trailing dimensions")
    lengths = [size(y.shape[0]) if y is not None and y.shape else None for y in arrays_given]
    known = [n for n in lengths if n is not None]
    whole = isinstance(items, list) and len(known) == len(parts)
    longest = Longest(max(known) if whole else UNKNOWN, given.origins | {call.place})
    lead = (count, longest) if first else (longest, count)
    padded = tensor((*lead, *x.shape[1:]), x.dtype, given, device=x.device)
    data, fill = array(padded), call.given(2, "padding_value") or Value(0)
    bounds = [(y.lowest, y.highest) for y in arrays_given if y is not None]
    filled = int(fill.data) if isinstance(fill.data, int | float) else None
    if data is not None and len(bounds) == len(parts) and filled is not None:
        lows = [low for low, _ in bounds if low is not None]
        highs = [high for _, high in bounds if high is not None]
        if len(lows) == len(highs) == len(bounds):
            pads = len(set(lengths)) > 1 or None in lengths
            data.lowest = min([*lows, filled] if pads else lows)
            data.highest = max([*highs, filled] if pads else highs)
            data.attained = all(y.attained for y in arrays_given if y is not None)
    return padded


@operation("cosine_similarity", also=["torch.nn.functional.cosine_similarity"])
def _cosine(call: Call, x: Array, value: Value) -> Value:
    other = call.given(1, "x2", "other")
    y = array(other)
    if other is None or y is None or x.shape is None or y.shape is None:
        return tensor(None, x.dtype, value)
    wide = Array(arrays.broadcast(x.shape, y.shape), x.dtype, x.library)
    axis = call.given(2, "dim") or Value(1)
    return tensor(reduced(wide, value, axis, keep=False), promoted(x, y), value, other)


@operation("cdist")
def _cdist(call: Call, x: Array, value: Value) -> Value:
    other = call.given(1, "x2")
    y = array(other)
    if other is None or y is None or not x.shape or not y.shape or len(x.shape) != len(y.shape):
        return tensor(None, x.dtype, value)
    arrays.same(x.shape[-1], y.shape[-1], "X1 and X2 must have the same number of columns")
    return tensor((*x.shape[:-1], y.shape[-2]), promoted(x, y), value, other, device=x.device)


@operation("multinomial")
def _multinomial(call: Call, x: Array, value: Value) -> Value:
    count = call.given(1, "num_samples")
    replaced = flag(call.given(2, "replacement"), default=False)
    many, extent = size(count), size(x.shape[-1]) if x.shape else None
    if replaced is False and many is not None and extent is not None and many > extent:
        assert count is not None and x.shape
        message = "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
        raise Raised("size", message, count, x.shape[-1])
    shape = None if x.shape is None or count is None else (*x.shape[:-1], dimension(count))
    return indices(tensor(shape, "int64", value, device=x.device), extent)


def without_change(*names: str) -> Model:
    """Register functions that give back their first argument."""

    def run(_: Interpreter, call: Call) -> Value:
        value = call.given(0, "tensor", "data", "input", "obj")
        return call.unknown() if value is None else value

    return MODELS.function(*names)(run)


without_change(
    *(f"torch.nn.init.{kind}_" for kind in (
        "xavier_uniform", "xavier_normal", "kaiming_uniform", "kaiming_normal", "uniform",
        "normal", "constant", "ones", "zeros", "eye", "orthogonal", "trunc_normal",
    )),
    "torch.jit.script", "copy.deepcopy_",
)  # fmt: skip

for _name in ACTIVATIONS:
    _model = MODELS.functions[f"torch.nn.functional.{_name}"]
    MODELS.functions.setdefault(f"torch.nn.functional.{_name}_", _model)
