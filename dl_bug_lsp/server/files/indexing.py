"""Reading a folder for the first time, and again where its files change on disk.

The first reading goes in steps, with progress; any other work may overtake it. Of changed files
only these are forgotten and indexed again.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from lsprotocol import types

from dl_bug_lsp.server.core.app import DlBugServer
from dl_bug_lsp.server.core.settings import look_at_project
from dl_bug_lsp.server.documents.folders import Folder
from dl_bug_lsp.server.files.editing import disk_changed
from dl_bug_lsp.server.jobs import Rank
from dl_bug_lsp.server.process.lifetime import keep_what_stands
from dl_bug_lsp.settings.reading import FILE

logger = logging.getLogger(__name__)

QUIET_SECONDS = 0.5
"""Reading that takes no longer shows no progress."""
REPORT_SECONDS = 0.2
PROGRESS_TIMEOUT = 2.0


def index(ls: DlBugServer, folder: Folder) -> None:
    """Have a folder indexed in its lane; returns at once."""
    loop = asyncio.get_running_loop()
    shown = _Progress(ls, folder)

    def call(what: Callable[..., object], *arguments: object) -> None:
        with suppress(RuntimeError):  # The loop may be gone.
            loop.call_soon_threadsafe(what, *arguments)

    def steps() -> Iterator[None]:
        reported = began = time.monotonic()
        try:
            for done, of in folder.workspace.index_steps():
                if folder.closed.is_set() or shown.is_cancelled:
                    logger.info("the index of a folder was not finished: %d of %d", done, of)
                    return
                now = time.monotonic()
                if now - reported > REPORT_SECONDS:
                    reported = now
                    keep_what_stands()
                    if now - began > QUIET_SECONDS:
                        call(shown.report, 100 * done // max(1, of))
                yield
            logger.info("indexed a folder of %d files", len(folder.workspace.files()))
        except Exception:
            logger.exception("the index could not be made")
        finally:
            keep_what_stands(after_all=True)
            call(shown.end)

    look_at_project(ls, folder)
    ls.jobs.lane(folder.key).put_steps(steps())


class _Progress:
    """Work-done progress of one folder; begins with the first report."""

    _count = 0

    def __init__(self, ls: DlBugServer, folder: Folder) -> None:
        self._ls = ls
        self._name = folder.root.name
        _Progress._count += 1
        self._token = f"dl-bug-index-{_Progress._count}"
        self._creating: asyncio.Task[bool] | None = None
        self._begun = False
        self._ended = False

    @property
    def is_cancelled(self) -> bool:
        """Whether the user stopped it; asked by the lane's thread."""
        future = self._ls.work_done_progress.tokens.get(self._token)
        return future is not None and future.cancelled()

    def report(self, percentage: int) -> None:
        if self._ended or not self._ls.can("window", "work_done_progress"):
            return
        if self._creating is None:
            self._creating = asyncio.ensure_future(self._create(percentage))
        elif self._begun:
            report = types.WorkDoneProgressReport(percentage=percentage)
            self._ls.work_done_progress.report(self._token, report)

    async def _create(self, percentage: int) -> bool:
        progress = self._ls.work_done_progress
        try:
            created = asyncio.shield(progress.create_async(self._token))
            await asyncio.wait_for(created, PROGRESS_TIMEOUT)
        except asyncio.CancelledError:
            raise
        except Exception:
            return False
        begin = types.WorkDoneProgressBegin(
            title=f"dl-bug: reading {self._name}", percentage=percentage, cancellable=True
        )
        progress.begin(self._token, begin)
        self._begun = True
        if self._ended:
            self._end()
        return True

    def end(self) -> None:
        self._ended = True
        if self._begun:
            self._end()

    def _end(self) -> None:
        progress = self._ls.work_done_progress
        progress.end(self._token, types.WorkDoneProgressEnd())
        # The library remembers every token for good.
        progress.tokens.pop(self._token, None)


def files_changed(
    ls: DlBugServer,
    folder: Folder,
    created: Iterable[str] = (),
    changed: Iterable[str] = (),
    deleted: Iterable[str] = (),
) -> None:
    """Take in that files of a folder came, changed or went; returns at once.

    Call it on the event loop's thread. Names are relative to the folder's root, with ``/``
    (`Folder.file_of` makes them of URIs and paths); a folder's name stands for all that is in it.
    """
    names = tuple(dict.fromkeys((*created, *changed, *deleted)))
    if not names or folder.closed.is_set():
        return
    lane = ls.jobs.lane(folder.key)

    def index_again() -> Iterator[None]:
        for name in names:
            folder.workspace.index_files((name,))
            yield

    lane.put(Rank.CHANGES, folder.workspace.catch_up)
    if FILE in names:
        look_at_project(ls, folder)
    lane.put_steps(index_again())
    disk_changed(ls, folder, names)
