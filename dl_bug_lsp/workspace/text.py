"""From bytes to text and lines, the way Python and editors read files."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK_OR_COMMENT = re.compile(rb"^[ \t\f]*(?:#[^\r\n]*)?$")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SNIFFED_BYTES = 8192


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text with newlines normalised; ``problem`` says what was not as declared."""

    text: str
    encoding: str
    problem: str | None = None
    problem_line: int | None = None


def decode_python(data: bytes) -> Decoded:
    """Decode Python source by its byte order mark or coding cookie (PEP 263), else as UTF-8."""
    if data.startswith(codecs.BOM_UTF8):
        return _decode(data[len(codecs.BOM_UTF8) :], "utf-8")
    name = _cookie(data)
    if name is None:
        return _decode(data, "utf-8")
    try:
        codec = codecs.lookup(name)
        known = codec._is_text_encoding
    except (LookupError, ValueError):
        known = False
    # A cookie that could be read as ASCII belies a wide encoding.
    if not known or codec.name.startswith(("utf-16", "utf-32")):
        decoded = _decode(data, "utf-8")
        problem = f"unknown encoding: {name}" if not known else f"cannot be read as {name}"
        return Decoded(decoded.text, decoded.encoding, problem, 1)
    return _decode(data, codec.name)


def decode_plain(data: bytes) -> Decoded | None:
    """Decode a config or data file by its byte order mark, else as UTF-8; None when binary."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _decode(data[len(mark) :], encoding)
    if b"\0" in data[:_SNIFFED_BYTES]:
        return None
    return _decode(data, "utf-8")


def split_lines(text: str) -> tuple[str, ...]:
    r"""Split normalised text at ``\n`` alone: a form feed or U+2028 ends no line of source."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return tuple(lines)


def _cookie(data: bytes) -> str | None:
    """Return the declared encoding; the second line counts only below a blank or comment line."""
    head = data[:4096].replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n", 2)[:2]
    for line in head:
        match = _COOKIE.match(line[:400])
        if match:
            return match.group(1).decode("ascii", "replace")
        if not _BLANK_OR_COMMENT.match(line):
            return None
    return None


def _decode(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(_unify(data.decode(encoding)), encoding)
    except UnicodeDecodeError as error:
        line = _unify(data[: error.start].decode("latin-1")).count("\n") + 1
        problem = f"not valid {encoding}: byte 0x{data[error.start]:02x}"
        return Decoded(_unify(data.decode("latin-1")), "latin-1", problem, line)
    except (ValueError, LookupError, AssertionError):
        return Decoded(
            _unify(data.decode("latin-1")), "latin-1", f"cannot be read as {encoding}", 1
        )


def _unify(text: str) -> str:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text
