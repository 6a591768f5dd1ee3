"""A tensor is made without saying its type of numbers."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item
from factory.operators._reading import is_text, keyword, last_name, short, source
from factory.operators._studies import HUMBATOVA, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each call without its ``dtype``."""
    for call in target.nodes(cst.Call):
        index = keyword(call, "dtype", "torch_dtype", "param_dtype")
        if index is not None and not is_text(target, call):
            note = f"{last_name(call)} lost {short(source(target, call.args[index]))}"
            yield Mutation((drop_item(target, call.args, index),), note)


OPERATOR = Operator(
    id="dtype_dropped",
    title="type of numbers not given",
    source=(f"{HUMBATOVA}: wrong type of data; {ZHANG_2020}: type mismatch"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
