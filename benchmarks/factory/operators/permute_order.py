"""Axes are put in another order."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._edits import swap
from factory.operators._reading import calls, integer, is_text, list_values, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.values import Edit, Mutation, Operator, Target

METHODS = {"permute", "transpose", "swapaxes", "moveaxis", "movedim", "swapdims", "Permute"}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each order of axes with its last two numbers exchanged, or the second one further."""
    for call in calls(target, METHODS):
        for values in (
            [argument.value for argument in call.args],
            *(list_values(argument.value) for argument in call.args),
        ):
            numbers = [value for value in values if integer(value) is not None]
            if len(numbers) < 2 or is_text(target, call):
                continue
            text = source(target, call)
            if len(numbers) == 2:
                old = integer(numbers[1]) or 0
                edits: tuple[Edit, ...] = (target.replace(numbers[1], str(old + 1)),)
            else:
                edits = swap(target, numbers[-2], numbers[-1])
            yield Mutation(edits, f"other axes in {short(text)}")
            break


OPERATOR = Operator(
    id="permute_order",
    title="another order of axes",
    source=(f"{HUMBATOVA}: wrong tensor shape; {ISLAM_2019}: data bug"),
    weight=2.0,
    targets=("python",),
    mutate=mutate,
)
