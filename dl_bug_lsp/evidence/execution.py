"""What the failing run executed: its stack, its spectrum, and the steps of a recorded run.

Frames score 1/rank from the innermost one, as in BRTracer (Wong et al., ICSME 2014). Lines of a
spectrum score as `dl_bug_lsp.spectrum.combination` says. A case without a spectrum, without
recorded signatures of arguments or without recorded steps (``dl-bug-lsp run --spectrum``) yields
nothing from the respective source. Statements after the failing ones have not run.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.import_lines import ImportLines, import_lines, read_constants
from dl_bug_lsp.provenance.nodes import Node
from dl_bug_lsp.provenance.slices import backward_slice
from dl_bug_lsp.report import HANG
from dl_bug_lsp.spectrum.combination import (
    FEATURES,
    FailureCues,
    Suspicion,
    combine,
    cues_of,
    shipped_weights,
    stack_as_failing_run,
    stacks_of,
)
from dl_bug_lsp.spectrum.failing_runs import FailureSpectrum, counts_of_programs
from dl_bug_lsp.spectrum.spectrum import Counts, Element, Signature
from dl_bug_lsp.tracebacks import Failure, FailureKind, read_failures
from dl_bug_lsp.tracebacks.failures import SYNTAX_ERRORS
from dl_bug_lsp.workspace.notebooks import Cell, cell_name

MAX_FRAMES = 10
DEEP = 4
"""More library frames than this below the raise site: the library was at work on its own."""


_RAISED = {
    HANG: "the process stood still here",
    **dict.fromkeys(SYNTAX_ERRORS, "the parser of Python stopped here"),
}
"""What is said of the innermost place of failures that no statement there raised, by class."""


EDITED = "the cell was changed after the run"
"""What is said of a place at which another line stood when it failed."""


def find_frames(case: Case) -> Iterator[Clue]:
    """Yield the lines of the workspace frames."""
    seen: set[tuple[str, int]] = set()
    for rank, place in enumerate(reversed(case.places), 1):
        if rank > MAX_FRAMES:
            return
        if (place.file, place.line) in seen:
            continue
        seen.add((place.file, place.line))
        is_named = place.function and not place.function.startswith(("<", "?"))
        where = f" in {place.function}" if is_named else ""
        if rank == 1:
            why = f"{_RAISED.get(case.class_name, 'the error was raised here')}{where}"
            # A text that a library was given to parse stands elsewhere.
            if case.library_frames and case.class_name != HANG:
                why = f"the call from which the error came stands here{where}"
            if (place.file, place.line) in case.edited:
                why = f"the failing line stood here{where}; {EDITED}"
                if case.library_frames:
                    why = f"the call from which the error came stood here{where}; {EDITED}"
            yield Clue("stack_trace.raise_site", place.file, place.line, 1.0, why)
            kind = "stack_trace.raised_directly"
            if case.library_frames > DEEP:
                kind = "stack_trace.raised_deep_inside"
            elif case.library_frames:
                kind = "stack_trace.raised_inside"
            yield Clue(kind, place.file, place.line, 1.0, why)
        else:
            calls = "a call" if rank == 2 else f"{rank - 1} calls"
            why = f"leads to the error through {calls}{where}"
            if (place.file, place.line) in case.edited:
                why = f"a line that led to the error through {calls} stood here{where}; {EDITED}"
            yield Clue("stack_trace.frame", place.file, place.line, 1 / rank, why)
    for inner, callee, made in case.makers:
        why = f"`{made.text}` made `{callee.text}`, which the stack goes through"
        receiver, _, method = callee.text.rpartition(".")
        if receiver and not _is_assigned(made, method):
            # A method is not made: its object is, of this and perhaps of more.
            why = f"`{made.text}` goes into `{receiver}`, whose `{method}` the stack goes through"
        yield Clue("stack_trace.maker", made.file, made.line, 1 / (1 + inner / 3), why)


def _is_assigned(made: Node, attribute: str) -> bool:
    """Whether the module of an object's maker gives some object an attribute of this name."""
    module = made.context.scope
    while module.parent is not None:
        module = module.parent
    names = (name for scope in module.walk() for name in scope.bindings)
    return any(name.rpartition(".")[2] == attribute and "." in name for name in names)


