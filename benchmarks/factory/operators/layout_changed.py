"""The axes of a batch, of steps or of channels are said to be in another place."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import dotted, is_text, named_values, requoted, text_of
from factory.operators._studies import HUMBATOVA, ISLAM_2020, ZHANG_2018
from factory.values import Mutation, Operator, Target

NAMES = {"batch_first", "channels_last", "return_sequences", "time_major", "bidirectional"}
WORDS = {"channels_last": "channels_first", "channels_first": "channels_last"}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each argument that says where axes are as the opposite."""
    for name, value in named_values(target):
        old = dotted(value)
        if name in NAMES and old in {"True", "False"}:
            new = "False" if old == "True" else "True"
            yield Mutation((target.replace(value, new),), f"{name} {old} became {new}")
    for text in target.nodes(cst.SimpleString):
        new = WORDS.get(text_of(text) or "", "")
        if new and not is_text(target, text):
            edit = target.replace(text, requoted(text, new))
            yield Mutation((edit,), f"{text_of(text)} became {new}")


OPERATOR = Operator(
    id="layout_changed",
    title="axes in another place",
    source=(f"{HUMBATOVA}: wrong layout; {ISLAM_2020}: layer dimension; {ZHANG_2018}: data shape"),
    weight=1.2,
    targets=("python",),
    mutate=mutate,
)
