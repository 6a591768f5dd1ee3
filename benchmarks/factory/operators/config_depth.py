"""A setting stands at another depth."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import lines_of
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield YAML settings as deep as the section around them, or inside of the one before."""
    if not target.path.endswith((".yaml", ".yml")):
        return
    before: tuple[int, bool] | None = None
    for line, start in lines_of(target.text):
        match = re.match(r"( *)[\w\-.]+:(\s+\S|\s*$)", line)
        if match is None:
            continue
        depth = len(match.group(1))
        name = line.split(":")[0].strip()
        if depth >= 2 and match.group(2).strip():
            edit = Edit(target.path, start, start + 2, "")
            yield Mutation((edit,), f"{name} stands less deep")
        if before is not None and before[0] > depth and match.group(2).strip():
            edit = Edit(target.path, start, start, " " * (before[0] - depth))
            yield Mutation((edit,), f"{name} stands deeper, in the section before")
        before = (depth, bool(match.group(2).strip()))


OPERATOR = Operator(
    id="config_depth",
    title="a setting at another depth",
    source=(f"{ZHANG_2020}: no such key; {ISLAM_2019}: configuration"),
    weight=1.5,
    targets=("config",),
    mutate=mutate,
)
