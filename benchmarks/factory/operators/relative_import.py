"""A module of the package is imported as if it stood alone."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import dotted
from factory.operators._studies import ZHANG_2020
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each relative import without its dots."""
    for node in target.nodes(cst.ImportFrom):
        if not node.relative or node.module is None:
            continue
        start, end = target.span(node.relative[0])[0], target.span(node.relative[-1])[1]
        name = dotted(node.module)
        yield Mutation((Edit(target.path, start, end, ""),), f"import from {name} lost its dots")


OPERATOR = Operator(
    id="relative_import",
    title="a relative import without dots",
    source=f"{ZHANG_2020}: library not found",
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
