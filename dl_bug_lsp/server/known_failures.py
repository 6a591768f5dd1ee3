"""The failures that the server knows: those that are shown, and the logs that told one.

Of each source of a folder the latest publication is shown. A log that is read again after a restart
tells no news.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.server.documents import Folder
from dl_bug_lsp.server.position_tracking import (
    Changes,
    Encoding,
    Lines,
    Spot,
    document_key,
    follow,
    follow_as_text,
)
from dl_bug_lsp.server.publication import Place, Publication

if TYPE_CHECKING:
    from dl_bug_lsp.report import FailureReport, Report

OF_A_FOLDER = ("log:", "run:", "spectrum", "training:")
"""How sources begin whose names mean something within one folder only."""
MOST = 50
"""Failures that are held; beyond them the oldest goes."""
MOST_TOLD = 8
"""Publications of one failure that are held: the latest is shown."""


class ShownFailures:
    """Publications by folder and source, oldest first; used on the event loop's thread.

    A source is where texts come from (pasted text, one log file, one recorded run): of each only
    the newest failure is of interest. Several may tell the same failure (a run in a terminal that
    writes a log): the last one's publication is shown, the others stand behind it.
    """

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], Publication] = {}
        self._index: _Index | None = None

    def moved(self) -> None:
        """Look anew for what stands where: a spot was put into another document, or came."""
        self._index = None

    def _indexed(self) -> _Index:
        if self._index is None:
            self._index = _Index(self._held)
        return self._index

    def put(self, new: Publication) -> None:
        """Take in a publication in the place of the older one of its source."""
        self.moved()
        self.drop_source(new.source, new.folder)
        self._held[new.folder.key, new.source] = new
        same = [key for key, held in self._held.items() if held.key == new.key]
        for key in same[:-MOST_TOLD]:
            del self._held[key]
        for old in self.all():
            if old is not new and old.folder is new.folder:
                _leave_out(new, old)
                _leave_out(old, new)
        self.moved()
        while len(shown := self.all()) > MOST:
            self._drop_failures({shown[0].key})

    def drop(self, unwanted: Callable[[Publication], bool]) -> bool:
        """Take out all publications that are ``unwanted``; return whether there were any."""
        gone = [key for key, held in self._held.items() if unwanted(held)]
        for key in gone:
            del self._held[key]
        self.moved()
        return bool(gone)

    def drop_source(self, source: str, folder: Folder) -> bool:
        """Take out what a source showed; return whether it showed any.

        The failure stays where another source has told it, too. Logs and runs are a folder's own;
        any other source is one for all folders.
        """
        return self.drop(lambda held: _is_of(held, source, folder))

    def drop_failure(self, source: str, folder: Folder) -> bool:
        """Take out the failure that a source showed, whoever has told it; return if there was one.

        That is what the good end of a run says of the failure of the one before.
        """
        return self._drop_failures(
            {held.key for held in self._held.values() if _is_of(held, source, folder)}
        )

    def _drop_failures(self, failures: Collection[tuple[str, str]]) -> bool:
        return self.drop(lambda held: held.key in failures)

    def drop_folder(self, folder: Folder) -> bool:
        """Take out a folder's publications; return whether there were any."""
        return self.drop(lambda held: held.folder.key == folder.key)

    def clear(self) -> None:
        """Take out everything."""
        self._held.clear()
        self.moved()

    def all(self) -> tuple[Publication, ...]:
        """Return the publications that are shown, oldest first: of each failure the latest."""
        return self._indexed().shown

    def held(self) -> tuple[Publication, ...]:
        """Return all publications, oldest first, also those behind others of the same failure."""
        return tuple(self._held.values())

    def sources(self, publication: Publication) -> list[str]:
        """Return the sources that have told a publication's failure, the latest first."""
        return [held.source for held in reversed(self.held()) if held.key == publication.key]

    def has(self, source: str, folder: Folder) -> bool:
        """Whether a source of a folder has a publication."""
        return (folder.key, source) in self._held

    def knows(self, new: Publication) -> bool:
        """Whether the failure that ended a publication's run is known already, of the same run.

        Another recorded run of the same command has another log; an emptied log's failure is gone.
        """
        primary = new.report.primary
        return primary is not None and any(
            held.folder.key == new.folder.key
            and held.report.primary is not None
            and held.report.primary.id == primary.id
            and (held.source != new.source or held.log == new.log)
            for held in self._held.values()
        )

    def find(self, report: str | None) -> Publication | None:
        """Return the publication of a report's id, the latest one without an id."""
        return next((p for p in reversed(self.all()) if report in (None, p.id)), None)

    def places(self) -> Iterator[tuple[Publication, Place]]:
        """Yield every place that still stands, the latest publication's first."""
        for publication in reversed(self.all()):
            yield from ((publication, place) for place in publication.shown())

    def at(self, uri: str) -> list[tuple[Publication, Place]]:
        """Return the places in a document, the latest publication's first."""
        return [(p, place) for p in reversed(self.around(uri)) for place in p.at(uri)]

    def around(self, uri: str) -> list[Publication]:
        """Return the publications that are shown and have a spot in a document, oldest first."""
        return self._indexed().publications.get(document_key(uri), [])

    def spots(self, uri: str) -> list[Spot]:
        """Return every spot in a document, each once."""
        return list(self._indexed().spots.get(document_key(uri), ()))

    def edit(
        self, uri: str, changes: Changes, before: Lines | None, after: Lines, encoding: Encoding
    ) -> bool:
        """Move what stands in a document with its edits; return whether any of it changed."""
        spots = self.spots(uri)
        raw = [spot for spot in spots if spot.cell is not None and spot.uri == spot.home]
        plain = [spot for spot in spots if spot not in raw]
        is_changed = follow_as_text(raw, changes)
        return follow(plain, changes, before, after, encoding) or is_changed

    def dismiss(self, wanted: Callable[[Publication, Place], bool]) -> int:
        """Put places aside; failures that show nothing more go. Return how many places."""
        pairs = [pair for pair in self.places() if wanted(*pair)]
        for _, place in pairs:
            place.is_dismissed = True
        touched = {publication.key: publication for publication, _ in pairs}
        for behind in self._held.values():
            if behind.key in touched:
                behind.put_aside_as(touched[behind.key])
        self._drop_failures([key for key, held in touched.items() if not held.shown()])
        return len(pairs)


