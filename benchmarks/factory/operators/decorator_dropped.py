"""A function or class lacks its decorator."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import line_span
from factory.operators._reading import last_name, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019, SWE_SMITH
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each decorator as deleted."""
    for node in target.nodes(cst.Decorator):
        name = last_name(node.decorator)
        if name in {"override", "abstractmethod", "lru_cache", "cache", "overload", "wraps"}:
            continue
        edit = Edit(target.path, *line_span(target, node), "")
        yield Mutation((edit,), f"{short(source(target, node))} is gone")


OPERATOR = Operator(
    id="decorator_dropped",
    title="no decorator",
    source=(f"{SWE_SMITH}: line removed; {ISLAM_2019}: API bug; {HUMBATOVA}: missing call"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
