"""Spots: lines of documents that follow every edit and are found again by their text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from lsprotocol import types

from dl_bug_lsp.server.documents.folders import path_of
from dl_bug_lsp.server.documents.positions import line_start, lines_range, moved

Encoding = types.PositionEncodingKind | str
Lines = Sequence[str]
Changes = Sequence[types.TextDocumentContentChangeEvent]

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

    @property
    def line(self) -> int:
        """The first line, 1-based; 0 once it is gone."""
        return self.range.start.line + 1 if self.range is not None else 0

    def set_lines(self, first: int, last: int, lines: Sequence[str], encoding: Encoding) -> None:
        """Stand at other lines (1-based) of the document whose lines are given."""
        found = lines_range(first, last, lines, encoding)
        self.range = line_start(first) if self.is_point else found
        self.text = line_text(lines, first)

    def find(
        self, near: int, lines: Lines, encoding: Encoding, before: Lines | None = None
    ) -> None:
        """Find the spot's text again near a 1-based line; gone where it is nowhere.

        Where the lines before are known, a new line may be the old one rewritten.
        """
        if self.range is None:
            return
        # Imported here: nothing is looked for before there is a failure.
        from dl_bug_lsp.workspace.anchoring import find_text

        height = self.range.end.line - self.range.start.line
        at = find_text(lines, near, self.text)
        if at is None and before is not None:
            at = _rewritten(lines, near, self.text, before)
        if at is None:
            self.range = None
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


@lru_cache(maxsize=1024)
def document_key(uri: str) -> str:
    """Return what two URIs share that name the same document, however they are escaped."""
    path = path_of(uri)
    return str(path) if path is not None else uri


def follow(
    spots: Iterable[Spot], changes: Changes, before: Lines | None, after: Lines, encoding: Encoding
) -> bool:
    """Move a document's spots with its edits; return whether any of them changed.

    ``before`` are the lines that the edits were made in, where they are known; ``after`` the
    present ones. Where a document was sent whole, or a block written anew around a spot, the spot's
    text is looked for.
    """
    living = [one for one in spots if one.range is not None]
    old = [(one.range, one.text) for one in living]
    whole = [c for c in changes if not isinstance(c, types.TextDocumentContentChangePartial)]
    if whole:
        _follow_whole(living, before, after, encoding)
    else:
        _follow_parts(living, changes, (before, after), encoding)
    return any((one.range, one.text) != was for one, was in zip(living, old, strict=True))


def settle(spots: Iterable[Spot], lines: Sequence[str], encoding: Encoding) -> bool:
    """Put spots where their text stands in a document that changed unseen; whether any changed."""
    changed = False
    for one in spots:
        if one.range is None or one.text == line_text(lines, one.line):
            continue
        one.find(one.line, lines, encoding)
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
        for index, one in enumerate(living):
            if one.range is None or change.range.start.line > one.range.end.line:
                continue
            if change.range.end.line >= one.range.start.line:
                touched[index] = touched.get(index, False) or _covers(change, one.range)
            one.range = moved(one.range, change)
    for index, is_covered in touched.items():
        one = living[index]
        if one.range is not None and is_covered:
            one.find(one.line, after, encoding, before)
        elif one.range is not None:
            one.set_lines(one.line, one.range.end.line + 1, after, encoding)


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
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    by = len(new) - len(old)
    for one in living:
        if one.range is None:
            continue
        first, last = one.line, one.range.end.line + 1
        if before is not None and last <= head:
            continue
        if before is not None and first > len(old) - tail:
            one.set_lines(first + by, last + by, new, encoding)
        elif before is not None and len(new) == len(old) and len(new) - head - tail == 1:
            one.set_lines(first, last, new, encoding)
        else:
            one.find(first, new, encoding, before)


def _common(one: Lines, other: Lines) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _rewritten(lines: Lines, near: int, text: str, before: Lines) -> int | None:
    """Return the new 1-based line near a place that is most like a text, None where none is."""
    # Imported here: nothing is looked for before there is a failure.
    import difflib

    wanted = " ".join(text.split())
    known = {" ".join(line.split()) for line in before}
    best: tuple[float, int, int] | None = None
    for number in range(max(1, near - REACH), min(len(lines), near + REACH) + 1) if wanted else ():
        line = " ".join(lines[number - 1].split())
        if line in known:
            continue
        matcher = difflib.SequenceMatcher(None, line, wanted, False)
        if matcher.real_quick_ratio() < LEAST_LIKENESS or matcher.quick_ratio() < LEAST_LIKENESS:
            continue
        likeness = (matcher.ratio(), -abs(number - near), number)
        best = max(best, likeness) if best is not None else likeness
    return best[2] if best is not None and best[0] >= LEAST_LIKENESS else None
