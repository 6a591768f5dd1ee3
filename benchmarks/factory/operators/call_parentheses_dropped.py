"""A function or a class stands where its result is needed."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import is_text, last_name, short, source, whole
from factory.operators._studies import ISLAM_2020, SEMSEED
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each call without arguments as its callee."""
    for call in target.nodes(cst.Call):
        if call.args or is_text(target, call) or isinstance(call.func, cst.Call):
            continue
        if last_name(call) in {"super", "main", "show", "close", "parse_args", "flush"}:
            continue
        edit = Edit(target.path, whole(target, call.func)[1], target.span(call)[1], "")
        yield Mutation((edit,), f"{short(source(target, call))} lost its parentheses")


OPERATOR = Operator(
    id="call_parentheses_dropped",
    title="not called",
    source=(f"{ISLAM_2020}: API misuse; {SEMSEED}: wrong identifier"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
