"""A loss is told wrongly whether it gets probabilities."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item
from factory.operators._reading import dotted, keyword, last_name, source
from factory.operators._studies import HUMBATOVA, ISLAM_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each loss without ``from_logits``, or with the other value of it."""
    for call in target.nodes(cst.Call):
        index = keyword(call, "from_logits", "log_target")
        if index is None:
            continue
        argument = call.args[index]
        if dotted(argument.value) == "True":
            note = f"{last_name(call)} lost {source(target, argument)}"
            yield Mutation((drop_item(target, call.args, index),), note)


OPERATOR = Operator(
    id="logits_flag",
    title="probabilities taken for logits",
    source=(f"{HUMBATOVA}: wrong loss function; {ISLAM_2020}: loss function"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
    silent=True,
)
