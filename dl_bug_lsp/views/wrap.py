"""Wraps text to a terminal's width, counting the cells that a character takes."""

from __future__ import annotations

import unicodedata

NARROWEST = 40
"""Columns below which wrapping does more harm than good."""


def display_width(text: str) -> int:
    """Return the cells that ``text`` takes (UAX #11: wide characters two, combining ones none)."""
    if text.isascii():
        return len(text)
    return sum(_cells(char) for char in text)


def _cells(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def wrap(text: str, width: int, first: str = "", rest: str | None = None) -> list[str]:
    """Break one line at blanks so that it fits ``width`` columns behind its indents.

    ``first`` and ``rest`` are the indents of the first and the other lines. A word that is too long
    (a path) stays whole, so that it can still be clicked and copied.
    """
    rest = first if rest is None else rest
    limit = max(width, NARROWEST)
    lines: list[str] = []
    line, used = first, display_width(first)
    empty = True
    for word in text.split():
        cells = display_width(word)
        if not empty and used + 1 + cells > limit:
            lines.append(line)
            line, used, empty = rest, display_width(rest), True
        line, used = (line + word, used + cells) if empty else (f"{line} {word}", used + 1 + cells)
        empty = False
    lines.append(line)
    return lines


def clip(text: str, width: int) -> str:
    """Cut a line at ``width`` columns, with an ellipsis where something is lost."""
    if display_width(text) <= width:
        return text
    used = 0
    kept = []
    for char in text:
        used += _cells(char)
        if used > width - 1:
            break
        kept.append(char)
    return "".join(kept) + "…"
