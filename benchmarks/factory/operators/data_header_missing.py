"""A table has no line of names, or the names lack one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import rows, separator
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield tables without their first line, and with one name less in it."""
    found = rows(target)
    if not target.path.endswith((".csv", ".tsv")) or len(found) < 2:
        return
    line, start = found[0]
    cells = line.split(separator(target))
    if not any(re.match(r"[\"A-Za-z_]", cell.strip()) for cell in cells):
        return
    yield Mutation((Edit(target.path, start, found[1][1], ""),), "the line of names is gone")
    if len(cells) > 1:
        at = start + line.rfind(separator(target))
        edit = Edit(target.path, at, start + len(line), "")
        yield Mutation((edit,), f"the name of the column {cells[-1]} is gone")


OPERATOR = Operator(
    id="data_header_missing",
    title="no names of columns",
    source=(f"{ISLAM_2019}: data bug; {ZHANG_2020}: data format"),
    weight=1.0,
    targets=("data",),
    mutate=mutate,
)
