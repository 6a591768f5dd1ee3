"""The learning rate is wrong by orders of magnitude."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._reading import calls, named_values, number, source
from factory.operators._studies import DEEPCRIME, HUMBATOVA, JAHANGIROVA
from factory.values import Mutation, Operator, Target

NAMES = {"lr", "learning_rate", "base_lr", "max_lr", "step_size", "lr_init", "init_lr", "alpha"}
MAKERS = {"adam", "adamw", "sgd", "rmsprop", "Adam", "SGD", "AdamW"}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each learning rate a thousand times as great, and a thousandth."""
    values = [value for name, value in named_values(target) if name.lower() in NAMES]
    values += [
        call.args[0].value
        for call in calls(target, MAKERS)
        if call.args and call.args[0].keyword is None
    ]
    for value in values:
        old = number(value)
        if old is None or old <= 0 or old > 1:
            continue
        text = source(target, value)
        for factor in (1000, 0.001):
            new = f"{old * factor:.6g}"
            new = new if re.search(r"[.e]", new) else f"{new}.0"
            yield Mutation((target.replace(value, new),), f"the learning rate {text} became {new}")


OPERATOR = Operator(
    id="learning_rate",
    title="a wrong learning rate",
    source=(
        f"{DEEPCRIME}: change learning rate; "
        f"{HUMBATOVA}: suboptimal learning rate; "
        f"{JAHANGIROVA}: hyperparameters"
    ),
    weight=1.2,
    targets=("python",),
    mutate=mutate,
    silent=True,
)
