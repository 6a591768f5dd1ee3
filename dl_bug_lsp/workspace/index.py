"""Files as read from disk, and the index of a workspace: elements by file.

A file's summary holds what it imports and the words at its beginning, without parsing it. Elements
come from memory, from the cache, or from the source. On disk the cache is one SQLite file, written
whole and replaced, and checked when read. Tables: ``about(key, value)`` with the format's version,
and ``file(path, size, mtime_ns, inode, digest, record)``, one row a file: its stamp, the BLAKE2b
digest of its bytes, and its record as JSON. The index of a version in git keeps records by content,
which all versions share.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import os
import re
import sqlite3
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from dl_bug_lsp import data_folder, databases
from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.data_folder import FOLDER
from dl_bug_lsp.workspace.configs import reader_for
from dl_bug_lsp.workspace.contents import FileElements
from dl_bug_lsp.workspace.elements import (
    Parsed,
    decode_plain,
    decode_python,
    elements_of,
    make_record,
    parse,
    python_record,
)
from dl_bug_lsp.workspace.notebooks import Cell, parse_cells, python_lines, read_cells
from dl_bug_lsp.workspace.stores import Stamp, Store

LARGEST_SOURCE = 8 * 1024 * 1024
LARGEST_DATA = 4 * 1024 * 1024
LARGEST_NOTEBOOK = 32 * 1024 * 1024
_PYTHON = (".py", ".pyw", ".pyi")


@dataclass(frozen=True)
class Source:
    """A file's text, None where it is binary or unreadable, and what went wrong."""

    file: str
    text: str | None
    problem: str | None = None
    problem_line: int | None = None
    stamp: Stamp | None = None
    digest: str = ""
    is_cut: bool = False

    @property
    def is_notebook(self) -> bool:
        """Whether the file is a Jupyter notebook."""
        return self.file.endswith(".ipynb")

    @property
    def is_python(self) -> bool:
        """Whether the file is Python source."""
        return self.file.endswith(_PYTHON)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The code cells, empty for everything but a notebook."""
        return read_cells(self.text) if self.is_notebook and self.text else ()

    def parse(self) -> Parsed:
        """Parse the file's Python; lines are those of the file on disk."""
        if self.text is None:
            return Parsed(None, self.problem, self.problem_line)
        if self.is_notebook:
            return parse_cells(self.cells)
        return parse(self.text) if self.is_python else Parsed(None)

    def record(self) -> str:
        """Return what the index keeps of the file, as JSON."""
        decoding = (self.problem, self.problem_line)
        if self.text is None:
            return make_record([], [], problem=decoding)
        if self.is_python:
            return python_record(self.text, decoding=decoding)
        if self.is_notebook:
            lines, raw = python_lines(self.cells)
            return python_record("\n".join(lines), raw or None, decoding)
        reader = reader_for(self.file)
        if reader is None:
            return make_record([], [], problem=decoding)
        reading = reader(self.file, self.text)
        reading_problem = (None, None) if self.is_cut else (reading.problem, reading.problem_line)
        problem = decoding if self.problem else reading_problem
        return make_record([], [], reading.entries, problem)


SETTLED_NS = 2_000_000_000
"""A file changed again within that time after it was read may have the same stamp: clocks tick."""


def is_settled(stamp: Stamp | None) -> bool:
    """Whether a file read just now is so old that any later change gives it another stamp."""
    return stamp is None or time.time_ns() - stamp.mtime_ns > SETTLED_NS


def read_source(store: Store, file: str) -> Source:
    """Read one workspace file; nothing is raised, and nothing outside the root is opened."""
    limit = _limit(file)
    content = store.content(file, limit)
    data, stamp = content.data, content.stamp
    if data is None:
        return Source(file, None, content.problem)
    digest = hashlib.blake2b(data, digest_size=16).hexdigest()
    decoded = decode_python(data) if file.endswith(_PYTHON) else decode_plain(data)
    if decoded is None:
        return Source(file, None, "a binary file", None, stamp, digest)
    is_cut = content.size > limit
    return Source(file, decoded.text, decoded.problem, decoded.problem_line, stamp, digest, is_cut)


def _limit(file: str) -> int:
    if file.endswith(".ipynb"):
        return LARGEST_NOTEBOOK
    return LARGEST_SOURCE if file.endswith(_PYTHON) else LARGEST_DATA


