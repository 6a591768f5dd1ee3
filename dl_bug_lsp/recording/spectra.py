"""From a recorded session to a spectrum of lines and branches, and to ranked tests.

The spectrum is of the files as they are now. A failing test counts with the phases up to the one
that failed, a passing one with all. A line that runs while a file is imported (a definition, a
constant) counts for every test that runs anything in that file. Of a failing run whose loop was
recorded, the iterations count and not the run itself, which executed all that any iteration did;
what ran around the loop counts for every iteration. The failing tests' texts and the spectrum are
ranked through `localize`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import repeat
from pathlib import Path

from dl_bug_lsp.data_folder import FOLDER
from dl_bug_lsp.localize import localize
from dl_bug_lsp.post_mortem.records import read_of_tests
from dl_bug_lsp.recording.session import (
    CRASHED,
    Arc,
    Hits,
    Phase,
    RecordedTest,
    Session,
    lines_of,
    numbits_of,
    union,
)
from dl_bug_lsp.recording.session_folder import failing_text
from dl_bug_lsp.recording.store import NAME, Recording, read_recording
from dl_bug_lsp.report import FailureReport, Options, Report
from dl_bug_lsp.spectrum.failing_runs import title_of
from dl_bug_lsp.spectrum.formulas import Table, formula_table, shares_table
from dl_bug_lsp.spectrum.spectrum import (
    PROGRAM,
    Counts,
    Element,
    Run,
    Signature,
    Spectrum,
    count,
    count_functions,
    spectrum_of,
)
from dl_bug_lsp.workspace import Workspace

_ORDER = (Phase.SETUP, Phase.CALL, Phase.TEARDOWN)

Named = Sequence[tuple[int, int, str]]
"""(first line, last line, dotted name) of functions, 1-based."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A spectrum of today's lines.

    ``texts`` are the failing tests' outputs by name; ``changed`` and ``gone`` are the files that
    are no longer as they ran: of changed lines nothing is known.
    """

    spectrum: Spectrum
    texts: Mapping[str, str]
    changed: tuple[str, ...]
    gone: tuple[str, ...]


def counted_phases(test: RecordedTest) -> tuple[Phase, ...]:
    """Return the phases of a test that tell something about its outcome."""
    if test.failed_in is None:
        return _ORDER
    return _ORDER[: _ORDER.index(test.failed_in) + 1]


def lines_by_file(test: RecordedTest, session: Session) -> dict[str, bytes]:
    """Return the lines that count for a test, as numbits by file, as they stood when it ran."""
    phases = counted_phases(test)
    by_file: dict[str, bytes] = {}
    for (phase, file), hits in test.hits.items():
        if phase in phases:
            by_file[file] = union(by_file.get(file, b""), hits.lines)
    nothing = Hits(b"")
    return {
        file: union(lines, session.imported.get(file, nothing).lines)
        for file, lines in by_file.items()
    }


def spectrum_now(
    recording: Recording,
    text_now: Callable[[str], str | None],
    functions: Callable[[str], Named],
) -> Recorded:
    """Bring the recorded tests together as a spectrum of today's lines.

    ``text_now`` returns a file's text today (None where it is gone), ``functions`` what is defined
    in it. Tests that were skipped or failed as expected are left out.
    """
    places = _Places(text_now)
    runs: list[Run] = []
    ran: list[dict[str, list[int]]] = []
    texts: dict[str, str] = {}
    signatures: list[Signature] = []
    in_parts = {test.part_of for test in recording.tests if test.part_of}
    for session in recording.sessions:
        for test in session.tests:
            if test.outcome.is_failing:
                if not test.part_of:
                    texts[test.name] = "" if test.text == CRASHED else test.text
            elif not test.outcome.is_passing:
                continue
            signatures += places.signatures(session, test)
            if test.name in in_parts:
                continue
            runs.append(Run(test.name, test.outcome, test.weight))
            files = lines_by_file(test, session).items()
            ran.append({file: places.today(session, file, lines) for file, lines in files})
    return Recorded(
        replace(_spectrum(tuple(runs), ran, functions), signatures=_summed(signatures)),
        texts,
        tuple(sorted(places.changed)),
        tuple(sorted(places.gone)),
    )


class _Places:
    """Today's lines of recorded ones; each file of a session is compared once."""

    def __init__(self, text_now: Callable[[str], str | None]) -> None:
        self._text_now = text_now
        self._texts: dict[str, str | None] = {}
        self._anchorings: dict[tuple[str, str], Anchoring] = {}
        self.changed: set[str] = set()
        self.gone: set[str] = set()

    def today(self, session: Session, file: str, numbits: bytes) -> list[int]:
        """Return where recorded lines stand today, those that do, rising."""
        if file not in self._texts:
            self._texts[file] = self._text_now(file)
        then, now = session.sources.get(file), self._texts[file]
        if now is None:
            self.gone.add(file)
            return []
        lines = lines_of(numbits)
        if then is None or then == now:
            return lines
        self.changed.add(file)
        if (file, then) not in self._anchorings:
            self._anchorings[file, then] = Anchoring(then, now)
        anchoring = self._anchorings[file, then]
        return [line for line in map(anchoring.now, lines) if line is not None]

    def signatures(self, session: Session, test: RecordedTest) -> list[Signature]:
        """Return a test's signatures at today's lines; those of changed functions are left out."""
        signatures: list[Signature] = []
        for signature in test.signatures:
            line = self._line(session, signature.file, signature.line)
            call = self._line(session, signature.call_file, signature.call_line)
            if line:
                signatures.append(replace(signature, line=line, call_line=call))
        return signatures

    def _line(self, session: Session, file: str, line: int) -> int:
        here = self.today(session, file, numbits_of([line])) if file and line > 0 else ()
        return next(iter(here), 0)


