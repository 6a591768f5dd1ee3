"""Shapes of arrays: broadcasting, products, reshapes, joins, indexing, reductions, convolutions.

Dimensions are `Value`s whose data is an int or ``UNKNOWN``; they keep their origins through every
operation. Where two known sizes do not fit, `Raised` ("size") is raised with both as its sides.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from dl_bug_lsp.interpretation.values import (
    GUESSED,
    MAX_ORIGINS,
    NOWHERE,
    UNKNOWN,
    Array,
    AtMost,
    Count,
    Element,
    Origin,
    Raised,
    Remainder,
    Value,
    merged,
    unknown,
)


@dataclass(frozen=True, slots=True)
class Relation:
    """A computation (``node``) that made one number of another; without one a join of arrays.

    ``operands`` are the numbers that an operator was given, of which ``before`` is one.
    """

    before: int
    after: int
    node: ast.expr | None
    operands: tuple[int, ...] = ()


@dataclass
class Comparisons:
    """What the comparisons of sizes come to while a program is followed.

    ``agreed`` counts for each origin the sizes of other origins that it was equal to. ``reported``
    are the pairs of sizes of which the failure's message says that they differ; ``failing`` tells
    whether the failing line is being followed: there a size that is not known is taken to be the
    one that the message sets against a known one. ``beyond`` tells whether the message says that an
    index is out of its range: on the failing line one that is not known is taken to be.
    """

    reported: frozenset[tuple[int, int]] = frozenset()
    failing: Callable[[], bool] = bool
    beyond: bool = False
    by_zero: bool = False
    """Whether the failure is a division by zero: its line divides a number, not an array."""
    bound: int | None = None
    """Set where a run is followed again after an edit: the bound that the index was beyond."""
    agreed: Counter[Origin] = field(default_factory=Counter)
    cells: int = 1_500_000
    """Cells of tables that operations may still look at."""
    marks_guesses: bool = False
    """Whether sizes that are only likely get the origin `GUESSED`."""
    fractions: bool = False
    """Whether the message shows fractions where it wants classes."""
    views: bool = False
    """Whether a column that is taken from a table of pandas shows the table's own cells."""
    as_failed: Callable[[], bool] = lambda: True
    """Whether the calls that are being followed are those of the stack."""
    axis: int | None = None
    """The 0-based axis on which the message says that sizes do not broadcast, None without one."""
    reasons: dict[Origin, str] = field(default_factory=dict)
    """What is known to be odd of places, in words: a row, a key, a line that takes away."""

    named: dict[tuple[str, str], Origin] = field(default_factory=dict)
    """Where the names of modules were bound to numbers last, by file and name."""
    rebound: list[tuple[Origin, Origin, str, int]] = field(default_factory=list)
    """Where such a name was bound to another number: the line, the line before, the name, and the
    number that it was before."""
    selected: dict[Origin, tuple[int, int]] = field(default_factory=dict)
    """How many items a condition was true of, and of how many it was asked, by its place."""

    looked_up: set[Origin] = field(default_factory=set)
    """The places of settings that the program has looked up by their keys."""
    listed: set[Origin] = field(default_factory=set)
    """The places that listed the names of a table's columns."""
    defaulted: dict[Origin, tuple[str, Mapping[Any, Value]]] = field(default_factory=dict)
    """Where a default was taken for a key that a table lacks: the key and the table."""

    related: dict[Origin, Relation] = field(default_factory=dict)
    """The computations that made one size of the message of the other one, by their place."""
    switched_off: dict[Origin, set[Origin]] = field(default_factory=dict)
    """The settings for which a block without another one was left out, by the place of its test."""
    chosen: dict[Origin, ast.IfExp] = field(default_factory=dict)
    """The conditional expressions that were followed, by their place."""

    def relate(
        self,
        place: Origin,
        operand: Value,
        result: Value,
        node: ast.expr | None,
        operands: Sequence[Value] = (),
    ) -> None:
        """Note a computation that makes one of the two sizes of the message of the other."""
        before, after = size(operand), size(result)
        if before is None or after is None:
            return
        if (before, after) in self.reported or (after, before) in self.reported:
            given = tuple(number for number in map(size, operands) if number is not None)
            self.related.setdefault(place, Relation(before, after, node, given))

    def select(self, place: Origin, taken: int, asked: int = 1) -> None:
        """Count items of which a condition was true."""
        before = self.selected.get(place, (0, 0))
        self.selected[place] = (before[0] + taken, before[1] + asked)

    def agree(self, a: Value, b: Value) -> None:
        """Count two sizes that are equal and were written in different places.

        That both are 1 says nothing: it fits what is one by itself. Nor does it that two pairs of
        numbers are of the same length.
        """
        if a.data in (1, 2) or max(len(a.origins), len(b.origins)) >= MAX_ORIGINS:
            # Of so many origins not all are kept.
            return
        own, other = a.origins - b.origins, b.origins - a.origins
        if own and other:
            self.agreed.update(own)
            self.agreed.update(other)

    def speaks(self) -> bool:
        """Whether the message names sizes, and the failing line is followed as the stack has it."""
        return bool(self.reported) and self.failing() and self.as_failed()

    def against(self, number: int) -> int | None:
        """Return the only size that the message sets against one, None elsewhere."""
        if not self.speaks():
            return None
        others = {b for a, b in self.reported if a == number}
        others |= {a for a, b in self.reported if b == number}
        return others.pop() if len(others) == 1 else None


