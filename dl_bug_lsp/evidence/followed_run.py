"""The failing run followed forwards, once for a case."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.run_files import entry_points, programs_apart, used_modules
from dl_bug_lsp.interpretation.dynamic_slices import TracedInterpreter
from dl_bug_lsp.interpretation.earlier_runs import Command, EarlierRuns
from dl_bug_lsp.interpretation.interpreter import Interpreter, Outcome
from dl_bug_lsp.interpretation.notebook_runs import hidden_runs
from dl_bug_lsp.interpretation.opaque_packages import without_opaque
from dl_bug_lsp.interpretation.recorded_values import RecordedNames
from dl_bug_lsp.interpretation.values import UNKNOWN, Origin, Value
from dl_bug_lsp.messages import readable
from dl_bug_lsp.messages.facts import FactKind, Role
from dl_bug_lsp.provenance.launches import (
    Launch,
    commands_before,
    exported,
    is_config_name,
    is_tooling,
)
from dl_bug_lsp.provenance.nodes import DataFile
from dl_bug_lsp.provenance.stack import header_expressions, unparsed
from dl_bug_lsp.tracebacks import FailureKind
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.configs.extensions import CONFIG_EXTENSIONS

SEEN = "(worked out from the code, not from the run)"
"""How a sentence says that no run has shown it."""
RECORDED = "(worked out from the code and from what the variables of the run held)"
"""The same where a recorder saw the frames of the failure."""
ASSUMED = "(worked out from the code, not from the run, which is assumed to have used {})"
"""The same where nothing says which command or config file the failing run had."""
REPEATED = (
    "(worked out from the code, not from the run, in which code cell {} is assumed to have run "
    "more than once, as the execution counts allow)"
)
"""The same of a notebook in which runs of cells are missing that no cell shows any more."""
MOST_STEPS = 160_000
MOST_STEPS_OF_OTHERS = 60_000
"""Steps of all runs together that are tried where nothing says which one failed."""
MOST_RUNS = 6
STEPS_TO_CHOOSE = 20_000
"""Steps of each run that is followed to see which of several commands it was."""
DEFAULTED = re.compile(r"\$\{\w+:?-([^{}$]*)\}")
"""A variable of the shell with what it is without a value (POSIX, "Parameter Expansion")."""


PYTHON = re.compile(r"/python3\.?(\d+)/", re.IGNORECASE)
"""The version in the paths of installed packages."""
FIRST_WITH_COPIES = 11
REQUIREMENTS = re.compile(
    r"(?:^|/)(?:requirements[\w.-]*\.txt|environment\.ya?ml|pyproject\.toml)$"
)
OLD_PANDAS = re.compile(r"\bpandas\s*[\"']?\s*(?:==?|~=|<=?)\s*[\"']?(?:[012]\.|3(?:\.0)?\b)")
"""A requirement that no pandas of version 3 or later fulfils, taking ``<3`` for one."""


NEEDS_WORDS = re.compile(
    r"add_argument\(\s*[\"'](?!-)|required=True|sys\.argv\[\s*\d|click\.argument|typer\.Argument"
)
"""Code of programs that do not start without arguments."""
NOT_FOLLOWED = Outcome(None, frozenset(), reached=False, complete=False, steps=0)
_FOLLOWED: WeakKeyDictionary[Case, Followed] = WeakKeyDictionary()


def follow(case: Case) -> Outcome:
    """Return how following the failing run ended, worked out once for a case.

    Only an exception with a place in the workspace is followed.
    """
    return _followed(case)[0]


def refused_lines(case: Case) -> frozenset[Origin]:
    """Return the lines of notebooks, not of the stack, at which an operation was refused.

    A cell that failed before the failing one hands nothing on. A script came past such a line:
    there the followed run is wrong.
    """
    if not case.places:
        return frozenset()
    stack = {(place.file, place.line) for place in case.places}
    elsewhere = {place for place, _ in follow(case).elsewhere if place[0].endswith(".ipynb")}
    return frozenset(elsewhere - stack)


def how_known(case: Case) -> str:
    """Return the end of a sentence about what was followed: how that is known.

    It names the command or config file that was taken for the run's where others were there.
    """
    assumption = _followed(case)[1]
    return assumption or (RECORDED if case in _RECORDED else SEEN)


NOT_IMPORTED, NOT_MADE, NOT_CALLED = 0.1, 0.3, 0.6
"""What a clue counts in a file, a class, a function that the followed run did without."""
NOT_RUN = 0.4
"""What it counts in a statement that had not run yet where the failure itself was come to."""
OF_REPRODUCED = 0.5
"""What is left of these where the run was followed to the failure itself."""


OF_SIZES = ("numbers.", "shapes.", "rules.shift")
"""Kinds of clues that say that a number of a line is not the one that is needed."""
OF_FITTED = 0.5
"""What these count where the number fitted others before the failure."""
CODE = (".py", ".pyw", ".ipynb")
ABOUT_ENVIRONMENTS = frozenset(("library_not_found", "version_conflict", "device_unavailable"))
"""Categories whose cause may stand in a file that sets up the program's environment."""
OF_TRAININGS = "training."
"""How the kinds of clues begin that say what is wrong with a training."""
FEW_MODULES = 12
"""Python files of a workspace up to which each may be used by any script."""
UNTOLD = 0.3
"""What a file without a connection counts where nothing tells how the run was started."""
_PARTS: WeakKeyDictionary[Case, dict[Origin, float]] = WeakKeyDictionary()
OF_ABSENCE = (
    *("missing.", "interpretation.", "types.no_return", "data_files.", "repair.followed"),
    *("repair.spelling", "repair.keyword", "repair.not_called", "repair.self", "repair.definition"),
)
"""Kinds of clues that hold of what did not run as well: a method that is misspelt is not called."""


