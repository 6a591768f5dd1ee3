"""What the watcher tells: failures in logs, logs that are well again, changed sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class RunPlace:
    """The folder a recorded run ran in, the one whose ``.dlbug/`` holds its record, its command.

    Both folders are absolute, with links followed.
    """

    folder: str
    recorder: str
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LogFailure:
    """A failure that was seen in a followed log.

    ``source`` names where it is from (``log:train.log``, ``run:python train.py``), ``file`` is the
    log, relative to the watched folder with ``/`` (absolute where a run was recorded above it).
    ``text`` is the part of it that tells of the failure, and ``lines_before`` lines of the log
    stand before that part. ``run`` is None where the log is not one of a recorded run.
    ``ended_well`` says that the run ended without an error: only its metrics can tell of a failure.
    """

    source: str
    file: str
    text: str
    lines_before: int = 0
    run: RunPlace | None = None
    ended_well: bool = False


@dataclass(frozen=True, slots=True)
class SourceChanges:
    """Files that came, changed or went, relative to the watched folder with ``/``, sorted."""

    created: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WatchStatus:
    """How a folder is watched: ``means`` in words, ``reason`` where it is not the best means."""

    means: str
    reason: str = ""
    logs: int = 0
    folders: int = 0
    problems: tuple[str, ...] = ()


class Sink(Protocol):
    """Who is told; called on the watcher's thread."""

    def failed(self, failure: LogFailure) -> None:
        """Take in a failure, in the place of an older one of its source."""

    def recovered(self, source: str) -> None:
        """Take back what was told of a source."""

    def sources_changed(self, changes: SourceChanges) -> None:
        """Take in that sources or configs changed."""

    def watching(self, status: WatchStatus) -> None:
        """Take in how the folder is watched, at the start and when that changes."""
