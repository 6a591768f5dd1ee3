"""The learning rate of the settings is wrong by orders of magnitude."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._studies import DEEPCRIME, HUMBATOVA
from factory.operators._text import NUMBER, settings
from factory.values import Mutation, Operator, Target

NAMES = {"lr", "learning_rate", "base_lr", "max_lr", "init_lr", "lr_init"}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each learning rate a thousand times as great, and a thousandth."""
    for entry in settings(target):
        if entry.key.lower() not in NAMES or not NUMBER.fullmatch(entry.value):
            continue
        for factor in (1000, 0.001):
            new = f"{float(entry.value) * factor:.6f}".rstrip("0")
            new = f"{new}0" if new.endswith(".") else new
            if float(new) != float(entry.value):
                yield entry.becomes(target, new)


OPERATOR = Operator(
    id="config_learning_rate",
    title="a wrong learning rate in the settings",
    source=(f"{DEEPCRIME}: change learning rate; {HUMBATOVA}: suboptimal learning rate"),
    weight=1.0,
    targets=("config",),
    mutate=mutate,
    silent=True,
)
