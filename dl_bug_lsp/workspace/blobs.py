"""What was derived from the contents of files, held once for all versions that share them."""

from __future__ import annotations

import ast
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection
from typing import Any, TypeVar

from dl_bug_lsp.workspace.lru import Lru
from dl_bug_lsp.workspace.records import Record
from dl_bug_lsp.workspace.terms import Vocabulary
from dl_bug_lsp.workspace.values import FileElements

Value = TypeVar("Value")
_HELD_TERMS = 30_000_000
_HELD_TREE_LINES = 120_000


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
                found: Value = held[content]
                return found
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


class BlobCache:
    """Index records, elements, trees and derived values by content, for versions of one repository.

    Hand the same one to `Workspace.of_version` for each of them; it grows with the distinct
    contents that were looked at.
    """

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self.records: dict[tuple[str, str], Record] = {}
        self.elements: Lru[FileElements] = Lru(_HELD_TERMS, lambda e: 2 * len(e.terms) + 50)
        self.trees: Lru[ast.Module | None] = Lru(_HELD_TREE_LINES, lines_of)
        self.derived = Derived(contents=1 << 30)
        self.lock = threading.RLock()


def lines_of(tree: ast.Module | None) -> int:
    """Weigh a syntax tree by the lines of its source."""
    return 1 + (tree.body[-1].end_lineno or 0) if tree is not None and tree.body else 1
