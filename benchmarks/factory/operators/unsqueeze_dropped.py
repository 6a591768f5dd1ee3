"""An axis, such as that of the batch, is not added."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item, dropped_calls
from factory.operators._reading import dotted, is_text, short, source, whole
from factory.operators._studies import HUMBATOVA, ZHANG_2018
from factory.values import Edit, Mutation, Operator, Target

METHODS = {"unsqueeze", "unsqueeze_", "expand_dims"}
FUNCTIONS = {
    f"{module}.{name}"
    for module in ("np", "numpy", "torch", "tf", "jnp", "ops", "keras.ops")
    for name in ("expand_dims", "unsqueeze", "atleast_2d")
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each added axis, by a call or by ``None`` in an index, as the tensor without it."""
    yield from dropped_calls(target, METHODS, FUNCTIONS)
    for node in target.nodes(cst.Subscript):
        added = [
            index
            for index, element in enumerate(node.slice)
            if isinstance(element.slice, cst.Index)
            and dotted(element.slice.value) in {"None", "np.newaxis", "tf.newaxis", "jnp.newaxis"}
        ]
        if not added or is_text(target, node):
            continue
        if len(node.slice) == 1:
            edit = Edit(target.path, whole(target, node.value)[1], target.span(node)[1], "")
        else:
            edit = drop_item(target, node.slice, added[0])
        yield Mutation((edit,), f"{short(source(target, node))} lost its added axis")


OPERATOR = Operator(
    id="unsqueeze_dropped",
    title="axis not added",
    source=(f"{HUMBATOVA}: missing batch axis; {ZHANG_2018}: data shape"),
    weight=2.0,
    targets=("python",),
    mutate=mutate,
)
