"""A layer does not learn."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import insert_after, statements
from factory.operators._reading import dotted, keyword, named_values
from factory.operators._studies import DEEPCRIME, HUMBATOVA
from factory.values import Edit, Mutation, Operator, Target

KERAS = re.compile(r"(layers\.|^)(Dense|Conv2D|Conv1D|Embedding|LSTM|GRU)$")
MODULES = re.compile(r"(torch\.)?nn\.[A-Z]\w*(Linear|Conv\w*|Embedding|LSTM|GRU|Sequential)?$")


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each layer that a model keeps with its gradients turned off, and Keras' likewise."""
    for line, node in statements(target):
        if not isinstance(node, cst.Assign) or not isinstance(node.value, cst.Call):
            continue
        name = dotted(node.targets[0].target)
        made = dotted(node.value.func)
        if MODULES.match(made) and name.startswith("self."):
            if re.search(r"Linear|Conv|Embedding|LSTM|GRU|Sequential", made):
                edit = insert_after(target, line, f"{name}.requires_grad_(False)")
                yield Mutation((edit,), f"{name} does not learn")
        elif KERAS.search(made) and keyword(node.value, "trainable") is None and node.value.args:
            end = target.span(node.value.args[-1])[1]
            edit = Edit(target.path, end, end, ", trainable=False")
            yield Mutation((edit,), f"{name or made} does not learn")
    for name, value in named_values(target):
        if name in {"requires_grad", "trainable"} and dotted(value) == "True":
            yield Mutation((target.replace(value, "False"),), f"{name} True became False")


OPERATOR = Operator(
    id="layer_frozen",
    title="a layer does not learn",
    source=(f"{HUMBATOVA}: wrong trainable parameters; {DEEPCRIME}: layers"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
    silent=True,
)
