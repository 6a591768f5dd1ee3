"""A file of settings can not be read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import settings
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield JSON with a comma more or less, YAML with no blank after a colon or a tab."""
    for entry in settings(target):
        if target.path.endswith(".json"):
            at = entry.end + entry.quoted
            if target.text[at : at + 1] == ",":
                edit = Edit(target.path, at, at + 1, "")
                yield Mutation((edit,), f"no comma after {entry.key}")
            elif re.match(r"\s*}", target.text[at : at + 50]) and not entry.nested:
                yield Mutation((Edit(target.path, at, at, ","),), f"a comma after {entry.key}")
        elif target.path.endswith((".yaml", ".yml")) and entry.key and entry.value:
            start = entry.start - entry.quoted
            if target.text[start - 2 : start] == ": ":
                edit = Edit(target.path, start - 1, start, "")
                yield Mutation((edit,), f"no blank after {entry.key}:")
        elif target.path.endswith(".toml") and entry.quoted:
            edit = Edit(target.path, entry.end, entry.end + 1, "")
            yield Mutation((edit,), f"no quote after {entry.key}")


OPERATOR = Operator(
    id="syntax_config",
    title="settings that can not be read",
    source=(f"{ZHANG_2020}: syntax error; {ISLAM_2019}: configuration"),
    weight=0.5,
    targets=("config",),
    mutate=mutate,
)
