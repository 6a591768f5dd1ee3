"""How statements are followed: assignments, branches, loops, exceptions, definitions."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress

from dl_bug_lsp.interpretation import (
    loops,
    opaque_packages,
    operators,
)
from dl_bug_lsp.interpretation import table_values as cells
from dl_bug_lsp.interpretation.calls import (
    LONG_ROUND,
    MAX_ROUNDS,
    MAX_SIDES,
    MAX_WHILE,
    _Endless,
    _items,
    _Leave,
    kind_of,
    own_nodes,
)
from dl_bug_lsp.interpretation.expressions import (
    Expressions,
)
from dl_bug_lsp.interpretation.libraries.python.builtins import delete_attribute
from dl_bug_lsp.interpretation.libraries.python.files import lines_being_written, note_partly
from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.run_state import (
    MAX_STEPS,
    _Break,
    _catches,
    _Continue,
    _last_line,
    _Return,
)
from dl_bug_lsp.interpretation.values import (
    OBJECTS,
    UNKNOWN,
    Array,
    BoundMethod,
    ClassValue,
    Environment,
    FunctionValue,
    Instance,
    Lazy,
    Library,
    LibraryObject,
    ModuleValue,
    OneShot,
    Origin,
    Raised,
    Table,
    Value,
    of_dtype,
)
from dl_bug_lsp.provenance.scopes import called_name

FEW_ROUNDS = 2
PART_OF_STEPS = 8
"""A loop with long rounds is followed to its end where that takes less than this part of all."""
MOST_SKETCHED = 100
"""Rounds of a loop up to which all of them are sketched where not all are followed."""
MAX_YIELDS = 12
"""Items after which a generator that never ends is left."""
EXITS = {"exit", "_exit", "abort", "quit"}
"""Functions that end a process."""
READINGS = (ast.Name, ast.Attribute, ast.Subscript)
OF_CODE = (".py", ".ipynb")
FILLING = {"append", "extend", "add", "insert", "update", "setdefault", "appendleft"}
"""Methods that put something into a container."""


def _holds_object(item: Value) -> bool:
    """Whether an item is an object, or a tuple with one."""
    parts = item.data if isinstance(item.data, tuple) else (item,)
    return any(isinstance(part.data, (Instance, LibraryObject)) for part in parts)


class Reached(Exception):
    """The program failed where the failure was seen."""

    def __init__(self, raised: Raised) -> None:
        super().__init__(raised.message)
        self.raised = raised


class Statements(Expressions):
    """Follows statements."""

    def _do_Expr(self, node: ast.Expr, env: Environment) -> None:
        self.value(node.value, env)

    def _do_Assign(self, node: ast.Assign, env: Environment) -> None:
        value = self.value(node.value, env)
        if isinstance(value.data, Library) and value.data.name in MODELS.functions:
            # Another name for a function is a choice that its results come from.
            value = Value(value.data, value.origins | {(env.file, node.lineno)})
        is_held = isinstance(node.value, (ast.Attribute, ast.Subscript))
        if is_held and isinstance(value.data, OBJECTS):
            # That the name stands for an object, and not for what it gives, is decided here.
            value = Value(value.data, value.origins | {of_dtype((env.file, node.lineno))})
        for target in node.targets:
            self.assign(target, value, env)

    def _do_AnnAssign(self, node: ast.AnnAssign, env: Environment) -> None:
        if node.value is not None:
            self.assign(node.target, self.value(node.value, env), env)

    def _do_AugAssign(self, node: ast.AugAssign, env: Environment) -> None:
        load = self._of_syntax.loads.get(node)
        if load is None:
            load = ast.copy_location(_loaded(node.target), node.target)
            self._of_syntax.loads[node] = load
        before, value = self.value(load, env), self.value(node.value, env)
        if isinstance(before.data, list) and isinstance(node.op, ast.Add):
            items = self.iterate(value)
            if isinstance(items, list):
                before.data.extend(items[: operators.MAX_ITEMS - len(before.data)])
                return
        if isinstance(before.data, LibraryObject) and isinstance(node.op, ast.Add):
            model = MODELS.methods.get((before.data.short, "__iadd__"))
            if model is not None:
                call = Call("__iadd__", (value,), {}, (env.file, node.lineno), before)
                self.assign(node.target, self.apply(model, call), env)
                return
        if self.gradients is not None:
            self.gradients.changed(before)
        result = operators.binary(type(node.op), before, value)
        if type(result.data) is int:
            # A count is made where it grows, whatever the first and the last number come from.
            result = Value(result.data, result.origins | {(env.file, node.lineno)})
        made = self._recorded(type(node.op).__name__, result, before, value)
        if isinstance(before.data, Array) and isinstance(made.data, Array):
            _note_changed(before.data, made.data)
        if isinstance(node.target, ast.Attribute) and type(made.data) is int:
            self.note_grown(self.value(node.target.value, env), node.target.attr)
        self.assign(node.target, made, env)

    def _do_Delete(self, node: ast.Delete, env: Environment) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                env.names.pop(target.id, None)
            elif isinstance(target, ast.Attribute):
                delete_attribute(self.value(target.value, env), target.attr)
            elif isinstance(target, ast.Subscript):
                base, key = self.value(target.value, env), self.value(target.slice, env)
                if isinstance(base.data, dict) and isinstance(key.data, operators.PLAIN):
                    base.data.pop(key.data, None)
                elif isinstance(base.data, LibraryObject):
                    model = MODELS.methods.get((base.data.short, "__delitem__"))
                    if model is not None:
                        place = (env.file, node.lineno)
                        self.apply(model, Call("__delitem__", (key,), {}, place, base))
                elif isinstance(base.data, Table) and isinstance(key.data, (str, int)):
                    if key.data not in base.data.columns:
                        raise cells.lacking(base.data, key.data, key, base)
                    del base.data.columns[key.data]
                    base.data.removed[key.data] = frozenset({(env.file, node.lineno)})

    def _do_Return(self, node: ast.Return, env: Environment) -> None:
        self.returned = (env.file, node.lineno)
        raise _Return(self.value(node.value, env) if node.value is not None else Value(None))

    def _do_Break(self, node: ast.Break, env: Environment) -> None:
        raise _Break

    def _do_Continue(self, node: ast.Continue, env: Environment) -> None:
        raise _Continue

    def _do_Global(self, node: ast.Global, env: Environment) -> None:
        for name in node.names:
            env.names.setdefault(f"global {name}", Value(None))

    def _do_Nonlocal(self, node: ast.Nonlocal, env: Environment) -> None:
        for name in node.names:
            env.names.setdefault(f"nonlocal {name}", Value(None))

    def _do_Match(self, node: ast.Match, env: Environment) -> None:
        subject = self.value(node.subject, env)
        undecided: list[ast.match_case] = []
        for case in node.cases:
            known = self._matches(case.pattern, subject, env)
            if known and case.guard is not None:
                known = operators.truth(self.value(case.guard, env))
            if known is None:
                undecided.append(case)
            elif known and not undecided:
                self.block(case.body, env)
                return
        chosen = [case for case in undecided if self._holds(case.body, env)] or undecided
        if chosen:
            self.block(chosen[0].body, env)

    def _matches(self, pattern: ast.pattern, subject: Value, env: Environment) -> bool | None:
        """Return whether a pattern fits (PEP 634), None where that is not known."""
        if isinstance(pattern, ast.MatchValue):
            return operators.truth(
                operators.compare(ast.Eq, subject, self.value(pattern.value, env))
            )
        if isinstance(pattern, ast.MatchSingleton):
            return operators.truth(operators.compare(ast.Is, subject, Value(pattern.value)))
        if isinstance(pattern, ast.MatchOr):
            verdicts = [
                self._matches(sub_pattern, subject, env) for sub_pattern in pattern.patterns
            ]
            return True if True in verdicts else None if None in verdicts else False
        if isinstance(pattern, ast.MatchAs):
            known = (
                True if pattern.pattern is None else self._matches(pattern.pattern, subject, env)
            )
            if known and pattern.name is not None:
                env.names[pattern.name] = subject
            return known
        return None

    def _do_If(self, node: ast.If, env: Environment) -> None:
        asked = self.missing_files
        known = self.truth(node.test, env)
        supposed = self._without_missing(node.test, env) if self.missing_files != asked else None
        if known is not None:
            self.comparisons.select((env.file, node.test.lineno), known)
        if known is False and not node.orelse and isinstance(node.test, READINGS):
            self._note_switch(node, env)
        self._tests.append((node.test, env))
        file, line = self.target
        if known is None and env.file == file and node.lineno < line <= (node.end_lineno or 0):
            self.reach.supposed += 1
        try:
            self._branch(node, env, known, supposed)
        finally:
            self._tests.pop()

    def _note_switch(self, node: ast.If, env: Environment) -> None:
        """Note the settings for which a block was left out."""
        with suppress(Raised):
            places = {
                (f, n) for f, n in self.value(node.test, env).origins if not f.endswith(OF_CODE)
            }
            if places:
                self.comparisons.switched_off.setdefault((env.file, node.lineno), set()).update(
                    places
                )

    def _branch(
        self, node: ast.If, env: Environment, known: bool | None, supposed: bool | None
    ) -> None:
        """Follow the branch of a condition, ``supposed`` the one where it is not known."""
        if known is not None:
            taken, skipped = (node.body, node.orelse) if known else (node.orelse, node.body)
            if self.passing and self._spares(node, taken, skipped, env):
                self._come_to.add(self.target)
            if self._entering and (
                self._missed_in(skipped, env) or (leaves(taken) and self._missed_after(node, env))
            ):
                known = not known
                self.reach.forced += 1
            self.block(node.body if known else node.orelse, env)
            return
        self.reach.guessed_branches += 1
        question = self.question(node.test, env)
        before = self.recalled(question)
        if self._holds(node.orelse, env) and not self._holds(node.body, env):
            holds = False
        elif self._holds(node.body, env):
            holds = True
        elif before is not None:
            holds = before
        elif supposed is False and not leaves(node.orelse):
            holds = False
        else:
            holds = not leaves(node.body)
        self.assume(question, holds)
        if self.reach.left_out and _gives_back(node.orelse if holds else node.body):
            self.reach.left_out[-1] = True
        skipped = node.orelse if holds else node.body
        if skipped and isinstance(skipped[-1], ast.Break):
            self.reach.breaks_left_out += 1
        self.block(node.body if holds else node.orelse, env)

    def _spares(
        self,
        node: ast.If,
        taken: Sequence[ast.stmt],
        skipped: Sequence[ast.stmt],
        env: Environment,
    ) -> bool:
        """Whether a condition leads past the failing line."""
        file, line = self.target
        if env.file != file:
            return False
        if any(statement.lineno <= line <= _last_line(statement) for statement in skipped):
            return True
        first, last = self._starts[-1] if self._starts else (0, sys.maxsize)
        return leaves(taken) and first <= line <= last and line > _last_line(node)

    def _holds(self, body: Sequence[ast.stmt], env: Environment) -> bool:
        """Whether a place on the stack lies in a block."""
        if not body:
            return False
        first, last = body[0].lineno, _last_line(body[-1])
        return any(file == env.file and first <= line <= last for file, line in self.frames)

    def _do_For(self, node: ast.For, env: Environment) -> None:
        source = self.value(node.iter, env)
        items = self.iterate(source)
        rounds = items if isinstance(items, list) else self._rounds_of(items, node, env)
        if not rounds:
            self._left_out(node, items.length if isinstance(items, Lazy) else source, env)
        count = items.length if isinstance(items, Lazy) else Value(len(rounds), source.origins)
        few = 1 if self._of_syntax.sketched else FEW_ROUNDS
        widens = bool(rounds) and (isinstance(items, Lazy) or len(rounds) > few)
        before_loop = self._before_loop(node, env) if widens else None
        start, supposed = self.left, self.reach.guessed_branches
        breaks = self.reach.breaks_left_out
        number, is_short = 0, False
        shapes: loops.Shapes = {}
        try:
            for number, item in enumerate(rounds[:MAX_ROUNDS]):
                shapes = loops.shapes_in(env) if widens else {}
                before = self.left
                self.assign(node.target, item, env)
                with suppress(_Continue):
                    self.block(node.body, env)
                left = len(rounds) - number - 1
                if left and self._is_cut(node, number + 1, before - self.left, start, left):
                    is_short = True
                    break
        except _Break:
            if before_loop is not None:
                loops.count_rounds(before_loop, count, (env.file, node.lineno))
            if isinstance(source.data, OneShot) and isinstance(items, list):
                source.data.extend(items[number + 1 :])
            if (
                before_loop is not None
                and isinstance(items, Lazy)
                and self.reach.guessed_branches != supposed
            ):
                self._widen(
                    before_loop, node, number + 1, Value(UNKNOWN, count.origins), even=False
                )
            return
        finally:
            self._of_syntax.sketched.discard(node)
        if before_loop is not None:
            loops.count_rounds(before_loop, count, (env.file, node.lineno))
        if before_loop is not None and number + 1 != count.data:
            loops.forget_growing(env, shapes)
            # The objects of rounds that are left out may give other things.
            uneven = is_short and any(map(_holds_object, rounds[number + 1 :]))
            even = self.reach.guessed_branches == supposed and not uneven
            self._widen(before_loop, node, number + 1, count, even=even)
        elif before_loop is not None and self.reach.breaks_left_out != breaks:
            # It may have ended in any of its rounds.
            self._widen(before_loop, node, number + 1, Value(UNKNOWN, count.origins), even=False)
        if is_short:
            self._last_round(node, env)
        else:
            self.block(node.orelse, env)

    def _is_cut(self, node: ast.For, done: int, cost: int, start: int, rounds: int) -> bool:
        """Whether no more rounds of a loop are followed; the arguments as for `_is_long`."""
        if node in self._of_syntax.sketched:
            return start - self.left > start // 2
        if self._of_syntax.sketched:
            return True
        if done < FEW_ROUNDS or not self._is_long(cost, start, rounds):
            return False
        if self.SKETCHES and rounds <= MOST_SKETCHED:
            self._of_syntax.sketched.add(node)
        return not self._of_syntax.sketched

    def _is_long(self, cost: int, start: int, rounds: int) -> bool:
        """Whether the rounds that are left of a loop would take too much of the run's steps.

        ``cost`` are the steps of the last round, ``start`` those that were left before the first.
        After each loop that took too many the next ones have fewer.
        """
        if rounds <= FEW_ROUNDS and cost * rounds < self.left // PART_OF_STEPS:
            return False
        if start - self.left > min(start, MAX_STEPS) // (4 << min(self.cut_loops, 4)):
            self.cut_loops += 1
            return True
        return cost > LONG_ROUND and cost * rounds > min(self.left, MAX_STEPS) // PART_OF_STEPS

    def _before_loop(self, node: loops.Loop, env: Environment) -> loops.Before:
        counted = self._of_syntax.counted.get(node)
        if counted is None:
            counted = self._of_syntax.counted[node] = loops.counted_names(node)
        files = lines_being_written(self.interpreter) if self.disk.writes_text else ()
        return loops.before_loop(env, counted, len(self.grown), len(self.disk.paths), files)

    def _widen(
        self,
        before: loops.Before,
        node: loops.Loop,
        done: int,
        count: Value,
        *,
        even: bool,
    ) -> None:
        """Let what a loop adds to hold what the rounds that are left out would add.

        ``even`` tells whether each round adds what the followed ones did.
        """
        note_partly(self.interpreter, before.paths)
        loops.widen_grown(self.grown[before.grown :], count)
        self.room -= loops.after_loop(before, node, done, count, even=even)

    def _rounds_of(self, items: Lazy, node: ast.For, env: Environment) -> list[Value]:
        """Return the rounds of a loop over items that are all alike.

        One stands for all of them, and two where the failing line lies in the loop: what a round
        leaves behind is there in the next one.
        """
        if not self._holds(node.body, env) and not items.others:
            return [] if items.length.data == 0 else [items.item]
        if items.others:
            return [items.item, *items.others]
        return [items.item] if items.length.data in (0, 1) else [items.item] * 2

    def _left_out(self, node: ast.For | ast.AsyncFor, count: Value, env: Environment) -> None:
        """Let what a loop without a round would have changed come from its number of rounds.

        What it was before the loop is seldom wrong: a sum starts at zero, a list empty.
        """
        for inner in (n for statement in node.body for n in ast.walk(statement)):
            filled = _filled_name(inner)
            before = env.names.get(filled) if filled else None
            if (
                before is not None
                and isinstance(before.data, (list, dict, set))
                and not before.data
            ):
                env.names[filled] = Value(before.data, count.origins or before.origins)
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                held = env.names.get(inner.id, Value(UNKNOWN))
                env.names[inner.id] = Value(held.data, count.origins or held.origins)

    def _last_round(self, node: ast.For | ast.AsyncFor | ast.While, env: Environment) -> None:
        """Follow one more round of a loop of which rounds are left out.

        Blocks in which a place of the stack lies that the run did not come to are entered, whatever
        the values of the first rounds say of their conditions.
        """
        missed = self._missed_in(node.body, env)
        if missed and not self._entering:
            self._entering = True
            try:
                with suppress(_Continue):
                    self.block(node.body, env)
            finally:
                self._entering = False

    def _missed_between(self, env: Environment, first: int, last: int) -> Iterator[Origin]:
        """Yield the places of the stack in some lines that the run did not come to."""
        for place in self.order:
            if place[0] == env.file and first <= place[1] <= last and place not in self._come_to:
                yield place

    def _missed_in(self, body: Sequence[ast.stmt], env: Environment) -> bool:
        """Whether a place of the stack that the run did not come to lies in a block."""
        lines = (body[0].lineno, _last_line(body[-1])) if body else (1, 0)
        return any(True for _ in self._missed_between(env, *lines))

    def _missed_after(self, node: ast.stmt, env: Environment) -> bool:
        """Whether a place of the stack lies after a statement, in the function around it."""
        place = self._missed(env)
        return place is not None and place[1] > _last_line(node)

    _do_AsyncFor = _do_For

    def _do_While(self, node: ast.While, env: Environment) -> None:
        before_loop: loops.Before | None = None
        supposed, number = self.reach.guessed_branches, 0
        count = Value(UNKNOWN)
        for number in range(MAX_WHILE):
            before = self.left
            tested = self.value(node.test, env)
            known = operators.truth(tested)
            if known is False or (known is None and number):
                if known is None and before_loop is not None:
                    even = self.reach.guessed_branches == supposed
                    left = Value(UNKNOWN, tested.origins)
                    self._widen(before_loop, node, number, left, even=even)
                break
            if before_loop is None:
                before_loop = self._before_loop(node, env)
            try:
                self.block(node.body, env)
            except _Continue:
                pass
            except _Break:
                if self.reach.guessed_branches != supposed:
                    self._widen(before_loop, node, number + 1, count, even=False)
                return
            yielded = env.names.get("yielded values")
            endless = yielded is not None and isinstance(node.test, ast.Constant)
            if endless and len(_items(yielded)) >= MAX_YIELDS:
                raise _Endless
            if number + 1 >= FEW_ROUNDS and before - self.left > LONG_ROUND:
                even = self.reach.guessed_branches == supposed
                self._widen(before_loop, node, number + 1, count, even=even)
                self._last_round(node, env)
                if endless and _items(yielded):
                    raise _Endless
                break

    def _do_With(self, node: ast.With, env: Environment) -> None:
        switched = 0
        entered: list[Value] = []
        for item in node.items:
            value = self.value(item.context_expr, env)
            held = self._entered(value)
            entered.append(value)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, held, env)
            if self.gradients is not None:
                switched += self.gradients.enter(value, (env.file, node.lineno))
        try:
            self.block(node.body, env)
        finally:
            for _ in range(switched):
                assert self.gradients is not None
                self.gradients.leave()
        for value in reversed(entered):
            model = MODELS.methods.get((kind_of(value), "__exit__"))
            if model is not None and isinstance(value.data, LibraryObject):
                call = Call("__exit__", (Value(None),) * 3, {}, (env.file, node.lineno), value)
                self.apply(model, call)
            leaving = self.method_of(value, "__exit__") or self.method_of(value, "__aexit__")
            if leaving is not None:
                self.call(leaving, (Value(None),) * 3, {}, (env.file, node.lineno))

    _do_AsyncWith = _do_With

    def entered_by_with(self, value: Value) -> Value:
        """Return what ``with`` gives for a context manager."""
        return self._entered(value)

    def _entered(self, value: Value) -> Value:
        if isinstance(value.data, Instance):
            method = self._member(value.data.cls, "__enter__") or self._member(
                value.data.cls, "__aenter__"
            )
            if method is not None and isinstance(method.data, FunctionValue):
                return self.call(Value(BoundMethod(method.data, value)), (), {}, self.stack[-1])
        if isinstance(value.data, LibraryObject):
            model = MODELS.methods.get((value.data.short, "__enter__"))
            if model is not None:
                return self.apply(model, Call("__enter__", (), {}, self.stack[-1], value))
        return value

    def _do_Try(self, node: ast.Try, env: Environment) -> None:
        entered = self._handler_on_stack(node, env) if self._entering else None
        try:
            self._guards.append(node.handlers)
            try:
                self.block(node.body, env)
            except (_Return, _Break, _Continue):
                if entered is None:
                    raise
            finally:
                self._guards.pop()
            self.block(node.orelse if entered is None else entered.body, env)
        except _Leave as end:
            handler = None
            for item in node.handlers:
                if item.type is not None:
                    with suppress(Raised):
                        self.value(item.type, env)
                if _catches(item, end.raised):
                    handler = item
                    break
            if handler is None:
                raise
            if handler.name:
                env.names[handler.name] = end.raised.exception or Value(UNKNOWN)
            self.block(handler.body, env)
        finally:
            self.block(node.finalbody, env)

    def _handler_on_stack(self, node: ast.Try, env: Environment) -> ast.ExceptHandler | None:
        """Return the handler that holds a place of the stack which the run did not come to."""
        return next((h for h in node.handlers if self._missed_in(h.body, env)), None)

    def _do_Raise(self, node: ast.Raise, env: Environment) -> None:
        name = ""
        if node.exc is not None:
            func = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            name = ast.unparse(func)
        place = self.stack[-1]
        raised = Raised("raised", name)
        raised.place = place
        if node.exc is not None and place != self.target:
            with suppress(Raised):
                raised.exception = self.value(node.exc, env)
                raised.kinds = self._kinds_of(raised.exception)
            self.stack[-1] = place
        if place == self.target:
            sides = self._tested()
            raised = Raised("raised", name, *sides)
            raised.place = place
            raised.makers = self._makers()
            raise Reached(raised)
        if self._is_refuted(raised):
            self.elsewhere.add((place, "raised"))
            if self._missed(env) is None:
                raise _Return(Value(UNKNOWN))
            return
        raise _Leave(raised)

    def _kinds_of(self, exception: Value) -> frozenset[str]:
        """Return the names of an exception's class and of its bases, none where not known."""
        data = exception.data
        cls = data.cls if isinstance(data, Instance) else data
        names_of_bases: set[str] = set()
        names = [data.name] if isinstance(data, (Library, LibraryObject)) else []
        if isinstance(cls, ClassValue):
            names_of_bases.update(base.name for base in self.lineage(cls))
            names = self.library_bases(cls)
        for name in names:
            kind = vars(builtins).get(name.rpartition(".")[2])
            if not isinstance(kind, type):
                return frozenset()
            names_of_bases.update(base.__name__ for base in kind.__mro__)
        return frozenset(names_of_bases)

    def _is_refuted(self, raised: Raised) -> bool:
        """Whether an exception of the program would end a run that came further."""
        return (
            self.GUESSES
            and self.target not in self._come_to
            and not any(_catches(h, raised) for handlers in self._guards for h in handlers)
        )

    def is_caught(self, name: str) -> bool:
        """Whether a ``try`` around what is being followed has a handler for an exception."""
        raised = Raised("raised", name)
        return any(_catches(handler, raised) for handlers in self._guards for handler in handlers)

    def _missed(self, env: Environment) -> Origin | None:
        """Return a place of the stack in the function being followed that it did not come to."""
        lines = self._starts[-1] if self._starts else (0, sys.maxsize)
        return next(self._missed_between(env, *lines), None)

    def _tested(self) -> tuple[Value, ...]:
        """Return what the innermost condition around the failing line compares."""
        if not self._tests:
            return ()
        test, env = self._tests[-1]
        if env.file != self.target[0]:
            return ()
        return self._compared(test, env)

    def _compared(self, test: ast.expr, env: Environment) -> tuple[Value, ...]:
        while True:
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                test = test.operand
                continue
            part = self._deciding(test, env)
            if part is None:
                break
            test = part
        parts = [test.left, *test.comparators] if isinstance(test, ast.Compare) else [test]
        # What a value is compared with is seldom wrong where it is written out (``x is None``).
        parts = [part for part in parts if not isinstance(part, ast.Constant)] or parts
        try:
            return tuple(self.value(part, env) for part in parts[:MAX_SIDES])
        except Raised:
            return ()

    def _deciding(self, test: ast.expr, env: Environment) -> ast.expr | None:
        """Return the part of a test of several that decides it, None where that is not known."""
        if not isinstance(test, ast.BoolOp):
            return None
        wanted = isinstance(test.op, ast.Or)
        for part in test.values:
            with suppress(Raised):
                if self.truth(part, env) is wanted:
                    return part
        return None

    def _do_Assert(self, node: ast.Assert, env: Environment) -> None:
        test = self.value(node.test, env)
        if operators.truth(test) is False:
            place = self.stack[-1]
            if self._is_failure(place, node):
                sides = self._compared(node.test, env) or (test,)
                raised = Raised("raised", "AssertionError", *sides)
                raised.place = place
                raise Reached(raised)
            self.elsewhere.add((place, "raised"))

    def _do_FunctionDef(self, node: ast.FunctionDef, env: Environment) -> None:
        made = self._function(node, env)
        before = env.names.get(node.name)
        kind = made.data.kind if isinstance(made.data, FunctionValue) else ""
        held = None if before is None else before.data
        if kind == "setter" and isinstance(held, FunctionValue) and held.kind == "property":
            env.names[f"{node.name} setter"] = made
            return
        env.names[node.name] = self._modelled(node, env) or self._decorated(made, node, env)

    _do_AsyncFunctionDef = _do_FunctionDef

    def _do_ClassDef(self, node: ast.ClassDef, env: Environment) -> None:
        bases = tuple(self.value(b, env) for b in node.bases if not isinstance(b, ast.Starred))
        for base in bases:
            refusal = _refused_base(base)
            if refusal is not None and not self._is_mistaken(refusal):
                raise refusal
        cls = ClassValue(node.name, node, env.file, bases, {})
        cls.is_dataclass = any(
            "dataclass" in ast.unparse(d) or "attr" in ast.unparse(d) for d in node.decorator_list
        ) or any(isinstance(b.data, ClassValue) and b.data.is_dataclass for b in bases)
        inner = Environment(cls.members, env, env.file, cls)
        self.block(node.body, inner)
        if self._is_enum(cls):
            self._number(cls)
        self._tell_bases(cls, node, env)
        env.names[node.name] = self._modelled(node, env) or self._decorated(Value(cls), node, env)

    def _modelled(self, node: ast.FunctionDef | ast.ClassDef, env: Environment) -> Value | None:
        """Return the library's own thing where models stand for what a module defines."""
        if env.outer is not None or env.file == self.target[0]:
            return None
        name = opaque_packages.stands_for(env.file, node.name)
        return None if name is None else Value(Library(name))

    def _do_Import(self, node: ast.Import, env: Environment) -> None:
        for alias in node.names:
            if alias.asname:
                env.names[alias.asname] = self._deferred(
                    alias.name, None, env.file
                ) or self._imported(alias.name, env.file)
            else:
                root = alias.name.partition(".")[0]
                if root not in env.names or "." not in alias.name:
                    env.names[root] = self._imported(root, env.file)
                if "." in alias.name:
                    self._imported(alias.name, env.file)

    def _do_ImportFrom(self, node: ast.ImportFrom, env: Environment) -> None:
        module = "." * node.level + (node.module or "")
        if all(alias.name != "*" for alias in node.names):
            later = {
                alias.asname or alias.name: self._deferred(module, alias.name, env.file)
                for alias in node.names
            }
            if None not in later.values():
                env.names.update({name: value for name, value in later.items() if value})
                return
        module_value = self._imported(module, env.file)
        for alias in node.names:
            if alias.name == "*":
                if isinstance(module_value.data, ModuleValue):
                    env.names.update(self._exported(module_value.data, module, env.file))
                else:
                    library = module_value.data
                    name = library.name if isinstance(library, Library) else ""
                    self.starred.setdefault(env.file, []).append(name)
                continue
            env.names[alias.asname or alias.name] = self._from(
                module_value, module, alias.name, env.file
            )

    def _exported(self, module: ModuleValue, name: str, importer: str) -> dict[str, Value]:
        """Return what ``import *`` takes from a module: what ``__all__`` names, or what is public.

        Names that the module does not have may be modules of a package.
        Source: the Python language reference, "The import statement".
        """
        names = module.environment.names
        public = names.get("__all__")
        items = public.data if public is not None else None
        if isinstance(items, (list, tuple)) and all(isinstance(i.data, str) for i in items):
            return {
                str(item.data): self._from(Value(module), name, str(item.data), importer)
                for item in items
            }
        return {key: value for key, value in names.items() if not key.startswith("_")}


