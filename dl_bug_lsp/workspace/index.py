"""The index of a workspace: elements by file, from memory, from the cache, or from the source."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.workspace import cache
from dl_bug_lsp.workspace.lru import Lru
from dl_bug_lsp.workspace.records import elements_of
from dl_bug_lsp.workspace.sources import Source, is_settled
from dl_bug_lsp.workspace.stores import Stamp, Store
from dl_bug_lsp.workspace.terms import Vocabulary
from dl_bug_lsp.workspace.values import FileElements

# Below that many files, reading the sources again is as fast as reading a cache.
SMALLEST_CACHED = 64
_HELD_TERMS = 6_000_000


class Index:
    """Elements by file; packed records stay in memory, unpacked ones as long as there is room."""

    def __init__(
        self, store: Store, read: Callable[[str], Source], files: int, cached: bool
    ) -> None:
        self._store = store
        self._root = store.root
        self._read = read
        self._on_disk = cached and files >= SMALLEST_CACHED
        self._elements: Lru[FileElements] = Lru(_HELD_TERMS, lambda e: 2 * len(e.terms) + 50)
        self._lock = threading.RLock()
        loaded = cache.load(store.root) if self._on_disk else cache.Loaded()
        self._vocabulary: Vocabulary = loaded.vocabulary
        self._rows: dict[str, cache.Row] = loaded.rows
        self._settled_ns = loaded.settled_ns
        self._checked: set[str] = set()
        self._settled: set[str] = set()
        self._stored = frozenset(loaded.rows)
        self._changes = 0

    def content_id(self, file: str) -> str:
        """Return the digest of a file's bytes, empty where it cannot be read."""
        with self._lock:
            return self._row(file).digest

    def elements(self, file: str) -> FileElements:
        """Return a file's elements, indexing it where no valid record is at hand."""
        return self._elements.get(file, self._unpack)

    def ensure(self, file: str) -> None:
        """Bring a file's record up to date without unpacking it."""
        with self._lock:
            self._row(file)

    def forget(self, file: str) -> None:
        """Ask the disk again when a file is needed next."""
        with self._lock:
            self._checked.discard(file)
        self._elements.forget(file)

    def drop(self, files: Iterable[str]) -> None:
        """Forget the records of files that are no more."""
        for file in files:
            self.forget(file)
            with self._lock:
                self._rows.pop(file, None)
                self._settled.discard(file)

    def catch_up(self) -> None:
        """Ask the disk again for every file, keeping what is unpacked of those that stayed."""
        with self._lock:
            self._checked.clear()
            for file in self._elements.files():
                if not self._is_current(file, self._rows.get(file)):
                    self._elements.forget(file)

    def forget_all(self) -> None:
        """Ask the disk again for every file."""
        with self._lock:
            self._checked.clear()
        self._elements.clear()

    def save(self, files: Iterable[str]) -> bool:
        """Write the records of these files to the cache where any has changed since it was read."""
        with self._lock:
            self._vocabulary.forget_words()
            wanted = {file: self._rows[file] for file in files if file in self._rows}
            dropped = self._stored - wanted.keys()
            if not self._on_disk or not (self._changes or dropped):
                return False
            self._stored = frozenset(wanted)
            self._changes = 0
            return cache.save(self._root, self._vocabulary, wanted) is not None

    def _unpack(self, file: str) -> FileElements:
        with self._lock:
            row = self._row(file)
            try:
                return elements_of(file, row.record, self._vocabulary)
            except cache.DAMAGED:
                self._rows.pop(file, None)
                self._checked.discard(file)
                return elements_of(file, self._row(file).record, self._vocabulary)

    def _row(self, file: str) -> cache.Row:
        row = self._rows.get(file)
        if row is not None and file in self._checked:
            return row
        checkpoint()
        self._checked.add(file)
        if row is not None and self._is_current(file, row):
            return row
        source = self._read(file)
        if row is not None and source.digest and row.digest == source.digest:
            record = row.record
        else:
            record = source.record(self._vocabulary)
        fresh = cache.Row(source.stamp or _NO_STAMP, source.digest, record)
        self._rows[file] = fresh
        if is_settled(source.stamp):
            self._settled.add(file)
        self._changes += 1
        return fresh

    def _is_current(self, file: str, row: cache.Row | None) -> bool:
        if row is None:
            return False
        stamp = self._store.stamp(file)
        settled = file in self._settled or row.stamp.mtime_ns < self._settled_ns
        return settled and row.stamp == (stamp or _NO_STAMP)


_NO_STAMP = Stamp(-1, -1, -1)
