"""``workspace/executeCommand``: localize, list, show, go to, dismiss; a report and a line's values.

What is wrong with the arguments of a command is told in one sentence. Where the client cannot show
a place, the answer names it.
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInternalError, JsonRpcInvalidParams, JsonRpcRequestCancelled

from dl_bug_lsp.server.app import DlBugServer, capability, job_name, localized
from dl_bug_lsp.server.diagnostics import report_page, standing_line, text_page
from dl_bug_lsp.server.documents import Folder, line_start, path_of
from dl_bug_lsp.server.jobs import CancelledError, SupersededError, Token
from dl_bug_lsp.server.known_failures import failure_of
from dl_bug_lsp.server.log_documents import read_text
from dl_bug_lsp.server.publication import KeptText, Place, Publication
from dl_bug_lsp.views.escape import escape, in_order, shorten

logger = logging.getLogger(__name__)

LOCALIZE, LOCALIZE_FILE = "dlBug.localize", "dlBug.localizeFile"
FAILURES, REPORT, CLEAR = "dlBug.failures", "dlBug.report", "dlBug.clear"
DISMISS, NEXT, PREVIOUS = "dlBug.dismiss", "dlBug.next", "dlBug.previous"
OPEN_LOG, RESOLVE = "dlBug.openLog", "dlBug.resolve"
HEATMAP, WHY = "dlBug.heatmap", "dlBug.why"
CHECK = "dlBug.check"

SHOW_SUSPECT = "dlBug.showSuspect"
"""A command of the client's own, used only where the client said that it has it."""

MEMBERS: dict[str, tuple[type, str]] = {
    "text": (str, "a text"),
    "uri": (str, "a URI"),
    "workspace": (str, "the URI or absolute path of a folder"),
    "source": (str, "a text"),
    "command": (str, "a command line"),
    "python": (str, "an interpreter"),
    "report": (str, "a report's id"),
    "failure": (str, "a failure's id"),
    "suspect": (int, "the rank of a suspicious place"),
    "format": (str, "'json', 'markdown' or 'context'"),
    "tokens": (int, "a number of tokens"),
    "line": (int, "a line, from 1 on"),
    "show": (bool, "true or false"),
    "captured": (bool, "true or false"),
    "program": (bool, "true or false"),
    "ignoredCategories": (list, "a list of categories' ids"),
}


def place_argument(publication: Publication, place: Place) -> dict[str, Any]:
    """Return what names a place in the commands' arguments."""
    return {
        "report": publication.id,
        "failure": place.failure.id,
        "suspect": place.suspect.rank,
        "uri": place.uri,
    }


def argument(command: str, arguments: tuple[Any, ...]) -> dict[str, Any]:
    """Return a command's one object, empty without any; raises `JsonRpcInvalidParams` for others.

    Members that are null count as absent; unknown ones are ignored.
    """
    first = arguments[0] if arguments else None
    if first is None:
        return {}
    if not isinstance(first, dict):
        raise JsonRpcInvalidParams(f"{command} takes one object as its argument")
    members = {name: value for name, value in first.items() if value is not None}
    for name, (kind, words) in MEMBERS.items():
        value = members.get(name)
        wrong = value is not None and (
            not isinstance(value, kind) or (kind is int and isinstance(value, bool))
        )
        if wrong:
            raise JsonRpcInvalidParams(f"{command}: '{name}' must be {words}")
    return members


# ---------------------------------------------------------------------- places and pages
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


