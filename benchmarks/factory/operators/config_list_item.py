"""A list of settings lacks an item, or is one of its items."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.operators._text import lines_of, settings
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield lists on one line without their last item, and as their first item alone."""
    for entry in settings(target):
        match = re.fullmatch(r"\[\s*([^\[\]{}\"']+?)\s*\]", entry.value)
        if match is None:
            continue
        items = [item.strip() for item in match.group(1).split(",") if item.strip()]
        if len(items) > 1:
            yield entry.becomes(target, f"[{', '.join(items[:-1])}]")
        if items:
            yield entry.becomes(target, items[0])
    if not target.path.endswith((".yaml", ".yml")):
        return
    for line, start in lines_of(target.text):
        if re.match(r"\s*- [^:]+$", line) and start + len(line) < len(target.text):
            edit = Edit(target.path, start, start + len(line) + 1, "")
            yield Mutation((edit,), f"the item {line.strip()[2:]} is gone")


OPERATOR = Operator(
    id="config_list_item",
    title="an item of a list is missing",
    source=(f"{HUMBATOVA}: wrong layer size; {ISLAM_2019}: configuration"),
    weight=1.2,
    targets=("config",),
    mutate=mutate,
)