def part_in_run(case: Case, clue: Clue) -> float:
    """Return what a clue counts by the part that its line had in the run, between 0 and 1.

    It counts less in a function or class where the run was followed up to the failing line and did
    without: the file was not imported, no object of the class was made and none of its methods
    called, or the function was not called. A library may have called what was not followed.
    """
    if not clue.file.endswith(CODE):
        if clue.kind == OF_WRITERS and clue.file.endswith(SHELL_SCRIPTS):
            return 1.0
        return _part_of_file(case, clue.file)
    if clue.kind.startswith(OF_ABSENCE):
        return 1.0
    if clue.kind.startswith(OF_TRAININGS) and not (
        is_used(case, clue.file) and clue.line not in _not_taken(case, clue.file)
    ):
        # A training that is not this run's has no part in it, whatever is wrong with it.
        return 0.0
    parts = _PARTS.setdefault(case, {})
    place = (clue.file, clue.line)
    if place not in parts:
        parts[place] = _part_of_line(case, *place)
    fitted = OF_FITTED if clue.kind.startswith(OF_SIZES) and _has_fitted(case, place) else 1.0
    return parts[place] * fitted


def _has_fitted(case: Case, place: Origin) -> bool:
    """Whether the failure was followed and a size of a line was equal to others before it."""
    outcome = follow(case)
    is_seen = outcome.raised is not None and outcome.raised.weight == 1.0
    return is_seen and place in outcome.agreed


def _part_of_file(case: Case, file: str) -> float:
    """Return what a clue in a config or data file counts: nothing where the run never read it."""
    if _starts_another_run(case, file):
        return NOT_IMPORTED
    if file in _files_read(case):
        return 1.0
    if _reads_others(case, file):
        return UNREAD
    known = case.connections
    if known is None or known.has(file) or file in known.data_files:
        return 1.0
    if case.category.id in ABOUT_ENVIRONMENTS and not file.startswith("."):
        return 1.0
    return 0.0 if known.is_told else UNTOLD


UNREAD = 0.2
"""What a data file counts where the followed run read files of its kind in another folder."""


