"""Commands that go from place to place and to the log, and the report in full.

Where the client cannot show a place, the answer names it.
"""

from __future__ import annotations

import asyncio
from typing import Any

from lsprotocol import types

from dl_bug_lsp.server.commands.arguments import NEXT, OPEN_LOG, PREVIOUS, argument
from dl_bug_lsp.server.core.app import DlBugServer, capability
from dl_bug_lsp.server.documents.positions import line_start
from dl_bug_lsp.server.failures.diagnostics import standing_line
from dl_bug_lsp.server.failures.pages import report_page
from dl_bug_lsp.server.failures.publication import Place, Publication
from dl_bug_lsp.server.failures.shown_failures import failure_of

TIMEOUT = 5.0
"""Seconds that a client may take to show a document."""


def can_show(ls: DlBugServer) -> bool:
    """Whether the client shows documents when it is asked to (LSP 3.16)."""
    return bool(capability(ls.client_capabilities, "window", "show_document", "support"))


async def show_document(ls: DlBugServer, uri: str, place: types.Range | None = None) -> bool:
    """Ask the client to show a document at a range; return whether it did."""
    if not can_show(ls):
        return False
    params = types.ShowDocumentParams(uri=uri, take_focus=True, selection=place)
    try:
        # Shielded: pygls stumbles over an answer to a request that was cancelled.
        asked = asyncio.shield(ls.window_show_document_async(params))
        return bool((await asyncio.wait_for(asked, TIMEOUT)).success)
    except asyncio.CancelledError:
        raise
    except Exception:
        return False


def register(server: DlBugServer) -> None:
    """Add the commands that go somewhere."""
    visited: list[tuple[str, str, int]] = []

    async def go(ls: DlBugServer, wanted: dict[str, Any], by: int) -> dict[str, Any] | None:
        target = neighbour(ls, wanted, by, visited[-1] if visited else None)
        if target is None:
            return None
        publication, place = target
        visited[:] = [(publication.id, place.failure.id, place.suspect.rank)]
        # Its line may be gone once the client has opened the file, with other text than on disk.
        there = place_of(place)
        # The client that knows cells shows them itself; shown by us, a notebook is JSON.
        is_cell = ls.hears_of_cells and place.mark.cell is not None
        shown = not is_cell and await show_document(ls, place.uri, place.mark.range)
        named = {"report": publication.id, "failure": place.failure.id}
        return {**named, **there, "shown": shown}

    @server.command(NEXT)
    async def go_on(ls: DlBugServer, *arguments: Any) -> dict[str, Any] | None:
        return await go(ls, argument(NEXT, arguments), 1)

    @server.command(PREVIOUS)
    async def go_back(ls: DlBugServer, *arguments: Any) -> dict[str, Any] | None:
        return await go(ls, argument(PREVIOUS, arguments), -1)

    @server.command(OPEN_LOG)
    async def open_log(ls: DlBugServer, *arguments: Any) -> dict[str, Any] | None:
        wanted = argument(OPEN_LOG, arguments)
        publication = ls.shown_failures.find(wanted.get("report"))
        failure = failure_of(publication, wanted.get("failure")) if publication else None
        if publication is None or failure is None:
            return None
        if publication.log is None:
            shown = await show_report(ls, publication, None)
            return {"uri": None, "range": None, "shown": shown}
        place = line_start(failure.span.first_line)
        shown = await show_document(ls, publication.log, place)
        line = {"line": place.start.line, "character": 0}
        return {"uri": publication.log, "range": {"start": line, "end": line}, "shown": shown}


def neighbour(
    ls: DlBugServer, wanted: dict[str, Any], by: int, visited: tuple[str, str, int] | None
) -> tuple[Publication, Place] | None:
    """Return the place after (``by`` 1) or before (-1) the one named, by rank, in a circle.

    Without a name it is the one visited last; without that the circle begins.
    """
    report, failure, rank = (wanted.get(name) for name in ("report", "failure", "suspect"))
    if report is None and visited is not None and ls.shown_failures.find(visited[0]) is not None:
        report, failure, rank = visited
    publication = ls.shown_failures.find(report)
    places = publication.shown() if publication is not None else []
    if failure is not None:
        places = [place for place in places if place.failure.id == failure] or places
    if publication is None or not places:
        return None
    places.sort(key=lambda place: (not place.failure.primary, place.suspect.rank))
    ranks = [place.suspect.rank for place in places]
    if rank is None:
        return publication, places[0 if by > 0 else -1]
    if by > 0:
        at = next((i for i, other in enumerate(ranks) if other > rank), 0)
    else:
        at = next((i for i in reversed(range(len(ranks))) if ranks[i] < rank), -1)
    return publication, places[at]


def listed(publication: Publication, sources: list[str]) -> dict[str, Any]:
    """Return a publication in outline: its failures and where their places stand now."""
    # Imported here: nobody asks before `initialize` is answered.
    from dl_bug_lsp.views.words import doubt, headline

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
                "confidence": failure.confidence.value,
                "doubt": doubt(failure),
                "places": [
                    place_of(place) for place in publication.shown() if place.failure is failure
                ],
            }
            for failure in publication.report.failures
            # What else the text told of another folder is listed there, if that is open.
            if failure.primary or failure.outside is None
        ],
    }


LONGEST_TEXT = 200


def place_of(place: Place) -> dict[str, Any]:
    """Return where a place stands now, as the protocol's location, rank, score, reason, code."""
    assert place.mark.range is not None
    start, end = place.mark.range.start, place.mark.range.end
    return {
        "suspect": place.suspect.rank,
        "score": place.suspect.score,
        "reason": place.suspect.evidence[0].why if place.suspect.evidence else "",
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
    if publication.section and failure in (None, primary_of(publication)):
        page += f"\n{publication.section}"
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
