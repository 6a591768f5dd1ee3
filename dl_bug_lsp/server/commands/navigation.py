"""Going from place to place, and to the log at the failure."""

from __future__ import annotations

from typing import Any

from dl_bug_lsp.server.commands.arguments import NEXT, OPEN_LOG, PREVIOUS, argument
from dl_bug_lsp.server.commands.reports import place_of, show_report
from dl_bug_lsp.server.commands.showing import show_document
from dl_bug_lsp.server.core.app import DlBugServer
from dl_bug_lsp.server.documents.positions import line_start
from dl_bug_lsp.server.failures.publication import Place, Publication
from dl_bug_lsp.server.failures.shown_failures import failure_of


def register(server: DlBugServer) -> None:
    """Add the commands that go somewhere."""
    visited: list[tuple[str, str, int]] = []

    async def go(ls: DlBugServer, wanted: dict[str, Any], by: int) -> dict[str, Any] | None:
        found = neighbour(ls, wanted, by, visited[-1] if visited else None)
        if found is None:
            return None
        publication, place = found
        visited[:] = [(publication.id, place.failure.id, place.suspect.rank)]
        shown = await show_document(ls, place.uri, place.mark.range)
        return {"report": publication.id, "failure": place.failure.id, **_location(place, shown)}

    @server.command(NEXT)
    async def go_on(ls: DlBugServer, *arguments: Any) -> dict[str, Any] | None:
        return await go(ls, argument(NEXT, arguments), 1)

    @server.command(PREVIOUS)
    async def go_back(ls: DlBugServer, *arguments: Any) -> dict[str, Any] | None:
        return await go(ls, argument(PREVIOUS, arguments), -1)

    @server.command(OPEN_LOG)
    async def open_log(ls: DlBugServer, *arguments: Any) -> dict[str, Any] | None:
        wanted = argument(OPEN_LOG, arguments)
        publication = ls.shelf.find(wanted.get("report"))
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


def _location(place: Place, shown: bool) -> dict[str, Any]:
    return {**place_of(place), "shown": shown}


def neighbour(
    ls: DlBugServer, wanted: dict[str, Any], by: int, visited: tuple[str, str, int] | None
) -> tuple[Publication, Place] | None:
    """Return the place after (``by`` 1) or before (-1) the one named, by rank, in a circle.

    Without a name it is the one visited last; without that the circle begins.
    """
    report, failure, rank = (wanted.get(name) for name in ("report", "failure", "suspect"))
    if report is None and visited is not None and ls.shelf.find(visited[0]) is not None:
        report, failure, rank = visited
    publication = ls.shelf.find(report)
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
        at = next((i for i, one in enumerate(ranks) if one > rank), 0)
    else:
        at = next((i for i in reversed(range(len(ranks))) if ranks[i] < rank), -1)
    return publication, places[at]
