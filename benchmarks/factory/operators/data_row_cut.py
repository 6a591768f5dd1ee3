"""A row of data is cut off, or lacks a cell."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._reading import short
from factory.operators._studies import HUMBATOVA, ISLAM_2019, ZHANG_2020
from factory.operators._text import separator, some_rows
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield tables with a row without its last cell, and lines of JSON that end too early."""
    for line, start in some_rows(target):
        if target.path.endswith((".jsonl", ".ndjson")):
            cut = max(len(line) * 2 // 3, 1)
        else:
            cut = line.rfind(separator(target))
        if 0 < cut < len(line):
            edit = Edit(target.path, start + cut, start + len(line), "")
            yield Mutation((edit,), f"a row ends after {short(line[:cut][-30:])}")


OPERATOR = Operator(
    id="data_row_cut",
    title="a row is cut off",
    source=(f"{HUMBATOVA}: wrong training data; {ISLAM_2019}: data bug; {ZHANG_2020}: data format"),
    weight=1.5,
    targets=("data",),
    mutate=mutate,
)