def _summed(signatures: Sequence[Signature]) -> tuple[Signature, ...]:
    """Return each signature once, of the arguments that a failing run met."""
    summed: dict[tuple[str, str, str, str], Signature] = {}
    for signature in signatures:
        key = (signature.file, signature.function, signature.argument, signature.text)
        old = summed.pop(key, None)
        if old is not None:
            passing, failing = signature.passing + old.passing, signature.failing + old.failing
            signature = replace(signature, passing=passing, failing=failing)
        summed[key] = signature
    met = {key[:3] for key, signature in summed.items() if signature.failing}
    return tuple(signature for key, signature in summed.items() if key[:3] in met)


def _spectrum(
    runs: tuple[Run, ...], ran: Sequence[Mapping[str, list[int]]], functions: Callable[[str], Named]
) -> Spectrum:
    lines: dict[str, set[int]] = {}
    for by_file in ran:
        for file, numbers in by_file.items():
            lines.setdefault(file, set()).update(numbers)
    elements: list[Element] = []
    places: dict[str, dict[int, int]] = {}
    for file in sorted(lines):
        names = function_names(functions(file))
        numbers = sorted(lines[file])
        places[file] = {line: len(elements) + at for at, line in enumerate(numbers)}
        elements += [Element(file, line, function=names.get(line, "")) for line in numbers]
    rows, columns = array("q"), array("q")
    for row, by_file in enumerate(ran):
        for file, numbers in by_file.items():
            columns.extend(map(places[file].__getitem__, numbers))
            rows.extend(repeat(row, len(numbers)))
    return Spectrum(runs, tuple(elements), rows, columns)


def function_names(functions: Named) -> dict[int, str]:
    """Return the innermost function's name by line."""
    by_line: dict[int, str] = {}
    for first, last, name in sorted(functions, key=lambda span: (span[0], -span[1])):
        by_line.update(dict.fromkeys(range(first, last + 1), name))
    return by_line


def branches_now(
    recording: Recording,
    text_now: Callable[[str], str | None],
    functions: Callable[[str], Named],
) -> Spectrum:
    """Return the spectrum of branches: jumps from lines that more than one jump leaves.

    Those that changed or gone lines had are left out. Tests that were skipped or failed as expected
    do not count.
    """
    ran = [
        (session, test)
        for session in recording.sessions
        for test in session.tests
        if test.outcome.is_failing or test.outcome.is_passing
    ]
    ways: dict[tuple[int, str, int], set[int]] = {}
    for session, test in ran:
        for file, (first, last) in _jumps(test):
            ways.setdefault((id(session), file, first), set()).add(last)
    places: dict[tuple[int, str], Anchoring | None] = {}
    names: dict[str, dict[int, str]] = {}

    def element(session: Session, file: str, arc: Arc) -> Element | None:
        key = id(session), file
        if key not in places:
            now = text_now(file)
            places[key] = (
                Anchoring(session.sources.get(file, now), now) if now is not None else None
            )
            names[file] = function_names(functions(file)) if now is not None else {}
        anchoring = places[key]
        line = anchoring.now(arc[0]) if anchoring is not None else None
        target = anchoring.now(abs(arc[1])) if anchoring is not None else None
        if line is None or target is None:
            return None
        return Element(file, line, target if arc[1] > 0 else -target, names[file].get(line, ""))

    def elements(session: Session, test: RecordedTest) -> Iterator[Element]:
        for file, arc in _jumps(test):
            if len(ways[id(session), file, arc[0]]) > 1:
                branch = element(session, file, arc)
                if branch is not None:
                    yield branch

    return spectrum_of(
        (Run(test.name, test.outcome, test.weight), elements(session, test))
        for session, test in ran
    )


