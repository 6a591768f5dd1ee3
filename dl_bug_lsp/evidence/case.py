"""What a source of evidence gets and gives: a case in, clues out.

Which settings to look through: all of most workspaces, of those with many the nearest.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from dl_bug_lsp.environments.interpreters import Environment
from dl_bug_lsp.evidence import run_files
from dl_bug_lsp.evidence.run_files import Connections
from dl_bug_lsp.evidence.word_index import Words, words_of
from dl_bug_lsp.logs.log import Log
from dl_bug_lsp.messages import FactKind, MessageFacts, readable
from dl_bug_lsp.monitoring.diagnosis import Diagnosis
from dl_bug_lsp.post_mortem.records import RecordedFrame
from dl_bug_lsp.provenance.engine import Engine, Node
from dl_bug_lsp.provenance.nodes import Context, StepKind
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.slices import ANY, Property, Step, backward_slice
from dl_bug_lsp.provenance.stack import Site, StackPlace, walk_stack
from dl_bug_lsp.report import CategoryVerdict
from dl_bug_lsp.spectrum.failing_runs import FailureSpectrum, own_runs, tests_alone, title_of
from dl_bug_lsp.spectrum.spectrum import Spectrum
from dl_bug_lsp.tracebacks import Failure, FailureKind, Frame
from dl_bug_lsp.tracebacks.failures import SYNTAX_ERRORS
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.contents import ConfigEntry, Place
from dl_bug_lsp.workspace.notebooks import cell_name, is_sound

OUTER_SITES = 3
OUTER_STEPS = 120
FEW_FILES = 150
MAKER_FRAMES = 6
MOST_BELOW = 12
"""Library frames below one of the workspace that are looked at."""
STEPS = {"backward", "fit", "apply_gradients", "minimize", "value_and_grad", "train"}
"""Calls in which a training step shows: what they are made of may keep a model from learning."""
MAX_STEPS_FOUND = 6
NEAR_CALL = 4.0
"""How far from the raise site a call may stand whose keyword the message names."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A small edit that may repair the failure: ``old`` in a 1-based line becomes ``new``.

    An empty ``old`` stands for a statement that is missing beside the line, an empty ``new`` for
    something that does not belong there.
    """

    file: str
    line: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Clue:
    """A reason to suspect a line.

    ``kind`` names the evidence as the ranking weighs it (``"slice.config"``); what stands before
    the dot is its source as people see it. ``score`` is between 0 and 1, ``line`` 1-based, ``why``
    half a sentence for people. ``suggestion`` is the edit that would repair it, where one is known.
    """

    kind: str
    file: str
    line: int
    score: float
    why: str
    suggestion: Suggestion | None = None


ASKED = {
    "tensor_mismatch": Property.SIZE,
    "illegal_index": Property.SIZE | Property.VALUE,
    "null_reference": Property.NOTHING,
    "division_by_zero": Property.VALUE,
    "type_mismatch": Property.TYPE,
    "attribute_not_found": Property.TYPE,
    "key_not_found": Property.VALUE,
}
"""What failures of a category complain of."""
OF_CONTAINERS = {"key_not_found", "illegal_index", "division_by_zero"}
"""Failures for which a container may be one that something was not put into."""
OF_ARRAYS = {
    "tensor_mismatch",
    "type_mismatch",
    "illegal_argument",
    "device_unavailable",
    "framework_api_misuse",
}
"""Categories of failures in which devices and dtypes of arrays do not fit."""
LocatedFrame = tuple[Frame, Place | None]
"""A frame of the traceback and its place in the workspace, None for those of libraries."""


def _is_other_text(workspace: Workspace, frame: Frame, place: Place) -> bool:
    """Whether a cell is not what the parser refused: of another count, and without a fault."""
    name = cell_name(frame.file)
    cells = (cell for cell in workspace.cells(place.file) if place.line in cell.raw)
    cell = next(cells, None)
    if name is None or name.count is None or name.is_ordinal or cell is None:
        return False
    return cell.execution_count != name.count and is_sound(cell)


def _says_line(frame: Frame) -> bool:
    """Say whether a frame tells its line: by its number, or by its text (IPython 8.0 to 8.4)."""
    return frame.line > 0 or bool(frame.source)


class Case:
    """One failure with everything that sources of evidence may ask about it.

    It is ``supposed`` where no traceback tells the place, and one is tried.
    """

    def __init__(
        self,
        failure: Failure,
        facts: MessageFacts,
        category: CategoryVerdict,
        located: tuple[LocatedFrame, ...],
        workspace: Workspace,
        log: Log,
        spectrum: Spectrum | None = None,
        diagnosis: Diagnosis | None = None,
    ) -> None:
        self.failure = failure
        self.facts = facts
        self.category = category
        self.located = located
        self.workspace = workspace
        self.log = log
        self.spectrum = spectrum
        self.diagnosis = diagnosis
        self.supposed = False
        self.recorded: Mapping[tuple[str, int], RecordedFrame] = {}
        """What a recorder saw in the frames of the failure, by their places."""
        self.environment: Environment | None = None
        """The libraries of the failing run, where its interpreter was named."""
        self.engine = Engine(workspace)
        files = tuple(dict.fromkeys(place.file for _, place in located if place is not None))
        self.engine.program.stay_near(files)
        self.engine.started((line.text for line in log.lines), files)

    @cached_property
    def places(self) -> tuple[StackPlace, ...]:
        """The workspace's frames, outermost first, at their local lines.

        A usage error names its program and no line of it: such a frame is no place.
        """
        places: list[StackPlace] = []
        below: list[tuple[str, str]] = []
        for frame, place in reversed(self.located):
            if place is None or not _says_line(frame):
                below.insert(0, (frame.file.replace("\\", "/"), frame.own_name or ""))
                continue
            near = tuple(below[:MOST_BELOW])
            expression = frame.expression
            places.append(StackPlace(place.file, place.line, frame.function, expression, near))
            below = []
        return tuple(reversed(places))

    @cached_property
    def edited(self) -> frozenset[tuple[str, int]]:
        """The lines of cells, by file and line, that took the place of a frame's since the run."""
        places = (place for _, place in self.located if place is not None and place.edited)
        found = {(place.file, place.line) for place in places}
        if self.class_name in SYNTAX_ERRORS and self.located:
            frame, place = self.located[-1]
            if place is not None and _is_other_text(self.workspace, frame, place):
                found.add((place.file, place.line))
        return frozenset(found)

    @cached_property
    def own_lines(self) -> tuple[str, ...]:
        """The part of the log that tells of this failure."""
        span = self.failure.span
        lines = self.log.lines
        return tuple(x.text for x in lines if span.first_line <= x.number <= span.last_line)

    @cached_property
    def runs(self) -> FailureSpectrum | None:
        """The tests' spectrum as this failure sees it, None without one of these files.

        What was executed outside of the workspace is left out.
        """
        spectrum = tests_alone(self.spectrum) if self.spectrum is not None else None
        if spectrum is None or not spectrum.runs:
            return None
        files = frozenset(self.workspace.python_files()) or None
        if files and not any(element.file in files for element in spectrum.elements):
            return None
        title = title_of(self.own_lines[0]) if self.own_lines else ""
        shown = [frame.file for frame in self.failure.frames]
        own = own_runs(title, shown, spectrum.runs)
        return FailureSpectrum(spectrum, own, files)

    @property
    def library_frames(self) -> int:
        """How many frames stand below the innermost one of the workspace."""
        count = 0
        for frame, place in reversed(self.located):
            if place is not None and _says_line(frame):
                break
            count += frame.line > 0
        return count

    @cached_property
    def message(self) -> str:
        """The message of the exception, the text of a bug report; empty in a silent failure.

        Of a very long message both ends.
        """
        cause = self.failure.cause
        if cause is None and self.failure.kind is FailureKind.REPORT:
            return "\n".join(line.text for line in self.log.lines)
        return readable(cause.message) if cause is not None else ""

    @property
    def class_name(self) -> str:
        """The exception's class without its module (empty in a silent failure)."""
        cause = self.failure.cause
        return cause.class_name if cause is not None else ""

    @cached_property
    def sites(self) -> list[Site]:
        """The workspace frames with their contexts, outermost first."""
        return walk_stack(self.engine, self.places)

    def context_of(self, scope: Scope) -> Context:
        """Return the innermost context in which the stack entered a scope, else an open one."""
        contexts = [site.context for site in self.sites if site.context.scope is scope]
        return contexts[-1] if contexts else self.engine.open_context(scope)

    @cached_property
    def starts(self) -> list[Node]:
        """The expressions at the raise site; in a silent failure those of the training step."""
        if self.failure.kind is FailureKind.SILENT:
            return self._training_steps()
        return list(self.sites[-1].nodes) if self.sites else []

    def _training_steps(self) -> list[Node]:
        steps: list[Node] = []
        files = self.workspace.python_files()
        # No stack says where a big workspace trains; looking everywhere would cost too much.
        for file in files if len(files) <= FEW_FILES else ():
            module = self.engine.program.module(file)
            for scope in module.walk() if module is not None else ():
                for call in scope.calls:
                    func = call.func
                    name = func.attr if isinstance(func, ast.Attribute) else ""
                    if name not in STEPS or (name == "train" and self._sets_mode(call)):
                        continue
                    context = self.engine.open_context(scope)
                    wanted: ast.expr = call
                    if name == "backward" and isinstance(func, ast.Attribute):
                        wanted = func.value
                    steps.append(self.engine.node(wanted, context))
        return steps[:MAX_STEPS_FOUND]

    def _sets_mode(self, call: ast.Call) -> bool:
        """Whether ``x.train()`` puts a module into training mode and trains nothing."""
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        switches = all(
            isinstance(value, ast.Constant) and isinstance(value.value, bool) for value in given
        )
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else call.func
        return switches and "train" not in ast.unparse(receiver).lower() and not self._trains

    @cached_property
    def _trains(self) -> bool:
        """Whether a class of the program has a method ``train`` that is more than a mode."""
        modules = (self.engine.program.module(file) for file in self.workspace.python_files())
        methods = (
            scope
            for module in modules
            for scope in (module.walk() if module is not None else ())
            if scope.owner is not None and scope.name.rpartition(".")[2] == "train"
        )
        return any(
            [one.arg for one in scope.parameters()][1:] != ["mode"] for scope in methods
        )  # An override of the mode trains nothing either.

    @cached_property
    def makers(self) -> list[tuple[int, Node, Node]]:
        """What built the objects that the frames call: (frames from the raise site, callee, maker).

        For ``self.conv(x)`` on the stack the maker is the call assigned to ``self.conv``. Where the
        stack goes on in a function of the name of one of the calls, it went through no other one.
        """
        makers: list[tuple[int, Node, Node]] = []
        for inner, site in enumerate(reversed(self.sites[-MAKER_FRAMES:])):
            parts = [part for node in site.nodes for part in ast.walk(node.expr)]
            calls = [part for part in parts if isinstance(part, ast.Call)]
            entered = site.place.below[0][1] if site.place.below else ""
            for call in [call for call in calls if called_name(call) == entered] or calls:
                if not isinstance(call.func, ast.Attribute):
                    continue
                callee = self.engine.node(call.func, site.context)
                makers.extend(
                    (inner, callee, made)
                    for role, made in callee.inputs
                    if role == "attribute" and made.kind is StepKind.CALL and made.line > 0
                )
        return makers

    @cached_property
    def code_files(self) -> tuple[str, ...]:
        """The Python files to look through: all of a small workspace, else those near the failure.

        Near are the files of the stack, of the slices, and what these import, in that order.
        """
        everything = self.workspace.python_files()
        if len(everything) <= FEW_FILES:
            return everything
        near = dict.fromkeys(place.file for place in reversed(self.places))
        near.update(dict.fromkeys(step.node.file for step in self.raise_slice))
        python = [file for file in near if file.endswith((".py", ".ipynb"))]
        for file in python:
            for module in self.workspace.elements(file).imports:
                imported_file = self.workspace.module_file(module, file)
                if imported_file is not None:
                    near[imported_file] = None
        return tuple(f for f in near if f.endswith((".py", ".ipynb")))[:FEW_FILES]

    @cached_property
    def words(self) -> Words:
        """The words of `code_files` and of `config_files`."""
        return words_of(self.workspace, self.code_files, self.config_files)

    @cached_property
    def code_words(self) -> Words:
        """The words of `code_files`."""
        return words_of(self.workspace, self.code_files, ())

    @cached_property
    def connections(self) -> Connections | None:
        """What the run names; None in a small workspace, of which it may read every file."""
        few = len(self.workspace.files()) <= run_files.FEW_FILES
        return None if few or not self.places else self.named_files

    @cached_property
    def named_files(self) -> Connections:
        """What the run's command, log, settings and code name, of a workspace of any size."""
        return Connections(self)

    @cached_property
    def config_files(self) -> tuple[str, ...]:
        """All configs, sorted; of a big workspace those that have to do with the failing run.

        Where nothing tells which these are, and there are very many, those near the failure.
        """
        known = self.connections
        if known is not None and known.is_told:
            return tuple(file for file in self.workspace.config_files() if known.has(file))
        near = tuple(dict.fromkeys(place.file for place in reversed(self.places)))
        return near_configs(self.workspace, self.log, near)

    @cached_property
    def config_entries(self) -> tuple[ConfigEntry, ...]:
        """The settings of `config_files`."""
        return tuple(e for file in self.config_files for e in self.workspace.config_entries(file))

    @cached_property
    def focus_slice(self) -> list[Step]:
        """The slice of the one argument that the message names, where it names one."""
        names = {str(f.value) for f in self.facts.of(FactKind.ARGUMENT)}
        starts: list[Node] = []
        for start in self.starts:
            for call in (n for n in ast.walk(start.expr) if isinstance(n, ast.Call)):
                starts.extend(
                    self.engine.node(argument, start.context)
                    for argument in _named_arguments(call, names)
                )
        for step in self.raise_slice:
            expr = step.node.expr
            if (
                step.distance <= NEAR_CALL
                and step.node.entry is None
                and isinstance(expr, ast.Call)
            ):
                given = [k.value for k in expr.keywords if k.arg in names]
                starts.extend(self.engine.node(value, step.node.context) for value in given)
        return backward_slice(starts, OUTER_STEPS) if starts else []

    @cached_property
    def raise_slice(self) -> list[Step]:
        """The backward slice of what the raise site computes.

        Where something is missing in a container, with what is tested before it is put there.
        """
        return backward_slice(self.starts, filled=self._lacks)

    @cached_property
    def asked(self) -> Property:
        """The property of a value that the message complains of, as far as it tells."""
        if self.category.id in OF_ARRAYS:
            if self.facts.of(FactKind.DEVICE):
                return Property.DEVICE
            if self.facts.of(FactKind.DTYPE):
                return Property.TYPE
        return ASKED.get(self.category.id, ANY)

    @cached_property
    def property_slice(self) -> list[Step]:
        """The steps that make the property which the message complains of."""
        if self.asked is ANY:
            return self.raise_slice
        return backward_slice(self.starts, asked=self.asked, filled=self._lacks)

    @property
    def _lacks(self) -> bool:
        """Whether a container may hold too little."""
        return self.category.id in OF_CONTAINERS

    @cached_property
    def property_steps(self) -> list[Step]:
        """The steps of `property_slice` and of the same slices of the frames around."""
        outer = self.outer_slices
        if self.asked is not ANY:
            sites = reversed(self.sites[-1 - OUTER_SITES : -1])
            outer = [backward_slice(list(s.nodes), OUTER_STEPS, asked=self.asked) for s in sites]
        return [*self.property_slice, *(step for steps in outer for step in steps)]

    @cached_property
    def outer_slices(self) -> list[list[Step]]:
        """The backward slices of the frames around the raise site, nearest first."""
        outer = self.sites[-1 - OUTER_SITES : -1]
        entered = {id(site.context.scope) for site in self.sites[1:]}
        slices = [backward_slice(list(site.nodes), OUTER_STEPS) for site in reversed(outer)]
        return [[step for step in steps if not _is_to_come(step, entered)] for steps in slices]

    @cached_property
    def stack_steps(self) -> list[Step]:
        """The steps of the slices of all frames, those of the raise site first."""
        return [step for steps in (self.raise_slice, *self.outer_slices) for step in steps]


