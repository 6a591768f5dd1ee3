"""Metrics printed as tables: a header of names, then rows of numbers (CSV, aligned, boxed)."""

from __future__ import annotations

import re

from dl_bug_lsp.logs.values import LogLine
from dl_bug_lsp.signals.names import EPOCH, STEP, role_of, split_of, words_of
from dl_bug_lsp.signals.pairs import LineMetrics
from dl_bug_lsp.signals.values import Role, Split

MAX_COLUMNS = 40
MAX_GAP = 400
"""How many lines may lie between two rows of a table (an epoch's other output)."""

_NUMBER = re.compile(
    r"^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?%?$|^[-+]?(?:nan|inf)$", re.IGNORECASE
)
_RULE = re.compile(r"^[\s|+:=\-─━═┼│┃╇┡┩├┤┴┬╭╮╰╯┏┓┗┛]+$")
_BARS = str.maketrans({"│": "|", "┃": "|"})
_WIDE = re.compile(r"\s{2,}|\t")


def cells_of(text: str) -> list[list[str]]:
    """Return the ways to cut a line into cells: by bars, commas, wide gaps, blanks."""
    line = text.translate(_BARS).strip()
    ways: list[list[str]] = []
    if "|" in line:
        ways.append([c.strip() for c in line.strip("|").split("|")])
    if "," in line:
        ways.append([c.strip().strip('"') for c in line.split(",")])
    ways.append([c for c in _WIDE.split(line) if c])
    ways.append(line.split())
    return [w for w in ways if 2 <= len(w) <= MAX_COLUMNS]


def header_of(text: str) -> list[list[str]]:
    """Return the headers that a line may be: all cells are names, at least one is a metric's."""
    if len(text) > 1000:
        return []
    found: list[list[str]] = []
    for cells in cells_of(text):
        named = all(c and (c[0].isalpha() or c[0] == "_") and len(c) < 40 for c in cells)
        roles = [role_of(c) for c in cells]
        if named and any(r is not None for r in roles) and cells not in found:
            found.append(cells)
    return found


class TableReader:
    """Reads rows under the last header that was seen."""

    def __init__(self) -> None:
        self._headers: list[list[str]] = []
        self._since = 0

    def feed(self, line: LogLine) -> LineMetrics | None:
        """Take the next line; return the metrics of a row, None for any other line."""
        if _RULE.match(line.text):
            return None
        headers = header_of(line.text)
        if headers:
            self._headers, self._since = headers, 0
            return None
        if not self._headers:
            return None
        self._since += 1
        if self._since > MAX_GAP:
            self._headers = []
            return None
        for cells in cells_of(line.text):
            for header in self._headers:
                row = _row(header, cells)
                if row is not None:
                    self._since = 0
                    return row
        return None


def _row(header: list[str], cells: list[str]) -> LineMetrics | None:
    if len(cells) != len(header) or sum(1 for c in cells if _NUMBER.match(c)) * 2 < len(cells):
        return None
    found = LineMetrics()
    for name, cell in zip(header, cells, strict=True):
        role = role_of(name)
        if not _NUMBER.match(cell):
            measured = role in (Role.LOSS, Role.ACCURACY) and not cell[:1].isdigit()
            if measured and cell.lower() not in {"no log", "-", "n/a", "none", ""}:
                return None
            continue
        value = float(cell.rstrip("%"))
        if role is not None:
            share = value / 100 if role is Role.ACCURACY and cell.endswith("%") else value
            found.values.append((name, role, split_of(name) or Split.TRAIN, share))
        elif words_of(name) and words_of(name)[-1] in EPOCH:
            found.epoch = value
        elif words_of(name) and words_of(name)[-1] in STEP:
            found.step = value
    return found if found.values else None