def _jumps(test: RecordedTest) -> Iterator[tuple[str, Arc]]:
    phases = counted_phases(test)
    for (phase, file), hits in test.hits.items():
        if phase in phases:
            yield from ((file, arc) for arc in hits.arcs if arc[0] > 0)


LARGEST_CHANGE = 4_000
"""Lines of a changed region; beyond it nothing in the region is compared."""


class Anchoring:
    """Says where the lines of an older text stand in today's; built once a file."""

    def __init__(self, then: str, now: str) -> None:
        old, new = then.splitlines(), now.splitlines()
        self._head = _common(old, new)
        tail = _common(old[self._head :][::-1], new[self._head :][::-1])
        self._old_end = len(old) - tail
        self._shift = len(new) - len(old)
        self._inside: dict[int, int] = {}
        middle = old[self._head : self._old_end], new[self._head : len(new) - tail]
        if max(map(len, middle)) <= LARGEST_CHANGE:
            matcher = SequenceMatcher(None, *middle, autojunk=False)
            for start, at, size in matcher.get_matching_blocks():
                for step in range(size):
                    if middle[0][start + step].strip():
                        self._inside[self._head + start + step + 1] = self._head + at + step + 1

    def now(self, line: int) -> int | None:
        """Return today's 1-based line of an older one, None where it was changed or deleted."""
        if line <= self._head:
            return line
        if line > self._old_end:
            return line + self._shift
        return self._inside.get(line)


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many first lines are equal."""
    for at, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return at
    return min(len(left), len(right))


LONGEST_HEADER = 100
"""Lines that a function's header may have."""


def spectrum_file(root: Path) -> Path:
    """Return where a workspace keeps its spectrum."""
    return root / FOLDER / NAME


def current_spectrum(
    workspace: Workspace, recording: Recording | None = None, *, branches: bool = False
) -> Recorded:
    """Return a recording (by default the workspace's own) at today's lines; raises `StoreError`.

    With ``branches`` the spectrum is that of branches in place of lines.
    """
    held = one_kind(recording or read_recording(spectrum_file(workspace.root)))

    def functions(file: str) -> Named:
        return functions_of(workspace, file)

    recorded = spectrum_now(held, workspace.text, functions)
    if not branches:
        return recorded
    return replace(recorded, spectrum=branches_now(held, workspace.text, functions))


def one_kind(recording: Recording) -> Recording:
    """Return the sessions that can be compared: those of tests, or those of one program.

    What fails comes first, of several what ran last.
    """
    kinds: dict[str, list[Session]] = {}
    for session in recording.sessions:
        is_program = any(test.name.startswith(PROGRAM) for test in session.tests)
        kinds.setdefault(session.command if is_program else "", []).append(session)
    if len(kinds) < 2:
        return recording

    def rank(kind: str) -> tuple[bool, str]:
        fails = any(test.outcome.is_failing for s in kinds[kind] for test in s.tests)
        return fails, max(session.started for session in kinds[kind])

    return Recording(tuple(kinds[max(kinds, key=rank)]))


def functions_of(workspace: Workspace, file: str) -> Named:
    """Return (first line, last line, dotted name) of the bodies of a file's functions.

    Their headers run when the file is imported, whoever calls them.
    """
    functions = [
        function for function in workspace.elements(file).functions if not function.is_class
    ]
    lines = workspace.lines(file) if functions else ()
    return [
        (_body(lines, function.line), function.end_line, function.name) for function in functions
    ]


def _body(lines: Sequence[str], header: int) -> int:
    """Return the line after a header that begins, with its decorators, at a 1-based line."""
    depth = 0
    for number in range(header, min(len(lines), header + LONGEST_HEADER) + 1):
        code = lines[number - 1].partition("#")[0].strip()
        depth += sum(code.count(c) for c in "([{") - sum(code.count(c) for c in ")]}")
        if depth <= 0 and code.endswith(":"):
            return number + 1
    return header


