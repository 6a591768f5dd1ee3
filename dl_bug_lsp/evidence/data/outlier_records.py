"""Records of data files that differ from all others: in the type of a field, or in its number."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import NamedTuple

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.workspace.contents import Table

LINES_OF_JSON = (".jsonl", ".ndjson")
MOST_FILES = 12
MOST_LINES = 2_000
MOST_ODD = 3
"""Where more records are odd, that is how the data are."""
LEAST_RECORDS = 8
"""Fewer records do not say what is usual."""
LONGEST_VECTOR = 16
"""Items of a list that has one meaning each; a longer one is a series."""
OF_NUMBERS = {"illegal_index", "corrupt_data", "illegal_argument", "loss_nan", "loss_divergence"}
OF_TYPES = {"type_mismatch", "illegal_argument", "corrupt_data", "attribute_not_found"}
"""Categories of failures that a field of another type has."""
FAR = 3.0
"""How many interquartile ranges from the quartiles a number is far out (Tukey, 1977)."""
FAR_BEYOND = 4.0
"""How many times as large as all others a number of a table is that has a digit too many."""
MOST_DIFFERENT = 5
"""Different numbers of a column that are names of classes, not measured."""
LEAST_OF_CLASSES = 20

Field = tuple[str | int, ...]
ITEMS = "[]"
"""The last part of the field of a list that holds no records: its items are of one kind or not."""


class Item(NamedTuple):
    """A value of a field and the 1-based line that it stands in."""

    value: object
    line: int


def outlier_records(case: Case, read: Mapping[str, float]) -> Iterator[Clue]:
    """Yield the records of nested files and of JSON lines in which a field is unlike all others.

    ``read`` gives for the files that the failure is about how near they are to it.
    """
    fields = {**_fields_of_documents(case), **_fields_of_lines(case, read)}
    for (file, field), items in sorted(fields.items(), key=lambda entry: str(entry[0])):
        is_lines = file.endswith(LINES_OF_JSON)
        closeness = read[file] if is_lines else 1.0
        name = ".".join(map(str, field)).removesuffix(f".{ITEMS}")
        if field[-1] != ITEMS:
            yield from _odd_types(case, file, name, items, closeness)
        if case.category.id not in OF_NUMBERS:
            continue
        kinds = (int,) if is_lines else (int, float)
        low, high, far = _far([Item(i.value, i.line) for i in items if type(i.value) in kinds])
        for item in far:
            usual = f"half of its values in the file lie between {low:g} and {high:g}"
            why = f"`{name}` is {item.value:g} here; {usual}"
            # What is looked up by a number has as many entries as there are usual ones.
            explains = is_lines and case.category.id == "illegal_index"
            kind = "data_files.explains" if explains else "data_files.extreme"
            yield Clue(kind, file, item.line, closeness / len(far), why)


def _fields_of_documents(case: Case) -> dict[tuple[str, Field], list[Item]]:
    """Return the values of each field of the records in the lists of nested files."""
    fields: dict[tuple[str, Field], list[Item]] = {}
    for entry in case.config_entries:
        at = next((i for i, part in enumerate(entry.path) if isinstance(part, int)), None)
        if at is not None:
            field = (*entry.path[:at], *(entry.path[at + 1 :] or (ITEMS,)))
            fields.setdefault((entry.file, field), []).append(Item(entry.value, entry.line))
    return fields


def _fields_of_lines(case: Case, read: Iterable[str]) -> dict[tuple[str, Field], list[Item]]:
    """Return the values of each field of JSON lines, items of short lists by their place."""
    fields: dict[tuple[str, Field], list[Item]] = {}
    for file in [f for f in read if f.endswith(LINES_OF_JSON)][:MOST_FILES]:
        for at, record in json_lines(case, file):
            for key, value in record.items() if isinstance(record, dict) else ():
                fields.setdefault((file, (key,)), []).append(Item(value, at))
                items = value if isinstance(value, list) else []
                for place, item in enumerate(items) if len(items) <= LONGEST_VECTOR else ():
                    named = (file, (f"{key}[{place}]",))
                    fields.setdefault(named, []).append(Item(item, at))
    return fields


def json_lines(case: Case, file: str) -> Iterator[tuple[int, object]]:
    """Yield (line, record) of the lines of a file that are JSON."""
    for number, line in enumerate(case.workspace.lines(file)[:MOST_LINES], 1):
        with suppress(ValueError, RecursionError):
            yield number, json.loads(line)


TYPE_NAMES = {bool: "true or false", int: "a number", float: "a number", str: "a text",
              list: "a list", dict: "a record", type(None): "null"}  # fmt: skip


def _odd_types(
    case: Case, file: str, name: str, items: Sequence[Item], closeness: float
) -> Iterator[Clue]:
    """Yield the records in which a field is of another type than in all others."""
    types = Counter(TYPE_NAMES.get(type(item.value), "") for item in items)
    usual = max(types, key=types.__getitem__, default="")
    odd = [item for item in items if TYPE_NAMES.get(type(item.value), "") != usual]
    if not odd or len(odd) > MOST_ODD or len(items) - len(odd) < LEAST_RECORDS:
        return
    kind = "text_value" if case.category.id in OF_TYPES else "odd_value"
    for item in odd:
        here = TYPE_NAMES.get(type(item.value), "")
        others = f"{usual} in {len(items) - len(odd)} others"
        why = f"`{name}` is {here} here, {others}"
        yield Clue(f"data_files.{kind}", file, item.line, closeness / len(odd), why)


def _far(numbers: Sequence[Item]) -> tuple[float, float, Sequence[Item]]:
    """Return the quartiles of numbers with lines, and those far out; none where they are many."""
    if len(numbers) < LEAST_RECORDS:
        return 0, 0, ()
    ordered = sorted(float(item.value) for item in numbers)  # type: ignore[arg-type]
    low, high = ordered[len(ordered) // 4], ordered[(3 * len(ordered)) // 4]
    reach = FAR * max(high - low, 1)
    far = [n for n in numbers if not low - reach <= float(n.value) <= high + reach]  # type: ignore[arg-type]
    return low, high, far if len(far) <= MOST_ODD else ()


def odd_numbers(case: Case, tables: Sequence[Table]) -> Iterator[Clue]:
    """Yield the cells of tables whose number is like no other one of columns of that name.

    It has a digit too many, it is none of the few numbers that the others are, or the numbers
    before it are missing.
    """
    found: list[tuple[str, int, str]] = []
    columns: dict[str, list[tuple[str, float, int]]] = {}
    for table in tables[:MOST_FILES]:
        for name, number, line in _cells_of(case, table):
            columns.setdefault(name, []).append((table.file, number, line))
    for name, cells in columns.items():
        if len(cells) < LEAST_RECORDS:
            continue
        odd = _odd_extremes(Counter(number for _, number, _ in cells if not math.isnan(number)))
        of_file: dict[str, list[tuple[float, int]]] = {}
        for file, number, line in cells:
            of_file.setdefault(file, []).append((number, line))
        among = f" of {len(of_file)} files" if len(of_file) > 1 else ""
        for file, number, line in cells:
            if number in odd:
                found.append((file, line, f"column `{name}`{among}: {odd[number]}"))
        for file, numbers in of_file.items():
            found.extend((file, line, f"column `{name}`: {why}") for line, why in _gap(numbers))
    for file, line, why in found if len(found) <= MOST_ODD else ():
        yield Clue("data_files.odd_value", file, line, 1.0 / len(found), why)


def _gap(numbers: Sequence[tuple[float, int]]) -> Iterator[tuple[int, str]]:
    """Yield the row before which the only numbers of a sequence are left out that are missing."""
    steps = [(after - before) for (before, _), (after, _) in pairwise(numbers)]
    odd = [at for at, step in enumerate(steps, 1) if step != 1]
    if len(numbers) >= LEAST_OF_CLASSES and len(odd) == 1 and steps[odd[0] - 1] > 1:
        (before, _), (after, line) = numbers[odd[0] - 1], numbers[odd[0]]
        yield line, f"{before:g} is followed by {after:g}, all others by the next number"


def _odd_extremes(counts: Counter[float]) -> dict[float, str]:
    """Return the least and the greatest number that stand out of all others, with how they do."""
    numbers = sorted(counts)
    if len(numbers) < 2:
        return {}
    extremes = ((numbers[0], numbers[1:]), (numbers[-1], numbers[:-1]))
    found = {number: _odd_number(number, others, counts) for number, others in extremes}
    return {number: why for number, why in found.items() if why is not None}


def _odd_number(number: float, others: Sequence[float], counts: Counter[float]) -> str | None:
    """Return how a number stands out of the others, which rise, None where it does not."""
    if counts[number] > 1:
        return None
    low, high, total = others[0], others[-1], sum(counts.values()) - 1
    if (
        len(others) <= MOST_DIFFERENT
        and total >= LEAST_OF_CLASSES
        and min(counts[n] for n in others) > MOST_ODD
    ):
        usual = ", ".join(f"{n:g}" for n in others)
        return f"{number:g} stands in this row alone; the others have {usual}"
    if low > 0 and number > FAR_BEYOND * high and high <= FAR_BEYOND * low:
        return f"{number:g} is far from all others, which lie between {low:g} and {high:g}"
    return None


def _cells_of(case: Case, table: Table) -> Iterator[tuple[str, float, int]]:
    """Yield (column, number, line) of the numbers of a table of delimited text."""
    if len(table.delimiter) != 1:
        return
    lines = case.workspace.lines(table.file)[:MOST_LINES]
    names = [column.name for column in table.columns]
    reader = csv.reader(lines, delimiter=table.delimiter)
    with suppress(csv.Error):
        for row in reader:
            if reader.line_num == table.header_line or len(row) != len(names):
                continue
            for name, text in zip(names, row, strict=True):
                with suppress(ValueError):
                    yield name, float(text), reader.line_num
