"""Recorded tests ranked: the failing tests' texts and the spectrum through `localize`.

A workspace's recorded spectrum as of now: read, brought to today's lines, with its texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dl_bug_lsp.data_folder import FOLDER
from dl_bug_lsp.localize import localize
from dl_bug_lsp.recording.journal import failing_text
from dl_bug_lsp.recording.spectra import Named, Recorded, branches_now, spectrum_now
from dl_bug_lsp.recording.store import NAME, Recording, read_recording
from dl_bug_lsp.recording.values import Session
from dl_bug_lsp.report import FailureReport, Options, Report
from dl_bug_lsp.spectrum.counting import count, count_functions
from dl_bug_lsp.spectrum.failure_words import title_of
from dl_bug_lsp.spectrum.table import Table, formula_table, shares_table
from dl_bug_lsp.spectrum.values import PROGRAM, Counts, Spectrum
from dl_bug_lsp.workspace import Workspace

LEVELS = ("line", "function", "branch")
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
    return Ranked(localize(text, workspace, options, spectrum), text, recorded)


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
    told = ranked.name(primary) if primary is not None else ""
    others: list[tuple[str, str]] = []
    for failure in report.failures:
        name = ranked.name(failure)
        if failure is not primary and failure.suspects and name not in (told, *dict(others)):
            first = failure.suspects[0]
            others.append((name, f"{first.file}:{first.line}"))
    if level == "line":
        return shares_table(lines, line_counts(spectrum), level, others, told)
    counts = count_functions(spectrum)
    known = {(element.file, element.function) for element in counts.elements}
    sums: dict[tuple[str, str], tuple[int, float, str]] = {}
    for file, line, function, share, why in lines:
        if (file, function) in known:
            first_line, total, said = sums.get((file, function), (line, 0.0, why))
            sums[file, function] = min(line, first_line), total + share, said
    ordered = sorted(sums.items(), key=lambda item: (-item[1][1], item[0]))
    functions = [(f, at, name, round(min(1.0, s), 4), why) for (f, name), (at, s, why) in ordered]
    return shares_table(functions, counts, level, others, told)


def counted_table(spectrum: Spectrum, formula: str, level: str) -> Table:
    """Return the table of a formula at a level; KeyError for an unknown formula."""
    if level == "function":
        return formula_table(count_functions(spectrum), formula, level)
    counts = count(spectrum)
    wanted = [i for i, e in enumerate(counts.elements) if bool(e.target) == (level == "branch")]
    return formula_table(counts.where(wanted), formula, level)


def heat_of(ranked: Ranked) -> dict[str, dict[int, float]]:
    """Return how suspicious lines are, by file: 1 for the first place of any failure."""
    found: dict[str, dict[int, float]] = {}
    for failure in ranked.report.failures:
        top = failure.suspects[0].score if failure.suspects else 0.0
        for suspect in failure.suspects if top > 0 else ():
            lines = found.setdefault(suspect.file, {})
            lines[suspect.line] = max(lines.get(suspect.line, 0.0), suspect.score / top)
    return found


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
    found = [one for one in workspace.elements(file).functions if not one.is_class]
    lines = workspace.lines(file) if found else ()
    return [(_body(lines, one.line), one.end_line, one.name) for one in found]


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
