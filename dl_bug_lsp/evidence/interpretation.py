"""The failure followed forwards: which constants, settings and data made values that do not fit.

The program is interpreted up to the failing line (`dl_bug_lsp.interpretation`). Where the failure
shows there too, both sides of it are known with everything that they were made of. What made both
sides counts little: no change of it brings them together by itself.
"""

from __future__ import annotations

import ast
import math
import posixpath
import re
from collections.abc import Iterator, Sequence

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data_files import numbers_of
from dl_bug_lsp.interpretation.interpreter import Interpreter, Outcome
from dl_bug_lsp.interpretation.values import UNKNOWN, Array, Origin, Raised, Value
from dl_bug_lsp.messages.values import FactKind, Role
from dl_bug_lsp.provenance.launches import TOOLING, Launch
from dl_bug_lsp.provenance.stack import header_expressions, unparsed
from dl_bug_lsp.tracebacks import FailureKind
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.values import ConfigEntry

MOST_STEPS = 30_000
MOST_STEPS_OF_OTHERS = 60_000
"""Steps of all runs together that are tried where nothing says which one failed."""
MOST_RUNS = 6
SETTINGS = (".yaml", ".yml", ".json", ".toml")
SHARED = 0.25
"""What an origin counts that made both sides."""
CONFIRMED = 0.25
"""What an origin's share is multiplied by whose size fitted others before the failure."""
MOST_ITEMS = 20
MOST_TEXT = 40
SEEN = "(worked out from the code, not from the run)"
"""How a sentence says that no run has shown it."""
ASSUMED = "(worked out from the code, not from the run, which is assumed to have used {})"
"""The same where nothing says which command or config file the failing run had."""
MADE_OPERAND = "what this line makes goes into the failing expression"
MADE_VALUE = "what this line makes goes into the value that fails"
WORDLESS = (MADE_OPERAND, MADE_VALUE)
"""Beginnings of sentences that only say that a value arrives."""
DEFAULTED = re.compile(r"\$\{\w+:?-([^{}$]*)\}")
"""A variable of the shell with what it is without a value (POSIX, "Parameter Expansion")."""


def find(case: Case) -> Iterator[Clue]:
    """Yield what made the two sides of a failure that interpretation reproduces."""
    if case.failure.kind is not FailureKind.EXCEPTION or not case.places:
        return
    outcome, seen = follow(case)
    raised = outcome.raised
    if raised is None:
        yield from _operands(case, outcome, seen)
        return
    target = (case.places[-1].file, case.places[-1].line)
    why = _why(raised, seen)
    for (file, stated), share in _shares(raised.sides).items():
        # What ends too early fails after its last line.
        line = min(stated, len(case.workspace.lines(file)))
        if line > 0 and (file, line) != target:
            fits = (file, stated) in outcome.agreed
            score = share * CONFIRMED if fits else share
            yield Clue("interpretation.origin", file, line, score, why)


def _operands(case: Case, outcome: Outcome, seen: str) -> Iterator[Clue]:
    """Yield what made the failing expression's operands, of which none is known to be wrong."""
    target = (case.places[-1].file, case.places[-1].line)
    operands = outcome.operands
    if case.category.id == "tensor_mismatch":
        operands = tuple(value for value in operands if _may_shape(case, value))
    for (file, line), share in _shares(operands).items():
        if 0 < line <= len(case.workspace.lines(file)) and (file, line) != target:
            score = share * CONFIRMED if (file, line) in outcome.agreed else share
            yield Clue("interpretation.operand", file, line, score, f"{MADE_OPERAND} {seen}")


def _may_shape(case: Case, value: Value) -> bool:
    """Whether a value may be why shapes differ: of plain ones, the numbers of the message alone."""
    if isinstance(value.data, int) and not isinstance(value.data, bool):
        return value.data in numbers_of(case)
    return value.data is not None and not isinstance(value.data, (bool, float, str))


