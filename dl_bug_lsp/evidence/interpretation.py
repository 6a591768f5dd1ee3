"""The failure followed forwards: which constants, settings and data made values that do not fit.

The program is interpreted up to the failing line (`dl_bug_lsp.interpretation`). Where the failure
shows there too, both sides of it are known with everything that they were made of. Then small edits
are tried, one at a time, on what made only one of them: those after which the program gets past the
line, and nothing else stops fitting, are repairs (mutation-based localization: Moon et al., "Ask
the Mutants", ICST 2014; here the mutants are interpreted, not run).
"""

from __future__ import annotations

import ast
import math
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from dl_bug_lsp.evidence.values import Case, Clue, Suggestion
from dl_bug_lsp.interpretation.interpreter import Interpreter, Outcome
from dl_bug_lsp.interpretation.values import UNKNOWN, Array, Origin, Raised, Value
from dl_bug_lsp.provenance.launches import TOOLING, Launch
from dl_bug_lsp.tracebacks import FailureKind
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.values import ConfigEntry

CODE = (".py", ".ipynb")
MOST_EDITS = 80
MOST_WORK = 80_000
"""Steps of all trials of one failure together."""
MOST_STEPS = 30_000
SHARED = 0.25
"""What an origin counts that made both sides: no change of it brings them together by itself."""
MOST_NAMES = 8
DEFAULTED = re.compile(r"\$\{\w+:?-([^{}$]*)\}")
"""A variable of the shell with what it is without a value (POSIX, "Parameter Expansion")."""
PRIORS = {"value": 1.0, "name": 0.7, "shift": 0.9, "order": 0.8, "call": 0.5, "setting": 1.0}


@dataclass(frozen=True, slots=True)
class Trial:
    """One small edit: expressions to read instead, or a setting's other value."""

    place: Origin
    kind: str
    old: str
    new: str
    expressions: Mapping[int, ast.expr]
    setting: object = None


class EditedWorkspace:
    """A workspace in which one setting has another value; all else is as it was."""

    def __init__(self, workspace: Workspace, place: Origin, value: object) -> None:
        self._workspace = workspace
        self._place = place
        self._value = value

    def __getattr__(self, name: str) -> Any:
        return getattr(self._workspace, name)

    def config_entries(self, file: str) -> tuple[ConfigEntry, ...]:
        """Return the settings of a file, one of them changed."""
        entries = self._workspace.config_entries(file)
        if file != self._place[0]:
            return entries
        return tuple(
            replace(e, value=self._value, text=str(self._value))  # type: ignore[arg-type]
            if e.line == self._place[1] and e.length is None
            else e
            for e in entries
        )


def find(case: Case) -> Iterator[Clue]:
    """Yield what made the two sides of a failure that interpretation reproduces, and repairs."""
    if case.failure.kind is not FailureKind.EXCEPTION or not case.places:
        return
    run = Run(case)
    base = run.outcome()
    raised = base.raised
    if raised is None:
        return
    weights = _origins(raised)
    for (file, line), share in weights.items():
        if line > 0 and (file, line) != run.target:
            why = "a value that does not fit at the failing line was made of what stands here"
            yield Clue("interpretation.origin", file, line, share, why)
    yield from _repairs(case, run, base, raised, weights)