def _register_navigation(server: DlBugServer) -> None:
    """Add the commands that go somewhere."""

    async def go(ls: DlBugServer, wanted: dict[str, Any], by: int) -> dict[str, Any] | None:
        target = neighbour(ls, wanted, by, ls.visited)
        if target is None:
            return None
        publication, place = target
        ls.visited = publication.id, place.failure.id, place.suspect.rank
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
        is_wanted = wanted.get("show", True)
        uri, number = publication.log, failure.span.first_line
        if uri is None and publication.text is not None:
            uri, number = await write_text(publication, publication.text, number)
        if uri is None:
            # What was shown before the server started has no text any more.
            shown = is_wanted and await show_report(ls, publication, None)
            return {"uri": None, "range": None, "shown": shown}
        place = line_start(number)
        shown = is_wanted and await show_document(ls, uri, place)
        line = {"line": place.start.line, "character": 0}
        return {"uri": uri, "range": {"start": line, "end": line}, "shown": shown}


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
                    {**place_of(place), "number": publication.number(place)}
                    for place in publication.shown()
                    if place.failure is failure
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
    from dl_bug_lsp.logs.reader import clean_lines
    from dl_bug_lsp.views.markdown import block, render_markdown

    page = render_markdown(publication.report, only=failure, listed=publication.ranks())
    if publication.section and failure in (None, primary_of(publication)):
        page += f"\n{publication.section}"
    if publication.standing is not None and failure in (None, primary_of(publication)):
        page += f"\n{standing_line(publication.standing, links=True)}\n"
    text = publication.failure_text()
    if text and failure is None:
        cleaned = [in_order(line.text) for line in clean_lines("\n".join(text))]
        page += f"\n## The text\n\n{block(cleaned)}\n"
    return page


def primary_of(publication: Publication) -> str | None:
    """Return the id of the failure that ended the job."""
    return publication.report.primary.id if publication.report.primary is not None else None


async def show_report(ls: DlBugServer, publication: Publication, failure: str | None) -> bool:
    """Show the report's page in the editor; False where the client cannot or it is not written."""
    page = report_markdown(publication, failure)
    uri = await asyncio.to_thread(report_page, publication.id, page)
    return uri is not None and await show_document(ls, uri)


async def write_text(
    publication: Publication, kept: KeptText, number: int
) -> tuple[str | None, int]:
    """Write what is kept of a text for the editor; return its URI and where line ``number`` is.

    The URI is None where it cannot be written.
    """
    lines, at = readable(kept, number)
    text = "".join(f"{line}\n" for line in lines)
    uri = await asyncio.to_thread(text_page, publication.id, publication.source, text)
    publication.text_uri = uri or publication.text_uri
    return uri, at


def readable(kept: KeptText, number: int) -> tuple[list[str], int]:
    """Return a text's lines as a terminal shows them, and where (from 1) its line ``number`` is.

    Where lines are left out, a line says so. A line that is not kept is taken for the nearest.
    """
    # Imported here: the readers of logs are no part of the start.
    from dl_bug_lsp.logs.reader import clean_lines
    from dl_bug_lsp.views.words import counted

    cleaned = clean_lines(kept.text.removesuffix("\n"), kept.first_line)
    lines = [in_order(line.text) for line in cleaned]
    at = next((i for i, line in enumerate(cleaned) if line.number >= number), len(lines) - 1) + 1
    if kept.first_line > 1:
        lines.insert(0, f"… {counted(kept.first_line - 1, 'line')} before these left out")
        at += 1
    if kept.later_lines:
        lines.append(f"… {counted(kept.later_lines, 'line')} after these left out")
    return lines, at


# ---------------------------------------------------------------------- all commands
PASTE = "paste"
"""The source of a text whose client names none."""


