"""A share is given in percent."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._reading import calls, is_text, last_name, named_values, number, source
from factory.operators._studies import HUMBATOVA, ISLAM_2020
from factory.values import Mutation, Operator, Target

NAMES = {
    "dropout",
    "dropout_rate",
    "p",
    "rate",
    "drop_prob",
    "dropout_p",
    "test_size",
    "val_split",
    "validation_split",
    "train_size",
    "momentum",
    "label_smoothing",
    "betas",
    "split",
    "ratio",
    "frac",
    "val_fraction",
    "mask_prob",
    "rho",
    "attention_dropout",
    "hidden_dropout_prob",
}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each share between 0 and 1 as a hundred times as much."""
    found = [(name, value) for name, value in named_values(target) if name.lower() in NAMES]
    for call in calls(target, {"Dropout", "Dropout2d", "SpatialDropout1D", "AlphaDropout"}):
        if call.args and call.args[0].keyword is None:
            found += [(last_name(call), call.args[0].value)]
    for name, value in found:
        old = number(value)
        if old is None or not 0 < old < 1 or is_text(target, value):
            continue
        new = f"{old * 100:.6g}"
        yield Mutation(
            (target.replace(value, new),), f"{name} {source(target, value)} became {new}"
        )


OPERATOR = Operator(
    id="probability_percent",
    title="a share in percent",
    source=(f"{ISLAM_2020}: wrong argument value; {HUMBATOVA}: wrong hyperparameter"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
)
