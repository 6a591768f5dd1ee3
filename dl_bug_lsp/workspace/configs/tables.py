"""Data files in outline: CSV and TSV (RFC 4180), JSON lines, JSON lists of records.

Of each column only a running summary is kept: counts and extremes with their lines, no rows.
"""

from __future__ import annotations

import contextlib
import csv
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from dl_bug_lsp.workspace.configs.json_reader import Node, read_json
from dl_bug_lsp.workspace.configs.reading import ConfigReading, entry
from dl_bug_lsp.workspace.contents import Column, RareValue, Table

_DELIMITED = (".csv", ".tsv", ".tab", ".psv")
_LINES = (".jsonl", ".ndjson", ".jsonlines")
_MOST_COLUMNS = 2_000


def is_table_name(name: str) -> bool:
    """Tell by its name whether a file is delimited text or JSON lines."""
    return name.lower().endswith((*_DELIMITED, *_LINES))


def read_table(file: str, text: str, is_cut: bool = False) -> Table:
    """Summarise a data file; ``is_cut`` says that ``text`` is only its beginning."""
    if is_cut:
        text = text[: text.rfind("\n") + 1]
    if file.lower().endswith(_LINES):
        return read_json_lines(file, text, is_cut)
    if file.lower().endswith(".json"):
        return read_json_list(file, text, is_cut)
    return read_delimited(file, text, is_cut)


def read_header(file: str, text: str) -> ConfigReading:
    """Return an entry for every column, all on the header's line, and the first uneven row."""
    if file.lower().endswith(_LINES):
        first = text.split("\n", 1)[0]
        names = [column.name for column in read_json_lines(file, first, False).columns]
        problem = unparsable_line(text)
        at = 1
    else:
        at, names, problem = outline_of(file, text)
    columns = (entry(file, at, (name,), name, name) for name in names[:_MOST_COLUMNS])
    return ConfigReading(tuple(columns), *problem)


def rows_with(
    file: str, text: str, value: str, most: int = 50, column: str | None = None
) -> tuple[tuple[int, str], ...]:
    """Return (line, column) of the first cells that hold exactly this value.

    With ``column``, only cells of that column are looked at.
    """
    cells: list[tuple[int, str]] = []
    if not file.lower().endswith(_LINES) and value not in text and '"' not in value:
        return ()  # A cell is what stands there, but for doubled quotation marks.
    for line, record in _records(file, text):
        for name, cell in record.items():
            if str(cell).strip() == value and column in (None, name):
                cells.append((line, name))
        if len(cells) >= most:
            break
    return tuple(cells[:most])


def _records(file: str, text: str) -> Iterator[tuple[int, dict[str, object]]]:
    if file.lower().endswith(_LINES):
        for number, line in enumerate(text.split("\n"), 1):
            try:
                record = json.loads(line) if line.strip() else None
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict):
                yield number, record
        return
    header: list[str] | None = None
    text, delimiter = without_comments(file, text)
    named = is_headed(text, delimiter)
    for number, row in sound_rows(text, delimiter):
        if header is None:
            header = row if named else [str(index) for index in range(len(row))]
            if named:
                continue
        yield number, dict(zip(header, row, strict=False))


_DELIMITERS = ",;\t|"
_MOST_ROWS = 200_000
_MOST_RAGGED = 50
_LONGEST_ROW = 200


def read_delimited(file: str, text: str, is_cut: bool) -> Table:
    """Summarise delimited text; rows are told by the line they start on."""
    text, delimiter = without_comments(file, text)
    scan = _Scan(is_headed=is_headed(text, delimiter))
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

    def __init__(self, *, is_headed: bool) -> None:
        self.is_headed = is_headed
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
            names = row if self.is_headed else [str(index) for index in range(len(row))]
            self.columns = [ColumnSummary(name.strip("\ufeff")) for name in names[:_MOST_COLUMNS]]
            if self.is_headed:
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
        odd = [(line, w) for w, numbers in self._lines.items() if w != usual for line in numbers]
        if self.header_line is not None and widths and usual != expected:
            odd.append((self.header_line, expected))
        return tuple(sorted(odd)[:_MOST_RAGGED])


def outline_of(file: str, text: str) -> tuple[int, list[str], tuple[str | None, int | None]]:
    """Return the header's line and names, and the first row of another width than most."""
    text, delimiter = without_comments(file, text)
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
    names = header[1] if is_headed(text, delimiter) else []
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


_COMMENT = ("#", "%", "//")
"""How lines of remarks begin in data files (`comment` of pandas, `comments` of NumPy)."""


def without_comments(file: str, text: str) -> tuple[str, str]:
    """Return the text with its lines of remarks left empty, and the delimiter of the others.

    A line that begins as a remark does but has as many fields as the rows is a header
    (`numpy.savetxt` writes one so) or a row, unless a header follows it.
    """
    if not text.startswith(_COMMENT) and not any(f"\n{mark}" in text for mark in _COMMENT):
        return text, delimiter_of(file, text.split("\n", 1)[0])
    lines = text.split("\n")
    at = next((n for n, line in enumerate(lines) if _is_row(line)), 0)
    delimiter = delimiter_of(file, lines[at])
    marks = lines[at].count(delimiter)
    before_header = at if is_header(lines[at].split(delimiter)) else 0
    for number, line in enumerate(lines):
        is_remark = number < before_header or line.count(delimiter) != marks
        if is_remark and line.startswith(_COMMENT):
            lines[number] = "\r" * line.endswith("\r")
    return "\n".join(lines), delimiter


