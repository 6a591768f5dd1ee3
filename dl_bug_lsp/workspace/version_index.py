"""The index of a version: as `index.Index`, with records and elements held by content."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dl_bug_lsp.workspace.blobs import BlobCache
from dl_bug_lsp.workspace.records import Record, elements_of
from dl_bug_lsp.workspace.sources import Source
from dl_bug_lsp.workspace.stores import Store
from dl_bug_lsp.workspace.values import FileElements

_NONE = "none"


class VersionIndex:
    """Elements by file; a version does not change, so that nothing is checked or forgotten."""

    def __init__(self, store: Store, read: Callable[[str], Source], blobs: BlobCache) -> None:
        self._store = store
        self._read = read
        self._blobs = blobs

    def content_id(self, file: str) -> str:
        """Return the name of a file's content."""
        return self._store.content_id(file) or _NONE

    def elements(self, file: str) -> FileElements:
        """Return a file's elements, indexing it where no version had this content."""
        # Elements carry their file's name, and a config file is read by its name.
        key = f"{self.content_id(file)}:{file}"
        return self._blobs.elements.get(key, lambda _: self._unpack(file))

    def ensure(self, file: str) -> None:
        """Index a file where no version had this content."""
        self._record(file)

    def forget(self, file: str) -> None:
        """Do nothing: no file of a version is edited."""

    def forget_all(self) -> None:
        """Do nothing."""

    def save(self, files: Iterable[str]) -> bool:
        """Return False: nothing is written for a version."""
        return False

    def _unpack(self, file: str) -> FileElements:
        return elements_of(file, self._record(file), self._blobs.vocabulary)

    def _record(self, file: str) -> Record:
        key = (file, self.content_id(file))
        with self._blobs.lock:
            record = self._blobs.records.get(key)
            if record is None:
                record = self._read(file).record(self._blobs.vocabulary)
                self._blobs.records[key] = record
        return record
