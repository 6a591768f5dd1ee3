"""A file of data is empty, holds a blank line, or names alone."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._studies import HUMBATOVA, ISLAM_2019, ZHANG_2020
from factory.operators._text import rows, separator
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield a file of data with its first line alone, and with a blank line in the middle."""
    found = rows(target)
    if len(found) < 2 or target.path.endswith(".json"):
        return
    edit = Edit(target.path, found[1][1], len(target.text), "")
    yield Mutation((edit,), "the file ends after its first line")
    at = found[len(found) // 2][1]
    blank = (
        "\n" if target.path.endswith((".jsonl", ".ndjson", ".txt")) else separator(target) + "\n"
    )
    yield Mutation((Edit(target.path, at, at, blank),), "a row is blank")


OPERATOR = Operator(
    id="data_empty",
    title="no data",
    source=(f"{ISLAM_2019}: data bug; {ZHANG_2020}: data format; {HUMBATOVA}: wrong training data"),
    weight=1.0,
    targets=("data",),
    mutate=mutate,
)
