"""A model lacks the layer that flattens or pools."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._places import dropped_layers
from factory.operators._studies import DEEPCRIME, HUMBATOVA, ZHANG_2018
from factory.values import Mutation, Operator, Target

LAYERS = {"Flatten", "GlobalAveragePooling2D", "GlobalMaxPooling2D", "AdaptiveAvgPool2d"}
LAYERS |= {"GlobalAveragePooling1D", "GlobalMaxPooling1D", "MaxPool2d", "MaxPooling2D", "Reshape"}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield lists and sequences of layers without such a layer."""
    yield from dropped_layers(target, LAYERS)


OPERATOR = Operator(
    id="flatten_layer_dropped",
    title="no flattening layer",
    source=(
        f"{HUMBATOVA}: missing flatten layer; {DEEPCRIME}: layer removal; {ZHANG_2018}: structure"
    ),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
