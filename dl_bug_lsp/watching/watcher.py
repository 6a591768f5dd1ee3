"""The thread that watches one folder: checks logs and changed sources, and informs a sink.

Changes of sources and configs are collected until a burst is over.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from dl_bug_lsp.data_folder import FOLDER
from dl_bug_lsp.watching.file_events import FileEvents
from dl_bug_lsp.watching.folders import MOST_LOGS, FolderTree, LogRules
from dl_bug_lsp.watching.followed import (
    SETTLE,
    FollowedLog,
    Outcome,
    PollingInterval,
    Recovered,
    Sink,
    SourceChanges,
    WatchStatus,
    identity_of,
)
from dl_bug_lsp.watching.recorded import RECENT, RecordedRuns

logger = logging.getLogger(__name__)

NEWS = 20
"""Logs that are read at the start because they changed just before, at most, newest first."""
FOLDERS_PERIOD, FOLDERS_SHARE = 5.0, 0.005
"""Seconds between two looks for new files where the platform gives notices, which may be lost."""
POLLING_PERIOD, POLLING_SHARE = 0.5, 0.02
"""The same where it gives none."""
RUNS_PERIOD = 1.0
"""Seconds between two looks for recorded runs: of those above the folder there are no notices."""
JUDGING_SHARE = 0.1
"""The share of a processor's time for reading logs closely, over a while."""
JUDGING_CREDIT = 3.0
"""Seconds of it that may be used at once."""
LEAST_PAUSE = 0.01
"""Costs are this thread's processor time: a busy machine must not slow the looking down further."""


