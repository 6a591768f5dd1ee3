"""A row of a table has a cell too many."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import separator, some_rows
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield tables with a decimal comma, a comma in a text, or a comma at a row's end."""
    if target.path.endswith((".csv", ".tsv")):
        for line, start in some_rows(target):
            mark = separator(target)
            match = re.search(r"\d\.\d|[a-z] [a-z]", line)
            at = start + (match.start() + 1 if match else len(line))
            end = at + 1 if match else at
            yield Mutation((Edit(target.path, at, end, mark),), "a row has a cell more")


OPERATOR = Operator(
    id="data_extra_cell",
    title="a cell too many",
    source=(f"{ISLAM_2019}: data bug; {ZHANG_2020}: data format"),
    weight=1.2,
    targets=("data",),
    mutate=mutate,
)
