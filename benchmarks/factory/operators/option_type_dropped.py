"""An option of the command line stays a text."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._edits import drop_item
from factory.operators._reading import calls, dotted, keyword, option_name, short, source
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each option without its type or action, or with a type of other numbers."""
    for call in calls(target, {"add_argument", "option"}):
        index = keyword(call, "type", "action")
        if index is None:
            continue
        argument = call.args[index]
        text = short(source(target, argument))
        name = option_name(call) or "an option"
        yield Mutation((drop_item(target, call.args, index),), f"{name} lost {text}")
        if dotted(argument.value) == "float":
            yield Mutation((target.replace(argument.value, "int"),), f"{name} is of type int")


OPERATOR = Operator(
    id="option_type_dropped",
    title="an option without a type",
    source=(f"{ZHANG_2020}: type mismatch; {ISLAM_2019}: API bug"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
