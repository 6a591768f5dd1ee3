"""A model is used in the mode for training, or trained in the one for use."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_statement, statements
from factory.operators._reading import dotted, named_values, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield ``eval()`` and ``train()`` as deleted, and each as the other."""
    for line, node in statements(target):
        call = node.value if isinstance(node, cst.Expr) else None
        if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
            continue
        name = call.func.attr.value
        if name not in {"train", "eval"} or call.args or not dotted(call.func.value):
            continue
        text = short(source(target, node))
        yield Mutation((drop_statement(target, line),), f"{text} is gone")
        other = "eval" if name == "train" else "train"
        yield Mutation((target.replace(call.func.attr, other),), f"{text} became {other}")
    for name, value in named_values(target):
        if name in {"training", "deterministic", "is_training"} and dotted(value) in {
            "True",
            "False",
        }:
            new = "False" if dotted(value) == "True" else "True"
            yield Mutation((target.replace(value, new),), f"{name} {dotted(value)} became {new}")


OPERATOR = Operator(
    id="mode_changed",
    title="another mode of the model",
    source=(f"{HUMBATOVA}: missing train or eval mode; {ISLAM_2019}: logic bug"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
    silent=True,
)
