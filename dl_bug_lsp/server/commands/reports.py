"""What the server tells of a publication in full: the list of failures, the report's page."""

from __future__ import annotations

import asyncio
from typing import Any

from dl_bug_lsp.server.commands.showing import show_document
from dl_bug_lsp.server.core.app import DlBugServer
from dl_bug_lsp.server.failures.pages import report_page
from dl_bug_lsp.server.failures.publication import Place, Publication
from dl_bug_lsp.server.failures.wording import standing_line


def listed(publication: Publication, sources: list[str]) -> dict[str, Any]:
    """Return a publication in outline: its failures and where their places stand now."""
    # Imported here: nobody asks before `initialize` is answered.
    from dl_bug_lsp.views.headline import headline

    return {
        "report": publication.id,
        "source": publication.source,
        "sources": sources,
        "workspace": publication.folder.uri,
        "log": publication.log,
        "failures": [
            {
                "failure": failure.id,
                "primary": failure.primary,
                "category": failure.category.id,
                "message": headline(failure),
                "reliable": failure.reliable,
                "places": [
                    place_of(place) for place in publication.shown() if place.failure is failure
                ],
            }
            for failure in publication.report.failures
        ],
    }


LONGEST_TEXT = 200


def place_of(place: Place) -> dict[str, Any]:
    """Return where a place stands now, as the protocol's location, rank, score, code."""
    assert place.mark.range is not None
    start, end = place.mark.range.start, place.mark.range.end
    return {
        "suspect": place.suspect.rank,
        "score": place.suspect.score,
        "uri": place.uri,
        "text": place.mark.text.strip()[:LONGEST_TEXT],
        "range": {
            "start": {"line": start.line, "character": start.character},
            "end": {"line": end.line, "character": end.character},
        },
    }


def report_markdown(publication: Publication, failure: str | None = None) -> str:
    """Return the report's page; the text itself stands at its end where no file holds it."""
    # Imported here: there is no page before there is a failure.
    from dl_bug_lsp.views.markdown import block, render_markdown

    page = render_markdown(publication.report, only=failure)
    if publication.standing is not None and failure in (None, primary_of(publication)):
        page += f"\n{standing_line(publication.standing, links=True)}\n"
    if publication.text and failure is None:
        page += f"\n## The text\n\n{block(publication.text.splitlines())}\n"
    return page


def primary_of(publication: Publication) -> str | None:
    """Return the id of the failure that ended the job."""
    return publication.report.primary.id if publication.report.primary is not None else None


async def show_report(ls: DlBugServer, publication: Publication, failure: str | None) -> bool:
    """Show the report's page in the editor; False where the client cannot or it is not written."""
    page = report_markdown(publication, failure)
    uri = await asyncio.to_thread(report_page, publication.id, page)
    return uri is not None and await show_document(ls, uri)
