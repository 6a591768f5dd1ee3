"""Spots: lines of documents that are found again by their text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from lsprotocol import types

from dl_bug_lsp.server.documents.folders import path_of
from dl_bug_lsp.server.documents.positions import line_start, lines_range

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
        found = lines_range(first, last, lines, encoding)
        self.range = line_start(first) if self.is_point else found
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
