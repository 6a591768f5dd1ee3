"""Follows a program from its start and says where it will fail, without a traceback to follow.

`Interpreter` is told where a run failed, so a model that is wrong elsewhere does no harm. Here the
first failure counts, so it counts only where everything that led to it is known: conditions whose
value is known, loops that surely run once, no handler around. What a branch that may not be taken,
or a loop of which one round is followed, may change is unknown afterwards.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from dl_bug_lsp.interpretation import arrays, operators
from dl_bug_lsp.interpretation.calls import (
    FORWARDS,
    LONG_ROUND,
    MAX_ROUNDS,
    MAX_WHILE,
    _Leave,
    own_nodes,
)
from dl_bug_lsp.interpretation.expressions import Again
from dl_bug_lsp.interpretation.interpreter import Interpreter, _unknown_for
from dl_bug_lsp.interpretation.memory_estimate import MemoryEstimator
from dl_bug_lsp.interpretation.models import Call, Model
from dl_bug_lsp.interpretation.operators import NotPlain, plain
from dl_bug_lsp.interpretation.run_state import _Break, _Continue, _Return
from dl_bug_lsp.interpretation.statements import FEW_ROUNDS, Reached, leaves
from dl_bug_lsp.interpretation.values import (
    GUESSED,
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
    Origin,
    Raised,
    Table,
    Value,
    unknown,
)
from dl_bug_lsp.workspace import Workspace

MAX_STEPS = 60_000
MAX_UNKNOWN_DEPTH = 12
HARMLESS = {"KeyboardInterrupt", "StopIteration", "GeneratorExit", "EOFError", "BrokenPipeError",
            "TimeoutError", "ConnectionError"}  # fmt: skip
"""Handlers of these classes catch none of the failures that models raise."""
SUPPRESSING = ("suppress", "raises", "catch", "assertRaises")
CONTAINERS = {"OrderedDict", "DefaultDict", "defaultdict", "Counter", "Deque", "deque"}
MUTATING = {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update",
            "add", "discard", "setdefault", "popitem"}  # fmt: skip
READING = {"print", "dump", "dumps", "info", "debug", "warning", "error", "log", "write", "save",
           "add_scalar", "pprint", "format", "join", "isfile", "exists"}  # fmt: skip
"""Functions, by their last name, that change nothing that they are given."""
READERS = {
    "builtins.open",
    "open",
    "codecs.open",
    "io.open",
    "pandas.read_csv",
    "pandas.read_table",
}
"""Functions that read a text file, whose encoding is given or UTF-8."""
SETTINGS = {
    *("DictConfig", "Namespace", "SimpleNamespace"),
    *("EasyDict", "Munch", "SettingsBox", "ConfigDict", "FrozenConfigDict"),
}
SETTINGS_METHODS = {
    *("merge_with", "copy", "to_dict", "toDict", "freeze", "defrost", "lock", "unlock", "unlocked"),
    *("is_locked", "ignore_type", "get_ref", "get_oneway_ref", "get_type", "resolve_references"),
    *("copy_and_resolve_references", "update_from_flattened_dict", "convert_dict", "to_json"),
    *("to_yaml", "eq_as_configdict", "merge_from_file", "merge_from_list", "clone"),
    *("is_frozen", "dump"),
}
"""Methods of the classes of settings of OmegaConf, ml_collections, EasyDict and yacs."""
PLAIN_DECORATORS = (
    *("staticmethod", "classmethod", "property", "cached_property", "setter", "no_grad", "jit"),
    *("inference_mode", "njit", "function", "compile", "script", "lru_cache", "cache", "wraps"),
    *("abstractmethod", "override", "contextmanager"),
)
"""Decorators that leave the parameters as they are."""
EXITS = {"SystemExit", "KeyboardInterrupt"}


@dataclass(frozen=True, slots=True)
class Prediction:
    """A failure that a run comes to.

    ``stack`` are the places of its frames, outermost first; ``certain`` says that each loop on
    the way is known to run at least once, and that nothing on the way contradicted a model.
    """

    raised: Raised
    stack: tuple[Origin, ...]
    certain: bool


class _Journal:
    """What was written while it was not known whether, or how often, that would run."""

    def __init__(self) -> None:
        self.names: list[tuple[dict[Any, Value], Any]] = []
        self.containers: list[Value] = []

    def forget(self) -> None:
        """Make unknown what was written."""
        for names, key in self.names:
            held = names.get(key)
            if held is not None:
                names[key] = unknown(held)
        for value in self.containers:
            is_list = isinstance(value.data, list)
            value.data = Lazy(unknown(value), Value(UNKNOWN)) if is_list else UNKNOWN


class Forecast(Interpreter):
    """Follows one run of a program that has not run yet."""

    GUESSES = False

    def __init__(
        self,
        workspace: Workspace,
        script: str,
        arguments: Sequence[Value] | None = None,
        steps: int = MAX_STEPS,
        settings: str | None = None,
        passes: Callable[[Raised], bool] | None = None,
    ) -> None:
        """Prepare to run ``script`` with the words of its command line (None: not known).

        A failure for which ``passes`` is true is taken not to happen.
        """
        self.passes = passes
        super().__init__(workspace, script, ("", 0), arguments, steps, settings=settings)
        self.comparisons.marks_guesses = True
        self.doubt = 0
        """How many conditions around, or before, the current statement are not known."""
        self.assumed = 0
        """How many loops around it are only taken to run once."""
        self._journals: list[_Journal] = []
        self._caught: list[bool] = [False]
        self._frames_of: tuple[Origin, ...] = ()
        self.memory = MemoryEstimator()
        self.asked: dict[tuple[str, str], Origin] = {}
        """Attributes that objects of libraries are asked for, by class and name: where first."""
        self.called: dict[tuple[str, Origin], tuple[int, tuple[str, ...]]] = {}
        """Calls of libraries: how many arguments by position, and the names of the others."""
        self.read: list[tuple[str, tuple[Value, ...], Mapping[str, Value], Origin]] = []
        """Calls that read text files."""
        self._opened: set[int] = set()
        """Objects that a library was handed, which may have put anything into them."""

    def predict(self) -> Prediction | None:
        """Follow the program; return the failure that it comes to, None where none is known."""
        before = arrays.COMPARISONS.set(self.comparisons)
        try:
            self._until_end(lambda: self.module(self.script, "__main__"))
        except Reached as end:
            certain = not self.assumed and not self.elsewhere
            return Prediction(end.raised, self._frames_of, certain)
        finally:
            arrays.COMPARISONS.reset(before)
        return None

    @property
    def is_unsure(self) -> bool:  # type: ignore[override]
        """Whether it is not known if what is being followed runs, or how often."""
        return bool(self.doubt or self._journals)

    # -- what counts -----------------------------------------------------------------------------

    def _is_failure(self, place: Origin, node: ast.stmt, raised: Raised | None = None) -> bool:
        if self.doubt or self._caught[-1]:
            return False
        if raised is not None:
            if any(GUESSED in _origins(side) for side in raised.sides):
                return False
            if self.passes is not None and self.passes(raised):
                return False
        self._frames_of = tuple(frame for frame in self.stack if frame[1])
        return True

    @contextmanager
    def _doubting(self) -> Iterator[None]:
        """Follow what may not run: nothing in it counts, and what it writes is unknown after."""
        with self._forgetting():
            before = self.doubt
            self.doubt += 1
            try:
                yield
            finally:
                self.doubt = max(before, self.doubt - 1)

    @contextmanager
    def _forgetting(self) -> Iterator[None]:
        journal = _Journal()
        self._journals.append(journal)
        try:
            yield
        finally:
            self._journals.pop()
            if self._journals:
                self._journals[-1].names += journal.names
                self._journals[-1].containers += journal.containers
            journal.forget()

    # -- what is written -------------------------------------------------------------------------

    def assign(self, target: ast.expr, value: Value, env: Environment) -> None:
        """Bind a target, and take note of it where it is not sure to happen."""
        super().assign(target, value, env)
        if not self._journals:
            return
        journal = self._journals[-1].names
        if isinstance(target, ast.Name):
            scope: Environment | None = env
            outer = f"global {target.id}" in env.names or f"nonlocal {target.id}" in env.names
            while scope is not None:
                if target.id in scope.names:
                    journal.append((scope.names, target.id))
                scope = scope.outer if outer else None
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value, env).data
            if isinstance(owner, Instance):
                journal.append((owner.attributes, target.attr))
            elif isinstance(owner, LibraryObject):
                journal.append((owner.state, target.attr))
            elif isinstance(owner, ClassValue):
                journal.append((owner.members, target.attr))
        elif isinstance(target, ast.Subscript):
            self._note_changed(self.value(target.value, env))

    def _store(self, target: ast.Subscript, value: Value, env: Environment) -> None:
        base = self.value(target.value, env)
        super()._store(target, value, env)
        if isinstance(base.data, dict):
            try:
                plain(self.value(target.slice, env))
            except (NotPlain, TypeError):
                # Any key may be there from now on.
                base.data = UNKNOWN

    def _note_changed(self, value: Value) -> None:
        data = value.data
        is_container = isinstance(data, (list, dict, set)) or (
            isinstance(data, LibraryObject) and data.short in CONTAINERS
        )
        if self._journals and is_container:
            self._journals[-1].containers.append(value)

    def _call_method(
        self, method: Any, args: tuple[Value, ...], keywords: Mapping[str, Value], place: Origin
    ) -> Value:
        output = super()._call_method(method, args, keywords, place)
        if method.name in MUTATING:
            self._note_changed(method.receiver)
        return output

    def _not_modelled(self, call: Call) -> Value:
        """Forget containers that something which is not modelled may change."""
        last = call.name.rpartition(".")[2]
        if last not in READING:
            for value in (*call.args, *call.keywords.values()):
                if isinstance(value.data, list):
                    value.data = Lazy(unknown(value), Value(UNKNOWN))
                elif isinstance(value.data, (dict, set)):
                    value.data = UNKNOWN
                elif isinstance(value.data, Instance):
                    # Anything may be put into an object that a library is handed.
                    self._opened.add(id(value.data))
        return call.unknown()

    def _not_followed(self, callee: Value, parts: Sequence[Value]) -> Value:
        """Follow a function of the workspace with unknown arguments, for what it may change."""
        bound = callee.data if isinstance(callee.data, BoundMethod) else None
        function = bound.function if bound is not None else callee.data
        if isinstance(function, FunctionValue) and len(self.stack) < MAX_UNKNOWN_DEPTH:
            first = () if bound is None else (bound.receiver,)
            given = (*first, *_unknown_for(function, len(first)))
            with self._doubting(), suppress(_Leave, Raised):
                self._enter(function, given, {})
        return unknown(*parts)

    # -- statements ------------------------------------------------------------------------------

    def _branch(
        self, node: ast.If, env: Environment, known: bool | None, supposed: bool | None
    ) -> None:
        if known is not None:
            super()._branch(node, env, known, supposed)
            return
        self._perhaps([node.body, node.orelse], env)

    def _perhaps(self, bodies: Sequence[Sequence[ast.stmt]], env: Environment) -> None:
        """Follow blocks of which one or none runs; whether the rest runs then may be open."""
        before = self.doubt
        leaving: list[BaseException] = []
        with self._forgetting():
            for body in bodies:
                self.doubt = before + 1
                try:
                    self.block(body, env)
                except (_Return, _Break, _Continue) as end:
                    leaving.append(end)
                except _Leave:
                    # A test of the program's own: where it holds the run ends as it should.
                    pass
        inner = any(_may_leave(body) for body in bodies)
        self.doubt = before + (1 if leaving or inner else 0)
        if len(leaving) == len(bodies):
            self.doubt = before + 1
            raise leaving[0]

    def _do_Match(self, node: ast.Match, env: Environment) -> None:
        subject = self.value(node.subject, env)
        verdicts = [self._matches(case.pattern, subject, env) for case in node.cases]
        if all(known is not None for known in verdicts) and all(
            c.guard is None for c in node.cases
        ):
            super()._do_Match(node, env)
            return
        self._perhaps([case.body for case in node.cases] + [[]], env)

    def _do_For(self, node: ast.For, env: Environment) -> None:
        items = self.iterate(self.value(node.iter, env))
        rounds = items if isinstance(items, list) else [items.item]
        counted = isinstance(items, list)
        length = None if isinstance(items, list) else items.length.data
        if length == 0:
            rounds = []
        unsure = not counted and not isinstance(length, int)
        before = self.doubt
        whole = counted and len(rounds) <= MAX_ROUNDS
        with self._forgetting() if not whole else _nothing():
            self.assumed += unsure
            try:
                for number, item in enumerate(rounds[:MAX_ROUNDS]):
                    left = self.left
                    self.assign(node.target, item, env)
                    with suppress(_Continue):
                        self.block(node.body, env)
                    if self.doubt > before:
                        break
                    if number + 1 >= FEW_ROUNDS and left - self.left > LONG_ROUND:
                        whole = whole and number + 1 == len(rounds)
                        break
            except _Break:
                self.doubt = before
                return
            finally:
                self.assumed -= unsure
        if self.doubt > before or (counted and not whole):
            self._forget_block(node.body, env)
        # What a return in the loop leaves open stays open; a break or continue ends with it.
        self.doubt = before + (self.doubt > before and _may_return(node.body))
        self.block(node.orelse, env)

    _do_AsyncFor = _do_For

    def _do_While(self, node: ast.While, env: Environment) -> None:
        before = self.doubt
        try:
            for number in range(MAX_WHILE):
                left = self.left
                known = operators.truth(self.value(node.test, env))
                if known is False:
                    break
                if known is None:
                    self.doubt += 1
                with suppress(_Continue):
                    self.block(node.body, env)
                if known is None or self.doubt > before:
                    self._forget_block(node.body, env)
                    break
                if number + 1 >= FEW_ROUNDS and left - self.left > LONG_ROUND:
                    self._forget_block(node.body, env)
                    break
        except _Break:
            pass
        self.doubt = before + (self.doubt > before and _may_return(node.body))

    def _forget_block(self, body: Sequence[ast.stmt], env: Environment) -> None:
        """Follow a block once more, so that what it writes is unknown afterwards."""
        with self._doubting(), suppress(_Return, _Break, _Continue, _Leave):
            self.block(body, env)

    def _do_With(self, node: ast.With, env: Environment) -> None:
        catches = any(
            word in ast.unparse(item.context_expr) for item in node.items for word in SUPPRESSING
        )
        self._caught.append(self._caught[-1] or catches)
        try:
            super()._do_With(node, env)
        finally:
            self._caught.pop()

    _do_AsyncWith = _do_With

    def _do_Try(self, node: ast.Try, env: Environment) -> None:
        catches = any(_catches_failures(handler) for handler in node.handlers)
        before = self.doubt
        try:
            self._guards.append(node.handlers)
            self._caught.append(self._caught[-1] or catches)
            try:
                self.block(node.body, env)
            finally:
                self._guards.pop()
                self._caught.pop()
            self.block(node.orelse, env)
        except _Leave:
            if not catches:
                raise
        finally:
            if catches:
                for handler in node.handlers:
                    if handler.name:
                        env.names[handler.name] = Value(UNKNOWN)
                    self._forget_block(handler.body, env)
                if any(leaves(handler.body) for handler in node.handlers):
                    self.doubt = max(self.doubt, before)
            self.block(node.finalbody, env)

    def _do_Raise(self, node: ast.Raise, env: Environment) -> None:
        try:
            super()._do_Raise(node, env)
        except _Leave as end:
            name = end.raised.message.rpartition(".")[2]
            if node.exc is None or name in EXITS or not self._is_failure(self.stack[-1], node):
                raise
            message = f"{name}: {text}" if (text := self._said(node.exc, env)) else name
            raised = Raised("raised", message, *self._tested())
            raised.place = self.stack[-1]
            raise Reached(raised) from None

    def _said(self, node: ast.expr, env: Environment) -> str:
        """Return the message of an exception of the program's own, empty where it is not known."""
        if not isinstance(node, ast.Call) or not node.args:
            return ""
        text = self._attempt(node.args[0], env).data
        return text if isinstance(text, str) else ""

    def _tested(self) -> tuple[Value, ...]:
        if not self._tests:
            return ()
        test, env = self._tests[-1]
        return self._compared(test, env) if env.file == self.stack[-1][0] else ()

    # -- expressions -----------------------------------------------------------------------------

    def _of_IfExp(self, node: ast.IfExp, env: Environment) -> Value:
        test = self.value(node.test, env)
        known = operators.truth(test)
        if known is not None:
            return self.value(node.body if known else node.orelse, env)
        with self._doubting():
            parts = [self._attempt(part, env) for part in (node.body, node.orelse)]
        if all(isinstance(p.data, operators.PLAIN) for p in parts) and (
            parts[0].data == parts[1].data
        ):
            return parts[0]
        return unknown(*parts)

    def _attempt(self, node: ast.expr, env: Environment) -> Value:
        try:
            return self.value(node, env)
        except Raised:
            return Value(UNKNOWN)

    def _generate(
        self,
        generators: Sequence[ast.comprehension],
        env: Environment,
        emit: Any,
        again: Again | None = None,
        over: list[Value] | None = None,
    ) -> Value | None:
        before, assumed = self.doubt, self.assumed
        try:
            return super()._generate(generators, env, emit, again, over)
        finally:
            self.doubt, self.assumed = before, assumed

    def _enter(
        self, function: FunctionValue, args: tuple[Value, ...], keywords: Mapping[str, Value]
    ) -> Value:
        before = self.doubt
        output = super()._enter(function, args, keywords)
        if self.doubt > before:
            # It is open which of its returns was taken.
            self.doubt = before
            return unknown(output)
        return output

    def _bound(
        self, function: FunctionValue, args: tuple[Value, ...], keywords: Mapping[str, Value]
    ) -> dict[str, Value]:
        try:
            return super()._bound(function, args, keywords)
        except Raised:
            node = function.node
            if not isinstance(node, ast.Lambda) and any(
                _changes_arguments(decorator) for decorator in node.decorator_list
            ):
                parts = (*args, *keywords.values())
                return {n.arg: unknown(*parts) for n in ast.walk(node.args)
                        if isinstance(n, ast.arg)}  # fmt: skip
            if "training" in keywords and getattr(node, "name", "") in FORWARDS:
                # Keras hands it only to those that take it.
                given = {k: v for k, v in keywords.items() if k != "training"}
                return super()._bound(function, args, given)
            raise

    def _instance(
        self,
        cls: ClassValue,
        args: tuple[Value, ...],
        keywords: Mapping[str, Value],
        place: Origin,
    ) -> Value:
        made_otherwise = any(
            "__new__" in base.members or base.node.keywords or base.node.decorator_list
            for base in self.lineage(cls)
        )
        open_fields = self._member(cls, "__init__") is None and self._has_library_base(cls)
        if (made_otherwise and not cls.is_dataclass) or open_fields:
            # A metaclass, a decorator or ``__new__`` may take other arguments.
            with suppress(Raised):
                return super()._instance(cls, args, keywords, place)
            return unknown(*args, *keywords.values())
        return super()._instance(cls, args, keywords, place)

    def apply(self, model: Model, call: Call) -> Value:
        """Return what a model gives, and take note of it for the memory that a step takes.

        What it refuses of the axes of an array that may have others is not known.
        """
        try:
            output = super().apply(model, call)
        except Raised as raised:
            given = (call.receiver, *call.args, *call.keywords.values())
            if raised.what not in ("index", "size") or not any(
                value is not None and GUESSED in value.origins for value in given
            ):
                raise
            return call.unknown()
        return output if self.doubt else self.memory.note(call, output)

    def _call_library(
        self, name: str, args: tuple[Value, ...], keywords: Mapping[str, Value], place: Origin
    ) -> Value:
        if not self.doubt and not self._caught[-1]:
            if name in READERS:
                self.read.append((name, args, keywords, place))
            elif keywords:
                self.called.setdefault((name, place), (len(args), tuple(keywords)))
        if name == "builtins.isinstance" and len(args) == 2 and _is_alias(args[1]):
            return unknown(*args)
        return super()._call_library(name, args, keywords, place)

    def operated(self, kind: type[ast.operator], left: Value, right: Value, place: Origin) -> Value:
        """Return what an operator gives, and take note of the memory that it takes."""
        output = super().operated(kind, left, right, place)
        if self.doubt or not isinstance(output.data, Array) or output.data.library == "python":
            return output
        return self.memory.computed(kind.__name__, (left, right), output, place)

    def _of_Name(self, node: ast.Name, env: Environment) -> Value:
        try:
            return super()._of_Name(node, env)
        except Raised:
            text = self.workspace.text(env.file) or ""
            if any(word in text for word in ("import *", "exec(", "globals()", "get_ipython")):
                return Value(UNKNOWN)
            raise

    def attribute(self, base: Value, name: str, place: Origin) -> Value:
        """Return ``base.name``; settings whose keys are all known lack the others."""
        data = base.data
        if isinstance(data, LibraryObject):
            if not self.doubt and not self._caught[-1]:
                self.asked.setdefault((data.name, name), place)
            if data.short in SETTINGS and name not in data.state and not _is_method(name):
                kind = "attribute" if data.short.endswith("Namespace") else "key"
                shown = f"'{data.short}' object has no attribute '{name}'"
                key = Value(name, frozenset({place}))
                raise Raised(kind, shown if kind == "attribute" else f"{name!r}", key, base)
        elif isinstance(data, Table) and name not in data.columns and not self.doubt:
            self.asked.setdefault(("pandas.DataFrame", name), place)
        return super().attribute(base, name, place)

    def _of_instance(self, base: Value, data: Instance, name: str, place: Origin) -> Value:
        try:
            return super()._of_instance(base, data, name, place)
        except Raised as raised:
            if raised.what == "attribute" and self._is_open(data):
                return unknown(base)
            raise

    def _is_open(self, data: Instance) -> bool:
        """Whether an object may have attributes that no statement was seen to give it."""
        if id(data) in self._opened:
            return True
        text = "\n".join(ast.unparse(cls.node) for cls in self.lineage(data.cls))
        return any(word in text for word in ("setattr", "__dict__", "vars(", "__slots__"))


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def _origins(value: Value) -> frozenset[Origin]:
    shape = value.data.shape if isinstance(value.data, Array) else None
    return value.origins.union(*(dim.origins for dim in shape or ()))


def _is_method(name: str) -> bool:
    return hasattr(dict, name) or name.startswith("_") or name in SETTINGS_METHODS


def _is_alias(value: Value) -> bool:
    """Whether a library's class may be one of Python's by another name (``six.string_types``)."""
    data = value.data
    if not isinstance(data, Library) or data.name.startswith("builtins."):
        return False
    return data.name.rpartition(".")[2][:1].islower()


def _catches_failures(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    parts = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(ast.unparse(part).rpartition(".")[2] not in HARMLESS for part in parts)


def _changes_arguments(decorator: ast.expr) -> bool:
    func = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(func).rpartition(".")[2] not in PLAIN_DECORATORS


def _may_leave(body: Sequence[ast.stmt]) -> bool:
    return any(
        isinstance(node, (ast.Return, ast.Break, ast.Continue))
        for statement in body
        for node in own_nodes(statement)
    )


def _may_return(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(n, ast.Return) for statement in body for n in own_nodes(statement))
