"""Makes text from logs safe to show: what could steer a terminal or hide is spelled out."""

from __future__ import annotations

import unicodedata

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def escape(text: str, *, keep_newlines: bool = False) -> str:
    r"""Return ``text`` with control, format, private and surrogate characters written as ``\x1b``.

    Bidirectional overrides and zero-width characters are format characters, so they show as well.
    Spaces of any width become a blank, a tab becomes four; line breaks are kept only where asked.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(char, keep_newlines) for char in text.replace("\r\n", "\n"))


def _shown(char: str, keep_newlines: bool) -> str:
    if char.isprintable():
        return char
    if char == "\n" and keep_newlines:
        return char
    if char == "\t":
        return "    "
    if unicodedata.category(char) == "Zs":
        return " "
    return char.encode("unicode_escape").decode("ascii")


def one_line(text: str, longest: int = 400) -> str:
    """Return the first line of ``text`` that says something, escaped and bounded."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return shorten(escape(first), longest)


def shorten(text: str, longest: int) -> str:
    """Cut the middle out of a text of more than ``longest`` characters."""
    if len(text) <= longest:
        return text
    head = (longest - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (longest - 1 - head) :]}"


def well_formed(text: str) -> str:
    """Replace lone surrogates, which no strict reader of UTF-8 or JSON accepts."""
    if text.isascii():
        return text
    return "".join(REPLACEMENT if "\ud800" <= char <= "\udfff" else char for char in text)
