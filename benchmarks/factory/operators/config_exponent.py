"""A number is written in a way that a reader of YAML takes for a text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import settings
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each small decimal number of a YAML file with an exponent and no point."""
    if not target.path.endswith((".yaml", ".yml")):
        return
    for entry in settings(target):
        if entry.quoted or not re.fullmatch(r"\d*\.\d+([eE][-+]?\d+)?", entry.value):
            continue
        digits, _, power = f"{float(entry.value):e}".partition("e")
        short_form = digits.rstrip("0").rstrip(".")
        if "." not in short_form and float(entry.value) < 0.1:
            yield entry.becomes(target, f"{short_form}e{int(power)}")


OPERATOR = Operator(
    id="config_exponent",
    title="an exponent without a point",
    source=(f"{ZHANG_2020}: type mismatch; {ISLAM_2019}: configuration"),
    weight=1.0,
    targets=("config",),
    mutate=mutate,
)
