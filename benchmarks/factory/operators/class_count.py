"""The number of classes, labels or tokens is not what the data hold."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._places import COUNT_NAMES
from factory.operators._reading import choose, integer, is_text, named_values, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each number of classes, labels or tokens as one less, or less than half."""
    for name, value in named_values(target):
        if name.lower() not in COUNT_NAMES or is_text(target, value):
            continue
        old = integer(value)
        text = source(target, value)
        if old is not None and old > 1:
            new = str(choose(target, value, [old - 1, max(old // 2, 1)]))
        elif isinstance(value, cst.Call | cst.Attribute | cst.Subscript):
            new = f"{text} - 1"
        else:
            continue
        yield Mutation((target.replace(value, new),), f"{name} {short(text)} became {short(new)}")


OPERATOR = Operator(
    id="class_count",
    title="labels outside of the classes",
    source=(
        f"{HUMBATOVA}: wrong number of classes; {ISLAM_2019}: data bug; {ZHANG_2020}: out of bounds"
    ),
    weight=2.5,
    targets=("python",),
    mutate=mutate,
)
