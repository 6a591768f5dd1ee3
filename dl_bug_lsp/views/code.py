"""A few lines of code around a place, with the suspicious ones marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dl_bug_lsp.views.escape import escape
from dl_bug_lsp.views.style import Style
from dl_bug_lsp.views.wrap import clip

Lines = Callable[[str], Sequence[str]]
"""Gives a workspace file's lines, empty where it cannot be read."""

CONTEXT = 2
LONGEST_RANGE = 6


def excerpt(lines: Sequence[str], first: int, last: int, width: int, style: Style) -> list[str]:
    """Return the lines ``first`` to ``last`` (1-based) with `CONTEXT` lines around, numbered."""
    if not 1 <= first <= len(lines):
        return []
    last = min(max(first, last), first + LONGEST_RANGE - 1, len(lines))
    shown = range(max(1, first - CONTEXT), min(len(lines), last + CONTEXT) + 1)
    digits = len(str(shown[-1]))
    numbered = _trim_blank([(number, escape(lines[number - 1]).rstrip()) for number in shown])
    margin = _common_margin([text for _, text in numbered if text])
    out: list[str] = []
    for number, text in numbered:
        marked = first <= number <= last
        head = f"    {'>' if marked else ' '} {number:>{digits}} │ "
        line = clip(head + text[margin:], width).rstrip()
        out.append(style.suspect(line) if marked else style.dim(line))
    return out


def _trim_blank(numbered: list[tuple[int, str]]) -> list[tuple[int, str]]:
    while numbered and not numbered[0][1]:
        numbered = numbered[1:]
    while numbered and not numbered[-1][1]:
        numbered = numbered[:-1]
    return numbered


def _common_margin(texts: list[str]) -> int:
    return min((len(text) - len(text.lstrip(" ")) for text in texts), default=0)
