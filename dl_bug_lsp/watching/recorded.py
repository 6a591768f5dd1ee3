"""Recorded runs, followed as their output grows, and judged by the code with which they ended."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from dl_bug_lsp.runs.records import RUNS, RunRecord, frames_file, log_file, read
from dl_bug_lsp.watching.followed import FollowedLog, Outcome, Recovered, RunPlace

RECENT = 600.0
"""Seconds since a log's last change in which its failure still counts as news at the start."""
SURE = 2.0
"""Seconds after a folder's last change from which on its stamp tells that nothing came since."""


@dataclass(slots=True)
class _Recorder:
    """A folder with runs: what its listing was last, and the time of each record in it."""

    stamp: int = 0
    seen: dict[str, int] | None = None


class RecordedRuns:
    """The runs of one watched folder, each followed from its beginning until its record is ended.

    ``run`` records where the project begins, as far as it can tell, and else where it was called:
    in the watched folder, below it, or above. Of runs above only this user's are read.
    """

    def __init__(self, root: str) -> None:
        """``root`` is the watched folder's real path."""
        self._root = root
        self._above = tuple(_above(root))
        self._recorders: dict[str, _Recorder] = {}
        self._open: dict[str, FollowedLog] = {}

    @property
    def following(self) -> tuple[FollowedLog, ...]:
        """The logs of runs that have not ended."""
        return tuple(self._open.values())

    def look(self, below: Iterable[str] = ()) -> Iterator[Outcome]:
        """Read records that are new or changed; yield what the end of a run tells.

        ``below`` are folders in the watched one, relative to it, in which runs may be recorded.
        """
        wanted = (*self._above, *_inside(self._root, below))
        for folder in [folder for folder in self._recorders if folder not in wanted]:
            self._forget(folder, self._recorders.pop(folder).seen or ())
        for folder in wanted:
            known = self._recorders.setdefault(folder, _Recorder())
            if not _is_as_before(_runs(folder), known):
                yield from self._look_into(folder, known)

    def _look_into(self, folder: str, known: _Recorder) -> Iterator[Outcome]:
        seen, runs = known.seen or {}, _runs(folder)
        try:
            names = sorted(name for name in os.listdir(runs) if name.endswith(".json"))
        except OSError:
            names = []
        known.seen = {}
        for name in names:
            try:
                state = os.stat(os.path.join(runs, name), follow_symlinks=False)
            except OSError:
                continue
            if folder in self._above and not _is_own(state):
                continue
            known.seen[name] = state.st_mtime_ns
            if seen.get(name) != state.st_mtime_ns:
                yield from self._take(folder, name, name not in seen)
        self._forget(folder, [name for name in seen if name not in known.seen])

    def _forget(self, folder: str, names: Iterable[str]) -> None:
        for name in names:
            self._open.pop(os.path.join(_runs(folder), name), None)

    def _take(self, folder: str, name: str, is_first: bool) -> Iterator[Outcome]:
        path = os.path.join(_runs(folder), name)
        record = read(Path(path))
        if record is None:
            return
        if record.exit_code is None:
            if is_first and _is_recent(path, ".log"):
                self._open[path] = self._log(folder, path, record)
            return
        log = self._open.pop(path, None)
        if record.exit_code == 0:
            # Of a failure that was shown before this server's time, too.
            yield Recovered(self._source(folder, record))
            if log is not None or _is_recent(path, ".json"):
                log = self._grown(log or self._log(folder, path, record))
                yield from log.metrics()
        elif log is None and not _is_recent(path, ".json"):
            return
        elif not record.was_broken_off:
            growth = self._grown(log or self._log(folder, path, record)).at_end()
            if growth is not None:
                yield growth

    def _grown(self, log: FollowedLog) -> FollowedLog:
        """Return a log that has taken in all of its file."""
        more = True
        while more:
            _, more = log.grow(time.monotonic())
        return log

    def _log(self, folder: str, path: str, record: RunRecord) -> FollowedLog:
        place = str(log_file(Path(path).with_suffix("")))
        is_above = folder in self._above
        file = PurePath(place if is_above else os.path.relpath(place, self._root)).as_posix()
        frames = str(frames_file(Path(path).with_suffix("")))
        run = RunPlace(_ran_in(folder, record), folder, record.command, frames)
        source = self._source(folder, record)
        return FollowedLog(place, file, from_end=False, source=source, run=run)

    def _source(self, folder: str, record: RunRecord) -> str:
        """Return the name of a run's failure: the same wherever the same command was recorded.

        A run outside of the watched folder has a name of its own, which all that watch it share.
        """
        ran_in = PurePath(_ran_in(folder, record))
        if ran_in.is_relative_to(self._root):
            return replace(record, folder=ran_in.relative_to(self._root).as_posix()).source
        return f"run in {ran_in.as_posix()}: {shlex.join(record.command)}"


def recorders(root: str, below: Iterable[str]) -> tuple[str, ...]:
    """Return the folders in which runs of a watched one may be recorded, absolute.

    ``root`` is its real path, ``below`` are folders in it that have a ``.dlbug/``, relative to it.
    """
    return (*_above(root), *_inside(root, below))


def _inside(root: str, below: Iterable[str]) -> tuple[str, ...]:
    return (root, *sorted(os.path.join(root, name) for name in below if name))


def _above(root: str) -> Iterator[str]:
    """Yield the folders around a folder, nearest first: to the user's home, on the same disk.

    Asking for files beyond a mount point may well mount other machines' disks.
    """
    home = os.path.realpath(os.path.expanduser("~"))
    try:
        device = os.stat(root).st_dev
        for parent in Path(root).parents:
            if root == home or os.stat(parent).st_dev != device:
                return
            yield str(parent)
            root = str(parent)
    except OSError:
        return


def _runs(folder: str) -> str:
    return os.path.join(folder, *RUNS.split("/"))


def _ran_in(folder: str, record: RunRecord) -> str:
    """Return the absolute folder that a run recorded in ``folder`` ran in."""
    return os.path.normpath(os.path.join(folder, record.folder))


def _is_as_before(runs: str, known: _Recorder) -> bool:
    """Whether no record came, changed or went: each does so under its folder's time."""
    try:
        stamp = os.stat(runs).st_mtime_ns
    except OSError:
        stamp = 0
    before, known.stamp = known.stamp, stamp
    return stamp == before and (not stamp or time.time_ns() - stamp > SURE * 1e9)


def _is_own(state: os.stat_result) -> bool:
    """Whether a file is this user's; where files have no owners every one is."""
    return not hasattr(os, "getuid") or state.st_uid == os.getuid()


def _is_recent(path: str, suffix: str) -> bool:
    """Say whether a run is news; the log of one that was killed never gets an end."""
    try:
        return time.time() - os.stat(path[: -len(".json")] + suffix).st_mtime < RECENT
    except OSError:
        return False
