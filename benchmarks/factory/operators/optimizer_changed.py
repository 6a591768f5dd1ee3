"""Another optimizer is used."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import is_text, requoted, text_of
from factory.operators._studies import DEEPCRIME, HUMBATOVA, ISLAM_2020
from factory.values import Mutation, Operator, Target

OLD = {
    "Adam": "SGD",
    "AdamW": "SGD",
    "SGD": "Adam",
    "RMSprop": "SGD",
    "Adagrad": "SGD",
    "adam": "sgd",
    "adamw": "sgd",
    "sgd": "adam",
    "rmsprop": "sgd",
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each optimizer as another one with the same arguments."""
    for node in target.nodes(cst.Attribute, cst.SimpleString):
        old = node.attr.value if isinstance(node, cst.Attribute) else text_of(node) or ""
        if old not in OLD or is_text(target, node):
            continue
        if isinstance(node, cst.Attribute):
            edit = target.replace(node.attr, OLD[old])
        elif isinstance(node, cst.SimpleString):
            edit = target.replace(node, requoted(node, OLD[old]))
        yield Mutation((edit,), f"the optimizer {old} became {OLD[old]}")


OPERATOR = Operator(
    id="optimizer_changed",
    title="another optimizer",
    source=(
        f"{DEEPCRIME}: change optimizer; {HUMBATOVA}: wrong optimizer; {ISLAM_2020}: optimizer"
    ),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