MAX_LINES = 100
SCALE = 6.0
"""A line whose score is so far below the best one's gets no clue. The weight of the kind in
``weights.json`` gives a clue's score this size again."""
AT_IMPORT = 3.0
"""How much lower the score is of what runs when its file is imported, needed or not."""
READ = 1.0
"""How much lower a constant's or a default's score is than that of a line that reads it."""
READERS = 20
"""The most suspicious lines, whose constants are looked for."""
_SAID = {
    "frame": "a frame of the stack",
    "near_frame": "near a frame of the stack",
    "named_by_test": "the test's name names the file",
    "named_by_report": "the report names the file",
}


def find_executed(case: Case) -> Iterator[Clue]:
    """Yield the most suspicious lines; without a failing run the stack stands for one."""
    runs = case.runs
    if runs is None:
        return
    cues = _cues(case, runs)
    is_stack_alone = not runs.counts.failing
    weighted = runs.weighted
    if is_stack_alone:
        weighted = stack_as_failing_run(runs.counts, cues.stacks)
    counts = weighted if is_stack_alone else runs.counts
    lines = _Lines(case)
    listed = lines.judged(combine(lines.without_definitions(weighted), cues))[:MAX_LINES]
    top = listed[0][0] if listed else 0.0
    number = {element: i for i, element in enumerate(counts.elements)}
    for value, suspicion in listed:
        score = 1 - (top - value) / SCALE
        if score > 0:
            place = number[suspicion.element]
            why = _why(suspicion, counts.ef[place], counts.ep[place], counts, is_stack_alone)
            yield Clue(
                "spectrum.combined", suspicion.element.file, suspicion.element.line, score, why
            )
    for value, name, file, line, reader in lines.constants(listed):
        score = 1 - (top - value) / SCALE
        if score > 0:
            why = f"`{name}` gets its value here, which the suspicious line {reader} reads"
            yield Clue("spectrum.combined", file, line, score, why)


class _Lines:
    """What is known of the sources of executed lines."""

    def __init__(self, case: Case) -> None:
        self._workspace = case.workspace
        self._known: dict[str, ImportLines] = {}

    def without_definitions(self, counts: Counts) -> Counts:
        """Return the counts of what does something; of a default, the line that reads it tells."""
        elements = [
            i for i, e in enumerate(counts.elements) if e.line not in self._of(e.file).definitions
        ]
        return counts.where(elements) if any(counts.ef[i] for i in elements) else counts

    def judged(self, listed: list[Suspicion]) -> list[tuple[float, Suspicion]]:
        """Return the list with what runs at import further down."""
        judged = [
            (suspicion.score - self._less(suspicion.element), suspicion) for suspicion in listed
        ]
        return sorted(judged, key=lambda pair: -pair[0])

    def constants(
        self, listed: list[tuple[float, Suspicion]]
    ) -> Iterator[tuple[float, str, str, int, str]]:
        """Yield (score, name, file, line, reader) of what the most suspicious lines read."""
        weights = shipped_weights()
        for _, suspicion in listed[:READERS]:
            # Not the score of the list, which falls beside what was examined before.
            value = weights.sum(suspicion.row)
            file, line = suspicion.element.file, suspicion.element.line
            if line in self._of(file).inside:
                for name, home, at in read_constants(self._workspace, file, line, self._of(file)):
                    reader = str(line) if home == file else f"{file}:{line}"
                    yield value - READ, name, home, at, reader

    def _less(self, element: Element) -> float:
        known = self._of(element.file)
        return 0.0 if element.line in known.inside or not known.inside else AT_IMPORT

    def _of(self, file: str) -> ImportLines:
        if file not in self._known:
            self._known[file] = import_lines(self._workspace, file)
        return self._known[file]


def _cues(case: Case, runs: FailureSpectrum) -> FailureCues:
    """Read the failure's own part of the log; all of it where its own runs are not known.

    Then any failing run may be meant, and what the others printed belongs to the same fault as far
    as anybody knows.
    """
    files = {element.file for element in runs.counts.elements}
    inner = dict.fromkeys((place.file, place.line) for place in reversed(case.places))
    stacks = (tuple(inner),) if inner else stacks_of([case.failure], files)
    failures: tuple[Failure, ...] = (case.failure,)
    text = "\n".join(case.own_lines)
    if not runs.own and case.failure.primary and runs.counts.failing > 1:
        failures = read_failures(case.log).failures
        text = "\n".join(line.text for line in case.log.lines)
        stacks = tuple(dict.fromkeys((*stacks, *stacks_of(failures, files))))
    return cues_of(failures, text, files, runs.names, stacks)


