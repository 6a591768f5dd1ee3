"""Follows a program's statements in the order in which they would run, up to its failure.

Branches whose condition is not known are taken where the failure lies in them; a loop over what is
not known runs once. Where a library or an operator would raise at another place than the failure's,
our knowledge is taken to be wrong: the value becomes unknown and the run goes on.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import posixpath
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.interpretation import (
    arrays,
    autograd,
    builtin_models,
    cells,
    notebook_runs,
    operators,
)
from dl_bug_lsp.interpretation.command_models import flag_of, run_command
from dl_bug_lsp.interpretation.demands import Said, demanded
from dl_bug_lsp.interpretation.entering import arguments_of, declared
from dl_bug_lsp.interpretation.model_helpers import alike
from dl_bug_lsp.interpretation.models import MODELS, Call, Model
from dl_bug_lsp.interpretation.operators import NotPlain, plain
from dl_bug_lsp.interpretation.refusals import Line, refused
from dl_bug_lsp.interpretation.stdlib_models import CONSTANTS
from dl_bug_lsp.interpretation.torch_more import AUTOCAST, under_autocast
from dl_bug_lsp.interpretation.torch_tensors import Stored
from dl_bug_lsp.interpretation.values import (
    UNKNOWN,
    Array,
    BoundMethod,
    ClassValue,
    Deferred,
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
    merged,
    unknown,
)
from dl_bug_lsp.provenance.operators import formatted
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.stack import header_expressions, normal, unparsed
from dl_bug_lsp.workspace import Workspace

MAX_STEPS = 60_000
MAX_MADE = 1_000_000
"""Items of containers and characters of texts that the expressions of a run may make in all."""
MAKING = (
    *(ast.BinOp, ast.Call, ast.Subscript, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
MAX_DEPTH = 40
RESUMED_STEPS = 5_000
"""Steps that following a frame has which the run did not come to."""
MAX_ROUNDS = 3_000
FEW_ROUNDS = 2
FEW_OF_MANY = 16
"""Rounds of a comprehension that are followed where all of them would take too many steps."""
LONG_ROUND = 400
"""Steps of a round from which on a loop is followed for `FEW_ROUNDS` only."""
MAX_WHILE = 200
MAX_YIELDS = 12
"""Items after which a generator that never ends is left."""
EAGER_MODULES = 60
"""Modules of the workspace that are followed where they are imported, later ones where used."""
MAX_MODULES = 160
"""Modules of the workspace that are followed; what others define is unknown."""
MODULE_FIELDS = {"name", "parent"}
"""Fields that every module of Flax has."""
GENERIC = {"list", "dict", "tuple", "set", "frozenset", "type"}
RECORDS = {"NamedTuple", "BaseModel", "flax.linen.Module", "equinox.Module"}
SIZED = (list, tuple, dict, set, str, bytes)
FORWARDS = ("forward", "call", "__call__")
"""Methods that calling an object of a class of a library runs."""
OPENING = ("open", "read_text")
"""Methods of paths; what has them and is not known is taken to be a path."""
EXITS = {"exit", "_exit", "abort", "quit"}
"""Functions that end a process."""
MODEL_ERRORS = (
    *(LookupError, TypeError, ValueError, AttributeError, AssertionError),
    *(ArithmeticError, MemoryError),
)
"""What a model may stumble over where a program hands it what it was not written for."""
BEYOND = re.compile(r"out of (?:range|bounds)")
"""How messages say that an index is beyond what it indexes."""
MAX_SIDES = 3
MOST_BASES = 40
MAX_EVALUATIONS = 50
"""Times that the values of the failing statement's parts are kept."""
RAISING = {
    "key": {"KeyError", "LookupError"},
    "index": {"IndexError", "LookupError"},
    "value": {"ValueError", "ZeroDivisionError", "ArithmeticError"},
    "type": {"TypeError"},
    "attribute": {"AttributeError"},
    "none": {"TypeError", "AttributeError"},
    "file": {"FileNotFoundError", "OSError", "IOError"},
    "name": {"NameError"},
    "size": set[str](),
    "arguments": set[str](),
}
"""The classes of Python that stand for what our models raise."""
OPERATORS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
}
EXPLAINS = {
    "KeyError": {"key", "raised"},
    "IndexError": {"index", "size", "value", "raised"},
    "TypeError": {"type", "none", "arguments", "value", "size", "raised"},
    "AttributeError": {"attribute", "none", "raised"},
    "ZeroDivisionError": {"value", "raised"},
    "FileNotFoundError": {"file", "raised"},
    "NameError": {"name", "raised"},
    "UnboundLocalError": {"name", "raised"},
}
"""What our models call the failures that Python raises as these classes."""
ENUMS = {"enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"}
BUILT_IN_DECORATORS = {"setter", "getter", "deleter"}
REGISTRARS = {
    *("hydra.main", "click.registrar", "typer.registrar"),
    *("click.command", "click.group", "rich_click.command", "rich_click.group"),
}
"""Decorators of libraries that change what calling the function does."""
SAME_MODULES = {"autograd.numpy": "numpy", "cupy": "numpy"}
"""Modules that have the functions of another one under the same names."""
SUPER = "builtins.super()"
TABLES = {"DictConfig", "EasyDict", "AttrDict", "ConfigDict", "AttributeDict", "BatchEncoding"}
"""Classes of libraries whose objects are tables of settings."""


OF_SCALARS = frozenset(
    [*("item", "tolist", "copy", "astype", "dtype", "shape"), *("ndim", "size", "sum", "mean")]
)
"""What NumPy's scalars have and Python's numbers have not."""
RECORDED = {"Namespace", "SimpleNamespace", "DictConfig"}
"""Classes of libraries whose attributes are all known."""


ITEMS = "items of this"
"""Under which name an object keeps what it holds as a ``dict`` or ``list``."""
HOLDING: dict[str, type[dict[Any, Value]] | type[list[Value]]] = {
    **dict.fromkeys(("builtins.dict", "collections.OrderedDict", "collections.UserDict"), dict),
    **dict.fromkeys(("builtins.list", "collections.UserList"), list),
}
"""Classes whose subclasses hold items."""
LACKING = ast.ExceptHandler(ast.Name("Exception", ast.Load()), None, [])
STOPPING = ast.ExceptHandler(ast.Name("StopIteration", ast.Load()), None, [])
"""What catches the end of an iterator."""


EXCEPTIONS = frozenset(
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
)
UNBOUND = tuple(f"builtins.{kind}." for kind in ("dict", "list", "str", "set", "tuple", "object"))
"""How the names of methods begin that are called with their object as the first argument."""


class Exhausted(Exception):
    """The budget of steps, or of what a run may make, is spent."""


class Reached(Exception):
    """The program failed where the failure was seen."""

    def __init__(self, raised: Raised) -> None:
        super().__init__(raised.message)
        self.raised = raised


class _Return(Exception):
    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


class _Break(Exception):
    pass


class _Endless(Exception):
    """A generator has given as many items as are looked at."""


class _Continue(Exception):
    pass


class _Leave(Exception):
    """A ``raise`` of the program itself, or ``sys.exit``."""

    def __init__(self, raised: Raised) -> None:
        super().__init__(raised.message)
        self.raised = raised


