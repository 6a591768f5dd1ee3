"""Two arguments beside each other are exchanged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import libcst as cst

from factory.operators._edits import swap
from factory.operators._places import COMMUTATIVE
from factory.operators._reading import is_text, last_name, positional, short, source
from factory.operators._studies import BUGLAB, HUMBATOVA, ISLAM_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each call with its first two plain, different arguments exchanged, and the next two."""
    for call in target.nodes(cst.Call):
        places = positional(call)
        if len(places) < 2 or is_text(target, call) or last_name(call) in COMMUTATIVE:
            continue
        for one, two in pairwise(places[:3]):
            first, second = call.args[one].value, call.args[two].value
            if source(target, first) != source(target, second):
                yield Mutation(
                    swap(target, first, second),
                    f"{short(source(target, first))} and {short(source(target, second))} of "
                    f"{last_name(call) or 'a call'} were exchanged",
                )


OPERATOR = Operator(
    id="arguments_swapped",
    title="arguments exchanged",
    source=(
        f"{BUGLAB}: argument swap; {ISLAM_2020}: API misuse; {HUMBATOVA}: wrong argument order"
    ),
    weight=2.0,
    targets=("python",),
    mutate=mutate,
)
