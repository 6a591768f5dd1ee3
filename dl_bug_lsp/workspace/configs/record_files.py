"""JSON lines and JSON lists of records in outline: keys as columns, records by their lines."""

from __future__ import annotations

import json
from collections.abc import Iterable

from dl_bug_lsp.workspace.configs.columns import ColumnSummary
from dl_bug_lsp.workspace.configs.delimited import kept_ends
from dl_bug_lsp.workspace.configs.json_reader import Node, read_json
from dl_bug_lsp.workspace.values import Table

_MOST_ROWS = 200_000
_MOST_COLUMNS = 2_000
_MOST_RAGGED = 50


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
