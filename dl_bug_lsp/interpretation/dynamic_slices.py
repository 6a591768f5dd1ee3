"""The dynamic slice of a failure: the lines that the failing values went through in the run.

Every expression, binding and return that the run comes to is kept with what it was made of; the
slice is what is reached from the failing values backwards (Korel and Laski, "Dynamic program
slicing", IPL 1988). As in a thin slice, what only holds a value is left out (Sridharan, Fink and
Bodik, "Thin slicing", PLDI 2007): of a tuple that is unpacked only the item counts, and of an array
whose one size fails only what that size came from.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from dl_bug_lsp.interpretation.expressions import scope_bound, scope_with
from dl_bug_lsp.interpretation.interpreter import Interpreter, Outcome
from dl_bug_lsp.interpretation.statements import FILLING
from dl_bug_lsp.interpretation.values import (
    Array,
    Environment,
    FunctionValue,
    Lazy,
    LibraryObject,
    Origin,
    Raised,
    Value,
)

MOST_VISITS = 6_000
"""Evaluations with a wanted value that a slice goes through at most."""
MOST_OF_STATEMENT = 8
"""Parts of a statement of which something may be bound: the first, as of a loop, and the last."""
MOST_PARTS = 64
"""Items of a container in which a value is looked for."""
MOST_STORES = 24
"""Items of a container whose storing lines belong to it."""
DEPTH = 2
"""How deep a value is looked for in another one: a size in an array in a tuple."""


@dataclass(slots=True, eq=False)
class Evaluation:
    """One time that an expression, a binding or a return was come to, and what it was made of."""

    file: str
    line: int
    value: Value | None = None
    parts: list[Evaluation] = field(default_factory=list)

    @property
    def place(self) -> Origin:
        """The file and the line."""
        return self.file, self.line


class Trace:
    """What the values of a run were made of."""

    def __init__(self) -> None:
        self.open: list[list[Evaluation]] = [[]]
        """The parts of the expressions, statements and calls that are being followed."""
        self.returned: Evaluation | None = None
        """What the latest call of a function of the program returned."""
        self._bindings: dict[tuple[int, str], tuple[object, Evaluation]] = {}
        """By the scope or object that holds a name: that holder, which keeps the key, and what
        bound the name last."""
        self._made_by: dict[int, tuple[Value, Evaluation]] = {}
        self._stored_by: dict[int, tuple[Value, Evaluation]] = {}
        self._failing: dict[int, tuple[Raised, Evaluation]] = {}
        self._held: dict[int, frozenset[int]] = {}
        """By the identity of a value those of the values in it, once the run is over."""

    def former(self, value: Value) -> list[Evaluation]:
        """Return what stored a value last, or made it."""
        known = self._stored_by.get(id(value)) or self._made_by.get(id(value))
        return [known[1]] if known is not None else []

    def bound(self, holder: object, name: str) -> Evaluation | None:
        """Return what bound a name of a scope or an object last."""
        known = self._bindings.get((id(holder), name))
        return known[1] if known is not None else None

    def bind(self, holder: object, name: str, done: Evaluation | None) -> None:
        """Keep what bound a name; None where that is not known."""
        if done is not None:
            self._bindings[id(holder), name] = holder, done
        else:
            # Another scope may have had this identity before.
            self._bindings.pop((id(holder), name), None)

    def make(self, value: Value, done: Evaluation, depth: int = DEPTH) -> None:
        """Keep what made a value and those in it that are new."""
        if id(value) not in self._made_by:
            self._made_by[id(value)] = value, done
            for part in _parts_of(value) if depth else ():
                self.make(part, done, depth - 1)

    def store(self, value: Value, done: Evaluation) -> None:
        """Keep what put a value into a container."""
        self._stored_by[id(value)] = value, done

    def fill(self, given: Evaluation, done: Evaluation) -> None:
        """Keep a call that put an argument, or the items of it, into a container."""
        if given.value is not None:
            items = given.value.data if isinstance(given.value.data, (list, tuple)) else ()
            for value in (given.value, *items[:MOST_PARTS]):
                self.store(value, Evaluation(done.file, done.line, value, [given]))

    def fail(self, raised: Raised, done: Evaluation) -> None:
        """Keep the innermost evaluation in which an exception was raised."""
        self._failing.setdefault(id(raised), (raised, done))

    def stores_of(self, container: Value) -> Iterator[Evaluation]:
        """Yield what filled a container, one evaluation a line."""
        places: set[Origin] = set()
        if isinstance(container.data, (list, dict)):
            for item in _parts_of(container)[:MOST_STORES]:
                stored = self._stored_by.get(id(item))
                if stored is not None and stored[1].place not in places:
                    places.add(stored[1].place)
                    yield stored[1]

    def slice_of(self, raised: Raised | None, operands: Iterable[Value]) -> dict[Origin, int]:
        """Return the lines that the failing values went through.

        Each has how many lines lie between it and the failure. Where no failure was seen the
        operands of the failing expression are taken.
        """
        failing = self._failing.get(id(raised)) if raised is not None else None
        sides = raised.sides if raised is not None else tuple(operands)
        of_sizes = raised is not None and raised.what == "size"
        parts = failing[1].parts if failing is not None else []
        starts: list[tuple[Evaluation, Value, int]] = []
        for side in sides:
            holding = [part for part in parts if self._holds(part.value, side)]
            starts += [(part, side, 0) for part in holding or self.former(side)]
        if not starts or not of_sizes:
            starts += [(part, part.value, 0) for part in parts if part.value is not None]
        return self._reached(starts, of_sizes=of_sizes)

    def _reached(
        self, starts: Iterable[tuple[Evaluation, Value, int]], *, of_sizes: bool
    ) -> dict[Origin, int]:
        waiting = deque(starts)
        visited: set[tuple[int, int]] = set()
        distances: dict[Origin, int] = {}
        while waiting and len(visited) < MOST_VISITS:
            at, wanted, distance = waiting.popleft()
            if (id(at), id(wanted)) in visited:
                continue
            visited.add((id(at), id(wanted)))
            known = distances.get(at.place)
            distances[at.place] = distance if known is None else min(distance, known)
            for part, value in self._before(at, wanted, of_sizes=of_sizes):
                if part.place == at.place:
                    waiting.appendleft((part, value, distance))
                else:
                    waiting.append((part, value, distance + 1))
        return distances

    def _before(
        self, at: Evaluation, wanted: Value, *, of_sizes: bool
    ) -> Iterator[tuple[Evaluation, Value]]:
        """Yield what an evaluation was made of, with the value of it that is wanted.

        Where a part holds the wanted value it was only handed on, where the wanted value holds that
        of a part it is a container; else it was made here, of all parts.
        """
        parts = [(part, part.value) for part in at.parts if part.value is not None]
        holding = [(part, wanted) for part, value in parts if self._holds(value, wanted)]
        inside = [(part, value) for part, value in parts if self._holds(wanted, value)]
        if holding or inside:
            yield from dict.fromkeys((*holding, *inside))
            return
        made = self._made_by.get(id(wanted))
        if made is not None and made[1] is not at:
            yield made[1], wanted
            return
        for part, value in parts:
            sizes = value.data.shape if of_sizes and isinstance(value.data, Array) else None
            yield from ((part, size) for size in (value,) if sizes is None)
            yield from ((part, size) for size in sizes or ())

    def _holds(self, value: Value | None, wanted: Value) -> bool:
        if value is None:
            return False
        held = self._held.get(id(value))
        if held is None:
            held = self._held[id(value)] = frozenset(_inside(value))
        return id(wanted) in held


class TracedInterpreter(Interpreter):
    """Follows a run and keeps from which evaluations each value came."""

    def __init__(self, *args: object, **keywords: object) -> None:
        super().__init__(*args, **keywords)  # type: ignore[arg-type]
        self.trace = Trace()

    def run(self) -> Outcome:
        """Follow the program; the outcome holds the dynamic slice of what failed."""
        outcome = super().run()
        lines = self.trace.slice_of(outcome.raised, outcome.operands)
        return replace(outcome, dynamic_slice=lines)

    def value(self, node: ast.expr, env: Environment) -> Value:
        """Return what an expression comes to, and keep what it was made of."""
        trace, done = self.trace, Evaluation(env.file, node.lineno)
        before, trace.returned = trace.returned, None
        trace.open.append(done.parts)
        try:
            result = super().value(node, env)
        except Raised as raised:
            trace.fail(raised, done)
            trace.returned = before
            raise
        finally:
            trace.open.pop()
        returned, trace.returned = trace.returned, before
        done.value = result
        if isinstance(node, ast.Name):
            scope = scope_with(node.id, env)
            bound = trace.bound(scope.names, node.id) if scope is not None else None
            made = [bound] if bound is not None else trace.former(result)
            done.parts = [*made, *trace.stores_of(result)]
        elif returned is not None and returned.value is result:
            done.parts = [returned]
        elif isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
            self._add_former(node, done, result)
        trace.make(result, done)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            for given in done.parts[1:] if node.func.attr in FILLING else ():
                trace.fill(given, done)
        trace.open[-1].append(done)
        return result

    def _add_former(self, node: ast.expr, done: Evaluation, result: Value) -> None:
        """Add what put a value where an attribute, a subscript or a call takes it from."""
        if isinstance(node, ast.Attribute) and done.parts and done.parts[0].value is not None:
            bound = self.trace.bound(done.parts[0].value.data, node.attr)
            if bound is not None:
                done.parts = [bound]
        done.parts += [one for one in self.trace.former(result) if one not in done.parts]

    def statement(self, node: ast.stmt, env: Environment) -> None:
        """Follow a statement; keep what it returns and where it fails."""
        parts: list[Evaluation] = []
        self.trace.open.append(parts)
        try:
            super().statement(node, env)
        except BaseException as end:
            raised = end if isinstance(end, Raised) else getattr(end, "raised", None)
            if isinstance(raised, Raised):
                self.trace.fail(raised, Evaluation(env.file, node.lineno, None, parts))
            if isinstance(node, ast.Return) and parts:
                value = parts[-1].value
                self.trace.returned = Evaluation(env.file, node.lineno, value, parts[-1:])
            raise
        finally:
            self.trace.open.pop()

    def assign(self, target: ast.expr, value: Value, env: Environment) -> None:
        """Bind a target, and keep what bound it."""
        if isinstance(target, (ast.Tuple, ast.List)):
            super().assign(target, value, env)
            return
        trace = self.trace
        around = trace.open[-1]
        parts = [*around[:1], *around[1:][-MOST_OF_STATEMENT:]]
        same = [part for part in parts if part.value is value]
        if not same:
            # An item of what is unpacked or iterated over, which something else made.
            parts += [former for former in trace.former(value) if former not in parts]
        done = Evaluation(env.file, target.lineno, value, same[-1:] or parts)
        trace.make(value, done)
        super().assign(target, value, env)
        if isinstance(target, ast.Name):
            trace.bind(scope_bound(target.id, env).names, target.id, done)
        elif isinstance(target, ast.Attribute) and trace.open[-1]:
            owner = trace.open[-1][-1].value
            if owner is not None:
                trace.bind(owner.data, target.attr, done)
        elif isinstance(target, ast.Subscript):
            trace.store(value, done)

    def _bound(
        self, function: FunctionValue, args: tuple[Value, ...], keywords: Mapping[str, Value]
    ) -> dict[str, Value]:
        names = super()._bound(function, args, keywords)
        # The call's own parts; the last list is that of the function's body.
        given = self.trace.open[-2] if len(self.trace.open) > 1 else self.trace.open[-1]
        for name, value in names.items():
            passed = [part for part in given if part.value is value] or self.trace.former(value)
            self.trace.bind(names, name, passed[-1] if passed else None)
        return names

    def _run(
        self, function: FunctionValue, args: tuple[Value, ...], keywords: Mapping[str, Value]
    ) -> Value:
        self.trace.open.append([])
        try:
            result = super()._run(function, args, keywords)
        finally:
            self.trace.open.pop()
        if self.trace.returned is not None:
            # A library may call several functions; each gives a part of what it returns.
            self.trace.open[-1].append(self.trace.returned)
        return result


def _parts_of(value: Value) -> list[Value]:
    """Return the values that a value is made up of."""
    data = value.data
    if isinstance(data, Array):
        last = [data.last] if data.last is not None else []
        return [*(data.shape or ()), *last]
    if isinstance(data, (list, tuple)):
        return list(data[:MOST_PARTS])
    if isinstance(data, dict):
        return list(data.values())[:MOST_PARTS]
    if isinstance(data, Lazy):
        return [data.item, data.length, *data.others]
    if isinstance(data, LibraryObject):
        held = (*data.args, *data.keywords.values(), *data.state.values())
        return list(held[:MOST_PARTS])
    return []


def _inside(value: Value, depth: int = DEPTH) -> Iterator[int]:
    """Yield the identities of a value and of those in it."""
    yield id(value)
    for part in _parts_of(value) if depth else ():
        yield from _inside(part, depth - 1)
