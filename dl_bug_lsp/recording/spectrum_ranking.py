"""Recorded tests ranked: the failing tests' texts and the spectrum through `localize`."""

from __future__ import annotations

from dataclasses import dataclass

from dl_bug_lsp.localize import localize
from dl_bug_lsp.recording.journal import failing_text
from dl_bug_lsp.recording.spectra import Recorded
from dl_bug_lsp.report import FailureReport, Options, Report
from dl_bug_lsp.spectrum.failure_words import title_of
from dl_bug_lsp.spectrum.spectrum import Counts, Spectrum, count, count_functions
from dl_bug_lsp.spectrum.table import Table, formula_table, shares_table
from dl_bug_lsp.workspace import Workspace

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
