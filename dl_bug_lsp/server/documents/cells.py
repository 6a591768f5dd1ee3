"""Where a notebook's marks stand: in its cells while it is open, else in the lines of its file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.server.documents.marks import CellLine, Encoding, Spot

if TYPE_CHECKING:
    from dl_bug_lsp.workspace.notebooks import Cell


def cell_of(spot: Spot, cells: Sequence[Sequence[str]]) -> tuple[int, int] | None:
    """Return the index of the code cell that holds a spot's text, and the 1-based line in it.

    Cells nearer to the spot's own are preferred.
    """
    if spot.cell is None:
        return None
    # Imported here: nothing is looked for before there is a failure.
    from dl_bug_lsp.workspace.locating import find_text

    own = spot.cell.number - 1
    for index in sorted(range(len(cells)), key=lambda at: (abs(at - own), at)):
        line = find_text(cells[index], spot.cell.line, spot.text)
        if line is not None:
            return index, line
    return None


def to_file(spot: Spot, lines: Sequence[str], cells: Sequence[Cell], encoding: Encoding) -> bool:
    """Put a notebook's spot to the line of the file that holds it; return whether it changed."""
    if spot.range is None:
        return False
    was, text = spot.range, spot.text
    found = cell_of(spot, [cell.lines for cell in cells])
    if found is None:
        spot.range = None
        return True
    cell = cells[found[0]]
    raw = cell.raw[found[1] - 1]
    spot.set_lines(raw, raw, lines, encoding)
    spot.cell, spot.text = CellLine(cell.number, found[1]), text
    return spot.range != was
