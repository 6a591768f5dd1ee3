"""Recorded runs, followed as their output grows, and judged by the code with which they ended."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from dl_bug_lsp.runs.records import RUNS, RunRecord, log_file, read
from dl_bug_lsp.watching.followed import FollowedLog, Outcome, Recovered

RECENT = 600.0
"""Seconds since a log's last change in which its failure still counts as news at the start."""


class RecordedRuns:
    """The runs of one folder; each is followed from its beginning until its record is ended."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._folder = os.path.join(root, *RUNS.split("/"))
        self._seen: dict[str, int] = {}
        self._open: dict[str, tuple[RunRecord, FollowedLog]] = {}

    @property
    def following(self) -> tuple[FollowedLog, ...]:
        """The logs of runs that have not ended."""
        return tuple(log for _, log in self._open.values())

    def look(self, now: float) -> Iterator[Outcome]:
        """Read records that are new or changed; yield what the end of a run tells."""
        try:
            names = sorted(name for name in os.listdir(self._folder) if name.endswith(".json"))
        except OSError:
            return
        for name in names:
            path = os.path.join(self._folder, name)
            try:
                stamp = os.stat(path).st_mtime_ns
            except OSError:
                continue
            if self._seen.get(name) == stamp:
                continue
            is_first = name not in self._seen
            self._seen[name] = stamp
            yield from self._take(name, path, is_first, now)
        for name in [name for name in self._seen if name not in names]:
            del self._seen[name]
            self._open.pop(name, None)

    def _take(self, name: str, path: str, is_first: bool, now: float) -> Iterator[Outcome]:
        record = read(Path(path))
        if record is None:
            return
        if record.exit_code is None:
            if is_first and self._is_recent(path, ".log"):
                self._open[name] = record, self._log(path, record)
            return
        _, log = self._open.pop(name, (record, None))
        if record.exit_code == 0:
            # Of a failure that was shown before this server's time, too.
            yield Recovered(record.source)
        elif log is None and not self._is_recent(path, ".json"):
            return
        elif not record.was_broken_off:
            log = log or self._log(path, record)
            more = True
            while more:
                _, more = log.grow(now)
            found = log.at_end()
            if found is not None:
                yield found

    def _log(self, path: str, record: RunRecord) -> FollowedLog:
        place = log_file(Path(path).with_suffix(""))
        file = f"{RUNS}/{place.name}"
        return FollowedLog(str(place), file, from_end=False, source=record.source)

    def _is_recent(self, path: str, suffix: str) -> bool:
        """Say whether a run is news; the log of one that was killed never gets an end."""
        try:
            return time.time() - os.stat(path[: -len(".json")] + suffix).st_mtime < RECENT
        except OSError:
            return False
