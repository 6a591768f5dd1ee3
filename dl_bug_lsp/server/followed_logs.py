"""The watcher of each folder while the editor is open, and what becomes of what it reports.

Failures of logs and recorded runs are shown where their code is, and withdrawn. Where the watchers
of several folders see one failure, the folder that holds its code reports it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dl_bug_lsp.server.app import DlBugServer, job_name, localized
from dl_bug_lsp.server.documents import Folder
from dl_bug_lsp.server.files import files_changed, is_open_notebook
from dl_bug_lsp.server.folder_settings import folder_settings
from dl_bug_lsp.server.followed_recordings import spectrum_change_checker, training_change_checker
from dl_bug_lsp.server.jobs import CancelledError, Rank, SupersededError, Tasks
from dl_bug_lsp.server.known_failures import OF_A_FOLDER, LogState
from dl_bug_lsp.server.publication import Publication
from dl_bug_lsp.settings.reading import Settings

if TYPE_CHECKING:
    from dl_bug_lsp.report import Report
    from dl_bug_lsp.watching.followed import LogFailure, RunPlace, SourceChanges, WatchStatus
    from dl_bug_lsp.watching.watcher import Watcher

MOST_WORDS = 200
"""Words of a command that are looked at."""


def responsible_folders(
    followed: Sequence[Folder], heard: Folder, failure: LogFailure
) -> tuple[Folder, ...]:
    """Return the folders in which a failure is shown that ``heard``'s watcher saw.

    A log belongs to the innermost folder around it, a recorded run to the innermost around the
    folder that it ran in; in any other it is told by none. A run outside of all folders is told by
    those below its project together, in the turn of the first of them.
    """
    run = failure.run
    if run is None:
        place = heard.real_root / failure.file
        return _only(heard, [f for f in followed if f.real_root in place.parents])
    ran_in, recorder = Path(run.folder), Path(run.recorder)
    hearing = [f for f in followed if _are_in_line(f.real_root, recorder)]
    around = [f for f in hearing if f.real_root in (ran_in, *ran_in.parents)]
    if around or heard not in hearing:
        return _only(heard, around)
    return tuple(hearing) if hearing[0] is heard else ()


def _only(heard: Folder, around: Sequence[Folder]) -> tuple[Folder, ...]:
    innermost = max(around, key=lambda f: len(f.real_root.parts), default=heard)
    return (heard,) if innermost is heard else ()


def _are_in_line(path: Path, other: Path) -> bool:
    return path == other or path in other.parents or other in path.parents


def is_for_folder(folder: Folder, run: RunPlace) -> bool:
    """Whether a run ran in a folder, or names a file of it in its command."""
    root, ran_in = folder.real_root, Path(run.folder)
    named = (run.folder, *run.command[:MOST_WORDS])
    return any(_normal(ran_in / word).is_relative_to(root) for word in named)


def _normal(path: Path) -> Path:
    # Without a look at the disk: the loop does not wait for it.
    return Path(os.path.normpath(path))


def has_frame(report: Report) -> bool:
    """Whether the failure that ended the job passed through a file of the folder."""
    primary = report.primary
    return primary is not None and any(frame.workspace_file for frame in primary.frames)


def name_elsewhere(folder: Folder, source: str) -> str:
    """Return the name of a folder's log or run in other folders, whose code it is about."""
    kind, colon, name = source.partition(":")
    is_own = f"{kind}{colon}".startswith(OF_A_FOLDER)
    return f"{kind} in {folder.real_root.as_posix()}: {name}" if is_own else source


def is_run(source: str) -> bool:
    """Whether a name is that of a recorded run, in its own folder or as `name_elsewhere` has it."""
    return source.startswith(("run:", "run in "))


logger = logging.getLogger(__name__)


