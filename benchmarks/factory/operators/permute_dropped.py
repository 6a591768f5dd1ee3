"""Axes are not put in the order that the next step needs."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import dropped_calls
from factory.operators._reading import is_text, short, source, whole
from factory.operators._studies import HUMBATOVA, ZHANG_2018
from factory.values import Edit, Mutation, Operator, Target

METHODS = {"permute", "transpose", "swapaxes", "moveaxis", "movedim", "t"}
FUNCTIONS = {
    f"{module}.{name}"
    for module in ("np", "numpy", "torch", "tf", "jnp", "ops", "keras.ops", "K")
    for name in ("transpose", "permute", "swapaxes", "moveaxis", "permute_dimensions")
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each exchange of axes as what it is applied to."""
    yield from dropped_calls(target, METHODS, FUNCTIONS)
    for node in target.nodes(cst.Attribute):
        if node.attr.value in {"T", "mT"} and not is_text(target, node):
            edit = Edit(target.path, whole(target, node.value)[1], target.span(node)[1], "")
            yield Mutation((edit,), f"{short(source(target, node))} lost its transposition")


OPERATOR = Operator(
    id="permute_dropped",
    title="axes not exchanged",
    source=(f"{HUMBATOVA}: missing transposition; {ZHANG_2018}: data shape"),
    weight=2.0,
    targets=("python",),
    mutate=mutate,
)