@dataclass(slots=True, eq=False)
class Method:
    """A method of a plain value, an array or a library's object, by its name."""

    receiver: Value
    name: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How following a program ended.

    ``raised`` is the failure where it was reproduced; ``elsewhere`` the places at which values did
    not fit our models; ``reached`` whether the failing line was come to; ``complete`` whether the
    budget did. ``agreed`` counts for origins of sizes the other sizes that they were equal to.
    ``operands`` is what the failing expression was made of where the run came to it and none of our
    models saw it fail. ``files_read`` are the text files of the workspace that the program read,
    ``modules`` the Python files that it imported, and ``entered`` the places of the functions that
    it called and of the classes of which it made objects. ``reasons`` says of places why they are
    the cause where what fails comes from them.
    """

    raised: Raised | None
    elsewhere: frozenset[tuple[Origin, str]]
    reached: bool
    complete: bool
    steps: int
    agreed: Mapping[Origin, int] = field(default_factory=dict)
    operands: tuple[Value, ...] = ()
    files_read: tuple[str, ...] = ()
    modules: frozenset[str] = frozenset()
    entered: frozenset[Origin] = frozenset()
    reasons: Mapping[Origin, str] = field(default_factory=dict)


@dataclass(slots=True)
class Reach:
    """How a run came to the failing line: ``alone``, or with frames that were ``resumed``.

    ``guessed_calls`` are calls of what is not known that were taken to be those of the stack.
    """

    guessed_calls: int = 0
    resumed: bool = False
    alone: bool = False


class Interpreter:
    """Follows one run of one program."""

    GUESSES = True
    """Whether what is not known may be taken to be what leads to the failure."""

    def __init__(
        self,
        workspace: Workspace,
        script: str,
        target: Origin,
        arguments: Sequence[Value] | None = None,
        steps: int = MAX_STEPS,
        frames: Iterable[Origin] = (),
        settings: str | None = None,
        reported: Iterable[tuple[int, int]] = (),
        exception: str = "",
        expression: str = "",
        message: str = "",
        printed: Mapping[str, str] | None = None,
        *,
        repeated: bool = False,
    ) -> None:
        """Prepare to run ``script`` up to ``target`` (file, 1-based line).

        ``arguments`` are the words of the command line without the program, None where they are
        not known; ``frames`` the places on the stack, outermost first; ``settings`` the config file
        that a path which is not known means; ``reported`` the pairs of sizes that the failure's
        message says differ; ``exception`` the name of its class and ``expression`` the part of the
        failing line that the traceback underlines, both empty where they are not known; ``message``
        what the exception says; ``printed`` the settings that the log shows, as texts. With
        ``repeated``, cells of a notebook run as often as its execution counts leave room for.
        """
        self.workspace = workspace
        self.script = script
        self.target = target
        self.repeated = repeated
        self.arguments = None if arguments is None else tuple(arguments)
        self.left = self.steps = steps
        self.room = MAX_MADE
        self.settings = settings
        self.printed = printed or {}
        self.files_read: dict[str, None] = {}
        self.exception = exception.rpartition(".")[2]
        self.expression = expression
        self._values: dict[ast.expr, Value] | None = None
        """Where the failing statement is being followed: what its parts came to."""
        self._evaluated: list[tuple[ast.stmt, dict[ast.expr, Value], bool, Environment]] = []
        """What the parts of the failing statement came to, each time that it was followed,
        whether the stack was that of the failure, and the names that it saw."""
        self.order = tuple(frames) or (target,)
        self.frames = frozenset(self.order) | {target}
        self._followed: set[Origin] = set()
        self._repeated: set[tuple[str, int]] = set()
        """The functions that were followed again for a place of the stack that lies in them."""
        self._come_to: set[Origin] = set()
        self.reach = Reach()
        self._frame_lines = _lines_by_file(self.frames)
        # Whether blocks are entered for the places of the stack in them.
        self._entering = False
        self._generators: dict[ast.AST, bool] = {}
        self._functions: dict[Origin, FunctionValue] = {}
        # The places of the functions that were called.
        self._ran: set[Origin] = set()
        self._lineages: dict[int, list[ClassValue]] = {}
        self._instances: dict[Origin, Value] = {}
        """The latest object of each workspace class, by the place of the class."""
        self._written: dict[str, frozenset[str]] = {}
        self.modules: dict[str, Value] = {}
        self.stack: list[Origin] = []
        # The functions that are being followed, with what they were called with.
        self.entered: list[tuple[FunctionValue, dict[str, Value]]] = []
        # The first and last lines of the functions that are being followed.
        self._starts: list[tuple[int, int]] = []
        self.elsewhere: set[tuple[Origin, str]] = set()
        self._guards: list[list[ast.ExceptHandler]] = []
        """The handlers of the ``try`` statements that are being followed."""
        self._tests: list[tuple[ast.expr, Environment]] = []
        """The conditions of the blocks that are being followed."""
        self.message = message
        self.gradients = autograd.recorder(message)
        """What records the graph of tensors, None where the message does not speak of it."""
        # The ``return`` that was followed last.
        self.returned: Origin | None = None
        self._calling: ast.expr | None = None
        """The call of the failing statement that is being made."""
        self.comparisons = arrays.Comparisons(
            frozenset(reported), self.is_failing, bool(BEYOND.search(message))
        )
        builtin_models.load()

    # -- running ---------------------------------------------------------------------------------

    def run(self) -> Outcome:
        """Follow the program; never raises on what the program holds."""
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
                    self.room = max(self.room, MAX_MADE // 4)
                    self._until_end(partial(self._resume, place))
        except Reached as end:
            raised = end.raised
        finally:
            arrays.COMPARISONS.reset(before)
        done = self.steps - self.left
        reached = self.target in self._come_to
        agreed = dict(self.comparisons.agreed)
        operands = self._operands()
        elsewhere = frozenset(self.elsewhere)
        files = tuple(self.files_read)
        entered = frozenset(self._ran | self._instances.keys())
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
        )

    def demanded(self, said: Sequence[Said]) -> Raised | None:
        """Return the failure where what the message says fits values of the failing line.

        It is asked after `run`, where no model saw the line fail.
        """
        before = arrays.COMPARISONS.set(None)
        try:
            done = sorted(self._evaluated, key=lambda item: not item[2])
            return demanded((Line(self, item[0], item[3], item[1]) for item in done), said)
        finally:
            arrays.COMPARISONS.reset(before)

    def _until_end(self, work: Callable[[], object]) -> bool:
        """Do a piece of the run; return whether the budget was enough."""
        self.stack.clear()
        self._starts.clear()
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

    def functions_in(self, file: str) -> list[FunctionValue]:
        """Return the functions of a file whose definitions the run came to."""
        return [_function for _function in self._functions.values() if _function.file == file]

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

    def module(self, file: str, name: str) -> Value:
        """Return a workspace module, run when first asked for."""
        module_value = self.modules.get(file)
        if module_value is not None:
            return module_value
        if len(self.modules) >= MAX_MODULES:
            return Value(UNKNOWN)
        environment = Environment({"__name__": Value(name), "__file__": Value(file)}, None, file)
        module_value = self.modules[file] = Value(ModuleValue(environment))
        tree = self.workspace.tree(file)
        if tree is not None:
            self.stack.append((file, 0))
            try:
                if file.endswith(".ipynb"):
                    self._notebook(file, tree, environment)
                else:
                    self.block(tree.body, environment)
            except (_Return, _Break, _Continue):
                pass
            finally:
                self.stack.pop()
        return module_value

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
            result = self._lookup(node.id, env)
            return result if result is not None else Value(UNKNOWN)
        return Value(UNKNOWN)

    def block(self, statements: Sequence[ast.stmt], env: Environment) -> None:
        """Follow statements one after the other."""
        for statement in statements:
            self.statement(statement, env)

    def statement(self, node: ast.stmt, env: Environment) -> None:
        """Follow a statement; what our models would raise elsewhere leaves things unknown."""
        self._spend(node.lineno)
        outer, self._values = self._values, None
        if self._note(env.file, node) and len(self._evaluated) < MAX_EVALUATIONS:
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
                raise Reached(raised) from None
            if self._guards and any(_catches(handler, raised) for handler in self._guards[-1]):
                raise _Leave(raised) from None
            self.elsewhere.add((place, raised.what))
            if isinstance(node, ast.Return):
                raise _Return(unknown(*raised.sides)) from None
            self._forget(node, env)
        finally:
            self._values = outer

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
            if node.lineno <= line <= _own_end(node):
                self._come_to.add((file, line))
                failing = failing or (file, line) == self.target
        return failing

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

    def is_failing(self) -> bool:
        """Whether the failing expression is being followed."""
        if not self.stack or self.stack[-1] != self.target:
            return False
        if self._calling is None or not self.expression or not self._evaluated:
            return True
        failing = _underlined(self._evaluated[-1][0], self.expression)
        return failing is None or any(node is self._calling for node in ast.walk(failing))

    def _is_failure(self, place: Origin, node: ast.stmt, raised: Raised | None = None) -> bool:
        """Whether an exception at ``place`` may be the failure: in its line or statement."""
        del raised
        file, line = self.target
        if place == self.target:
            return True
        simple = not hasattr(node, "body")
        return place[0] == file and simple and node.lineno <= line <= _last_line(node)

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
                    owner = self._lookup(name.value.id, env)
                    if owner is not None and isinstance(owner.data, Instance):
                        owner.data.attributes[name.attr] = Value(UNKNOWN)

    def _spend(self, line: int) -> None:
        self.left -= 1
        if self.left < 0:
            raise Exhausted
        if self.left % 512 == 0:
            checkpoint()
        if self.stack and line:
            self.stack[-1] = (self.stack[-1][0], line)

    # -- statements ------------------------------------------------------------------------------

    def _do_Expr(self, node: ast.Expr, env: Environment) -> None:
        self.value(node.value, env)

    def _do_Assign(self, node: ast.Assign, env: Environment) -> None:
        value = self.value(node.value, env)
        for target in node.targets:
            self.assign(target, value, env)

    def _do_AnnAssign(self, node: ast.AnnAssign, env: Environment) -> None:
        if node.value is not None:
            self.assign(node.target, self.value(node.value, env), env)

    def _do_AugAssign(self, node: ast.AugAssign, env: Environment) -> None:
        load = ast.copy_location(_loaded(node.target), node.target)
        before, value = self.value(load, env), self.value(node.value, env)
        if isinstance(before.data, list) and isinstance(node.op, ast.Add):
            items = self.iterate(value)
            if isinstance(items, list):
                before.data.extend(items[: operators.MAX_ITEMS - len(before.data)])
                return
        if self.gradients is not None:
            self.gradients.changed(before)
        result = operators.binary(type(node.op), before, value)
        made = self._recorded(type(node.op).__name__, result, before, value)
        self.assign(node.target, made, env)

    def _do_Delete(self, node: ast.Delete, env: Environment) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                env.names.pop(target.id, None)
            elif isinstance(target, ast.Subscript):
                base, key = self.value(target.value, env), self.value(target.slice, env)
                if isinstance(base.data, dict) and isinstance(key.data, operators.PLAIN):
                    base.data.pop(key.data, None)

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
        known = operators.truth(self.value(node.test, env))
        self._tests.append((node.test, env))
        try:
            self._branch(node, env, known)
        finally:
            self._tests.pop()

    def _branch(self, node: ast.If, env: Environment, known: bool | None) -> None:
        if known is not None:
            taken, skipped = (node.body, node.orelse) if known else (node.orelse, node.body)
            if self._entering and (
                self._missed_in(skipped, env) or (_leaves(taken) and self._missed_after(node, env))
            ):
                known = not known
            self.block(node.body if known else node.orelse, env)
            return
        if self._holds(node.orelse, env) and not self._holds(node.body, env):
            self.block(node.orelse, env)
        elif self._holds(node.body, env) or not _leaves(node.body):
            self.block(node.body, env)
        else:
            self.block(node.orelse, env)

    def _holds(self, body: Sequence[ast.stmt], env: Environment) -> bool:
        """Whether a place on the stack lies in a block."""
        if not body:
            return False
        first, last = body[0].lineno, _last_line(body[-1])
        return any(file == env.file and first <= line <= last for file, line in self.frames)

    def _do_For(self, node: ast.For, env: Environment) -> None:
        source = self.value(node.iter, env)
        items = self.iterate(source)
        rounds = items if isinstance(items, list) else [items.item]
        if isinstance(items, Lazy) and items.length.data == 0 and not self._holds(node.body, env):
            rounds = []
        if not rounds:
            self._left_out(node, items.length if isinstance(items, Lazy) else source, env)
        lengths = _lengths_of_lists(env) if len(rounds) > FEW_ROUNDS else {}
        start = self.left
        number = 0
        try:
            for number, item in enumerate(rounds[:MAX_ROUNDS]):
                before = self.left
                self.assign(node.target, item, env)
                with suppress(_Continue):
                    self.block(node.body, env)
                long = before - self.left > LONG_ROUND or self.left < start * 3 // 4
                if number + 1 >= FEW_ROUNDS and long:
                    self._grow(env, lengths, number + 1, len(rounds))
                    self._last_round(node, env)
                    break
        except _Break:
            if isinstance(source.data, OneShot) and isinstance(items, list):
                source.data.extend(items[number + 1 :])
            return
        self.block(node.orelse, env)

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

    def _grow(self, env: Environment, before: Mapping[int, int], done: int, rounds: int) -> None:
        """Lengthen the lists that a loop fills evenly by what its other rounds would add."""
        for items in _lists_of(env):
            added = len(items) - before.get(id(items), len(items))
            if added <= 0 or added % done:
                continue
            each = added // done
            last = items[-each:]
            missing = min(each * (rounds - done), operators.MAX_ITEMS - len(items), self.room)
            items.extend(last[i % each] for i in range(missing))
            self.room -= max(missing, 0)

    _do_AsyncFor = _do_For

    def _do_While(self, node: ast.While, env: Environment) -> None:
        for number in range(MAX_WHILE):
            before = self.left
            known = operators.truth(self.value(node.test, env))
            if known is False or (known is None and number):
                break
            try:
                self.block(node.body, env)
            except _Continue:
                pass
            except _Break:
                return
            yielded = env.names.get("yielded values")
            endless = yielded is not None and isinstance(node.test, ast.Constant)
            if endless and len(_items(yielded)) >= MAX_YIELDS:
                raise _Endless
            if number + 1 >= FEW_ROUNDS and before - self.left > LONG_ROUND:
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
        try:
            self._guards.append(node.handlers)
            try:
                self.block(node.body, env)
            finally:
                self._guards.pop()
            self.block(node.orelse, env)
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
        while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test = test.operand
        parts = [test.left, *test.comparators] if isinstance(test, ast.Compare) else [test]
        # What a value is compared with is seldom wrong where it is written out (``x is None``).
        parts = [part for part in parts if not isinstance(part, ast.Constant)] or parts
        try:
            return tuple(self.value(part, env) for part in parts[:MAX_SIDES])
        except Raised:
            return ()

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
        env.names[node.name] = self._decorated(made, node, env)

    def _decorated(
        self, made: Value, node: ast.FunctionDef | ast.ClassDef, env: Environment
    ) -> Value:
        """Return what the workspace's own decorators make of a function or class.

        Those of libraries mostly hand on what they get.
        """
        for decorator in reversed(node.decorator_list):
            if isinstance(decorator, ast.Attribute) and decorator.attr in BUILT_IN_DECORATORS:
                continue
            try:
                applied = self.value(decorator, env)
                data = applied.data
                is_main = isinstance(data, (Library, LibraryObject)) and data.name in REGISTRARS
                if not is_main and not isinstance(data, (FunctionValue, BoundMethod)):
                    continue
                result = self.call(applied, (made,), {}, (env.file, decorator.lineno))
            except Raised:
                continue
            if is_main or isinstance(result.data, (FunctionValue, BoundMethod, ClassValue)):
                made = result
        return made

    _do_AsyncFunctionDef = _do_FunctionDef

    def _function(self, node: ast.FunctionDef | ast.Lambda, env: Environment) -> Value:
        defaults: dict[str, Value] = {}
        arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        given = arguments.defaults
        for parameter, default in zip(
            positional[len(positional) - len(given) :], given, strict=True
        ):
            defaults[parameter.arg] = self.value(default, env)
        for parameter, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if value is not None:
                defaults[parameter.arg] = self.value(value, env)
        kind = ""
        for decorator in getattr(node, "decorator_list", []):
            name = ast.unparse(decorator).rpartition(".")[2]
            if name in ("property", "cached_property", "staticmethod", "classmethod", "setter"):
                kind = "property" if name == "cached_property" else name
            elif name in ("contextmanager", "asynccontextmanager"):
                kind = "contextmanager"
        owner = env.owner
        function = FunctionValue(node, env, env.file, defaults, owner, kind)
        self._functions[env.file, node.lineno] = function
        return Value(function)

    def _do_ClassDef(self, node: ast.ClassDef, env: Environment) -> None:
        bases = tuple(self.value(b, env) for b in node.bases if not isinstance(b, ast.Starred))
        cls = ClassValue(node.name, node, env.file, bases, {})
        cls.is_dataclass = any(
            "dataclass" in ast.unparse(d) or "attr" in ast.unparse(d) for d in node.decorator_list
        ) or any(isinstance(b.data, ClassValue) and b.data.is_dataclass for b in bases)
        inner = Environment(cls.members, env, env.file, cls)
        self.block(node.body, inner)
        if self._is_enum(cls):
            self._number(cls)
        self._tell_bases(cls, node, env)
        env.names[node.name] = self._decorated(Value(cls), node, env)

    def _tell_bases(self, cls: ClassValue, node: ast.ClassDef, env: Environment) -> None:
        """Call the ``__init_subclass__`` of a new class's bases (PEP 487)."""
        for base in self.lineage(cls)[1:]:
            hook = base.members.get("__init_subclass__")
            if hook is not None and isinstance(hook.data, FunctionValue):
                named = [k for k in node.keywords if k.arg is not None and k.arg != "metaclass"]
                keywords = {str(k.arg): self.value(k.value, env) for k in named}
                self._enter(hook.data, (Value(cls),), keywords)
                return

    def _is_enum(self, cls: ClassValue) -> bool:
        return any(name in ENUMS for name in self.library_bases(cls))

    def _number(self, cls: ClassValue) -> None:
        """Make members of an enumeration out of what its class assigns."""
        for name, value in list(cls.members.items()):
            plain_value = isinstance(value.data, (*operators.PLAIN, tuple, LibraryObject))
            if plain_value and not name.startswith("_"):
                held = value
                if isinstance(value.data, LibraryObject):
                    held = unknown(value)
                named = Value(name, value.origins)
                member = Instance(cls, {"value": held, "name": named, "_value_": held})
                cls.members[name] = Value(member, value.origins)

    def _members_of(self, cls: ClassValue) -> list[Value]:
        """Return the members of an enumeration."""
        return [
            value
            for value in cls.members.values()
            if isinstance(value.data, Instance) and value.data.cls is cls
        ]

    def _member_for(self, cls: ClassValue, given: Value, attribute: str) -> Value | None:
        """Return the member of an enumeration by its value or name, None where it is not known."""
        for value in self._members_of(cls):
            assert isinstance(value.data, Instance)
            if operators.truth(operators.compare(ast.Eq, value.data.attributes[attribute], given)):
                return Value(value.data, merged(value, given))
        return None

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
                    names = module_value.data.environment.names
                    env.names.update({k: v for k, v in names.items() if not k.startswith("_")})
                continue
            env.names[alias.asname or alias.name] = self._from(
                module_value, module, alias.name, env.file
            )

    def _deferred(self, module: str, name: str | None, importer: str) -> Value | None:
        """Return a stand-in for what a module of the workspace gives when it is first used.

        None where the import is followed at once: while few modules are, and for libraries.
        """
        if not self.GUESSES or len(self.modules) < EAGER_MODULES:
            return None
        if self.workspace.module_file(module, importer) is None:
            return None
        return Value(Deferred(module, name, importer))

    def _resolved(self, names: dict[str, Value], name: str) -> Value:
        """Return what a name stands for; a deferred import is followed now."""
        value = names[name]
        data = value.data
        if not isinstance(data, Deferred):
            return value
        names[name] = Value(UNKNOWN)
        try:
            made = self._imported(data.module, data.importer)
            if data.name is not None:
                made = self._from(made, data.module, data.name, data.importer)
        except (_Leave, Raised):
            made = Value(UNKNOWN)
        names[name] = made
        return made

    def _imported(self, module: str, importer: str) -> Value:
        file = self.workspace.module_file(module, importer)
        if file is not None:
            return self.module(file, module.lstrip("."))
        name = module.lstrip(".")
        return Value(Library(SAME_MODULES.get(name, name)))

    def _from(self, module_value: Value, module: str, name: str, importer: str) -> Value:
        if isinstance(module_value.data, ModuleValue):
            names = module_value.data.environment.names
            if name in names:
                return self._resolved(names, name)
            joined = f"{module}{name}" if module.endswith(".") else f"{module}.{name}"
            file = self.workspace.module_file(joined, importer)
            return self.module(file, joined) if file is not None else Value(UNKNOWN)
        if not isinstance(module_value.data, Library):
            return Value(UNKNOWN)
        joined = f"{module}{name}" if module.endswith(".") else f"{module}.{name}"
        file = self.workspace.module_file(joined, importer)
        if file is not None:
            return self.module(file, joined)
        dotted = f"{module_value.data.name}.{name}"
        dotted = SAME_MODULES.get(dotted, dotted)
        return Value(CONSTANTS[dotted] if dotted in CONSTANTS else Library(dotted))

    # -- targets ---------------------------------------------------------------------------------

    def assign(self, target: ast.expr, value: Value, env: Environment) -> None:
        """Bind a target: a name, an attribute, an item, or several."""
        if self.gradients is not None:
            self.gradients.bound(value, (env.file, target.lineno))
        if isinstance(target, ast.Name):
            if isinstance(value.data, Library) and not value.origins:
                value = Value(value.data, frozenset({(env.file, target.lineno)}))
            scope = env
            if f"nonlocal {target.id}" in env.names:
                while scope.outer is not None and (scope is env or target.id not in scope.names):
                    scope = scope.outer
            if f"global {target.id}" in env.names:
                while scope.outer is not None:
                    scope = scope.outer
            scope.names[target.id] = value
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value, env)
            if isinstance(owner.data, Instance):
                self._set(owner, owner.data, target.attr, value, (env.file, target.lineno))
            elif isinstance(owner.data, LibraryObject):
                owner.data.state[target.attr] = value
            elif isinstance(owner.data, ClassValue):
                owner.data.members[target.attr] = value
            elif isinstance(owner.data, Table):
                call = Call(target.attr, (value,), {}, self.stack[-1], owner)
                self.apply(MODELS.methods["table", "__setattr__"], call)
            elif isinstance(owner.data, Stored) and target.attr == "requires_grad":
                owner.data.needs = value.data if isinstance(value.data, bool) else None
            if isinstance(owner.data, Array) and self.gradients is not None:
                place = (env.file, target.lineno)
                sure = not self._tests
                self.gradients.assigned(owner, target.attr, value, place, sure=sure)
            if owner.data is None:
                raise Raised("none", "'NoneType' object has no attribute", owner)
        elif isinstance(target, ast.Subscript):
            self._store(target, value, env)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target.elts, value, env)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value, env)

    def _set(self, owner: Value, data: Instance, name: str, value: Value, place: Origin) -> None:
        """Set an attribute, by a property or ``__setattr__`` of the class where it has one."""
        setter = self.method_of(owner, f"{name} setter")
        if setter is not None:
            self.call(setter, (value,), {}, place)
            return
        member = self._member(data.cls, "__setattr__")
        held = self.held_in(owner) if member is not None else None
        if member is None or len(self.stack) > MAX_DEPTH:
            data.attributes[name] = value
        elif isinstance(member.data, FunctionValue):
            self._enter(member.data, (owner, Value(name), value), {})
        elif held is not None and isinstance(held.data, dict):
            held.data[name] = value

    def _store(self, target: ast.Subscript, value: Value, env: Environment) -> None:
        base, key = self.value(target.value, env), self.value(target.slice, env)
        data = base.data
        if self.gradients is not None:
            self.gradients.changed(base)
        if isinstance(data, Instance):
            setting = self.method_of(base, "__setitem__")
            held = self.held_in(base)
            if setting is not None:
                self.call(setting, (key, value), {}, (env.file, target.lineno))
            elif held is not None and isinstance(held.data, dict):
                with suppress(NotPlain, TypeError):
                    held.data[plain(key)] = value
            return
        if isinstance(data, dict):
            if not isinstance(target.slice, ast.Constant):
                # What made the key counts, too: it may be the wrong one.
                value = Value(value.data, merged(value, key))
            with suppress(NotPlain, TypeError):
                data[operators.key_of(key)] = value
        elif isinstance(data, list) and isinstance(key.data, int):
            if not -len(data) <= key.data < len(data):
                raise Raised("index", "list assignment index out of range", key, base)
            data[key.data] = value
        elif isinstance(data, cells.Series):
            data.cells = data.lowest = data.highest = None
        elif isinstance(data, (LibraryObject, Table)):
            model = MODELS.methods.get((kind_of(base), "__setitem__"))
            if model is not None:
                keys = key.data if isinstance(key.data, tuple) else (key,)
                self.apply(model, Call("__setitem__", (*keys, value), {}, self.stack[-1], base))
        elif data is None:
            raise Raised("none", "'NoneType' object does not support item assignment", base)

    def _unpack(self, targets: Sequence[ast.expr], value: Value, env: Environment) -> None:
        items = self.iterate(value)
        if isinstance(items, Lazy):
            for target in targets:
                self.assign(target, items.item, env)
            return
        star = next((i for i, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
        if star is None:
            if len(items) != len(targets):
                raise Raised("arguments", "wrong number of values to unpack", value)
            for target, item in zip(targets, items, strict=True):
                self.assign(target, item, env)
            return
        after = len(targets) - star - 1
        if len(items) < len(targets) - 1:
            raise Raised("arguments", "not enough values to unpack", value)
        middle = items[star : len(items) - after]
        parts = [*items[:star], Value(list(middle), value.origins), *items[len(items) - after :]]
        for target, item in zip(targets, parts, strict=True):
            self.assign(target, item, env)

    # -- expressions -----------------------------------------------------------------------------

    def value(self, node: ast.expr, env: Environment) -> Value:
        """Return what an expression comes to."""
        self._spend(getattr(node, "lineno", 0) if isinstance(node, ast.Call) else 0)
        method = getattr(self, f"_of_{type(node).__name__}", None)
        if method is None:
            return Value(UNKNOWN)
        result: Value = method(node, env)
        if self._values is not None:
            self._values[node] = result
        if isinstance(node, MAKING) and isinstance(result.data, SIZED):
            self.room -= len(result.data)
            if self.room < 0:
                raise Exhausted
        return result

    def _origin(self, node: ast.expr, env: Environment) -> frozenset[Origin]:
        return frozenset({(env.file, node.lineno)})

    def _of_Constant(self, node: ast.Constant, env: Environment) -> Value:
        if isinstance(node.value, operators.PLAIN) or node.value is Ellipsis:
            return Value(node.value, self._origin(node, env))
        return Value(UNKNOWN)

    def _of_Name(self, node: ast.Name, env: Environment) -> Value:
        value = self._lookup(node.id, env)
        if value is not None:
            return value
        if builtin_models.is_builtin(node.id):
            return Value(Library(f"builtins.{node.id}"))
        if self._binds(node.id, env):
            return Value(UNKNOWN)
        raise Raised("name", f"name '{node.id}' is not defined", Value(node.id))

    def _binds(self, name: str, env: Environment) -> bool:
        """Whether the file writes a name anywhere: then it is ours not to know it."""
        written = self._written.get(env.file)
        if written is None:
            tree = self.workspace.tree(env.file)
            nodes = ast.walk(tree) if tree is not None else ()
            written = self._written[env.file] = frozenset(
                n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            )
        return name in written

    def _lacks(self, module: Environment, name: str) -> bool:
        """Whether a module surely has no member of a name."""
        tree = self.workspace.tree(module.file)
        if tree is None or name.startswith("__") or self._binds(name, module):
            return False
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names):
                source = "." * node.level + (node.module or "")
                if self.workspace.module_file(source, module.file) is None:
                    return False
        words = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        made = "__getattr__" in module.names or words & {"globals", "setattr", "exec", "locals"}
        return not made

    def _lookup(self, name: str, env: Environment) -> Value | None:
        scope: Environment | None = env
        first = True
        while scope is not None:
            # The names of a class are not seen inside its functions.
            if (first or scope.owner is None or scope.names is not scope.owner.members) and (
                name in scope.names
            ):
                return self._resolved(scope.names, name)
            scope, first = scope.outer, False
        return None

    def _of_Attribute(self, node: ast.Attribute, env: Environment) -> Value:
        return self.attribute(self.value(node.value, env), node.attr, (env.file, node.lineno))

    def attribute(self, base: Value, name: str, place: Origin) -> Value:
        """Return ``base.name``; raise where it is known not to be there."""
        data = base.data
        if isinstance(data, Instance):
            return self._of_instance(base, data, name, place)
        if isinstance(data, ModuleValue):
            if name in data.environment.names:
                return self._resolved(data.environment.names, name)
            file = self.workspace.module_file(name, data.environment.file)
            if file is not None:
                return self.module(file, name)
            if self._lacks(data.environment, name):
                raise Raised("attribute", f"module has no attribute '{name}'", Value(name))
            return Value(UNKNOWN)
        if isinstance(data, Library):
            return self._of_library(base, data, name)
        if name == "__doc__" and isinstance(data, (FunctionValue, ClassValue)):
            docstring = _docstring(data.node)
            if docstring is None and isinstance(data, ClassValue):
                return unknown(base)  # Bases, and what makes a class a record, may give it one.
            return Value(docstring, base.origins)
        if name in ("__name__", "__qualname__") and isinstance(data, (FunctionValue, ClassValue)):
            node = data.node
            return Value(getattr(node, "name", "<lambda>"), base.origins)
        if isinstance(data, ClassValue):
            member = self._member(data, name)
            if member is None:
                modelled = self._inherited_model(data, name) is not None
                return Value(Method(base, name), base.origins) if modelled else Value(UNKNOWN)
            if isinstance(member.data, FunctionValue) and member.data.kind == "classmethod":
                return Value(BoundMethod(member.data, base))
            return member
        kind = kind_of(base)
        if isinstance(data, (Array, Table)) and self._is_said_lacking(name):
            raise Raised("attribute", f"the object has no attribute '{name}'", base)
        model = MODELS.attributes.get((kind, name))
        if model is not None:
            return self.apply(model, Call(name, (), {}, place, base))
        if isinstance(data, LibraryObject):
            if name in data.state:
                return data.state[name]
            if name in data.keywords and (kind, name) not in MODELS.methods:
                # Most classes keep what they are made with under its name.
                return data.keywords[name]
            if data.short in RECORDED and (kind, name) not in MODELS.methods and self.is_failing():
                near = difflib.get_close_matches(name, data.state, n=1)
                held = [data.state[n] for n in near] or [base, *data.state.values()]
                raise Raised("attribute", f"no attribute '{name}'", unknown(*held))
            return Value(Method(base, name), base.origins)
        if data is None:
            raise Raised("none", f"'NoneType' object has no attribute '{name}'", base)
        if isinstance(data, Array) and name == "shape" and data.shape is not None:
            return Value(tuple(data.shape), base.origins)
        if isinstance(data, Table):
            if name in data.columns and (kind, name) not in MODELS.methods:
                selecting = MODELS.methods["table", "__getitem__"]
                return self.apply(selecting, Call(name, (Value(name),), {}, place, base))
            return Value(Method(base, name), base.origins)
        if data is UNKNOWN:
            if self._is_said_lacking(name) and "'NoneType'" in self.message:
                raise Raised("none", f"'NoneType' object has no attribute '{name}'", base)
            return unknown(base)
        if (
            isinstance(data, (int, float))
            and name in OF_SCALARS
            and not self._is_said_lacking(name)
        ):
            # A cell of an array is a scalar of NumPy's.
            known = ("int", name) in MODELS.methods
            return Value(Method(base, name), base.origins) if known else unknown(base)
        is_plain = isinstance(data, (*operators.PLAIN, list, tuple, dict, set))
        is_modelled = (kind, name) in MODELS.methods
        if is_plain and not is_modelled and not hasattr(type(data), name):
            raise Raised("attribute", f"'{type(data).__name__}' has no attribute '{name}'", base)
        return Value(Method(base, name), base.origins)

    def _of_library(self, base: Value, data: Library, name: str) -> Value:
        dotted = f"{data.name}.{name}"
        if dotted == "sys.argv":
            return self._argv()
        if dotted in CONSTANTS:
            return Value(CONSTANTS[dotted])
        flag = flag_of(self, name) if data.name == "absl.flags.FLAGS" else None
        return Value(Library(dotted), base.origins) if flag is None else flag

    def _is_said_lacking(self, name: str) -> bool:
        """Whether the message says that an object of the failing line has no such attribute."""
        is_named = self.exception == "AttributeError" and f"attribute '{name}'" in self.message
        return is_named and self.is_failing()

    def _argv(self) -> Value:
        if self.arguments is None:
            return Value(UNKNOWN)
        return Value([Value(self.script), *self.arguments])

    def _of_instance(self, base: Value, data: Instance, name: str, place: Origin) -> Value:
        attribute = data.attributes.get(name)
        if attribute is not None:
            return attribute
        member = self._member(data.cls, name)
        if member is None:
            if name == "__class__":
                return Value(data.cls)
            if name == "__dict__":
                return Value(data.attributes)
            given = self._given_by_name(base, data, name, place)
            if given is not None:
                return given
            if self._has_library_base(data.cls) or self._member(data.cls, "__getattr__"):
                return Value(Method(base, name), base.origins)
            if self._sets(data.cls, name):
                return unknown(base)
            if data.cls.is_dataclass and ("instance", name) in MODELS.methods:
                return Value(Method(base, name), base.origins)
            raise Raised("attribute", f"'{data.cls.name}' object has no attribute '{name}'", base)
        if isinstance(member.data, FunctionValue):
            if member.data.kind == "property":
                return self.call(Value(BoundMethod(member.data, base)), (), {}, place)
            if member.data.kind == "staticmethod":
                return member
            receiver = Value(data.cls) if member.data.kind == "classmethod" else base
            return Value(BoundMethod(member.data, receiver))
        return member

    def _given_by_name(self, base: Value, data: Instance, name: str, place: Origin) -> Value | None:
        """Return what ``__getattr__`` gives for an attribute, None where there is none."""
        member = self._member(data.cls, "__getattr__")
        held = self.held_in(base)
        if member is None or name.startswith("__") or (held and hasattr(type(held.data), name)):
            return None
        if isinstance(member.data, Library) and held is not None:
            # The idiom ``__getattr__ = dict.get``.
            own = member.data.name.rpartition(".")[2]
            return self._call_held(base, held, Call(own, (Value(name),), {}, place, base))
        if not isinstance(member.data, FunctionValue) or len(self.stack) > MAX_DEPTH:
            return None
        self._guards.append([LACKING])
        try:
            return self.call(Value(BoundMethod(member.data, base)), (Value(name),), {}, place)
        except _Leave as end:
            if end.raised.message == "AttributeError":
                message = f"'{data.cls.name}' object has no attribute '{name}'"
                raise Raised("attribute", message, base) from None
            return None
        except Raised:
            return None
        finally:
            self._guards.pop()

    def _sets(self, cls: ClassValue, name: str) -> bool:
        """Whether the class writes an attribute somewhere: then it is ours not to know it."""
        return any(
            isinstance(n, ast.Attribute) and n.attr == name and isinstance(n.ctx, ast.Store)
            for n in ast.walk(cls.node)
        )

    def _member(self, cls: ClassValue, name: str) -> Value | None:
        for base in self.lineage(cls):
            if name in base.members:
                return base.members[name]
        return None

    def lineage(self, cls: ClassValue) -> list[ClassValue]:
        """Return a class and its workspace bases in the order of method resolution.

        Source: "The Python 2.3 Method Resolution Order" (C3).
        """
        known = self._lineages.get(id(cls))
        if known is None:
            self._lineages[id(cls)] = known = [cls]
            bases = [base.data for base in cls.bases if isinstance(base.data, ClassValue)]
            known.extend(_merged_orders([*map(self.lineage, bases), bases])[:MOST_BASES])
        return known

    def held_in(self, value: Value) -> Value | None:
        """Return what an object of a subclass of ``dict`` or ``list`` holds, None of another."""
        data = value.data
        if not isinstance(data, Instance):
            return None
        held = data.attributes.get(ITEMS)
        if held is not None:
            return held
        for base in self.library_bases(data.cls):
            made = HOLDING.get(base)
            if made is not None:
                held = data.attributes[ITEMS] = Value(made(), value.origins)
                return held
        return None

    def _filled(
        self, value: Value, args: tuple[Value, ...], keywords: Mapping[str, Value]
    ) -> Value | None:
        """Fill an object of a subclass of ``dict`` or ``list`` as its base's constructor does."""
        held = self.held_in(value)
        if held is None:
            return None
        name = "update" if isinstance(held.data, dict) else "extend"
        given = tuple(self.held_in(argument) or argument for argument in args)
        if given or keywords:
            call = Call(name, given, keywords, self.stack[-1], held)
            builtin_models.plain_method(self, call)
        return Value(None)

    def has_member(self, value: Value, name: str) -> bool:
        """Whether a class of the program, or one of its bases in the program, has a member."""
        return isinstance(value.data, ClassValue) and self._member(value.data, name) is not None

    def _has_library_base(self, cls: ClassValue) -> bool:
        return any(
            not isinstance(base.data, ClassValue)
            and not (isinstance(base.data, Library) and base.data.name == "builtins.object")
            for item in self.lineage(cls)
            for base in item.bases
        )

    def library_bases(self, cls: ClassValue) -> list[str]:
        """Return the dotted names of the library classes that a class derives from."""
        return [
            base.data.name
            for item in self.lineage(cls)
            for base in item.bases
            if isinstance(base.data, Library)
        ]

    def _of_BinOp(self, node: ast.BinOp, env: Environment) -> Value:
        left, right = self.value(node.left, env), self.value(node.right, env)
        if isinstance(node.op, ast.BitOr) and _is_class(left) and _is_class(right):
            return Value((left, right), merged(left, right))
        self.stack[-1] = (env.file, node.lineno)
        return self._operated(node, left, right, env)

    def _operated(self, node: ast.BinOp, left: Value, right: Value, env: Environment) -> Value:
        """Return what an operator gives for two values."""
        if isinstance(left.data, LibraryObject) and isinstance(node.op, ast.Div):
            model = MODELS.methods.get((left.data.short, "/"))
            if model is not None:
                place = (env.file, node.lineno)
                return self.apply(model, Call("/", (right,), {}, place, left))
        overloaded = self._overloaded(type(node.op), left, right, (env.file, node.lineno))
        if overloaded is not None:
            return overloaded
        result = operators.binary(type(node.op), left, right)
        if self in AUTOCAST:
            result = under_autocast(self, type(node.op).__name__, result)
        return self._recorded(type(node.op).__name__, result, left, right)

    def _overloaded(
        self, kind: type[ast.operator], left: Value, right: Value, place: Origin
    ) -> Value | None:
        """Return what an operator that a workspace class defines gives, None where none does."""
        name = OPERATORS.get(kind)
        for value, other, prefix in ((left, right, ""), (right, left, "r")):
            if name is not None and isinstance(value.data, Instance):
                method = self._member(value.data.cls, f"__{prefix}{name}__")
                if method is not None and isinstance(method.data, FunctionValue):
                    return self.call(Value(BoundMethod(method.data, value)), (other,), {}, place)
        return None

    def _of_UnaryOp(self, node: ast.UnaryOp, env: Environment) -> Value:
        value = self.value(node.operand, env)
        data = value.data
        if isinstance(node.op, ast.Not):
            known = operators.truth(value)
            return unknown(value) if known is None else Value(not known, value.origins)
        if isinstance(data, Array) and data.library == arrays.PYTHON:
            shown = "int64" if data.dtype == "bool" else data.dtype or "float64"
            return arrays.number(shown, value)
        if isinstance(data, Array):
            opposite = cells.inverted(value) if isinstance(node.op, ast.Invert) else None
            if opposite is not None:
                return opposite
            same = Value(Array(data.shape, data.dtype, data.library, data.device), value.origins)
            return self._recorded("USub", same, value)
        if isinstance(data, (int, float)):
            if isinstance(node.op, ast.USub):
                return Value(-data, value.origins)
            if isinstance(node.op, ast.Invert) and isinstance(data, int):
                return Value(~data, value.origins)
            return value
        return unknown(value)

    def _of_BoolOp(self, node: ast.BoolOp, env: Environment) -> Value:
        wanted = isinstance(node.op, ast.Or)
        parts: list[Value] = []
        for expr in node.values:
            value = self.value(expr, env)
            parts.append(value)
            known = operators.truth(value)
            if known is None:
                return unknown(*parts)
            if known is wanted:
                return value
        return parts[-1]

    def _of_Compare(self, node: ast.Compare, env: Environment) -> Value:
        left = self.value(node.left, env)
        verdict: Value | None = Value(True)
        for kind, expr in zip(node.ops, node.comparators, strict=True):
            right = self.value(expr, env)
            verdict = self._is_inside(kind, left, right, (env.file, node.lineno))
            if verdict is None:
                verdict = operators.compare(type(kind), left, right)
            if len(node.ops) > 1 and operators.truth(verdict) is not True:
                return verdict
            left = right
        assert verdict is not None
        return verdict

    def _is_inside(
        self, kind: ast.cmpop, item: Value, container: Value, place: Origin
    ) -> Value | None:
        """Return what ``__contains__`` of a workspace class says, None where there is none."""
        if not isinstance(kind, (ast.In, ast.NotIn)):
            return None
        held = container.data
        if isinstance(held, LibraryObject) and held.short in TABLES and item.known:
            return Value((item.data in held.state) is isinstance(kind, ast.In), container.origins)
        if not isinstance(container.data, Instance):
            return None
        method = self._member(container.data.cls, "__contains__")
        held = self.held_in(container) if method is None else None
        if held is not None:
            return operators.compare(type(kind), item, held)
        if method is None or not isinstance(method.data, FunctionValue):
            return None
        answer = self.call(Value(BoundMethod(method.data, container)), (item,), {}, place)
        known = operators.truth(answer)
        if known is None:
            return unknown(answer)
        return Value(known is isinstance(kind, ast.In), answer.origins)

    def _of_IfExp(self, node: ast.IfExp, env: Environment) -> Value:
        test = self.value(node.test, env)
        known = operators.truth(test)
        if known is not None:
            return self.value(node.body if known else node.orelse, env)
        first = self.value(node.body, env)
        return first if first.known else self.value(node.orelse, env)

    def _of_NamedExpr(self, node: ast.NamedExpr, env: Environment) -> Value:
        value = self.value(node.value, env)
        self.assign(node.target, value, env)
        return value

    def _of_List(self, node: ast.List, env: Environment) -> Value:
        return Value(self._items(node.elts, env))

    def _of_Tuple(self, node: ast.Tuple, env: Environment) -> Value:
        return Value(tuple(self._items(node.elts, env)))

    def _of_Set(self, node: ast.Set, env: Environment) -> Value:
        items = self._items(node.elts, env)
        try:
            return Value({plain(item) for item in items}, merged(*items))
        except (NotPlain, TypeError):
            return unknown(*items)

    def _items(self, elements: Sequence[ast.expr], env: Environment) -> list[Value]:
        collected: list[Value] = []
        for element in elements:
            if isinstance(element, ast.Starred):
                items = self.iterate(self.value(element.value, env))
                collected.extend(items if isinstance(items, list) else [items.item])
            else:
                collected.append(self.value(element, env))
        return collected

    def _of_Dict(self, node: ast.Dict, env: Environment) -> Value:
        entries: dict[Any, Value] = {}
        for key, expr in zip(node.keys, node.values, strict=True):
            value = self.value(expr, env)
            if key is None:
                if not isinstance(value.data, dict):
                    # Any key may be among those that are not known.
                    return unknown(value, *entries.values())
                entries.update(value.data)
                continue
            try:
                entries[operators.key_of(self.value(key, env))] = value
            except (NotPlain, TypeError):
                continue
        return Value(entries)

    def _of_JoinedStr(self, node: ast.JoinedStr, env: Environment) -> Value:
        texts: list[str | None] = []
        parts: list[Value] = []
        for piece in node.values:
            if isinstance(piece, ast.Constant):
                texts.append(str(piece.value))
                continue
            assert isinstance(piece, ast.FormattedValue)
            value = self.value(piece.value, env)
            parts.append(value)
            spec = "" if piece.format_spec is None else self.value(piece.format_spec, env).data
            texts.append(_field(value, spec, piece.conversion))
        if None in texts:
            return unknown(*parts)
        origin = self._origin(node, env)
        text = "".join(filter(None, texts))[: operators.MAX_TEXT]
        return Value(text, merged(Value(None, origin), *parts))

    def _of_Subscript(self, node: ast.Subscript, env: Environment) -> Value:
        base = self.value(node.value, env)
        parts: list[Value] = []
        slices: list[tuple[Value | None, ...] | None] = []
        elements = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for element in elements:
            if isinstance(element, ast.Slice):
                slices.append(self._bounds_of(element, env))
                parts.append(Value(None))
            else:
                slices.append(None)
                parts.append(self.value(element, env))
        self.stack[-1] = (env.file, node.lineno)
        place = (env.file, node.lineno)
        if isinstance(base.data, Instance):
            method = self._member(base.data.cls, "__getitem__")
            if method is not None and isinstance(method.data, FunctionValue):
                return self.call(Value(BoundMethod(method.data, base)), (parts[0],), {}, place)
            held = self.held_in(base)
            if held is not None:
                return self._of_held(base, held, parts, slices)
            if len(parts) == 1 and slices[0] is None and self._is_tuple(base.data.cls):
                return operators.indexed(Value(tuple(base.data.attributes.values())), parts, slices)
            return unknown(base)
        if isinstance(base.data, ClassValue) and self._is_enum(base.data):
            member = self._member_for(base.data, parts[0], "name")
            return unknown(base, *parts) if member is None else member
        if isinstance(base.data, (LibraryObject, Table)):
            model = MODELS.methods.get((kind_of(base), "__getitem__"))
            if model is not None:
                keys = _with_slices(parts, slices, place)
                return self.apply(model, Call("__getitem__", keys, {}, place, base))
            if isinstance(base.data, LibraryObject):
                return unknown(base, *parts)
        if isinstance(base.data, Library) and base.data.name in MODELS.subscripts:
            keys = _with_slices(parts, slices, place)
            call = Call(base.data.name, keys, {}, place, base)
            return self.apply(MODELS.subscripts[base.data.name], call)
        if isinstance(base.data, (Library, ClassValue)):
            # Only types are indexed so (``list[int]``); what else a library has is not known.
            last = base.data.name.rpartition(".")[2]
            is_type = isinstance(base.data, ClassValue) or last[:1].isupper() or last in GENERIC
            return base if is_type else unknown(*parts)
        if isinstance(base.data, cells.Series) and len(parts) == 1:
            known = cells.subscripted(base, parts[0], slices[0], frozenset({place}))
            if known is not None:
                return known
        return self._recorded("__getitem__", operators.indexed(base, parts, slices), base)

    def _bounds_of(self, node: ast.Slice, env: Environment) -> tuple[Value | None, ...]:
        """Return the bounds of a slice; of ``i : i + n`` the length is known without ``i``."""
        given = (node.lower, node.upper, node.step)
        bounds = tuple(None if b is None else self.value(b, env) for b in given)
        lower, upper = node.lower, node.upper
        if lower is None or bounds[0] is None or arrays.size(bounds[0]) is not None:
            return bounds
        if not isinstance(upper, ast.BinOp) or not isinstance(upper.op, ast.Add) or node.step:
            return bounds
        start = ast.dump(lower)
        for same, other in ((upper.left, upper.right), (upper.right, upper.left)):
            if ast.dump(same) == start:
                count = self.value(other, env)
                return operators.Window(bounds, count) if arrays.size(count) else bounds
        return bounds

    def _of_held(
        self,
        base: Value,
        held: Value,
        parts: Sequence[Value],
        slices: Sequence[tuple[Value | None, ...] | None],
    ) -> Value:
        try:
            return operators.indexed(held, parts, slices)
        except Raised as raised:
            missing = self.method_of(base, "__missing__")
            if raised.what != "key" or missing is None:
                raise
            return self.call(missing, tuple(parts), {}, self.stack[-1])

    def _of_Starred(self, node: ast.Starred, env: Environment) -> Value:
        return self.value(node.value, env)

    def _of_Lambda(self, node: ast.Lambda, env: Environment) -> Value:
        return self._function(node, env)

    def _of_Await(self, node: ast.Await, env: Environment) -> Value:
        return self.value(node.value, env)

    def _of_Yield(self, node: ast.Yield, env: Environment) -> Value:
        value = self.value(node.value, env) if node.value is not None else Value(None)
        held = env.names.get("yielded values")
        if held is not None and isinstance(held.data, list) and len(held.data) < MAX_ROUNDS:
            held.data.append(value)
        return Value(UNKNOWN)

    def _of_YieldFrom(self, node: ast.YieldFrom, env: Environment) -> Value:
        items = self.iterate(self.value(node.value, env))
        held = env.names.get("yielded values")
        if held is not None and isinstance(held.data, list):
            held.data.extend(items if isinstance(items, list) else [items.item])
        return Value(UNKNOWN)

    def _of_ListComp(self, node: ast.ListComp | ast.GeneratorExp, env: Environment) -> Value:
        items: list[Value] = []
        lazy = self._generate(
            node.generators, env, lambda inner: items.append(self.value(node.elt, inner))
        )
        if lazy is not None:
            item = alike(items) if len(items) > 1 else items[0] if items else Value(UNKNOWN)
            return Value(Lazy(item, lazy))
        return Value(items)

    def _of_GeneratorExp(self, node: ast.GeneratorExp, env: Environment) -> Value:
        made = self._of_ListComp(node, env)
        if type(made.data) is not list:
            return made
        return Value(OneShot(made.data, (env.file, node.lineno)), made.origins)

    def _of_SetComp(self, node: ast.SetComp, env: Environment) -> Value:
        items: list[Value] = []
        lazy = self._generate(
            node.generators, env, lambda inner: items.append(self.value(node.elt, inner))
        )
        try:
            return (
                unknown(*items)
                if lazy is not None
                else Value({plain(v) for v in items}, merged(*items))
            )
        except (NotPlain, TypeError):
            return unknown(*items)

    def _of_DictComp(self, node: ast.DictComp, env: Environment) -> Value:
        pairs: list[tuple[Value, Value]] = []
        lazy = self._generate(
            node.generators,
            env,
            lambda inner: pairs.append(
                (self.value(node.key, inner), self.value(node.value, inner))
            ),
        )
        try:
            entries = {operators.key_of(key): value for key, value in pairs}
        except (NotPlain, TypeError):
            return unknown(*(value for _, value in pairs))
        return unknown(*entries.values()) if lazy is not None else Value(entries)

    def _generate(
        self, generators: Sequence[ast.comprehension], env: Environment, emit: Any
    ) -> Value | None:
        """Run a comprehension; return its length's value where it iterates something unknown."""
        inner = Environment({}, env, env.file, None)
        if "yielded values" in env.names:
            inner.names["yielded values"] = env.names["yielded values"]
        if not generators:
            emit(inner)
            return None
        first, *rest = generators
        items = self.iterate(self.value(first.iter, env))
        rounds = items if isinstance(items, list) else [items.item]
        lazy = items.length if isinstance(items, Lazy) else None
        start = self.left
        for number, item in enumerate(rounds[:MAX_ROUNDS]):
            cost = (start - self.left) // max(number, 1)
            if number == FEW_OF_MANY and cost * len(rounds) > self.left // 2:
                # The rounds are alike: some stand for those that there are no steps for.
                return Value(UNKNOWN if first.ifs or rest else len(rounds))
            self.assign(first.target, item, inner)
            tests = [operators.truth(self.value(test, inner)) for test in first.ifs]
            if any(known is False for known in tests):
                continue
            if any(known is None for known in tests):
                lazy = Value(UNKNOWN)
            deeper = self._generate(rest, inner, emit)
            if deeper is not None:
                lazy = Value(UNKNOWN)
        return lazy

    # -- calls -----------------------------------------------------------------------------------

    def _of_Call(self, node: ast.Call, env: Environment) -> Value:
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            return self._super(env)
        callee = self.value(node.func, env)
        args: list[Value] = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                items = self.iterate(self.value(argument.value, env))
                if isinstance(items, Lazy):
                    missing = self._missing(callee, len(args), node)
                    if missing is None:
                        return self._not_followed(callee, (items.item,))
                    args.extend(items.item for _ in range(missing))
                else:
                    args.extend(items)
            else:
                args.append(self.value(argument, env))
        keywords: dict[str, Value] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value, env)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance((held := self.held_in(value) or value).data, dict):
                keywords.update({str(k): v for k, v in held.data.items()})
            elif isinstance(value.data, LibraryObject) and value.data.short in TABLES:
                keywords.update(value.data.state)
            else:
                return self._not_followed(callee, (value, *args))
        self.stack[-1] = (env.file, node.lineno)
        self._calling = node if self._values is not None else None
        if isinstance(callee.data, Library) and callee.data.name in (
            "builtins.locals",
            "builtins.vars",
        ):
            return self._names(callee.data.name, args, env)
        if isinstance(callee.data, Library) and callee.data.name == "builtins.globals":
            return Value(_module_of(env).names)
        if isinstance(callee.data, Library) and callee.data.name == "builtins.exec" and args:
            return self._exec(args, env)
        if callee.data is UNKNOWN and self.GUESSES:
            if isinstance(node.func, ast.Attribute) and node.func.attr in OPENING:
                path = Method(Value(UNKNOWN, callee.origins), node.func.attr)
                return self._call_method(path, tuple(args), keywords, (env.file, node.lineno))
            entered = self._call_unknown(tuple(args), keywords, node, env.file)
            if entered is not None:
                return entered
        return self.call(callee, tuple(args), keywords, (env.file, node.lineno))

    def _exec(self, args: Sequence[Value], env: Environment) -> Value:
        """Follow the text of a workspace file that ``exec`` is given, in the scope of the call.

        Another dictionary as its scope gets the names; any other text is left out.
        """
        text, given = args[0], args[1].data if len(args) > 1 else None
        files = {file for file, _ in text.origins}
        file = next((f for f in files if self.workspace.text(f) == text.data), None)
        tree = self._executed(file) if file is not None else None
        if file is None or tree is None or len(self.stack) > MAX_DEPTH:
            return Value(None)
        names = given if isinstance(given, dict) else env.names
        outer = None if isinstance(given, dict) else env.outer
        self.stack.append((file, 0))
        try:
            self.block(tree.body, Environment(names, outer, file, None))
        finally:
            self.stack.pop()
        return Value(None)

    def _executed(self, file: str) -> ast.Module | None:
        """Return a file's statements, of one that is not named as Python, too."""
        tree = self.workspace.tree(file)
        if tree is None and not file.endswith(".py"):
            with suppress(SyntaxError, ValueError, RecursionError):
                tree = ast.parse(self.workspace.text(file) or "")
        return tree

    def _missing(self, callee: Value, given: int, node: ast.Call) -> int | None:
        """Return how many more positional arguments a function needs, None where not known."""
        data = callee.data
        receivers = 0
        if isinstance(data, BoundMethod):
            data, receivers = data.function, 1
        elif isinstance(data, ClassValue):
            start = self._member(data, "__init__")
            data, receivers = None if start is None else start.data, 1
        elif isinstance(data, Instance):
            members = (self._member(data.cls, name) for name in FORWARDS)
            start = next((member for member in members if member is not None), None)
            data, receivers = None if start is None else start.data, 1
        if not isinstance(data, FunctionValue):
            return None
        arguments = data.node.args
        names = [p.arg for p in (*arguments.posonlyargs, *arguments.args)][given + receivers :]
        named = {keyword.arg for keyword in node.keywords}
        return sum(name not in data.defaults and name not in named for name in names)

    def _not_followed(self, callee: Value, parts: Sequence[Value]) -> Value:
        """Return what a call gives whose arguments are not known one by one."""
        del callee
        return unknown(*parts)

    def _names(self, name: str, args: Sequence[Value], env: Environment) -> Value:
        if args and isinstance(args[0].data, LibraryObject):
            return Value(dict(args[0].data.state), args[0].origins)
        if args and isinstance(args[0].data, Instance):
            return Value(dict(args[0].data.attributes))
        return Value(UNKNOWN) if args else Value(dict(env.names))

    def _super(self, env: Environment) -> Value:
        scope: Environment | None = env
        while scope is not None:
            receiver = scope.names.get("self", scope.names.get("cls"))
            owner = scope.owner
            if receiver is not None and owner is not None:
                state = {"self": receiver, "owner": Value(owner)}
                return Value(LibraryObject(SUPER, (), {}, (env.file, 0), state))
            scope = scope.outer
        return Value(UNKNOWN)

    def apply(self, model: Model, call: Call) -> Value:
        """Return what a model gives; unknown where it does not cope with what it was given."""
        if self.gradients is not None:
            self.gradients.check(self.stack, call)
        if model not in MODELS.numeric:
            call = _without_numbers(call)
        try:
            result = model(self, call)
        except MODEL_ERRORS:
            return call.unknown()
        if self in AUTOCAST:
            result = under_autocast(self, call.name, result)
        if self.gradients is None:
            return result
        return self.gradients.called(self.stack, call, result)

    def _recorded(self, name: str, result: Value, *parts: Value) -> Value:
        """Record in the graph of tensors what an operator gives."""
        if self.gradients is None:
            return result
        return self.gradients.made(name, parts, result, self.stack)

    def call(
        self, callee: Value, args: tuple[Value, ...], keywords: Mapping[str, Value], place: Origin
    ) -> Value:
        """Return what a call gives; raise where it is known to fail."""
        data = callee.data
        if isinstance(data, FunctionValue):
            if data.kind == "command":
                return run_command(self, data, Call("command", args, keywords, place))
            return self._enter(data, args, keywords)
        if isinstance(data, BoundMethod):
            return self._enter(data.function, (data.receiver, *args), keywords)
        if isinstance(data, ClassValue):
            return self._instance(data, args, keywords, place)
        if isinstance(data, Instance):
            return self._call_instance(callee, data, args, keywords, place)
        if isinstance(data, Method):
            return self._call_method(data, args, keywords, place)
        if isinstance(data, Library):
            return self._call_library(data.name, args, keywords, place)
        if isinstance(data, LibraryObject):
            model = find_model(MODELS.objects, data.name)
            call = Call(data.name, args, keywords, place, callee)
            return self.apply(model, call) if model is not None else self._not_modelled(call)
        if data is None:
            raise Raised("none", "'NoneType' object is not callable", callee)
        if isinstance(data, (*operators.PLAIN, list, tuple, dict, set, Array, Table)):
            raise Raised("type", "object is not callable", callee)
        return unknown(callee, *args, *keywords.values())

    def _call_library(
        self, name: str, args: tuple[Value, ...], keywords: Mapping[str, Value], place: Origin
    ) -> Value:
        call = Call(name, args, keywords, place)
        model = find_model(MODELS.functions, name)
        if model is not None:
            return self.apply(model, call)
        last = name.rpartition(".")[2]
        if last in EXCEPTIONS and name == f"builtins.{last}":
            state = {"args": Value(args, merged(*args))}
            return Value(LibraryObject(name, args, dict(keywords), place, state), merged(*args))
        if args and name.startswith(UNBOUND) and name.count(".") == 2:
            if isinstance(args[0].data, Instance) and last == "__setattr__" and len(args) == 3:
                if isinstance(args[1].data, str):
                    args[0].data.attributes[args[1].data] = args[2]
                return Value(None)
            held = self.held_in(args[0])
            if held is not None:
                return self._call_held(args[0], held, Call(last, args[1:], keywords, place))
            return self._call_method(Method(args[0], last), args[1:], keywords, place)
        if last in ("__init__", "__init_subclass__", "__post_init__"):
            return Value(None)
        if last[:1].isupper() and name.partition(".")[0] != "builtins":
            return Value(LibraryObject(name, args, dict(keywords), place), merged(*args))
        return self._not_modelled(call)

    def _call_method(
        self, method: Method, args: tuple[Value, ...], keywords: Mapping[str, Value], place: Origin
    ) -> Value:
        receiver, name = method.receiver, method.name
        if isinstance(receiver.data, LibraryObject) and receiver.data.name == SUPER:
            return self._call_super(receiver.data, name, args, keywords, place)
        call = Call(name, args, keywords, place, receiver)
        model = MODELS.methods.get((kind_of(receiver), name))
        if model is not None:
            return self.apply(model, call)
        if isinstance(receiver.data, (Instance, ClassValue)):
            cls = receiver.data.cls if isinstance(receiver.data, Instance) else receiver.data
            model = self._inherited_model(cls, name)
            held = self.held_in(receiver) if model is None else None
            if held is not None and hasattr(type(held.data), name):
                return self._call_held(receiver, held, call)
            return self._not_modelled(call) if model is None else self.apply(model, call)
        if receiver.data is UNKNOWN and name in OPENING and self.GUESSES:
            return self.apply(MODELS.methods["Path", name], call)
        if isinstance(receiver.data, LibraryObject) or receiver.data is UNKNOWN:
            return self._not_modelled(call)
        return builtin_models.plain_method(self, call)

    def _call_held(self, receiver: Value, held: Value, call: Call) -> Value:
        """Return what a method of ``dict`` or ``list`` gives for an object of a subclass."""
        args = tuple(self.held_in(argument) or argument for argument in call.args)
        if call.name == "__init__":
            return self._filled(receiver, args, call.keywords) or Value(None)
        if call.name == "__getitem__" and args:
            return self._of_held(receiver, held, args[:1], [None])
        if call.name == "__contains__" and args:
            return operators.compare(ast.In, args[0], held)
        if call.name == "__len__":
            return Value(len(held.data), receiver.origins) if isinstance(held.data, SIZED) else held
        if call.name == "__setitem__" and len(args) == 2:
            if isinstance(held.data, dict):
                with suppress(NotPlain, TypeError):
                    held.data[plain(args[0])] = args[1]
            return Value(None)
        asked = Call(call.name, args, call.keywords, call.place, held)
        return builtin_models.plain_method(self, asked)

    def _inherited_model(self, cls: ClassValue, name: str) -> Model | None:
        """Return the model of a method that a class has from a library's."""
        for base in self.library_bases(cls):
            model = MODELS.methods.get((base.rpartition(".")[2], name))
            if model is not None:
                return model
        return MODELS.methods.get(("instance", name)) if cls.is_dataclass else None

    def latest_of(self, cls: ClassValue) -> Value | None:
        """Return the object of a class of the program that was made last, None without one."""
        return self._instances.get((cls.file, cls.node.lineno))

    def method_of(self, value: Value, name: str) -> Value | None:
        """Return a method that a class of the program defines, None where it does not."""
        if not isinstance(value.data, Instance):
            return None
        member = self._member(value.data.cls, name)
        if member is None or not isinstance(member.data, FunctionValue):
            return None
        return Value(BoundMethod(member.data, value), value.origins)

    def most_arguments(self, callee: Value) -> int:
        """Return how many positional arguments a function of the program takes at most."""
        data, receivers = callee.data, 0
        if isinstance(data, BoundMethod):
            data, receivers = data.function, 1
        if not isinstance(data, FunctionValue):
            return MAX_DEPTH
        arguments = data.node.args
        if arguments.vararg is not None:
            return MAX_DEPTH
        return len(arguments.posonlyargs) + len(arguments.args) - receivers

    def called_back(self, call: Call) -> Value:
        """Return what a call of a library gives that may call the program back."""
        return self._not_modelled(call)

    def _not_modelled(self, call: Call) -> Value:
        """Follow the stack through a library that calls the program back; its result is unknown."""
        if self.gradients is not None:
            self.gradients.check(self.stack, call)
        own_place = self.stack[-1] if self.stack else call.place
        at = next((i for i, place in enumerate(self.order[:-1]) if place == own_place), None)
        if at is not None and own_place not in self._followed:
            self._followed.add(own_place)
            following = self.order[at + 1]
            given = [*call.args, *call.keywords.values()]
            given.extend([call.receiver] if call.receiver is not None else [])
            output = self._function_around(following, given)
            if output is not None:
                function, receiver = output
                self._enter(function, self._arguments_for(function, receiver, given), {})
        return call.unknown()

    def _function_around(
        self, place: Origin, given: Sequence[Value]
    ) -> tuple[FunctionValue, Value | None] | None:
        """Return the function among the given values and their methods that holds a place."""
        queue = list(given)
        for value in queue[:60]:
            data = value.data
            if isinstance(data, LibraryObject):
                queue.extend((*data.args, *data.keywords.values(), *data.state.values()))
            elif isinstance(data, (list, tuple)):
                queue.extend(data[:10])
            elif isinstance(data, (FunctionValue, BoundMethod)):
                bound = isinstance(data, BoundMethod)
                function = data.function if isinstance(data, BoundMethod) else data
                if _is_around(function, place):
                    return function, data.receiver if bound else None  # type: ignore[union-attr]
            elif isinstance(data, Instance):
                for cls in self.lineage(data.cls):
                    for member in cls.members.values():
                        if isinstance(member.data, FunctionValue) and _is_around(
                            member.data, place
                        ):
                            return member.data, value
        return None

    def _arguments_for(
        self, function: FunctionValue, receiver: Value | None, given: Sequence[Value]
    ) -> tuple[Value, ...]:
        """Return what a library may call a function with: a batch of its data first."""
        parameters = [*function.node.args.posonlyargs, *function.node.args.args]
        arguments = [] if receiver is None else [receiver]
        needed = parameters[len(arguments) : len(parameters) - len(function.node.args.defaults)]
        for number, parameter in enumerate(needed):
            if parameter.arg.endswith(("idx", "index", "step")):
                arguments.append(Value(0))
            else:
                arguments.append(self._batch(given) if number == 0 else Value(UNKNOWN))
        return tuple(arguments)

    def _batch(self, given: Sequence[Value]) -> Value:
        """Return a batch of the first loader that a library was given, unknown without one."""
        for value in given:
            data = value.data
            loader = value if isinstance(data, LibraryObject) and "Loader" in data.short else None
            if isinstance(data, Instance):
                method = self._member(data.cls, "train_dataloader")
                if method is not None and isinstance(method.data, FunctionValue):
                    setup = self._member(data.cls, "setup")
                    if setup is not None and isinstance(setup.data, FunctionValue):
                        self._enter(setup.data, (value, Value("fit")), {})
                    loader = self._enter(method.data, (value,), {})
            if loader is not None:
                items = self.iterate(loader)
                if isinstance(items, Lazy):
                    return items.item
                return items[0] if items else Value(UNKNOWN)
        return Value(UNKNOWN)

    def _call_super(
        self,
        proxy: LibraryObject,
        name: str,
        args: tuple[Value, ...],
        keywords: Mapping[str, Value],
        place: Origin,
    ) -> Value:
        owner, receiver = proxy.state["owner"].data, proxy.state["self"]
        assert isinstance(owner, ClassValue)
        own = receiver.data.cls if isinstance(receiver.data, Instance) else receiver.data
        order = self.lineage(own if isinstance(own, ClassValue) else owner)
        if owner not in order:
            order = self.lineage(owner)
        for base in order[order.index(owner) + 1 :]:
            member = base.members.get(name)
            if member is not None and isinstance(member.data, FunctionValue):
                return self._enter(member.data, (receiver, *args), keywords)
        for library in self.library_bases(owner):
            model = MODELS.methods.get((library.rpartition(".")[2], name))
            if model is not None:
                return self.apply(model, Call(name, args, keywords, place, receiver))
        if name == "__setattr__" and len(args) == 2 and isinstance(receiver.data, Instance):
            if isinstance(args[0].data, str):
                receiver.data.attributes[args[0].data] = args[1]
            return Value(None)
        held = self.held_in(receiver)
        if held is not None and hasattr(type(held.data), name):
            return self._call_held(receiver, held, Call(name, args, keywords, place, receiver))
        return Value(None) if name.startswith("__init") else unknown(receiver, *args)

    def _call_instance(
        self,
        callee: Value,
        data: Instance,
        args: tuple[Value, ...],
        keywords: Mapping[str, Value],
        place: Origin,
    ) -> Value:
        own = self._member(data.cls, "__call__")
        # A ``forward`` of the program takes the place of its base's.
        inherits = own is None and self._member(data.cls, "forward") is None
        for base in self.library_bases(data.cls) if inherits else ():
            model = find_model(MODELS.objects, base)
            if model is not None:
                return self.apply(model, Call(base, args, keywords, place, callee))
        names = FORWARDS if own is None else ("__call__",)
        for name in names:
            member = self._member(data.cls, name)
            if member is not None and isinstance(member.data, FunctionValue):
                given = {k: v for k, v in keywords.items() if k != "training" or own is not None}
                if self.gradients is None:
                    return self._enter(member.data, (callee, *args), given)
                self.gradients.forwards.append(len(self.stack))
                try:
                    return self._enter(member.data, (callee, *args), given)
                finally:
                    self.gradients.forwards.pop()
        return unknown(callee, *args)

    def _instance(
        self,
        cls: ClassValue,
        args: tuple[Value, ...],
        keywords: Mapping[str, Value],
        place: Origin,
    ) -> Value:
        if self._is_enum(cls) and args:
            member = self._member_for(cls, args[0], "value")
            return unknown(*args) if member is None else member
        made = Value(Instance(cls))
        self._instances[cls.file, cls.node.lineno] = made
        start = self._member(cls, "__init__")
        if start is not None and isinstance(start.data, FunctionValue):
            self._enter(start.data, (made, *args), keywords)
            return made
        if cls.is_dataclass or self._is_record(cls):
            self._fill(made, cls, args, keywords, place)
            return made
        if self._filled(made, args, keywords) is not None:
            return made
        for base in self.library_bases(cls):
            model = find_model(MODELS.functions, base)
            if model is not None:
                built = self.apply(model, Call(base, args, keywords, place))
                if isinstance(built.data, LibraryObject) and isinstance(made.data, Instance):
                    made.data.attributes.update(built.data.state)
                break
        return made

    def _is_record(self, cls: ClassValue) -> bool:
        """Whether a library makes the class's annotations the parameters of its constructor."""
        bases = self.library_bases(cls)
        return any(b in RECORDS or b.rpartition(".")[2] in RECORDS for b in bases)

    def _fill(
        self,
        made: Value,
        cls: ClassValue,
        args: tuple[Value, ...],
        keywords: Mapping[str, Value],
        place: Origin,
    ) -> None:
        """Set the fields of a dataclass (PEP 557)."""
        assert isinstance(made.data, Instance)
        fields: dict[str, Value | None] = {}
        for base in reversed(self.lineage(cls)):
            for statement in base.node.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    name = statement.target.id
                    fields[name] = base.members.get(name)
        names = list(fields)
        if len(args) > len(names):
            raise Raised("arguments", "too many arguments", *args)
        given = dict(zip(names, args, strict=False))
        for name, value in keywords.items():
            if name in MODULE_FIELDS and name not in fields and self._has_library_base(cls):
                made.data.attributes[name] = value
                continue
            if name not in fields:
                raise Raised("arguments", f"unexpected keyword argument '{name}'", Value(name))
            given[name] = value
        for name, default in fields.items():
            field = given.get(name, default)
            if field is None:
                raise Raised("arguments", f"missing argument '{name}'", Value(name))
            made.data.attributes[name] = self._default(field)
        after = self._member(cls, "__post_init__")
        if after is not None and isinstance(after.data, FunctionValue):
            self._enter(after.data, (made,), {})

    def record(self, cls: ClassValue, fields: Mapping[str, Value], place: Origin) -> Value:
        """Return an object of a dataclass with its fields, the others as the class says."""
        made = Value(Instance(cls, dict(fields)))
        assert isinstance(made.data, Instance)
        for base in self.lineage(cls):
            for statement in base.node.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    name = statement.target.id
                    if name not in made.data.attributes and name in base.members:
                        made.data.attributes[name] = self._default(base.members[name])
        self._instances[cls.file, cls.node.lineno] = made
        return made

    def _default(self, value: Value) -> Value:
        data = value.data
        if isinstance(data, LibraryObject) and data.short in ("field", "Field"):
            if "default" in data.keywords:
                return data.keywords["default"]
            factory = data.keywords.get("default_factory")
            return self.call(factory, (), {}, data.made) if factory is not None else Value(UNKNOWN)
        return value

    def enter(
        self, function: FunctionValue, args: tuple[Value, ...], keywords: Mapping[str, Value]
    ) -> Value:
        """Return what the body of a function of the program comes to."""
        return self._enter(function, args, keywords)

    def _enter(
        self, function: FunctionValue, args: tuple[Value, ...], keywords: Mapping[str, Value]
    ) -> Value:
        """Run a function's body with its parameters bound."""
        if len(self.stack) > MAX_DEPTH:
            return unknown(*args)
        node = function.node
        self._ran.add((function.file, node.lineno))
        names = self._bound(function, args, keywords)
        env = Environment(names, function.closure, function.file, function.owner)
        if isinstance(node, ast.Lambda):
            self.stack.append((function.file, node.lineno))
            try:
                return self.value(node.body, env)
            finally:
                self.stack.pop()
        yields = self._is_generator(node)
        if yields:
            names["yielded values"] = Value([])
        self.stack.append((function.file, node.lineno))
        self._starts.append((node.lineno, _last_line(node)))
        self.entered.append((function, dict(names)))
        endless = False
        given = _iterators((*args, *keywords.values()))
        try:
            try:
                returned = self._body(node, env)
            except _Endless:
                returned, endless = None, True
            if self._must_repeat(env, (function.file, node.lineno)):
                # The run did come to a place in here: it took the blocks that lead there.
                _give_back(given)
                names.clear()
                names.update(self._bound(function, args, keywords))
                if yields:
                    names["yielded values"] = Value([])
                self._entering, before = True, self._entering
                try:
                    returned = self._body(node, env)
                finally:
                    self._entering = before
            if returned is not None and not yields:
                return returned
        finally:
            self._starts.pop()
            self.entered.pop()
            self.stack.pop()
        if function.kind == "contextmanager":
            entered = names["yielded values"].data if yields else None
            return entered[0] if isinstance(entered, list) and entered else Value(UNKNOWN)
        if endless:
            items = _items(names["yielded values"])
            return Value(Lazy(alike(items), Value(UNKNOWN)), merged(*items))
        if not yields:
            return Value(None, _ends_of(function))
        caller = self.stack[-1] if self.stack else None
        return Value(OneShot(_items(names["yielded values"]), caller))

    def _is_generator(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        yields = self._generators.get(node)
        if yields is None:
            yields = self._generators[node] = _yields(node)
        return yields

    def _body(self, node: ast.FunctionDef | ast.AsyncFunctionDef, env: Environment) -> Value | None:
        """Follow a function's body; return what it returns, None where its end is come to."""
        switched = 0
        if self.gradients is not None:
            for decorator in node.decorator_list:
                mode = self._grad_mode(decorator, env)
                switched += self.gradients.enter(mode, (env.file, decorator.lineno))
        try:
            self.block(node.body, env)
        except _Return as end:
            return end.value
        finally:
            for _ in range(switched):
                assert self.gradients is not None
                self.gradients.leave()
        return None

    def _grad_mode(self, decorator: ast.expr, env: Environment) -> Value:
        """Return what a decorator stands for in the scope around its function."""
        try:
            mode = self.value(decorator, env.outer or env)
        except Raised:
            return Value(UNKNOWN)
        if isinstance(mode.data, Library):
            return Value(LibraryObject(mode.data.name, (), {}, (env.file, decorator.lineno)))
        return mode

    def _must_repeat(self, env: Environment, function: Origin) -> bool:
        """Whether a function that the stack leads to missed its place of the stack."""
        if not self.GUESSES or self._entering or function in self._repeated:
            return False
        if len(self.stack) < 2 or self.stack[-2] not in self.frames:
            return False
        place = self._missed(env)
        if place is None:
            return False
        at = self.order.index(place)
        if not at or self.order[at - 1] != self.stack[-2]:
            return False
        self._repeated.add(function)
        return True

    def _bound(
        self, function: FunctionValue, args: tuple[Value, ...], keywords: Mapping[str, Value]
    ) -> dict[str, Value]:
        arguments = function.node.args
        positional = [p.arg for p in (*arguments.posonlyargs, *arguments.args)]
        only = [p.arg for p in arguments.kwonlyargs]
        names = dict(zip(positional, args, strict=False))
        rest = args[len(positional) :]
        if arguments.vararg is not None:
            names[arguments.vararg.arg] = Value(tuple(rest))
        elif rest:
            raise Raised("arguments", "too many positional arguments", *rest)
        extra: dict[str, Value] = {}
        for name, value in keywords.items():
            if name in positional or name in only:
                names[name] = value
            elif arguments.kwarg is not None:
                extra[name] = value
            else:
                raise Raised(
                    "arguments", f"unexpected keyword argument '{name}'", Value(name), value
                )
        if arguments.kwarg is not None:
            names[arguments.kwarg.arg] = Value(dict(extra))
        for name in (*positional, *only):
            if name not in names:
                default = function.defaults.get(name)
                if default is None:
                    raise Raised("arguments", f"missing argument '{name}'", Value(name))
                names[name] = declared(default)
        return names

    # -- iterating -------------------------------------------------------------------------------

    def iterate(self, value: Value) -> list[Value] | Lazy:
        """Return the items that iterating gives, or a `Lazy` where they are not all known."""
        data = value.data
        if isinstance(data, OneShot):
            return self._used_up(value, data)
        if isinstance(data, (list, tuple)):
            return list(data)
        if isinstance(data, dict):
            return [operators.value_of(key, value.origins) for key in data]
        if isinstance(data, set):
            return [operators.value_of(item, value.origins) for item in sorted(data, key=repr)]
        if isinstance(data, str):
            return [Value(letter, value.origins) for letter in data[:MAX_ROUNDS]]
        if isinstance(data, Lazy):
            return data
        if isinstance(data, Array) and data.library == arrays.PYTHON:
            return Lazy(unknown(value), Value(UNKNOWN))
        if isinstance(data, Array):
            model = MODELS.methods.get(("array", "__iter__"))
            if model is not None:
                cells = self.apply(model, Call("__iter__", (), {}, self.stack[-1], value))
                if isinstance(cells.data, list):
                    return list(cells.data)
            if data.shape is None:
                return Lazy(Value(Array(None, data.dtype, data.library)), Value(UNKNOWN))
            if not data.shape:
                raise Raised("type", "iteration over a 0-d array", value)
            item = Array(
                data.shape[1:], data.dtype, data.library, data.device, data.lowest, data.highest
            )
            each = self._recorded("__iter__", Value(item, value.origins), value)
            return Lazy(each, data.shape[0])
        if isinstance(data, Table):
            return [Value(name, value.origins) for name in data.columns]
        if isinstance(data, LibraryObject):
            model = MODELS.methods.get((data.short, "__iter__"))
            if model is not None:
                call = Call("__iter__", (), {}, data.made, value)
                return self.iterate(self.apply(model, call))
            return Lazy(unknown(value), Value(UNKNOWN))
        if isinstance(data, Instance):
            return self._iterate_instance(value, data)
        if isinstance(data, ClassValue) and self._is_enum(data):
            return self._members_of(data)
        if data is None:
            raise Raised("none", "'NoneType' object is not iterable", value)
        if isinstance(data, (int, float, bool)):
            raise Raised("type", f"'{type(data).__name__}' object is not iterable", value)
        return Lazy(unknown(value), Value(UNKNOWN))

    def _used_up(self, value: Value, data: OneShot) -> list[Value]:
        """Take what an iterator has left; one that has nothing left comes from where it was made.

        The first place that iterated over it is where a new one was to be made.
        """
        items = list(data)
        place = self.stack[-1] if self.stack else None
        if items:
            data.clear()
            data.used = place
        elif data.used is not None and data.made is not None:
            why = f"what is made here can be iterated over once, and line {data.used[1]} did"
            arrays.note_reason(data.made, why)
            value.origins = frozenset({data.made})
        return items

    def _drained(self, following: Value) -> list[Value] | Lazy:
        """Return what calls of ``__next__`` give until it says that there is no more."""
        drained: list[Value] = []
        start = self.left
        self._guards.append([STOPPING])
        try:
            while len(drained) < MAX_WHILE and start - self.left <= LONG_ROUND:
                drained.append(self.call(following, (), {}, self.stack[-1]))
        except _Leave as end:
            if end.raised.message == "StopIteration":
                return drained
            raise
        finally:
            self._guards.pop()
        return Lazy(alike(drained), Value(UNKNOWN))

    def _is_tuple(self, cls: ClassValue) -> bool:
        """Whether the objects of a class are tuples with names."""
        return any(base.rpartition(".")[2] == "NamedTuple" for base in self.library_bases(cls))

    def _iterate_instance(self, value: Value, data: Instance) -> list[Value] | Lazy:
        if self._is_tuple(data.cls):
            return list(data.attributes.values())
        method = self._member(data.cls, "__iter__")
        if method is not None and isinstance(method.data, FunctionValue):
            given = self._enter(method.data, (value,), {})
            following = self.method_of(given, "__next__")
            if following is not None:
                return self._drained(following)
            if given.data is data:
                return Lazy(unknown(value), Value(UNKNOWN))
            return self.iterate(given)
        held = self.held_in(value)
        if held is not None:
            return self.iterate(held)
        method = self._member(data.cls, "__getitem__")
        if method is not None and isinstance(method.data, FunctionValue):
            length = Value(UNKNOWN)
            counted = self._member(data.cls, "__len__")
            if counted is not None and isinstance(counted.data, FunctionValue):
                length = self._enter(counted.data, (value,), {})
            if length.data == 0:
                return []
            return Lazy(self._enter(method.data, (value, Value(0)), {}), length)
        return Lazy(unknown(value), Value(UNKNOWN))


def _docstring(node: ast.AST) -> str | None:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return ast.get_docstring(node, clean=False)
    return None


def _without_numbers(call: Call) -> Call:
    """Return a call with numbers as unknown of which only the type is known."""
    given = (*call.args, *call.keywords.values(), call.receiver)
    if not any(map(arrays.is_number, given)):
        return call
    args = tuple(_not_known(value) for value in call.args)
    keywords = {name: _not_known(value) for name, value in call.keywords.items()}
    receiver = None if call.receiver is None else _not_known(call.receiver)
    return Call(call.name, args, keywords, call.place, receiver)


def _not_known(value: Value) -> Value:
    return unknown(value) if arrays.is_number(value) else value


def _items(value: Value | None) -> list[Value]:
    """Return the items of a list, none of what is no list."""
    return value.data if value is not None and isinstance(value.data, list) else []


def _module_of(env: Environment) -> Environment:
    """Return the scope of the module around a scope."""
    while env.outer is not None:
        env = env.outer
    return env


def _merged_orders(orders: Sequence[Sequence[ClassValue]]) -> list[ClassValue]:
    """Merge the orders of bases: each time the first class that is behind no other one."""
    left = [list(order) for order in orders if order]
    classes: list[ClassValue] = []
    while left:
        heads = (order[0] for order in left)
        behind = [order[1:] for order in left]
        head = next((h for h in heads if not any(h in rest for rest in behind)), left[0][0])
        classes.append(head)
        left = [rest for order in left if (rest := [c for c in order if c is not head])]
    return classes


def _is_class(value: Value) -> bool:
    """Whether a value may be a part of a union of types (PEP 604)."""
    data = value.data
    if isinstance(data, tuple):
        return bool(data) and all(map(_is_class, data))
    if isinstance(data, Library):
        last = data.name.rpartition(".")[2]
        return last[:1].isupper() or data.name.startswith("builtins.")
    return data is None or isinstance(data, ClassValue)


def _field(value: Value, specification: object, conversion: int) -> str | None:
    """Return one field of an f-string, None where it is not known."""
    if not isinstance(specification, str):
        return None
    if not specification:
        shown = builtin_models.text_of(value)
        return repr(shown) if shown is not None and conversion == ord("r") else shown
    try:
        return formatted(plain(value), specification)
    except NotPlain:
        return None


def _with_slices(
    parts: Sequence[Value], slices: Sequence[tuple[Value | None, ...] | None], place: Origin
) -> tuple[Value, ...]:
    """Return the parts of an index, slices as objects of ``builtins.slice``."""
    indices = []
    for part, bounds in zip(parts, slices, strict=True):
        if bounds is not None:
            given = tuple(Value(None) if b is None else b for b in bounds)
            part = Value(LibraryObject("builtins.slice", given, {}, place), merged(*given))
        indices.append(part)
    return tuple(indices)


def kind_of(value: Value) -> str:
    """Return the kind of a receiver by which methods are modelled."""
    data = value.data
    if isinstance(data, Array):
        return "array"
    if isinstance(data, Table):
        return "table"
    if isinstance(data, LibraryObject):
        return data.short
    if isinstance(data, Instance):
        return "instance"
    return type(data).__name__


def find_model(table: Mapping[str, Model], name: str) -> Model | None:
    """Return the model of a dotted name: by the whole, then by its root and last name."""
    model = table.get(name)
    if model is not None or "." not in name:
        return model
    root, _, rest = name.partition(".")
    return table.get(f"{root}.{rest.rpartition('.')[2]}")


def _iterators(values: Iterable[Value]) -> list[tuple[OneShot, list[Value]]]:
    """Return the iterators among values with what each has left."""
    return [(v.data, list(v.data)) for v in values if isinstance(v.data, OneShot)]


def _give_back(iterators: Iterable[tuple[OneShot, list[Value]]]) -> None:
    for iterator, left in iterators:
        iterator[:] = left


FILLING = {"append", "extend", "add", "insert", "update", "setdefault", "appendleft"}
"""Methods that put something into a container."""


def _filled_name(node: ast.AST) -> str:
    """Return the name of the container that a call or an assignment fills, empty for none."""
    owner: ast.expr | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = node.func.value if node.func.attr in FILLING else None
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        owner = node.value
    return owner.id if isinstance(owner, ast.Name) else ""


def _lines_by_file(places: Iterable[Origin]) -> dict[str, set[int]]:
    result: dict[str, set[int]] = {}
    for file, line in places:
        result.setdefault(file, set()).add(line)
    return result


def _own_end(node: ast.stmt) -> int:
    """Return the last line of a statement without the blocks in it."""
    body = getattr(node, "body", None)
    return max(node.lineno, body[0].lineno - 1) if body else _last_line(node)


def _unknown_for(function: FunctionValue, given: int) -> tuple[Value, ...]:
    """Return unknown values for the positional parameters without default after the first ones."""
    arguments = function.node.args
    count = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    return tuple(Value(UNKNOWN) for _ in range(count - given))


def _last_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _leaves(body: Sequence[ast.stmt]) -> bool:
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return called_name(last.value) in EXITS
    return isinstance(last, (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _lists_of(env: Environment) -> list[list[Value]]:
    """Return the lists that a scope's names, and the attributes of their objects, stand for."""
    lists: dict[int, list[Value]] = {}
    for value in list(env.names.values()):
        data = value.data
        held = [data]
        if isinstance(data, Instance):
            held = [v.data for v in data.attributes.values()]
        lists.update((id(item), item) for item in held if isinstance(item, list))
    return list(lists.values())


def _lengths_of_lists(env: Environment) -> dict[int, int]:
    return {id(items): len(items) for items in _lists_of(env)}


def _fits(kind: str, exception: str) -> bool:
    """Whether what a model raises may be an exception of a class."""
    allowed = EXPLAINS.get(exception)
    return allowed is None or kind in allowed


def _underlined(statement: ast.stmt, expression: str) -> ast.expr | None:
    """Return the expression of a statement that the traceback underlines, None where none is."""
    wanted = normal(expression)
    for head in header_expressions(statement) if wanted else ():
        for node in ast.walk(head):
            if isinstance(node, ast.expr) and normal(unparsed(node)) == wanted:
                return node
    return None


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


def _ends_of(function: FunctionValue) -> frozenset[Origin]:
    """Return why a function comes to its end: the conditions around its ``return`` statements."""
    result: list[Origin] = []
    for node in ast.walk(function.node):
        if isinstance(node, ast.If):
            returns = [n for n in node.body if isinstance(n, ast.Return) and n.value is not None]
            result.extend((function.file, item.lineno) for item in (node, *returns) if returns)
    return frozenset(result[:MAX_SIDES])


def _catches(handler: ast.ExceptHandler, raised: Raised) -> bool:
    if handler.type is None:
        return True
    names = {n.id for n in ast.walk(handler.type) if isinstance(n, ast.Name)}
    if raised.what in RAISING:
        # Ours may be wrong where a handler is for whatever comes.
        return bool(names & RAISING[raised.what])
    return bool(names & (raised.kinds or {"Exception", "BaseException", raised.message}))


def _loaded(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(id=target.id, ctx=ast.Load())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(value=target.value, attr=target.attr, ctx=ast.Load())
    assert isinstance(target, ast.Subscript)
    return ast.Subscript(value=target.value, slice=target.slice, ctx=ast.Load())


def _yields(node: ast.AST) -> bool:
    queue = list(ast.iter_child_nodes(node))
    while queue:
        inner = queue.pop()
        if isinstance(inner, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            queue.extend(ast.iter_child_nodes(inner))
    return False


def _is_around(function: FunctionValue, place: Origin) -> bool:
    node = function.node
    return function.file == place[0] and node.lineno <= place[1] <= (node.end_lineno or 0)
