"""The report as workflow commands, which GitHub shows as annotations beside the code."""

from __future__ import annotations

from dl_bug_lsp.report import Confidence, FailureReport, Report, Suspect
from dl_bug_lsp.views import words
from dl_bug_lsp.views.escape import escape, shorten
from dl_bug_lsp.views.words import category_name, headline

LONGEST_MESSAGE = 1_000
LONGEST_TITLE = 200


def to_github(report: Report, prefix: str = "") -> str:
    """Return one ``::error`` or ``::warning`` line for each place that the text names.

    ``prefix`` leads from the repository's root to the workspace (empty or ending in ``/``). The
    first place of the primary failure is an error unless it is unsure, all others are warnings.
    Escaping as the documentation of workflow commands has it: a message line never starts a second
    command.
    """
    out = [command for failure in report.failures for command in _commands(failure, prefix)]
    return "".join(f"{command}\n" for command in out)


def _commands(failure: FailureReport, prefix: str) -> list[str]:
    if not failure.suspects:
        level = "error" if failure.primary else "warning"
        texts = [headline(failure), escape(words.outside(failure))]
        return [command(level, {"title": _title(failure)}, "\n".join(filter(None, texts)))]
    suspects = words.shown_places(failure) if failure.primary else failure.suspects[:1]
    return [_annotation(failure, suspect, prefix) for suspect in suspects]


def _annotation(failure: FailureReport, suspect: Suspect, prefix: str) -> str:
    sure = failure.confidence is not Confidence.UNSURE
    level = "error" if failure.primary and suspect.rank == 1 and sure else "warning"
    properties = {"file": prefix + suspect.file, "line": str(suspect.line)}
    if suspect.end_line > suspect.line:
        properties["endLine"] = str(suspect.end_line)
    where = f", {words.cell_place(suspect.cell)}" if suspect.cell is not None else ""
    place = f"{words.standing(failure, suspect)}{where}"
    properties["title"] = f"{_title(failure)}: {place}"
    reasons = [escape(evidence.why) for evidence in suspect.evidence[:3]]
    reasons += [escape(text) for text in words.reservations(failure)]
    return command(level, properties, "\n".join((headline(failure), *reasons)))


def _title(failure: FailureReport) -> str:
    return category_name(failure)


def command(level: str, properties: dict[str, str], message: str) -> str:
    """Return one workflow command; the message and the properties are escaped and bounded."""
    shown = ",".join(
        f"{key}={_property(shorten(value, LONGEST_TITLE) if key == 'title' else value)}"
        for key, value in properties.items()
    )
    return f"::{level} {shown}::{_data(shorten(message, LONGEST_MESSAGE))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(escape(text)).replace(":", "%3A").replace(",", "%2C")
