"""A share in the settings is given in percent."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._studies import ISLAM_2019, ISLAM_2020
from factory.operators._text import settings
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each share between 0 and 1 that has such a name as a hundred times as much."""
    pattern = re.compile(r"drop|prob|ratio|split|fraction|momentum|smoothing|rate$|pct|percent")
    for entry in settings(target):
        if not re.fullmatch(r"0?\.\d+", entry.value) or not pattern.search(entry.key.lower()):
            continue
        if "learning" not in entry.key.lower():
            yield entry.becomes(target, f"{float(entry.value) * 100:.6g}")


OPERATOR = Operator(
    id="config_share_percent",
    title="a share of the settings in percent",
    source=(f"{ISLAM_2020}: wrong argument value; {ISLAM_2019}: configuration"),
    weight=0.8,
    targets=("config",),
    mutate=mutate,
)
