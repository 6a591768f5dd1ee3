"""An argument that is given by its name is missing."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item
from factory.operators._reading import HARMLESS, is_text, last_name, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019, JAHANGIROVA
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each call without each of its keyword arguments."""
    for call in target.nodes(cst.Call):
        if last_name(call) == "add_argument" or is_text(target, call):
            continue
        for index, argument in enumerate(call.args):
            if argument.keyword is None or argument.keyword.value in HARMLESS:
                continue
            yield Mutation(
                (drop_item(target, call.args, index),),
                f"{last_name(call) or 'a call'} lost {short(source(target, argument))}",
            )


OPERATOR = Operator(
    id="keyword_dropped",
    title="a named argument is missing",
    source=(f"{ISLAM_2019}: API bug; {HUMBATOVA}: missing argument; {JAHANGIROVA}: arguments"),
    weight=2.5,
    targets=("python",),
    mutate=mutate,
)
