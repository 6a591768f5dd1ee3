"""Results are made probabilities twice, by the model and by the loss."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import whole_edit
from factory.operators._reading import class_of, function_of, parameters, short, source
from factory.operators._studies import DEEPCRIME, HUMBATOVA, ISLAM_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield what a model's last layer returns after a softmax."""
    text = target.text
    if "torch" in text:
        form = "torch.softmax({}, dim=-1)"
    elif "jax" in text:
        form = "jax.nn.softmax({})"
    elif "keras" in text or "tensorflow" in text:
        form = "tf.nn.softmax({})" if "as tf" in text else "keras.activations.softmax({})"
    else:
        return
    for node in target.nodes(cst.Return):
        function = function_of(target, node)
        if function is None or function.name.value not in {"forward", "call", "__call__"}:
            continue
        if node.value is None or class_of(target, function) is None:
            continue
        if isinstance(node.value, cst.Tuple | cst.Dict) or "softmax" in source(target, node):
            continue
        kept = source(target, node.value)
        if len(parameters(function)) < 2 or "\n" in kept:
            continue
        edit = whole_edit(target, node.value, form.format(kept))
        yield Mutation((edit,), f"{function.name.value} returns a softmax of {short(kept)}")


OPERATOR = Operator(
    id="softmax_twice",
    title="softmax twice",
    source=(f"{HUMBATOVA}: redundant softmax; {DEEPCRIME}: change activation; {ISLAM_2020}: loss"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
    silent=True,
)
