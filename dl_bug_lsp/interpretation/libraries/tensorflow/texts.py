"""TensorFlow's functions on texts (``tf.strings``) and on what is written into bytes.

Source: the TensorFlow 2 API reference (``tf.strings``, ``tf.io``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.tensorflow.ragged import Ragged, ragged, sparse
from dl_bug_lsp.interpretation.libraries.tensorflow.tensors import (
    converted,
    dims,
    dtype_named,
    names,
    operand,
    reduced,
    tensor,
)
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import UNKNOWN, Array, Raised, Value, merged, unknown

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

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
def _number(_: Interpreter, call: Call) -> Value:
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
