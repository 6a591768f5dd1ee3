"""What holds for every report, whatever the text and the workspace."""

from __future__ import annotations

import math
import re

from dl_bug_lsp.report import FailureReport, Options, Report
from dl_bug_lsp.taxonomy.bug_type_and_origin import BUG_TYPES
from dl_bug_lsp.taxonomy.categories import categories
from dl_bug_lsp.workspace import Workspace

CATEGORY_IDS = {category.id for category in categories()}
DEFAULT = Options()


def lines_in(text: str | bytes) -> int:
    """Return an upper bound of the lines of a text, by the most generous count of line ends."""
    if isinstance(text, bytes):
        text = text.decode("latin-1")
    return max(1, len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")))


def check_report(
    report: Report, workspace: Workspace, text: str | bytes, options: Options = DEFAULT
) -> None:
    """Assert what every view relies on."""
    assert sum(failure.primary for failure in report.failures) == bool(report.failures)
    assert len({failure.id for failure in report.failures}) <= len(report.failures)
    for failure in report.failures:
        check_failure(failure, workspace, options)
        assert 1 <= failure.span.first_line <= failure.span.last_line <= lines_in(text)
    assert all(isinstance(problem, str) and problem for problem in report.problems)


def check_failure(failure: FailureReport, workspace: Workspace, options: Options) -> None:
    """Assert what holds for one failure of a report."""
    assert failure.category.id in CATEGORY_IDS
    assert failure.bug_type.id in BUG_TYPES
    assert failure.origin.id in {"intrinsic", "extrinsic"}
    for share in (
        failure.category.confidence,
        failure.bug_type.confidence,
        failure.origin.confidence,
    ):
        assert 0 <= share <= 1 and math.isfinite(share)
    assert [s.rank for s in failure.suspects] == list(range(1, len(failure.suspects) + 1))
    assert [f.rank for f in failure.files] == list(range(1, len(failure.files) + 1))
    assert not options.top or len(failure.suspects) <= options.top
    assert not options.top_files or len(failure.files) <= options.top_files
    for scores in ([s.score for s in failure.suspects], [f.score for f in failure.files]):
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)
    assert sum(s.score for s in failure.suspects) <= 1 + 1e-3 * len(failure.suspects)
    places = [(s.file, s.line) for s in failure.suspects]
    assert len(set(places)) == len(places)
    assert len({f.file for f in failure.files}) == len(failure.files)
    check_places(failure, workspace)


def check_places(failure: FailureReport, workspace: Workspace) -> None:
    """Assert that every place named lies in the workspace, inside its file."""
    root = workspace.root.resolve()
    for suspect in failure.suspects:
        assert (root / suspect.file).is_file() and not suspect.file.startswith(("/", "../"))
        assert 1 <= suspect.line <= suspect.end_line <= max(1, len(workspace.lines(suspect.file)))
        assert suspect.evidence
        for evidence in suspect.evidence:
            assert evidence.kind and evidence.why and 0 <= evidence.score <= 1
    for file in failure.files:
        assert (root / file.file).is_file()
    for value in failure.conflict.values if failure.conflict is not None else ():
        message = failure.exception.message if failure.exception is not None else ""
        shapes = re.findall(r"[(\[]([\d, ]+)[)\]]", message)
        products = {str(math.prod(map(int, re.findall(r"\d+", shape)))) for shape in shapes}
        told = {*re.findall(r"\d+", message), *products}
        assert told.issuperset(re.findall(r"\d+", value.value))
        assert value.places and value.others >= 0
        for place in value.places:
            assert 1 <= place.line <= len(workspace.lines(place.file))
    for frame in failure.frames:
        assert (frame.workspace_file is None) == (frame.workspace_line is None)
        if frame.workspace_file is not None and frame.workspace_line is not None:
            assert (root / frame.workspace_file).is_file()
            assert frame.workspace_line >= 1
