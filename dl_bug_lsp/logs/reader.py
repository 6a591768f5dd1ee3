"""The reader of logs: text in any state to clean, numbered lines of known processes.

Decoding: byte-order marks, UTF-16 without one, UTF-8, then single-byte code pages. Escapes,
carriage returns that overprint, and backspaces are applied, as a terminal would have shown them.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

from dl_bug_lsp.cancellation import checkpoint, stepwise
from dl_bug_lsp.logs.containers import lines_of_document, unwrap_json_lines
from dl_bug_lsp.logs.pasted import repaired_lines, unescaped, without_screen_edge
from dl_bug_lsp.logs.prefixes import attribute
from dl_bug_lsp.logs.regions import Region, Scanner, at_line_ends, chunks_of
from dl_bug_lsp.logs.values import Log, LogLine

# ---------------------------------------------------------------------- bytes to text
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
# The visible remains of colours whose escape byte was lost on the way (a paste, a JSON escape).
_ORPHAN = re.compile(r"(?:\\x1b|\\u001b|\\033|\\e|\u241b)\[[0-9;]*m")
_CONTROL = dict.fromkeys((*range(9), *range(14, 32), 127, 8203, 65279))
_BACKSPACE = "\b"


def strip_escapes(text: str) -> str:
    """Return ``text`` without escape sequences (also those that stand inside paths and numbers)."""
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPE.sub("", text)
    if "[" in text and ("\\x1b[" in text or "\\u001b[" in text or "\\033[" in text):
        text = _ORPHAN.sub("", text)
    return text


def strip_controls(line: str) -> str:
    """Return ``line`` with backspaces carried out and other control codes left out."""
    if _BACKSPACE in line:
        line = _rub_out(line)
    return line.translate(_CONTROL)


def _rub_out(line: str) -> str:
    kept: list[str] = []
    for char in line:
        if char != _BACKSPACE:
            kept.append(char)
        elif kept:
            kept.pop()
    return "".join(kept)


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


# ---------------------------------------------------------------------- numbered lines
_TELLING = re.compile(r'Traceback \(most recent|File "|Error\b|error:|Killed|❱')
_MAX_LINE = 65_536
LARGE = 4_000_000
"""Texts of more bytes are searched for the parts that matter; smaller ones are kept whole."""


def read_log(data: bytes | str) -> Log:
    """Read a text into clean lines; never raises.

    Line numbers are 1-based and count line feeds of the text as it was given. Of texts beyond
    `LARGE` bytes only the parts that may tell of failures and samples of metrics are kept.
    """
    if isinstance(data, str):
        if len(data) > LARGE:
            return read_log_chunks(chunks_of(data.encode("utf-8", "surrogatepass")))
        return _whole(data.removeprefix("\ufeff"), ())
    if len(data) > LARGE:
        return read_log_chunks(chunks_of(data))
    text, problems = decode(data)
    return _whole(text, problems)


def read_log_chunks(chunks: Iterable[bytes]) -> Log:
    """Read a text that comes in pieces (a file, a stream), in bounded memory; never raises."""
    parts = iter(chunks)
    first: list[bytes] = []
    size = 0
    for part in parts:
        first.append(part)
        size += len(part)
        if size > LARGE:
            return _large(b"".join(first), parts)
    text, problems = decode(b"".join(first))
    return _whole(text, problems)


def _whole(text: str, problems: tuple[str, ...]) -> Log:
    document = lines_of_document(text)
    if document is not None:
        lines = [line for raw in document for line in clean_lines(raw.text, raw.number, one=True)]
        return Log(tuple(attribute(lines)), problems, text.count("\n") + 1)
    lines = clean_lines(text)
    total = len(lines)
    if lines and not lines[-1].text:
        lines.pop()
    return Log(tuple(finish(lines)), problems, total)


def _large(beginning: bytes, rest: Iterator[bytes]) -> Log:
    encoding, mark = detect_encoding(beginning[: 1 << 20])
    scanner = Scanner()
    parts = _joined(beginning[mark:], rest)
    if encoding.startswith(("utf-16", "utf-32")):
        parts = _transcoded(parts, encoding)
        encoding = "utf-8"
    for chunk in at_line_ends(parts):
        checkpoint()
        scanner.feed(chunk)
    regions = scanner.regions()
    lines = finish(_lines_of_regions(regions, encoding))
    kept = sum(len(region.data) for region in regions)
    problems: tuple[str, ...] = ()
    if kept < scanner.size:
        problems = (
            f"The text is large: {kept:,} of {scanner.size:,} bytes that may report a failure"
            " or a metric were read closely.",
        )
    return Log(tuple(lines), problems, scanner.lines)


def _joined(beginning: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield beginning
    yield from rest


def _transcoded(parts: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for part in parts:
        for at in range(0, len(part), 1 << 22):
            yield decoder.decode(part[at : at + (1 << 22)]).encode("utf-8", "surrogatepass")
    yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")


def _lines_of_regions(regions: list[Region], encoding: str) -> list[LogLine]:
    """Return the regions' lines, with a blank line where something was left out."""
    lines: list[LogLine] = []
    for region in regions:
        if lines:
            lines.append(LogLine(max(lines[-1].number, region.line - 1), ""))
        lines.extend(clean_lines(region.data.decode(encoding, "replace"), region.line))
    return lines


def clean_lines(text: str, first_number: int = 1, *, one: bool = False) -> list[LogLine]:
    """Return the lines of ``text`` without terminal codes and overprints; no prefix is taken off.

    With ``one`` all of them stand on the line ``first_number`` of the original.
    """
    text = strip_escapes(text)
    out: list[LogLine] = []
    for index, raw in enumerate(stepwise(text.split("\n"))):
        number = first_number if one else first_number + index
        line = raw.removesuffix("\r")
        if not line.isprintable():
            if "\r" in line:
                parts = visible_segments(line, _TELLING)
                out.extend(LogLine(number, _tidy(part)) for part in parts)
                continue
            line = strip_controls(line)
        out.append(LogLine(number, _tidy(line)))
    return out


def _tidy(line: str) -> str:
    if len(line) > _MAX_LINE and not line.lstrip().startswith("{"):
        half = _MAX_LINE // 2
        line = line[:half] + " … " + line[-half:]
    return line if line.isprintable() else strip_controls(line)


def finish(lines: list[LogLine]) -> list[LogLine]:
    """Unwrap containers, take prefixes off: what needs a view of all the lines together."""
    return repaired_lines(unescaped(_unwrapped(without_screen_edge(lines))))


def _unwrapped(lines: list[LogLine]) -> list[LogLine]:
    if any(line.text.startswith("{") for line in lines):
        mostly = sum(1 for line in lines if line.text.startswith("{")) * 2 > len(lines)
        if not mostly:
            lines = attribute(lines)
        unwrapped = unwrap_json_lines(lines)
        cleaned = [
            LogLine(line.number, part.text, line.process)
            for line in unwrapped
            for part in clean_lines(line.text, line.number, one=True)
        ]
        return attribute(cleaned)
    lines = attribute(lines)
    if any(line.text.startswith("{") for line in lines[:50]):
        return attribute(unwrap_json_lines(lines))
    return lines
