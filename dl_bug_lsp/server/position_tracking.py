"""Spots: lines of documents that are found again by their text, and follow every edit.

A spot goes with its line and comes back with it. In a notebook it stands in the cell while the
notebook is open, else in the line of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

from lsprotocol import types

from dl_bug_lsp.server.documents import line_start, lines_range, moved, path_of

if TYPE_CHECKING:
    from dl_bug_lsp.workspace.notebooks import Cell

Encoding = types.PositionEncodingKind | str
Lines = Sequence[str]

LEAST_LIKENESS = 0.7
"""How alike a rewritten line must be to the old one to be taken for it (difflib's ratio)."""
REACH = 30
"""Lines around the old place in which a rewritten line is looked for."""
LONGEST_TEXT = 500


@dataclass(frozen=True, slots=True)
class CellLine:
    """A line of a notebook: the code cell's number and the line in it, both from 1."""

    number: int
    line: int


@dataclass(frozen=True, slots=True)
class Lost:
    """Lines that are gone: the first one's number, how many follow, if another line reads so."""

    line: int
    more: int
    has_twin: bool


@dataclass(eq=False)
class Spot:
    """A range of whole lines (``is_point``: the beginning of one), None once they are gone.

    ``uri`` is the document in which it is shown: the file, or a cell of the notebook ``home``.
    ``text`` is its first line as last seen; ``line`` counts from 1 in that document.
    """

    uri: str
    range: types.Range | None
    text: str
    home: str
    is_point: bool = False
    cell: CellLine | None = None
    lost: Lost | None = None
    """Where it stood before it went with its lines, which may come back: by undo, by git."""

    @property
    def line(self) -> int:
        """The first line, 1-based; 0 once it is gone."""
        return self.range.start.line + 1 if self.range is not None else 0

    def set_lines(self, first: int, last: int, lines: Sequence[str], encoding: Encoding) -> None:
        """Stand at other lines (1-based) of the document whose lines are given."""
        range_now = lines_range(first, last, lines, encoding)
        self.range = line_start(first) if self.is_point else range_now
        self.text = line_text(lines, first)

    def lose(self, lines: Lines = ()) -> None:
        """Go, as the lines do; ``lines`` are those that are left of the document."""
        if self.range is not None:
            more = self.range.end.line - self.range.start.line
            self.lost = Lost(self.line, more, squeeze(self.text) in map(squeeze, lines))
            self.range = None

    def come_back(self, lines: Lines, encoding: Encoding) -> bool:
        """Stand again where the lost text stands now; return whether it does anywhere."""
        # Imported here: nothing is looked for before there is a failure.
        from dl_bug_lsp.workspace.locating import find_text

        at = find_text(lines, self.lost.line, self.text) if self.lost is not None else None
        if at is None or self.lost is None:
            return False
        self.set_lines(at, min(at + self.lost.more, len(lines)), lines, encoding)
        self.lost = None
        return True

    def find(
        self, near: int, lines: Lines, encoding: Encoding, before: Lines | None = None
    ) -> None:
        """Find the spot's text again near a 1-based line; gone where it is nowhere.

        Where the lines before are known, a new line may be the old one rewritten.
        """
        if self.range is None:
            return
        # Imported here: nothing is looked for before there is a failure.
        from dl_bug_lsp.workspace.locating import find_text

        height = self.range.end.line - self.range.start.line
        at = find_text(lines, near, self.text)
        if at is None and before is not None:
            at = _rewritten(lines, near, self.text, before)
        if at is None:
            self.lose()
        else:
            self.set_lines(at, min(at + height, len(lines)), lines, encoding)


def spot(
    uri: str,
    first: int,
    last: int,
    lines: Sequence[str],
    encoding: Encoding,
    *,
    point: bool = False,
) -> Spot:
    """Return a spot at 1-based lines of a file."""
    made = Spot(uri, line_start(first), "", uri, point)
    made.set_lines(first, last, lines, encoding)
    return made


def line_text(lines: Sequence[str], line: int) -> str:
    """Return a 1-based line, bounded; empty outside of the file."""
    return lines[line - 1][:LONGEST_TEXT] if 1 <= line <= len(lines) else ""


@lru_cache(maxsize=8192)
def document_key(uri: str) -> str:
    """Return what two URIs share that name the same document, however they are escaped."""
    path = path_of(uri)
    return str(path) if path is not None else uri


def squeeze(line: str) -> str:
    """Return a line with single blanks between its words, and none around."""
    return " ".join(line.split())


def _rewritten(lines: Lines, near: int, text: str, before: Lines) -> int | None:
    """Return the new 1-based line near a place that is most like a text, None where none is."""
    # Imported here: nothing is looked for before there is a failure.
    import difflib

    wanted = squeeze(text)
    known = {squeeze(line) for line in before}
    best: tuple[float, int, int] | None = None
    for number in range(max(1, near - REACH), min(len(lines), near + REACH) + 1) if wanted else ():
        line = squeeze(lines[number - 1])
        if line in known:
            continue
        matcher = difflib.SequenceMatcher(None, line, wanted, False)
        if matcher.real_quick_ratio() < LEAST_LIKENESS or matcher.quick_ratio() < LEAST_LIKENESS:
            continue
        likeness = (matcher.ratio(), -abs(number - near), number)
        best = max(best, likeness) if best is not None else likeness
    return best[2] if best is not None and best[0] >= LEAST_LIKENESS else None


Changes = Sequence[types.TextDocumentContentChangeEvent]


def follow(
    spots: Iterable[Spot], changes: Changes, before: Lines | None, after: Lines, encoding: Encoding
) -> bool:
    """Move a document's spots with its edits; return whether any of them changed.

    ``before`` are the lines that the edits were made in, where they are known; ``after`` the
    present ones. Where a document was sent whole, or a block written anew around a spot, the spot's
    text is looked for.
    """
    spots = list(spots)
    living = [mark for mark in spots if mark.range is not None]
    old = [(mark.range, mark.text) for mark in spots]
    whole = [c for c in changes if not isinstance(c, types.TextDocumentContentChangePartial)]
    if whole:
        _follow_whole(living, before, after, encoding)
    else:
        _follow_parts(living, changes, (before, after), encoding)
    _bring_back([mark for mark in spots if mark.lost], changes, (before, after), encoding)
    return any((mark.range, mark.text) != was for mark, was in zip(spots, old, strict=True))


def follow_as_text(spots: Iterable[Spot], changes: Changes) -> bool:
    """Move the spots of a notebook that is edited as text; return whether any of them changed.

    Their text is the cell's code, not the line of the file, so only their lines are counted.
    """
    spots = list(spots)
    old = [mark.range for mark in spots]
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            for mark in spots:
                mark.range = moved(mark.range, change) if mark.range is not None else None
    return any(mark.range != was for mark, was in zip(spots, old, strict=True))


def settle(spots: Iterable[Spot], lines: Sequence[str], encoding: Encoding) -> bool:
    """Put spots where their text stands in a document that changed unseen; whether any changed."""
    changed = False
    for mark in spots:
        if mark.lost is not None and not mark.lost.has_twin:
            changed = mark.come_back(lines, encoding) or changed
        if mark.range is None or mark.text == line_text(lines, mark.line):
            continue
        mark.find(mark.line, lines, encoding)
        changed = True
    return changed


def _follow_parts(
    living: list[Spot], changes: Changes, texts: tuple[Lines | None, Lines], encoding: Encoding
) -> None:
    before, after = texts
    touched: dict[int, bool] = {}
    for change in changes:
        if not isinstance(change, types.TextDocumentContentChangePartial):
            continue
        for index, mark in enumerate(living):
            if mark.range is None or change.range.start.line > mark.range.end.line:
                continue
            if change.range.end.line >= mark.range.start.line:
                touched[index] = touched.get(index, False) or _covers(change, mark.range)
            there = moved(mark.range, change)
            if there is None:
                mark.lose(after)
            else:
                mark.range = there
    for index, is_covered in touched.items():
        mark = living[index]
        if mark.range is not None and is_covered:
            mark.find(mark.line, after, encoding, before)
        elif mark.range is not None:
            mark.set_lines(mark.line, mark.range.end.line + 1, after, encoding)


def _bring_back(
    lost: list[Spot], changes: Changes, texts: tuple[Lines | None, Lines], encoding: Encoding
) -> None:
    """Let spots stand again whose lines were written anew: undone, or cut here and put there."""
    if not lost:
        return
    before, after = texts
    written: set[str] = set()
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            written.update(map(squeeze, change.text.splitlines()))
        else:
            written.update({*map(squeeze, after)} - {*map(squeeze, before or after)})
    for mark in lost:
        if squeeze(mark.text) in written:
            mark.come_back(after, encoding)


def _covers(change: types.TextDocumentContentChangePartial, place: types.Range) -> bool:
    """Whether an edit wrote more than the spot's lines anew, and the spot's with them."""
    edit = change.range
    around = edit.start.line < place.start.line or edit.end.line > place.end.line
    inside = edit.start <= place.start and edit.end >= place.end and edit.end > place.start
    return around and inside and bool(change.text.strip())


def _follow_whole(
    living: list[Spot], before: Lines | None, after: Lines, encoding: Encoding
) -> None:
    old, new = before or (), after
    head = common_start(old, new)
    tail = common_start(old[head:][::-1], new[head:][::-1])
    by = len(new) - len(old)
    for mark in living:
        if mark.range is None:
            continue
        first, last = mark.line, mark.range.end.line + 1
        if before is not None and last <= head:
            continue
        if before is not None and first > len(old) - tail:
            mark.set_lines(first + by, last + by, new, encoding)
        elif before is not None and len(new) == len(old) and len(new) - head - tail == 1:
            mark.set_lines(first, last, new, encoding)
        else:
            mark.find(first, new, encoding, before)


def common_start(lines: Sequence[str], other: Sequence[str]) -> int:
    """Return how many lines, or characters of two texts, are the same from the first one on."""
    return sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(lines, other, strict=False))
    )


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
    """Put a notebook's spot to the line of the file that holds it; return whether it changed.

    ``lines`` are those of the file or, where the editor has it open as text, of that text.
    """
    if spot.range is None:
        return False
    was, text = spot.range, spot.text
    cell_line = cell_of(spot, [cell.lines for cell in cells])
    if cell_line is None:
        spot.range = None
        return True
    cell = cells[cell_line[0]]
    raw = cell.raw[cell_line[1] - 1]
    spot.set_lines(raw, raw, lines, encoding)
    spot.cell, spot.text = CellLine(cell.number, cell_line[1]), text
    return spot.range != was