def stale(recorded: Recorded) -> str:
    """Return a sentence on files that are not as they ran, empty where all are."""
    parts = []
    if recorded.changed:
        parts.append(
            f"{_named(recorded.changed)} changed since the tests ran: changed lines have no counts"
        )
    if recorded.gone:
        parts.append(
            f"{_named(recorded.gone)} is gone"
            if len(recorded.gone) == 1
            else f"{_named(recorded.gone)} are gone"
        )
    return "; ".join(parts) + ("; run the tests again" if parts else "")


def _named(files: tuple[str, ...]) -> str:
    shown = ", ".join(files[:3])
    return shown if len(files) <= 3 else f"{shown} and {len(files) - 3} more files"


# ---------------------------------------------------------------------- ranked tests
ALL = Options(0, 0)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A report on the failing tests and the text that it is about."""

    report: Report
    text: str
    recorded: Recorded

    def name(self, failure: FailureReport) -> str:
        """Return the failing test that a failure's heading names, else its first words."""
        lines = self.text.splitlines()
        at = failure.span.first_line - 1
        title = title_of(lines[at]) if 0 <= at < len(lines) else ""
        return title or (failure.exception.message.partition("\n")[0] if failure.exception else "")


def ranked_now(workspace: Workspace, recorded: Recorded, options: Options = ALL) -> Ranked:
    """Rank what the failing tests executed; the report is empty where none fails.

    It is also empty where nothing is known of them: neither a line nor a word of output.
    """
    text = failing_text(recorded.texts)
    counts = count(recorded.spectrum)
    spectrum = recorded.spectrum if text or any(counts.ef) else None
    exceptions = read_of_tests(workspace.root)
    report = localize(text, workspace, options, spectrum, exceptions=exceptions)
    return Ranked(report, text, recorded)


def line_counts(spectrum: Spectrum) -> Counts:
    """Return the counts of the lines of a spectrum; branches are elements of their own."""
    counts = count(spectrum)
    return counts.where([i for i, e in enumerate(counts.elements) if not e.target])


def combined_table(ranked: Ranked, level: str) -> Table:
    """Return the primary failure's lines, or functions by the sum of their lines' shares."""
    report, spectrum = ranked.report, ranked.recorded.spectrum
    primary = report.primary
    suspects = primary.suspects if primary is not None else ()
    lines = [
        (s.file, s.line, s.function or "", s.score, s.evidence[0].why if s.evidence else "")
        for s in suspects
    ]
    test_name = ranked.name(primary) if primary is not None else ""
    others: list[tuple[str, str]] = []
    for failure in report.failures:
        name = ranked.name(failure)
        if failure is not primary and failure.suspects and name not in (test_name, *dict(others)):
            first = failure.suspects[0]
            others.append((name, f"{first.file}:{first.line}"))
    if level == "line":
        return shares_table(lines, line_counts(spectrum), level, others, test_name)
    counts = count_functions(spectrum)
    known = {(element.file, element.function) for element in counts.elements}
    sums: dict[tuple[str, str], tuple[int, float, str]] = {}
    for file, line, function, share, why in lines:
        if (file, function) in known:
            first_line, total, reason = sums.get((file, function), (line, 0.0, why))
            sums[file, function] = min(line, first_line), total + share, reason
    ordered = sorted(sums.items(), key=lambda item: (-item[1][1], item[0]))
    functions = [(f, at, name, round(min(1.0, s), 4), why) for (f, name), (at, s, why) in ordered]
    return shares_table(functions, counts, level, others, test_name)


def counted_table(spectrum: Spectrum, formula: str, level: str) -> Table:
    """Return the table of a formula at a level; KeyError for an unknown formula."""
    if level == "function":
        return formula_table(count_functions(spectrum), formula, level)
    counts = count(spectrum)
    indices = [i for i, e in enumerate(counts.elements) if bool(e.target) == (level == "branch")]
    return formula_table(counts.where(indices), formula, level)


def heat_of(ranked: Ranked) -> dict[str, dict[int, float]]:
    """Return how suspicious lines are, by file: 1 for the first place of any failure."""
    heat: dict[str, dict[int, float]] = {}
    for failure in ranked.report.failures:
        top = failure.suspects[0].score if failure.suspects else 0.0
        for suspect in failure.suspects if top > 0 else ():
            lines = heat.setdefault(suspect.file, {})
            lines[suspect.line] = max(lines.get(suspect.line, 0.0), suspect.score / top)
    return heat
