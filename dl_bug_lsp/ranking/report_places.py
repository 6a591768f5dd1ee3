"""The suspects and files of a bug report: its ranking and, where it has one, its traceback's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.bug_reports import BugReport
from dl_bug_lsp.evidence.values import Case
from dl_bug_lsp.ranking.fusion import Candidate
from dl_bug_lsp.ranking.report_weights import ReportWeights
from dl_bug_lsp.report import Evidence, Options, Suspect, SuspectFile

if TYPE_CHECKING:
    from dl_bug_lsp.ranking.report_ranking import ReportRanking

MAX_EVIDENCE = 4
TRACED_ALONE = 0.3
"""What a line keeps of its share by the traceback where the report's words do not lead to it."""
SENTENCES: dict[str, str] = {
    "file": "its words are the report's",
    "function": "one of its functions speaks of what the report speaks of",
    "rvsm": "its words are the report's",
    "classes": "its classes are named like the report's words",
    "functions": "its functions are named like the report's words",
    "variables": "its variables are named like the report's words",
    "path": "its path has words of the report",
    "stem": "the report names it",
    "names": "defines names of the report",
    "paths": "the report names it",
    "modules": "the report names it",
    "links": "the report links to it",
    "stack": "is on the stack",
    "changes": "changed often of late",
    "commits": "changed by commits that speak of the like",
    "near": "is near to other suspects: imported, tested, or changed with them",
}
KINDS = {
    "stack": "stack_trace",
    "changes": "change_history",
    "commits": "change_history",
    "near": "structure",
    "names": "structure",
    "classes": "structure",
    "functions": "structure",
    "variables": "structure",
    "modules": "structure",
    "paths": "structure",
    "links": "structure",
    "stem": "structure",
    "path": "structure",
}


def report_places(
    case: Case,
    report: BugReport,
    weights: ReportWeights,
    traced: Sequence[tuple[Candidate, float]],
    options: Options,
) -> tuple[tuple[Suspect, ...], tuple[SuspectFile, ...]]:
    """Rank lines and files for a report; ``traced`` are the clues' lines with their shares."""
    from dl_bug_lsp.evidence.reports.frames import Traced
    from dl_bug_lsp.evidence.reports.scene import Scene
    from dl_bug_lsp.ranking.report_ranking import ReportRanking

    given = {(c.file, c.line): share for c, share in traced} if case.places else {}
    ranking = ReportRanking(Scene(report, case.workspace), weights, Traced(case.located, given))
    files = tuple(
        SuspectFile(rank, ranking.scene.files[row], round(float(ranking.file_shares[row]), 4))
        for rank, row in enumerate(ranking.file_order[: options.top_files or None], 1)
    )
    lines = _lines(ranking, given)
    because = _Reasons(ranking, weights)
    known = {(c.file, c.line): c for c, _ in traced}
    suspects = tuple(
        Suspect(
            rank,
            file,
            line,
            line,
            case.workspace.enclosing_function(file, line),
            round(share, 4),
            because.of(file, known.get((file, line))),
        )
        for rank, ((file, line), share) in enumerate(lines[: options.top or None], 1)
    )
    return suspects, files


def _lines(
    ranking: ReportRanking, traced: Mapping[tuple[str, int], float]
) -> list[tuple[tuple[str, int], float]]:
    """Return the lines in falling order with their shares.

    Lines that only the traceback leads to (settings, files that the report's words do not find)
    keep a part of the share that they have there.
    """
    files, lines = ranking.scene.files, ranking.statements.lines
    found = {
        (files[lines[index].row], lines[index].number): float(ranking.line_shares[index])
        for index in ranking.line_order
    }
    for place, share in traced.items():
        found.setdefault(place, TRACED_ALONE * share)
    return sorted(found.items(), key=lambda item: (-round(item[1], 9), item[0]))


class _Reasons:
    """What speaks for a file, in words, each with its part of the file's score."""

    def __init__(self, ranking: ReportRanking, weights: ReportWeights) -> None:
        self._scene = ranking.scene
        self._signals = {**ranking.signals, **ranking.neighbours}
        self._weights = {**weights.files.weights, **weights.neighbours.weights}
        self._of_file: dict[str, tuple[Evidence, ...]] = {}

    def of(self, file: str, candidate: Candidate | None) -> tuple[Evidence, ...]:
        """Return the strongest reasons, those of the traceback's clues first."""
        if file not in self._of_file:
            self._of_file[file] = self._reasons(file)
        own = [
            Evidence(clue.kind.partition(".")[0], round(min(1.0, max(0.0, part)), 4), clue.why)
            for clue, part in (candidate.clues if candidate is not None else ())
        ]
        return (*own, *self._of_file[file])[:MAX_EVIDENCE]

    def _reasons(self, file: str) -> tuple[Evidence, ...]:
        row = self._scene.rows.get(file)
        if row is None:
            return ()
        parts: dict[str, float] = {}
        for name, weight in self._weights.items():
            values = self._signals.get(name)
            group = name.partition(".")[0]
            if values is not None and weight > 0 and group in SENTENCES:
                parts[name] = weight * float(values[row])
        total = math.fsum(parts.values()) or 1.0
        told: dict[str, Evidence] = {}
        for name, part in sorted(parts.items(), key=lambda item: (-item[1], item[0])):
            group = name.partition(".")[0]
            why = self._scene.notes.get((name, row)) or SENTENCES[group]
            if part > 0 and why not in told and len(told) < MAX_EVIDENCE:
                told[why] = Evidence(KINDS.get(group, "vsm"), round(part / total, 4), why)
        # Signals that only speak against a file leave none; it was found by its words all the same.
        return tuple(told.values()) or (Evidence("vsm", 0.0, SENTENCES["file"]),)
