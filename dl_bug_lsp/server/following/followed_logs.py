"""Each folder's watcher while the editor is open, and to whom it tells what it sees."""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from dl_bug_lsp.server.core.app import DlBugServer
from dl_bug_lsp.server.core.projects import folder_settings
from dl_bug_lsp.server.documents.folders import Folder
from dl_bug_lsp.server.files.changes import files_changed
from dl_bug_lsp.server.following.followed_spectra import spectrum_looker
from dl_bug_lsp.server.following.log_failures import LogFailures
from dl_bug_lsp.server.work.jobs import Rank
from dl_bug_lsp.settings.reading import Settings

if TYPE_CHECKING:
    from dl_bug_lsp.watching.values import LogFailure, SourceChanges, WatchStatus
    from dl_bug_lsp.watching.watcher import Watcher

logger = logging.getLogger(__name__)


class FollowedLogs:
    """The watchers of all folders; used on the event loop's thread.

    ``sources`` are the globs of files whose changes matter to the index: the watchers tell of them
    where the client does not.
    """

    def __init__(self, ls: DlBugServer, sources: tuple[str, ...]) -> None:
        self._ls = ls
        self._sources = sources
        self._watchers: dict[str, tuple[Watcher, tuple[object, ...]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.failures = LogFailures(ls, self._followed)
        self._is_on = False

    def begin(self) -> None:
        """Watch all open folders from now on, and those that are opened later."""
        self._is_on = True
        for folder in self._ls.folders:
            self.follow_soon(folder)

    def follow_soon(self, folder: Folder) -> None:
        """Watch a folder as its settings say; call it again when they may have changed."""
        if self._is_on:
            self._start(self._watch(folder))

    async def _watch(self, folder: Folder) -> None:
        try:
            settings = await folder_settings(self._ls, folder)
            self._follow(folder, settings)
        except Exception:
            logger.exception("a folder's logs cannot be followed")

    def _follow(self, folder: Folder, settings: Settings) -> None:
        is_wanted = settings.logs_watch or settings.spectrum_watch
        if not is_wanted or folder.closed.is_set() or not self._is_on:
            self.leave(folder)
            return
        # Imported here: it would hold up the answer to `initialize`.
        from dl_bug_lsp.watching.folders import LogRules, any_of

        include = settings.logs_include if settings.logs_watch else ()
        polling = settings.logs_polling
        rules = LogRules.of(include, settings.logs_exclude, _own_logs())
        wanted = rules, polling, settings.spectrum_junit, settings.logs_watch
        watcher, known = self._watchers.get(folder.key, (None, None))
        if watcher is not None and known == wanted:
            return
        self.leave(folder)
        from dl_bug_lsp.watching.watcher import Watcher

        sources = any_of(self._sources)
        is_source = None if self._ls.hears_of_files else partial(_matches, sources)
        ear = _Ear(self, folder)
        look = spectrum_looker(self._ls, folder, settings.spectrum_junit)
        watcher = Watcher(
            str(folder.root),
            ear,
            rules,
            polling=polling,
            is_source=is_source,
            look=look,
            follows_runs=settings.logs_watch,
        )
        self._watchers[folder.key] = watcher, wanted
        watcher.start()
        self._ls.jobs.lane(folder.key).put(Rank.HEARD, lambda: _warm_up(folder))

    def leave(self, folder: Folder) -> None:
        """Watch a folder no more; what it told stands."""
        watcher, _ = self._watchers.pop(folder.key, (None, None))
        if watcher is not None:
            watcher.stop()

    def stop(self) -> None:
        """End all watchers, for good."""
        self._is_on = False
        for watcher, _ in self._watchers.values():
            watcher.stop()
        self._watchers.clear()

    def _followed(self) -> list[Folder]:
        return [folder for folder in self._ls.folders if folder.key in self._watchers]

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def sources_changed(self, folder: Folder, changes: SourceChanges) -> None:
        """Forget what was known of changed files."""
        if not folder.closed.is_set():
            files_changed(self._ls, folder, changes.created, changes.changed, changes.deleted)


class _Ear:
    """Hands what a folder's watcher tells over to the event loop; called on its thread."""

    def __init__(self, logs: FollowedLogs, folder: Folder) -> None:
        self._logs = logs
        self._folder = folder
        self._loop = asyncio.get_running_loop()

    def failed(self, failure: LogFailure) -> None:
        self._call(lambda: self._logs.failures.failed(self._folder, failure))

    def recovered(self, source: str) -> None:
        self._call(lambda: self._logs.failures.recovered(self._folder, source))

    def sources_changed(self, changes: SourceChanges) -> None:
        self._call(lambda: self._logs.sources_changed(self._folder, changes))

    def watching(self, status: WatchStatus) -> None:
        because = f" ({status.reason})" if status.reason else ""
        logger.info(
            "%d logs in %d folders are followed by %s%s",
            *(status.logs, status.folders, status.means, because),
        )
        for problem in status.problems:
            logger.warning("%s", problem)

    def _call(self, tell: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # The loop may be gone.
            self._loop.call_soon_threadsafe(tell)


WARM_UP = (
    "Traceback (most recent call last):\n"
    '  File "warm_up.py", line 1, in <module>\n'
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)\n"
)


def _warm_up(folder: Folder) -> None:
    """Load what localizing needs before the first failure is there; in the folder's lane."""
    from dl_bug_lsp.localize import localize
    from dl_bug_lsp.server.failures import wording

    assert wording
    localize(WARM_UP, folder.workspace)


def _matches(pattern: re.Pattern[str], path: str) -> bool:
    return pattern.fullmatch(path) is not None


def _own_logs() -> frozenset[str]:
    """Return the server's own log files: followed, they would feed themselves."""
    found: set[str] = set()
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.FileHandler):
            path = os.path.realpath(handler.baseFilename)
            found.update((path, f"{path}.1"))
    return frozenset(found)
