"""The last plain argument of a call is missing."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item
from factory.operators._reading import is_text, last_name, positional, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each call without its last plain argument."""
    for call in target.nodes(cst.Call):
        places = positional(call)
        if not places or is_text(target, call) or last_name(call) in {"super", "len", "range"}:
            continue
        if isinstance(call.args[places[-1]].value, cst.GeneratorExp):
            continue
        text = source(target, call.args[places[-1]])
        yield Mutation(
            (drop_item(target, call.args, places[-1]),),
            f"{last_name(call) or 'a call'} lost its argument {short(text)}",
        )


OPERATOR = Operator(
    id="argument_dropped",
    title="an argument is missing",
    source=(f"{ISLAM_2019}: API bug; {HUMBATOVA}: missing argument"),
    weight=2.0,
    targets=("python",),
    mutate=mutate,
)
