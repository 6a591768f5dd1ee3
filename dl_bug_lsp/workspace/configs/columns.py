"""The running summary of a table's column: counts and extremes with their lines, no rows kept."""

from __future__ import annotations

import math

from dl_bug_lsp.workspace.values import Column, RareValue

_MOST_LINES = 50
_MOST_DISTINCT = 10_000
_FEW_DISTINCT = 200
_MOST_RARE = 30
_LONGEST_VALUE = 200
_NUMERIC_SHARE = 0.8


class ColumnSummary:
    """Takes one value a row and ends as a `Column`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.filled = 0
        self.empty: list[int] = []
        self.missing: list[int] = []
        self._numbers = 0
        self._low: tuple[float, int] | None = None
        self._high: tuple[float, int] | None = None
        self._short: tuple[int, int] | None = None
        self._long: tuple[int, int] | None = None
        self._counts: dict[str, list[int]] | None = {}
        self._odd: list[tuple[int, str]] = []

    def add(self, value: object, line: int) -> None:
        """Take the value of the row that starts on a line."""
        if value is None or (isinstance(value, str) and not value.strip()):
            _append(self.empty, line)
            return
        self.filled += 1
        if isinstance(value, (list, dict)):
            self._length(len(value), line)
            self._count(str(value)[:_LONGEST_VALUE], line)
            return
        text = value if isinstance(value, str) else str(value)
        number = _number(value)
        if number is None:
            if len(self._odd) < _MOST_LINES:
                self._odd.append((line, text[:_LONGEST_VALUE]))
        else:
            self._numbers += 1
            if self._low is None or number < self._low[0]:
                self._low = (number, line)
            if self._high is None or number > self._high[0]:
                self._high = (number, line)
        if isinstance(value, str):
            self._length(len(value), line)
        self._count(text[:_LONGEST_VALUE], line)

    def lack(self, line: int) -> None:
        """Take note of a row without this column."""
        _append(self.missing, line)

    def column(self) -> Column:
        """Return what was found."""
        numeric = self._numbers >= _NUMERIC_SHARE * self.filled and self._numbers > 0
        low, high = self._low or (None, None), self._high or (None, None)
        short, long = self._short or (None, None), self._long or (None, None)
        return Column(
            name=self.name,
            filled=self.filled,
            empty_lines=tuple(self.empty),
            missing_lines=tuple(self.missing),
            numbers=self._numbers,
            minimum=low[0],
            minimum_line=low[1],
            maximum=high[0],
            maximum_line=high[1],
            shortest=short[0],
            shortest_line=short[1],
            longest=long[0],
            longest_line=long[1],
            distinct=None if self._counts is None else len(self._counts),
            rare=self._rare(),
            odd=tuple(self._odd) if numeric else (),
        )

    def _length(self, length: int, line: int) -> None:
        if self._short is None or length < self._short[0]:
            self._short = (length, line)
        if self._long is None or length > self._long[0]:
            self._long = (length, line)

    def _count(self, text: str, line: int) -> None:
        if self._counts is None:
            return
        known = self._counts.get(text)
        if known is not None:
            known[0] += 1
        elif len(self._counts) >= _MOST_DISTINCT:
            self._counts = None
        else:
            self._counts[text] = [1, line]

    def _rare(self) -> tuple[RareValue, ...]:
        """Return the least frequent values where values repeat at all: a column of classes."""
        counts = self._counts
        if not counts or len(counts) > _FEW_DISTINCT or len(counts) * 2 > self.filled:
            return ()
        ordered = sorted((count, line, text) for text, (count, line) in counts.items())
        return tuple(RareValue(text, count, line) for count, line, text in ordered[:_MOST_RARE])


def _append(lines: list[int], line: int) -> None:
    if len(lines) < _MOST_LINES:
        lines.append(line)


def _number(value: object) -> float | None:
    """Read a finite number; booleans and the likes of ``nan`` are none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and ("_" in value or len(value) > 60):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (ValueError, TypeError, OverflowError):
        return None
    return number if math.isfinite(number) else None
