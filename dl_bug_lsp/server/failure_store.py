"""Failures outlive the server: they are kept in their folder, and shown when it is opened again."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from dl_bug_lsp.data_folder import refusal
from dl_bug_lsp.server.app import DlBugServer
from dl_bug_lsp.server.documents import Folder
from dl_bug_lsp.server.files import encoding_of
from dl_bug_lsp.server.folder_settings import folder_settings
from dl_bug_lsp.server.jobs import CancelledError, Rank, SupersededError, Tasks, Token

if TYPE_CHECKING:
    from dl_bug_lsp.server.failures_file import Known, Restored, StoredContent
    from dl_bug_lsp.server.known_failures import KeptLog

logger = logging.getLogger(__name__)


def register(server: DlBugServer) -> None:
    """Keep what is shown and bring it back when a folder is opened."""
    keeper = FailureStore(server)
    server.events.shown.subscribe(keeper.changed)
    server.events.folder_opened.subscribe(keeper.opened)
    server.events.folder_closed.subscribe(keeper.closed)

    server.events.document_saved.subscribe(
        lambda uri: keeper.changed() if server.shown_failures.spots(uri) else None
    )


class FailureStore:
    """Writes in a thread, one file at a time, always the latest state."""

    def __init__(self, ls: DlBugServer) -> None:
        self._ls = ls
        self._tasks = Tasks()
        self._is_writing = False
        self._is_stale = False
        self._written: dict[str, bytes | None] = {}
        self._known: dict[str, Known] = {}
        self._refused: set[str] = set()

    def changed(self) -> None:
        """Write what is shown now, soon."""
        self._is_stale = True
        if not self._is_writing:
            self._is_writing = True
            self._tasks.start(self._write())

    def opened(self, folder: Folder) -> None:
        """Show what was kept of a folder, off the loop."""
        self._tasks.start(self._restore(folder))

    def closed(self, folder: Folder) -> None:
        """Write what a closed folder shows, if that is still to be done, and forget it."""
        if self._is_stale:
            self._tasks.start(self._write_now(folder, self._kept(folder)))
        else:
            self._forget(folder)
        self._ls.reported_logs.close(folder)

    async def _write_now(self, folder: Folder, content: StoredContent) -> None:
        try:
            await self._write_folder(folder, content)
        except Exception:
            logger.exception("the failures could not be kept")
        if not self._ls.folders.is_open(folder.key):
            self._forget(folder)

    def _forget(self, folder: Folder) -> None:
        self._written.pop(folder.key, None)
        self._known.pop(folder.key, None)
        self._refused.discard(folder.key)

    async def _write(self) -> None:
        try:
            while self._is_stale:
                self._is_stale = False
                for folder in self._ls.folders:
                    if not folder.closed.is_set():
                        await self._write_folder(folder, self._kept(folder))
        except Exception:
            logger.exception("the failures could not be kept")
        finally:
            self._is_writing = False

    def _kept(self, folder: Folder) -> StoredContent:
        # Imported here: there is nothing to keep before there is a failure.
        from dl_bug_lsp.server.failures_file import MOST, StoredContent, to_kept

        held = [p for p in self._ls.shown_failures.held() if p.folder is folder and p.shown()]
        shown = [
            to_kept(publication)
            for publication in held[-MOST:]
            if publication.settings.keep_failures
        ]
        return StoredContent(shown, self._ls.reported_logs.kept(folder))

    async def _write_folder(self, folder: Folder, content: StoredContent) -> None:
        if folder.key not in self._written and not (content.failures or content.told):
            return

        def write() -> None:
            from dl_bug_lsp.server.failures_file import (
                LARGEST,
                NAME,
                beside,
                change_state,
                names_of,
                to_bytes,
            )

            data = to_bytes(content)
            if self._written.get(folder.key, b"") == data:
                return
            self._written[folder.key] = data
            known = self._known.setdefault(folder.key, set())
            # Who reads the file from now on must know whose this is.
            known |= names_of(content)

            def change(old: bytes | None) -> bytes | None:
                return to_bytes(beside(old, content, known))

            if not change_state(folder.root, NAME, LARGEST, change):
                # What stands in the way may go: the next change tries again.
                self._written.pop(folder.key, None)
                self._complain(folder)

        await asyncio.to_thread(write)

    def _complain(self, folder: Folder) -> None:
        if folder.key not in self._refused:
            self._refused.add(folder.key)
            why = refusal(folder.root) or "it cannot be written"
            logger.warning("the failures of a folder are not kept on its disk: %s", why)

    async def _restore(self, folder: Folder) -> None:
        ls = self._ls
        logs: list[KeptLog] = []
        try:
            settings = await folder_settings(ls, folder)
            encoding = encoding_of(ls)
            if not settings.keep_failures or folder.closed.is_set():
                return

            own = self._known.setdefault(folder.key, set())

            def work(token: Token) -> Restored:
                # Imported here: it would hold up the answer to `initialize`.
                from dl_bug_lsp.server.failures_file import read_folder

                return read_folder(folder, settings, encoding, token, own)

            source = f"what was kept of {folder.key}"
            (restored,) = await ls.jobs.run(source, [(folder.key, work)], None, Rank.CHANGES)
            if folder.closed.is_set():
                return
            self._written.setdefault(folder.key, b"")
            self._known.setdefault(folder.key, set()).update(restored.known)
            logs = restored.told
            for publication in restored.publications:
                if not ls.shown_failures.has(publication.source, folder):
                    ls.publish(publication)
        except (SupersededError, CancelledError):
            return
        except Exception:
            logger.exception("the failures that were kept could not be shown")
        finally:
            if not folder.closed.is_set():
                ls.reported_logs.restore(folder, logs)
