"""``workspace/executeCommand``: localize a text, dismiss what is shown, return the report."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInternalError, JsonRpcInvalidParams, JsonRpcRequestCancelled

from dl_bug_lsp.report import Report
from dl_bug_lsp.server.app import DlBugServer, capability
from dl_bug_lsp.server.folders import Folder
from dl_bug_lsp.server.jobs import CancelledError, SupersededError, Token
from dl_bug_lsp.server.publication import Publication, publication
from dl_bug_lsp.server.settings import SECTION, Settings, read_settings

logger = logging.getLogger(__name__)

LOCALIZE, CLEAR, REPORT = "dlBug.localize", "dlBug.clear", "dlBug.report"

LIMIT = 32 * 2**20
"""Characters of a text that are kept, from its end."""

CONFIGURATION_TIMEOUT = 2.0
"""Seconds that a client may take to answer what its settings are."""


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
        source = source if isinstance(source, str) else None
        try:
            found = await _localized(ls, text, folders, source)
        except SupersededError:
            raise JsonRpcRequestCancelled("a newer text took this one's place") from None
        except CancelledError:
            return None
        for folder in folders:
            ls.publications.pop(folder.key, None)
        ls.publications[found.folder.key] = found
        ls.diagnostics.show(ls.shown())
        ls.refresh_lenses()
        return found.document

    @server.command(CLEAR)
    def clear(ls: DlBugServer, *_arguments: Any) -> None:
        ls.jobs.cancel_all()
        ls.publications.clear()
        ls.diagnostics.clear()
        ls.refresh_lenses()

    @server.command(REPORT)
    def report(ls: DlBugServer, *arguments: Any) -> dict[str, Any] | None:
        wanted = _first(arguments).get("report")
        for shown in reversed(ls.shown()):
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


async def _localized(
    ls: DlBugServer, text: str, folders: tuple[Folder, ...], source: str | None
) -> Publication:
    settings = {folder.key: await _settings(ls, folder) for folder in folders}
    encoding = ls.workspace.position_encoding or types.PositionEncodingKind.Utf16
    text, skipped = _end_of(text)

    def work(token: Token) -> Publication:
        # Imported here, off the loop: it would hold up the answer to `initialize`.
        from dl_bug_lsp.localize import localize

        reports: list[tuple[Report, Folder]] = []
        for folder in folders:
            if token.cancelled:
                raise CancelledError
            folder.workspace.refresh()
            report = localize(text, folder.workspace, settings[folder.key].options)
            reports.append((report.after(skipped), folder))
        best, folder = max(reversed(reports), key=lambda pair: _fit(pair[0]))
        return publication(best, folder, settings[folder.key], source, encoding)

    key = folders[0].key if len(folders) == 1 else "all folders"
    try:
        return await ls.jobs.run(key, work, ls.protocol.msg_id)
    except (SupersededError, CancelledError):
        raise
    except Exception as error:
        logger.exception("localize failed")
        kind = type(error).__name__
        raise JsonRpcInternalError(f"the text could not be localized ({kind})") from error


def _fit(report: Report) -> tuple[int, float]:
    """Return how well a folder fits a text: frames found in it, then its best score."""
    failure = report.primary
    if failure is None:
        return 0, 0.0
    frames = sum(1 for frame in failure.frames if frame.workspace_file)
    return frames, max((suspect.score for suspect in failure.suspects), default=0.0)


def _end_of(text: str) -> tuple[str, int]:
    """Return the last `LIMIT` characters in whole lines and how many lines stand before them."""
    if len(text) <= LIMIT:
        return text, 0
    start = text.find("\n", len(text) - LIMIT) + 1 or len(text) - LIMIT
    return text[start:], text.count("\n", 0, start)


async def _settings(ls: DlBugServer, folder: Folder) -> Settings:
    """Ask the client for the folder's settings; without an answer those of the start hold."""
    if not capability(ls.client_capabilities, "workspace", "configuration"):
        return ls.settings
    item = types.ConfigurationItem(scope_uri=folder.uri, section=SECTION)
    asked = ls.workspace_configuration_async(types.ConfigurationParams(items=[item]))
    try:
        # Shielded: pygls stumbles over an answer to a request that was cancelled.
        answer = await asyncio.wait_for(asyncio.shield(asked), CONFIGURATION_TIMEOUT)
    except asyncio.CancelledError:
        raise
    except Exception:
        logger.warning("the client did not tell its settings")
        return ls.settings
    if not answer or answer[0] is None:
        return ls.settings
    settings, problems = read_settings(answer[0])
    for problem in problems:
        logger.warning("%s", problem)
    return settings
