"""What a diagnostic says of a place: the failure, why this line, where it was raised."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types

from dl_bug_lsp.server.failures.pages import page_uri
from dl_bug_lsp.server.failures.publication import (
    REASONS,
    SOURCE,
    Place,
    Publication,
    Related,
    by_score,
)
from dl_bug_lsp.settings.reading import Settings
from dl_bug_lsp.views import words
from dl_bug_lsp.views.categories import category_words
from dl_bug_lsp.views.escape import escape, shorten
from dl_bug_lsp.views.headline import headline
from dl_bug_lsp.views.json_view import evidence_to_json

if TYPE_CHECKING:
    from dl_bug_lsp.triage.standing import Standing

LONGEST_LINE = 300


def diagnostic(
    publication: Publication,
    place: Place,
    capabilities: types.PublishDiagnosticsClientCapabilities,
) -> types.Diagnostic:
    """Return what is shown at a place, with as much beside it as the client can take."""
    assert place.mark.range is not None
    shown = types.Diagnostic(
        range=place.mark.range,
        message=message(publication, place),
        severity=severity(place, publication.settings),
        source=SOURCE,
        code=place.failure.category.id,
    )
    if capabilities.related_information:
        shown.related_information = _related(place.related) or None
    if capabilities.code_description_support:
        page = page_uri(place.failure.category.id)
        shown.code_description = types.CodeDescription(page) if page else None
    if capabilities.data_support:
        shown.data = {
            "report": publication.id,
            "failure": place.failure.id,
            "suspect": place.suspect.rank,
            "source": publication.source,
            "evidence": [evidence_to_json(one) for one in place.suspect.evidence],
        }
    return shown


def _related(related: Iterable[Related]) -> list[types.DiagnosticRelatedInformation]:
    return [
        types.DiagnosticRelatedInformation(
            types.Location(one.spot.uri, one.spot.range), escape(one.words)
        )
        for one in related
        if one.spot.range is not None
    ]


def message(publication: Publication, place: Place) -> str:
    """Return what stands beside the line: the failure first, then why this place."""
    failure, suspect = place.failure, place.suspect
    name = category_words(failure.category.id).name
    rank = words.standing(failure, suspect, publication.last_rank(failure))
    lines = [f"{name}, {rank}{_cell(place)}", shorten(headline(failure), LONGEST_LINE)]
    lines += [f"- {shorten(escape(one.why), LONGEST_LINE)}" for one in by_score(suspect)[:REASONS]]
    if not failure.reliable:
        lines.append(words.UNRELIABLE)
    lines += [shorten(escape(said), LONGEST_LINE) for said in words.reservations(failure)]
    return "\n".join(lines)


def _cell(place: Place) -> str:
    """Return the cell that a notebook's line is in; nothing where the line is shown in it."""
    cell, is_in_cell = place.mark.cell, place.mark.uri != place.mark.home
    return f", code cell {cell.number}, line {cell.line}" if cell and not is_in_cell else ""


ALWAYS_LISTED = 3
"""Places up to this rank are shown where editors list problems, which leave hints out."""


def severity(place: Place, settings: Settings) -> types.DiagnosticSeverity:
    """Return how loudly a place is shown: a suspicion is never an error."""
    score = place.suspect.score
    if place.suspect.rank == 1 or score >= settings.warning_from:
        return types.DiagnosticSeverity.Warning
    if score >= settings.information_from or place.suspect.rank <= ALWAYS_LISTED:
        return types.DiagnosticSeverity.Information
    return types.DiagnosticSeverity.Hint


def standing_line(standing: Standing, *, links: bool) -> str:
    """Return how many jobs met a failure; the group on the results' page is linked if asked."""
    said = standing.words(time.time())
    if not links or standing.page is None:
        return said
    return f"{said} [All of them](<{standing.page.as_uri()}#g-{standing.group}>)"
