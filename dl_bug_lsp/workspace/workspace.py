"""The user's files as the rest of the program sees them."""

from __future__ import annotations

import ast
from pathlib import Path

from dl_bug_lsp.workspace.values import ConfigEntry, FileElements, Place


class Workspace:
    """A folder of the user's, read on demand; the only way to the disk for everything above."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def files(self) -> tuple[str, ...]:
        """Return every file that no ignore rule hides, sorted, relative with ``/``."""
        raise NotImplementedError

    def python_files(self) -> tuple[str, ...]:
        """Return the Python files among `files`."""
        raise NotImplementedError

    def text(self, file: str) -> str | None:
        """Return a file's text (newlines normalised), or None where it cannot be read or is binary."""
        raise NotImplementedError

    def lines(self, file: str) -> tuple[str, ...]:
        """Return a file's lines without line ends; line n is at index n - 1."""
        raise NotImplementedError

    def tree(self, file: str) -> ast.Module | None:
        """Return the syntax tree of a Python file (or of a notebook's cells), None if broken."""
        raise NotImplementedError

    def elements(self, file: str) -> FileElements:
        """Return the indexed elements of a file."""
        raise NotImplementedError

    def config_entries(self, file: str | None = None) -> tuple[ConfigEntry, ...]:
        """Return the entries of one config file, or of all."""
        raise NotImplementedError

    def module_file(self, module: str, importer: str | None = None) -> str | None:
        """Return the workspace file of a dotted module as ``importer`` would import it.

        Leading dots are relative to the importer's package; a package gives its ``__init__.py``.
        Source roots (the root, ``src/``, the importer's folder) are tried in turn.
        """
        raise NotImplementedError

    def enclosing_function(self, file: str, line: int) -> str | None:
        """Return the dotted name of the innermost function or class around a 1-based line."""
        raise NotImplementedError

    def locate(
        self,
        printed_file: str,
        line: int,
        function: str | None = None,
        source: str | None = None,
        path_map: tuple[tuple[str, str], ...] = (),
    ) -> Place | None:
        """Find the local place of a frame that was printed on some machine, or None.

        ``path_map`` first, then the longest path suffix; a line whose text is not ``source`` is
        re-anchored by the function's name and the source text nearest to ``line``.
        """
        raise NotImplementedError