COMPARISONS: ContextVar[Comparisons | None] = ContextVar("COMPARISONS", default=None)


def note_look_up(*entries: Value) -> None:
    """Note what was looked up in a table by its key, where it stands at one place."""
    comparisons = COMPARISONS.get()
    if comparisons is not None:
        comparisons.looked_up.update(*(e.origins for e in entries if len(e.origins) == 1))


def note_default(place: Origin, key: object, table: Mapping[Any, Value]) -> None:
    """Note that a table lacks a key, for which a default was taken."""
    comparisons = COMPARISONS.get()
    if comparisons is not None and isinstance(key, str) and table:
        comparisons.defaulted.setdefault(place, (key, table))


def note_reason(place: Origin, why: str) -> None:
    """Note of a place why it is the cause where the failure comes from it."""
    comparisons = COMPARISONS.get()
    if comparisons is not None:
        comparisons.reasons.setdefault(place, why)


def note_listed(place: Origin) -> None:
    """Note that a place lists the names of a table's columns."""
    comparisons = COMPARISONS.get()
    if comparisons is not None:
        comparisons.listed.add(place)


def listings(value: Value) -> list[Origin]:
    """Return the places that listed the names of columns of which a value comes."""
    comparisons = COMPARISONS.get()
    return [] if comparisons is None else sorted(value.origins & comparisons.listed)


FEW_SETTING = 3
"""Places that make the bound of a slice, up to which it is said of them what they lead to."""


def note_nothing_left(length: int, bounds: Sequence[Value]) -> None:
    """Note of what the bounds of a slice are made of that nothing is left of an axis."""
    for bound in bounds:
        if bound.data not in (0, None) and len(bound.origins) <= FEW_SETTING:
            why = f"a slice up to or from {bound.data} leaves nothing of {length} items"
            for origin in bound.origins:
                note_reason(origin, why)


def size(value: Value | None) -> int | None:
    """Return a known whole number, None otherwise."""
    if value is None or isinstance(value.data, bool) or not isinstance(value.data, int):
        return None
    return value.data


def array(value: Value | None) -> Array | None:
    """Return a value as an array, None where it is none."""
    return value.data if value is not None and isinstance(value.data, Array) else None


PYTHON = "python"
"""The library of numbers whose value is not known: ``loss.item()``, ``random.random()``."""
_STANDING_IN: dict[str | None, float] = {"int64": 1, "float64": 1.0, "bool": True}


