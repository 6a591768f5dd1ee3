"""TensorFlow's arrays of tensors, queues, tables to look up in, generators, and nested structures.

Source: the TensorFlow 2 API reference (``tf.TensorArray``, ``tf.queue``, ``tf.lookup``,
``tf.random.Generator``, ``tf.nest``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import dl_bug_lsp.interpretation.libraries.numpy.functions  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.tensorflow.ragged import Ragged, ragged
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import (
    Shape,
    converted,
    dims,
    dtype_named,
    names,
    operand,
    tensor,
    written,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    LibraryObject,
    Method,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


# --- arrays of tensors ----------------------------------------------------------------------------


@MODELS.function(*names("TensorArray"))
def _make_array(_: Interpreter, call: Call) -> Value:
    """Return an array of tensors; ``count`` is how many it has, ``item`` what is known of one."""
    made = LibraryObject("tensorflow.TensorArray", call.args, dict(call.keywords), call.place)
    count, grows = call.given(1, "size"), call.given(2, "dynamic_size")
    fixed = grows is None or grows.data is False
    made.state["count"] = count if count is not None and fixed else Value(UNKNOWN)
    if not fixed:
        made.state["written"] = Value(0)
    shape = dims(call.given(6, "element_shape"))
    dtype = dtype_named(call.given(0, "dtype"))
    made.state["item"] = tensor(call, shape, dtype)
    return Value(made, merged(*call.args, *call.keywords.values()) | {call.place})


def _changed(call: Call, **state: Value) -> Value:
    """Return an array of tensors like the one that a method belongs to, with another state."""
    held = call.held
    if held is None:
        return call.unknown()
    made = LibraryObject(held.name, held.args, held.keywords, held.made, dict(held.state))
    made.state.update(state)
    return Value(made, merged(*([call.receiver] if call.receiver else []), *call.args))


def _item(call: Call) -> tuple[Shape | None, str | None]:
    data = arrays.array(call.state.get("item"))
    return (None, None) if data is None else (data.shape, data.dtype)


@MODELS.method("TensorArray", "write")
def _write(_: Interpreter, call: Call) -> Value:
    """Return the array with one tensor more, which all others are like."""
    index, value = call.given(0, "index"), call.given(1, "value")
    x = operand(value)
    shape, dtype = _item(call)
    if value is not None and x is not None:
        shape = x.shape if shape is None else shape
        dtype = dtype or x.dtype
    state = {"item": tensor(call, shape, dtype, *call.args)}
    before, at = size(call.state.get("written")), size(index)
    if "written" in call.state:
        known = before is not None and at is not None
        state["written"] = Value(max(before or 0, (at or 0) + 1) if known else UNKNOWN)
        state["count"] = Value(state["written"].data, merged(*call.args))
    return _changed(call, **state)


@MODELS.method("TensorArray", "unstack", "split")
def _unstack(_: Interpreter, call: Call) -> Value:
    """Return the array filled with the rows of a tensor."""
    value = call.given(0, "value")
    x = operand(value)
    dtype = _item(call)[1]
    if x is None or not x.shape or call.name == "split":
        return _changed(call, item=tensor(call, None, dtype), count=Value(UNKNOWN))
    return _changed(call, item=tensor(call, x.shape[1:], dtype or x.dtype), count=x.shape[0])


@MODELS.method("TensorArray", "read")
def _read(_: Interpreter, call: Call) -> Value:
    shape, dtype = _item(call)
    return tensor(call, shape, dtype, *call.args)


@MODELS.method("TensorArray", "stack")
def _stack(_: Interpreter, call: Call) -> Value:
    """Return all tensors along a new first axis."""
    shape, dtype = _item(call)
    count = call.state.get("count", Value(UNKNOWN))
    first = Value(UNKNOWN if size(count) is None else count.data, count.origins)
    return tensor(call, None if shape is None else (first, *shape), dtype)


@MODELS.method("TensorArray", "gather")
def _gather(_: Interpreter, call: Call) -> Value:
    shape, dtype = _item(call)
    ids = operand(call.given(0, "indices"))
    known = shape is not None and ids is not None and ids.shape
    first = ids.shape if known and ids is not None and ids.shape else ()
    return tensor(call, (*first, *(shape or ())) if known else None, dtype)


@MODELS.method("TensorArray", "concat")
def _concat(_: Interpreter, call: Call) -> Value:
    """Return all tensors one after the other; they may differ in their first size."""
    shape, dtype = _item(call)
    return tensor(call, None if not shape else (Value(UNKNOWN), *shape[1:]), dtype)


@MODELS.method("TensorArray", "size")
def _array_size(_: Interpreter, call: Call) -> Value:
    return tensor(call, (), "int32")


@MODELS.method("TensorArray", "close", "grad")
def _closed(_: Interpreter, call: Call) -> Value:
    return Value(None) if call.name == "close" else call.unknown()


@MODELS.attribute("TensorArray", "size", "dtype", "element_shape", "handle", "flow")
def _array_attribute(_: Interpreter, call: Call) -> Value:
    if call.name == "size" and call.receiver is not None:
        return Value(Method(call.receiver, "size"), call.receiver.origins)
    return call.unknown()


# --- queues ---------------------------------------------------------------------------------------


def _parts(call: Call, first: tuple[Value, ...]) -> Value:
    """Return one element of a queue, or several along a new first axis."""
    held = call.held
    if held is None or held.short != "FIFOQueue":
        return call.unknown()
    asked = Call("", held.args, held.keywords, call.place)
    dtypes, shapes = asked.given(1, "dtypes"), asked.given(2, "shapes")
    if dtypes is None:
        return call.unknown()
    kinds = dtypes.data if isinstance(dtypes.data, (list, tuple)) else (dtypes,)
    sizes = shapes.data if shapes is not None else None
    one_shape = isinstance(sizes, (list, tuple)) and len(kinds) == 1 and len(sizes) != 1
    if one_shape and shapes is not None:
        sizes = (shapes,)
    made = []
    for number, kind in enumerate(kinds):
        known = isinstance(sizes, (list, tuple)) and len(sizes) == len(kinds)
        shape = dims(sizes[number]) if known and isinstance(sizes, (list, tuple)) else None
        whole = None if shape is None else (*first, *shape)
        made.append(tensor(call, whole, dtype_named(kind)))
    if "names" in held.keywords:
        return call.unknown()
    return made[0] if len(made) == 1 else Value(made, frozenset({call.place}))


@MODELS.method("FIFOQueue", "dequeue")
def _take(_: Interpreter, call: Call) -> Value:
    return _parts(call, ())


@MODELS.method("FIFOQueue", "dequeue_many")
def _take_many(_: Interpreter, call: Call) -> Value:
    count = call.given(0, "n")
    return call.unknown() if count is None else _parts(call, (count,))


@MODELS.method("FIFOQueue", "enqueue", "enqueue_many", "close")
def _nothing(_: Interpreter, call: Call) -> Value:
    del call
    return Value(None)


@MODELS.method("FIFOQueue", "size")
def _size_of_queue(_: Interpreter, call: Call) -> Value:
    return tensor(call, (), "int32")


# --- tables to look up in -------------------------------------------------------------------------


@MODELS.method("StaticHashTable", "lookup")
@MODELS.method("StaticVocabularyTable", "lookup")
def _look_up(_: Interpreter, call: Call) -> Value:
    """Return a value of the table for each key."""
    value = call.given(0, "keys")
    made = converted(call, value) if value is not None else call.unknown()
    x = arrays.array(made)
    if x is None:
        return call.unknown()
    dtype = "int64" if call.held and call.held.short == "StaticVocabularyTable" else None
    held = call.held
    first = held.args[0].data if held is not None and held.args else None
    if dtype is None and isinstance(first, LibraryObject):
        asked = Call("", first.args, first.keywords, call.place)
        given = asked.given(1, "values")
        numbers = arrays.array(converted(call, given)) if given is not None else None
        if first.short == "KeyValueTensorInitializer" and numbers is not None:
            dtype = dtype_named(asked.given(3, "value_dtype"), numbers.dtype)
    if isinstance(x, Ragged):
        return ragged(call, x.shape, dtype, x.lengths, made)
    return tensor(call, x.shape, dtype, made)


@MODELS.method("StaticHashTable", "size")
@MODELS.method("StaticVocabularyTable", "size")
def _table_size(_: Interpreter, call: Call) -> Value:
    return tensor(call, (), "int64")


# --- generators of numbers ------------------------------------------------------------------------


@MODELS.function(
    *names("random.Generator.from_seed random.Generator.from_non_deterministic_state"),
    *names("random.get_global_generator random.Generator.from_state random.Generator"),
)
def _generator(_: Interpreter, call: Call) -> Value:
    made = LibraryObject("tensorflow.random.Generator", call.args, call.keywords, call.place)
    return Value(made, frozenset({call.place}))


def _drawn(call: Call, at: int) -> Value:
    dtype = dtype_named(call.given(at, "dtype"), "float32")
    return tensor(call, written(call, dims(call.given(0, "shape"))), dtype, *call.args)


DRAWING = ("normal", "uniform", "truncated_normal")
_drawn_before = {name: MODELS.methods.get(("Generator", name)) for name in DRAWING}


@MODELS.method("Generator", *DRAWING)
def _draw(interpreter: Interpreter, call: Call) -> Value:
    if call.held is None or not call.held.name.startswith("tensorflow."):
        before = _drawn_before.get(call.name)
        return call.unknown() if before is None else before(interpreter, call)
    return _drawn(call, 3)


@MODELS.function(
    *names("random.stateless_normal random.stateless_uniform random.stateless_truncated_normal")
)
def _stateless(_: Interpreter, call: Call) -> Value:
    return _drawn(call, 4)


@MODELS.function(*names("random.gamma random.poisson"))
def _of_parameters(_: Interpreter, call: Call) -> Value:
    """Return numbers of a shape, with the parameters' shape behind it."""
    shape, first = dims(call.given(0, "shape")), operand(call.given(1, "alpha", "lam"))
    if shape is None or first is None or first.shape is None or len(call.args) > 2:
        return call.unknown()
    return tensor(call, (*shape, *first.shape), None if first.dtype else "float32", *call.args)


