"""Samples are put together in the default way, or their parts in another order."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item
from factory.operators._reading import is_text, keyword, last_name, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.values import Mutation, Operator, Target

NAMES = ("collate_fn", "data_collator", "batch_sampler", "sampler")


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each loader without its function for batches."""
    for call in target.nodes(cst.Call):
        index = keyword(call, *NAMES)
        if index is not None and not is_text(target, call):
            note = f"{last_name(call)} lost {short(source(target, call.args[index]))}"
            yield Mutation((drop_item(target, call.args, index),), note)


OPERATOR = Operator(
    id="collate_dropped",
    title="no function for batches",
    source=(f"{HUMBATOVA}: missing preprocessing; {ISLAM_2019}: data bug"),
    weight=1.2,
    targets=("python",),
    mutate=mutate,
)
