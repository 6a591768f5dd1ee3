"""A list of words or classes lacks an entry."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._reading import short
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.operators._text import rows, some_rows
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield a text of short lines without some of its lines."""
    if not target.path.endswith((".txt", ".vocab", ".names", ".labels")):
        return
    found = rows(target)
    if any(len(line) > 60 for line, _ in found[:50]):
        return
    for line, start in some_rows(target):
        if start + len(line) < len(target.text):
            edit = Edit(target.path, start, start + len(line) + 1, "")
            yield Mutation((edit,), f"the line {short(line)} is gone")


OPERATOR = Operator(
    id="data_vocabulary",
    title="an entry of a list is missing",
    source=(f"{HUMBATOVA}: wrong data; {ISLAM_2019}: data bug"),
    weight=0.8,
    targets=("data",),
    mutate=mutate,
)
