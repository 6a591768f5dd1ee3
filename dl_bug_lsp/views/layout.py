"""Layout in a terminal: colours (ECMA-48 SGR), wrapped lines, paths, excerpts of code.

Widths count the cells that a character takes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dl_bug_lsp.views.escape import escape


@dataclass(frozen=True, slots=True)
class Style:
    """Marks up text for a terminal; a disabled style leaves it as it is."""

    enabled: bool = False

    def bold(self, text: str) -> str:
        """Emphasize."""
        return self._wrap("1", text)

    def dim(self, text: str) -> str:
        """Push into the background."""
        return self._wrap("2", text)

    def error(self, text: str) -> str:
        """Mark the failure itself."""
        return self._wrap("1;31", text)

    def suspect(self, text: str) -> str:
        """Mark a suspicious line."""
        return self._wrap("1;33", text)

    def place(self, text: str) -> str:
        """Mark a path with its line."""
        return self._wrap("36", text)

    def heading(self, text: str) -> str:
        """Mark a section's title."""
        return self._wrap("1;4", text)

    def _wrap(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.enabled and text else text


PLAIN = Style()


_INSTALLED = re.compile(r"^.*[/\\](?:site|dist)-packages[/\\]")
_STANDARD = re.compile(r"^.*[/\\]python3\.\d+[/\\]")


@dataclass(frozen=True, slots=True)
class PathStyle:
    """How workspace files are printed: behind the ``prefix`` that leads to the workspace.

    The prefix is the workspace's path relative to where the reader stands (empty when it is the
    same folder, else ending in ``/``).
    """

    prefix: str = ""

    def file(self, file: str) -> str:
        """Return a workspace file as the reader would open it."""
        return escape(self.prefix + file)

    def place(self, file: str, line: int) -> str:
        """Return ``path:line``, in quotes where a blank would end the link."""
        path = self.file(file)
        return f'"{path}":{line}' if " " in path else f"{path}:{line}"


def library_file(file: str) -> str:
    """Return a library's file without the folder that it is installed in."""
    short = _INSTALLED.sub("", file)
    if short == file:
        short = _STANDARD.sub("", file)
    return escape(short)


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
    shown = []
    for char in text:
        used += _cells(char)
        if used > width - 1:
            break
        shown.append(char)
    return "".join(shown) + "…"


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
