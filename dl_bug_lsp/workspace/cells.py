"""From a printed notebook cell (``Cell In[3]``, a kernel's file) to the notebook's line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from dl_bug_lsp.workspace.notebooks import Cell

_COUNTED = re.compile(
    r"(?:Cell\s+|Input\s+)?In\s*\[\s*(\d+)\s*\]|<ipython-input-(\d+)-|\.ipynb\s+Cell\s+(\d+)",
)
_UNCOUNTED = re.compile(
    r"[\\/]ipykernel_\d+[\\/]\d+\.py$|^<timed (?:exec|eval)>$|^<ipython-input-"
    r"|^vscode-notebook-cell:|\.ipynb(?:$|[#\s])|^In\s*\[\s*\]$",
)
_NAMED = re.compile(r"([^\\/:*?\"<>|]+\.ipynb)")


@dataclass(frozen=True, slots=True)
class CellName:
    """What a printed file says of a cell: its number and its notebook.

    ``count`` is the execution count, or the cell's place in the file where ``is_ordinal``.
    """

    count: int | None
    is_ordinal: bool
    notebook: str | None


def cell_name(printed: str) -> CellName | None:
    """Read a frame's file as a notebook cell; None where it is an ordinary path."""
    printed = printed.strip()[:2000]
    counted = _COUNTED.search(printed)
    if counted is None and _UNCOUNTED.search(printed) is None:
        return None
    named = _NAMED.search(printed)
    count = int(next(g for g in counted.groups() if g)[:9]) if counted else None
    is_ordinal = counted is not None and counted.group(3) is not None
    return CellName(count, is_ordinal, named.group(1).strip() if named else None)


def locate_cell_line(
    notebooks: Iterable[tuple[str, tuple[Cell, ...]]],
    name: CellName,
    line: int,
    source: str | None,
) -> tuple[str, int] | None:
    """Return (notebook, line of the file on disk) of the likeliest cell line, or None.

    A cell counts by its execution number and by holding the printed source, at the printed line
    best of all: execution numbers change when a notebook is run again, its text does less often.
    """
    wanted = next((" ".join(s.split()) for s in (source or "").split("\n") if s.strip()), None)
    best: tuple[int, str, int] | None = None
    for notebook, cells in notebooks:
        if name.notebook and notebook.rpartition("/")[2].casefold() != name.notebook.casefold():
            continue
        for cell in cells:
            score, raw = _score(cell, name, line, wanted)
            if score and (best is None or score > best[0]):
                best = (score, notebook, raw)
    return (best[1], best[2]) if best else None


def _score(cell: Cell, name: CellName, line: int, wanted: str | None) -> tuple[int, int]:
    own = cell.number if name.is_ordinal else cell.execution_count
    counted = name.count is not None and own == name.count
    if not cell.lines:
        return 0, 0
    at = min(max(line, 1), len(cell.lines)) - 1
    if wanted is None:
        return (1, cell.raw[at]) if counted else (0, 0)
    if " ".join(cell.lines[at].split()) == wanted and line == at + 1:
        return 5 + counted, cell.raw[at]
    same = [i for i, text in enumerate(cell.lines) if " ".join(text.split()) == wanted]
    if same:
        nearest = min(same, key=lambda index: (abs(index - at), index))
        return 3 + counted, cell.raw[nearest]
    return (1, cell.raw[at]) if counted else (0, 0)
