"""From a printed frame to its place in the workspace: path, notebook cell and line together."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from dl_bug_lsp.workspace.anchoring import anchor, defines, holds_source
from dl_bug_lsp.workspace.cells import CellName, cell_name, locate_cell_line
from dl_bug_lsp.workspace.ignore import is_library_folder
from dl_bug_lsp.workspace.mapping import (
    PathIndex,
    apply_path_map,
    installed_part,
    is_standard_library,
    normalise,
)
from dl_bug_lsp.workspace.stores import Store
from dl_bug_lsp.workspace.values import Place

if TYPE_CHECKING:
    from dl_bug_lsp.workspace.workspace import Workspace


LONG_SUFFIX = 3
"""Components of a printed path that a file shares with it: as many are no chance."""
_ABSOLUTE = re.compile(r"^(?:/|~|[A-Za-z]:[\\/]|\\\\|[a-z-]+://)")


class Standing(Enum):
    """How sure it is that a printed frame means the file that was found for it."""

    CERTAIN = "certain"
    """The path itself, a mapping of the user's, the printed source line, or a long suffix."""
    OPEN = "open"
    """Nothing speaks against it, and nothing but the name for it."""
    REFUTED = "refuted"
    """The printed source stands nowhere in the file, or a lone name is all that they share."""


def is_absolute(printed: str) -> bool:
    """Tell whether a printed path begins at a root, a home folder, a drive or a host."""
    return bool(_ABSOLUTE.match(printed.strip()))


@dataclass(frozen=True, slots=True)
class Printed:
    """A frame as some machine printed it; ``line`` is 1-based, 0 where none was printed."""

    file: str
    line: int
    function: str | None = None
    source: str | None = None


class Locator:
    """Finds local places; never one outside the root."""

    def __init__(self, workspace: Workspace, store: Store, files: tuple[str, ...]) -> None:
        self._workspace = workspace
        self._files = frozenset(files)
        self._paths = PathIndex(files)
        self._notebooks = [file for file in files if file.endswith(".ipynb")]
        self._store = store
        self._by_name: dict[str, list[str]] = {}
        for file in files:
            self._by_name.setdefault(file.rpartition("/")[2], []).append(file)

    def named(self, path: str) -> str | None:
        """Return the file that a path means: itself, or the only one that ends with it."""
        text = posixpath.normpath(path.replace("\\", "/"))
        if text in self._files:
            return text
        tail = "/" + text.lstrip("./")
        files = self._by_name.get(tail.rpartition("/")[2], [])
        matches = [f for f in files if f.endswith(tail) or f == tail[1:]]
        return matches[0] if len(matches) == 1 else None

    def locate(self, frame: Printed, path_map: tuple[tuple[str, str], ...]) -> Place | None:
        """Return the place of a frame, or None where no workspace file is meant."""
        cell = cell_name(frame.file)
        if cell is not None:
            return self._in_cell(cell, frame)
        mapped = apply_path_map(frame.file, path_map)
        file = self._inside(mapped) if mapped is not None else None
        file = file or self._inside(frame.file)
        if file is None and mapped is None and self._is_of_another(frame.file):
            return None
        file = file or self._by_suffix(frame)
        if file is None:
            file = self._hidden(frame.file)
        if file is None:
            return None
        lines, functions = self._workspace.lines(file), self._workspace.elements(file).functions
        found, _ = anchor(lines, frame.line, frame.source, frame.function, functions)
        return Place(file, found, found, self._workspace.enclosing_function(file, found))

    def standing(
        self, frame: Printed, place: Place, path_map: tuple[tuple[str, str], ...]
    ) -> Standing:
        """Return how sure it is that ``place``, which was found for a frame, is what it means."""
        if cell_name(frame.file) is not None or apply_path_map(frame.file, path_map) is not None:
            return Standing.CERTAIN
        if is_absolute(frame.file) and self._inside(frame.file) == place.file:
            return Standing.CERTAIN
        lines, functions = self._workspace.lines(place.file), self._workspace.elements(place.file)
        if frame.source:
            _, agrees = anchor(lines, frame.line, frame.source, frame.function, functions.functions)
            if agrees:
                return Standing.CERTAIN
        candidates, _ = self._paths.candidates(frame.file)
        matched = next((count for count, file in candidates if file == place.file), 0)
        if matched >= LONG_SUFFIX:
            return Standing.CERTAIN
        if frame.source:
            return Standing.REFUTED
        known = matched > 1 or not is_absolute(frame.file)
        return (
            Standing.OPEN
            if known or defines(functions.functions, frame.function)
            else (Standing.REFUTED)
        )

    def _is_of_another(self, printed: str) -> bool:
        """Tell whether this machine has the file itself, in another project."""
        parts, _ = normalise(printed)
        return installed_part(parts) is None and self._store.elsewhere(printed)

    def existing(self, path: str, importer: str | None) -> str | None:
        """Return the file that a written path means, from the root or the importer's folder."""
        found = self._inside(path)
        if found is None and importer is not None and "/" in importer:
            found = self._inside(f"{importer.rpartition('/')[0]}/{path}")
        if found is None:
            candidates, _ = self._paths.candidates(path)
            whole = [file for matched, file in candidates if matched > 1]
            found = whole[0] if whole else None
        return found

    def _in_cell(self, cell: CellName, frame: Printed) -> Place | None:
        notebooks = ((file, self._workspace.cells(file)) for file in self._notebooks)
        found = locate_cell_line(notebooks, cell, frame.line, frame.source)
        if found is None:
            return None
        return Place(found[0], found[1], found[1], self._workspace.enclosing_function(*found))

    def _by_suffix(self, frame: Printed) -> str | None:
        candidates, is_suspicious = self._paths.candidates(frame.file)
        if not candidates:
            return None
        proven = self._proven([file for _, file in candidates], frame, is_suspicious)
        if proven is not None:
            return proven
        matched, file = candidates[0]
        # A lone name deep in the tree, or a library's folder in the path, is no proof by itself.
        is_weak = matched == 1 and "/" in file and "/" in frame.file.replace("\\", "/")
        return None if is_suspicious or is_weak else file

    def _proven(self, files: list[str], frame: Printed, is_suspicious: bool) -> str | None:
        """Return the first file that holds the printed source, else that defines the function."""
        holding = (f for f in files if holds_source(self._workspace.lines(f), frame.source))
        found = next(holding, None)
        # Every model has a ``forward``: against a printed source the name alone says too little.
        if found is not None or (frame.source and is_suspicious):
            return found
        elements = self._workspace.elements
        return next((f for f in files if defines(elements(f).functions, frame.function)), None)

    def _inside(self, path: str) -> str | None:
        """Return the workspace name of a path that exists below the root, else None."""
        parts, _ = normalise(path)
        if not parts or installed_part(parts) is not None or is_standard_library(parts):
            return None
        return self._store.inside(path)

    def _hidden(self, printed: str) -> str | None:
        """Find a file that an ignore rule hides by the path's suffixes, longest first."""
        parts, _ = normalise(printed)
        if printed.startswith("<") or is_standard_library(parts):
            return None
        for index in range(1, len(parts)):
            suffix = parts[index:]
            if not any(is_library_folder(part) for part in suffix):
                found = self._inside("/".join(suffix))
                if found is not None:
                    return found if found not in self._files else None
        return None
