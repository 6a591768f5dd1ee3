"""A loop or a range makes one step too many, or starts one too late."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import calls, integer, is_text, positional, short, whole
from factory.operators._studies import BUGLAB, HUMBATOVA, ISLAM_2020
from factory.values import Mutation, Operator, Target

RANGES = {"range", "arange", "trange", "linspace", "randint", "randrange", "one_hot"}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield the end of each range as one more."""
    for call in calls(target, RANGES):
        places = positional(call)
        if not places or is_text(target, call):
            continue
        end = call.args[places[min(len(places) - 1, 1)]].value
        if isinstance(end, cst.Float | cst.Tuple | cst.List):
            continue
        text = target.text[slice(*whole(target, end))]
        value = integer(end)
        new = f"{text} + 1" if value is None else str(value + 1)
        yield Mutation((target.replace(end, new),), f"the end {short(text)} became {short(new)}")


OPERATOR = Operator(
    id="range_off_by_one",
    title="one step too many",
    source=(f"{HUMBATOVA}: wrong loop; {BUGLAB}: off by one; {ISLAM_2020}: index"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