AT_ONCE = ("part", "argument", "receiver", "base", "index", "item")
"""Roles of what stands in the same statement."""


def _is_to_come(step: Step, entered: set[int]) -> bool:
    """Say whether a step only makes what a call on the stack would have returned.

    ``entered`` are the scopes of the stack's functions. Their calls have not returned, so nothing
    that they return has reached the failing line.
    """
    for link in step.way()[1:]:
        if link.roles[-1] == "return":
            return id(link.node.context.scope) in entered
        if not link.roles[-1].startswith(AT_ONCE):
            return False
    return False


POSITIONS = {
    "input": 0,
    "self": 0,
    "X": 0,
    "y": 1,
    "mat1": 0,
    "logits": 0,
    "target": 1,
    "labels": 1,
    "other": 1,
    "index": 1,
    "mat2": 1,
    "lengths": 1,
}
"""Where framework functions take an argument that their messages name."""


def _named_arguments(call: ast.Call, names: set[str]) -> list[ast.expr]:
    """Return the arguments of a call that go by one of the names, by keyword or usual position."""
    arguments = [k.value for k in call.keywords if k.arg in names]
    for name in sorted(names & POSITIONS.keys()):
        position = POSITIONS[name]
        if position < len(call.args) and not isinstance(call.args[position], ast.Starred):
            arguments.append(call.args[position])
    return arguments