def register(server: DlBugServer) -> None:
    """Add the commands to the server."""

    @server.command(LOCALIZE)
    async def localize_text(ls: DlBugServer, *arguments: Any) -> dict[str, Any] | None:
        request = ls.protocol.msg_id
        wanted = argument(LOCALIZE, arguments)
        text = wanted.get("text", "")
        if not text.strip():
            raise JsonRpcInvalidParams(f"{LOCALIZE} needs the failed run's output as 'text'")
        folders = _folders(ls, wanted.get("workspace"))
        captured = _Captured(wanted) if wanted.get("captured") else None
        source = wanted.get("source") or PASTE
        return await _localize(ls, text, 0, source, folders, request, captured=captured)

    @server.command(LOCALIZE_FILE)
    async def localize_file(ls: DlBugServer, *arguments: Any) -> dict[str, Any] | None:
        request = ls.protocol.msg_id
        wanted = argument(LOCALIZE_FILE, arguments)
        uri = wanted.get("uri", "")
        if path_of(uri) is None:
            raise JsonRpcInvalidParams(f"{LOCALIZE_FILE} needs a log file's URI as 'uri'")
        folders = _folders(ls, wanted.get("workspace"), uri)
        read = await read_text(ls, uri)
        if read is None:
            name = shorten(escape(str(path_of(uri))), 200)
            raise JsonRpcInvalidParams(f"{name} cannot be read")
        # Under a name of its own, so that what follows the log does not take the request's place.
        source = wanted.get("source") or uri
        return await _localize(ls, *read, source, folders, request, uri)

    @server.command(CLEAR)
    def clear(ls: DlBugServer, *_arguments: Any) -> None:
        ls.jobs.cancel_all()
        ls.spectra.clear()
        ls.shown_failures.clear()
        ls.show()

    @server.command(RESOLVE)
    def resolve(ls: DlBugServer, *arguments: Any) -> None:
        source = argument(RESOLVE, arguments).get("source")
        if not source:
            raise JsonRpcInvalidParams(f"{RESOLVE} needs the 'source' whose run ended well")
        ls.jobs.drop(job_name(source, tuple(ls.folders)))
        for folder in ls.folders:
            ls.resolve(source, folder)

    @server.command(FAILURES)
    def failures(ls: DlBugServer, *arguments: Any) -> list[dict[str, Any]]:
        argument(FAILURES, arguments)
        shown = [
            publication
            for publication in ls.shown_failures.all()
            if publication.shown() or not publication.places
        ]
        return [
            listed(publication, ls.shown_failures.sources(publication))
            for publication in reversed(shown)
        ]

    @server.command(DISMISS)
    def dismiss(ls: DlBugServer, *arguments: Any) -> int:
        wanted = argument(DISMISS, arguments)
        count = ls.shown_failures.dismiss(lambda p, place: _is_meant(wanted, p, place))
        if count:
            ls.show()
        return count

    _register_reports(server)
    _register_navigation(server)


def _is_meant(wanted: dict[str, Any], publication: Publication, place: Place) -> bool:
    """Whether a place is among those that a dismissal names; one that names nothing means all."""
    return (
        wanted.get("report") in (None, publication.id)
        and wanted.get("failure") in (None, place.failure.id)
        and wanted.get("suspect") in (None, place.suspect.rank)
    )


async def _localize(
    ls: DlBugServer,
    text: str,
    lines_before: int,
    source: str,
    folders: tuple[Folder, ...],
    request: int | str | None,
    log: str | None = None,
    *,
    captured: _Captured | None = None,
) -> dict[str, Any] | None:
    """Localize, publish and return the report; None where the client cancelled the request.

    A text that nobody chose (``captured``) is published only if it tells of a failure of our own.
    """
    try:
        publication = await localized(ls, text, source, folders, request, lines_before)
    except SupersededError:
        raise JsonRpcRequestCancelled("a newer text took this one's place") from None
    except CancelledError:
        return None
    except Exception as error:
        logger.exception("localize failed")
        kind = type(error).__name__
        raise JsonRpcInternalError(f"the text could not be localized ({kind})") from error
    if captured is not None and not captured.is_worth_showing(publication):
        return publication.document
    publication.log = log or publication.log
    name = publication.folder.file_of(log) if log is not None and source == log else None
    publication.source = f"log:{name}" if name is not None else source
    if publication.log is None:
        publication.keep_text(text)
    ls.publish(publication)
    return publication.document


class _Captured:
    """What a client tells of a text that it captured on its own."""

    def __init__(self, wanted: dict[str, Any]) -> None:
        self._ignored = wanted.get("ignoredCategories", [])
        self._is_program = wanted.get("program", False)

    def is_worth_showing(self, publication: Publication) -> bool:
        """Whether the text tells of an error in the workspace's code, and of no user's own stop.

        The words of a tool (``git``, ``cat``) may well occur in a file, so that an error without a
        frame of the workspace counts only where a program of the user's printed it.
        """
        failure = publication.report.primary
        if failure is None or failure.exception is None:
            return False
        stopped = failure.exception.type == "KeyboardInterrupt"
        if stopped or failure.category.id in self._ignored:
            return False
        has_frame = any(frame.workspace_file for frame in failure.frames)
        return has_frame or (self._is_program and bool(failure.suspects))