def number(
    dtype: str, *parts: Value, lowest: int | None = None, highest: int | None = None
) -> Value:
    """Return a number of Python's of which only the type is known: int64, float64 or bool."""
    return Value(Array((), dtype, PYTHON, None, lowest, highest), merged(*parts))


def count_of(length: Value, *parts: Value) -> Value:
    """Return the number of items of which a length that is not known is counted."""
    highest = length.highest if isinstance(length, AtMost) else None
    count = Count((), "int64", PYTHON, None, 0, highest, of=length)
    return Value(count, merged(length, *parts))


def shifted_count(kind: type[ast.operator], a: Value, b: Value) -> Value | None:
    """Return the sum or difference of a count and a known number, None of anything else.

    ``100 - len(x)`` is as many as ``x`` lacks to 100.
    """
    x, y = a.data, b.data
    if kind not in (ast.Add, ast.Sub):
        return None
    if isinstance(x, Count) and type(y) is int:
        plus, times = y if kind is ast.Add else -y, x.times
    elif isinstance(y, Count) and type(x) is int:
        plus, times = x, y.times if kind is ast.Add else -y.times
    else:
        return None
    count, other = (x, b) if isinstance(x, Count) else (y, a)
    assert isinstance(count, Count)
    before = count.plus.data
    assert isinstance(before, int)
    total = before + plus
    if isinstance(y, Count) and kind is ast.Sub:
        total = plus - before
    held = Value(total, merged(count.plus, other))
    made = Count((), "int64", PYTHON, None, of=count.of, times=times, plus=held)
    return Value(made, merged(a, b))


def length_of(number: Value) -> Value:
    """Return a count as the length of a sequence, one that is not known of other numbers."""
    data = number.data
    if type(data) is int:
        return number
    if isinstance(data, Count) and data.times == -1:
        return Remainder(data.plus, data.of, number.origins)
    if isinstance(data, Count) and data.plus.data == 0:
        return data.of
    return Value(UNKNOWN, number.origins)


def filled_length(lengths: Sequence[Value]) -> Value | None:
    """Return how long parts are together of which one fills another up, None where none does.

    Of a part that is longer than what it is filled up to nothing is lacking, and the whole is as
    long as it is: where that may be what the message says, nothing is known.
    """
    fillings = [length for length in lengths if isinstance(length, Remainder)]
    rest = [length for length in lengths if not isinstance(length, Remainder)]
    if len(fillings) != 1:
        return None
    filling = fillings[0]
    open_ones = [length for length in rest if size(length) is None]
    total = size(filling.total)
    if len(open_ones) != 1 or open_ones[0] is not filling.of or total is None:
        return None
    more = sum(size(length) or 0 for length in rest)
    of, comparisons = filling.of, COMPARISONS.get()
    is_sure = isinstance(of, AtMost) and of.highest <= total
    if not is_sure and (comparisons is None or comparisons.marks_guesses):
        return None
    told = {n for pair in comparisons.reported for n in pair} if comparisons is not None else set()
    if not is_sure and total + more in told:
        return None
    known = [length for length in rest if length is not filling.of]
    return Value(total + more, merged(filling.total, *known))


def is_number(value: Value | None) -> bool:
    """Whether a value is a number of which only the type is known."""
    return value is not None and isinstance(value.data, Array) and value.data.library == PYTHON


def number_of(value: Value) -> float | None:
    """Return a plain number of the type that a number has, None of what is none.

    It stands for the number where only the type matters.
    """
    data = value.data
    if isinstance(data, Array):
        return _STANDING_IN.get(data.dtype) if data.library == PYTHON else None
    return data if isinstance(data, (bool, int, float)) else None


def bounds_of(value: Value) -> tuple[int | None, int | None]:
    """Return the least and the greatest that a whole number may be, None where not known."""
    data = value.data
    if isinstance(data, Array):
        return data.lowest, data.highest
    return (data, data) if type(data) is int else (None, None)


