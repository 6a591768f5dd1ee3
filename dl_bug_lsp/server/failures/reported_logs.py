"""Which logs have told their failure: one that is read again after a restart tells no news."""

from __future__ import annotations

import asyncio
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.server.documents.folders import Folder

if TYPE_CHECKING:
    from dl_bug_lsp.report import Report

MOST = 50
"""Logs of a folder; beyond them the oldest goes."""


MOST_ASIDE = 20
"""Older failures of a log that are remembered as put aside."""

Identity = tuple[str, int]
"""A failure's id, which other runs may share, and its first line in the log."""
KeptLog = tuple[str, str, int, str, int, tuple[Identity, ...]]
"""What is kept of a source: `ReportedLogs.kept`."""


@dataclass(frozen=True)
class LogState:
    """A log (its path in the folder) and when it last changed, in ns as of `os.stat`."""

    file: str
    changed: int

    @classmethod
    def of(cls, folder: Folder, file: str) -> LogState | None:
        """Return the state of a file as it is now; None where there is none."""
        try:
            return cls(file, (folder.root / file).stat().st_mtime_ns)
        except (OSError, ValueError):
            return None


@dataclass(frozen=True)
class _ReportedLog:
    state: LogState
    failure: str
    line: int
    is_restored: bool = False
    """Whether an earlier server told it."""
    aside: tuple[Identity, ...] = ()
    """Older failures of the log that are shown no more."""


class ReportedLogs:
    """Of each source of a folder the log that told its failure; used on the event loop's thread."""

    def __init__(self) -> None:
        self._told: dict[str, dict[str, _ReportedLog]] = {}
        self._ready: dict[str, asyncio.Event] = {}

    def note(
        self,
        folder: Folder,
        source: str,
        state: LogState | None,
        report: Report,
        aside: tuple[Identity, ...] = (),
    ) -> None:
        """Remember that a log told its failure as it was at a time, and what is put aside in it."""
        logs = self._told.setdefault(folder.key, {})
        logs.pop(source, None)
        if state is not None:
            logs[source] = _ReportedLog(state, *_identity(report), aside=aside)
        while len(logs) > MOST:
            del logs[next(iter(logs))]

    def forget(self, folder: Folder, source: str) -> None:
        """Forget a source whose failure is over."""
        self._told.get(folder.key, {}).pop(source, None)

    async def is_reported(self, folder: Folder, source: str, state: LogState | None) -> bool:
        """Whether a log has told its failure as it is, once what was kept has been read."""
        await self._event(folder).wait()
        was = self._told.get(folder.key, {}).get(source)
        return was is not None and was.state == state

    async def was_reported_before(
        self, folder: Folder, source: str, state: LogState | None
    ) -> bool:
        """Whether an earlier server told the failure of a log that is as it was.

        What this one told may have been a part of a failure, whose rest it reads now.
        """
        is_known = await self.is_reported(folder, source, state)
        return is_known and self._told[folder.key][source].is_restored

    def was_reported(
        self, folder: Folder, source: str, state: LogState | None, report: Report
    ) -> bool:
        """Whether an earlier server told this failure, at this line, of a log that grew since."""
        was = self._told.get(folder.key, {}).get(source)
        return (
            was is not None
            and was.is_restored
            and state is not None
            and was.state.file == state.file
            and (was.failure, was.line) == _identity(report)
        )

    def aside(
        self, folder: Folder, source: str, state: LogState | None, is_shown: bool
    ) -> tuple[Identity, ...]:
        """Return the failures of a log that a newer one in it does not bring back.

        Those are what the user put aside (it was told, and now nothing of the source ``is_shown``)
        and what an earlier server told.
        """
        was = self._told.get(folder.key, {}).get(source)
        if was is None or state is None or was.state.file != state.file:
            return ()
        own = ((was.failure, was.line),) if was.is_restored or not is_shown else ()
        return tuple(dict.fromkeys((*was.aside, *own)))[-MOST_ASIDE:]

    def kept(self, folder: Folder) -> list[list[Any]]:
        """Return what outlives the server, as JSON values.

        ``[source, file, time of the last change, failure, its first line in the log, what is put
        aside]`` each.
        """
        held = self._told.get(folder.key, {})
        return [
            [source, *astuple(was.state), was.failure, was.line, was.aside]
            for source, was in held.items()
        ]

    def restore(self, folder: Folder, stored: list[KeptLog]) -> None:
        """Take in what was kept of a folder; also without any: whoever waits for it goes on."""
        logs = self._told.setdefault(folder.key, {})
        for source, file, changed, failure, line, aside in stored[-MOST:]:
            logs.setdefault(
                source, _ReportedLog(LogState(file, changed), failure, line, True, aside)
            )
        self._event(folder).set()

    def close(self, folder: Folder) -> None:
        """Let go of a folder."""
        self._told.pop(folder.key, None)
        self._event(folder).set()
        del self._ready[folder.key]

    def _event(self, folder: Folder) -> asyncio.Event:
        return self._ready.setdefault(folder.key, asyncio.Event())


def _identity(report: Report) -> Identity:
    primary = report.primary
    return (primary.id, primary.span.first_line) if primary is not None else ("", 0)
