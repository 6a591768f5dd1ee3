"""Delimited text in outline (RFC 4180, as the ``csv`` module reads it)."""

from __future__ import annotations

import contextlib
import csv
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from dl_bug_lsp.workspace.configs.columns import ColumnSummary
from dl_bug_lsp.workspace.values import Table

_DELIMITERS = ",;\t|"
_MOST_ROWS = 200_000
_MOST_COLUMNS = 2_000
_MOST_RAGGED = 50
_LONGEST_ROW = 200


def read_delimited(file: str, text: str, is_cut: bool) -> Table:
    """Summarise delimited text; rows are told by the line they start on."""
    delimiter = delimiter_of(file, text.split("\n", 1)[0])
    scan = _Scan()
    try:
        for line, row in islice(rows_of(text, delimiter), _MOST_ROWS):
            scan.take(line, row)
    except csv.Error as error:
        scan.note(str(error), scan.last + 1)
    return Table(
        file,
        delimiter,
        scan.header_line,
        scan.rows,
        tuple(column.column() for column in scan.columns),
        scan.ragged(),
        is_cut or scan.rows >= _MOST_ROWS - 1,
        scan.problem,
        scan.problem_line,
    )


class _Scan:
    """What is known of a table after some of its rows."""

    def __init__(self) -> None:
        self.columns: list[ColumnSummary] = []
        self.header_line: int | None = None
        self.rows = 0
        self.last = 0
        self.problem: str | None = None
        self.problem_line: int | None = None
        self._widths: Counter[int] = Counter()
        self._lines: dict[int, list[int]] = {}

    def take(self, line: int, row: list[str]) -> None:
        """Take the row that starts on a line; the first one names the columns."""
        self.last = line
        if not self.columns:
            named = is_header(row)
            names = row if named else [str(index) for index in range(len(row))]
            self.columns = [ColumnSummary(name.strip("\ufeff")) for name in names[:_MOST_COLUMNS]]
            if named:
                self.header_line = line
                return
        self.rows += 1
        self._widths[len(row)] += 1
        lines = self._lines.setdefault(len(row), [])
        if len(lines) < _MOST_RAGGED:
            lines.append(line)
        if sum(cell.count("\n") for cell in row) > _LONGEST_ROW:
            self.note("a quote that opens here takes in many lines", line)
        for index, column in enumerate(self.columns):
            if index < len(row):
                column.add(row[index], line)
            else:
                column.lack(line)

    def note(self, problem: str, line: int) -> None:
        """Keep the first problem."""
        if self.problem is None:
            self.problem, self.problem_line = problem, line

    def ragged(self) -> tuple[tuple[int, int], ...]:
        """Judge rows by the majority's width: a header that most disagree with is the odd one."""
        widths, expected = self._widths, len(self.columns)
        usual = max(widths, key=lambda width: (widths[width], width == expected, width), default=0)
        odd = [(line, w) for w, found in self._lines.items() if w != usual for line in found]
        if self.header_line is not None and widths and usual != expected:
            odd.append((self.header_line, expected))
        return tuple(sorted(odd)[:_MOST_RAGGED])


def outline_of(file: str, text: str) -> tuple[int, list[str], tuple[str | None, int | None]]:
    """Return the header's line and names, and the first row of another width than most."""
    delimiter = delimiter_of(file, text.split("\n", 1)[0])
    widths: Counter[int] = Counter()
    first_of_width: dict[int, int] = {}
    header: tuple[int, list[str]] | None = None
    for line, row in sound_rows(text, delimiter):
        header = header or (line, row)
        widths[len(row)] += 1
        first_of_width.setdefault(len(row), line)
    if header is None:
        return 1, [], (None, None)
    usual = max(widths, key=lambda width: (widths[width], width == len(header[1]), width))
    odd = sorted((line, width) for width, line in first_of_width.items() if width != usual)
    names = header[1] if is_header(header[1]) else []
    if not odd:
        return header[0], names, (None, None)
    return header[0], names, (f"{odd[0][1]} fields where most rows have {usual}", odd[0][0])


def sound_rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows up to the first that cannot be read."""
    with contextlib.suppress(csv.Error):
        yield from rows_of(text, delimiter)


def rows_of(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each non-empty row with the line it starts on."""
    reader = csv.reader(kept_ends(text), delimiter=delimiter)
    start = 1
    for row in reader:
        if row:
            yield start, row
        start = reader.line_num + 1


def kept_ends(text: str) -> Iterator[str]:
    """Split at newlines only: `str.splitlines` would split inside of fields."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def delimiter_of(file: str, first: str) -> str:
    """Return the delimiter that the first line holds most of."""
    if file.lower().endswith((".tsv", ".tab")) and ("\t" in first or "," not in first):
        return "\t"
    return max(_DELIMITERS, key=lambda mark: (first.count(mark), -_DELIMITERS.index(mark)))


def is_header(row: list[str]) -> bool:
    """Names are not numbers, not empty, and differ."""
    names = [cell.strip() for cell in row]
    if not names or len(set(names)) < len(names):
        return False
    # Pandas writes its index under an empty first name.
    return all(name and not _is_number(name) for name in names[1:]) and not _is_number(names[0])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