class Run:
    """The failing run, to be interpreted as it is or with an edit."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.target = (case.places[-1].file, case.places[-1].line)
        self.frames = tuple((place.file, place.line) for place in case.places)
        launches = case.engine.run.launches
        self.launch = launches[0] if len(launches) == 1 else None
        self.settings = _settings(case)
        self.left = MOST_WORK

    def outcome(self, trial: Trial | None = None) -> Outcome:
        """Interpret the run, with an edit where one is given."""
        workspace: Any = self.case.workspace
        edits: Mapping[int, ast.expr] = {}
        if trial is not None:
            edits = trial.expressions
            if trial.setting is not None:
                workspace = EditedWorkspace(workspace, trial.place, trial.setting)
        words = _words(self.case.workspace, self.launch, trial) if self.launch is not None else None
        interpreter = Interpreter(
            workspace,
            self.case.places[0].file,
            self.target,
            words,
            edits,
            min(MOST_STEPS, max(self.left, 1)),
            self.frames,
            self.settings,
        )
        found = interpreter.run()
        if trial is not None:
            self.left -= found.steps
        return found


def _settings(case: Case) -> str | None:
    """Return the config file of the run, where only one comes into question."""
    files = case.engine.run.files
    if not files:
        files = tuple(
            file
            for file in case.config_files
            if file.endswith((".yaml", ".yml", ".json", ".toml"))
            and posixpath.splitext(posixpath.basename(file))[0] not in TOOLING
        )
    return files[0] if len(files) == 1 else None


def _words(workspace: Workspace, launch: Launch, trial: Trial | None) -> list[Value]:
    """Return the words of a command line as values, options before what they are set to."""
    found: list[Value] = []
    for word in launch.words:
        origins = frozenset({(word.file, word.line)}) if word.file else frozenset()
        text = word.text
        here = trial is not None and (word.file, word.line) == trial.place
        if trial is not None and here and trial.setting is not None and text == trial.old:
            text = str(trial.setting)
        data: object = text
        if "$" in text:
            default = DEFAULTED.fullmatch(text)
            data = default[1] if default else UNKNOWN
        name = ".".join(map(str, word.path))
        if any(isinstance(part, int) for part in word.path):
            found.append(Value(data, origins))
        elif _is_option(workspace, word, name):
            found.append(Value(name if name.startswith("-") else f"--{name}", origins))
            if text:
                found.append(Value(data, origins))
        else:
            joined = f"{name}={data}" if isinstance(data, str) else UNKNOWN
            found.append(Value(joined, origins))
    return found


def _is_option(workspace: Workspace, word: ConfigEntry, name: str) -> bool:
    """Whether a word is written as an option (``--lr 3``), not as ``lr=3``."""
    if name.startswith("-"):
        return True
    if not word.file:
        return True
    line = workspace.source_line(word.file, word.line)
    return f"--{name}" in line or f"-{name} " in line or f"--{name.replace('_', '-')}" in line


def _origins(raised: Raised) -> dict[Origin, float]:
    """Return how much each place that made a side counts; what made all sides counts little."""
    sides = [frozenset(_all_origins(side)) for side in raised.sides]
    if not sides:
        return {}
    everywhere = frozenset.intersection(*sides) if len(sides) > 1 else frozenset()
    found: dict[Origin, float] = {}
    for side in sides:
        own = side - everywhere
        for origin in side:
            share = 1.0 / math.sqrt(max(len(own), 1)) if origin in own else SHARED
            found[origin] = max(found.get(origin, 0.0), share)
    return dict(sorted(found.items()))


def _all_origins(value: Value) -> set[Origin]:
    found = set(value.origins)
    data = value.data
    if isinstance(data, Array):
        for dim in data.shape or ():
            found |= dim.origins
    elif isinstance(data, (dict, list, tuple)):
        for item in list(data.values() if isinstance(data, dict) else data)[:20]:
            found |= item.origins
    return found


def _repairs(
    case: Case, run: Run, base: Outcome, raised: Raised, weights: Mapping[Origin, float]
) -> Iterator[Clue]:
    good: list[Trial] = []
    tried = 0
    for trial in _trials(case, run, raised, weights):
        if tried >= MOST_EDITS or run.left <= 0:
            break
        tried += 1
        if any(t.place == trial.place and t.kind == trial.kind for t in good):
            continue
        after = run.outcome(trial)
        gets_past = after.raised is None and after.passed and after.complete == base.complete
        if gets_past and after.elsewhere <= base.elsewhere:
            good.append(trial)
    total = sum(PRIORS[t.kind] for t in good)
    counts = Counter(t.place for t in good)
    for trial in good:
        file, line = trial.place
        if counts[trial.place] > 1 and trial.kind == "call":
            continue
        why = f"with `{trial.new}` in place of `{trial.old}` the values would fit"
        edit = Suggestion(file, line, trial.old, trial.new)
        score = PRIORS[trial.kind] / math.sqrt(max(total, 1.0))
        yield Clue(f"interpretation.{trial.kind}", file, line, min(score, 1.0), why, edit)


def _trials(
    case: Case, run: Run, raised: Raised, weights: Mapping[Origin, float]
) -> Iterator[Trial]:
    """Yield edits of the origins, what made one side only first, then of the lines on the stack."""
    numbers = [s.data for s in raised.sides if type(s.data) is int]
    order = sorted(weights, key=lambda o: (-weights[o], o))
    for place in order:
        if place[0].endswith(CODE):
            yield from _of_line(case, place, numbers)
        else:
            yield from _of_setting(case, place, numbers)
    for frame in reversed((*run.frames, *raised.stack)):
        if frame not in weights and frame[1] > 0:
            yield from _of_line(case, frame, numbers)


def _of_setting(case: Case, place: Origin, numbers: list[int]) -> Iterator[Trial]:
    entries = [e for e in case.workspace.config_entries(place[0]) if e.line == place[1]]
    launch = case.engine.run.launches[:1]
    words = [w for one in launch for w in one.words if (w.file, w.line) == place]
    for entry in (*entries[:4], *words):
        value = entry.value
        if isinstance(value, str):
            for other in _other_texts(value):
                yield Trial(place, "setting", entry.text, str(other), {}, other)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            for other in _other_numbers(value, numbers):
                yield Trial(place, "setting", entry.text, str(other), {}, other)
        elif isinstance(value, bool):
            yield Trial(place, "setting", entry.text, str(not value), {}, not value)


def _other_texts(text: str) -> list[object]:
    found: list[object] = []
    try:
        number = float(text)
        found.append(int(number) if number.is_integer() and "e" not in text.lower() else number)
    except ValueError:
        found.extend(t for t in (text.lower(), text.upper()) if t != text)
    return found


def _other_numbers(value: float, numbers: list[int]) -> list[float]:
    """Return what a number could be instead, given the two that do not fit."""
    found: dict[float, None] = {}
    if isinstance(value, int):
        for a in numbers:
            for b in numbers:
                if a != b and a:
                    found.setdefault(value + b - a)
                    if (value * b) % a == 0:
                        found.setdefault(value * b // a)
            found.setdefault(a)
        found.setdefault(value + 1)
        found.setdefault(value - 1)
    found.pop(value, None)
    return list(found)[:6]


def _of_line(case: Case, place: Origin, numbers: list[int]) -> Iterator[Trial]:
    """Yield edits of the expressions that begin on a line."""
    tree = case.workspace.tree(place[0])
    if tree is None:
        return
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.expr) and n.lineno == place[1]]
    for node in nodes[:40]:
        if isinstance(node, ast.Constant):
            yield from _of_constant(place, node, numbers)
        elif isinstance(node, ast.BinOp):
            yield from _of_shift(place, node)
        elif isinstance(node, ast.Call):
            yield from _of_call(place, node)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield from _of_name(case, place, node)


def _of_constant(place: Origin, node: ast.Constant, numbers: list[int]) -> Iterator[Trial]:
    value = node.value
    others: list[object] = []
    if isinstance(value, bool):
        others = [not value]
    elif isinstance(value, (int, float)):
        others = list(_other_numbers(value, numbers))
    elif isinstance(value, str):
        others = _other_texts(value)
    for other in others:
        new = ast.copy_location(ast.Constant(value=other), node)  # type: ignore[arg-type]
        yield Trial(place, "value", repr(value), repr(other), {id(node): new})


def _of_shift(place: Origin, node: ast.BinOp) -> Iterator[Trial]:
    """Take a small number off a sum, a factor off a product."""
    if isinstance(node.right, ast.Constant) and type(node.right.value) is int:
        told = ast.unparse(node)
        yield Trial(place, "shift", told, ast.unparse(node.left), {id(node): node.left})


def _of_call(place: Origin, node: ast.Call) -> Iterator[Trial]:
    """Swap neighbouring arguments; take a call away, so that its argument goes on as it is."""
    told = ast.unparse(node)
    for i in range(min(len(node.args), 5) - 1):
        args = [*node.args]
        args[i], args[i + 1] = args[i + 1], args[i]
        if any(isinstance(a, ast.Starred) for a in args):
            break
        new = ast.copy_location(ast.Call(func=node.func, args=args, keywords=node.keywords), node)
        yield Trial(place, "order", told, ast.unparse(new), {id(node): new})
    inner: ast.expr | None = None
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, (ast.Name, ast.Call)):
        inner = node.func.value
    elif len(node.args) == 1:
        inner = node.args[0]
    if inner is not None and not isinstance(inner, ast.Starred):
        yield Trial(place, "call", told, ast.unparse(inner), {id(node): inner})


def _of_name(case: Case, place: Origin, node: ast.Name) -> Iterator[Trial]:
    """Exchange a variable for others of the same function."""
    module = case.engine.program.module(place[0])
    scope = case.engine.program.scope_at(place[0], place[1]) if module is not None else None
    if scope is None:
        return
    names = {p.arg for p in scope.parameters()} | {n for n in scope.bindings if "." not in n}
    for other in sorted(names - {node.id, "self"})[:MOST_NAMES]:
        new = ast.copy_location(ast.Name(id=other, ctx=ast.Load()), node)
        yield Trial(place, "name", node.id, other, {id(node): new})
