"""Follows a program's statements in the order in which they would run, up to its failure.

Branches whose condition is not known are taken where the failure lies in them; a loop over what is
not known runs once. Where a library or an operator would raise at another place than the failure's,
our knowledge is taken to be wrong: the value becomes unknown and the run goes on.
"""

from __future__ import annotations

import ast
import posixpath
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from dl_bug_lsp.interpretation import (
    arrays,
    notebook_runs,
)
from dl_bug_lsp.interpretation.callbacks import arguments_of
from dl_bug_lsp.interpretation.calls import (
    FORWARDS,
    MAX_DEPTH,
    MODEL_ERRORS,
    _is_around,
    _Leave,
)
from dl_bug_lsp.interpretation.matched_facts import Said, demanded
from dl_bug_lsp.interpretation.matched_messages import Line, refused
from dl_bug_lsp.interpretation.recorded_values import RecordedNames
from dl_bug_lsp.interpretation.run_state import (
    MAX_MADE,
    Exhausted,
    Settled,
    _Break,
    _Continue,
    _last_line,
    _Return,
    _underlined,
)
from dl_bug_lsp.interpretation.statements import Reached, Statements
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Environment,
    FunctionValue,
    Instance,
    Origin,
    Raised,
    Value,
    unknown,
)
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.stack import header_expressions

RESUMED_STEPS = 5_000
"""Steps that following a frame has which the run did not come to."""
MAX_EVALUATIONS = 50
"""Times that the values of the failing statement's parts are kept."""
EXPLAINS = {
    "KeyError": {"key", "raised"},
    "IndexError": {"index", "size", "value", "raised"},
    "TypeError": {"type", "none", "arguments", "value", "size", "raised"},
    "AttributeError": {"attribute", "accessor", "none", "raised"},
    "ZeroDivisionError": {"value", "raised"},
    "FileNotFoundError": {"file", "raised"},
    "NameError": {"name", "raised"},
    "UnboundLocalError": {"name", "empty", "raised"},
}
"""What our models call the failures that Python raises as these classes."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How following a program ended.

    ``raised`` is the failure where it was reproduced; ``elsewhere`` the places at which values did
    not fit our models; ``reached`` whether the failing line was come to; ``complete`` whether the
    budget did. ``agreed`` counts for origins of sizes the other sizes that they were equal to.
    ``operands`` is what the failing expression was made of where the run came to it and none of our
    models saw it fail. ``files_read`` are the text files of the workspace that the program read,
    each with the lines of the calls that came to it, the innermost one first,
    ``modules`` the Python files that it imported, and ``entered`` the places of the functions that
    it called and of the classes of which it made objects; ``callees`` gives for the places of calls
    the functions of the program that were called there. ``reasons`` says of places why they are
    the cause where what fails comes from them. ``selected`` gives for the places of conditions of
    how many items they were true, and of how many they were asked. ``related`` are the computations
    that made one size of the message of the other, ``chosen`` the conditional expressions that were
    followed where the message speaks of sizes, both by their places. ``dynamic_slice`` are the
    lines that the failing values went through where the run was traced (`dynamic_slices`), each
    with how many of them lie between it and the failure. ``generated`` are the files of the
    workspace that it read and a command before it wrote. ``defaulted`` gives for the places at
    which a table lacked a key, and a default was taken, the key and the places of the table's keys;
    ``looked_up`` are the places of the keys that were looked up at all. ``ran`` are the first lines
    of the statements that ran, ``switched_off`` the settings for which a block was left out, by the
    place of its condition.
    """

    raised: Raised | None
    elsewhere: frozenset[tuple[Origin, str]]
    reached: bool
    complete: bool
    steps: int
    agreed: Mapping[Origin, int] = field(default_factory=dict)
    operands: tuple[Value, ...] = ()
    files_read: Mapping[str, tuple[Origin, ...]] = field(default_factory=dict)
    modules: frozenset[str] = frozenset()
    entered: frozenset[Origin] = frozenset()
    reasons: Mapping[Origin, str] = field(default_factory=dict)
    selected: Mapping[Origin, tuple[int, int]] = field(default_factory=dict)
    related: Mapping[Origin, arrays.Relation] = field(default_factory=dict)
    chosen: Mapping[Origin, ast.IfExp] = field(default_factory=dict)
    callees: Mapping[Origin, Collection[Origin]] = field(default_factory=dict)
    dynamic_slice: Mapping[Origin, int] = field(default_factory=dict)
    generated: frozenset[str] = frozenset()
    defaulted: Mapping[Origin, tuple[str, Mapping[str, Origin]]] = field(default_factory=dict)
    looked_up: frozenset[Origin] = frozenset()
    ran: frozenset[Origin] = frozenset()
    switched_off: Mapping[Origin, set[Origin]] = field(default_factory=dict)


