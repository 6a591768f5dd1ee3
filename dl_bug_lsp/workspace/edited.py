"""A workspace with one file changed in memory."""

from __future__ import annotations

import ast

from dl_bug_lsp.workspace.elements import elements_of
from dl_bug_lsp.workspace.sources import Source
from dl_bug_lsp.workspace.text import split_lines
from dl_bug_lsp.workspace.values import FileElements
from dl_bug_lsp.workspace.workspace import Workspace


class EditedWorkspace(Workspace):
    """Another workspace's files, of which one has another syntax tree or another text.

    Everything else, and what was read of it, is shared with ``base``; nothing is written to disk.
    """

    def __init__(
        self, base: Workspace, file: str, *, tree: ast.Module | None = None, text: str | None = None
    ) -> None:
        # The constructor of the base would read the folder again.
        self.__dict__.update(base.__dict__)
        self._edited = file
        self._edited_tree = tree
        self._edited_text = text

    def tree(self, file: str) -> ast.Module | None:
        """Return the syntax tree of a file, the changed one of the file that is changed."""
        if file == self._edited and self._edited_tree is not None:
            return self._edited_tree
        return super().tree(file)

    def text(self, file: str) -> str | None:
        """Return a file's text, the changed one of the file that is changed."""
        if file == self._edited and self._edited_text is not None:
            return self._edited_text
        return super().text(file)

    def lines(self, file: str) -> tuple[str, ...]:
        """Return a file's lines without line ends."""
        if file == self._edited and self._edited_text is not None:
            return split_lines(self._edited_text)
        return super().lines(file)

    def elements(self, file: str) -> FileElements:
        """Return the elements of a file, of the changed one as its text has them."""
        if file == self._edited and self._edited_text is not None:
            return elements_of(file, Source(file, self._edited_text).record())
        return super().elements(file)
