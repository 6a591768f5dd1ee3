"""A switch is the other way round."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._reading import HARMLESS, dotted, is_text, named_values
from factory.operators._studies import BUGLAB, HUMBATOVA, ISLAM_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``True`` or ``False`` that has a name as the other."""
    for name, value in named_values(target):
        old = dotted(value)
        if old in {"True", "False"} and name not in HARMLESS and not is_text(target, value):
            new = "False" if old == "True" else "True"
            yield Mutation((target.replace(value, new),), f"{name} {old} became {new}")


OPERATOR = Operator(
    id="boolean_flipped",
    title="a switch the other way",
    source=(
        f"{ISLAM_2020}: wrong argument value; {BUGLAB}: wrong literal; {HUMBATOVA}: hyperparameter"
    ),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
