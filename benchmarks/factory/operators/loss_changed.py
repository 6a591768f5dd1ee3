"""Another loss of the same form is minimized."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import is_text, requoted, text_of
from factory.operators._studies import DEEPCRIME, HUMBATOVA, ISLAM_2020
from factory.values import Mutation, Operator, Target

OLD = {
    "MSELoss": "L1Loss",
    "L1Loss": "MSELoss",
    "CrossEntropyLoss": "NLLLoss",
    "BCEWithLogitsLoss": "MSELoss",
    "cross_entropy": "nll_loss",
    "mse_loss": "l1_loss",
    "binary_cross_entropy_with_logits": "mse_loss",
    "nll_loss": "cross_entropy",
    "BCELoss": "MSELoss",
    "NLLLoss": "CrossEntropyLoss",
    "SmoothL1Loss": "L1Loss",
    "binary_crossentropy": "mse",
    "categorical_crossentropy": "mse",
    "mse": "mae",
    "mean_squared_error": "mean_absolute_error",
    "MeanSquaredError": "MeanAbsoluteError",
    "sparse_categorical_crossentropy": "mae",
    "KLDivLoss": "MSELoss",
    "l2_loss": "huber_loss",
    "sigmoid_binary_cross_entropy": "l2_loss",
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each loss as one that takes the same arguments."""
    for node in target.nodes(cst.Attribute, cst.SimpleString):
        old = node.attr.value if isinstance(node, cst.Attribute) else text_of(node) or ""
        if old not in OLD or is_text(target, node):
            continue
        if isinstance(node, cst.Attribute):
            edit = target.replace(node.attr, OLD[old])
        elif isinstance(node, cst.SimpleString):
            edit = target.replace(node, requoted(node, OLD[old]))
        yield Mutation((edit,), f"the loss {old} became {OLD[old]}")


OPERATOR = Operator(
    id="loss_changed",
    title="another loss",
    source=(
        f"{DEEPCRIME}: change loss; {HUMBATOVA}: wrong loss function; {ISLAM_2020}: loss function"
    ),
    weight=1.2,
    targets=("python",),
    mutate=mutate,
    silent=True,
)
