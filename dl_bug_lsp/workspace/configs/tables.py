"""Data files in outline: CSV and TSV (RFC 4180), JSON lines, JSON lists of records."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator

from dl_bug_lsp.workspace.configs.columns import ColumnSummary
from dl_bug_lsp.workspace.configs.json_reader import Node, read_json
from dl_bug_lsp.workspace.configs.reading import ConfigReading, entry
from dl_bug_lsp.workspace.values import Table

_DELIMITED = (".csv", ".tsv", ".tab", ".psv")
_LINES = (".jsonl", ".ndjson", ".jsonlines")
_DELIMITERS = ",;\t|"
_MOST_ROWS = 200_000
_MOST_COLUMNS = 2_000
_MOST_RAGGED = 50
_LONGEST_ROW = 200


def is_table_name(name: str) -> bool:
    """Tell by its name whether a file is delimited text or JSON lines."""
    return name.lower().endswith((*_DELIMITED, *_LINES))


def read_table(file: str, text: str, is_cut: bool = False) -> Table:
    """Summarise a data file; ``is_cut`` says that ``text`` is only its beginning."""
    if is_cut:
        text = text[: text.rfind("\n") + 1]
    if file.lower().endswith(_LINES):
        return _json_lines(file, text, is_cut)
    if file.lower().endswith(".json"):
        return _json_list(file, text, is_cut)
    return _delimited(file, text, is_cut)


def read_header(file: str, text: str) -> ConfigReading:
    """Return an entry for every column of a table's head, all on its line."""
    head = text[:100_000]
    if file.lower().endswith(_LINES):
        line, _, rest = head.partition("\n")
        table = _json_lines(file, line + "\n", is_cut=bool(rest))
        at = 1
    else:
        first = head.split("\n", 1)[0]
        rows = list(_rows(first + "\n", _delimiter(file, first)))
        if not rows or not _is_header(rows[0][1]):
            return ConfigReading(())
        at, names = rows[0]
        return ConfigReading(
            tuple(entry(file, at, (name,), name, name) for name in names[:_MOST_COLUMNS])
        )
    names = [column.name for column in table.columns]
    return ConfigReading(tuple(entry(file, at, (name,), name, name) for name in names))


def rows_with(file: str, text: str, value: str, most: int = 50) -> tuple[tuple[int, str], ...]:
    """Return (line, column) of the first cells that hold exactly this value."""
    found: list[tuple[int, str]] = []
    for line, record in _records(file, text):
        for name, cell in record.items():
            if str(cell).strip() == value:
                found.append((line, name))
        if len(found) >= most:
            break
    return tuple(found[:most])


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
    for number, row in _rows(text, _delimiter(file, text.split("\n", 1)[0])):
        if header is None:
            header = row if _is_header(row) else [str(index) for index in range(len(row))]
            if header is row:
                continue
        yield number, dict(zip(header, row, strict=False))


def _delimited(file: str, text: str, is_cut: bool) -> Table:
    delimiter = _delimiter(file, text.split("\n", 1)[0])
    columns: list[ColumnSummary] = []
    widths: Counter[int] = Counter()
    first_of_width: dict[int, list[int]] = {}
    header_line: int | None = None
    problem: tuple[str | None, int | None] = (None, None)
    rows = last = 0
    iterator = _rows(text, delimiter)
    while rows < _MOST_ROWS:
        try:
            line, row = next(iterator)
        except StopIteration:
            break
        except csv.Error as error:
            problem = (str(error), last + 1)
            break
        if not columns:
            is_header = _is_header(row)
            names = row if is_header else [str(index) for index in range(len(row))]
            columns = [ColumnSummary(name.strip("\ufeff")) for name in names[:_MOST_COLUMNS]]
            if is_header:
                header_line, last = line, line
                continue
        rows, last = rows + 1, line
        widths[len(row)] += 1
        lines = first_of_width.setdefault(len(row), [])
        if len(lines) < _MOST_RAGGED:
            lines.append(line)
        if problem[0] is None and sum(cell.count("\n") for cell in row) > _LONGEST_ROW:
            problem = ("a quote that opens here takes in many lines", line)
        _add_row(columns, row, line)
    return Table(
        file,
        delimiter,
        header_line,
        rows,
        tuple(column.column() for column in columns),
        _ragged(first_of_width, widths, (header_line, len(columns))),
        is_cut or rows >= _MOST_ROWS,
        *problem,
    )


def _add_row(columns: list[ColumnSummary], row: list[str], line: int) -> None:
    for index, column in enumerate(columns):
        if index < len(row):
            column.add(row[index], line)
        else:
            column.lack(line)


def _ragged(
    lines: dict[int, list[int]], widths: Counter[int], header: tuple[int | None, int]
) -> tuple[tuple[int, int], ...]:
    """Judge rows by the majority's width: a header that most disagree with is the odd one."""
    header_line, expected = header
    usual = max(widths, key=lambda width: (widths[width], width == expected, width), default=0)
    odd = [(line, width) for width, found in lines.items() if width != usual for line in found]
    if header_line is not None and widths and usual != expected:
        odd.append((header_line, expected))
    return tuple(sorted(odd)[:_MOST_RAGGED])


def _rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each non-empty row with the line it starts on."""
    reader = csv.reader(_kept_ends(text), delimiter=delimiter)
    start = 1
    for row in reader:
        if row:
            yield start, row
        start = reader.line_num + 1


def _kept_ends(text: str) -> Iterator[str]:
    """Split at newlines only; `str.splitlines` would split inside of fields."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _delimiter(file: str, first: str) -> str:
    if file.lower().endswith((".tsv", ".tab")) and ("\t" in first or "," not in first):
        return "\t"
    return max(_DELIMITERS, key=lambda mark: (first.count(mark), -_DELIMITERS.index(mark)))


def _is_header(row: list[str]) -> bool:
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


def _json_lines(file: str, text: str, is_cut: bool) -> Table:
    records: list[tuple[int, object]] = []
    problem: tuple[str | None, int | None] = (None, None)
    for number, line in enumerate(_kept_ends(text), 1):
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


def _json_list(file: str, text: str, is_cut: bool) -> Table:
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
