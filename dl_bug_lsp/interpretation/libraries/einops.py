"""Models of einops: ``rearrange``, ``reduce``, ``repeat``, ``pack``, ``unpack`` and layers.

A pattern names each axis; what an axis in parentheses is made of is found from the sizes that are
given (einops, "API reference").
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.arrays import array, size
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import (
    Array,
    LibraryObject,
    Raised,
    Value,
    merged,
    unknown,
)

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.interpreter import Interpreter

TOKEN = re.compile(r"\.\.\.|[()]|\w+|\S")
MAX_PATTERN = 400
Side = list[list[str]]


def axes_of(text: str) -> Side | None:
    """Return one side of a pattern: names by axis, one in parentheses having several.

    An ellipsis in parentheses is followed by an empty name. None where the text is no pattern.
    """
    axes: Side = []
    inside: list[str] | None = None
    for token in TOKEN.findall(text):
        if token == "(":
            if inside is not None:
                return None
            inside = []
        elif token == ")":
            if inside is None:
                return None
            axes.append(["...", ""] if inside == ["..."] else inside)
            inside = None
        elif token == "..." or token.isidentifier() or token.isdigit():
            if inside is not None:
                inside.append(token)
            else:
                axes.append([token])
        else:
            return None
    return None if inside is not None else axes


def rearranged(
    data: Array, value: Value, pattern: Value, given: dict[str, Value]
) -> tuple[Value, ...] | None:
    """Return the new shape, None where it is not known; raise where the pattern does not fit."""
    if not isinstance(pattern.data, str) or len(pattern.data) > MAX_PATTERN:
        return None
    left, arrow, right = pattern.data.partition("->")
    before, after = axes_of(left), axes_of(right)
    if not arrow or before is None or after is None or data.shape is None:
        return None
    shape = list(data.shape)
    rest: tuple[Value, ...] = ()
    if ["..."] in before:
        at = before.index(["..."])
        count = len(shape) - (len(before) - 1)
        if count < 0:
            raise Raised("size", "too few axes for the pattern", value, pattern)
        rest = tuple(shape[at : at + count])
        shape[at : at + count] = []
        before = [*before[:at], *before[at + 1 :]]
    if any("..." in names for names in before):
        return None
    if len(before) != len(shape):
        raise Raised("size", "number of axes does not fit the pattern", value, pattern)
    sizes = dict(given)
    for names, dim in zip(before, shape, strict=True):
        _split(names, dim, sizes)
    new_dims: list[Value] = []
    for names in after:
        if names == ["..."]:
            new_dims.extend(rest)
            continue
        dims: list[Value] = []
        for name in names:
            if name == "...":
                dims.extend(rest)
            elif name.isdigit():
                dims.append(Value(int(name)))
            elif name and name not in sizes:
                return None
            elif name:
                dims.append(sizes[name])
        new_dims.append(dims[0] if len(dims) == 1 else arrays.product(dims))
    return tuple(new_dims)


def _split(names: list[str], dim: Value, sizes: dict[str, Value]) -> None:
    """Assign an axis of the input to its names."""
    if len(names) == 1 and not names[0].isdigit():
        name = names[0]
        known = sizes.get(name)
        sizes[name] = dim if known is None else arrays.same(dim, known, f"axis {name} differs")
        return
    known_parts = [Value(int(n)) if n.isdigit() else sizes.get(n) for n in names]
    missing = [n for n, part in zip(names, known_parts, strict=True) if part is None]
    rest = arrays.product([part for part in known_parts if part is not None])
    whole, part = size(dim), size(rest)
    if not missing:
        arrays.same(dim, rest, "sizes in parentheses do not give the axis")
    elif len(missing) == 1 and whole is not None and part:
        if whole % part:
            raise Raised("size", "axis cannot be divided as the pattern says", dim, rest)
        sizes[missing[0]] = Value(whole // part, merged(dim, rest))
    else:
        for name in missing:
            sizes[name] = unknown(dim, rest)


def _on(call: Call, value: Value, pattern: Value | None, given: dict[str, Value]) -> Value:
    data = array(value)
    if isinstance(value.data, (list, tuple)) and value.data:
        parts = [array(item) for item in value.data]
        whole = [part for part in parts if part is not None]
        if len(whole) == len(parts):
            data = Array(arrays.stacked(whole, 0), whole[0].dtype, whole[0].library)
    if data is None or pattern is None:
        return call.unknown()
    shape = rearranged(data, value, pattern, given)
    return arrays.made(data, shape, value, *given.values())


@MODELS.function(*(f"einops.{name}" for name in ("rearrange", "repeat", "reduce")))
def _function(_: Interpreter, call: Call) -> Value:
    value, pattern = call.given(0, "tensor"), call.given(1, "pattern")
    given = {k: v for k, v in call.keywords.items() if k not in ("tensor", "pattern", "reduction")}
    return call.unknown() if value is None else _on(call, value, pattern, given)


LAYERS = tuple(
    f"einops.layers.{library}.{name}"
    for library in ("torch", "tensorflow", "flax")
    for name in ("Rearrange", "Reduce")
)


@MODELS.function(*LAYERS)
def _layer(_: Interpreter, call: Call) -> Value:
    made = LibraryObject(call.name, call.args, call.keywords, call.place)
    return Value(made, merged(*call.args, *call.keywords.values()))


@MODELS.object(*LAYERS)
def _layer_call(_: Interpreter, call: Call) -> Value:
    layer = call.held
    if layer is None or not call.args:
        return call.unknown()
    pattern = layer.args[0] if layer.args else layer.keywords.get("pattern")
    given = {k: v for k, v in layer.keywords.items() if k not in ("pattern", "reduction")}
    return _on(call, call.args[0], pattern, given)


def _around_star(pattern: Value | None) -> tuple[int, int] | None:
    """Return how many axes a pattern of ``pack`` has before and after its star."""
    if pattern is None or not isinstance(pattern.data, str):
        return None
    names = pattern.data.split()
    return (names.index("*"), len(names) - names.index("*") - 1) if "*" in names else None


@MODELS.function("einops.pack")
def _pack(run: Interpreter, call: Call) -> Value:
    """Join arrays along the axes that the star stands for (einops, "einops.pack")."""
    tensors, around = call.given(0, "tensors"), _around_star(call.given(1, "pattern"))
    items = run.iterate(tensors) if tensors is not None else None
    if not isinstance(items, list) or around is None:
        return Value((call.unknown(), call.unknown()))
    before, after = around
    packed: list[Array] = []
    shapes: list[Value] = []
    for item in items:
        data = array(item)
        if data is None or data.shape is None:
            return Value((call.unknown(), call.unknown()))
        if len(data.shape) < before + after:
            raise Raised("size", "too few axes for the pattern", item)
        end = len(data.shape) - after
        inner = data.shape[before:end]
        shapes.append(Value(inner))
        whole = arrays.product(list(inner)) if inner else Value(1)
        shape = (*data.shape[:before], whole, *data.shape[end:])
        packed.append(Array(shape, data.dtype, data.library, data.device))
    if not packed:
        return Value((call.unknown(), Value(shapes)))
    joined = arrays.concatenated(packed, before)
    return Value((arrays.made(packed[0], joined, *items), Value(shapes)))


@MODELS.function("einops.unpack")
def _unpack(run: Interpreter, call: Call) -> Value:
    """Split an array as ``pack`` had joined it (einops, "einops.unpack")."""
    value, shapes = call.given(0, "tensor"), call.given(1, "packed_shapes")
    around = _around_star(call.given(2, "pattern"))
    if value is None or shapes is None or around is None:
        return call.unknown()
    data, items = array(value), run.iterate(shapes)
    if data is None or data.shape is None or not isinstance(items, list):
        return call.unknown()
    before, after = around
    if len(data.shape) != before + 1 + after:
        raise Raised("size", "number of axes does not fit the pattern", value)
    parts: list[Value] = []
    for item in items:
        inner = item.data if isinstance(item.data, (tuple, list)) else None
        shape = None
        if inner is not None and not any(size(dim) == -1 for dim in inner):
            shape = (*data.shape[:before], *inner, *data.shape[before + 1 :])
        parts.append(arrays.made(data, shape, value))
    return Value(parts)