def _why(suspicion: Suspicion, ef: int, ep: int, counts: Counts, is_stack_alone: bool) -> str:
    """Say how many runs execute the line, and what else speaks for it."""
    passing = f"{ep} of {counts.passing} passing runs"
    if is_stack_alone:
        why = f"on the way to the failure; executed by {passing}"
    else:
        why = f"executed by {ef} of {counts.failing} failing and {passing}"
    weights = shipped_weights().of
    parts = {
        name: weights[name] * value
        for name, value in zip(FEATURES, suspicion.row, strict=True)
        if name in _SAID and value > 0
    }
    if parts:
        why += f"; {_SAID[max(parts, key=lambda name: parts[name])]}"
    return why


MOST = 6
"""Odd arguments that are followed."""
LATER = 0.8
"""What each later one counts of the one before it."""
VARIED = 8
"""Passing forms of an argument beyond which another form is nothing odd."""
DECAY = 4.0
STEPS = 60


def find_signatures(case: Case) -> Iterator[Clue]:
    """Yield the functions that met odd arguments, their calls, and what these were made of."""
    for order, (odd, usual) in enumerate(odd_arguments(case)):
        strength = LATER**order / len(usual)
        now = f"`{odd.argument}` is {odd.text} in the failing step"
        before = f"{usual[0]} in those before" if len(usual) == 1 else "never before"
        why = f"{now}, {before}"
        yield Clue("signatures.entry", odd.file, odd.line, strength, why)
        if odd.call_line:
            yield Clue("signatures.call", odd.call_file, odd.call_line, strength, why)
            yield from _origins(case, odd, strength, why)


def odd_arguments(case: Case) -> list[tuple[Signature, list[str]]]:
    """Return signatures that only the failing step met, each with the forms that passed."""
    signatures = case.spectrum.signatures if case.spectrum is not None else ()
    passed: dict[tuple[str, str, str], list[str]] = {}
    for signature in signatures:
        if signature.passing:
            passed.setdefault((signature.file, signature.function, signature.argument), []).append(
                signature.text
            )
    odd = []
    for signature in signatures:
        usual = passed.get((signature.file, signature.function, signature.argument), [])
        if signature.failing and not signature.passing and 0 < len(usual) <= VARIED:
            odd.append((signature, usual))
    return odd[:MOST]


def _origins(case: Case, odd: Signature, strength: float, why: str) -> Iterator[Clue]:
    """Yield what decides about the values at the call, where the call is on the stack."""
    for site in case.sites:
        if (site.place.file, site.place.line) == (odd.call_file, odd.call_line):
            for step in backward_slice(list(site.nodes), STEPS):
                if step.decides and step.node.line > 0:
                    score = strength * math.exp(-step.distance / DECAY)
                    step_words = f"`{step.node.text}` goes into the call where {why}"
                    yield Clue(
                        "signatures.origin", step.node.file, step.node.line, score, step_words
                    )


RARE = 0.5
"""Share of the passing steps beyond which a line is nothing special."""
FEW = 3
"""Passing steps at which half of the difference is believed."""
NARROW = 5
"""Lines that may stand out at full strength; more of them say less, each."""


def find_steps(case: Case) -> Iterator[Clue]:
    """Yield the lines that stand out."""
    if case.spectrum is None:
        return
    counts = counts_of_programs(case.spectrum)
    if not counts.failing or not counts.passing:
        return
    belief = counts.passing / (counts.passing + FEW)
    rare = [
        i
        for i, element in enumerate(counts.elements)
        if counts.ef[i] and not element.target and counts.ep[i] <= RARE * counts.passing
    ]
    strength = belief * min(1.0, NARROW / max(len(rare), 1))
    for i in rare:
        element, ep = counts.elements[i], counts.ep[i]
        score = strength * (1 - ep / counts.passing)
        why = f"executed by the failing run, by {ep} of {counts.passing} steps or runs that pass"
        yield Clue("steps.rare", element.file, element.line, score, why)


AFTER_FAILURE = 0.1
"""What a clue counts in a statement that the failure kept from running."""
OF_ORDER = ("repair.", "missing.")
"""Kinds of clues that hold of such statements too: one may belong before the failing line."""
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
_SKIPPED: WeakKeyDictionary[Case, dict[str, set[int]]] = WeakKeyDictionary()


def clue_factor(case: Case, clue: Clue) -> float:
    """Return a clue's factor: little where the failure kept its line from running.

    Those are the statements after the failing one in the script, and in each function that the
    stack goes through from there, up to the first loop around a place of the stack: what stands in
    a function that is called once more may have run before. Nothing is said where a handler may
    have caught the exception. Of a notebook it is the cells that had not run yet, and the rest of
    the one that fails (`_cells_not_run`).
    """
    if clue.kind.startswith(OF_ORDER):
        return 1.0
    if case not in _SKIPPED:
        _SKIPPED[case] = _skipped(case)
    return AFTER_FAILURE if clue.line in _SKIPPED[case].get(clue.file, ()) else 1.0