def below_zero(number: Value) -> Value | None:
    """Return a whole number that is below 0, or the greatest that it may be; None of others.

    What made the bound of a count of items is to blame, not what made the items.
    """
    _, most = bounds_of(number)
    if most is None or most >= 0:
        return None
    data = number.data
    if not isinstance(data, Count) or not isinstance(data.of, AtMost):
        return Value(most, number.origins)
    return Value(most, (number.origins - data.of.origins) | data.of.bounding | data.plus.origins)


def number_like(result: object, *parts: Value) -> Value:
    """Return a number of the type of another, unknown where that is none."""
    if isinstance(result, bool):
        return number("bool", *parts)
    if isinstance(result, int):
        return number("int64", *parts)
    return number("float64", *parts) if isinstance(result, float) else unknown(*parts)


def made(
    like: Array, shape: Sequence[Value] | None, *parts: Value, dtype: str | None = None
) -> Value:
    """Return an array of a shape, of the dtype and library of another."""
    data = Array(
        None if shape is None else tuple(shape), dtype or like.dtype, like.library, like.device
    )
    return Value(data, merged(*parts))


def may_be_no_number(item: object) -> bool:
    """Whether a single item of an array may be a text or another object, as its dtype says."""
    is_single = isinstance(item, Array) and item.shape == () and item.library == "numpy"
    return is_single and getattr(item, "dtype", None) in (None, "object", "str")


def last_of(data: Array) -> Value | None:
    """Return the last dimension, None where it is not known."""
    if data.shape is None:
        return data.last
    return data.shape[-1] if data.shape else None


def with_last(value: Value, last: Value | None) -> Value:
    """Return an array, of one whose axes are not known with its last dimension."""
    data = array(value)
    if data is not None and data.shape is None:
        data.last = last
    return value


def first_of(data: Array) -> Value | None:
    """Return the first dimension, None where it is not known or there is none."""
    if data.shape is None:
        return data.first
    return data.shape[0] if data.shape else None


def with_first(value: Value, first: Value | None) -> Value:
    """Return an array, of one whose axes are not known with its first dimension."""
    data = array(value)
    if data is not None and data.shape is None:
        data.first = first
    return value


def last_of_both(x: Array, y: Array) -> Value | None:
    """Return the last dimension that two arrays broadcast to, one of them of unknown axes."""
    a, b = last_of(x), last_of(y)
    if a is None or b is None or size(a) is None or size(b) is None:
        return None
    if 1 in (size(a), size(b)):
        return b if size(a) == 1 else a
    return same(a, b, "sizes do not broadcast")


def elements_of(value: Value, number: object = UNKNOWN) -> Value:
    """Return one of an array's elements: what made the lengths of its axes did not make it."""
    data = array(value)
    lengths = merged(*((data.shape or ()) if data is not None else ()))
    others = value.origins - lengths
    origins = others if any(line > 0 for _, line in others) else value.origins
    return Element(number, origins, data.lowest if data is not None else None)


def is_failing() -> bool:
    """Whether the failing line is being followed."""
    comparisons = COMPARISONS.get()
    return comparisons is not None and comparisons.failing()


def is_beyond(limit: Value) -> bool:
    """Whether an index that is being looked at is the one that the message calls out of range.

    ``limit`` is the number of items. A greater number than that of the failure may have room.
    """
    comparisons = COMPARISONS.get()
    if comparisons is None or not comparisons.beyond or not comparisons.failing():
        return False
    number = size(limit)
    return comparisons.bound is None or number is None or number <= comparisons.bound


def divides_by_zero() -> bool:
    """Whether the failing line is being followed, and the failure is a division by zero."""
    comparisons = COMPARISONS.get()
    return comparisons is not None and comparisons.by_zero and comparisons.failing()


