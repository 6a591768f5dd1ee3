"""Images of one channel where three are meant, or three where one is."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._reading import calls, integer, last_name, named_values
from factory.operators._studies import HUMBATOVA, ZHANG_2018
from factory.values import Mutation, Operator, Target

NAMES = {"in_channels", "channels", "num_channels", "in_chans", "n_channels", "input_channels"}
CONVOLUTIONS = {"Conv1d", "Conv2d", "Conv3d", "ConvTranspose2d"}


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield 1 as 3 and 3 as 1 where a number of channels stands."""
    found = [(name, value) for name, value in named_values(target) if name in NAMES]
    found += [
        (last_name(call), call.args[0].value)
        for call in calls(target, CONVOLUTIONS)
        if call.args and call.args[0].keyword is None
    ]
    for name, value in found:
        old = integer(value)
        if old in {1, 3}:
            new = 4 - old
            yield Mutation(
                (target.replace(value, str(new)),), f"{name}: channels {old} became {new}"
            )


OPERATOR = Operator(
    id="channels_changed",
    title="one channel or three",
    source=(f"{HUMBATOVA}: wrong input shape; {ZHANG_2018}: data shape"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
