"""Labels stand beside other samples."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._studies import DEEPCRIME, HUMBATOVA, JAHANGIROVA
from factory.operators._text import rows, separator
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield a table whose last column is moved by one row, and sorted."""
    found = rows(target)
    mark = separator(target)
    if not target.path.endswith((".csv", ".tsv")) or len(found) < 4 or len(target.text) > 200_000:
        return
    body = [(line, start) for line, start in found[1:] if mark in line]
    cells = [line.rpartition(mark)[2] for line, _ in body]
    for note, moved in (
        ("the last column is moved by one row", [*cells[-1:], *cells[:-1]]),
        ("the last column is sorted by itself", sorted(cells)),
    ):
        edits = tuple(
            Edit(target.path, start + len(line) - len(old), start + len(line), new)
            for (line, start), old, new in zip(body, cells, moved, strict=True)
            if old != new
        )
        if edits:
            yield Mutation(edits, note)


OPERATOR = Operator(
    id="data_labels_shifted",
    title="labels of other rows",
    source=(f"{DEEPCRIME}: change labels; {HUMBATOVA}: wrong labels; {JAHANGIROVA}: label error"),
    weight=0.8,
    targets=("data",),
    mutate=mutate,
    silent=True,
)