def _folders(ls: DlBugServer, named: str | None, uri: str | None = None) -> tuple[Folder, ...]:
    """Return the folder that is named, else the one that a file lies in, else all."""
    if named is None:
        folders = tuple(ls.folders)
        if not folders:
            raise JsonRpcInvalidParams("open the folder of the code, or name it as 'workspace'")
        around = tuple(f for f in folders if uri is not None and f.file_of(uri) is not None)
        return around[-1:] or folders
    folder = ls.folders.named(named)
    if folder is None:
        raise JsonRpcInvalidParams("'workspace' must be the URI or absolute path of a folder")
    for gone in ls.folders.close_surplus():
        ls.closed(gone)
    return (folder,)


# ---------------------------------------------------------------------- reports, values of a line
def _register_reports(server: DlBugServer) -> None:
    """Add the commands that give a report and a line's values."""

    @server.command(REPORT)
    async def report(ls: DlBugServer, *arguments: Any) -> dict[str, Any] | str | None:
        request = ls.protocol.msg_id
        wanted = argument(REPORT, arguments)
        form = wanted.get("format", "json")
        if form not in ("json", "markdown", "context"):
            raise JsonRpcInvalidParams(
                f"{REPORT}: 'format' must be 'json', 'markdown' or 'context'"
            )
        publication = ls.shown_failures.find(wanted.get("report"))
        if publication is None:
            return None
        if wanted.get("show"):
            await show_report(ls, publication, wanted.get("failure"))
        if form == "markdown":
            return report_markdown(publication, wanted.get("failure"))
        if form == "context":
            tokens = wanted.get("tokens")
            return await report_context(ls, publication, wanted.get("failure"), tokens, request)
        return publication.document

    @server.command(WHY)
    async def why_command(ls: DlBugServer, *arguments: Any) -> dict[str, Any] | None:
        request = ls.protocol.msg_id
        wanted = argument(WHY, arguments)
        uri, line = wanted.get("uri", ""), wanted.get("line")
        folder = ls.folders.around(uri)
        file = folder.file_of(uri) if folder is not None else None
        if folder is None or file is None or line is None:
            raise JsonRpcInvalidParams(f"{WHY} needs a file's 'uri' and a 'line', from 1 on")
        frames = tuple(
            frame
            for held in ls.shown_failures.all()
            if held.folder is folder and held.report.primary is not None
            for frame in held.report.primary.frames
        )

        def work(_token: Token) -> dict[str, Any]:
            # Imported here: nobody asks before there is a failure.
            from dl_bug_lsp.assistants.value_origins import why, why_text

            folder.workspace.catch_up()
            answer = why(folder.workspace, file, line, frames)
            return {"text": why_text(answer), "why": dataclasses.asdict(answer)}

        try:
            (answer,) = await ls.jobs.run("why", [(folder.key, work)], request)
        except LookupError as error:
            raise JsonRpcInvalidParams(f"{WHY}: {error.args[0]}") from None
        except SupersededError:
            raise JsonRpcRequestCancelled("a newer line took this one's place") from None
        except CancelledError:
            return None
        return answer


async def report_context(
    ls: DlBugServer,
    held: Publication,
    failure: str | None,
    tokens: int | None,
    request: int | str | None,
) -> str | None:
    """Return the compact context of a publication's failure, None where it was cancelled.

    Raises `JsonRpcRequestCancelled` where a newer request took its place.
    """

    def work(_token: Token) -> str:
        # Imported here: nobody asks before there is a failure.
        from dl_bug_lsp.assistants.explaining import context_of

        held.folder.workspace.catch_up()
        return context_of(held.report, held.folder.workspace, tokens, failure)

    try:
        (context,) = await ls.jobs.run(f"context {held.id}", [(held.folder.key, work)], request)
    except SupersededError:
        raise JsonRpcRequestCancelled("a newer request took this one's place") from None
    except CancelledError:
        return None
    return context
