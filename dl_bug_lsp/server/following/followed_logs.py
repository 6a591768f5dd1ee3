"""Failures that logs tell while the editor is open: each folder's watcher, and what it hears."""

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
from dl_bug_lsp.server.core.localizing import job_name, localized
from dl_bug_lsp.server.core.projects import folder_settings
from dl_bug_lsp.server.documents.folders import Folder
from dl_bug_lsp.server.failures.told import LogState
from dl_bug_lsp.server.files.changes import files_changed
from dl_bug_lsp.server.files.notebooks import is_open_notebook
from dl_bug_lsp.server.following.followed_spectra import spectrum_looker
from dl_bug_lsp.server.work.jobs import CancelledError, Rank, SupersededError
from dl_bug_lsp.settings.reading import Settings

if TYPE_CHECKING:
    from dl_bug_lsp.watching.patterns import LogRules
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
        self._watchers: dict[str, tuple[Watcher, tuple[LogRules, bool, object]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
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
        from dl_bug_lsp.watching.patterns import INCLUDE, LogRules, any_of

        include = INCLUDE if settings.logs_include is None else settings.logs_include
        if not settings.logs_watch:
            include = ()
        rules = LogRules(tuple(include), tuple(settings.logs_exclude), _own_logs())
        wanted = rules, settings.logs_polling, settings.spectrum_junit
        watcher, known = self._watchers.get(folder.key, (None, None))
        if watcher is not None and known == wanted:
            return
        self.leave(folder)
        from dl_bug_lsp.watching.watcher import Watcher

        sources = any_of(self._sources)
        is_source = None if self._ls.hears_of_files else partial(_matches, sources)
        ear, polling = _Ear(self, folder), settings.logs_polling
        look = spectrum_looker(self._ls, folder, settings.spectrum_junit)
        watcher = Watcher(
            str(folder.root), ear, rules, polling=polling, is_source=is_source, look=look
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

    def failed(self, folder: Folder, failure: LogFailure) -> None:
        """Localize a failure and show it; not of a notebook whose cells the client tells of."""
        ls = self._ls
        if not (ls.hears_of_cells and is_open_notebook(ls, folder.uri_of(failure.file))):
            self._start(self._show(folder, failure))

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _show(self, folder: Folder, failure: LogFailure) -> None:
        ls = self._ls
        try:
            if folder.closed.is_set():
                return
            state = _state(folder, failure.file)
            if await ls.told.knows(folder, failure.source, state):
                return
            found = await localized(
                ls, failure.text, failure.source, (folder,), lines_before=failure.lines_before
            )
            # A log without a failure that ended its job shows nothing, and disturbs nobody.
            if found.report.primary is None or folder.closed.is_set():
                return
            was_told = ls.told.was_told(folder, failure.source, state, found.report)
            shown = ls.shelf.has(failure.source, folder)
            aside = ls.told.aside(folder, failure.source, state, shown)
            found.put_aside(aside)
            if found.settings.keep_failures:
                ls.told.note(folder, failure.source, state, found.report, aside)
            if not was_told:
                found.log = folder.uri_of(failure.file)
                ls.publish(found, soon=True)
        except (SupersededError, CancelledError):
            return
        except Exception:
            logger.exception("a failure in a followed log could not be localized")

    def recovered(self, folder: Folder, source: str) -> None:
        """Take back what a log showed."""
        self._ls.jobs.drop(job_name(source, (folder,)))
        self._ls.told.forget(folder, source)
        if not folder.closed.is_set():
            self._ls.resolve(source, folder, soon=True)

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
        self._call(lambda: self._logs.failed(self._folder, failure))

    def recovered(self, source: str) -> None:
        self._call(lambda: self._logs.recovered(self._folder, source))

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


def _state(folder: Folder, file: str) -> LogState | None:
    """Return a log's state; None where there is none."""
    try:
        return LogState(file, (folder.root / file).stat().st_mtime_ns)
    except (OSError, ValueError):
        return None


def _own_logs() -> frozenset[str]:
    """Return the server's own log files: followed, they would feed themselves."""
    found: set[str] = set()
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.FileHandler):
            path = os.path.realpath(handler.baseFilename)
            found.update((path, f"{path}.1"))
    return frozenset(found)
