"""The failures that are shown: of each source of a folder the latest publication."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from dl_bug_lsp.server.documents.folders import Folder
from dl_bug_lsp.server.documents.marks import (
    Changes,
    Encoding,
    Lines,
    Spot,
    document_key,
    follow,
    follow_as_text,
)
from dl_bug_lsp.server.failures.publication import Place, Publication

if TYPE_CHECKING:
    from dl_bug_lsp.report import FailureReport

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
