"""An index is one too high."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import integer, is_text, last_name, source
from factory.operators._studies import BUGLAB, ISLAM_2020, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each index of a number or a name as one more."""
    for node in target.nodes(cst.Index):
        parent = target.parents.get(node)
        subscript = target.parents.get(parent) if parent else None
        if not isinstance(subscript, cst.Subscript) or is_text(target, subscript):
            continue
        if last_name(subscript.value) in {"shape", "argv"} or len(subscript.slice) > 2:
            continue
        value = node.value
        old = integer(value)
        if old is not None:
            new = str(old + 1) if old >= 0 else str(old - 1)
        elif isinstance(value, cst.Name) and len(value.value) <= 3:
            new = f"{value.value} + 1"
        elif last_name(value) in {"idx", "index", "step", "item"}:
            new = f"{source(target, value)} + 1"
        else:
            continue
        yield Mutation(
            (target.replace(value, new),), f"the index {source(target, value)} became {new}"
        )


OPERATOR = Operator(
    id="index_off_by_one",
    title="an index is one too high",
    source=(f"{BUGLAB}: off by one; {ISLAM_2020}: index; {ZHANG_2020}: out of bounds"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
