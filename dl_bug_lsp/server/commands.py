"""``workspace/executeCommand``: localize a text, dismiss what is shown, return the report."""

from __future__ import annotations

import logging
from typing import Any

from pygls.exceptions import JsonRpcInternalError, JsonRpcInvalidParams, JsonRpcRequestCancelled

from dl_bug_lsp.server.app import DlBugServer
from dl_bug_lsp.server.folders import Folder
from dl_bug_lsp.server.jobs import CancelledError, SupersededError
from dl_bug_lsp.server.localizing import localized

logger = logging.getLogger(__name__)

LOCALIZE, CLEAR, REPORT = "dlBug.localize", "dlBug.clear", "dlBug.report"

PASTE = "paste"
"""The source of a text whose client names none."""


def register(server: DlBugServer) -> None:
    """Add the commands to the server."""

    @server.command(LOCALIZE)
    async def localize_text(ls: DlBugServer, *arguments: Any) -> dict[str, Any] | None:
        wanted = _first(arguments)
        text = wanted.get("text")
        if not isinstance(text, str) or not text.strip():
            raise JsonRpcInvalidParams(f"{LOCALIZE} needs the failed run's output as 'text'")
        folders = _folders(ls, wanted.get("workspace"))
        source = wanted.get("source")
        source = source if isinstance(source, str) and source else PASTE
        try:
            found = await localized(ls, text, source, folders, ls.protocol.msg_id)
        except SupersededError:
            raise JsonRpcRequestCancelled("a newer text took this one's place") from None
        except CancelledError:
            return None
        except Exception as error:
            logger.exception("localize failed")
            kind = type(error).__name__
            raise JsonRpcInternalError(f"the text could not be localized ({kind})") from error
        ls.publish(found)
        return found.document

    @server.command(CLEAR)
    def clear(ls: DlBugServer, *_arguments: Any) -> None:
        ls.jobs.cancel_all()
        ls.shelf.clear()
        ls.show()

    @server.command(REPORT)
    def report(ls: DlBugServer, *arguments: Any) -> dict[str, Any] | None:
        wanted = _first(arguments).get("report")
        for shown in reversed(ls.shelf.all()):
            if wanted in (None, shown.id):
                return shown.document
        return None


def _first(arguments: tuple[Any, ...]) -> dict[str, Any]:
    first = arguments[0] if arguments else None
    return first if isinstance(first, dict) else {}


def _folders(ls: DlBugServer, named: Any) -> tuple[Folder, ...]:
    if named is None:
        folders = tuple(ls.folders)
        if not folders:
            raise JsonRpcInvalidParams("open the folder of the code, or name it as 'workspace'")
        return folders
    folder = ls.folders.named(named) if isinstance(named, str) else None
    if folder is None:
        raise JsonRpcInvalidParams("'workspace' must be the URI or absolute path of a folder")
    return (folder,)