class _Index:
    """What stands in which document, so that an edit costs what stands in the edited one alone."""

    def __init__(self, by_source: Mapping[tuple[str, str], Publication]) -> None:
        latest = {held.key: held for held in by_source.values()}
        self.shown = tuple(held for held in by_source.values() if latest[held.key] is held)
        self.spots: dict[str, dict[Spot, None]] = {}
        self.publications: dict[str, list[Publication]] = {}
        for held in by_source.values():
            for spot in held.spots():
                self.spots.setdefault(document_key(spot.uri), {})[spot] = None
        for held in self.shown:
            for key in dict.fromkeys(document_key(spot.uri) for spot in held.spots()):
                self.publications.setdefault(key, []).append(held)


def _leave_out(among: Publication, main: Publication) -> None:
    """Show a failure that one text tells among others once: where it is what ended the run."""
    primary = main.report.primary
    if primary is not None and any(place.failure is primary for place in main.shown()):
        for place in among.places:
            if not place.failure.primary and place.failure.id == primary.id:
                place.is_dismissed = True


def _is_of(held: Publication, source: str, folder: Folder) -> bool:
    is_own = source.startswith(OF_A_FOLDER)
    return held.source == source and (held.folder.key == folder.key or not is_own)


def failure_of(publication: Publication, wanted: str | None) -> FailureReport | None:
    """Return a publication's failure by its id, the primary one without an id."""
    failures: Iterable[FailureReport] = publication.report.failures
    if wanted is None:
        return publication.report.primary or next(iter(failures), None)
    return next((failure for failure in failures if failure.id == wanted), None)


# ---------------------------------------------------------------------- logs that told a failure
MOST_LOGS = 50
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
        while len(logs) > MOST_LOGS:
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
        for source, file, changed, failure, line, aside in stored[-MOST_LOGS:]:
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