class Watcher:
    """Watches a folder from `start` to `stop`; an error in it is logged and ends nothing."""

    def __init__(
        self,
        root: str,
        sink: Sink,
        rules: LogRules | None = None,
        *,
        polling: bool = False,
        is_source: Callable[[str], bool] | None = None,
        look: Callable[[], None] | None = None,
        follows_runs: bool = True,
    ) -> None:
        """``look`` is called now and then, and soon after anything changed in ``.dlbug/``."""
        self._root = os.path.realpath(root)
        self._sink = sink
        self._polling = polling
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._tree = FolderTree(self._root, rules or LogRules())
        self._logs: dict[str, FollowedLog] = {}
        self._pace = PollingInterval()
        self._waiting: dict[str, FollowedLog] = {}
        self._runs = RecordedRuns(self._root)
        self._follows_runs = follows_runs
        self._look_elsewhere = look
        self._notices = FileEvents(self._root, self._wake.set)
        self._changes = Changes(is_source or (lambda path: False))
        self._has_notices = False
        self._folders_due = 0.0
        self._runs_due = 0.0
        self._credit, self._credited = JUDGING_CREDIT, 0.0
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)

    def start(self) -> None:
        """Begin to watch, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """Have the thread end, and the platform's notices with it; returns at once.

        Nothing more is told.
        """
        self._stop.set()
        self._wake.set()

    def join(self, timeout: float | None = None) -> None:
        """Wait for the thread's end after `stop`."""
        self._thread.join(timeout)

    def status(self) -> WatchStatus:
        """Return how the folder is watched."""
        problems = []
        if self._tree.has_too_many:
            problems.append("there are too many folders; some are not watched")
        if len(self._logs) >= MOST_LOGS:
            problems.append("there are too many logs; some are not watched")
        if self._notices.restarts:
            times = self._notices.restarts
            problems.append(f"the platform's notices ended and were begun anew ({times})")
        means = "notices of the platform" if self._has_notices else "polling"
        counts = len(self._logs), len(self._tree.stamps)
        return WatchStatus(means, self._notices.reason, *counts, tuple(problems))

    def _run(self) -> None:
        # FileEvents begin and end in this thread alone, so that none begin after their end.
        try:
            self._begin()
            self._watch()
        except Exception:
            logger.exception("a folder cannot be watched")
        finally:
            self._notices.stop()

    def _watch(self) -> None:
        while not self._stop.is_set():
            self._wake.wait(self._pause(time.monotonic()))
            self._wake.clear()
            if self._stop.is_set():
                return
            try:
                self._pass()
            except Exception:
                logger.exception("a look at the watched folder failed")
            self._stop.wait(LEAST_PAUSE)

    def _begin(self) -> None:
        if self._polling:
            self._notices.reason = "the settings ask for it"
        elif not self._stop.is_set():
            self._has_notices = self._notices.start()
        now = time.monotonic()
        # What is being written now is news; what failed long ago is not.
        logs = [(state.st_mtime, path) for path, state in self._tree.enter("")]
        since = time.time() - RECENT
        news = {path for changed, path in sorted(logs)[-NEWS:] if changed >= since}
        for changed, path in logs:
            if self._stop.is_set():
                return
            log = self._follow(path, now, from_end=True, age=time.time() - changed)
            if log is not None and path in news:
                log.recall(now)
                self._note(log)
        self._sink.watching(self.status())

    def _follow(
        self, path: str, now: float, *, from_end: bool, age: float = 0.0
    ) -> FollowedLog | None:
        if len(self._logs) >= MOST_LOGS:
            return None
        log = FollowedLog(self._tree.full(path), path, from_end=from_end)
        if not from_end:
            self._forget_renamed(log)
        log.hot_at = now - max(0.0, age)
        self._logs[path] = log
        self._pace.put(log, now)
        return log

    def _pause(self, now: float) -> float | None:
        """Return the seconds until something is to be done."""
        dues = [self._folders_due, self._runs_due]
        due = self._pace.next_due()
        dues += [due] if due is not None else []
        dues += [now + SETTLE / 2] if self._waiting else []
        changes = self._changes.due()
        dues += [changes] if changes is not None else []
        return max(0.0, min(dues) - now)

    def _pass(self) -> None:
        now = time.monotonic()
        self._take_notices(now)
        for tier in self._pace.ready(now):
            begun = time.thread_time()
            for log in list(self._pace.tiers[tier].values()):
                self._look(log, now, tier)
            self._pace.cool(tier, now)
            self._pace.looked(tier, now, time.thread_time() - begun)
        if now >= self._folders_due:
            self._look_for_new(now)
        if now >= self._runs_due:
            self._look_at_runs(now)
        self._judge(time.monotonic())
        changes = self._changes.flushed(now)
        if changes is not None and not self._stop.is_set():
            self._sink.sources_changed(changes)

    def _look(self, log: FollowedLog, now: float, tier: int | None = None) -> None:
        before = log.hot_at
        ended, more = log.grow(now)
        if ended is not None:
            self._tell(ended)
        if log.hot_at != before and tier != 0:
            self._pace.put(log, now)
        if more:
            self._wake.set()
        self._note(log)

    def _note(self, log: FollowedLog) -> None:
        if log.is_waiting:
            self._waiting[log.source] = log

    def _take_notices(self, now: float) -> None:
        paths, lost = self._notices.taken()
        if lost:
            self._folders_due = 0.0
        prefix = self._root + os.sep
        for full in paths:
            if not full.startswith(prefix):
                continue
            path = full[len(prefix) :].replace(os.sep, "/")
            if FOLDER in path.split("/"):
                self._take_record(path)
            elif self._tree.holds(path):
                self._take_notice(path, full, now)
        if self._has_notices and not self._notices.is_alive():
            # What happened meanwhile brought no notice.
            self._folders_due = 0.0
            self._has_notices = self._notices.restart(now)
            self._sink.watching(self.status())

    def _take_record(self, path: str) -> None:
        """Have runs looked at soon: something came or went in the ``.dlbug/`` of a folder."""
        parts = path.split("/")
        folder = "/".join(parts[: parts.index(FOLDER)])
        if folder in self._tree.stamps:
            self._tree.take_recorder(folder)
            self._runs_due = 0.0

    def _take_notice(self, path: str, full: str, now: float) -> None:
        log = self._logs.get(path)
        if log is not None:
            self._look(log, now)
        elif self._tree.is_log(path) and os.path.isfile(full) and not os.path.islink(full):
            log = self._follow(path, now, from_end=False)
            if log is not None:
                self._look(log, now)
        elif path not in self._tree.stamps and self._tree.may_enter(path):
            self._enter(path, now)
        self._changes.take(path, full, now)

    def _enter(self, folder: str, now: float) -> None:
        for path, _ in self._tree.enter(folder):
            if path not in self._logs:
                log = self._follow(path, now, from_end=False)
                if log is not None:
                    self._look(log, now)

    def _look_for_new(self, now: float) -> None:
        """Look into the folders that changed; drop logs that are gone."""
        begun = time.thread_time()
        changed = set(self._tree.changed())
        for folder in sorted(changed):
            self._enter(folder, now)
        if changed or self._tree.has_lost:
            for path in list(self._logs):
                folder = path.rpartition("/")[0]
                is_lost = folder not in self._tree.stamps
                if is_lost or (folder in changed and not os.path.lexists(self._tree.full(path))):
                    self._forget(path)
            self._tree.has_lost = False
        cost = time.thread_time() - begun
        period, share = (
            (FOLDERS_PERIOD, FOLDERS_SHARE)
            if self._has_notices
            else (POLLING_PERIOD, POLLING_SHARE)
        )
        self._folders_due = now + max(period, cost / share)

    def _forget_renamed(self, new: FollowedLog) -> None:
        """Take back what a log told under a former name: it tells it under its new one."""
        identity = identity_of(new.tail.path)
        for path, old in list(self._logs.items()) if identity else ():
            if old.tail.moved_to(new.tail.path, identity):
                self._forget(path)
                self._tell(Recovered(old.source))

    def _forget(self, path: str) -> None:
        """Follow a log no more that is gone; its failure stands, for it did happen."""
        log = self._logs.pop(path)
        self._pace.drop(path)
        self._waiting.pop(log.source, None)

    def _look_at_runs(self, now: float) -> None:
        period = 0.25 if self._runs.following else RUNS_PERIOD
        self._runs_due = now + period
        for log in self._runs.following:
            self._look(log, now, 0)
        for outcome in self._runs.look(self._tree.recorders) if self._follows_runs else ():
            self._tell(outcome)
        if self._look_elsewhere is not None and not self._stop.is_set():
            self._look_elsewhere()

    def _judge(self, now: float) -> None:
        """Read closely what has settled, as far as the budget goes."""
        self._credit = min(JUDGING_CREDIT, self._credit + (now - self._credited) * JUDGING_SHARE)
        self._credited = now
        for source, log in list(self._waiting.items()):
            if self._credit <= 0 or self._stop.is_set():
                return
            if not log.is_settled(time.monotonic()):
                continue
            begun = time.thread_time()
            del self._waiting[source]
            try:
                outcome = log.judge(time.monotonic())
            except Exception:
                logger.exception("a log could not be read")
                outcome = None
            self._credit -= time.thread_time() - begun
            if outcome is not None:
                self._tell(outcome)

    def _tell(self, outcome: Outcome) -> None:
        if self._stop.is_set():
            return
        if isinstance(outcome, Recovered):
            self._sink.recovered(outcome.source)
        else:
            self._sink.failed(outcome)


