"""A section of settings has another name, or none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._reading import misspelt
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import lines_of
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each head of a section in TOML and ini files misspelt, and as deleted."""
    if not target.path.endswith((".toml", ".ini", ".cfg", ".conf")):
        return
    for line, start in lines_of(target.text):
        match = re.match(r"\[\[?\s*([\w.\- ]+?)\s*\]\]?\s*$", line)
        if match is None:
            continue
        name = match.group(1)
        edit = Edit(target.path, start + match.start(1), start + match.end(1), misspelt(name))
        yield Mutation((edit,), f"the section {name} became {misspelt(name)}")
        whole_line = Edit(target.path, start, start + len(line) + 1, "")
        if start + len(line) < len(target.text):
            yield Mutation((whole_line,), f"the head of the section {name} is gone")


OPERATOR = Operator(
    id="config_section",
    title="another section",
    source=(f"{ZHANG_2020}: no such key; {ISLAM_2019}: configuration"),
    weight=1.0,
    targets=("config",),
    mutate=mutate,
)
