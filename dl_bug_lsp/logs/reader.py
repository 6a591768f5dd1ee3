"""The reader of logs: text in any state to clean, numbered lines of known processes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

from dl_bug_lsp.cancellation import checkpoint, stepwise
from dl_bug_lsp.logs.containers import lines_of_document, unwrap_json_lines
from dl_bug_lsp.logs.decoding import (
    decode,
    detect_encoding,
    strip_controls,
    strip_escapes,
    visible_segments,
)
from dl_bug_lsp.logs.log import Log, LogLine
from dl_bug_lsp.logs.pasted import repaired_lines, unescaped, without_screen_edge
from dl_bug_lsp.logs.prefixes import attribute
from dl_bug_lsp.logs.regions import Region, Scanner, at_line_ends, chunks_of

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
        lines = [
            line for raw in document for line in clean_lines(raw.text, raw.number, is_one_line=True)
        ]
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
    read_closely = sum(len(region.data) for region in regions)
    problems: tuple[str, ...] = ()
    if read_closely < scanner.size:
        problems = (
            f"The text is large: {read_closely:,} of {scanner.size:,} bytes that may report a"
            " failure or a metric were read closely.",
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


def clean_lines(text: str, first_number: int = 1, *, is_one_line: bool = False) -> list[LogLine]:
    """Return the lines of ``text`` without terminal codes and overprints; no prefix is taken off.

    With ``is_one_line`` all of them stand on the line ``first_number`` of the original.
    """
    text = strip_escapes(text)
    out: list[LogLine] = []
    for index, raw in enumerate(stepwise(text.split("\n"))):
        number = first_number if is_one_line else first_number + index
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
            for part in clean_lines(line.text, line.number, is_one_line=True)
        ]
        return attribute(cleaned)
    lines = attribute(lines)
    if any(line.text.startswith("{") for line in lines[:50]):
        return attribute(unwrap_json_lines(lines))
    return lines
