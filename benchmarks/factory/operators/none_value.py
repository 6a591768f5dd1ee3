"""A value is None."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import HARMLESS, is_text, named_values, short, source
from factory.operators._studies import BUGLAB, SEMSEED, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each named value that is a name, a number, a string or a call as ``None``."""
    for name, value in named_values(target):
        if name in HARMLESS or name.startswith("__") or is_text(target, value):
            continue
        text = source(target, value)
        kinds = (cst.Integer, cst.Float, cst.SimpleString, cst.Name, cst.Attribute)
        if isinstance(value, kinds) and text not in {"None", "True", "False"}:
            yield Mutation((target.replace(value, "None"),), f"{name} {short(text)} became None")


OPERATOR = Operator(
    id="none_value",
    title="a value is missing",
    source=(f"{ZHANG_2020}: None; {BUGLAB}: wrong literal; {SEMSEED}: wrong literal"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