def same(a: Value, b: Value, message: str) -> Value:
    """Return a dimension that two must share; raise where both are known and differ."""
    x, y = size(a), size(b)
    comparisons = COMPARISONS.get()
    if x is not None and y is not None:
        if x != y:
            raise Raised("size", message, a, b)
        if comparisons is not None:
            comparisons.agree(a, b)
        return Value(x, merged(a, b))
    known = y if x is None else x
    if comparisons is not None and known is not None:
        other = comparisons.against(known)
        if other is not None:
            sides = (Value(other, a.origins), b) if x is None else (a, Value(other, b.origins))
            raised = Raised("size", message, *sides)
            raised.supposed = True
            raise raised
    return Value(a.data if x is not None else b.data, merged(a, b))


def guessed(shape: tuple[Value, ...] | None) -> tuple[Value, ...] | None:
    """Return a shape that is only likely, marked so where that is asked for."""
    comparisons = COMPARISONS.get()
    if shape is None or comparisons is None or not comparisons.marks_guesses:
        return shape
    return tuple(Value(dim.data, dim.origins | {GUESSED}) for dim in shape)


def guess(value: Value) -> Value:
    """Return an array that may have more axes than it shows, marked so where that is asked for."""
    comparisons = COMPARISONS.get()
    if comparisons is None or not comparisons.marks_guesses:
        return value
    return Value(value.data, value.origins | {GUESSED})


def moved(before: Array, after: Value, *by: Value) -> Value:
    """Return an array whose axes stand elsewhere than before: what moved them made them, too."""
    data = array(after)
    if data is None or data.shape is None or before.shape is None:
        return after
    old = before.shape
    shape = tuple(
        dim if i < len(old) and dim is old[i] else Value(dim.data, merged(dim, *by))
        for i, dim in enumerate(data.shape)
    )
    changed = Array(shape, data.dtype, data.library, data.device, data.lowest, data.highest)
    changed.scores = data.scores
    changed.columns_first = data.columns_first
    return Value(changed, after.origins)


def shifted(before: Value | None, after: Value, place: Origin) -> Value:
    """Return an array with a place among the origins of the axes that stand elsewhere than before.

    It does so where the number of axes has changed, as after a sum over one of them.
    """
    old, new = array(before), array(after)
    if old is None or new is None or old.shape is None or new.shape is None:
        return after
    if len(old.shape) == len(new.shape):
        return after
    return moved(old, after, Value(None, frozenset({place})))


def unlike(shape: Sequence[Value], other: Value, message: str) -> None:
    """Raise where a dimension is one of which the message says that another differs from it.

    Of an array that has the axis which the message names, that one alone counts.
    """
    comparisons = COMPARISONS.get()
    axis = None if comparisons is None else comparisons.axis
    if axis is not None and axis < len(shape):
        shape = shape[axis : axis + 1]
    for dim in shape:
        if size(dim) is not None:
            same(dim, unknown(other), message)


def broadcast(a: Sequence[Value], b: Sequence[Value]) -> tuple[Value, ...]:
    """Return the shape that two shapes broadcast to (NumPy, "Broadcasting")."""
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    lead = len(longer) - len(shorter)
    dims = list(longer[:lead])
    for at, (x, y) in enumerate(zip(longer[lead:], shorter, strict=True), 1):
        if size(x) == 1:
            dims.append(_stretching(y, shorter[at:]) if lead else y)
        elif size(y) == 1:
            dims.append(x)
        else:
            if size(x) != size(y):
                x, y = _with_displaced(x, y, longer), _with_displaced(y, x, shorter)
            try:
                dims.append(same(x, y, "sizes do not broadcast"))
            except Raised as raised:
                raised.lacking = _lacking_axes(longer, shorter)
                raise
    return tuple(dims)


def _stretching(dim: Value, behind: Sequence[Value]) -> Value:
    """Return the size that an array of fewer axes gives an axis of length 1.

    How many axes stand behind it in that array decides which axis it meets: these made it, too.
    """
    ones = merged(*(other for other in behind if size(other) == 1))
    number = size(dim)
    if number in (None, 1) or not ones:
        return dim
    for place in ones:
        note_reason(place, f"an array of fewer axes makes an axis of length 1 one of {number}")
    return Value(dim.data, dim.origins | ones)


