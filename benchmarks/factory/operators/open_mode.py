"""A file is opened in another mode, or read in another encoding."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import calls, last_name, requoted, text_of
from factory.operators._studies import HUMBATOVA, ZHANG_2020
from factory.values import Mutation, Operator, Target

OLD = {"rb": "r", "r": "rb", "w": "r", "wb": "w", "a": "r", "utf-8": "ascii", "utf8": "ascii"}
OLD |= {"latin-1": "utf-8"}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each mode and encoding of a file as another one."""
    for call in calls(target, {"open", "read_text", "write_text", "read_csv", "reader"}):
        for argument in call.args:
            old = text_of(argument.value) or ""
            if old in OLD and isinstance(argument.value, cst.SimpleString):
                if len(old) > 3 and argument.keyword is None and last_name(call) == "open":
                    continue
                edit = target.replace(argument.value, requoted(argument.value, OLD[old]))
                yield Mutation((edit,), f"{last_name(call)}: {old} became {OLD[old]}")


OPERATOR = Operator(
    id="open_mode",
    title="another mode of a file",
    source=(f"{ZHANG_2020}: encoding, type mismatch; {HUMBATOVA}: wrong data loading"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
)
