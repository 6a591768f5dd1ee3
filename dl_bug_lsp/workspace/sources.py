"""One file as read from disk, and what the index makes of it by its kind."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from dl_bug_lsp.workspace.configs import reader_for
from dl_bug_lsp.workspace.elements import Parsed, parse, python_record
from dl_bug_lsp.workspace.notebooks import Cell, parse_cells, python_lines, read_cells
from dl_bug_lsp.workspace.records import Record, make_record
from dl_bug_lsp.workspace.terms import Vocabulary
from dl_bug_lsp.workspace.text import decode_plain, decode_python

LARGEST_SOURCE = 8 * 1024 * 1024
LARGEST_DATA = 4 * 1024 * 1024
LARGEST_NOTEBOOK = 32 * 1024 * 1024
_CONFIG_TEXT = 200_000
_PYTHON = (".py", ".pyw", ".pyi")


@dataclass(frozen=True, slots=True)
class Stamp:
    """What ``stat`` says of a file: as long as it stays, the content is taken to stay."""

    size: int
    mtime_ns: int
    inode: int


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

    def record(self, vocabulary: Vocabulary) -> Record:
        """Return what the index keeps of the file."""
        decoding = (self.problem, self.problem_line)
        if self.text is None:
            return make_record([], [], [], problem=decoding)
        if self.is_python:
            return python_record(self.text, vocabulary, decoding=decoding)
        if self.is_notebook:
            lines, raw = python_lines(self.cells)
            return python_record("\n".join(lines), vocabulary, raw or None, decoding)
        reader = reader_for(self.file)
        if reader is None:
            return make_record([], [], [], problem=decoding)
        reading = reader(self.file, self.text)
        numbers, _ = vocabulary.encode(self.text[:_CONFIG_TEXT])
        found = (None, None) if self.is_cut else (reading.problem, reading.problem_line)
        problem = decoding if self.problem else found
        return make_record(numbers, [], [], reading.entries, problem)


def stamp_of(root: Path, file: str) -> Stamp | None:
    """Return the stamp of a workspace file, None where there is none."""
    try:
        found = (root / file).stat()
    except (OSError, ValueError):
        return None
    return Stamp(found.st_size, found.st_mtime_ns, found.st_ino)


def read_source(root: Path, file: str) -> Source:
    """Read one workspace file; nothing is raised, and nothing outside the root is opened."""
    try:
        path = (root / file).resolve()
        if root.resolve() not in path.parents:
            return Source(file, None, "lies outside the workspace")
        if not path.is_file():
            return Source(file, None, "no such file")
        stamp = stamp_of(root, file)
        with path.open("rb") as stream:
            data = stream.read(_limit(file))
            is_cut = bool(stream.read(1))
    except (OSError, ValueError, RuntimeError) as error:
        words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return Source(file, None, f"cannot be read: {words}")
    digest = hashlib.blake2b(data, digest_size=16).hexdigest()
    decoded = decode_python(data) if file.endswith(_PYTHON) else decode_plain(data)
    if decoded is None:
        return Source(file, None, "a binary file", None, stamp, digest)
    return Source(file, decoded.text, decoded.problem, decoded.problem_line, stamp, digest, is_cut)


def _limit(file: str) -> int:
    if file.endswith(".ipynb"):
        return LARGEST_NOTEBOOK
    return LARGEST_SOURCE if file.endswith(_PYTHON) else LARGEST_DATA
