"""The last of several calls after each other is missing."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import is_text, last_name, short, source, whole
from factory.operators._studies import HUMBATOVA, SWE_SMITH
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each chain of calls without its last one."""
    for call in target.nodes(cst.Call):
        parent = target.parents.get(call)
        if not isinstance(call.func, cst.Attribute) or isinstance(parent, cst.Attribute | cst.Expr):
            continue
        inner = call.func.value
        if (
            isinstance(inner, cst.Call)
            and last_name(inner) != "super"
            and not is_text(target, call)
        ):
            edit = Edit(target.path, whole(target, inner)[1], target.span(call)[1], "")
            note = f"{short(source(target, call))} lost {last_name(call)}"
            yield Mutation((edit,), note)


OPERATOR = Operator(
    id="chain_broken",
    title="the last call of a chain is missing",
    source=(f"{SWE_SMITH}: chain broken; {HUMBATOVA}: missing API call"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