QUIET = 0.2
"""Seconds without a change after which a burst (a checkout, a formatter) is over."""
LONGEST = 2.0
"""Seconds after which it is told anyway."""


@dataclass(slots=True)
class Changes:
    """The changed files for which ``is_source`` holds, by relative path."""

    is_source: Callable[[str], bool]
    _paths: dict[str, bool] = field(default_factory=dict)
    _first: float = 0.0
    _last: float = 0.0

    def take(self, path: str, full: str, now: float) -> None:
        """Take in that a file came, changed or went; ``full`` is its absolute path."""
        if not self.is_source(path):
            return
        if not self._paths:
            self._first = now
        self._last = now
        self._paths[path] = os.path.exists(full)

    def due(self) -> float | None:
        """Return when the changes are to be told, None where there are none."""
        if not self._paths:
            return None
        return min(self._last + QUIET, self._first + LONGEST)

    def flushed(self, now: float) -> SourceChanges | None:
        """Return the changes of a burst that is over, and begin anew."""
        due = self.due()
        if due is None or now < due:
            return None
        changed = tuple(sorted(path for path, exists in self._paths.items() if exists))
        deleted = tuple(sorted(path for path, exists in self._paths.items() if not exists))
        self._paths.clear()
        return SourceChanges(changed=changed, deleted=deleted)
