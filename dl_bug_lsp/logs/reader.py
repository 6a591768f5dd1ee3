"""The reader of logs: text in any state to clean, numbered lines of known processes."""

from __future__ import annotations

import re

from dl_bug_lsp.logs.containers import unwrap_json_lines
from dl_bug_lsp.logs.decoding import decode
from dl_bug_lsp.logs.prefixes import attribute
from dl_bug_lsp.logs.terminal import strip_controls, strip_escapes, visible_segments
from dl_bug_lsp.logs.values import Log, LogLine

_TELLING = re.compile(r'Traceback \(most recent|File "|Error\b|error:|Killed|❱')
_MAX_LINE = 65_536


def clean_lines(text: str, first_number: int = 1) -> list[LogLine]:
    """Return the lines of ``text`` without terminal codes and overprints; no prefix is taken off."""
    text = strip_escapes(text)
    out: list[LogLine] = []
    for number, raw in enumerate(text.split("\n"), first_number):
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


def read_log(data: bytes | str) -> Log:
    """Read a text into clean lines; never raises.

    Line numbers are 1-based and count line feeds of the text as it was given.
    """
    problems: tuple[str, ...] = ()
    if isinstance(data, bytes):
        text, problems = decode(data)
    else:
        text = data.removeprefix("\ufeff")
    lines = clean_lines(text)
    total = len(lines)
    if lines and not lines[-1].text:
        lines.pop()
    return Log(tuple(finish(lines)), problems, total)


def finish(lines: list[LogLine]) -> list[LogLine]:
    """Unwrap containers and take prefixes off: what needs a view of all the lines together."""
    lines = attribute(lines) if not _mostly_json(lines) else lines
    if any(line.text.startswith("{") for line in lines):
        unwrapped = unwrap_json_lines(lines)
        cleaned = [
            LogLine(line.number, part.text, line.process)
            for line in unwrapped
            for part in clean_lines(line.text, line.number)
        ]
        return attribute(cleaned)
    return lines


def _mostly_json(lines: list[LogLine]) -> bool:
    return bool(lines) and sum(1 for line in lines if line.text.startswith("{")) * 2 > len(lines)
