"""Which operation of the failing line a message speaks of, where no model sees it fail.

What a program comes to is seldom known so exactly that the failure shows by itself. The log says
that it did show, in this line, and mostly of what kind it was. Operations of the line are therefore
observed while it is followed; where nothing was raised in the end, the one of that kind is taken to
have failed, with the values that it had as its sides.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    ClassValue,
    FunctionValue,
    Lazy,
    LibraryObject,
    Raised,
    Value,
    merged,
)

MAX_OBSERVED = 200
MAX_PRINTED = 4
"""Sides at most that are taken because the message prints them."""
SMALLEST = 3
"""Numbers, and lengths of words, from which on what the message prints is no coincidence."""
MAX_NESTED = 40
DIVISIONS = (ast.Div, ast.FloorDiv, ast.Mod)
LOOKED_UP = ("embedding", "Embedding", "EmbeddingBag", "embedding_bag", "Embed")
CLASSIFIED = (
    *("cross_entropy", "nll_loss", "CrossEntropyLoss", "NLLLoss"),
    *("SparseCategoricalCrossentropy", "sparse_categorical_crossentropy"),
)
PICKED = ("gather", "index_select", "take", "take_along_axis", "take_along_dim")
CONVERTED = (
    *("float", "int", "astype", "to_numpy", "asarray", "array", "to_numeric", "fit"),
    *("fit_transform", "tensor", "as_tensor", "from_numpy", "transform"),
)


@dataclass(frozen=True, slots=True)
class Complaint:
    """What a message says of the operation that failed.

    ``kind`` is one of ``"none"``, ``"zero"``, ``"index"``, ``"key"``, ``"file"``,
    ``"argument"``, ``"missing"``, ``"conversion"``, ``"dtype"``, or empty; ``names`` are the keys,
    attributes or arguments that it names, ``printed`` the numbers and quoted words in it;
    ``expression`` is the part of the line that the traceback underlines, empty where it does not.
    """

    kind: str
    names: frozenset[str] = frozenset()
    printed: frozenset[int | float | str] = frozenset()
    expression: str = ""


@dataclass(slots=True, eq=False)
class Observation:
    """An operation of the failing line: its node, the values that it had, keywords of a call."""

    node: ast.expr
    values: tuple[Value, ...]
    keywords: dict[str, Value] = field(default_factory=dict)


class Observations:
    """The operations of one line as they were last followed, innermost ones first."""

    def __init__(self) -> None:
        self._of: dict[int, Observation] = {}

    def note(
        self, node: ast.expr, values: Sequence[Value], keywords: dict[str, Value] | None = None
    ) -> None:
        """Keep an operation; what is known of it is not replaced by what is not known."""
        before = self._of.get(id(node))
        if before is None and len(self._of) >= MAX_OBSERVED:
            return
        if before is not None and _known(before.values) > _known(values):
            return
        self._of[id(node)] = Observation(node, tuple(values), dict(keywords or {}))

    def judged(self, complaint: Complaint) -> Raised | None:
        """Return the failure with its sides, None where no operation comes into question."""
        everything = list(self._of.values())
        inside = [o for o in everything if _is_underlined(o.node, complaint.expression)]
        for some in (inside, everything) if inside else (everything,):
            for observation in some:
                sides = _failing(observation, complaint)
                if sides:
                    return Raised(complaint.kind, "said by the message", *sides)
        printed = _printed(inside or everything, complaint.printed)
        return Raised("value", "printed by the message", *printed) if printed else None


def _known(values: Sequence[Value]) -> int:
    return sum(value.known for value in values)


def _is_underlined(node: ast.expr, expression: str) -> bool:
    if not expression:
        return False
    try:
        own = ast.unparse(node)
    except (ValueError, RecursionError):
        return False
    bare = str.maketrans("", "", " \"'()")
    return own.translate(bare) in expression.translate(bare)


def _failing(seen: Observation, complaint: Complaint) -> tuple[Value, ...]:
    """Return the sides of an operation of the kind that the message speaks of, or nothing."""
    node, values, names = seen.node, seen.values, complaint.names
    kind = complaint.kind
    if isinstance(node, ast.Attribute):
        named = node.attr in names
        if kind == "none" and named and _may_be_none(values[0]):
            return values[:1]
    elif isinstance(node, ast.BinOp):
        if kind == "zero" and isinstance(node.op, DIVISIONS) and _may_be_zero(values[1]):
            return values[1:]
        if kind == "none":
            return tuple(value for value in values if _may_be_none(value))
    elif isinstance(node, ast.Subscript) and len(values) > 1:
        if kind == "key" and (not names or _is_one_of(values[1], names)):
            return values[1:]
        if kind == "index" and not isinstance(values[0].data, (dict, str)):
            return values[1], values[0]
        if kind == "none" and not names and _may_be_none(values[0]):
            return values[:1]
    elif isinstance(node, ast.Call):
        return _of_call(seen, complaint)
    return ()


def _of_call(seen: Observation, complaint: Complaint) -> tuple[Value, ...]:
    callee, *args = seen.values
    name = _name_of(seen.node, callee)
    kind = complaint.kind
    if kind == "index":
        return _indexed(name, callee, args, seen.keywords)
    if kind == "argument":
        given = [v for k, v in seen.keywords.items() if k in complaint.names]
        return tuple(given)
    if kind == "missing" and isinstance(callee.data, (FunctionValue, ClassValue)):
        return (_of_definition(callee), *args)
    if kind == "file":
        return tuple(v for v in (*args[:1], *seen.keywords.values()) if _is_path(v))
    if kind == "conversion" and name in CONVERTED:
        receiver = _receiver(callee)
        return tuple(args[:1]) if receiver is None else (receiver,)
    return ()


def _indexed(
    name: str, callee: Value, args: Sequence[Value], keywords: dict[str, Value]
) -> tuple[Value, ...]:
    layer = callee.data if isinstance(callee.data, LibraryObject) else None
    if name in LOOKED_UP and args:
        if layer is not None:
            rows = layer.args[0] if layer.args else layer.keywords.get("num_embeddings")
            return (args[0], rows) if rows is not None else (args[0],)
        return tuple(args[:2])
    if name in CLASSIFIED and (args or keywords):
        values = [*args, *keywords.values()][:2]
        scores = values[0].data
        if len(values) == 2 and isinstance(scores, Array) and scores.shape:
            axis = 1 if len(scores.shape) > 1 else 0
            return values[1], scores.shape[axis]
        return tuple(values)
    if name in PICKED:
        receiver = _receiver(callee)
        return tuple(args) if receiver is None else (receiver, *args)
    return ()


def _printed(some: Sequence[Observation], printed: frozenset[int | float | str]) -> list[Value]:
    """Return values of operations that the message prints, each number once."""
    found: dict[object, Value] = {}
    for observation in some:
        for value in (*observation.values, *observation.keywords.values()):
            for part in _parts(value, 2):
                data = part.data
                if isinstance(data, bool) or not isinstance(data, (int, float, str)):
                    continue
                small = len(data) < SMALLEST if isinstance(data, str) else abs(data) < SMALLEST
                if small:
                    continue
                if data in printed and part.origins:
                    found.setdefault(data, part)
    return list(found.values())[:MAX_PRINTED]


def _parts(value: Value, depth: int) -> Iterator[Value]:
    """Yield a value with the sizes, items and settings that it consists of."""
    yield value
    data = value.data
    inner: Sequence[Value] = ()
    if isinstance(data, Array):
        inner = data.shape or ()
    elif isinstance(data, (list, tuple)):
        inner = data[:MAX_NESTED]
    elif isinstance(data, dict):
        inner = list(data.values())[:MAX_NESTED]
    elif isinstance(data, LibraryObject):
        inner = [*data.args, *data.keywords.values()][:MAX_NESTED]
    elif isinstance(data, Lazy):
        inner = (data.item, data.length)
    if depth:
        for part in inner:
            yield from _parts(part, depth - 1)


def _name_of(node: ast.expr, callee: Value) -> str:
    if isinstance(callee.data, LibraryObject):
        return callee.data.short
    function = node.func if isinstance(node, ast.Call) else node
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _receiver(callee: Value) -> Value | None:
    receiver = getattr(callee.data, "receiver", None)
    return receiver if isinstance(receiver, Value) else None


def _of_definition(value: Value) -> Value:
    data = value.data
    if not isinstance(data, (FunctionValue, ClassValue)):
        return value
    return Value(UNKNOWN, merged(value, Value(None, frozenset({(data.file, data.node.lineno)}))))


def _may_be_none(value: Value) -> bool:
    return value.data is None or value.data is UNKNOWN


def _may_be_zero(value: Value) -> bool:
    return value.data is UNKNOWN or (not isinstance(value.data, Array) and value.data == 0)


def _is_one_of(key: Value, names: frozenset[str]) -> bool:
    return key.data is UNKNOWN or str(key.data) in names


def _is_path(value: Value) -> bool:
    data = value.data
    if isinstance(data, LibraryObject):
        return data.name.startswith("pathlib.")
    return data is UNKNOWN or isinstance(data, str)
