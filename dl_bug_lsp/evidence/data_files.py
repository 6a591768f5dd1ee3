"""Data and config files: the row that is cut, the setting that does not parse, the odd value."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.known_calls import workspace_path
from dl_bug_lsp.provenance.nodes import DataFile
from dl_bug_lsp.workspace.values import Column, ConfigEntry, Table

CATEGORIES = {
    "corrupt_data",
    "syntax_error",
    "unexpected_encoding",
    "illegal_argument",
    "illegal_index",
    "key_not_found",
    "type_mismatch",
    "null_reference",
    "tensor_mismatch",
    "path_not_found",
    "loss_nan",
    "loss_divergence",
    "unclassified",
}
TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".psv", ".tab")
VALUES = (FactKind.LITERAL, FactKind.KEY, FactKind.NAME, FactKind.PATH)
MAX_TABLES = 12


def find(case: Case) -> Iterator[Clue]:
    """Yield the lines of data and config files that the message or their own form points at."""
    if case.category.id not in CATEGORIES:
        return
    read = _files_read(case)
    for file, near in read.items():
        yield from _named_line(case, file, near)
        yield from _broken(case, file, near)
    text = _is_text_for_number(case)
    yield from _lacking_records(case)
    yield from _uneven_lines(case, read)
    yield from _unpaired_records(case, read)
    tables = [f for f in read if f.endswith(TABLES)]
    tables.extend(f for f in case.workspace.files() if f.endswith(TABLES) and f not in read)
    for file in tables[:MAX_TABLES]:
        table = case.workspace.table(file)
        if table is not None:
            near = read.get(file, 0.5)
            yield from _odd_rows(case, table, near)
            yield from _odd_values(table, near, text)
            yield from _message_values(case, table, near)


def _is_text_for_number(case: Case) -> bool:
    """Whether the message says that a text stood where a number was wanted."""
    named = {str(f.value).rpartition(".")[2] for f in case.facts.of(FactKind.CLASS)}
    return bool(named & {"str", "object_", "object", "str_"}) and case.category.id in (
        "type_mismatch",
        "corrupt_data",
        "illegal_argument",
    )


def _files_read(case: Case) -> dict[str, float]:
    """Return the workspace files that the failure is about, with how near they are to it."""
    found: dict[str, float] = {}
    for fact in case.facts.of(FactKind.PATH):
        path = str(fact.value)
        file = workspace_path(case.engine, path) or case.workspace.existing_file(path)
        if file is not None:
            found.setdefault(file, 1.0)
    slices = [case.raise_slice, *case.outer_slices]
    for depth, steps in enumerate(slices):
        for step in steps:
            for value in step.node.values:
                if isinstance(value, DataFile):
                    found.setdefault(value.file, 0.95 - 0.1 * depth)
            for constant in step.node.constants:
                if isinstance(constant.value, str) and "." in constant.value[-6:]:
                    file = workspace_path(case.engine, constant.value)
                    if file is not None and not file.endswith(".py"):
                        found.setdefault(file, 0.85 - 0.1 * depth)
    return found


def _named_line(case: Case, file: str, near: float) -> Iterator[Clue]:
    """Yield the line that a parser's message names, and the one before it."""
    count = len(case.workspace.lines(file))
    for fact in case.facts.of(FactKind.LINE):
        line = fact.value
        if not isinstance(line, int) or not 1 <= line <= count or file.endswith(TABLES[2:4]):
            continue
        if file.endswith(".py"):
            continue
        why = "the parser stopped at this line"
        yield Clue("data_files.named_line", file, line, near, why)
        if line > 1:
            why = "the line before the one where the parser stopped"
            yield Clue("data_files.line_before", file, line - 1, near, why)


def _broken(case: Case, file: str, near: float) -> Iterator[Clue]:
    """Yield the line at which a file cannot be parsed any further."""
    if file.endswith(TABLES):
        return
    elements = case.workspace.elements(file)
    if elements.problem is not None and elements.problem_line:
        # What is missing at the end of a file is missed behind its last line.
        line = min(elements.problem_line, len(case.workspace.lines(file)) or 1)
        yield Clue(_kind(case, elements.problem), file, line, near, elements.problem)


def _kind(case: Case, problem: str) -> str:
    """Tell bytes that cannot be decoded apart, where it is decoding that failed."""
    decoding = case.category.id == "unexpected_encoding" and problem.startswith("not valid")
    return "data_files.undecodable" if decoding else "data_files.broken"


def _lacking_records(case: Case) -> Iterator[Clue]:
    """Yield records of a list that lack the key of the message, which most others have."""
    keys = {str(f.value) for f in case.facts.of(FactKind.KEY)}
    if case.category.id != "key_not_found" or not keys:
        return
    records: dict[tuple[str, tuple[str | int, ...]], dict[int, ConfigEntry]] = {}
    having: Counter[tuple[str, tuple[str | int, ...], str]] = Counter()
    own: set[tuple[str, tuple[str | int, ...], str]] = set()
    for entry in case.config_entries:
        path = entry.path
        if len(path) >= 2 and isinstance(path[-2], int) and isinstance(path[-1], str):
            records.setdefault((entry.file, path[:-2]), {}).setdefault(path[-2], entry)
            if path[-1] in keys:
                having[entry.file, path[:-2], path[-1]] += 1
                own.add((entry.file, path[:-1], path[-1]))
    for (file, top), items in records.items():
        for key in sorted(keys):
            count = having[file, top, key]
            lacking = [n for n in items if (file, (*top, n), key) not in own]
            if count < 2 or not lacking or len(lacking) > count:
                continue
            for number in lacking[:MAX_ODD]:
                why = f"this record has no `{key}`, which {count} others have"
                yield Clue("data_files.lacks_key", file, items[number].line, 1.0, why)


