"""Stacks that several processes without prefixes printed at once, each line once per process."""

from __future__ import annotations

from collections.abc import Sequence

from dl_bug_lsp.cancellation import stepwise
from dl_bug_lsp.logs.values import LogLine
from dl_bug_lsp.tracebacks.exception_text import parse_exception

_HEADER = "Traceback (most recent call last):"
_MAX_LINES = 2000


def without_doubles(lines: Sequence[LogLine]) -> Sequence[LogLine]:
    """Return ``lines`` with each repeated line once where a header directly repeats itself."""
    starts = [
        index
        for index in stepwise(range(1, len(lines)))
        if lines[index].text == lines[index - 1].text and lines[index].text.endswith(_HEADER)
    ]
    if not starts:
        return lines
    out: list[LogLine] = []
    at = 0
    for start in starts:
        if start < at:
            continue
        out.extend(lines[at:start])
        at = _collapse(lines, start, out)
    out.extend(lines[at:])
    return out


def _collapse(lines: Sequence[LogLine], start: int, out: list[LogLine]) -> int:
    """Append the lines that differ from the one before, up to the exception's last copy."""
    at = start
    while at < len(lines) and at - start < _MAX_LINES:
        same = lines[at].text == lines[at - 1].text
        ended = not lines[at - 1].text.startswith(" ") and parse_exception(lines[at - 1].text)
        if ended and not same:
            break
        if not same:
            out.append(lines[at])
        at += 1
    return at
