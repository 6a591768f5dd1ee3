"""The loss expects its labels or results in another form."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import is_text, requoted, text_of
from factory.operators._studies import DEEPCRIME, HUMBATOVA, ISLAM_2020
from factory.values import Mutation, Operator, Target

OLD = {
    "CrossEntropyLoss": "BCEWithLogitsLoss",
    "BCEWithLogitsLoss": "CrossEntropyLoss",
    "BCELoss": "CrossEntropyLoss",
    "NLLLoss": "BCELoss",
    "cross_entropy": "binary_cross_entropy",
    "binary_cross_entropy_with_logits": "cross_entropy",
    "nll_loss": "binary_cross_entropy",
    "binary_cross_entropy": "nll_loss",
    "MSELoss": "CrossEntropyLoss",
    "mse_loss": "cross_entropy",
    "SparseCategoricalCrossentropy": "CategoricalCrossentropy",
    "CategoricalCrossentropy": "SparseCategoricalCrossentropy",
    "BinaryCrossentropy": "SparseCategoricalCrossentropy",
    "sparse_categorical_crossentropy": "categorical_crossentropy",
    "categorical_crossentropy": "sparse_categorical_crossentropy",
    "binary_crossentropy": "categorical_crossentropy",
    "mse": "sparse_categorical_crossentropy",
    "softmax_cross_entropy_with_integer_labels": "softmax_cross_entropy",
    "softmax_cross_entropy": "softmax_cross_entropy_with_integer_labels",
    "sparse_softmax_cross_entropy_with_logits": "softmax_cross_entropy_with_logits",
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each loss as one for another form of labels."""
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
    id="loss_form",
    title="a loss for another form of labels",
    source=(
        f"{HUMBATOVA}: wrong loss function; {DEEPCRIME}: change loss; {ISLAM_2020}: loss function"
    ),
    weight=2.0,
    targets=("python",),
    mutate=mutate,
)
