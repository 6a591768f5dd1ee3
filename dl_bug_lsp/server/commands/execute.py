"""``workspace/executeCommand``: localize, list, show, dismiss; a report and a line's values."""

from __future__ import annotations

import dataclasses
import logging
from typing import Any

from pygls.exceptions import JsonRpcInternalError, JsonRpcInvalidParams, JsonRpcRequestCancelled

from dl_bug_lsp.server.commands.arguments import (
    CLEAR,
    DISMISS,
    FAILURES,
    LOCALIZE,
    LOCALIZE_FILE,
    REPORT,
    RESOLVE,
    WHY,
    argument,
)
from dl_bug_lsp.server.commands.navigation import listed, report_markdown, show_report
from dl_bug_lsp.server.core.app import DlBugServer
from dl_bug_lsp.server.core.localizing import job_name, localized
from dl_bug_lsp.server.documents.folders import Folder, path_of
from dl_bug_lsp.server.failures.publication import Place, Publication
from dl_bug_lsp.server.jobs import CancelledError, SupersededError, Token
from dl_bug_lsp.server.logs.log_documents import read_text
from dl_bug_lsp.views.escape import escape, shorten

logger = logging.getLogger(__name__)

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
            from dl_bug_lsp.assistants.why import why, why_text

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
