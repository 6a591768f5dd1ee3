"""Keras' dot products and attention.

Source: the layers' reference in the Keras API documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import size
from dl_bug_lsp.interpretation.libraries.keras.layers import (
    Shape,
    define,
    dim,
    flag,
    items,
    option,
    remember,
    result,
    shown,
)
from dl_bug_lsp.interpretation.models import Call
from dl_bug_lsp.interpretation.values import Array, LibraryObject, Raised, Value

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter


def _parts(inputs: Value) -> list[tuple[Value, Array, Shape]] | None:
    """Return the tensors of a list of inputs, None where the axes of one are not known."""
    found = []
    for item in items(inputs) or ():
        data = arrays.array(item)
        if data is None or data.shape is None:
            return None
        found.append((item, data, data.shape))
    return found


def _dot(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return a dot product of two inputs along an axis of each."""
    parts, given = _parts(inputs), option(layer, "axes")
    if parts is None or len(parts) != 2 or given is None:
        return call.unknown()
    (a, x), (b, y) = ((part, shape) for part, _, shape in parts)
    chosen = items(given) or (given, given)
    if len(chosen) != 2 or size(chosen[0]) is None or size(chosen[1]) is None:
        return call.unknown()
    at, to = arrays.axis_of(chosen[0], len(x)), arrays.axis_of(chosen[1], len(y))
    if at is None or to is None:
        return call.unknown()
    message = f"Incompatible input shapes: {shown(x)}, {shown(y)}"
    arrays.same(x[at], y[to], message)
    left = [d for i, d in enumerate(x) if i != at]
    right = [d for i, d in enumerate(y) if i not in (0, to)]
    shape = (*left, *right)
    return result(layer, shape if len(shape) > 1 else (*shape, dim(1, layer)), a, b)


def _attention(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return dot-product attention of a query over values: one value's size for each query."""
    parts = _parts(inputs)
    if parts is None or len(parts) not in (2, 3) or any(len(p[2]) < 2 for p in parts):
        return call.unknown()
    if flag(call.keywords.get("return_attention_scores")) is not False:
        return call.unknown()
    query, value = parts[0], parts[1]
    key = parts[2] if len(parts) == 3 else value
    arrays.same(query[2][-1], key[2][-1], "the last axes of query and key differ")
    arrays.same(value[2][-2], key[2][-2], "value and key have different lengths")
    arrays.broadcast(query[2][:-2], value[2][:-2])
    shape = (*query[2][:-1], value[2][-1])
    return result(layer, shape, *(part[0] for part in parts))


def _attend(_: Interpreter, layer: LibraryObject, inputs: Value, call: Call) -> Value:
    """Return multi-head attention's output: the query's shape; batches, lengths and mask fit."""
    given = call.given(1, "value")
    if given is None:
        raise Raised("arguments", "missing a required argument: 'value'", Value(None))
    query, value = arrays.array(inputs), arrays.array(given)
    key = arrays.array(call.given(2, "key")) or value
    if query is None or query.shape is None or option(layer, "output_shape") is not None:
        return call.unknown()
    if flag(call.given(4, "return_attention_scores")) is not False:
        return call.unknown()
    if value is not None and key is not None and value.shape and key.shape:
        for i in range(1, min(len(value.shape), len(key.shape)) - 1):
            arrays.same(key.shape[i], value.shape[i], "key and value lengths differ")
        if len(query.shape) == len(value.shape) == 3:
            arrays.broadcast(query.shape[:1], value.shape[:1])
            mask = arrays.array(call.given(3, "attention_mask"))
            if mask is not None and mask.shape is not None and 1 < len(mask.shape) < 4:
                wanted = (query.shape[0], query.shape[1], key.shape[1])
                arrays.broadcast(mask.shape, wanted[-len(mask.shape) :])
    remember(layer, query.shape[-1], query.shape)
    return result(layer, query.shape, inputs)


define("Dot", _dot, parameters="axes normalize")
define("Attention AdditiveAttention", _attention, parameters="use_scale score_mode dropout")
define("MultiHeadAttention", _attend, parameters="num_heads key_dim value_dim dropout use_bias")
