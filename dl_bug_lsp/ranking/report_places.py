"""The suspects and files of a bug report: its ranking and, where it has one, its traceback's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.bug_reports import BugReport
from dl_bug_lsp.evidence.case import Case
from dl_bug_lsp.ranking.fusion import Candidate
from dl_bug_lsp.ranking.report_weights import ReportWeights
from dl_bug_lsp.report import Options, Suspect, SuspectFile

if TYPE_CHECKING:
    from dl_bug_lsp.ranking.report_ranking import ReportRanking

TRACED_ALONE = 0.3
"""What a line keeps of its share by the traceback where the report's words do not lead to it."""


def report_places(
    case: Case,
    report: BugReport,
    weights: ReportWeights,
    traced: Sequence[tuple[Candidate, float]],
    options: Options,
) -> tuple[tuple[Suspect, ...], tuple[SuspectFile, ...]]:
    """Rank lines and files for a report; ``traced`` are the clues' lines with their shares."""
    from dl_bug_lsp.evidence.reports.blocks import Traced
    from dl_bug_lsp.evidence.reports.report_context import ReportContext
    from dl_bug_lsp.ranking.report_ranking import ReportRanking
    from dl_bug_lsp.ranking.report_reasons import Reasons

    given = {(c.file, c.line): share for c, share in traced} if case.places else {}
    ranking = ReportRanking(
        ReportContext(report, case.workspace), weights, Traced(case.located, given)
    )
    files = tuple(
        SuspectFile(rank, ranking.scene.files[row], round(float(ranking.file_shares[row]), 4))
        for rank, row in enumerate(ranking.file_order[: options.top_files or None], 1)
    )
    lines = _lines(ranking, given)
    because = Reasons(ranking, weights)
    known = {(c.file, c.line): c for c, _ in traced}
    suspects = tuple(
        Suspect(
            rank,
            file,
            line,
            line,
            case.workspace.enclosing_function(file, line),
            round(share, 4),
            because.of(file, line, known.get((file, line))),
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
    files, lines = ranking.scene.files, ranking.lines
    found = {
        (files[lines[index].row], lines[index].number): float(ranking.line_shares[index])
        for index in ranking.line_order
    }
    for place, share in traced.items():
        found.setdefault(place, TRACED_ALONE * share)
    return sorted(found.items(), key=lambda item: (-round(item[1], 9), item[0]))
