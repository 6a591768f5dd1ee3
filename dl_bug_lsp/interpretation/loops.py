"""What a loop leaves behind of which not every round is followed.

Its lists, sets and dictionaries hold more than the followed rounds put into them, and its counts
are higher: a *widening* (Cousot and Cousot, "Abstract interpretation", POPL 1977, section 9.1).
Where the number of rounds is known and each round adds the same, they are lengthened by that.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dl_bug_lsp.interpretation import arrays, operators
from dl_bug_lsp.interpretation.operators import typical
from dl_bug_lsp.interpretation.values import (
    NOWHERE,
    PARTS,
    UNKNOWN,
    Array,
    Environment,
    Instance,
    Lazy,
    LibraryObject,
    Origin,
    Origins,
    Value,
    merged,
)

MOST_VALUES = 400
"""Values that are looked at for containers, of the scopes that a loop sees."""
MOST_COUNTED = 8
"""Origins of a number of rounds up to which they are those of what the rounds make.

The rows of a file are too many to say anything.
"""
DEEPEST = 3
"""How deep containers may lie in attributes of objects."""
MOST_LEADING = 4
"""First lines of a file that are kept where what comes behind them is outlined."""
Loop = ast.For | ast.AsyncFor | ast.While
Container = list[Value] | dict[Any, Value] | set[Any] | Lazy


@dataclass(frozen=True, slots=True)
class Held:
    """A container as it was before a loop: the values that hold it, and its length."""

    values: list[Value]
    data: Container
    length: int


@dataclass(frozen=True, slots=True)
class Before:
    """What a loop may change by adding to it, as it was before the first round."""

    containers: dict[int, Held]
    numbers: dict[str, tuple[Environment, Value]]
    env: Environment
    grown: int = 0
    """How many attributes of objects had been added to."""
    paths: int = 0
    """How many paths had been written to."""
    files: Sequence[Value] = ()
    """The lines of the files that were being written."""


def before_loop(
    env: Environment,
    counted: Collection[str],
    grown: int = 0,
    paths: int = 0,
    files: Sequence[Value] = (),
) -> Before:
    """Note the containers that a loop sees, and the numbers of the names that it counts."""
    containers: dict[int, Held] = {}
    for value in (*_reachable(env), *files):
        data = value.data
        if isinstance(data, (list, dict, set, Lazy)):
            count = len(data.parts or (data.item,)) if isinstance(data, Lazy) else len(data)
            held = containers.setdefault(id(data), Held([], data, count))
            held.values.append(value)
    numbers: dict[str, tuple[Environment, Value]] = {}
    for name in counted:
        scope: Environment | None = env
        while scope is not None and name not in scope.names:
            scope = scope.outer
        if scope is not None:
            numbers[name] = (scope, scope.names[name])
    return Before(containers, numbers, env, grown, paths, files)


Shapes = dict[str, tuple[int | None, ...]]
"""The sizes of the arrays that names stand for."""


def shapes_in(env: Environment) -> Shapes:
    """Return the sizes of the arrays of a scope that have axes, as far as they are known."""
    held = ((name, value.data) for name, value in env.names.items())
    return {n: d.sizes or () for n, d in held if isinstance(d, Array) and d.shape}


def forget_growing(env: Environment, before: Shapes) -> None:
    """Let the sizes not be known that the last round changed: the others change them as well."""
    for name, sizes in before.items():
        value = env.names.get(name)
        data = None if value is None else value.data
        if value is None or not isinstance(data, Array) or data.shape is None:
            continue
        now = data.sizes or ()
        if now == sizes or len(now) != len(sizes):
            continue
        shape = tuple(
            dimension if a == b else Value(UNKNOWN, dimension.origins)
            for dimension, a, b in zip(data.shape, now, sizes, strict=True)
        )
        changed = Array(shape, data.dtype, data.library, data.device, data.lowest, data.highest)
        env.names[name] = Value(changed, value.origins)


def few_origins(*counted: Value) -> Origins:
    """Return the origins of what decides how many rounds there are, none where they are many."""
    origins = merged(*counted)
    return origins if len(origins) <= MOST_COUNTED else NOWHERE


def few_places(*values: Value) -> Origins:
    """Return the origins of values; of those that are many the first one in each file."""
    origins = merged(*values)
    if len(origins) <= MOST_COUNTED:
        return origins
    first: dict[str, int] = {}
    for file, line in sorted(origins, key=lambda place: (place[0], abs(place[1]))):
        first.setdefault(file, line)
    return frozenset(first.items()) if len(first) <= MOST_COUNTED else NOWHERE


def count_rounds(before: Before, count: Value, place: Origin) -> None:
    """Let the lists that a loop made longer come from what decided its number of rounds, too."""
    origins = few_origins(count)
    if not origins:
        return
    for held in before.containers.values():
        if isinstance(held.data, list) and len(held.data) > held.length:
            for value in held.values:
                if value.data is held.data:
                    value.origins |= origins | {place}


def after_loop(before: Before, node: Loop, done: int, count: Value, *, even: bool) -> int:
    """Widen what the ``done`` rounds that were followed of ``count`` rounds added to.

    ``count`` is unknown where nobody knows how many rounds there are; with ``even`` each round did
    the same, as far as is known. Returns how many items were put into lists for the others.
    """
    rounds = count.data if isinstance(count.data, int) and even and done else None
    put = 0
    # What a round has put in the place of a container grows no more (a sentence that is complete).
    still = {id(value.data) for value in (*_reachable(before.env), *before.files)}
    for held in before.containers.values():
        if isinstance(held.data, Lazy):
            _widen_outline(held)
            continue
        if id(held.data) not in still:
            continue
        added = len(held.data) - held.length
        if added <= 0:
            continue
        if isinstance(held.data, list) and rounds is not None and added % done == 0:
            each = added // done
            missing = each * (rounds - done)
            if 0 <= missing <= operators.MAX_ITEMS - len(held.data):
                usual = [_usual(held.data[held.length + at :: each]) for at in range(each)]
                held.data.extend(usual[i % each] for i in range(missing))
                put += missing
                continue
        for value in held.values:
            if value.data is held.data:
                _widen(value, held, count, in_order=any(value is f for f in before.files))
    for name, (scope, value) in before.numbers.items():
        now = scope.names.get(name)
        if now is not None and now is not value:
            scope.names[name] = _counted(node, name, value, now, done, rounds, count)
    return put


OBJECTS = (Instance, LibraryObject)
MOST_COMPARED = 100
"""Items at each end of what rounds added that say what all of them have in common."""


def _usual(added: list[Value]) -> Value:
    """Return what stands for an item of a round that was left out, by those of other rounds.

    Plain values differ from round to round; of objects, which rounds make alike, it is the last.
    """
    last = added[-1]
    if len(added) < 2 or isinstance(last.data, OBJECTS):
        return last
    compared = added if len(added) <= 2 * MOST_COMPARED else added[:MOST_COMPARED]
    return typical(compared if compared is added else [*compared, *added[-MOST_COMPARED:]])


def widen_grown(grown: Collection[tuple[Instance, str]], count: Value) -> None:
    """Let the whole numbers of objects that rounds have added to be that or more."""
    for owner, name in dict.fromkeys(grown):
        now = owner.attributes.get(name)
        if now is not None and type(now.data) is int:
            made = arrays.number("int64", now, count, lowest=now.data)
            owner.attributes[name] = made


def _widen_outline(held: Held) -> None:
    """Let what a loop added to an outlined list stand for more of its kind."""
    for value in held.values:
        data = value.data
        added = data.parts[held.length :] if isinstance(data, Lazy) else ()
        if isinstance(data, Lazy) and data is not held.data and len(added) > 1:
            before = Lazy(
                data.item,
                data.length,
                data.others,
                parts=data.parts[: held.length],
                lead=min(data.lead, held.length),
            )
            value.data = operators.put_into(before, typical(added))


def _widen(value: Value, held: Held, count: Value, *, in_order: bool) -> None:
    """Let a container hold more than it does."""
    data = held.data
    if isinstance(data, Lazy):
        return
    if isinstance(data, dict):
        operators.opened(value, typical(list(data.values())[held.length :]))
    else:
        value.data = widened(data, held.length, merged(value, count), in_order=in_order)


def widened(
    data: list[Value] | set[Any], before: int, origins: Any, *, in_order: bool = False
) -> Lazy:
    """Return items of which there are more, like those after the first ``before``.

    With ``in_order`` the first ones are kept as such.
    """
    if isinstance(data, set):
        return Lazy(Value(UNKNOWN, origins), Value(UNKNOWN, origins))
    added = data[before:]
    item = typical(added) if len(added) > 1 else added[0] if added else Value(UNKNOWN, origins)
    others = () if in_order else tuple(data[:before][: operators.MOST_OTHERS])
    unlike = tuple(other for other in others if type(other.data) is not type(item.data))
    lead = min(before, MOST_LEADING) if in_order else 0
    rest = (operators.hull(data[lead:before]),) if before > lead else ()
    parts = (*data[:lead], *rest, item)
    return Lazy(item, Value(UNKNOWN, origins), unlike, parts=parts, lead=lead)


def _counted(
    node: Loop, name: str, before: Value, now: Value, done: int, rounds: int | None, count: Value
) -> Value:
    """Return what a number is after all rounds of a loop that adds to it."""
    first, last = before.data, now.data
    if not isinstance(last, (int, float)) or isinstance(last, bool) or last == first:
        return now
    is_even = list(_augmented(node.body)).count(name) == 1
    if rounds is not None and is_even and type(first) is int and type(last) is int:
        each, rest = divmod(last - first, done)
        if not rest:
            return Value(first + each * rounds, merged(now, count))
    return arrays.number_like(last, now, count)


def counted_names(node: Loop) -> frozenset[str]:
    """Return the names that augmented assignments in a loop's body change."""
    return frozenset(_augmented(statement for body in node.body for statement in ast.walk(body)))


def _augmented(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _reachable(env: Environment) -> Iterator[Value]:
    """Yield values that names stand for, and those in attributes of their objects."""
    seen: set[int] = set()
    left = MOST_VALUES
    scope: Environment | None = env
    while scope is not None:
        waiting = [(value, 0) for value in scope.names.values()]
        while waiting and left > 0:
            value, depth = waiting.pop()
            if id(value) in seen:
                continue
            seen.add(id(value))
            left -= 1
            yield value
            if isinstance(value.data, Instance) and depth < DEEPEST:
                waiting += [(inner, depth + 1) for inner in value.data.attributes.values()]
            elif isinstance(value.data, LibraryObject) and PARTS in value.data.state:
                waiting.append((value.data.state[PARTS], depth + 1))
        scope = scope.outer