def _reads_others(case: Case, file: str) -> bool:
    """Whether the run was followed to its failure and read files of a kind, but none beside one.

    They are data of another set then.
    """
    outcome = follow(case)
    folder, _, base = file.rpartition("/")
    extension = base.rpartition(".")[2]
    if outcome.raised is None or not outcome.complete or base == extension:
        return False
    alike = {
        other.rpartition("/")[0]
        for other in outcome.files_read
        if other.rpartition("/")[2].rpartition(".")[2] == extension
    }
    return bool(alike) and folder not in alike


OF_WRITERS = "data_files.explains"
"""What is found in a shell script that wrote a file which the run read."""
SHELL_SCRIPTS = (".sh", ".bash", ".slurm", ".sbatch", ".bat", ".ps1")


def _starts_another_run(case: Case, file: str) -> bool:
    """Whether a shell script is known not to be the one that started the failing run."""
    if not file.endswith(SHELL_SCRIPTS):
        return False
    launches = [launch for launch in case.engine.run.launches if launch.file]
    own = {launch.file for launch in launches} | {w.file for run in launches for w in run.words}
    return bool(own) and file not in own and file not in _files_read(case)


_READ: WeakKeyDictionary[Case, frozenset[str]] = WeakKeyDictionary()


def _files_read(case: Case) -> frozenset[str]:
    """Return the files that slices and the followed run read."""
    if case not in _READ:
        found = {*follow(case).files_read, *case.engine.run.files}
        for step in case.stack_steps:
            found.add(step.node.file)
            found.update(v.file for v in step.node.values if isinstance(v, DataFile))
        _READ[case] = frozenset(found)
    return _READ[case]


_USED: WeakKeyDictionary[Case, frozenset[str] | None] = WeakKeyDictionary()


def is_used(case: Case, file: str) -> bool:
    """Whether the run's script may use a file; True without a script.

    Of a small workspace it may use all files, in a silent failure but other programs that train
    something.
    """
    if case not in _USED:
        script = case.engine.run.script
        everything = frozenset(case.workspace.python_files())
        few = len(everything) <= FEW_MODULES
        asked = script is not None and (not few or case.failure.kind is FailureKind.SILENT)
        used = used_modules(case, script) if script is not None and asked else None
        if used is not None and few:
            used = (everything - programs_apart(case, used)) | _writers(case)
        if used is not None:
            near = {place.file for place in case.places}
            if near:
                # Without a stack the slices begin at the training steps of all files. Slices go to
                # all callers of a function, those in other scripts as well.
                reached = {step.node.file for step in case.stack_steps}
                near.update(f for f in reached if not is_script(case.workspace, f))
            used |= near
        _USED[case] = used
    known = _USED[case]
    return known is None or file in known


_NOT_TAKEN: WeakKeyDictionary[Case, dict[str, frozenset[int]]] = WeakKeyDictionary()


def _not_taken(case: Case, file: str) -> frozenset[int]:
    """Return the lines of branches that the run did not take by the settings that the log shows."""
    known = _NOT_TAKEN.setdefault(case, {})
    if file not in known:
        tree = case.workspace.tree(file) if case.engine.run.printed else None
        branches = [node for node in ast.walk(tree) if isinstance(node, ast.If)] if tree else []
        lines: set[int] = set()
        for branch in branches:
            holds = _holds(case, branch.test)
            if holds is not None:
                for statement in branch.orelse if holds else branch.body:
                    lines.update(range(statement.lineno, (statement.end_lineno or 0) + 1))
        known[file] = frozenset(lines)
    return known[file]


def _holds(case: Case, test: ast.expr) -> bool | None:
    """Say whether the test of one setting holds by the log; None where that does not tell.

    A setting is an attribute or an item (``args.opt``, ``cfg["opt"]``) shown with one value only.
    """
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _holds(case, test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Eq, ast.NotEq)):
        shown, other = _shown(case, test.left), test.comparators[0]
        wanted = other.value if isinstance(other, ast.Constant) else None
        if shown is None or len(test.ops) > 1 or not isinstance(wanted, str):
            return None
        return (shown == wanted) is isinstance(test.ops[0], ast.Eq)
    return {"True": True, "False": False}.get(_shown(case, test) or "")