def _skipped(case: Case) -> dict[str, set[int]]:
    """Return the lines, by file, that did not run since the failure came before them."""
    found: dict[str, set[int]] = {}
    if case.failure.kind is not FailureKind.EXCEPTION:
        return found
    first = case.places[0] if case.places else None
    if first is not None and first.file.endswith(".ipynb"):
        lines = _not_run_in_notebook(case, first.file, first.line)
        return {first.file: lines} if lines else found
    for number, place in enumerate(case.places):
        is_script = place.file.endswith(".py")
        scope = case.engine.program.scope_at(place.file, place.line) if is_script else None
        while scope is not None and isinstance(scope.node, ast.ClassDef):
            scope = scope.parent
        if scope is None or scope.is_module is not (number == 0):
            # The outermost place is no script's, or a later one is: that is another process's.
            return found
        is_in_loop = False
        for block, index in _blocks_around(scope.node, place.line):
            statement = block[index]
            if isinstance(statement, ast.Try) and statement.handlers:
                return {}
            if not is_in_loop:
                found.setdefault(place.file, set()).update(_lines_of(block[index + 1 :]))
            is_in_loop = is_in_loop or isinstance(statement, LOOPS)
        if is_in_loop:
            return found
    return found


def _not_run_in_notebook(case: Case, file: str, line: int) -> set[int]:
    """Return the lines of a notebook that did not run since the failure came before them."""
    cells, tree = case.workspace.cells(file), case.workspace.tree(file)
    failed = next((cell for cell in cells if line in cell.raw), None)
    if failed is None or tree is None:
        return set()
    # A name that is not defined may be defined in a cell that has not run.
    is_of_names = case.category.id == "undefined_variable"
    waiting = [] if is_of_names else _cells_not_run(case, cells, failed)
    later = {raw for cell in waiting for raw in cell.raw}
    lines = later.intersection(_lines_of(tree.body if isinstance(tree, ast.Module) else ()))
    for block, index in _blocks_around(tree, line):
        statement = block[index]
        if isinstance(statement, ast.Try) and statement.handlers:
            return set()
        lines |= set(_lines_of(block[index + 1 :])) & set(failed.raw)
        if isinstance(statement, LOOPS):
            break
    return lines


def _cells_not_run(case: Case, cells: Sequence[Cell], failed: Cell) -> list[Cell]:
    """Return the cells of a notebook that had not run when one failed, as far as that is known.

    Where the notebook keeps execution counts, these are the cells without one and those with a
    later one. Without counts it is the cells below where all cells up to the failing one ran once,
    in the order of the file: its number is the count that was printed, or a program ran them.
    """
    names = [cell_name(frame.file) for frame in case.failure.frames]
    printed = max((n.count for n in names if n is not None and n.count is not None), default=None)
    counted = [cell for cell in cells if cell.execution_count]
    if printed is not None and failed.execution_count == printed and len(counted) > 1:
        return [cell for cell in cells if not 0 < (cell.execution_count or 0) <= printed]
    if printed == failed.number or any(RUNNER.search(f.file) for f in case.failure.frames):
        return [cell for cell in cells if cell.number > failed.number]
    return []


RUNNER = re.compile(r"\b(?:nbclient|papermill|nbconvert)[\\/]")
"""Programs that run the cells of a notebook once, in the order of the file."""


def _blocks_around(scope: ast.AST, line: int) -> Iterator[tuple[list[ast.stmt], int]]:
    """Yield the blocks around a line, the outermost first, each with its statement's index."""
    parts: list[ast.AST] = [scope]
    while parts:
        blocks = [value for part in parts for _, value in ast.iter_fields(part)]
        parts = []
        for block in blocks:
            for index, inner in enumerate(block if isinstance(block, list) else ()):
                if isinstance(inner, ast.stmt) and _holds(inner, line):
                    yield block, index
                    parts = [inner]
                elif isinstance(inner, (ast.ExceptHandler, ast.match_case)):
                    parts.append(inner)


def _holds(statement: ast.stmt, line: int) -> bool:
    return statement.lineno <= line <= (statement.end_lineno or statement.lineno)


def _lines_of(statements: Sequence[ast.stmt]) -> Iterator[int]:
    """Yield the lines of statements that are no definitions."""
    for statement in statements:
        if not isinstance(statement, DEFINITIONS):
            yield from range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
