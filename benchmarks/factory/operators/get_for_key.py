"""A missing key is no longer allowed for, or silently becomes None."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item
from factory.operators._reading import calls, is_text, short, source, whole
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield ``d.get(k, v)`` as ``d[k]`` and as ``d.get(k)``, and ``d["k"]`` as ``d.get("k")``."""
    for call in calls(target, {"get"}):
        if not isinstance(call.func, cst.Attribute) or not call.args or is_text(target, call):
            continue
        if any(argument.star or argument.keyword for argument in call.args):
            continue
        owner = target.text[slice(*whole(target, call.func.value))]
        if "environ" in owner or owner in {"requests", "hub"}:
            continue
        text = short(source(target, call))
        if len(call.args) == 2:
            yield Mutation((drop_item(target, call.args, 1),), f"{text} lost its default")
            key = source(target, call.args[0])
            yield Mutation((target.replace(call, f"{owner}[{key}]"),), f"{text} lost its default")


OPERATOR = Operator(
    id="get_for_key",
    title="no default for a key",
    source=(f"{ZHANG_2020}: no such key, None; {ISLAM_2019}: data bug"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
)