class LogFailures:
    """The failures of followed logs; used on the event loop's thread."""

    def __init__(self, ls: DlBugServer, followed: Callable[[], Iterable[Folder]]) -> None:
        """``followed`` returns the folders that are watched now."""
        self._ls = ls
        self._followed = followed
        self._tasks = Tasks()
        self._newest: dict[tuple[str, str], LogFailure] = {}
        """Of each log the failure that is looked at."""

    def failed(self, folder: Folder, failure: LogFailure) -> None:
        """Localize a failure and show it; not of a notebook whose cells the client tells of."""
        ls = self._ls
        if not (ls.hears_of_cells and is_open_notebook(ls, _log_uri(folder, failure))):
            self._tasks.start(self._show(folder, failure))

    async def _show(self, folder: Folder, failure: LogFailure) -> None:
        ls, key = self._ls, (folder.key, failure.source)
        self._newest[key] = failure
        try:
            if folder.closed.is_set():
                return
            state = LogState.of(folder, failure.file)
            if await ls.reported_logs.was_reported_before(folder, failure.source, state):
                return
            publication = await self._localized(folder, failure)
            is_open = publication is not None and not publication.folder.closed.is_set()
            if publication is None or not is_open or self._newest.get(key) is not failure:
                return
            was_reported = ls.reported_logs.was_reported(
                folder, failure.source, state, publication.report
            )
            shown = ls.shown_failures.has(publication.source, publication.folder)
            aside = ls.reported_logs.aside(folder, failure.source, state, shown)
            publication.put_aside(aside)
            if publication.settings.keep_failures:
                ls.reported_logs.note(folder, failure.source, state, publication.report, aside)
            if not was_reported:
                publication.log = _log_uri(folder, failure)
                for name in _names(folder, failure.source):
                    if name != publication.source:
                        ls.shown_failures.drop_source(name, folder)
                ls.publish(publication, unasked=True)
        except (SupersededError, CancelledError):
            return
        except Exception:
            logger.exception("a failure in a followed log could not be localized")
        finally:
            if self._newest.get(key) is failure:
                del self._newest[key]

    async def _localized(self, folder: Folder, failure: LogFailure) -> Publication | None:
        """Return what a failure shows, in another folder where its code is there; None for none.

        A log without a failure that ended its job shows nothing, and disturbs nobody; neither does
        a run elsewhere that has nothing to do with the folders.
        """
        ls, source, lines = self._ls, failure.source, failure.lines_before
        followed = list(self._followed())
        telling = responsible_folders(followed, folder, failure)
        if not telling:
            return None
        frames = failure.run.frames if failure.run is not None else None
        publication = await localized(
            ls, failure.text, source, telling, lines_before=lines, frames=frames
        )
        if failure.ended_well and publication.report.silent_warning is None:
            return None
        if publication.report.primary is None:
            return None
        if has_frame(publication.report):
            return publication
        others = tuple(f for f in followed if f not in telling)
        if others and not failure.ended_well:
            name = name_elsewhere(folder, source)
            there = await localized(
                ls, failure.text, name, others, lines_before=lines, frames=frames
            )
            if has_frame(there.report):
                return there
        run = failure.run
        is_ours = run is None or any(is_for_folder(responsible, run) for responsible in telling)
        return publication if is_ours else None

    def recovered(self, folder: Folder, source: str) -> None:
        """Take back what a log showed; a run that ended well ends the failure for all sources."""
        ls = self._ls
        ls.reported_logs.forget(folder, source)
        self._newest.pop((folder.key, source), None)
        for name in _names(folder, source):
            ls.jobs.drop(job_name(name, (folder,)))
            drop = ls.shown_failures.drop_failure if is_run(name) else ls.shown_failures.drop_source
            if not folder.closed.is_set() and drop(name, folder):
                ls.show_soon()


def _names(folder: Folder, source: str) -> tuple[str, ...]:
    """Return the names under which a log's failure may be shown: in its folder, in others."""
    return tuple(dict.fromkeys((source, name_elsewhere(folder, source))))


def _log_uri(folder: Folder, failure: LogFailure) -> str:
    file = Path(failure.file)
    return file.as_uri() if file.is_absolute() else folder.uri_of(failure.file)


class FollowedLogs:
    """The watchers of all folders; used on the event loop's thread.

    ``sources`` are the globs of files whose changes matter to the index: the watchers tell of them
    where the client does not.
    """

    def __init__(self, ls: DlBugServer, sources: tuple[str, ...]) -> None:
        self._ls = ls
        self._sources = sources
        self._watchers: dict[str, tuple[Watcher, tuple[object, ...]]] = {}
        self._tasks = Tasks()
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
            self._tasks.start(self._watch(folder))

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
        sink = _WatchSink(self, folder)
        checks = (
            spectrum_change_checker(self._ls, folder, settings.spectrum_junit),
            training_change_checker(self._ls, folder),
        )

        def look() -> None:
            for check in checks:
                check()

        watcher = Watcher(
            str(folder.root),
            sink,
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

    def sources_changed(self, folder: Folder, changes: SourceChanges) -> None:
        """Forget what was known of changed files."""
        if not folder.closed.is_set():
            files_changed(self._ls, folder, changes.created, changes.changed, changes.deleted)


class _WatchSink:
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
    from dl_bug_lsp.server import diagnostics

    assert diagnostics
    localize(WARM_UP, folder.workspace)


def _matches(pattern: re.Pattern[str], path: str) -> bool:
    return pattern.fullmatch(path) is not None


def _own_logs() -> frozenset[str]:
    """Return the server's own log files: followed, they would feed themselves."""
    logs: set[str] = set()
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.FileHandler):
            path = os.path.realpath(handler.baseFilename)
            logs.update((path, f"{path}.1"))
    return frozenset(logs)