def _lacking_axes(longer: Sequence[Value], shorter: Sequence[Value]) -> frozenset[Origin]:
    """Return what made the axes of the longer shape that the shorter one lacks in between.

    Empty where the sizes do not fit with axes of size 1 put in between. Where they fit in several
    ways, the axes stand as far to the left as they can: the last axes are aligned as they are.
    """
    for kept in reversed(list(combinations(range(len(longer)), len(shorter)))):
        pairs = [(size(longer[at]), size(dim)) for at, dim in zip(kept, shorter, strict=True)]
        known = [(a, b) for a, b in pairs if a is not None and b is not None]
        if all(b in (a, 1) for a, b in known):
            inserted = (dim for at, dim in enumerate(longer) if at not in kept)
            return merged(*(dim for dim in inserted if size(dim) != 1))
    return NOWHERE


def _with_displaced(dim: Value, other: Value, shape: Sequence[Value]) -> Value:
    """Return one of two sizes that do not fit, also made by what made the other where both have it.

    Where the other size stands on another axis of the same array, its number is right, and it is
    the axes that do not stand where they should: no change of the number brings the two together.
    """
    number = size(other)
    for held in shape:
        if number is not None and size(held) == number and held.origins == other.origins:
            return Value(dim.data, dim.origins | held.origins)
    return dim


def matmul(a: Array, b: Array) -> tuple[Value, ...] | None:
    """Return the shape of a matrix product, None where an operand's axes are not known."""
    if a.shape is None or b.shape is None or not a.shape or not b.shape:
        return None
    inner = b.shape[-2] if len(b.shape) > 1 else b.shape[0]
    same(a.shape[-1], inner, "shapes cannot be multiplied")
    rows = a.shape[-2:-1] if len(a.shape) > 1 else ()
    columns = b.shape[-1:] if len(b.shape) > 1 else ()
    lead = broadcast(a.shape[:-2], b.shape[:-2])
    return (*lead, *rows, *columns)


def operands_unlike(x: Array, a: Value, y: Array, b: Value, message: str) -> None:
    """Raise where a dimension of one of two arrays is set against the other's by the message."""
    unlike(x.shape or (), b, message)
    unlike(y.shape or (), a, message)


def either(a: Value, b: Value, message: str) -> None:
    """Raise where the message speaks of two sizes, and neither operand's is known."""
    comparisons = COMPARISONS.get()
    if comparisons is None or not comparisons.speaks():
        return
    if a.origins and b.origins and a.origins != b.origins:
        raise Raised("size", message, unknown(a), unknown(b))


def product(dims: Sequence[Value]) -> Value:
    """Return the product of dimensions."""
    total = 1
    for dim in dims:
        number = size(dim)
        if number is None:
            return unknown(*dims)
        total *= number
    return Value(total, merged(*dims))


