"""A cell is empty."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._reading import short
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.operators._text import separator, some_rows
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield tables with an empty cell in a row, and lines of JSON without a field."""
    for line, start in some_rows(target):
        if target.path.endswith((".json", ".jsonl", ".ndjson")):
            match = re.search(r',\s*"\w+"\s*:\s*("[^"\\]*"|[\w.\-]+)(?=\s*[,}])', line)
            if match:
                edit = Edit(target.path, start + match.start(), start + match.end(), "")
                yield Mutation((edit,), f"a row lost {short(match.group().strip(', '))}")
        elif separator(target) in line:
            cell = line.rpartition(separator(target))[2]
            if cell.strip():
                edit = Edit(target.path, start + len(line) - len(cell), start + len(line), "")
                yield Mutation((edit,), f"{short(cell)} is missing in a row")


OPERATOR = Operator(
    id="data_value_missing",
    title="an empty cell",
    source=(f"{HUMBATOVA}: wrong training data; {ISLAM_2019}: data bug"),
    weight=1.2,
    targets=("data",),
    mutate=mutate,
)