Source = Callable[[Case], Iterator[Clue]]
"""A source of evidence."""


FEW_CONFIGS = 120
MAX_ENTRIES = 30_000
"""Bounds for workspaces with more configs than `FEW_CONFIGS`."""
LOG_LINES = 400


def near_configs(workspace: Workspace, log: Log, near: tuple[str, ...]) -> tuple[str, ...]:
    """Return the config files of a workspace to look through, sorted.

    Of many files only those are read that the end of the log names, then those that lie nearest to
    the files ``near``, then those nearest to the root.
    """
    end_of_log = "\n".join(line.text for line in log.lines[-LOG_LINES:])
    files = tuple(f for f in workspace.config_files() if not _is_output(f, end_of_log))
    if len(files) <= FEW_CONFIGS:
        return files
    folders = list(dict.fromkeys(file.rpartition("/")[0] for file in near))

    def distance(file: str) -> tuple[bool, int, str]:
        own = file.rpartition("/")[0]
        steps = [_steps(own, folder) for folder in folders] or [_steps(own, "")]
        return file.rpartition("/")[2] not in end_of_log, min(steps), file

    chosen: list[str] = []
    count = 0
    for file in sorted(files, key=distance)[:FEW_CONFIGS]:
        count += len(workspace.config_entries(file))
        if count > MAX_ENTRIES and chosen:
            break
        chosen.append(file)
    return tuple(sorted(chosen))


_OUTPUT = re.compile(
    r"(?:^|/)(checkpoint-\d+|checkpoint_epoch_\d+|lightning_logs|tb_logs|mlruns|wandb|\.hydra)/"
    r"|(?:^|/)((?:trainer_state|all_results|train_results|eval_results|test_results)\.json)$"
)
"""Files that trainers write beside what they have trained: no run reads them as its settings."""


def _is_output(file: str, end_of_log: str) -> bool:
    """Whether a trainer wrote a config file, and the log does not name it or its folder."""
    output = _OUTPUT.search(file)
    return output is not None and (output[1] or output[2]) not in end_of_log


def _steps(start: str, end: str) -> int:
    """Return how many steps up and down lead from one folder to another."""
    own_parts, other_parts = (folder.split("/") if folder else [] for folder in (start, end))
    shared = 0
    for a, b in zip(own_parts, other_parts, strict=False):
        if a != b:
            break
        shared += 1
    return len(own_parts) + len(other_parts) - 2 * shared
