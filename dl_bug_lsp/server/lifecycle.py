"""The server's life: start, folders and their index, edits, end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import threading
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.uris import from_fs_path

from dl_bug_lsp.server.app import DlBugServer, capability
from dl_bug_lsp.server.commands import REPORT
from dl_bug_lsp.server.folders import Folder
from dl_bug_lsp.server.lenses import lenses
from dl_bug_lsp.server.parent import watch_parent
from dl_bug_lsp.server.settings import read_settings

logger = logging.getLogger(__name__)


def register(server: DlBugServer) -> None:
    """Add the handlers of the server's life and of documents."""

    @server.feature(types.INITIALIZE)
    def initialize(ls: DlBugServer, params: types.InitializeParams) -> None:
        watch_parent(params.process_id, _end_with_parent)
        options = params.initialization_options
        if isinstance(options, dict):
            _take_options(ls, options)
        ls.diagnostics.capabilities = (
            capability(params.capabilities, "text_document", "publish_diagnostics")
            or types.PublishDiagnosticsClientCapabilities()
        )
        for uri in _folder_uris(params):
            ls.folders.open(uri)

    @server.feature(types.INITIALIZED)
    async def initialized(ls: DlBugServer, _params: types.InitializedParams) -> None:
        for folder in ls.folders:
            await _index(ls, folder)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders_changed(
        ls: DlBugServer, params: types.DidChangeWorkspaceFoldersParams
    ) -> None:
        for removed in params.event.removed:
            folder = ls.folders.close(removed.uri)
            if folder is not None and ls.shelf.drop_folder(folder):
                ls.show()
        for added in params.event.added:
            folder = ls.folders.open(added.uri)
            if folder is not None:
                await _index(ls, folder)

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: DlBugServer, *_arguments: Any) -> None:
        for folder in ls.folders:
            folder.closed.set()
        ls.jobs.cancel_all()
        ls.protocol.cancel_open_requests()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(ls: DlBugServer, params: types.DidOpenTextDocumentParams) -> None:
        """Nothing to do: suspects are found on disk, where the failed run found its code."""

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(ls: DlBugServer, params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        moved = False
        for change in params.content_changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                for shown in ls.shelf.all():
                    moved = shown.edit(uri, change) or moved
        if moved:
            ls.diagnostics.update(uri, ls.shelf.all())

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def code_lens(ls: DlBugServer, params: types.CodeLensParams) -> list[types.CodeLens]:
        return lenses(ls.shelf.all(), params.text_document.uri, ls.client_commands, REPORT)


def _take_options(ls: DlBugServer, options: dict[str, Any]) -> None:
    ls.settings, problems = read_settings(options.get("settings"))
    for problem in problems:
        logger.warning("%s", problem)
    commands = options.get("clientCommands")
    if isinstance(commands, list):
        ls.client_commands = frozenset(name for name in commands if isinstance(name, str))


def _folder_uris(params: types.InitializeParams) -> list[str]:
    if params.workspace_folders:
        return [folder.uri for folder in params.workspace_folders]
    if params.root_uri:
        return [params.root_uri]
    if params.root_path:
        return [from_fs_path(str(Path(params.root_path))) or ""]
    return []


async def _index(ls: DlBugServer, folder: Folder) -> None:
    """Read a folder in a thread of its own, with progress shown where the client can."""
    loop = asyncio.get_running_loop()
    done = asyncio.Event()
    token = f"dl-bug-index-{folder.key}"
    shows = capability(ls.client_capabilities, "window", "work_done_progress")
    shows = bool(shows) and await _begin(ls, token, folder)

    def report(percentage: int) -> None:
        ls.work_done_progress.report(token, types.WorkDoneProgressReport(percentage=percentage))

    def progress(finished: int, of: int) -> None:
        if shows and finished % max(1, of // 20) == 0:
            loop.call_soon_threadsafe(report, 100 * finished // of)

    def body() -> None:
        try:
            folder.workspace.index(progress, folder.closed.is_set)
            logger.info("indexed a folder of %d files", len(folder.workspace.files()))
        except Exception:
            logger.exception("the index could not be made")
        finally:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(done.set)

    threading.Thread(target=body, name="index", daemon=True).start()
    await done.wait()
    if shows:
        ls.work_done_progress.end(token, types.WorkDoneProgressEnd())


async def _begin(ls: DlBugServer, token: str, folder: Folder) -> bool:
    try:
        await asyncio.wait_for(
            asyncio.shield(ls.work_done_progress.create_async(token)), PROGRESS_TIMEOUT
        )
    except asyncio.CancelledError:
        raise
    except Exception:
        return False
    title = f"dl-bug: reading {folder.root.name}"
    begin = types.WorkDoneProgressBegin(title=title, percentage=0)
    ls.work_done_progress.begin(token, begin)
    return True


PROGRESS_TIMEOUT = 2.0


def _end_with_parent() -> None:
    logger.warning("the client's process is gone; the server ends")
    logging.shutdown()
    os._exit(1)