def _shown(case: Case, expr: ast.expr) -> str | None:
    name = expr.attr if isinstance(expr, ast.Attribute) else None
    if isinstance(expr, ast.Subscript) and isinstance(expr.slice, ast.Constant):
        name = str(expr.slice.value)
    if isinstance(expr, ast.Attribute) and ast.unparse(expr.value) == "self":
        return None  # An object's own state may change.
    return case.engine.run.printed.get(name) if name is not None else None


_REGISTERED: WeakKeyDictionary[Case, frozenset[str]] = WeakKeyDictionary()


def _registered(case: Case) -> frozenset[str]:
    """Return the modules that those of the followed run register, found once."""
    if case not in _REGISTERED:
        modules = sorted(follow(case).modules)
        _REGISTERED[case] = entry_points(case.workspace, modules)
    return _REGISTERED[case]


def _part_of_line(case: Case, file: str, line: int) -> float:
    outcome = follow(case)
    if not file.endswith(".py"):
        return 1.0
    if not is_used(case, file) and file not in _writers(case):
        return NOT_IMPORTED
    scope = case.engine.program.scope_at(file, line)
    if not outcome.reached or scope is None or isinstance(scope.node, ast.Module):
        return 1.0
    if file in case.engine.run.files:  # A config may be executed.
        return 1.0
    is_seen = outcome.raised is not None and outcome.raised.weight == 1.0
    sure = OF_REPRODUCED if is_seen else 1.0
    if file not in outcome.modules and all(place.file != file for place in case.places):
        if is_script(case.workspace, file) or file in _registered(case):
            return 1.0
        return NOT_IMPORTED * sure
    factor = 1.0
    while scope is not None and not isinstance(scope.node, ast.Module):
        if isinstance(scope.node, ast.ClassDef):
            starts = _STARTS.get(scope.node)
            if starts is None:
                starts = _STARTS[scope.node] = _starts_of(scope.node)
            if outcome.entered.isdisjoint((file, number) for number in starts):
                factor = NOT_MADE
        elif (file, scope.node.lineno) not in outcome.entered:
            factor = min(factor, NOT_CALLED)
        scope = scope.parent
    if factor == 1.0:
        return NOT_RUN if is_seen and not _has_run(case, file, line) else 1.0
    return factor * sure


def _has_run(case: Case, file: str, line: int) -> bool:
    """Whether the innermost statement around a line ran in a function that was entered."""
    tree = case.workspace.tree(file)
    if tree is None:
        return True
    statements = _STATEMENTS.get(tree)
    if statements is None:
        statements = _STATEMENTS[tree] = _statements_of(tree)
    return line not in statements or (file, statements[line]) in follow(case).ran


_STATEMENTS: WeakKeyDictionary[ast.Module, dict[int, int]] = WeakKeyDictionary()


