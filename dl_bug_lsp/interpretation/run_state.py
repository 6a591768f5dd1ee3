"""What is known of a run while it is followed, and the classes of the program.

The parts of the interpreter build on one another: this state, `calls`, `expressions`, `statements`
and `interpreter`, which follows a whole run. What a part asks of a later one is declared here.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.interpretation import arrays, autograd, libraries, operators
from dl_bug_lsp.interpretation.values import (
    ATTRIBUTE_DICTS,
    UNKNOWN,
    ClassValue,
    Environment,
    FunctionValue,
    Instance,
    Library,
    LibraryObject,
    ModuleValue,
    Origin,
    Origins,
    Raised,
    Value,
    merged,
    unknown,
)
from dl_bug_lsp.provenance.stack import header_expressions, normal, unparsed
from dl_bug_lsp.workspace import Workspace

if TYPE_CHECKING:
    from dl_bug_lsp.interpretation.earlier_runs import EarlierRuns
    from dl_bug_lsp.interpretation.interpreter import Interpreter
    from dl_bug_lsp.interpretation.recorded_values import RecordedNames


MAX_STEPS = 60_000
MAX_MADE = 1_000_000
"""Items of containers and characters of texts that the expressions of a run may make in all."""
MAX_MODULES = 160
"""Modules of the workspace that are followed; what others define is unknown."""
BEYOND = re.compile(r"out of (?:range|bounds)")
"""How messages say that an index is beyond what it indexes."""
ON_AXIS = re.compile(r"must match the size of tensor b \(\d+\) at non-singleton dimension (\d+)")
"""How PyTorch says on which axis two sizes do not broadcast, counted in their common shape."""
BELOW = re.compile(r"Target -\d")
"""How they say that a label is below 0: no number of classes has room for it."""
FRACTIONS = re.compile(r"values in [`']target[`']: tensor\(\[[^\]]{0,200}?\.\d{0,8}[1-9]")
"""How torchmetrics shows targets that are no classes."""
DEFERRED = re.compile(r"device-side assert|cudaErrorAssert")
"""How messages say that a kernel failed which ran before the line that raises (PyTorch, "CUDA
semantics", "Asynchronous execution")."""
OF_RANGE = re.compile(
    r"elements of (?:input|target) should be between 0 and 1|input_val >= |target_val >= zero"
    r"|>= zero && "
)
"""How losses of probabilities refuse other numbers."""
OF_KERNELS = (
    (OF_RANGE, "value"),
    (DEFERRED, "index"),
)
"""What assertions of kernels say, and what our models call such failures: the first one counts."""
MOST_BASES = 40
ENUMS = {"enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"}
ITEMS = "items of this"
"""Under which name an object keeps what it holds as a ``dict`` or ``list``."""
HOLDING: dict[str, type[dict[Any, Value]] | type[list[Value]]] = {
    **dict.fromkeys(("builtins.dict", "collections.OrderedDict", "collections.UserDict"), dict),
    **dict.fromkeys(("builtins.list", "collections.UserList"), list),
}
"""Classes whose subclasses hold items."""


RAISING = {
    "key": {"KeyError", "LookupError"},
    "index": {"IndexError", "LookupError"},
    "value": {"ValueError", "ZeroDivisionError", "ArithmeticError"},
    "type": {"TypeError"},
    "attribute": {"AttributeError"},
    "accessor": {"AttributeError"},
    "none": {"TypeError", "AttributeError"},
    "file": {"FileNotFoundError", "OSError", "IOError"},
    "name": {"NameError"},
    "size": set[str](),
    "arguments": {"TypeError"},
}
"""The classes of Python that stand for what our models raise."""


class Exhausted(Exception):
    """The budget of steps, or of what a run may make, is spent."""


class Settled(Exception):
    """What is asked of a run is known before its end."""


class _Return(Exception):
    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


@dataclass(slots=True)
class Reach:
    """How a run came to the failing line: ``alone``, or with frames that were ``resumed``.

    ``guessed_calls`` are calls of what is not known that were taken to be those of the stack;
    ``forced`` counts the branches that were taken though their condition is known not to hold,
    ``guessed_branches`` those whose condition is not known, ``supposed`` the ones of these around
    the failing line. ``assumed`` is what was supposed of the tests whose values are not known, by
    what they ask, with the values that are told apart by their identity. ``left_out`` tells of each
    function that is being followed whether a guess left out a value that it may return,
    ``breaks_left_out`` counts the guesses that left out the end of a loop.
    """

    guessed_calls: int = 0
    guessed_branches: int = 0
    forced: int = 0
    supposed: int = 0
    resumed: bool = False
    alone: bool = False
    assumed: dict[tuple[object, ...], tuple[bool, object]] = field(default_factory=dict)
    left_out: list[bool] = field(default_factory=list)
    breaks_left_out: int = 0


class OfKernels(NamedTuple):
    """What the message says of kernels.

    ``of_range`` tells whether numbers are no probabilities, ``of_targets`` whether these are the
    targets of a loss; ``deferred`` is the kind of a failure
    that the device reports at a later line than where it came to be, None where it is reported at
    once.
    """

    of_range: bool
    deferred: str | None
    of_targets: bool = False

    @classmethod
    def of(cls, message: str) -> OfKernels:
        """Read a message, with the kernel's assertion where the log has one."""
        kinds = (kind for words, kind in OF_KERNELS if words.search(message))
        deferred = next(kinds, None) if DEFERRED.search(message) else None
        of_targets = "elements of target" in message or "target_val >= zero" in message
        return cls(bool(OF_RANGE.search(message)), deferred, of_targets)


@dataclass(slots=True)
class OfSyntax:
    """What is worked out once of functions, loops and assignments.

    Whether functions yield, and the lines of their ends; the names that loops count; the
    expressions that augmented assignments read; where statements and functions begin around the
    lines of modules. ``sketched`` are the loops being followed of which each round is, but one
    round of each loop in them.
    """

    generators: dict[ast.AST, bool] = field(default_factory=dict)
    ends: dict[ast.AST, tuple[int, ...]] = field(default_factory=dict)
    counted: dict[ast.AST, frozenset[str]] = field(default_factory=dict)
    loads: dict[ast.AugAssign, ast.expr] = field(default_factory=dict)
    starts: dict[ast.Module, tuple[dict[int, int], dict[int, int]]] = field(default_factory=dict)
    sketched: set[ast.AST] = field(default_factory=set)


@dataclass(slots=True)
class OnDisk:
    """The files and folders that a program made, in the order in which it did, and by what.

    ``partly`` are folders in which there may be more than that, or from which some was taken;
    ``unfinished`` are the lines of files that are open to be written, by their identity;
    ``writes_text`` tells that one was opened.
    """

    paths: list[str] = field(default_factory=list)
    made_by: dict[str, Origins] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    partly: set[str] = field(default_factory=set)
    unfinished: dict[int, Value] = field(default_factory=dict)
    writes_text: bool = False


@dataclass(slots=True)
class InProgress:
    """The calls that the traceback underlines, as normal text, by the place of their frame.

    ``aside`` are the places at which another call than that one is being followed.
    """

    underlined: Mapping[Origin, str]
    aside: list[Origin] = field(default_factory=list)

    def is_other(self, place: Origin, call: ast.Call) -> bool:
        """Whether a call at a place of the stack is surely not the one that was in progress."""
        return place in self.underlined and self.underlined[place] != normal(unparsed(call))


class RunState:
    """The state of one run of one program, and what it knows of classes and their objects."""

    _methods: ClassVar[dict[type, Callable[[Any, Any, Environment], Value]]] = {}
    """The methods that follow expressions, by the kind of node."""

    first_values: dict[ast.expr, Value] | None = None
    """What each expression came to first, where that is kept."""

    earlier: EarlierRuns | None = None
    """The commands that ran before this one, where they are known."""
    _written: dict[str, frozenset[str]]
    starred: dict[str, list[str]]
    """The libraries of which files import all names, empty where one is not known."""
    files_read: dict[str, tuple[Origin, ...]]
    """The text files that the program read, each with the lines of the calls that came to it,
    the innermost one first."""
    generated: set[str]
    """Files of the workspace that the program read and a command before it wrote."""
    ran: set[Origin]
    """The first lines of the statements that have run."""
    grown: list[tuple[Instance, str]]
    """Objects with their attributes that statements have added to, in that order."""
    opened: dict[int, tuple[dict[Any, Value], Value]]
    """Dictionaries that got a key which is not known, by their identity: each with what holds its
    entries since."""
    disk: OnDisk
    """What the program wrote to files."""
    is_unsure = False
    """Whether it is not known if what is being followed runs, or how often."""
    recorded: RecordedNames | None = None
    """What a recorder saw in the frames of the failure, where one was at work."""
    SKETCHES = False
    """Whether loops of which few rounds could be followed are sketched in that way."""
    GUESSES = True
    """Whether what is not known may be taken to be what leads to the failure."""

    def note_read(self, file: str) -> None:
        """Note that the program reads a text file here."""
        self.files_read.setdefault(file, tuple(reversed(self.stack)))

    def __init_subclass__(cls) -> None:
        """Look up the methods that follow expressions: once a class, as a run needs them often."""
        names = {kind: f"_of_{kind.__name__}" for kind in ast.expr.__subclasses__()}
        cls._methods = {k: getattr(cls, name) for k, name in names.items() if hasattr(cls, name)}

    def __init__(
        self,
        workspace: Workspace,
        script: str,
        target: Origin,
        arguments: Sequence[Value] | None = None,
        steps: int = MAX_STEPS,
        frames: Iterable[Origin] = (),
        underlined: Mapping[Origin, str] | None = None,
        settings: str | None = None,
        reported: Iterable[tuple[int, int]] = (),
        exception: str = "",
        expression: str = "",
        message: str = "",
        printed: Mapping[str, str] | None = None,
        *,
        repeated: bool = False,
        views: bool = False,
        most: int | None = None,
    ) -> None:
        """Prepare to run ``script`` up to ``target`` (file, 1-based line).

        ``arguments`` are the words of the command line without the program, None where they are not
        known; ``frames`` the places on the stack, outermost first; ``underlined`` the calls that
        the traceback underlines at them; ``settings`` the config file that a path which is not
        known means; ``reported`` the pairs of sizes that the failure's message says differ;
        ``exception`` the name of its class and ``expression`` the part of the failing line that the
        traceback underlines, both empty where they are not known; ``message`` what the exception
        says; ``printed`` the settings that the log shows, as texts. With ``repeated``, cells of a
        notebook run as often as its execution counts leave room for; with ``views``, a column taken
        from a table shows the table's cells (pandas before 3.0).
        How many rounds of long loops are followed depends on ``steps``; the run ends after ``most``
        steps where that is given.
        """
        self.workspace, self.script, self.target = workspace, script, target
        self.expression = expression
        self.repeated, self.settings, self.printed = repeated, settings, printed or {}
        self.arguments = None if arguments is None else tuple(arguments)
        self.left = self.steps = steps
        self.floor = 0 if most is None else max(steps - most, 0)
        """How many steps are left where the run ends."""
        self.room, self.passing = MAX_MADE, False
        self.files_read, self.generated, self.disk = {}, set(), OnDisk()
        self.exception = exception.rpartition(".")[2]
        self._values: dict[ast.expr, Value] | None = None
        """Where the failing statement is being followed: what its parts came to."""
        self._evaluated: list[tuple[ast.stmt, dict[ast.expr, Value], bool, Environment]] = []
        """What the parts of the failing statement came to, each time that it was followed,
        whether the stack was that of the failure, and the names that it saw."""
        self.order = tuple(frames) or (target,)
        self.frames = frozenset(self.order) | {target}
        texts = (underlined or {}).items()
        self._in_progress = InProgress({place: normal(text) for place, text in texts})
        self._followed: set[Origin] = set()
        self._repeated: set[tuple[str, int]] = set()
        """The functions that were followed again for a place of the stack that lies in them."""
        self._come_to: set[Origin] = set()
        self.reach = Reach()
        self._frame_lines = _lines_by_file(self.frames)
        # Whether blocks are entered for the places of the stack in them.
        self._entering = False
        self._of_syntax, self.grown, self.ran, self.opened = OfSyntax(), [], set(), {}
        self._functions: dict[Origin, FunctionValue] = {}
        # The places of the functions that were called, by the place of the call.
        self.callees: dict[Origin, dict[Origin, None]] = {}
        self._lineages: dict[int, list[ClassValue]] = {}
        self._instances: dict[Origin, Value] = {}
        """The latest object of each workspace class, by the place of the class."""
        self._written, self.starred = {}, {}
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
        self.message, self.kernels = message, OfKernels.of(message)
        self.gradients = autograd.recorder(message)
        """What records the graph of tensors, None where the message does not speak of it."""
        # The ``return`` that was followed last.
        self.returned: Origin | None = None
        self._calling: ast.expr | None = None
        """The call of the failing statement that is being made."""
        self.comparisons = arrays.Comparisons(
            frozenset(reported),
            self.is_failing,
            BEYOND.search(message) is not None and BELOW.search(message) is None,
            by_zero=exception == "ZeroDivisionError",
            fractions=bool(FRACTIONS.search(message)),
            views=views,
            as_failed=self.is_as_failed,
            axis=int(axis[1]) if (axis := ON_AXIS.search(message)) else None,
        )
        libraries.load()

    cut_loops = 0
    """How many loops were left because they took too many steps."""
    missing_files = 0
    """How often the program has asked for files that the workspace does not have."""
    without_files = False
    """Whether such files are taken not to be there, which else is not known."""

    _statement: ast.stmt | None = None
    """The innermost statement that is being followed."""
    passing: bool
    """Whether a condition that leads past the failing line counts as having come to it."""

    def _is_guarded(self, raised: Raised) -> bool:
        """Whether the innermost ``try`` that is being followed catches an exception."""
        return bool(self._guards) and any(_catches(h, raised) for h in self._guards[-1])

    def share_syntax(self, other: RunState) -> None:
        """Use what another run has worked out of syntax trees, and add to it.

        Trees are never changed in place: what is known of a node holds for every run.
        """
        self._of_syntax = other._of_syntax

    def functions_in(self, file: str) -> list[FunctionValue]:
        """Return the functions of a file whose definitions the run came to."""
        return [_function for _function in self._functions.values() if _function.file == file]

    def note_grown(self, owner: Value, name: str) -> None:
        """Remember that a statement has added to a whole number that an object holds."""
        if isinstance(owner.data, Instance):
            self.grown.append((owner.data, name))

    def module(self, file: str, name: str) -> Value:
        """Return a workspace module, run when first asked for."""
        if name != "__main__":
            self._import_packages_of(file, name)
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

    def _import_packages_of(self, file: str, name: str) -> None:
        """Run the packages that a module is imported through before it, outermost first.

        Source: the Python language reference, "The import system".
        """
        above, dot, _ = name.rpartition(".")
        folder = posixpath.dirname(file)
        if file.endswith("/__init__.py"):
            folder = posixpath.dirname(folder)
        package = f"{folder}/__init__.py"
        known = file in self.modules or package in self.modules
        if dot and not known and self.workspace.tree(package) is not None:
            self.module(package, above)

    def is_failing(self) -> bool:
        """Whether the failing expression is being followed."""
        if not self.stack or self.stack[-1] != self.target:
            return False
        if self._calling is None or not self.expression or not self._evaluated:
            return True
        failing = _underlined(self._evaluated[-1][0], self.expression)
        return failing is None or any(node is self._calling for node in ast.walk(failing))

    def is_as_failed(self) -> bool:
        """Whether no call that is being followed is another than the stack has in its function.

        A block of layers is called at many lines. At all but one of them its sizes fit.
        """
        calls = zip(reversed(self.stack[:-1]), reversed(self._starts[:-1]), strict=False)
        for (file, line), (first, _) in calls:
            statements, functions = self._starts_of(file)
            own = [n for n in self._frame_lines.get(file, ()) if functions.get(n) == first]
            if own and statements.get(line, line) not in {statements.get(n, n) for n in own}:
                return False
        return True

    def _starts_of(self, file: str) -> tuple[dict[int, int], dict[int, int]]:
        """Return where the innermost statement and function around each line of a file begin."""
        tree = self.workspace.tree(file)
        if tree is None:
            return {}, {}
        if tree not in self._of_syntax.starts:
            statements: dict[int, int] = {}
            functions: dict[int, int] = {}
            for node in (n for n in ast.walk(tree) if isinstance(n, ast.stmt)):
                is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                for line in range(node.lineno, _last_line(node) + 1):
                    statements[line] = max(node.lineno, statements.get(line, 0))
                    if is_function:
                        functions[line] = max(node.lineno, functions.get(line, 0))
            self._of_syntax.starts[tree] = statements, functions
        return self._of_syntax.starts[tree]

    def _is_failure(self, place: Origin, node: ast.stmt, raised: Raised | None = None) -> bool:
        """Whether an exception at ``place`` may be the failure: in its line or statement."""
        if raised is not None and raised.what == self.kernels.deferred:
            return True
        file, line = self.target
        if place == self.target:
            return True
        simple = not hasattr(node, "body")
        return place[0] == file and simple and node.lineno <= line <= _last_line(node)

    def _spend(self, line: int) -> None:
        self.left -= 1
        if self.left < self.floor:
            raise Exhausted
        if self.left % 512 == 0:
            checkpoint()
        if self.stack and line:
            self.stack[-1] = (self.stack[-1][0], line)

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
        highest: int | None = 0
        is_flag = any(name.endswith("Flag") for name in self.library_bases(cls))
        is_text = any(name.endswith("StrEnum") for name in self.library_bases(cls))
        is_own = self._member(cls, "_generate_next_value_") is not None
        for name, value in list(cls.members.items()):
            plain_value = isinstance(value.data, (*operators.PLAIN, tuple, LibraryObject))
            if plain_value and not name.startswith("_"):
                held = value
                if isinstance(value.data, LibraryObject):
                    held = unknown(value)
                    if value.data.short == "auto" and not is_own and highest is not None:
                        number = 1 << highest.bit_length() if is_flag else highest + 1
                        held = Value(name.lower() if is_text else number, value.origins)
                if isinstance(held.data, int) and highest is not None:
                    highest = max(highest, held.data)
                elif not held.known:
                    highest = None
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
        if isinstance(data, LibraryObject) and data.short in ATTRIBUTE_DICTS:
            return Value(data.state, value.origins)
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

    # -- what later parts follow ------------------------------------------------------------------

    def _call_unknown(
        self, args: tuple[Value, ...], keywords: Mapping[str, Value], node: ast.Call, file: str
    ) -> Value | None:
        """Follow a call of what is not known into the function that the stack shows, if any."""
        raise NotImplementedError

    def _notebook(self, file: str, tree: ast.Module, env: Environment) -> None:
        """Follow the cells of a notebook in the order in which they ran; each ends by itself."""
        raise NotImplementedError

    def block(self, statements: Sequence[ast.stmt], env: Environment) -> None:
        """Follow statements one after the other."""
        raise NotImplementedError

    def _missed(self, env: Environment) -> Origin | None:
        """Return a place of the stack in the function being followed that it did not come to."""
        raise NotImplementedError

    def _names_of(self, module: Environment) -> Value:
        """Return the dictionary of a module's names, with what all of its imports stand for."""
        raise NotImplementedError

    def value(self, node: ast.expr, env: Environment) -> Value:
        """Return what an expression comes to."""
        raise NotImplementedError

    def _enter(
        self, function: FunctionValue, args: tuple[Value, ...], keywords: Mapping[str, Value]
    ) -> Value:
        """Run a function's body with its parameters bound."""
        raise NotImplementedError

    def _makers(self) -> tuple[Origin, ...]:
        """Return where the objects were made whose methods are being followed."""
        raise NotImplementedError

    @property
    def interpreter(self) -> Interpreter:
        """The whole run, which the models of libraries are given."""
        raise NotImplementedError


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


def _lines_by_file(places: Iterable[Origin]) -> dict[str, set[int]]:
    result: dict[str, set[int]] = {}
    for file, line in places:
        result.setdefault(file, set()).add(line)
    return result


def _last_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _underlined(statement: ast.stmt, expression: str) -> ast.expr | None:
    """Return the expression of a statement that the traceback underlines, None where none is."""
    wanted = normal(expression)
    for head in header_expressions(statement) if wanted else ():
        for node in ast.walk(head):
            if isinstance(node, ast.expr) and normal(unparsed(node)) == wanted:
                return node
    return None


def _catches(handler: ast.ExceptHandler, raised: Raised) -> bool:
    if handler.type is None:
        return True
    names = {n.id for n in ast.walk(handler.type) if isinstance(n, ast.Name)}
    if raised.what in RAISING:
        # Ours may be wrong where a handler is for whatever comes.
        return bool(names & RAISING[raised.what])
    return bool(names & (raised.kinds or {"Exception", "BaseException", raised.message}))
