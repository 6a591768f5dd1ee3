"""The failures that are shown: of each source of a folder the latest publication."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from dl_bug_lsp.server.documents.folders import Folder
from dl_bug_lsp.server.documents.marks import Changes, Encoding, Lines, Spot, document_key, follow
from dl_bug_lsp.server.failures.publication import Place, Publication

if TYPE_CHECKING:
    from dl_bug_lsp.report import FailureReport

OF_A_FOLDER = ("log:", "run:", "spectrum")
"""How sources begin whose names mean something within one folder only."""
MOST = 50
"""Publications that are held; beyond them the oldest goes."""


class Shelf:
    """Publications by folder and source, oldest first; used on the event loop's thread.

    A source is where texts come from (pasted text, one log file, one recorded run): of each only
    the newest failure is of interest.
    """

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], Publication] = {}

    def put(self, new: Publication) -> None:
        """Take in a publication in the place of the older one of its source."""
        self.drop_source(new.source, new.folder)
        # The same failure may be told twice: pasted, and found in its log.
        self.drop(lambda old: old.id == new.id and old.folder.key == new.folder.key)
        self._held[new.folder.key, new.source] = new
        while len(self._held) > MOST:
            del self._held[next(iter(self._held))]

    def drop(self, unwanted: Callable[[Publication], bool]) -> bool:
        """Take out all publications that are ``unwanted``; return whether there were any."""
        gone = [key for key, held in self._held.items() if unwanted(held)]
        for key in gone:
            del self._held[key]
        return bool(gone)

    def drop_source(self, source: str, folder: Folder) -> bool:
        """Take out what a source showed; return whether it showed any.

        Logs and runs are a folder's own; any other source is one for all folders.
        """
        return self.drop(
            lambda held: (
                held.source == source
                and (held.folder.key == folder.key or not source.startswith(OF_A_FOLDER))
            )
        )

    def drop_folder(self, folder: Folder) -> bool:
        """Take out a folder's publications; return whether there were any."""
        return self.drop(lambda held: held.folder.key == folder.key)

    def clear(self) -> None:
        """Take out everything."""
        self._held.clear()

    def all(self) -> tuple[Publication, ...]:
        """Return all publications, oldest first."""
        return tuple(self._held.values())

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
        return [(p, place) for p in reversed(self.all()) for place in p.at(uri)]

    def spots(self, uri: str) -> list[Spot]:
        """Return every spot in a document, each once."""
        key = document_key(uri)
        found = (s for p in self.all() for s in p.spots() if document_key(s.uri) == key)
        return list(dict.fromkeys(found))

    def edit(
        self, uri: str, changes: Changes, before: Lines | None, after: Lines, encoding: Encoding
    ) -> bool:
        """Move what stands in a document with its edits (`marks.follow`)."""
        return follow(self.spots(uri), changes, before, after, encoding)

    def dismiss(self, wanted: Callable[[Publication, Place], bool]) -> int:
        """Put places aside; publications that show nothing more go. Return how many places."""
        found = [place for publication, place in self.places() if wanted(publication, place)]
        for place in found:
            place.is_dismissed = True
        touched = {id(place) for place in found}
        self.drop(lambda p: not p.shown() and any(id(place) in touched for place in p.places))
        return len(found)


def failure_of(publication: Publication, wanted: str | None) -> FailureReport | None:
    """Return a publication's failure by its id, the primary one without an id."""
    failures: Iterable[FailureReport] = publication.report.failures
    if wanted is None:
        return publication.report.primary or next(iter(failures), None)
    return next((failure for failure in failures if failure.id == wanted), None)
