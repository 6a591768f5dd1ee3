"""Makes text from logs safe to show: what could steer a terminal or hide is spelled out."""

from __future__ import annotations

import re
import unicodedata

_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_HIDDEN = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
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


def in_order(text: str) -> str:
    r"""Return a well-formed text with what turns around the order in which it is shown spelled out.

    Editors show what stands in a report's JSON: ``\u202e`` is written as six letters there.
    """
    if text.isascii():
        return text
    return _TURNING.sub(lambda m: m[0].encode("unicode_escape").decode("ascii"), well_formed(text))


def ascii_json(text: str) -> str:
    r"""Return a JSON text in which ``\u`` escapes stand for what is not seen or turns it around."""
    return _HIDDEN.sub(_utf16, text)


def _utf16(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
