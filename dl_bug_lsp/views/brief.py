"""The report in one line a failure, the one that ended the job last: what stays on the screen."""

from __future__ import annotations

from dl_bug_lsp.report import Confidence, FailureReport, Report
from dl_bug_lsp.views import words
from dl_bug_lsp.views.categories import category_words
from dl_bug_lsp.views.escape import shorten
from dl_bug_lsp.views.headline import headline
from dl_bug_lsp.views.paths import PathStyle
from dl_bug_lsp.views.style import PLAIN, Style

LONGEST_MESSAGE = 160
NOTHING = "No failure was found.\n"


def render_brief(report: Report, style: Style = PLAIN, paths: PathStyle | None = None) -> str:
    """Return one line a failure: first place, share, category, message."""
    shown = paths or PathStyle()
    ordered = sorted(report.failures, key=lambda failure: failure.primary)
    return "".join(f"{_line(failure, style, shown)}\n" for failure in ordered) or NOTHING


def _line(failure: FailureReport, style: Style, paths: PathStyle) -> str:
    said = (
        f"{category_words(failure.category.id).name}: {shorten(headline(failure), LONGEST_MESSAGE)}"
    )
    if not failure.suspects:
        return f"no place: {said}"
    first = failure.suspects[0]
    share = words.percent(first.score)
    if failure.confidence is Confidence.UNSURE:
        share += f", {words.UNSURE_BRIEFLY}"
    return f"{style.place(paths.place(first.file, first.line))} ({share}): {said}"
