"""A report as JSON, as a page, as the compact context for assistants; a line's values."""

from __future__ import annotations

import dataclasses
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams, JsonRpcRequestCancelled

from dl_bug_lsp.server.commands.arguments import REPORT, WHY, argument
from dl_bug_lsp.server.commands.navigation import report_markdown, show_report
from dl_bug_lsp.server.core.app import DlBugServer
from dl_bug_lsp.server.failures.publication import Publication
from dl_bug_lsp.server.jobs import CancelledError, SupersededError, Token


def register(server: DlBugServer) -> None:
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
        found = ls.shown_failures.find(wanted.get("report"))
        if found is None:
            return None
        if wanted.get("show"):
            await show_report(ls, found, wanted.get("failure"))
        if form == "markdown":
            return report_markdown(found, wanted.get("failure"))
        if form == "context":
            tokens = wanted.get("tokens")
            return await report_context(ls, found, wanted.get("failure"), tokens, request)
        return found.document

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
            found = why(folder.workspace, file, line, frames)
            return {"text": why_text(found), "why": dataclasses.asdict(found)}

        try:
            (found,) = await ls.jobs.run("why", [(folder.key, work)], request)
        except LookupError as error:
            raise JsonRpcInvalidParams(f"{WHY}: {error.args[0]}") from None
        except SupersededError:
            raise JsonRpcRequestCancelled("a newer line took this one's place") from None
        except CancelledError:
            return None
        return found


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
        (found,) = await ls.jobs.run(f"context {held.id}", [(held.folder.key, work)], request)
    except SupersededError:
        raise JsonRpcRequestCancelled("a newer request took this one's place") from None
    except CancelledError:
        return None
    return found
