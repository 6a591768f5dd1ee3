"""One file as read from disk, and what the index makes of it by its kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from dl_bug_lsp.workspace.configs import reader_for
from dl_bug_lsp.workspace.elements import Parsed, parse, python_elements
from dl_bug_lsp.workspace.notebooks import Cell, parse_cells, python_lines, read_cells
from dl_bug_lsp.workspace.terms import split_terms
from dl_bug_lsp.workspace.text import decode_plain, decode_python
from dl_bug_lsp.workspace.values import FileElements

LARGEST_SOURCE = 8 * 1024 * 1024
LARGEST_DATA = 4 * 1024 * 1024
LARGEST_NOTEBOOK = 32 * 1024 * 1024
_MOST_CONFIG_TERMS = 20_000


@dataclass(frozen=True)
class Source:
    """A file's text, None where it is binary or unreadable, and what went wrong."""

    file: str
    text: str | None
    problem: str | None = None
    problem_line: int | None = None

    @property
    def is_notebook(self) -> bool:
        """Whether the file is a Jupyter notebook."""
        return self.file.endswith(".ipynb")

    @property
    def is_python(self) -> bool:
        """Whether the file is Python source."""
        return self.file.endswith((".py", ".pyw", ".pyi"))

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


def read_source(root: Path, file: str) -> Source:
    """Read one workspace file; nothing is raised, and nothing outside the root is opened."""
    largest = LARGEST_NOTEBOOK if file.endswith(".ipynb") else LARGEST_DATA
    try:
        path = (root / file).resolve()
        if root.resolve() not in path.parents:
            return Source(file, None, "lies outside the workspace")
        if not path.is_file():
            return Source(file, None, "no such file")
        with path.open("rb") as stream:
            data = stream.read(LARGEST_SOURCE if file.endswith(".py") else largest)
    except (OSError, ValueError, RuntimeError) as error:
        words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return Source(file, None, f"cannot be read: {words}")
    if file.endswith((".py", ".pyw", ".pyi")):
        decoded = decode_python(data)
    else:
        plain = decode_plain(data)
        if plain is None:
            return Source(file, None, "a binary file")
        decoded = plain
    return Source(file, decoded.text, decoded.problem, decoded.problem_line)


def indexed(source: Source) -> FileElements:
    """Return what the index keeps of a file."""
    if source.text is None:
        return FileElements(source.file, (), (), (), (), source.problem, source.problem_line)
    if source.is_python:
        return _with_problem(python_elements(source.file, source.text), source)
    if source.is_notebook:
        return _notebook_elements(source)
    reader = reader_for(source.file)
    if reader is None:
        terms: tuple[str, ...] = ()
        return FileElements(source.file, (), (), terms, (), source.problem, source.problem_line)
    reading = reader(source.file, source.text)
    terms = split_terms(source.text[: _MOST_CONFIG_TERMS * 6])[:_MOST_CONFIG_TERMS]
    found = FileElements(
        source.file, (), (), terms, reading.entries, reading.problem, reading.problem_line
    )
    return _with_problem(found, source)


def _with_problem(elements: FileElements, source: Source) -> FileElements:
    """Tell a problem of decoding in place of one of parsing, which it explains."""
    if source.problem is None:
        return elements
    return replace(elements, problem=source.problem, problem_line=source.problem_line)


def _notebook_elements(source: Source) -> FileElements:
    """Index the joined cells as one module, then say its lines as those of the file on disk."""
    lines, raw = python_lines(source.cells)
    if not raw:
        return _with_problem(FileElements(source.file, (), (), ()), source)
    found = python_elements(source.file, "\n".join(lines) + "\n")
    functions = tuple(
        replace(f, line=raw[f.line - 1], end_line=raw[min(f.end_line, len(raw)) - 1])
        for f in found.functions
    )
    at = found.problem_line
    at = raw[min(at, len(raw)) - 1] if at is not None else None
    return _with_problem(replace(found, functions=functions, problem_line=at), source)
