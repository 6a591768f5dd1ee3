"""A name is written wrongly."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import function_of, is_load, is_text, misspelt
from factory.operators._studies import HUMBATOVA, SEMSEED, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each name that the file binds, where each function reads it first."""
    bound = {
        name.value
        for name in target.nodes(cst.Name)
        if len(name.value) > 2
        and not is_load(target, name)
        and not isinstance(target.parents.get(name), cst.Attribute | cst.Arg)
    }
    seen: set[tuple[cst.CSTNode | None, str]] = set()
    for name in target.nodes(cst.Name):
        if name.value not in bound or not is_load(target, name) or is_text(target, name):
            continue
        place = (function_of(target, name), name.value)
        new = misspelt(name.value)
        if new not in bound and place not in seen:
            seen.add(place)
            yield Mutation((target.replace(name, new),), f"{name.value} became {new}")


OPERATOR = Operator(
    id="name_misspelt",
    title="a misspelt name",
    source=(f"{ZHANG_2020}: undefined variable; {HUMBATOVA}: typo; {SEMSEED}: wrong identifier"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
