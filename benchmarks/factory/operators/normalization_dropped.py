"""Numbers are not brought to a common size."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import dropped_calls, instead
from factory.operators._places import dropped_layers
from factory.operators._reading import is_text, number, short, source
from factory.operators._studies import DEEPCRIME, HUMBATOVA, JAHANGIROVA
from factory.values import Mutation, Operator, Target

LAYERS = {
    "BatchNorm1d",
    "BatchNorm2d",
    "LayerNorm",
    "GroupNorm",
    "BatchNormalization",
    "Normalize",
    "LayerNormalization",
    "Normalization",
    "RMSNorm",
    "InstanceNorm2d",
    "StandardScaler",
    "BatchNorm",
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield models without a normalizing layer, ``x / 255`` as ``x``, and the like."""
    yield from dropped_layers(target, LAYERS)
    for node in target.nodes(cst.BinaryOperation):
        if is_text(target, node):
            continue
        right = node.right
        size = number(right)
        scale = isinstance(node.operator, cst.Divide) and (
            size in {255, 127.5, 256} or re.search(r"std|max\(|norm\(", source(target, right))
        )
        if scale:
            edit = instead(target, node, node.left)
            if edit is not None:
                yield Mutation((edit,), f"{short(source(target, node))} is not divided")
    names = {"normalize", "standardize", "scale", "fit_transform", "clip_grad_norm_", "rescale"}
    yield from dropped_calls(target, names, {"F.normalize", "F.layer_norm", "preprocess_input"})


OPERATOR = Operator(
    id="normalization_dropped",
    title="no normalization",
    source=(f"{HUMBATOVA}: missing normalization; {DEEPCRIME}: data; {JAHANGIROVA}: layers"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
    silent=True,
)
