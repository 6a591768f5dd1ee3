"""Bytes to text, as a terminal would have shown it.

Byte-order marks, UTF-16 without one, UTF-8, then single-byte code pages. Escape sequences,
carriage returns that overprint, and backspaces are applied.
"""

from __future__ import annotations

import codecs
import re
from itertools import islice

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PROBE = 4096
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BINARY = (b"\x7fELF", b"\x89PNG", b"PK\x03\x04", b"\xff\xd8\xff", b"%PDF", b"\x89HDF", b"MZ")
_OTHER_CONTROLS = bytes(set(range(1, 32)) - set(b"\t\n\r\x1b\x08\x0c\x07\x0e\x0f"))


def detect_encoding(sample: bytes) -> tuple[str, int]:
    """Return the encoding of ``sample`` (a file's beginning) and its mark's length in bytes.

    Text of a wide encoding without a mark is known by where its zero bytes stand; what is not
    valid UTF-8 is taken for cp1252 (a superset of latin-1's printable part) when no control codes
    speak against it.
    """
    for mark, name in _MARKS:
        if sample.startswith(mark):
            return name, len(mark)
    probe = sample[:_PROBE]
    even, odd = probe[0::2].count(0), probe[1::2].count(0)
    if len(probe) >= 4 and max(even, odd) > len(probe) * 0.2 and min(even, odd) < len(probe) * 0.02:
        return ("utf-16-le" if odd > even else "utf-16-be"), 0
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return _single_byte(sample), 0
    return "utf-8", 0


def _single_byte(sample: bytes) -> str:
    """Return the code page for bytes that are not valid UTF-8: mostly valid UTF-8 stays UTF-8."""
    text = sample.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    whole = sum(1 for char in text if char > "\x7f") - broken
    return "utf-8" if whole >= broken else "cp1252"


def decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text of ``data`` without its byte-order mark, and what could not be decoded."""
    encoding, mark = detect_encoding(data)
    body = data[mark:] if mark else data
    try:
        return body.decode(encoding), ()
    except UnicodeDecodeError as error:
        text = body.decode(encoding, "replace")
        return text, (f"Some bytes are not valid {encoding} (the first at byte {error.start}).",)


# ECMA-48: CSI (ESC [ or the C1 code), OSC and other strings up to BEL or ST, two-character escapes.
# An unfinished string sequence ends at the line's end, so that it never swallows what follows.
_ESCAPE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x9b[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*[0-~]?"
)
# The visible remains of colours whose escape byte was written in another form on the way (a JSON
# escape, `cat -v`, the arrow or the box that a screen shows for it).
_SHOWN = (
    "\\x1b[",
    "\\x1B[",
    "\\u001b[",
    "\\u001B[",
    "\\033[",
    "\u241b[",
    "^[[",
    "\u2190[",
    "\ufffd[",
)
_ORPHAN = re.compile(
    r"(?:\\x1[bB]|\\u001[bB]|\\033|\\e|\u241b|\^\[|\u2190|\ufffd)\[[0-9;]{0,40}[mK]"
)
# Those whose escape byte is gone: a reset, and codes that no program and no timer ("[31m 20s]")
# prints.
_RESET = "[0m"
_LOST_COLOUR = re.compile(r"\[(?:\d{1,3}(?:;\d{1,3}){1,8}|3[0-79]|9[0-7])m(?! ?\d{1,2}s)")
_LOST = re.compile(r"\[(?:\d{1,3}(?:;\d{1,3}){0,8})?m(?! ?\d{1,2}s)")
_FEWEST_COLOURS = 2
_CONTROL = dict.fromkeys((*range(9), *range(14, 32), 127, 8203, 65279))
_BACKSPACE = "\b"


def strip_escapes(text: str) -> str:
    """Return ``text`` without escape sequences (also those that stand inside paths and numbers)."""
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPE.sub("", text)
    if any(shown in text for shown in _SHOWN):
        text = _ORPHAN.sub("", text)
    if _RESET in text and _has_lost_colours(text):
        text = _LOST.sub("", text)
    return text


def _has_lost_colours(text: str) -> bool:
    """Say whether several codes of colours stand in a text without their escape bytes."""
    found = islice(_LOST_COLOUR.finditer(text), _FEWEST_COLOURS)
    return sum(1 for _ in found) == _FEWEST_COLOURS


def strip_controls(line: str) -> str:
    """Return ``line`` with backspaces carried out and other control codes left out."""
    if _BACKSPACE in line:
        line = _rub_out(line)
    return line.translate(_CONTROL)


def _rub_out(line: str) -> str:
    chars: list[str] = []
    for char in line:
        if char != _BACKSPACE:
            chars.append(char)
        elif chars:
            chars.pop()
    return "".join(chars)


def visible_segments(line: str, is_telling: re.Pattern[str]) -> list[str]:
    """Return what stays of a line that carriage returns overprint: the last print that shows.

    Earlier prints are kept, in order, where ``is_telling`` finds something in them: a traceback
    that a progress bar ran over is worth more than the bar.
    """
    parts = [part for part in line.split("\r") if part.strip()]
    if not parts:
        return [""]
    telling = [part for part in parts[:-1] if is_telling.search(part)]
    return [*telling, parts[-1]]


def is_binary(sample: bytes) -> bool:
    """Say whether the beginning of a file is no text in UTF-8, UTF-16 or a single-byte encoding."""
    if sample.startswith(_BINARY):
        return True
    if sample.startswith(_WIDE_MARKS) or _looks_like_utf16(sample):
        return False
    nulls = sample.count(0)
    if nulls > 0.3 * len(sample):
        return True
    controls = len(sample) - len(sample.translate(None, _OTHER_CONTROLS))
    return controls > 0.05 * (len(sample) - nulls)


def _looks_like_utf16(sample: bytes) -> bool:
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    return max(even, odd) > 0.3 * len(sample) and min(even, odd) < 0.02 * len(sample)
