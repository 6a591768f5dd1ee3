"""A setting has no value."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import pick, settings
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each plain value as none; YAML gets ``None``, which is a text there, now and then."""
    for entry in settings(target):
        if not entry.key or entry.nested or entry.harmless or not entry.value:
            continue
        if entry.value[:1] in "[{&*!|>" or entry.value in {"null", "~", "None"}:
            continue
        if target.path.endswith((".json", ".yaml", ".yml")):
            options = ["null"] if target.path.endswith(".json") else ["null", "None", ""]
            new = pick(target, entry.start, options)
        elif target.path.endswith(".toml"):
            new = '""'
        else:
            new = ""
        yield entry.becomes(target, new, keep_quotes=False)


OPERATOR = Operator(
    id="config_none",
    title="a setting without a value",
    source=(f"{ZHANG_2020}: None; {ISLAM_2019}: configuration"),
    weight=1.2,
    targets=("config",),
    mutate=mutate,
)