# --- nested structures ----------------------------------------------------------------------------

DEEPEST = 6


def _leaves(value: Value, found: list[Value], depth: int = 0) -> bool:
    """Add the leaves of nested lists, tuples and dictionaries; return whether all are known."""
    data = value.data
    if depth > DEEPEST or data is UNKNOWN:
        return False
    if isinstance(data, (list, tuple)):
        known = [_leaves(item, found, depth + 1) for item in data]
        return all(known)
    if isinstance(data, dict):
        keys = list(data)
        if not all(isinstance(key, str) for key in keys):
            return False
        known = [_leaves(data[key], found, depth + 1) for key in sorted(keys)]
        return all(known)
    found.append(value)
    return type(data).__name__ != "Lazy"


@MODELS.function(*names("nest.flatten"), "tree.flatten", "keras.tree.flatten")
def _flatten(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "structure")
    found: list[Value] = []
    if value is None or not _leaves(value, found):
        return call.unknown()
    return Value(found, value.origins)


@MODELS.function(*names("nest.map_structure"), "tree.map_structure", "keras.tree.map_structure")
def _map_structure(interpreter: Interpreter, call: Call) -> Value:
    """Return a structure of what a function gives for each leaf of one structure."""
    if len(call.args) != 2 or call.keywords:
        return call.unknown()
    work = call.args[0]

    def mapped(value: Value, depth: int = 0) -> Value:
        data = value.data
        if depth > DEEPEST:
            return unknown(value)
        if isinstance(data, (list, tuple)):
            parts = [mapped(item, depth + 1) for item in data]
            return Value(parts if isinstance(data, list) else tuple(parts), value.origins)
        if isinstance(data, dict):
            return Value({k: mapped(v, depth + 1) for k, v in data.items()}, value.origins)
        if data is UNKNOWN or type(data).__name__ == "Lazy":
            return unknown(value)
        return interpreter.call(work, (value,), {}, call.place)

    return mapped(call.args[1])