def _statements_of(tree: ast.Module) -> dict[int, int]:
    """Return for each line in a statement the line at which the innermost one begins."""
    begins: dict[int, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                begins[line] = max(node.lineno, begins.get(line, 0))
    return begins


def is_script(workspace: Workspace, file: str) -> bool:
    """Whether a Python file is written to be started."""
    return "__main__" in (workspace.text(file) or "")


def _writers(case: Case) -> set[str]:
    """Return the scripts that wrote what the failing run reads, and the configs it executes."""
    written = {node.file for nodes in case.engine.written.values() for node in nodes}
    return written | set(case.engine.run.files)


_STARTS: WeakKeyDictionary[ast.ClassDef, tuple[int, ...]] = WeakKeyDictionary()


def _starts_of(cls: ast.ClassDef) -> tuple[int, ...]:
    """Return the lines at which a class and the functions in it begin."""
    inside = (node.lineno for node in ast.walk(cls) if isinstance(node, ast.FunctionDef))
    return (cls.lineno, *inside)


Settings = tuple[list[Value] | None, str | None]
"""The words of a command line and the config file that a run is followed with."""
Followed = tuple[Outcome, str, Settings, list[int]]
"""How following a run ended, what of it is assumed, what it was followed with, and the cells that
ran more often than the notebook shows."""


def settings_of(case: Case) -> Settings:
    """Return what the failing run was followed with."""
    return _followed(case)[2]


def hidden_cells_of(case: Case) -> list[int]:
    """Return the numbers of the code cells without whose further runs the failure does not show."""
    return _followed(case)[3]


def _followed(case: Case) -> Followed:
    if case.failure.kind is not FailureKind.EXCEPTION or not case.places:
        return NOT_FOLLOWED, "", (None, None), []
    followed = _FOLLOWED.get(case)
    if followed is None:
        followed = _FOLLOWED[case] = _follow(case)
    return followed


def _follow(case: Case) -> Followed:
    """Interpret the failing run up to the failing line; also return what of it is assumed.

    Where nothing says which command line or which config file it was, the first of them that leads
    to the failure is taken for the run's.
    """
    launches, settings = case.engine.run.launches, _settings(case)
    words = _own_words(case, launches[0]) if len(launches) == 1 else None
    configs = [file for file in settings if is_config_name(file)] or settings
    used: Settings = (words, configs[0] if len(configs) == 1 else None)
    taken = None
    if len(launches) > 1:
        taken = _only_fitting(case, launches, used[1])
    taken = taken or _documented(case)
    assumption = ""
    if taken is not None:
        own = _with_config(case.workspace, taken, case.engine.run.configs)
        used = (_own_words(case, own), used[1])
        assumption = ASSUMED.format(f"the command of {taken.file}:{taken.line}")
        if own != taken:
            assumption = ASSUMED.format(
                f"the command of {taken.file}:{taken.line} with `{case.engine.run.configs[0]}`"
            )
    first = _interpreter(case, *used)
    outcome = first.run()
    if taken is None and not launches and not _came(first, outcome):
        # Without options the program goes another way; its documents may show the right ones.
        run = case.engine.run
        agreeing = [launch for launch in run.documented if run.agrees(launch)]
        taken = _only_fitting(case, agreeing, used[1])
        if taken is not None:
            used = (_own_words(case, taken), used[1])
            assumption = ASSUMED.format(f"the command of {taken.file}:{taken.line}")
            first = _interpreter(case, *used)
            outcome = first.run()
    steps_left = MOST_STEPS_OF_OTHERS
    for others, file, name in _other_runs(case.workspace, launches, words, settings):
        if outcome.raised is not None or steps_left <= 0:
            break
        tried = _interpreter(case, others, file, min(steps_left, MOST_STEPS)).run()
        steps_left -= tried.steps
        if tried.raised is not None:
            outcome, assumption, used = tried, ASSUMED.format(name), (others, file)
    hidden = _hidden_cells(case) if outcome.raised is None else []
    if hidden:
        tried = _interpreter(case, *used, repeated=True).run()
        if tried.raised is not None:
            outcome, assumption = tried, REPEATED.format(" and ".join(map(str, hidden)))
        else:
            hidden = []
    for recorded in _recorded_names(case):
        if _is_seen(outcome):
            break
        tried = _interpreter(case, *used, recorded=recorded).run()
        if _is_seen(tried):
            outcome, _RECORDED[case] = tried, recorded
    if outcome.raised is None and outcome.reached:
        said = [(fact.kind.value, fact.role.value, fact.value) for fact in case.facts.facts]
        outcome = replace(outcome, raised=first.demanded(said))
    return outcome, assumption, used, hidden


def _is_seen(outcome: Outcome) -> bool:
    """Whether the failure was reproduced by values that are known, none supposed."""
    raised = outcome.raised
    return raised is not None and raised.weight == 1.0 and not raised.supposed


def _only_fitting(case: Case, launches: Sequence[Launch], settings: str | None) -> Launch | None:
    """Return the only one of several commands with which the run comes to the failing line.

    With the others a test on the way decides otherwise, as with and without ``--resume``.
    """
    fitting: list[Launch] = []
    for launch in launches[:MOST_RUNS]:
        interpreter = _interpreter(case, _words(case.workspace, launch), settings, STEPS_TO_CHOOSE)
        if _came(interpreter, interpreter.run()):
            fitting.append(launch)
    return fitting[0] if len(fitting) == 1 and fitting[0].file else None


def _came(interpreter: Interpreter, outcome: Outcome) -> bool:
    """Whether a run came to the failing line by itself."""
    reach = interpreter.reach
    came = outcome.raised is not None and not reach.resumed
    return (came or reach.alone) and not reach.forced


def _documented(case: Case) -> Launch | None:
    """Return the first command of the program's documents, where it needs arguments to start.

    What the log shows of its settings must not be another run's.
    """
    run = case.engine.run
    text = case.workspace.text(run.script or "") or ""
    if not NEEDS_WORDS.search(text):
        return None
    return next((launch for launch in run.documented if run.agrees(launch)), None)


def _with_config(workspace: Workspace, launch: Launch, configs: Sequence[str]) -> Launch:
    """Return a command of the documents with the config file that the run had in place of its own.

    The log names that file, or prints its settings.
    """
    if len(configs) != 1:
        return launch
    named = [
        at
        for at, word in enumerate(launch.words)
        if isinstance(word.value, str) and word.text.endswith(CONFIG_EXTENSIONS)
    ]
    if len(named) != 1 or workspace.existing_file(launch.words[named[0]].text) == configs[0]:
        return launch
    words = list(launch.words)
    words[named[0]] = replace(words[named[0]], value=configs[0], text=configs[0])
    return replace(launch, words=tuple(words))


def _hidden_cells(case: Case) -> list[int]:
    """Return the numbers of the code cells that ran more often than the failing notebook shows."""
    file, line = case.places[0].file, case.places[0].line
    cells = case.workspace.cells(file) if file.endswith(".ipynb") else ()
    failed = next((cell for cell in cells if line in cell.raw), None)
    if failed is None or not failed.execution_count:
        return []
    return sorted({c.number for c in hidden_runs(cells, failed.execution_count).values()})


def _other_runs(
    workspace: Workspace,
    launches: Sequence[Launch],
    words: list[Value] | None,
    settings: Sequence[str],
) -> Iterator[tuple[list[Value] | None, str | None, str]]:
    """Yield command lines and config files of runs that may have failed, and what they are."""
    only = settings[0] if len(settings) == 1 else None
    if len(launches) > 1:
        for launch in launches[:MOST_RUNS]:
            name = f"the command of {launch.file}:{launch.line}" if launch.file else "a command"
            yield _words(workspace, launch), only, name
    elif len(settings) > 1:
        for file in settings[:MOST_RUNS]:
            yield words, file, f"`{file}`"


def _interpreter(
    case: Case,
    words: list[Value] | None,
    settings: str | None,
    steps: int = MOST_STEPS,
    *,
    repeated: bool = False,
    recorded: RecordedNames | None = None,
) -> Interpreter:
    # In a small workspace the slices of the code alone are as good.
    many = len(case.workspace.python_files()) > FEW_MODULES
    interpreter = (TracedInterpreter if many else Interpreter)(
        case.workspace,
        arguments=words,
        steps=steps,
        settings=settings,
        reported=_reported(case),
        expression=_expression(case),
        repeated=repeated,
        **interpreter_options(case),
    )
    interpreter.earlier = earlier_runs(case)
    interpreter.recorded = recorded
    return interpreter


_RECORDED: WeakKeyDictionary[Case, RecordedNames] = WeakKeyDictionary()


def recorded_names(case: Case) -> RecordedNames | None:
    """Return what the followed run of a case was given of its recorded variables, if anything."""
    follow(case)
    return _RECORDED.get(case)


def _recorded_names(case: Case) -> Iterator[RecordedNames]:
    """Yield what a recorder saw of a case: in the failing frame alone, then in all of them.

    What is worked out from the code is known with the lines that made it, a recorded value without
    them. So no more is taken from the record than what is needed to see the failure.
    """
    last = (case.places[-1].file, case.places[-1].line)
    frame = case.recorded.get(last)
    if frame is not None:
        yield RecordedNames({last: frame})
    if case.recorded:
        yield RecordedNames(case.recorded, insists=True)


_OPTIONS: WeakKeyDictionary[Case, dict[str, Any]] = WeakKeyDictionary()


def interpreter_options(case: Case) -> dict[str, Any]:
    """Return the arguments of `Interpreter` that are the same however a case's run is followed."""
    if case not in _OPTIONS:
        frames = without_opaque(tuple((place.file, place.line) for place in case.places))
        cause = case.failure.cause
        _OPTIONS[case] = {
            "script": frames[0][0],
            "target": frames[-1],
            "frames": frames,
            "underlined": _underlined(case),
            "exception": cause.type if cause is not None else "",
            "message": _message_of(case),
            "printed": case.engine.run.printed,
            "views": has_views(case),
        }
    return _OPTIONS[case]


_EARLIER: WeakKeyDictionary[Case, EarlierRuns] = WeakKeyDictionary()


def earlier_runs(case: Case) -> EarlierRuns:
    """Return the commands that ran before the failing one, by its launch file or by the log."""
    if case not in _EARLIER:
        run = case.engine.run
        launch = next((launch for launch in run.launches if launch.file), None)
        before = commands_before(case.workspace, launch) if launch is not None else ()
        commands: list[Command] = [
            (c.script, _words(case.workspace, c)) for c in before or run.before
        ]
        commands = commands or [(script, None) for script in run.printing]
        told = exported(case.workspace, launch) if launch is not None else {}
        variables = {
            name: Value(held.text, frozenset({(held.file, held.line)}))
            for name, held in told.items()
        }
        _EARLIER[case] = EarlierRuns(
            case.workspace, commands, case.places[0].file, variables=variables
        )
    return _EARLIER[case]


def has_views(case: Case) -> bool:
    """Whether the run had a pandas older than 3.0, as its Python or its requirements show.

    There a column that is taken from a table shows the table's cells; since then it is a copy
    (pandas, "What's new in 3.0.0", which needs Python 3.11).
    """
    paths = (frame.file for frame in case.failure.frames)
    minors = [int(m[1]) for path in paths if (m := PYTHON.search(path.replace("\\", "/")))]
    if minors and min(minors) < FIRST_WITH_COPIES:
        return True
    pinned = (f for f in case.workspace.files() if REQUIREMENTS.search(f))
    return any(OLD_PANDAS.search(case.workspace.text(f) or "") for f in list(pinned)[:4])


def _message_of(case: Case) -> str:
    """Return what the exception says, with the kernel's assertion that the log has for it."""
    cause = case.failure.cause
    return readable("\n".join((cause.message, *cause.notes))) if cause is not None else ""


def _underlined(case: Case) -> dict[Origin, str]:
    """Return the calls in progress that the traceback underlines, by the place of their frame."""
    found: dict[Origin, str] = {}
    for place in case.places:
        lines = case.workspace.lines(place.file)
        text = lines[place.line - 1] if place.line <= len(lines) else ""
        if place.expression and place.expression.endswith(")") and place.expression in text:
            found[place.file, place.line] = place.expression
    return found


def _expression(case: Case) -> str:
    """Return the failing expression: the underlined one, or the call that the frames below name."""
    place = case.places[-1]
    last = without_opaque(tuple((place.file, place.line) for place in case.places))[-1]
    if last != (place.file, place.line):
        own = [place for place in case.places if (place.file, place.line) == last]
        return own[-1].expression or ""
    if place.expression:
        return place.expression
    site = case.sites[-1] if case.sites else None
    if site is None or site.place != place or site.statement is None or len(site.nodes) != 1:
        return ""
    expr = site.nodes[0].expr
    is_whole = any(expr is head for head in header_expressions(site.statement))
    return "" if is_whole or not isinstance(expr, ast.expr) else unparsed(expr)


def _reported(case: Case) -> set[tuple[int, int]]:
    """Return the pairs of sizes that the message says differ."""
    sides = [_sizes_told(case, role) for role in (Role.ACTUAL, Role.EXPECTED)]
    if len(sides[0]) != len(sides[1]):
        return set()
    return {(a, b) for a, b in zip(*sides, strict=True) if a != b}


def _sizes_told(case: Case, role: Role) -> list[int]:
    """Return the sizes of a role; where there are none, those of shapes with one axis."""
    found = [f.value for f in case.facts.of(FactKind.SIZE, role) if isinstance(f.value, int)]
    if found:
        return found
    shapes = [f.value for f in case.facts.of(FactKind.SHAPE, role) if isinstance(f.value, tuple)]
    return [shape[0] for shape in shapes if len(shape) == 1 and isinstance(shape[0], int)]


def _settings(case: Case) -> tuple[str, ...]:
    """Return the config files that may be the run's."""
    return case.engine.run.files or tuple(
        file
        for file in case.config_files
        if file.endswith(CONFIG_EXTENSIONS) and not is_tooling(file)
    )


def _own_words(case: Case, launch: Launch) -> list[Value]:
    """Return the words of the failing command, with the first file that a pattern stands for.

    Of a loop over files that commands before wrote, the first round fails first.
    """
    words = _words(case.workspace, launch)
    for at, word in enumerate(words):
        text = word.data
        if isinstance(text, str) and PATTERN.search(text) and "/" in text and launch.file:
            option, mark, path = text.rpartition("=") if text.startswith("--") else ("", "", text)
            found = earlier_runs(case).matching(path)
            if found:
                words[at] = Value(f"{option}{mark}{found[0]}", word.origins)
    return words


PATTERN = re.compile(r"[*?]|\[[^\]]+\]")
"""What the shell replaces by names of files (Bash reference manual, "Filename Expansion")."""


def _words(workspace: Workspace, launch: Launch) -> list[Value]:
    """Return the words of a command line as values, options before what they are set to."""
    words: list[Value] = []
    for number, word in enumerate(launch.words):
        origins = frozenset({(word.file, word.line)}) if word.file else frozenset()
        line = launch.written_at.get(number, word.line)
        written = workspace.source_line(word.file, line) if word.file else ""
        data: object = word.text
        if "$" in word.text:
            default = DEFAULTED.fullmatch(word.text)
            data = default[1] if default else UNKNOWN
        name = ".".join(map(str, word.path))
        if any(isinstance(part, int) for part in word.path):
            words.append(Value(data, origins))
        elif _is_option(written, name):
            option = name if name.startswith("-") else f"--{name}"
            # A word of the command line may be empty, as that of `--gpu ''`.
            is_set = bool(word.text) or word.value == ""
            if is_set and isinstance(data, str) and _is_joined(written, option):
                words.append(Value(f"{option}={data}", origins))
                continue
            words.append(Value(option, origins))
            # The text of an option without a value is the option.
            is_flag = word.value is True and word.text.startswith("-")
            if is_set and not is_flag:
                words.append(Value(data, origins))
        else:
            joined = f"{name}={data}" if isinstance(data, str) else UNKNOWN
            words.append(Value(joined, origins))
    return words


def _is_joined(line: str, option: str) -> bool:
    """Whether an option and its value are written as one word (``--lr=3``) in a line."""
    return f"{option}=" in line or f"{option.replace('_', '-')}=" in line


def _is_option(line: str, name: str) -> bool:
    """Whether a word is written as an option (``--lr 3``) in a line, not as ``lr=3``."""
    if name.startswith("-") or not line:
        return True
    return f"--{name}" in line or f"-{name} " in line or f"--{name.replace('_', '-')}" in line