def reshaped(shape: Sequence[Value] | None, wanted: Sequence[Value]) -> tuple[Value, ...]:
    """Return a new shape, its -1 filled in; raise where the number of elements differs."""
    total = product(shape) if shape is not None else Value(UNKNOWN)
    known = [d for d in wanted if size(d) != -1]
    rest = product(known)
    whole, part = size(total), size(rest)
    if len(known) == len(wanted):
        if whole is not None and part is not None and whole != part:
            raise _other_count(shape or (), known, total, rest)
        return tuple(wanted)
    if whole is None or not part:
        free = unknown(total, rest)
    elif whole % part:
        raise _other_count(shape or (), known, total, rest)
    else:
        left, asked = _not_kept(shape or (), known)
        free = Value(whole // part, merged(*left, *asked) if left else merged(total, rest))
    return tuple(free if size(d) == -1 else d for d in wanted)


def _not_kept(shape: Sequence[Value], wanted: Sequence[Value]) -> tuple[list[Value], list[Value]]:
    """Return the axes of two shapes without those that a new shape takes over as they are."""
    left, asked = list(shape), list(wanted)
    for dim in shape:
        kept = next((d for d in asked if d.data == dim.data and d.origins & dim.origins), None)
        if kept is not None and size(dim) is not None:
            left, asked = [d for d in left if d is not dim], [d for d in asked if d is not kept]
    return left, asked


def _other_count(
    shape: Sequence[Value], wanted: Sequence[Value], total: Value, rest: Value
) -> Raised:
    """Return the failure of a new shape by the axes that it does not take over as they are."""
    sides = [
        Value(whole.data, merged(*parts) if parts else whole.origins)
        for whole, parts in zip((total, rest), _not_kept(shape, wanted), strict=True)
    ]
    return Raised("size", "shape is invalid for this number of elements", *sides)


def axis_of(value: Value | int | None, rank: int) -> int | None:
    """Return an axis as a number from 0, None where it is not known; raise beyond the rank."""
    number = value if isinstance(value, int) else size(value)
    if number is None:
        return None
    if not -rank <= number < max(rank, 1):
        number_value = value if isinstance(value, Value) else Value(number)
        raise Raised("index", "axis is out of range", number_value, Value(rank))
    return number % rank if rank else 0


def concatenated(parts: Sequence[Array], axis: int) -> tuple[Value, ...] | None:
    """Return the shape of arrays joined along an axis that they have."""
    shapes = [p.shape for p in parts]
    if not shapes or any(s is None for s in shapes):
        return None
    first = shapes[0]
    assert first is not None
    ranks = {len(s) for s in shapes if s is not None}
    if len(ranks) != 1:
        raise Raised("size", "arrays to join have different numbers of axes", *map(Value, ranks))
    at = axis_of(axis, len(first)) or 0
    dims = list(first)
    for other in shapes[1:]:
        assert other is not None
        for i, dim in enumerate(other):
            if i == at:
                a, b = size(dims[i]), size(dim)
                both = merged(dims[i], dim)
                dims[i] = Value(UNKNOWN if a is None or b is None else a + b, both)
            else:
                message = "sizes must match except in the joined axis"
                dims[i] = _same_as_all(dims[i], dim, message, shapes, i)
    return tuple(dims)


MOST_ODD = 4
"""Among how many at least one that differs is the odd one."""


def _same_as_all(
    a: Value, b: Value, message: str, shapes: Sequence[tuple[Value, ...] | None], axis: int
) -> Value:
    """Return an axis that all arrays of ``shapes`` must share, as `same` does for two of them.

    Where nearly all agree and one differs, the failure says which side that is; where hardly any
    agree, it says so.
    """
    try:
        return same(a, b, message)
    except Raised as raised:
        counts = Counter(size(shape[axis]) for shape in shapes if shape is not None)
        total = sum(count for number, count in counts.items() if number is not None)
        most = max((n for number, n in counts.items() if number is not None), default=0)
        for number, side in enumerate(raised.sides):
            if counts[size(side)] * MOST_ODD <= total < most * 2:
                raised.odd = number
        raised.uneven = total >= MOST_ODD and most * 2 <= total
        raise


def stacked(parts: Sequence[Array], axis: int) -> tuple[Value, ...] | None:
    """Return the shape of arrays of one shape put side by side along a new axis."""
    shapes = [p.shape for p in parts]
    if not shapes or any(s is None for s in shapes):
        return None
    dims = shapes[0]
    assert dims is not None
    for other in shapes[1:]:
        assert other is not None
        if len(other) != len(dims):
            raise Raised("size", "arrays to stack differ", Value(len(dims)), Value(len(other)))
        dims = tuple(
            _same_as_all(x, y, "arrays to stack differ", shapes, i)
            for i, (x, y) in enumerate(zip(dims, other, strict=True))
        )
    at = axis % (len(dims) + 1)
    return (*dims[:at], Value(len(parts)), *dims[at:])
