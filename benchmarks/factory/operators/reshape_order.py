"""The sizes of a reshaped tensor are exchanged."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._edits import swap
from factory.operators._reading import calls, is_text, list_values, positional, short, source
from factory.operators._studies import BUGLAB, HUMBATOVA
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``view`` or ``reshape`` with the last two different sizes exchanged."""
    for call in calls(target, {"view", "reshape", "expand", "repeat", "Reshape", "tile"}):
        sizes = [call.args[index].value for index in positional(call)]
        for argument in sizes[:2]:
            sizes = list_values(argument) or sizes
        if len(sizes) < 2 or is_text(target, call):
            continue
        first, second = sizes[-2:]
        if source(target, first) != source(target, second):
            note = f"other order of sizes in {short(source(target, call))}"
            yield Mutation(swap(target, first, second), note)


OPERATOR = Operator(
    id="reshape_order",
    title="sizes exchanged",
    source=(f"{HUMBATOVA}: wrong tensor shape; {BUGLAB}: argument swap"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