def _is_row(line: str) -> bool:
    return bool(line.strip()) and not line.startswith(_COMMENT)


_JUDGED_ROWS = 1_000
"""Rows by which it is judged whether the first one is a header."""


def is_headed(text: str, delimiter: str) -> bool:
    """Whether the first row of delimited text names the columns.

    It does not where its cells come again in their columns, as in a list of words with their tags;
    a header that stands among the rows once more, as a whole, is one all the same.
    """
    rows = (row for _, row in islice(sound_rows(text, delimiter), _JUDGED_ROWS))
    first = next(rows, [])
    if not is_header(first):
        return False
    others = (row for row in rows if row != first)
    repeats = (any(a and a == b for a, b in zip(row, first, strict=False)) for row in others)
    return sum(islice(filter(None, repeats), 2)) < 2


def is_header(row: list[str]) -> bool:
    """Names are not numbers, not empty, and differ; pandas counts columns without a name."""
    names = [cell.strip() for cell in row]
    if not names or len(set(names)) < len(names):
        return False
    numbers = [name for name in names if _is_number(name)]
    if len(numbers) > 1 and not _is_number(names[0]) and all(name.isdigit() for name in numbers):
        start = int(numbers[0])
        counted = [str(start + at) for at in range(len(numbers))]
        return start in (0, 1) and numbers == counted
    # Pandas writes its index under an empty first name.
    return all(name and not _is_number(name) for name in names[1:]) and not _is_number(names[0])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_json_lines(file: str, text: str, is_cut: bool) -> Table:
    """Summarise one JSON document a line; the first that does not parse is the problem."""
    records: list[tuple[int, object]] = []
    problem: tuple[str | None, int | None] = (None, None)
    for number, line in enumerate(kept_ends(text), 1):
        if not line.strip():
            continue
        if len(records) >= _MOST_ROWS:
            is_cut = True
            break
        try:
            records.append((number, json.loads(line)))
        except (ValueError, RecursionError) as error:
            if problem[0] is None:
                problem = (str(error).split(": line", 1)[0], number)
    return _of_records(file, records, is_cut, problem)


def unparsable_line(text: str) -> tuple[str | None, int | None]:
    """Return what is wrong with the first line that is no JSON document, and its number."""
    for number, line in enumerate(kept_ends(text), 1):
        problem = _problem_of(line) if line.strip() else None
        if problem is not None:
            return problem, number
    return None, None


def _problem_of(line: str) -> str | None:
    try:
        json.loads(line)
    except (ValueError, RecursionError) as error:
        return str(error).split(": line", 1)[0]
    return None


def read_json_list(file: str, text: str, is_cut: bool) -> Table:
    """Summarise a JSON document whose top, or first list of objects below it, is a list."""
    reading = read_json(text)
    root = reading.root
    if root is not None and root.keys is not None:
        lists = [n for n in root.items if n.is_container and n.keys is None and n.items]
        root = lists[0] if lists else None
    nodes = root.items if root is not None and root.keys is None else []
    records = [(node.line, _plain(node)) for node in nodes[:_MOST_ROWS]]
    problem = (None, None) if is_cut else (reading.problem, reading.problem_line)
    return _of_records(file, records, is_cut, problem)


def _plain(node: Node) -> object:
    """Return a node's value; of a nested container only its length matters."""
    if not node.is_container:
        return node.value
    if node.keys is None:
        return [None] * len(node.items)
    pairs = zip(node.keys, node.items, strict=False)
    return {
        key: child.value if not child.is_container else [None] * len(child.items)
        for (key, _), child in pairs
    }


def _of_records(
    file: str,
    records: Iterable[tuple[int, object]],
    is_cut: bool,
    problem: tuple[str | None, int | None],
) -> Table:
    columns: dict[str, ColumnSummary] = {}
    ragged: list[tuple[int, int]] = []
    held = list(records)
    for line, record in held:
        fields = record if isinstance(record, dict) else {"": record}
        for name, value in fields.items():
            if name not in columns and len(columns) < _MOST_COLUMNS:
                columns[name] = ColumnSummary(name)
            if name in columns:
                columns[name].add(value, line)
    # A key counts as expected where at least half of the records have it.
    usual = {n for n, c in columns.items() if (c.filled + len(c.empty)) * 2 >= len(held)}
    for line, record in held:
        fields = record if isinstance(record, dict) else {"": record}
        absent = [name for name in columns if name in usual and name not in fields]
        for name in absent:
            columns[name].lack(line)
        if absent and len(ragged) < _MOST_RAGGED:
            ragged.append((line, len(fields)))
    summaries = tuple(column.column() for column in columns.values())
    return Table(file, "", None, len(held), summaries, tuple(ragged), is_cut, *problem)


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
        self._longest: int | None = None
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
        short = self._short or (None, None)
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
            longest=self._longest,
            distinct=None if self._counts is None else len(self._counts),
            rare=self._rare(),
            odd=tuple(self._odd) if numeric else (),
        )

    def _length(self, length: int, line: int) -> None:
        if self._short is None or length < self._short[0]:
            self._short = (length, line)
        if self._longest is None or length > self._longest:
            self._longest = length

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
