"""A table has another separator."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import rows, separator
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield a table with ``;`` or tabs between its cells, on the first line or on all."""
    found = rows(target)
    if not target.path.endswith((".csv", ".tsv")) or not found:
        return
    mark = separator(target)
    if mark not in found[0][0]:
        return
    new = ";" if mark != ";" else ","
    line, start = found[0]
    edit = Edit(target.path, start, start + len(line), line.replace(mark, new))
    yield Mutation((edit,), f"the first line is separated by {new}")
    text = target.text.replace(mark, new)
    if len(text) < 200_000:
        yield Mutation((Edit(target.path, 0, len(text), text),), f"separated by {new}")


OPERATOR = Operator(
    id="data_separator",
    title="another separator",
    source=(f"{ZHANG_2020}: data format; {ISLAM_2019}: data bug"),
    weight=1.0,
    targets=("data",),
    mutate=mutate,
)