_BEGINNING = 1 << 18
_PART = re.compile(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_WORD = re.compile(rb"\w")


@dataclass(frozen=True, slots=True)
class SourceSummary:
    """A file's size in bytes and which of the words and top modules asked for it has."""

    size: int
    words: frozenset[str]
    imports: frozenset[str]


def summarize(
    store: Store, file: str, words: frozenset[str], modules: Iterable[str]
) -> SourceSummary:
    """Look for import statements of modules, and for sub-words where there is one.

    Comments and strings count too: this is to choose what to read, at a hundredth of the cost.
    """
    content = store.content(file, _BEGINNING)
    data, size = content.data, content.size
    if data is None:
        return SourceSummary(0, frozenset(), frozenset())
    imports = frozenset(m for m in sorted(modules) if _imports(data, m.encode()))
    if not imports:
        return SourceSummary(size, frozenset(), imports)
    parts = {part.lower() for part in set(_PART.findall(data))}
    return SourceSummary(size, frozenset(w for w in words if w.encode() in parts), imports)


def _imports(data: bytes, module: bytes) -> bool:
    for word in (b"import ", b"from "):
        at = data.find(word + module)
        while at >= 0:
            end = at + len(word) + len(module)
            if not _WORD.match(data, end):
                return True
            at = data.find(word + module, end)
    return False


# ---------------------------------------------------------------------- the index
# Below that many files, reading the sources again is as fast as reading a cache.
SMALLEST_CACHED = 64
_HELD_ELEMENTS = 200_000


class Index:
    """Elements by file; packed records stay in memory, unpacked ones as long as there is room."""

    def __init__(
        self, store: Store, read: Callable[[str], Source], files: int, cached: bool
    ) -> None:
        self._store = store
        self._root = store.root
        self._read = read
        self._on_disk = cached and files >= SMALLEST_CACHED
        self._elements: Lru[FileElements] = Lru(_HELD_ELEMENTS, elements_in)
        self._lock = threading.RLock()
        loaded = load(store.root) if self._on_disk else Loaded()
        self._rows: dict[str, Row] = loaded.rows
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
            rows = {file: self._rows[file] for file in files if file in self._rows}
            dropped = self._stored - rows.keys()
            if not self._on_disk or not (self._changes or dropped):
                return False
            self._stored = frozenset(rows)
            self._changes = 0
            return save(self._root, rows) is not None

    def _unpack(self, file: str) -> FileElements:
        with self._lock:
            row = self._row(file)
            try:
                return elements_of(file, row.record)
            except DAMAGED:
                self._rows.pop(file, None)
                self._checked.discard(file)
                return elements_of(file, self._row(file).record)

    def _row(self, file: str) -> Row:
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
            record = source.record()
        fresh = Row(source.stamp or _NO_STAMP, source.digest, record)
        self._rows[file] = fresh
        if is_settled(source.stamp):
            self._settled.add(file)
        self._changes += 1
        return fresh

    def _is_current(self, file: str, row: Row | None) -> bool:
        if row is None:
            return False
        stamp = self._store.stamp(file)
        settled = file in self._settled or row.stamp.mtime_ns < self._settled_ns
        return settled and row.stamp == (stamp or _NO_STAMP)


_NO_STAMP = Stamp(-1, -1, -1)


# The reader of Python is the running interpreter's: another one may see other problems.
VERSION = f"3 python{sys.version_info[0]}.{sys.version_info[1]}"
_NAME = "index.sqlite"
_SCHEMA = """
create table about (key text primary key, value text);
create table file (path text primary key, size integer, mtime_ns integer, inode integer,
                   digest text, record text);
"""
_TABLES = {
    "about": "key value",
    "file": "path size mtime_ns inode digest record",
}
_SETTLED_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """What ``doctor`` shows: where the cache lies, its bytes, and when it was written (epoch s)."""

    path: Path | None
    size: int = 0
    modified: float | None = None
    files: int = 0


@dataclass(slots=True)
class Row:
    """A file's record with what ties it to a content."""

    stamp: Stamp
    digest: str
    record: str


@dataclass(slots=True)
class Loaded:
    """A cache as read; rows younger than ``settled_ns`` may hide a change within one clock tick."""

    rows: dict[str, Row] = field(default_factory=dict)
    settled_ns: int = 0


def candidate_paths(root: Path) -> tuple[Path, ...]:
    """Return where the cache may lie: in the workspace, else in the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path("~/.cache").expanduser())
    key = hashlib.blake2b(os.fsencode(root.resolve()), digest_size=8).hexdigest()
    return root / FOLDER / _NAME, Path(home) / "dl-bug-lsp" / f"{key}.sqlite"


def load(root: Path) -> Loaded:
    """Read the first usable cache; a missing, damaged or foreign one is an empty one."""
    for path in candidate_paths(root):
        with contextlib.suppress(
            OSError, sqlite3.Error, ValueError, TypeError, LookupError, MemoryError
        ):
            if data_folder.is_regular(path):
                return _read(path)
    return Loaded()


def save(root: Path, rows: Mapping[str, Row]) -> Path | None:
    """Write the cache where that is possible; None where it is not (read-only, full disk)."""
    for path in candidate_paths(root):
        with contextlib.suppress(OSError, sqlite3.Error):
            if path.parent.name == FOLDER:
                data_folder.prepare(root)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
            with data_folder.locked(path.parent):
                data_folder.write(path, _database(rows))
            return path
    return None


def info(root: Path) -> CacheInfo:
    """Say where the cache of a workspace lies and what it holds."""
    for path in candidate_paths(root):
        with contextlib.suppress(OSError, sqlite3.Error):
            if not data_folder.is_regular(path):
                continue
            status = path.stat()
            with databases.opened(path, _TABLES) as connection:
                files = connection.execute("select count(*) from file").fetchone()[0]
            return CacheInfo(path, status.st_size, status.st_mtime, files)
    return CacheInfo(None)


def _read(path: Path) -> Loaded:
    settled = path.stat().st_mtime_ns - _SETTLED_NS
    with databases.opened(path, _TABLES) as connection:
        about = dict(connection.execute("select key, value from about"))
        if about.get("version") != VERSION:
            return Loaded()
        rows = {
            path: Row(Stamp(size, mtime, inode), digest, record)
            for path, size, mtime, inode, digest, record in connection.execute(
                "select path, size, mtime_ns, inode, digest, record from file"
            )
        }
    return Loaded(rows, settled)


def _database(rows: Mapping[str, Row]) -> bytes:
    with databases.of_bytes(b"", _TABLES) as connection:
        databases.allow_writing(connection)
        connection.execute("begin")
        for statement in filter(str.strip, _SCHEMA.split(";")):
            connection.execute(statement)
        connection.execute("insert into about values (?, ?)", ("version", VERSION))
        connection.executemany(
            "insert into file values (?, ?, ?, ?, ?, ?)",
            (
                (name, r.stamp.size, r.stamp.mtime_ns, r.stamp.inode, r.digest, r.record)
                for name, r in sorted(rows.items())
            ),
        )
        connection.execute("commit")
        return databases.contents(connection)


DAMAGED = (ValueError, TypeError, LookupError)


Value = TypeVar("Value")


class Lru(Generic[Value]):
    """Values by file, at most ``size`` units: one a value unless ``weigh`` says otherwise."""

    def __init__(self, size: int, weigh: Callable[[Value], int] | None = None) -> None:
        self._size = size
        self._weigh = weigh or (lambda _: 1)
        self._held = 0
        self._values: OrderedDict[str, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, file: str, make: Callable[[str], Value]) -> Value:
        """Return the value of a file, making it where it is not held."""
        with self._lock:
            if file in self._values:
                self._values.move_to_end(file)
                return self._values[file]
        value = make(file)
        with self._lock:
            if file in self._values:
                return self._values[file]
            self._values[file] = value
            self._held += self._weigh(value)
            while self._held > self._size and len(self._values) > 1:
                self._held -= self._weigh(self._values.popitem(last=False)[1])
        return value

    def files(self) -> tuple[str, ...]:
        """Return the files whose values are held, those used longest ago first."""
        with self._lock:
            return tuple(self._values)

    def forget(self, file: str) -> None:
        """Drop the value of one file."""
        with self._lock:
            if file in self._values:
                self._held -= self._weigh(self._values.pop(file))

    def clear(self) -> None:
        """Drop everything."""
        with self._lock:
            self._values.clear()
            self._held = 0


class Derived:
    """Values by kind and file, each with the content it was made from; safe between threads.

    ``contents`` bounds the contents remembered of each file and kind: one for files that are
    edited, as what was before an edit does not come back; more for versions.
    """

    def __init__(self, contents: int = 1) -> None:
        self._contents = contents
        self._values: dict[str, OrderedDict[str, OrderedDict[str, Any]]] = {}
        self._lock = threading.Lock()

    def get(
        self,
        kind: str,
        file: str,
        content: str,
        make: Callable[[], Value],
        most: int | None = None,
    ) -> Value:
        """Return the value of a kind for a file's content, making it where it is not held.

        Of a kind ``most`` files are held, those asked for last.
        """
        with self._lock:
            files = self._values.setdefault(kind, OrderedDict())
            held = files.setdefault(file, OrderedDict())
            if most is not None:
                files.move_to_end(file)
                while len(files) > most:
                    files.popitem(last=False)
            if content in held:
                held.move_to_end(content)
                cached: Value = held[content]
                return cached
        value = make()
        with self._lock:
            held[content] = value
            while len(held) > self._contents:
                held.popitem(last=False)
        return value

    def drop(self, files: Collection[str]) -> None:
        """Forget everything of these files."""
        with self._lock:
            for held in self._values.values():
                for file in files:
                    held.pop(file, None)


def elements_in(file: FileElements) -> int:
    """Weigh the elements of a file by their number."""
    return 1 + len(file.functions) + len(file.entries) + len(file.imports)


def lines_of(tree: ast.Module | None) -> int:
    """Weigh a syntax tree by the lines of its source."""
    return 1 + (tree.body[-1].end_lineno or 0) if tree is not None and tree.body else 1
