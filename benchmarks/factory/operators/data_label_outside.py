"""A row has a label that no class has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._reading import misspelt
from factory.operators._studies import HUMBATOVA, JAHANGIROVA, ZHANG_2020
from factory.operators._text import pick, rows, separator, some_rows
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield tables and lines of JSON whose label is greater than all others, or below 0."""
    pattern = re.compile(r"label|class|target|^y$|intent|category|tag", re.IGNORECASE)
    mark = separator(target)
    found = rows(target)
    column = None
    if target.path.endswith((".csv", ".tsv")) and found:
        names = found[0][0].split(mark)
        column = next((i for i, name in enumerate(names) if pattern.search(name.strip())), None)
    for line, start in some_rows(target):
        if column is not None:
            cells = line.split(mark)
            at = start + sum(len(cell) + 1 for cell in cells[:column])
            old = cells[column] if column < len(cells) else ""
        else:
            match = re.search(r'"(\w*(?:label|class|target|intent|tag)\w*)"\s*:\s*(-?\d+)', line)
            old = match.group(2) if match else ""
            at = start + match.start(2) if match else start
        if re.fullmatch(r"-?\d{1,6}", old.strip()):
            new = pick(target, start, ["99", "-1"])
            yield Mutation(
                (Edit(target.path, at, at + len(old), new),), f"label {old} became {new}"
            )
        elif re.fullmatch(r"[A-Za-z][\w \-]*", old.strip()):
            new = misspelt(old)
            yield Mutation(
                (Edit(target.path, at, at + len(old), new),), f"label {old} became {new}"
            )


OPERATOR = Operator(
    id="data_label_outside",
    title="a label outside of the classes",
    source=(f"{HUMBATOVA}: wrong labels; {JAHANGIROVA}: label error; {ZHANG_2020}: out of bounds"),
    weight=1.5,
    targets=("data",),
    mutate=mutate,
)