def follow(case: Case) -> tuple[Outcome, str]:
    """Interpret the failing run up to the failing line; also return how sure that run is, in words.

    Where nothing says which command line or which config file it was, the first of them that leads
    to the failure is taken for the run's.
    """
    launches, settings = case.engine.run.launches, _settings(case)
    words = _words(case.workspace, launches[0]) if len(launches) == 1 else None
    outcome = _interpreted(case, words, settings[0] if len(settings) == 1 else None)
    left, seen = MOST_STEPS_OF_OTHERS, SEEN
    for others, file, name in _other_runs(case.workspace, launches, words, settings):
        if outcome.raised is not None or left <= 0:
            break
        tried = _interpreted(case, others, file, min(left, MOST_STEPS))
        left -= tried.steps
        if tried.raised is not None:
            outcome, seen = tried, ASSUMED.format(name)
    return outcome, seen


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


def _interpreted(
    case: Case, words: list[Value] | None, settings: str | None, steps: int = MOST_STEPS
) -> Outcome:
    frames = tuple((place.file, place.line) for place in case.places)
    interpreter = Interpreter(
        case.workspace,
        frames[0][0],
        frames[-1],
        words,
        steps=steps,
        frames=frames,
        settings=settings,
        reported=_reported(case),
        exception=case.failure.cause.type if case.failure.cause is not None else "",
        expression=_expression(case),
        message=case.failure.cause.message if case.failure.cause is not None else "",
    )
    return interpreter.run()


def _expression(case: Case) -> str:
    """Return the failing expression: the underlined one, or the call that the frames below name."""
    place = case.places[-1]
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
    sides = [
        [f.value for f in case.facts.of(FactKind.SIZE, role) if isinstance(f.value, int)]
        for role in (Role.ACTUAL, Role.EXPECTED)
    ]
    if len(sides[0]) != len(sides[1]):
        return set()
    return {(a, b) for a, b in zip(*sides, strict=True) if a != b}


def _why(raised: Raised, seen: str) -> str:
    shown = [text for text in map(_shown, raised.sides[:2]) if text]
    if len(shown) == 2 and shown[0] != shown[1] and len({text[0] == "(" for text in shown}) == 1:
        return (
            f"what this line makes goes into one of two values that do not fit each other: "
            f"{shown[0]} and {shown[1]} {seen}"
        )
    return f"{MADE_VALUE} {seen}"


def _shown(value: Value) -> str:
    """Return a side as the sentence shows it, empty where it is not short."""
    data = value.data
    if isinstance(data, Array) and data.sizes is not None:
        return "(" + ", ".join("?" if n is None else str(n) for n in data.sizes) + ")"
    if isinstance(data, (int, float, str)):
        text = repr(data)
        return text if len(text) <= MOST_TEXT else ""
    return ""


def _shares(values: Sequence[Value]) -> dict[Origin, float]:
    """Return how much each place that made a side counts; what made all sides counts little."""
    made = [frozenset(_all_origins(value)) for value in values]
    sides = [side for side in made if side]
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
        for item in list(data.values() if isinstance(data, dict) else data)[:MOST_ITEMS]:
            found |= item.origins
    return found


def _settings(case: Case) -> tuple[str, ...]:
    """Return the config files that may be the run's."""
    return case.engine.run.files or tuple(
        file
        for file in case.config_files
        if file.endswith(SETTINGS)
        and posixpath.splitext(posixpath.basename(file))[0] not in TOOLING
    )


def _words(workspace: Workspace, launch: Launch) -> list[Value]:
    """Return the words of a command line as values, options before what they are set to."""
    found: list[Value] = []
    for word in launch.words:
        origins = frozenset({(word.file, word.line)}) if word.file else frozenset()
        data: object = word.text
        if "$" in word.text:
            default = DEFAULTED.fullmatch(word.text)
            data = default[1] if default else UNKNOWN
        name = ".".join(map(str, word.path))
        if any(isinstance(part, int) for part in word.path):
            found.append(Value(data, origins))
        elif _is_option(workspace, word, name):
            found.append(Value(name if name.startswith("-") else f"--{name}", origins))
            if word.text:
                found.append(Value(data, origins))
        else:
            joined = f"{name}={data}" if isinstance(data, str) else UNKNOWN
            found.append(Value(joined, origins))
    return found


def _is_option(workspace: Workspace, word: ConfigEntry, name: str) -> bool:
    """Whether a word is written as an option (``--lr 3``), not as ``lr=3``."""
    if name.startswith("-") or not word.file:
        return True
    line = workspace.source_line(word.file, word.line)
    return f"--{name}" in line or f"-{name} " in line or f"--{name.replace('_', '-')}" in line
