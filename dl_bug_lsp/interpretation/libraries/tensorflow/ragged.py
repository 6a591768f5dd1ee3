"""TensorFlow's ragged and sparse tensors, sets as tensors, and texts, whose parts are ragged.

Source: the TensorFlow 2 API reference (``tf.ragged``, ``tf.RaggedTensor``, ``tf.sparse``,
``tf.SparseTensor``, ``tf.sets``, ``tf.strings``, ``tf.io``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import dl_bug_lsp.interpretation.libraries.pandas.columns
import dl_bug_lsp.interpretation.libraries.torch.reductions  # noqa: F401
from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import (
    Shape,
    converted,
    dims,
    dtype_named,
    names,
    operand,
    plain_list,
    reduced,
    tensor,
)
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.values import UNKNOWN, Array, Lazy, Raised, Value, merged, unknown

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


@dataclass(slots=True, eq=False)
class Ragged(Array):
    """A tensor whose rows have different lengths: its second dimension is not known.

    ``lengths`` are those of the rows where they are known; there is one ragged axis then.
    """

    lengths: tuple[int, ...] | None = None


@dataclass(slots=True, eq=False)
class Sparse(Array):
    """A tensor of which only some cells are kept: ``count`` of them."""

    count: Value | None = None


def ragged(
    call: Call,
    shape: Sequence[Value] | None,
    dtype: str | None,
    lengths: tuple[int, ...] | None,
    *parts: Value,
) -> Value:
    """Return a ragged tensor made at a call."""
    whole = None if shape is None else tuple(shape)
    made = Ragged(whole, dtype, "tensorflow", lengths=lengths)
    return Value(made, merged(*parts) | {call.place})


def sparse(
    call: Call,
    shape: Sequence[Value] | None,
    dtype: str | None,
    *parts: Value,
    count: Value | None = None,
) -> Value:
    """Return a sparse tensor made at a call."""
    whole = None if shape is None else tuple(shape)
    made = Sparse(whole, dtype, "tensorflow", count=count)
    return Value(made, merged(*parts) | {call.place})


def given_ragged(call: Call) -> tuple[Value, Ragged] | None:
    """Return the ragged tensor that a method belongs to."""
    receiver = call.receiver
    data = None if receiver is None else receiver.data
    return (receiver, data) if receiver is not None and isinstance(data, Ragged) else None


def _number(value: object, *parts: Value) -> Value:
    return Value(UNKNOWN if value is None else value, merged(*parts))


# --- making ragged tensors ------------------------------------------------------------------------


def _rows_of(value: Value) -> tuple[list[Value], list[int] | None] | None:
    """Return the rows of nested lists and, where all are known, their lengths."""
    rows = value.data
    if not isinstance(rows, (list, tuple)):
        return None
    lengths = []
    for row in rows:
        if isinstance(row.data, (list, tuple)):
            lengths.append(len(row.data))
        elif isinstance(row.data, Array) and row.data.shape:
            count = size(row.data.shape[0])
            if count is None:
                return list(rows), None
            lengths.append(count)
        else:
            return list(rows), None
    return list(rows), lengths


@MODELS.function(*names("ragged.constant ragged.stack"))
def _constant(_: Interpreter, call: Call) -> Value:
    """Return nested lists, or tensors, as a ragged tensor."""
    value = call.given(0, "pylist", "values")
    found = _rows_of(value) if value is not None else None
    if value is None or found is None or (call.name.endswith("stack") and len(call.args) > 1):
        return ragged(call, None, None, None, *call.args)
    if call.name.endswith("stack") and "axis" in call.keywords:
        return ragged(call, None, None, None, *call.args)
    rows, lengths = found
    wanted = call.given(1, "dtype") if call.name.endswith("constant") else None
    dtype = dtype_named(wanted)
    kinds: set[str | None] = set()
    inner: set[int] = set()
    for row in rows:
        try:
            listed = plain_list(row)
        except Raised:
            listed = None
        if listed is None:
            return ragged(call, None, dtype, None, value)
        known = not (isinstance(row.data, (list, tuple)) and not row.data)
        if known:
            kinds.add(listed[1])
            inner.add(len(listed[0]))
    if wanted is None and len(kinds) == 1:
        dtype = kinds.pop()
    if inner - {1} or lengths is None or not inner:
        return ragged(call, None, dtype, None, value)
    shape = (Value(len(rows), value.origins), Value(UNKNOWN, value.origins))
    return ragged(call, shape, dtype, tuple(lengths), value)


@MODELS.function(
    *(f"tensorflow.RaggedTensor.from_{kind}" for kind in ("row_splits", "row_lengths", "tensor")),
    *(f"tensorflow.RaggedTensor.from_{kind}" for kind in ("value_rowids", "row_starts", "sparse")),
)
def _from_parts(_: Interpreter, call: Call) -> Value:
    """Return a ragged tensor of its values and of where the rows end."""
    value, other = call.given(0, "values", "tensor"), call.given(1, "row_splits", "row_lengths")
    if value is None:
        return call.unknown()
    x = arrays.array(converted(call, value))
    if x is None:
        return call.unknown()
    kind = call.name.rpartition(".from_")[2]
    if kind == "tensor":
        count = size(x.shape[0]) if x.shape and len(x.shape) == 2 else None
        width = size(x.shape[1]) if x.shape and len(x.shape) == 2 else None
        plain = not call.keywords and len(call.args) == 1
        lengths = (width,) * count if plain and count is not None and width is not None else None
        return ragged(call, x.shape, x.dtype, lengths, value)
    numbers = [size(n) for n in other.data] if other and isinstance(other.data, list) else [None]
    known = [n for n in numbers if n is not None]
    if x.shape is None or len(x.shape) != 1 or len(known) != len(numbers) or other is None:
        return ragged(call, None, x.dtype, None, value)
    if kind == "row_splits":
        known = [b - a for a, b in pairwise(known)]
    elif kind != "row_lengths":
        return ragged(call, None, x.dtype, None, value)
    shape = (Value(len(known), merged(value, other)), Value(UNKNOWN, value.origins))
    return ragged(call, shape, x.dtype, tuple(known), value, other)


@MODELS.function(*names("ragged.range"))
def _ranges(_: Interpreter, call: Call) -> Value:
    x = operand(call.args[0]) if call.args else None
    rows = Value(UNKNOWN) if x is None or not x.shape else x.shape[0]
    return ragged(call, (rows, Value(UNKNOWN)), None, None, *call.args)


@MODELS.function(*names("ragged.boolean_mask"))
def _masked(_: Interpreter, call: Call) -> Value:
    x, mask = operand(call.given(0, "data")), operand(call.given(1, "mask"))
    known = x is not None and x.shape is not None and mask is not None and mask.shape is not None
    shape: Shape | None = None
    if known and x is not None and x.shape and mask is not None and len(mask.shape or ()) == 2:
        shape = (x.shape[0], Value(UNKNOWN), *x.shape[2:])
    return ragged(call, shape, None if x is None else x.dtype, None, *call.args)


@MODELS.function(*names("ragged.map_flat_values ragged.cross ragged.segment_ids_to_row_splits"))
def _other(_: Interpreter, call: Call) -> Value:
    return call.unknown()


# --- what ragged tensors have ---------------------------------------------------------------------

_listed_before: Model | None = MODELS.methods.get(("array", "to_list"))
_sparse_before: Model | None = MODELS.methods.get(("array", "to_sparse"))
_values_before: Model = MODELS.attributes["array", "values"]
_indices_before: Model | None = MODELS.attributes.get(("array", "indices"))


@MODELS.method("array", "to_tensor")
def _to_tensor(_: Interpreter, call: Call) -> Value:
    """Return a tensor whose short rows are filled up to the longest."""
    found = given_ragged(call)
    if found is None:
        return call.unknown()
    value, x = found
    if x.shape is None:
        return tensor(call, None, x.dtype, value)
    longest = max(x.lengths, default=0) if x.lengths is not None else None
    sizes = [x.shape[0], _number(longest, value), *x.shape[2:]]
    wanted = call.given(2, "shape")
    if wanted is not None and wanted.data is not None:
        asked = wanted.data if isinstance(wanted.data, (list, tuple)) else None
        if asked is None or len(asked) != len(sizes):
            return tensor(call, None, x.dtype, value)
        sizes = [own if d.data is None else d for own, d in zip(sizes, asked, strict=True)]
    return tensor(call, sizes, x.dtype, value)


@MODELS.method("array", "row_lengths", "row_starts", "row_limits")
def _of_rows(_: Interpreter, call: Call) -> Value:
    """Return a number for each row."""
    found = given_ragged(call)
    if found is None:
        return call.unknown()
    rows = found[1].shape[0] if found[1].shape else None
    return tensor(call, None if rows is None else (rows,), "int64", found[0])


@MODELS.attribute("array", "row_splits")
def _row_splits(_: Interpreter, call: Call) -> Value:
    found = given_ragged(call)
    if found is None:
        return call.unknown()
    rows = size(found[1].shape[0]) if found[1].shape else None
    return tensor(call, (_number(None if rows is None else rows + 1, found[0]),), "int64", found[0])


@MODELS.method("array", "value_rowids")
def _row_numbers(_: Interpreter, call: Call) -> Value:
    found = given_ragged(call)
    if found is None:
        return call.unknown()
    total = None if found[1].lengths is None else sum(found[1].lengths)
    return tensor(call, (_number(total, found[0]),), "int64", found[0])


@MODELS.method("array", "nrows")
def _row_count(_: Interpreter, call: Call) -> Value:
    found = given_ragged(call)
    return call.unknown() if found is None else tensor(call, (), "int64", found[0])


@MODELS.method("array", "bounding_shape")
def _bounding(_: Interpreter, call: Call) -> Value:
    found = given_ragged(call)
    if found is None or found[1].shape is None or call.args or call.keywords:
        return call.unknown()
    return tensor(call, (Value(len(found[1].shape)),), "int64", found[0])


@MODELS.method("array", "to_list")
def _to_list(interpreter: Interpreter, call: Call) -> Value:
    """Return the rows as lists, which have their lengths."""
    found = given_ragged(call)
    if found is None:
        before = _listed_before
        return call.unknown() if before is None else before(interpreter, call)
    value, x = found
    if x.lengths is None:
        count = x.shape[0] if x.shape else Value(UNKNOWN)
        return Value(Lazy(unknown(value), count), value.origins)
    cell = unknown(value)
    rows = [Value(Lazy(cell, Value(n, value.origins)), value.origins) for n in x.lengths]
    return Value(rows, value.origins)


@MODELS.method("array", "to_sparse")
def _to_sparse(interpreter: Interpreter, call: Call) -> Value:
    found = given_ragged(call)
    if found is None:
        before = _sparse_before
        return call.unknown() if before is None else before(interpreter, call)
    value, x = found
    longest = max(x.lengths, default=0) if x.lengths is not None else None
    shape = None if x.shape is None else (x.shape[0], _number(longest, value), *x.shape[2:])
    return sparse(call, shape, x.dtype, value)


@MODELS.attribute("array", "values", "flat_values")
def _values(interpreter: Interpreter, call: Call) -> Value:
    """Return all numbers one after the other; of a sparse tensor those that are kept."""
    data = None if call.receiver is None else call.receiver.data
    if isinstance(data, Sparse) and call.receiver is not None:
        return tensor(call, (data.count or Value(UNKNOWN),), data.dtype, call.receiver)
    if isinstance(data, Ragged) and call.receiver is not None:
        if data.shape is None or (data.lengths is None and call.name == "values"):
            return tensor(call, None, data.dtype, call.receiver)
        total = None if data.lengths is None else sum(data.lengths)
        if data.lengths is None and len(data.shape) > 2:
            return tensor(call, None, data.dtype, call.receiver)
        shape = (_number(total, call.receiver), *data.shape[2:])
        return tensor(call, shape, data.dtype, call.receiver)
    return _values_before(interpreter, call) if call.name == "values" else call.unknown()


# --- sparse tensors -------------------------------------------------------------------------------


@MODELS.function(*names("SparseTensor sparse.SparseTensor"))
def _make_sparse(_: Interpreter, call: Call) -> Value:
    """Return a sparse tensor of the places of its cells, of these and of its shape."""
    indices, values = call.given(0, "indices"), call.given(1, "values")
    shape = dims(call.given(2, "dense_shape"))
    if indices is None or values is None:
        return call.unknown()
    kept, at = arrays.array(converted(call, values)), arrays.array(converted(call, indices))
    count = kept.shape[0] if kept is not None and kept.shape else None
    if at is not None and at.shape and len(at.shape) == 2:
        if count is not None:
            arrays.same(at.shape[0], count, "indices and values must have as many rows")
        if shape is not None and size(at.shape[1]) not in (None, len(shape)):
            sides = at.shape[1], Value(len(shape), merged(*shape) | {call.place})
            raise Raised("size", "indices must have a column for each dimension", *sides)
    dtype = None if kept is None else kept.dtype
    return sparse(call, shape, dtype, *call.args, *call.keywords.values(), count=count)


def _sparse_argument(call: Call) -> tuple[Value, Array] | None:
    value = call.given(0, "sp_input", "sp_a", "tensor", "sp", "a")
    data = arrays.array(value)
    return None if value is None or data is None else (value, data)


@MODELS.function(*names("sparse.to_dense sparse_tensor_to_dense"))
def _to_dense(_: Interpreter, call: Call) -> Value:
    found = _sparse_argument(call)
    return (
        call.unknown() if found is None else tensor(call, found[1].shape, found[1].dtype, found[0])
    )


@MODELS.function(*names("sparse.from_dense"))
def _from_dense(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "tensor")
    x = arrays.array(converted(call, value)) if value is not None else None
    return call.unknown() if x is None or value is None else sparse(call, x.shape, x.dtype, value)


@MODELS.function(*names("sparse.reorder sparse.retain sparse.softmax"))
def _same_sparse(_: Interpreter, call: Call) -> Value:
    found = _sparse_argument(call)
    if found is None:
        return call.unknown()
    data = found[1]
    count = data.count if isinstance(data, Sparse) and not call.name.endswith("retain") else None
    return sparse(call, data.shape, data.dtype, found[0], count=count)


@MODELS.function(*names("sparse.transpose"))
def _transposed(_: Interpreter, call: Call) -> Value:
    found, order = _sparse_argument(call), call.given(1, "perm")
    if found is None:
        return call.unknown()
    value, x = found
    shape = None if x.shape is None or order is not None else tuple(reversed(x.shape))
    return sparse(call, shape, x.dtype, value)


@MODELS.function(*names("sparse.reshape sparse.reset_shape"))
def _reshaped(_: Interpreter, call: Call) -> Value:
    found, wanted = _sparse_argument(call), dims(call.given(1, "shape", "new_shape"))
    if found is None:
        return call.unknown()
    shape = None if wanted is None else arrays.reshaped(found[1].shape, wanted)
    return sparse(call, shape, found[1].dtype, found[0])


@MODELS.function(*names("sparse.slice"))
def _sliced(_: Interpreter, call: Call) -> Value:
    found = _sparse_argument(call)
    start, length = dims(call.given(1, "start")), dims(call.given(2, "size"))
    if found is None:
        return call.unknown()
    value, x = found
    if x.shape is None or start is None or length is None:
        return sparse(call, None, x.dtype, value)
    shape = []
    for dim, first, count in zip(x.shape, start, length, strict=False):
        known = [size(dim), size(first), size(count)]
        number = [n for n in known if n is not None]
        least = min(number[0] - number[1], number[2]) if len(number) == 3 else None
        shape.append(_number(least, dim, first, count))
    return sparse(call, shape, x.dtype, value)


@MODELS.function(*names("sparse.eye"))
def _eye(_: Interpreter, call: Call) -> Value:
    rows, columns = call.given(0, "num_rows"), call.given(1, "num_columns")
    if rows is None:
        return call.unknown()
    dtype = dtype_named(call.given(2, "dtype"), "float32")
    return sparse(call, (rows, columns or rows), dtype, *call.args)


@MODELS.function(*names("sparse.reduce_sum sparse.reduce_max"))
def _reduced(_: Interpreter, call: Call) -> Value:
    found = _sparse_argument(call)
    if found is None:
        return call.unknown()
    shape = reduced(found[1], call.given(1, "axis"), call.given(2, "keepdims"))
    return tensor(call, shape, found[1].dtype, found[0])


@MODELS.function(*names("sparse.add"))
def _added(_: Interpreter, call: Call) -> Value:
    a, b = call.given(0, "a"), call.given(1, "b")
    x, y = arrays.array(a), arrays.array(b)
    if x is None or y is None or a is None or b is None:
        return call.unknown()
    both = isinstance(x, Sparse) and isinstance(y, Sparse)
    return (sparse if both else tensor)(call, x.shape, x.dtype, a, b)


@MODELS.function(*names("sparse.concat"))
def _joined(_: Interpreter, call: Call) -> Value:
    axis, given = call.given(0, "axis"), call.given(1, "sp_inputs")
    parts = given.data if given is not None else None
    if not isinstance(parts, (list, tuple)) or not parts:
        return call.unknown()
    found = [arrays.array(part) for part in parts]
    known = [x for x in found if x is not None]
    at = size(axis)
    if len(known) != len(found) or at is None or call.keywords.keys() - {"axis", "sp_inputs"}:
        return sparse(call, None, None, *parts)
    return sparse(call, arrays.concatenated(known, at), known[0].dtype, *parts)


@MODELS.function(*names("sparse.sparse_dense_matmul sparse.matmul"))
def _product(_: Interpreter, call: Call) -> Value:
    """Return the product of a sparse matrix and a dense one."""
    a, b = call.given(0, "sp_a"), call.given(1, "b")
    x, y = arrays.array(a), operand(b)
    turned = call.keywords.keys() & {"adjoint_a", "adjoint_b"} or len(call.args) > 2
    if x is None or y is None or a is None or b is None:
        return call.unknown()
    return tensor(call, None if turned else arrays.matmul(x, y), x.dtype, a, b)


@MODELS.attribute("array", "indices")
def _indices(interpreter: Interpreter, call: Call) -> Value:
    """Return the places of the cells that a sparse tensor keeps."""
    data = None if call.receiver is None else call.receiver.data
    if not isinstance(data, Sparse) or call.receiver is None:
        before = _indices_before
        return call.unknown() if before is None else before(interpreter, call)
    rank = _number(None if data.shape is None else len(data.shape), call.receiver)
    return tensor(call, (data.count or Value(UNKNOWN), rank), "int64", call.receiver)


@MODELS.attribute("array", "dense_shape")
def _dense_shape(_: Interpreter, call: Call) -> Value:
    data = None if call.receiver is None else call.receiver.data
    if not isinstance(data, Sparse) or call.receiver is None or data.shape is None:
        return call.unknown()
    return tensor(call, (Value(len(data.shape)),), "int64", call.receiver)


# --- sets -----------------------------------------------------------------------------------------


@MODELS.function(*names("sets.union sets.intersection sets.difference"))
def _set(_: Interpreter, call: Call) -> Value:
    """Return a set for each row; how many there are at most in a row depends on the numbers."""
    a, b = call.given(0, "a"), call.given(1, "b")
    x, y = operand(a), operand(b)
    if x is None or a is None:
        return call.unknown()
    shape: Shape | None = None
    if x.shape:
        if y is not None and y.shape and len(y.shape) == len(x.shape):
            for p, q in zip(x.shape[:-1], y.shape[:-1], strict=True):
                arrays.same(p, q, "the sets must be as many")
        shape = (*x.shape[:-1], Value(UNKNOWN, merged(*call.args)))
    dtype = x.dtype or (None if y is None else y.dtype)
    return sparse(call, shape, dtype, *call.args)


@MODELS.function(*names("sets.size"))
def _set_size(_: Interpreter, call: Call) -> Value:
    x = arrays.array(call.given(0, "a"))
    shape = x.shape[:-1] if x is not None and x.shape else None
    return tensor(call, shape, "int32", *call.args)


# --- texts and records ----------------------------------------------------------------------------

TEXT = "str"


def strings(*functions: str) -> list[str]:
    """Return the dotted names of functions on texts, written with spaces between."""
    return [f"tensorflow.strings.{name}" for line in functions for name in line.split()]


def given_text(call: Call, *also: str) -> tuple[Value, Array] | None:
    """Return the first argument as a tensor of texts, None where it is not known.

    Raises where it is a tensor of numbers.
    """
    value = call.given(0, "input", "inputs", "source", *also)
    if value is None:
        return None
    made = converted(call, value)
    data = made.data
    if not isinstance(data, Array):
        return None
    if data.dtype is not None and data.dtype.startswith(("int", "uint", "float", "bool")):
        raise Raised("type", f"expected a string tensor, got one of {data.dtype}", value)
    return made, data


def like(call: Call, x: Array, dtype: str | None, *parts: Value) -> Value:
    """Return a tensor of the shape of another, ragged where that is."""
    if isinstance(x, Ragged):
        return ragged(call, x.shape, dtype, x.lengths, *parts)
    return tensor(call, x.shape, dtype, *parts)


@MODELS.function(
    *strings("lower upper strip regex_replace substr unicode_transcode"),
    *names("io.decode_base64 io.encode_base64 io.decode_compressed io.read_file"),
)
def _texts(_: Interpreter, call: Call) -> Value:
    """Return as many texts."""
    found = given_text(call, "filename", "bytes")
    return tensor(call, None, TEXT) if found is None else like(call, found[1], TEXT, found[0])


@MODELS.function(*strings("length"))
def _length(_: Interpreter, call: Call) -> Value:
    found = given_text(call)
    return tensor(call, None, "int32") if found is None else like(call, found[1], "int32", found[0])


@MODELS.function(*strings("regex_full_match"))
def _matches(_: Interpreter, call: Call) -> Value:
    found = given_text(call)
    return tensor(call, None, "bool") if found is None else like(call, found[1], "bool", found[0])


@MODELS.function(*strings("to_hash_bucket to_hash_bucket_fast to_hash_bucket_strong"))
def _bucket(_: Interpreter, call: Call) -> Value:
    """Return a number below that of the buckets for each text."""
    found, count = given_text(call), size(call.given(1, "num_buckets"))
    if found is None:
        return tensor(call, None, "int64")
    made = like(call, found[1], "int64", found[0])
    if isinstance(made.data, Array) and count is not None:
        made.data.lowest, made.data.highest = 0, count - 1
    return made


@MODELS.function(*strings("to_number"), *names("io.string_to_number"))
def _parsed_number(_: Interpreter, call: Call) -> Value:
    found = given_text(call)
    dtype = dtype_named(call.given(1, "out_type"), "float32")
    return tensor(call, None, dtype) if found is None else like(call, found[1], dtype, found[0])


@MODELS.function(*strings("as_string"), *names("as_string"))
def _as_string(_: Interpreter, call: Call) -> Value:
    value = call.given(0, "input")
    x = operand(value)
    return tensor(call, None, TEXT) if x is None or value is None else like(call, x, TEXT, value)


@MODELS.function(*strings("format"), *names("io.serialize_tensor"))
@MODELS.function(*names("io.encode_jpeg io.encode_png image.encode_jpeg"))
@MODELS.function(*names("image.encode_png audio.encode_wav"))
def _one_text(_: Interpreter, call: Call) -> Value:
    """Return one text."""
    return tensor(call, (), TEXT, *call.args)


@MODELS.function(*strings("join"))
def _join(_: Interpreter, call: Call) -> Value:
    """Return texts put together one by one: the inputs have one shape, or are single texts."""
    given = call.given(0, "inputs")
    parts = given.data if given is not None else None
    if not isinstance(parts, (list, tuple)):
        return tensor(call, None, TEXT)
    found: Array | None = None
    for part in parts:
        data = converted(call, part).data
        if not isinstance(data, Array) or data.shape is None:
            return tensor(call, None, TEXT, *parts)
        if found is None or data.shape:
            found = data
    if found is None:
        return tensor(call, (), TEXT)
    return like(call, found, TEXT, *parts)


@MODELS.function(*strings("reduce_join"))
def _reduce_join(_: Interpreter, call: Call) -> Value:
    """Return texts put together along an axis, all of them where none is given."""
    found = given_text(call)
    if found is None:
        return tensor(call, None, TEXT)
    shape = reduced(found[1], call.given(1, "axis"), call.given(2, "keepdims"))
    return tensor(call, shape, TEXT, found[0])


@MODELS.function(*strings("split bytes_split unicode_split unicode_decode"))
def _split(_: Interpreter, call: Call) -> Value:
    """Return the parts of each text: of one a vector, of several a ragged tensor."""
    found = given_text(call)
    name = call.name.rpartition(".")[2]
    dtype = "int32" if name == "unicode_decode" else TEXT
    if found is None or found[1].shape is None:
        return tensor(call, None, dtype)
    value, x = found
    free = Value(UNKNOWN, value.origins)
    if not x.shape:
        return tensor(call, (free,), dtype, value)
    return ragged(call, (*x.shape, free), dtype, None, value)


@MODELS.function(*strings("unicode_encode"))
def _encode(_: Interpreter, call: Call) -> Value:
    """Return a text for each row of numbers."""
    value = call.given(0, "input")
    x = operand(value)
    shape = x.shape[:-1] if x is not None and x.shape else None
    return tensor(call, shape, TEXT, *call.args)


@MODELS.function(*strings("ngrams"))
def _ngrams(_: Interpreter, call: Call) -> Value:
    """Return the runs of so many texts of each row."""
    found, width = given_text(call, "data"), size(call.given(1, "ngram_width"))
    if found is None or not found[1].shape or isinstance(found[1], Ragged):
        return unknown(*call.args)
    value, x = found
    count = size(x.shape[-1]) if x.shape else None
    known = count is not None and width is not None and set(call.keywords) <= {"separator"}
    number = max(count - width + 1, 0) if known and count is not None and width else UNKNOWN
    return tensor(call, (*(x.shape or ())[:-1], Value(number, merged(*call.args))), TEXT, value)


@MODELS.function(*strings("unsorted_segment_join"))
def _segments(_: Interpreter, call: Call) -> Value:
    count = call.given(2, "num_segments")
    found, ids = given_text(call), operand(call.given(1, "segment_ids"))
    if found is None or count is None or ids is None or ids.shape is None or not found[1].shape:
        return tensor(call, None, TEXT)
    return tensor(call, (count, *found[1].shape[len(ids.shape) :]), TEXT, found[0])


@MODELS.function(*names("io.decode_raw"))
def _decode_raw(_: Interpreter, call: Call) -> Value:
    """Return the numbers in bytes, along a new last axis."""
    found = given_text(call, "input_bytes")
    dtype = dtype_named(call.given(1, "out_type"))
    if found is None or found[1].shape is None:
        return tensor(call, None, dtype)
    return tensor(call, (*found[1].shape, Value(UNKNOWN)), dtype, found[0])


# --- records --------------------------------------------------------------------------------------


@MODELS.function(*names("io.parse_single_example io.parse_example"))
def _parse(_: Interpreter, call: Call) -> Value:
    """Return the features of a record, or of several, by name."""
    features = call.given(1, "features")
    if features is None or not isinstance(features.data, dict):
        return call.unknown()
    single = call.name.endswith("single_example")
    found = given_text(call, "serialized")
    if not single and (found is None or found[1].shape is None):
        return call.unknown()
    first = () if single or found is None else found[1].shape or ()
    made: dict[object, Value] = {}
    for name, feature in features.data.items():
        data = feature.data
        short = getattr(data, "short", "")
        if short not in ("FixedLenFeature", "VarLenFeature"):
            made[name] = unknown(feature)
            continue
        asked = Call(short, data.args, data.keywords, call.place)
        if short == "FixedLenFeature":
            shape = dims(asked.given(0, "shape"))
            dtype = dtype_named(asked.given(1, "dtype"))
            whole = None if shape is None else (*first, *shape)
            made[name] = tensor(call, whole, dtype, feature)
        else:
            dtype = dtype_named(asked.given(0, "dtype"))
            made[name] = _sparse_record(call, first, dtype, feature)
    return Value(made, merged(features) | {call.place})


def _sparse_record(
    call: Call, first: tuple[Value, ...], dtype: str | None, feature: Value
) -> Value:
    return sparse(call, (*first, Value(UNKNOWN)), dtype, feature)
