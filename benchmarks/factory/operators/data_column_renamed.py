"""A column or a field has another name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._reading import misspelt
from factory.operators._studies import HUMBATOVA, ISLAM_2019, ZHANG_2020
from factory.operators._text import pick, rows, separator, some_rows
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each name of the first line of a table misspelt, with a blank, or in other letters."""
    if target.path.endswith((".csv", ".tsv")):
        for line, start in rows(target)[:1]:
            at = start
            for cell in line.split(separator(target)):
                name = cell.strip('" ')
                if re.fullmatch(r"[A-Za-z_][\w .\-]*", name):
                    new = pick(target, at, [misspelt(name), f" {name}", name.title()])
                    if new != name:
                        edit = Edit(target.path, at, at + len(cell), cell.replace(name, new))
                        yield Mutation((edit,), f"the column {name} became {new!r}")
                at += len(cell) + 1
    else:
        for line, start in some_rows(target):
            for match in list(re.finditer(r'"(\w+)"\s*:', line))[:8]:
                new = misspelt(match.group(1))
                edit = Edit(target.path, start + match.start(1), start + match.end(1), new)
                yield Mutation((edit,), f"the field {match.group(1)} became {new}")


OPERATOR = Operator(
    id="data_column_renamed",
    title="another name of a column",
    source=(f"{ZHANG_2020}: no such key; {ISLAM_2019}: data bug; {HUMBATOVA}: wrong data"),
    weight=1.5,
    targets=("data",),
    mutate=mutate,
)
