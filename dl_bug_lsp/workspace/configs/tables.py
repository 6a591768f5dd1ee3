"""Data files in outline: CSV and TSV (RFC 4180), JSON lines, JSON lists of records."""

from __future__ import annotations

import json
from collections.abc import Iterator

from dl_bug_lsp.workspace.configs.delimited import (
    delimiter_of,
    is_header,
    outline_of,
    read_delimited,
    sound_rows,
)
from dl_bug_lsp.workspace.configs.reading import ConfigReading, entry
from dl_bug_lsp.workspace.configs.record_files import (
    read_json_lines,
    read_json_list,
    unparsable_line,
)
from dl_bug_lsp.workspace.values import Table

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


def rows_with(file: str, text: str, value: str, most: int = 50) -> tuple[tuple[int, str], ...]:
    """Return (line, column) of the first cells that hold exactly this value."""
    found: list[tuple[int, str]] = []
    if not file.lower().endswith(_LINES) and value not in text and '"' not in value:
        return ()  # A cell is what stands there, but for doubled quotation marks.
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
    for number, row in sound_rows(text, delimiter_of(file, text.split("\n", 1)[0])):
        if header is None:
            header = row if is_header(row) else [str(index) for index in range(len(row))]
            if header is row:
                continue
        yield number, dict(zip(header, row, strict=False))
