"""The optimizer gets something else than the model's parameters."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import choose, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.values import Mutation, Operator, Target

OLD = {
    "parameters": "named_parameters",
    "trainable_variables": "trainable",
    "named_parameters": "parameters",
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield the parameters that an optimizer gets as names with them, as the model, as a list."""
    for call in target.nodes(cst.Call):
        if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in OLD:
            continue
        if call.args or not isinstance(target.parents.get(call), cst.Arg | cst.Element):
            continue
        kept = source(target, call.func.value)
        new = choose(target, call, [f"{kept}.{OLD[call.func.attr.value]}()", kept, f"[{kept}]"])
        note = f"{short(source(target, call))} became {short(new)}"
        yield Mutation((target.replace(call, new),), note)


OPERATOR = Operator(
    id="optimizer_parameters",
    title="other parameters for the optimizer",
    source=(f"{HUMBATOVA}: wrong optimizer; {ISLAM_2019}: API bug"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
)
