"""A step of the preparation of data is missing."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item
from factory.operators._places import dropped_layers
from factory.operators._reading import is_text, keyword, last_name, short, source
from factory.operators._studies import HUMBATOVA, ZHANG_2018
from factory.values import Mutation, Operator, Target

NAMES = {
    "ToTensor",
    "PILToTensor",
    "Resize",
    "CenterCrop",
    "RandomCrop",
    "Grayscale",
    "Pad",
    "Lambda",
    "ConvertImageDtype",
    "ToDtype",
    "Rescaling",
    "Resizing",
    "ToImage",
    "OneHotEncoder",
    "StandardScaler",
    "TextVectorization",
    "StringLookup",
    "CategoryEncoding",
    "SimpleImputer",
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield lists of preparations without one, and calls without their transform."""
    yield from dropped_layers(target, NAMES)
    for call in target.nodes(cst.Call):
        index = keyword(
            call, "transform", "target_transform", "preprocess", "preprocessing_function"
        )
        if index is not None and not is_text(target, call):
            note = f"{last_name(call)} lost {short(source(target, call.args[index]))}"
            yield Mutation((drop_item(target, call.args, index),), note)


OPERATOR = Operator(
    id="transform_dropped",
    title="a preparation is missing",
    source=(f"{HUMBATOVA}: missing preprocessing; {ZHANG_2018}: data"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
