"""The failures that are shown: of each source of a folder the latest publication."""

from __future__ import annotations

from collections.abc import Callable

from dl_bug_lsp.server.folders import Folder
from dl_bug_lsp.server.publication import Publication


class Shelf:
    """Publications by folder and source, oldest first; used on the event loop's thread.

    A source is where texts come from (pasted text, one log file, one recorded run): of each only
    the newest failure is of interest.
    """

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], Publication] = {}

    def put(self, new: Publication) -> None:
        """Take in a publication in the place of the older one of its source, in any folder."""
        self.drop(lambda old: old.source == new.source)
        self._held[new.folder.key, new.source] = new

    def drop(self, unwanted: Callable[[Publication], bool]) -> bool:
        """Take out all publications that are ``unwanted``; return whether there were any."""
        gone = [key for key, held in self._held.items() if unwanted(held)]
        for key in gone:
            del self._held[key]
        return bool(gone)

    def drop_folder(self, folder: Folder) -> bool:
        """Take out a folder's publications; return whether there were any."""
        return self.drop(lambda held: held.folder.key == folder.key)

    def clear(self) -> None:
        """Take out everything."""
        self._held.clear()

    def all(self) -> tuple[Publication, ...]:
        """Return all publications, oldest first."""
        return tuple(self._held.values())