MAX_ODD = 3
"""Records or lines that may differ from all others and still be the odd ones."""
MAX_TEXT_LINES = 2_000
SIZED = {"illegal_index", "tensor_mismatch", "illegal_argument", "corrupt_data"}


def _uneven_lines(case: Case, read: dict[str, float]) -> Iterator[Clue]:
    """Yield the lines of a text file that are not as long as nearly all others."""
    if case.category.id not in SIZED:
        return
    for file, near in read.items():
        if not file.endswith((".txt", ".dat", ".map", ".grid", ".vec")):
            continue
        lines = [x.rstrip() for x in case.workspace.lines(file)[:MAX_TEXT_LINES]]
        for measure, noun in ((len, "characters"), (_words_of, "words")):
            counts = Counter(measure(x) for x in lines if x)
            usual, often = counts.most_common(1)[0] if counts else (0, 0)
            odd = [n for n, x in enumerate(lines, 1) if x and measure(x) != usual]
            if usual > 1 and often >= 4 and odd and len(odd) <= min(MAX_ODD, often // 4):
                for line in odd:
                    why = f"this line has {measure(lines[line - 1])} {noun}, {often} have {usual}"
                    yield Clue("data_files.uneven_line", file, line, near, why)
                break


def _words_of(line: str) -> int:
    return len(line.split())


def _unpaired_records(case: Case, read: dict[str, float]) -> Iterator[Clue]:
    """Yield records whose list is not as long as that of the same record in another file."""
    files = [f for f in read if f.endswith((".jsonl", ".ndjson"))]
    if case.category.id not in SIZED or len(files) < 2:
        return
    lists = {file: _list_lengths(case, file) for file in files[:MAX_TABLES]}
    for file, other in combinations(lists, 2):
        for name in sorted(lists[file].keys() & lists[other].keys()):
            first, second = lists[file][name], lists[other][name]
            shared = sorted(first.keys() & second.keys())
            odd = [key for key in shared if first[key][1] != second[key][1]]
            if len(shared) < 4 or not odd or len(odd) > min(MAX_ODD, len(shared) // 4):
                continue
            for key in odd:
                for mine, theirs, at in ((first, second, file), (second, first, other)):
                    line, length = mine[key]
                    why = f"`{name}` has {length} items here and {theirs[key][1]} in the other file"
                    yield Clue("data_files.unpaired", at, line, min(read[at], 1.0), why)


def _list_lengths(case: Case, file: str) -> dict[str, dict[str, tuple[int, int]]]:
    """Return by key, then by the record's first value: the line and the length of a list."""
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for number, line in enumerate(case.workspace.lines(file)[:MAX_TEXT_LINES], 1):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(record, dict):
            continue
        name = next((str(v) for v in record.values() if isinstance(v, (str, int))), str(number))
        for key, value in record.items():
            if isinstance(value, list):
                found.setdefault(key, {})[name] = (number, len(value))
    return found


def _odd_rows(case: Case, table: Table, near: float) -> Iterator[Clue]:
    if table.problem is not None and table.problem_line:
        kind = _kind(case, table.problem)
        yield Clue(kind, table.file, table.problem_line, near, table.problem)
    width = len(table.columns)
    count = len(table.ragged)
    for line, fields in table.ragged[:20]:
        why = f"this row has {fields} fields, most have {width}"
        yield Clue("data_files.ragged", table.file, line, near / count**0.5, why)


def _odd_values(table: Table, near: float, text: bool) -> Iterator[Clue]:
    """Yield values that look out of place in their column; ``text`` where text was no number."""
    for column in table.columns:
        yield from _odd_cells(table, column, near, text)


def _odd_cells(table: Table, column: Column, near: float, text: bool) -> Iterator[Clue]:
    odd = {line for line, _ in column.odd}
    for line, why in odd_cells(table, column):
        kind = "data_files.text_value" if text and line in odd else "data_files.odd_value"
        yield Clue(kind, table.file, line, near, f"`{column.name}`: {why}")


def odd_cells(table: Table, column: Column) -> list[tuple[int, str]]:
    """Return (line, why) of a column's cells that stand out: absent, of another kind, alone."""
    few = max(3, table.rows // 20)
    found: list[tuple[int, str]] = []
    if column.missing_lines and len(column.missing_lines) <= few:
        found.extend((line, "missing where others have it") for line in column.missing_lines[:3])
    if column.empty_lines and len(column.empty_lines) <= few:
        found.extend((line, "empty where others are filled") for line in column.empty_lines[:3])
    found.extend((line, f"`{text}` among numbers") for line, text in column.odd[:3])
    distinct = column.distinct
    if distinct is not None and distinct * 4 <= table.rows and column.numbers < column.filled:
        found.extend(
            (rare.first_line, f"`{rare.value}` stands in hardly any other row")
            for rare in column.rare
            if rare.count <= 2 and rare.count * 10 * distinct <= table.rows
        )
    if column.shortest == 0 and column.shortest_line:
        found.append((column.shortest_line, "empty"))
    return found


def _message_values(case: Case, table: Table, near: float) -> Iterator[Clue]:
    """Yield the rows that hold a value of the message."""
    for kind in VALUES:
        for fact in case.facts.of(kind):
            value = str(fact.value)
            if not value or len(value) > 200:
                continue
            rows = case.workspace.table_rows(table.file, value)
            for line, name in rows[:3]:
                why = f"`{value}` of the message stands in column `{name}`"
                yield Clue("data_files.value", table.file, line, near / len(rows) ** 0.5, why)