OF_CLASSES: dict[type, str] = {
    type(None): "NoneType takes no arguments",
    ModuleValue: "module() takes at most 2 arguments (3 given)",
    FunctionValue: "function() argument 'code' must be code, not str",
    int: "int() takes at most 2 arguments (3 given)",
    str: "str() argument 'encoding' must be str, not tuple",
    **{kind: f"{kind.__name__} expected at most 1 argument, got 3" for kind in (list, tuple, dict)},
}
"""What the types of things that are no class say when they are called to make one."""


def _refused_base(base: Value) -> Raised | None:
    """Return what Python says of a base that is no class, None where it may be one.

    A class is made by the type of its bases (the Python language reference, "Determining the
    appropriate metaclass").
    """
    data = base.data
    message = OF_CLASSES.get(type(data))
    if message is None or (isinstance(data, FunctionValue) and _decorators(data)):
        return None
    return Raised("none" if data is None else "arguments", message, base)


def _decorators(function: FunctionValue) -> Sequence[ast.expr]:
    return getattr(function.node, "decorator_list", ())


def _filled_name(node: ast.AST) -> str:
    """Return the name of the container that a call or an assignment fills, empty for none."""
    owner: ast.expr | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = node.func.value if node.func.attr in FILLING else None
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        owner = node.value
    return owner.id if isinstance(owner, ast.Name) else ""


def leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether a block ends with a statement that leaves it, or ends the process."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return called_name(last.value) in EXITS
    return isinstance(last, (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _note_changed(before: Array, made: Array) -> None:
    """Note that an augmented assignment has changed an array in place, for all that show it.

    Tensors of TensorFlow and arrays of JAX are not changed, but made again; of a column of pandas
    the name that is assigned is all that counts.
    """
    if before.library not in ("numpy", "torch") or getattr(before, "index", None) is not None:
        return
    before.note_overwritten()
    before.share_memory(made)


def _loaded(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(id=target.id, ctx=ast.Load())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(value=target.value, attr=target.attr, ctx=ast.Load())
    assert isinstance(target, ast.Subscript)
    return ast.Subscript(value=target.value, slice=target.slice, ctx=ast.Load())


def _gives_back(body: Sequence[ast.stmt]) -> bool:
    """Whether a block may return a value from its function."""
    return any(
        isinstance(node, ast.Return) and node.value is not None
        for statement in body
        for node in own_nodes(statement)
    )
