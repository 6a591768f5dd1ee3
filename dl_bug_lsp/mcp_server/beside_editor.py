"""The tools beside a language server, in its process: one index, and the failures it shows now.

Assistants come by a Unix socket (`dl-bug-lsp mcp --connect` hands their streams on). A call runs in
the lane of its folder, as the editor's own work does.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.mcp_server.folders import (
    KeptFailure,
    ToolError,
    kept_failure,
)
from dl_bug_lsp.mcp_server.tools import Answer, Tool, Tools

if TYPE_CHECKING:
    from dl_bug_lsp.server.app import DlBugServer
    from dl_bug_lsp.server.documents import Folder
    from dl_bug_lsp.workspace import Workspace

logger = logging.getLogger(__name__)

LONGEST_MESSAGE = 64 * 2**20


class EditorFolders:
    """The folders that the editor has open; used in their lanes."""

    def __init__(self, server: DlBugServer, loop: asyncio.AbstractEventLoop) -> None:
        self._server = server
        self._loop = loop

    def folder(self, named: str | None) -> Folder:
        """Return a folder that is open, the first one without a name; on the loop's thread.

        Raises `ToolError` where the editor has no such folder open.
        """
        folders = tuple(self._server.folders)
        if not folders:
            raise ToolError("the editor has no folder open")
        if named is None:
            return folders[0]
        path = folders[0].root / named
        for folder in folders:
            if path in (folder.root, folder.real_root) or folder.uri == named:
                return folder
        raise ToolError(f"the editor has no folder '{named}' open")

    def workspace(self, named: str | None) -> Workspace:
        """Return a folder's files as they stand now."""
        workspace = self.folder(named).workspace
        workspace.catch_up()
        return workspace

    def kept(self, workspace: Workspace) -> list[KeptFailure]:
        """Return what the editor shows in a folder, the latest first."""

        async def shown() -> list[KeptFailure]:
            held = [
                publication
                for publication in self._server.shown_failures.all()
                if publication.shown()
            ]
            here = [
                publication for publication in held if publication.folder.root == workspace.root
            ]
            return [kept_failure(publication) for publication in reversed(here)]

        return asyncio.run_coroutine_threadsafe(shown(), self._loop).result()


async def serve_socket(server: DlBugServer, path: Path) -> None:
    """Serve assistants at a Unix socket, which its owner alone may use, until cancelled."""
    loop = asyncio.get_running_loop()
    sessions: set[asyncio.Task[None]] = set()

    async def session(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        sessions.add(task)
        try:
            # The SDK's import takes a second: the editor is answered meanwhile.
            protocol = await asyncio.to_thread(_protocol)
            folders = EditorFolders(server, loop)
            await protocol.serve_streams(Tools(folders), reader, writer, _runner(server, folders))
        except (OSError, asyncio.IncompleteReadError):
            pass
        except Exception:
            logger.exception("an assistant's session failed")
        finally:
            sessions.discard(task)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    listener = await asyncio.start_unix_server(session, sock=_bound(path), limit=LONGEST_MESSAGE)
    try:
        async with listener:
            await listener.serve_forever()
    finally:
        for task in sessions:
            task.cancel()
        with contextlib.suppress(OSError):
            path.unlink()


def _bound(path: Path) -> socket.socket:
    """Return a socket at a new path that its owner alone may open, from the first moment on."""
    made = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        made.bind(str(path))
    finally:
        os.umask(before)
    return made


def _protocol() -> Any:
    from dl_bug_lsp.mcp_server import protocol

    return protocol


def _runner(server: DlBugServer, folders: EditorFolders) -> Any:
    calls = 0

    async def run(tool: Tool, arguments: Mapping[str, Any]) -> Answer:
        nonlocal calls
        calls += 1
        lane = folders.folder(arguments.get("workspace")).key
        name = f"assistant {id(folders)} {calls}"
        (answer,) = await server.jobs.run(name, [(lane, lambda _token: tool.run(arguments))])
        return answer

    return run
