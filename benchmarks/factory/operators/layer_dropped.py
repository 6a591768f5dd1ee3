"""A layer of a model is missing, or not applied."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_statement, statements
from factory.operators._places import dropped_layers
from factory.operators._reading import dotted, short, source
from factory.operators._studies import DEEPCRIME, HUMBATOVA, JAHANGIROVA
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield sequences of layers without each layer, and ``x = self.layer(x)`` as deleted."""
    yield from dropped_layers(target, LAYERS)
    for line, node in statements(target):
        if not isinstance(node, cst.Assign) or not isinstance(node.value, cst.Call):
            continue
        name = dotted(node.value.func)
        given = [source(target, argument.value) for argument in node.value.args]
        left = source(target, node.targets[0].target)
        if name.startswith("self.") and left in given:
            note = f"{short(source(target, node))} is gone"
            yield Mutation((drop_statement(target, line),), note)


LAYERS = {
    "Linear",
    "Conv1d",
    "Conv2d",
    "Dense",
    "Conv2D",
    "Conv1D",
    "LSTM",
    "GRU",
    "Embedding",
    "ConvTranspose2d",
    "MultiHeadAttention",
    "TransformerEncoderLayer",
    "LazyLinear",
    "Dropout",
}


OPERATOR = Operator(
    id="layer_dropped",
    title="a layer is missing",
    source=(f"{DEEPCRIME}: remove layer; {HUMBATOVA}: missing layer; {JAHANGIROVA}: layers"),
    weight=2.0,
    targets=("python",),
    mutate=mutate,
)
