"""An argument's name is written wrongly."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import HARMLESS, is_text, last_name, misspelt
from factory.operators._studies import SEMSEED, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each keyword of a call misspelt."""
    for call in target.nodes(cst.Call):
        if is_text(target, call) or last_name(call) in {"add_argument", "dict"}:
            continue
        for argument in call.args:
            if argument.keyword and argument.keyword.value not in HARMLESS:
                old = argument.keyword.value
                edit = target.replace(argument.keyword, misspelt(old))
                note = f"{last_name(call) or 'a call'}: {old} became {misspelt(old)}"
                yield Mutation((edit,), note)


OPERATOR = Operator(
    id="keyword_misspelt",
    title="a misspelt argument",
    source=(f"{ZHANG_2020}: unexpected argument; {SEMSEED}: wrong identifier"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