class Interpreter(Statements):
    """Follows one run of one program."""

    @property
    def interpreter(self) -> Interpreter:
        """The run itself."""
        return self

    def run(self) -> Outcome:
        """Follow the program; never raises on what the program holds."""
        # A call of the program takes some 25 of Python's; more than `MAX_DEPTH` are not followed.
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 30 * MAX_DEPTH + 1_000))
        raised: Raised | None = None
        complete = True
        before = arrays.COMPARISONS.set(self.comparisons)
        try:
            complete = self._until_end(lambda: self.module(self.script, "__main__"))
            self.reach.resumed, self.reach.alone = True, self.target in self._come_to
            for place in self.order:
                if place not in self._come_to:
                    more = max(RESUMED_STEPS - self.left, 0)
                    self.left, self.steps = self.left + more, self.steps + more
                    self.floor = min(self.floor, self.left - RESUMED_STEPS)
                    self.room = max(self.room, MAX_MADE // 4)
                    self._until_end(partial(self._resume, place))
        except Reached as end:
            raised = end.raised
            self._explain_rebound(raised)
        except Settled:
            complete = False
        finally:
            arrays.COMPARISONS.reset(before)
        done = self.steps - self.left
        reached = self.target in self._come_to
        agreed = dict(self.comparisons.agreed)
        operands = self._operands()
        elsewhere = frozenset(self.elsewhere)
        files = dict(self.files_read)
        entered = frozenset(chain(self._instances, *self.callees.values()))
        modules = frozenset(self.modules)
        return Outcome(
            raised,
            elsewhere,
            reached,
            complete,
            done,
            agreed,
            operands,
            files,
            modules,
            entered,
            self.comparisons.reasons,
            self.comparisons.selected,
            self.comparisons.related,
            self.comparisons.chosen,
            self.callees,
            generated=frozenset(self.generated),
            defaulted=self._defaulted(),
            looked_up=frozenset(self.comparisons.looked_up),
            ran=frozenset(self.ran),
            switched_off=self.comparisons.switched_off,
        )

    def _defaulted(self) -> dict[Origin, tuple[str, Mapping[str, Origin]]]:
        """Return where a default was taken, with the key and what the table has."""
        defaulted: dict[Origin, tuple[str, Mapping[str, Origin]]] = {}
        for place, (key, table) in self.comparisons.defaulted.items():
            places = {
                name: next(iter(value.origins))
                for name, value in table.items()
                if isinstance(name, str) and len(value.origins) == 1
            }
            if places:
                defaulted[place] = key, places
        return defaulted

    def _explain_rebound(self, raised: Raised | None) -> None:
        """Note where one name got another number, and the failure is between these two.

        One side still is what the name was before; the other was made with what it is since.
        """
        if raised is None or raised.what != "size" or len(raised.sides) < 2:
            return
        for place, former, name, number in self.comparisons.rebound:
            for old, new in (raised.sides[:2], raised.sides[1::-1]):
                stands = type(old.data) is int and old.data == number and type(new.data) is int
                if stands and place in new.origins and place not in old.origins:
                    why = f"`{name}` was {number} from line {former[1]} on, and is {new.data} since"
                    arrays.note_reason(place, why)

    def demanded(self, said: Sequence[Said]) -> Raised | None:
        """Return the failure where what the message says fits values of the failing line.

        It is asked after `run`, where no model saw the line fail.
        """
        before = arrays.COMPARISONS.set(None)
        try:
            done = sorted(self._evaluated, key=lambda item: not item[2])
            return demanded((Line(self, item[0], item[3], item[1]) for item in done), said)
        except MODEL_ERRORS:
            return None
        finally:
            arrays.COMPARISONS.reset(before)

    def _until_end(self, work: Callable[[], object]) -> bool:
        """Do a piece of the run; return whether the budget was enough."""
        self.stack.clear()
        self._starts.clear()
        self.reach.left_out.clear()
        self.entered.clear()
        try:
            work()
        except _Leave as end:
            if end.raised.place is not None:
                self.elsewhere.add((end.raised.place, end.raised.what))
        except (_Return, _Break, _Continue, Raised):
            pass
        except (Exhausted, RecursionError):
            return False
        return True

    def _resume(self, place: Origin) -> None:
        """Enter the function around a place of the stack that the run did not come to.

        Its object is the latest of its class that the run made; what else it is given is not known.
        """
        function = self._function_at(place)
        if function is not None:
            self.stack.append((function.file, function.node.lineno))
            self._enter_unasked(function, self._object_of(function))

    def _enter_unasked(self, function: FunctionValue, receiver: Value | None) -> Value:
        """Enter a function of whose arguments no more is known than what it declares."""
        given = () if receiver is None else (receiver,)
        return self._enter(function, (*given, *arguments_of(self, function, len(given))), {})

    def _function_at(self, place: Origin) -> FunctionValue | None:
        """Return the innermost function around a place, None at the level of a module."""
        self.module(place[0], posixpath.splitext(place[0])[0].replace("/", "."))
        around = [
            function
            for function in self._functions.values()
            if not isinstance(function.node, ast.Lambda) and _is_around(function, place)
        ]
        return max(around, key=lambda function: function.node.lineno, default=None)

    def _call_unknown(
        self, args: tuple[Value, ...], keywords: Mapping[str, Value], node: ast.Call, file: str
    ) -> Value | None:
        """Follow a call of what is not known into the function that the stack shows, if any.

        The function gets the arguments of the call where it may have been called directly.
        """
        call_place = (file, node.lineno)
        at = next((i for i, place in enumerate(self.order[:-1]) if place == call_place), None)
        if at is None or call_place in self._followed or self.order[at + 1] in self._come_to:
            return None
        function = self._function_at(self.order[at + 1])
        if function is None:
            return None
        self._followed.add(call_place)
        self.reach.guessed_calls += 1
        receiver = self._object_of(function)
        name = getattr(function.node, "name", "")
        if name == called_name(node) or name in FORWARDS:
            with suppress(Raised):
                given = () if receiver is None else (receiver,)
                return self._enter(function, (*given, *args), keywords)
        return self._enter_unasked(function, receiver)

    def _object_of(self, function: FunctionValue) -> Value | None:
        """Return an object for a method: the latest of its class, or one made of unknown values."""
        owner = function.owner
        if owner is None or function.kind == "staticmethod":
            return None
        if function.kind == "classmethod":
            return Value(owner)
        for made in reversed(self._instances.values()):
            if isinstance(made.data, Instance) and owner in self.lineage(made.data.cls):
                return made
        start = self._member(owner, "__init__")
        given: tuple[Value, ...] = ()
        if start is not None and isinstance(start.data, FunctionValue):
            given = _unknown_for(start.data, 1)
        return self._instance(owner, given, {}, (owner.file, owner.node.lineno))

    def _notebook(self, file: str, tree: ast.Module, env: Environment) -> None:
        """Follow the cells of a notebook in the order in which they ran; each ends by itself."""
        cells = self.workspace.cells(file)
        line = next((line for name, line in self.order if name == file), 0)
        statements = notebook_runs.statements_of(cells, tree.body)
        failed = False
        for cell in notebook_runs.in_order(cells, line, repeated=self.repeated):
            body = statements[cell.number]
            failed = failed or line in cell.raw
            try:
                self.block(body, env)
            except _Leave as end:
                if end.raised.place is not None:
                    self.elsewhere.add((end.raised.place, end.raised.what))
            except (_Return, _Break, _Continue):
                continue
            if not failed:
                with suppress(Raised):
                    notebook_runs.learn(cell, body, partial(self._seen, env=env))

    def _seen(self, node: ast.expr, env: Environment) -> Value:
        """Return the value of a name or attribute that a cell showed; of others an unknown one."""
        if isinstance(node, ast.Name):
            result = self.lookup(node.id, env)
            return result if result is not None else Value(UNKNOWN)
        return Value(UNKNOWN)

    def block(self, statements: Sequence[ast.stmt], env: Environment) -> None:
        """Follow statements one after the other."""
        for statement in statements:
            self.statement(statement, env)

    def statement(self, node: ast.stmt, env: Environment) -> None:
        """Follow a statement; what our models would raise elsewhere leaves things unknown."""
        self._spend(node.lineno)
        self.ran.add((env.file, node.lineno))
        outer, self._values = self._values, None
        around, self._statement = self._statement, node
        failing = self._note(env.file, node)
        if self.recorded is not None:
            self._supply(self.recorded, node, env)
        if failing and len(self._evaluated) < MAX_EVALUATIONS:
            self._values = {}
            as_failed = self.frames <= {*self.stack, self.target}
            self._evaluated.append((node, self._values, as_failed, env))
        try:
            method = getattr(self, f"_do_{type(node).__name__}", None)
            if method is not None and self._values is not None and self.GUESSES:
                self._confirm(method, node, env)
            elif method is not None:
                method(node, env)
        except Raised as raised:
            place = raised.place or self.stack[-1]
            raised.place = place
            fits = _fits(raised.what, self.exception)
            if fits and self._is_failure(place, node, raised):
                raised.makers = self._makers()
                raise Reached(raised) from None
            if self._is_guarded(raised):
                raise _Leave(raised) from None
            self.elsewhere.add((place, raised.what))
            if isinstance(node, ast.Return):
                raise _Return(unknown(*raised.sides)) from None
            self._forget(node, env)
        finally:
            self._values, self._statement = outer, around

    def _makers(self) -> tuple[Origin, ...]:
        """Return where the objects were made whose methods are being followed."""
        objects = (names.get("self") for _, names in reversed(self.entered))
        made = (o.data.made for o in objects if o is not None and isinstance(o.data, Instance))
        return tuple(dict.fromkeys(place for place in made if place is not None))

    def _confirm(
        self, method: Callable[[Any, Environment], None], node: ast.stmt, env: Environment
    ) -> None:
        """Follow the failing statement; raise where its values are what the message refuses."""
        assert self._values is not None
        ended: _Return | None = None
        try:
            method(node, env)
        except _Return as end:
            ended = end
        refusal = refused(self, node, env, self._values)
        if refusal is not None:
            refusal.place = self.target
            raise refusal
        if ended is not None:
            raise ended

    def _note(self, file: str, node: ast.stmt) -> bool:
        """Note that the run came to the places of the stack in a statement.

        Returns whether the failing line is one of them.
        """
        lines = self._frame_lines.get(file)
        if lines is None:
            return False
        failing = False
        for line in lines:
            if node.lineno <= line <= own_end(node):
                self._come_to.add((file, line))
                failing = failing or (file, line) == self.target
        return failing

    def _supply(self, recorded: RecordedNames, node: ast.stmt, env: Environment) -> None:
        """Give the names of a statement on the stack what they held when the run died."""
        for line in self._frame_lines.get(env.file, ()):
            if node.lineno <= line <= own_end(node):
                recorded.supply(self, line, env)

    def _operands(self) -> tuple[Value, ...]:
        """Return what the failing expression was made of when the run first came to it."""
        for statement, values, _, _ in sorted(self._evaluated, key=lambda done: not done[2]):
            operands = tuple(
                values[part]
                for part in _failing_parts(statement, self.expression)
                if part in values
            )
            if operands:
                return operands
        return ()

    def _forget(self, node: ast.stmt, env: Environment) -> None:
        """Make unknown what a statement would have bound."""
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
            targets = [node.target]
        for target in targets:
            for name in ast.walk(target):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    env.names[name.id] = Value(UNKNOWN)
                elif isinstance(name, ast.Attribute) and isinstance(name.value, ast.Name):
                    owner = self.lookup(name.value.id, env)
                    if owner is not None and isinstance(owner.data, Instance):
                        owner.data.attributes[name.attr] = Value(UNKNOWN)


def own_end(node: ast.stmt) -> int:
    """Return the last line of a statement without the blocks in it."""
    body = getattr(node, "body", None)
    return max(node.lineno, body[0].lineno - 1) if body else _last_line(node)


def _unknown_for(function: FunctionValue, given: int) -> tuple[Value, ...]:
    """Return unknown values for the positional parameters without default after the first ones."""
    arguments = function.node.args
    count = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    return tuple(Value(UNKNOWN) for _ in range(count - given))


def _fits(kind: str, exception: str) -> bool:
    """Whether what a model raises may be an exception of a class."""
    allowed = EXPLAINS.get(exception)
    return allowed is None or kind in allowed


def _failing_parts(statement: ast.stmt, expression: str) -> list[ast.expr]:
    """Return what the failing expression is made of, of a statement without one all that it reads.

    Functions and methods that are called are no parts, the object of a method is one.
    """
    heads = header_expressions(statement)
    failing = _underlined(statement, expression)
    if failing is None:
        calls = [n for h in heads for n in ast.walk(h) if isinstance(n, ast.Call)]
        if len(calls) != 1:
            return [
                n
                for head in heads
                for n in ast.walk(head)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
            ]
        failing = calls[0]
    if isinstance(failing, ast.Call):
        callee = failing.func
        owner = callee.value if isinstance(callee, ast.Attribute) else None
        given = [a.value if isinstance(a, ast.Starred) else a for a in failing.args]
        return [
            *([owner] if owner is not None else []),
            callee,
            *given,
            *(keyword.value for keyword in failing.keywords),
        ]
    return [n for n in ast.iter_child_nodes(failing) if isinstance(n, ast.expr)]
