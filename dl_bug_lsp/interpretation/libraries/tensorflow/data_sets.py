"""More of ``tf.data``: specifications of elements, numbers of them, and further transformations.

Source: the TensorFlow 2 API reference (``tf.data.Dataset``, ``tf.TensorSpec``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.tensorflow.ragged import Ragged
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import (
    DATASET,
    converted,
    dataset,
    names,
    state_of,
    tensor,
    with_batch,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    Library,
    LibraryObject,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


# --- specifications -------------------------------------------------------------------------------


def specification(call: Call, value: Value, *, batch_is_open: bool) -> Value:
    """Return what ``element_spec`` says of an element; a dimension that may differ is None."""
    data = value.data
    if isinstance(data, (list, tuple)):
        parts = [specification(call, item, batch_is_open=batch_is_open) for item in data]
        return Value(tuple(parts), value.origins)
    if isinstance(data, dict):
        made = {k: specification(call, v, batch_is_open=batch_is_open) for k, v in data.items()}
        return Value(made, value.origins)
    if not isinstance(data, Array) or isinstance(data, Ragged) or data.shape is None:
        return unknown(value)
    shape = list(data.shape)
    if batch_is_open and shape:
        shape[0] = Value(None, shape[0].origins)
    if any(size(d) is None and d.data is not None for d in shape):
        return unknown(value)
    made_of = LibraryObject("tensorflow.TensorSpec", (), {}, call.place)
    made_of.state["shape"] = Value(tuple(shape), value.origins)
    if data.dtype is not None:
        dtype = "string" if data.dtype == "str" else data.dtype
        made_of.state["dtype"] = Value(Library(f"tensorflow.{dtype}"))
    return Value(made_of, value.origins)


@MODELS.attribute("Dataset", "element_spec")
def _element_spec(_: Interpreter, call: Call) -> Value:
    held = call.held
    item, _length = state_of(call)
    is_open = held is not None and held.state.get("open", Value(False)).data is True
    return specification(call, item, batch_is_open=is_open)


@MODELS.function(*names("TensorSpec"))
def _make_spec(_: Interpreter, call: Call) -> Value:
    """Return what says of which shape and type a tensor is."""
    made = LibraryObject("tensorflow.TensorSpec", call.args, dict(call.keywords), call.place)
    given, dtype = call.given(0, "shape"), call.given(1, "dtype")
    if given is not None and isinstance(given.data, (list, tuple)):
        made.state["shape"] = Value(tuple(given.data), given.origins)
    if dtype is not None or given is not None:
        made.state["dtype"] = dtype or Value(Library("tensorflow.float32"))
    return Value(made, merged(*call.args, *call.keywords.values()) | {call.place})


# --- numbers of elements --------------------------------------------------------------------------


@MODELS.method("Dataset", "cardinality")
def _cardinality(_: Interpreter, call: Call) -> Value:
    return _count(call, state_of(call)[1])


@MODELS.function(*names("data.experimental.cardinality"))
def _cardinality_of(_: Interpreter, call: Call) -> Value:
    given = call.given(0, "dataset")
    data = None if given is None else given.data
    known = isinstance(data, LibraryObject) and "length" in data.state
    return _count(call, data.state["length"] if known and isinstance(data, LibraryObject) else None)


def _count(call: Call, length: Value | None) -> Value:
    """Return a number of elements, the type of it where the number is not known."""
    if length is not None and size(length) is not None:
        return length
    return tensor(call, (), "int64", *([] if length is None else [length]))


# --- further transformations ----------------------------------------------------------------------


@MODELS.method("Dataset", "take_while", "unique", "ignore_errors")
def _some(_: Interpreter, call: Call) -> Value:
    """Return a data set of some of the elements."""
    return dataset(call, state_of(call)[0], Value(UNKNOWN))


@MODELS.method("Dataset", "reduce")
def _reduce(interpreter: Interpreter, call: Call) -> Value:
    """Return what a function makes of all elements, in the form of the first state."""
    start, work = call.given(0, "initial_state"), call.given(1, "reduce_func")
    item, _length = state_of(call)
    if start is None or work is None:
        return call.unknown()
    first = _as_tensors(call, start)
    interpreter.call(work, (first, item), {}, call.place)
    return first


def _as_tensors(call: Call, value: Value) -> Value:
    """Return nested values as tensors of which the numbers are not known."""
    data = value.data
    if isinstance(data, tuple):
        return Value(tuple(_as_tensors(call, item) for item in data), value.origins)
    if isinstance(data, dict):
        return Value({k: _as_tensors(call, v) for k, v in data.items()}, value.origins)
    if data is UNKNOWN or isinstance(data, list):
        return unknown(value)
    x = arrays.array(converted(call, value))
    # A number of NumPy's, which has its own dtype, is followed as one of Python's.
    dtype = None if x is None or not isinstance(data, Array) else x.dtype
    return unknown(value) if x is None else tensor(call, x.shape, dtype, value)


@MODELS.method("Dataset", "scan")
def _scan(interpreter: Interpreter, call: Call) -> Value:
    """Return a data set of what a function gives beside the next state."""
    start, work = call.given(0, "initial_state"), call.given(1, "scan_func")
    item, length = state_of(call)
    if start is None or work is None:
        return call.unknown()
    given = interpreter.call(work, (_as_tensors(call, start), item), {}, call.place)
    parts = given.data
    second = parts[1] if isinstance(parts, tuple) and len(parts) == 2 else unknown(given)
    return dataset(call, second, length)


@MODELS.method("Dataset", "group_by_window")
def _grouped(interpreter: Interpreter, call: Call) -> Value:
    """Return a data set of what a function makes of windows of elements."""
    item, _length = state_of(call)
    work = call.given(1, "reduce_func")
    if work is None:
        return dataset(call, unknown(item), Value(UNKNOWN))
    key = tensor(call, (), "int64")
    given = interpreter.call(work, (key, dataset(call, item, Value(UNKNOWN))), {}, call.place)
    inner = given.data
    known = isinstance(inner, LibraryObject) and "item" in inner.state
    element = inner.state["item"] if known and isinstance(inner, LibraryObject) else unknown(given)
    return dataset(call, element, Value(UNKNOWN))


@MODELS.method("Dataset", "sample_from_datasets", "choose_from_datasets")
@MODELS.function(
    f"{DATASET}.sample_from_datasets",
    f"{DATASET}.choose_from_datasets",
    *names("data.experimental.sample_from_datasets data.experimental.choose_from_datasets"),
)
def _chosen(_: Interpreter, call: Call) -> Value:
    """Return a data set whose elements are those of several in turn."""
    given = call.given(0, "datasets")
    parts = given.data if given is not None else None
    first = parts[0].data if isinstance(parts, (list, tuple)) and parts else None
    known = isinstance(first, LibraryObject) and "item" in first.state
    item = first.state["item"] if known and isinstance(first, LibraryObject) else call.unknown()
    return dataset(call, item, Value(UNKNOWN))


@MODELS.method("Dataset", "random")
@MODELS.function(f"{DATASET}.random")
def _random(_: Interpreter, call: Call) -> Value:
    return dataset(call, tensor(call, (), "int64"), Value(UNKNOWN))


@MODELS.function(f"{DATASET}.list_files")
def _files(_: Interpreter, call: Call) -> Value:
    """Return a data set of names of files."""
    return dataset(call, tensor(call, (), "str", *call.args), Value(UNKNOWN))


@MODELS.method("Dataset", "shard")
def _shard(_: Interpreter, call: Call) -> Value:
    """Return every so manieth element."""
    item, length = state_of(call)
    count, index = size(call.given(0, "num_shards")), size(call.given(1, "index"))
    whole = size(length)
    known = whole is not None and count and index is not None and 0 <= index < count
    number = len(range(index or 0, whole or 0, count or 1)) if known else UNKNOWN
    return dataset(call, item, Value(number, merged(length, *call.args)))


@MODELS.method("Dataset", "padded_batch")
def _padded(_: Interpreter, call: Call) -> Value:
    """Return a data set of batches whose elements are filled up to the longest of each."""
    item, length = state_of(call)
    given = call.given(0, "batch_size") or Value(UNKNOWN)
    shapes, drop = call.given(1, "padded_shapes"), call.given(3, "drop_remainder")
    asked = None if shapes is None or shapes.data is None else shapes
    whole, number = size(length), size(given)
    batches: object = UNKNOWN
    if whole is not None and number:
        exact = drop is not None and drop.data is True
        batches = whole // number if exact else -(-whole // number)
    first = Value(UNKNOWN if number is None else number, given.origins | {call.place})
    if whole is not None and number is not None and whole < number:
        first = Value(whole, merged(length, given))
    element = with_batch(_filled_up(item, asked), first)
    return dataset(call, element, Value(batches, merged(length, given)))


def _filled_up(value: Value, asked: Value | None) -> Value:
    """Return an element with the lengths to which it is filled up, as far as they are known."""
    data = value.data
    wanted = None if asked is None else asked.data
    if isinstance(data, tuple):
        fits = isinstance(wanted, tuple) and len(wanted) == len(data)
        inner = wanted if fits and isinstance(wanted, tuple) else (None,) * len(data)
        if asked is not None and not fits:
            return unknown(value)
        pairs = zip(data, inner, strict=True)
        return Value(tuple(_filled_up(part, own) for part, own in pairs), value.origins)
    if isinstance(data, dict):
        known = wanted if isinstance(wanted, dict) else {}
        if asked is not None and not isinstance(wanted, dict):
            return unknown(value)
        return Value({k: _filled_up(v, known.get(k)) for k, v in data.items()}, value.origins)
    if not isinstance(data, Array):
        return unknown(value)
    if asked is None:
        return Value(Array(data.shape, data.dtype, "tensorflow"), value.origins)
    if not isinstance(wanted, (list, tuple)):
        return Value(Array(None, data.dtype, "tensorflow"), value.origins)
    shape = tuple(
        Value(UNKNOWN if d.data is None or size(d) in (None, -1) else d.data, d.origins)
        for d in wanted
    )
    return Value(Array(shape, data.dtype, "tensorflow"), value.origins)


_sliced_before = MODELS.functions[f"{DATASET}.from_tensor_slices"]


@MODELS.function(f"{DATASET}.from_tensor_slices")
def _slices(interpreter: Interpreter, call: Call) -> Value:
    """Return a data set of rows; those of a ragged tensor have different lengths."""
    given = call.given(0, "tensors")
    data = None if given is None else given.data
    if isinstance(data, Ragged) and given is not None and data.shape:
        row = tensor(call, data.shape[1:], data.dtype, given)
        return dataset(call, row, data.shape[0])
    return _sliced_before(interpreter, call)
