"""A method that a framework calls has not quite the name it looks for."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import class_of, function_of, misspelt
from factory.operators._studies import HUMBATOVA, ISLAM_2019, ZHANG_2020
from factory.values import Mutation, Operator, Target

NAMES = {
    "forward": "foward",
    "call": "__call__",
    "__init__": "__int__",
    "__getitem__": "__get_item__",
    "__len__": "__length__",
    "__iter__": "__iterate__",
    "__call__": "call",
    "__next__": "next",
    "training_step": "train_step",
    "validation_step": "val_step",
    "configure_optimizers": "configure_optimizer",
    "train_dataloader": "train_loader",
    "val_dataloader": "validation_dataloader",
    "compute_loss": "loss",
    "build": "_build",
    "setup": "set_up",
    "get_config": "config",
    "step": "_step",
    "reset": "_reset",
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each method that others call by a fixed name under a name that people write for it.

    A method that the class itself defines and another class of the file calls is misspelt.
    """
    for node in target.nodes(cst.FunctionDef):
        if class_of(target, node) is None or function_of(target, node) is not None:
            continue
        old = node.name.value
        new = NAMES.get(old) or (misspelt(old) if not old.startswith("_") else None)
        if new:
            yield Mutation((target.replace(node.name, new),), f"the method {old} became {new}")


OPERATOR = Operator(
    id="definition_renamed",
    title="a method under another name",
    source=(f"{ISLAM_2019}: API bug; {HUMBATOVA}: missing method; {ZHANG_2020}: not implemented"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
