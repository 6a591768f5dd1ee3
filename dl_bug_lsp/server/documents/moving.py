"""Spots follow every edit, go with their lines, and come back with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from lsprotocol import types

from dl_bug_lsp.server.documents.marks import Encoding, Lines, Spot, line_text, squeeze
from dl_bug_lsp.server.documents.positions import moved

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
    living = [one for one in spots if one.range is not None]
    old = [(one.range, one.text) for one in spots]
    whole = [c for c in changes if not isinstance(c, types.TextDocumentContentChangePartial)]
    if whole:
        _follow_whole(living, before, after, encoding)
    else:
        _follow_parts(living, changes, (before, after), encoding)
    _bring_back([one for one in spots if one.lost], changes, (before, after), encoding)
    return any((one.range, one.text) != was for one, was in zip(spots, old, strict=True))


def settle(spots: Iterable[Spot], lines: Sequence[str], encoding: Encoding) -> bool:
    """Put spots where their text stands in a document that changed unseen; whether any changed."""
    changed = False
    for one in spots:
        if one.lost is not None and not one.lost.has_twin:
            changed = one.come_back(lines, encoding) or changed
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
            there = moved(one.range, change)
            if there is None:
                one.lose(after)
            else:
                one.range = there
    for index, is_covered in touched.items():
        one = living[index]
        if one.range is not None and is_covered:
            one.find(one.line, after, encoding, before)
        elif one.range is not None:
            one.set_lines(one.line, one.range.end.line + 1, after, encoding)


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
    for one in lost:
        if squeeze(one.text) in written:
            one.come_back(after, encoding)


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
