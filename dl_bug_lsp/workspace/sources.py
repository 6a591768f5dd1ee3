"""One file as read from disk, and its summary.

A summary holds what a file imports and the words at its beginning, without parsing it.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from dl_bug_lsp.workspace.configs import reader_for
from dl_bug_lsp.workspace.elements import Parsed, make_record, parse, python_record
from dl_bug_lsp.workspace.notebooks import Cell, parse_cells, python_lines, read_cells
from dl_bug_lsp.workspace.stores import Stamp, Store
from dl_bug_lsp.workspace.text import decode_plain, decode_python

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
