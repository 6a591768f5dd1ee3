"""A tensor keeps the type of numbers it has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._edits import dropped_calls
from factory.operators._studies import HUMBATOVA, ZHANG_2018, ZHANG_2020
from factory.values import Mutation, Operator, Target

METHODS = {
    "long",
    "float",
    "double",
    "int",
    "half",
    "bool",
    "astype",
    "type",
    "type_as",
    "bfloat16",
}
FUNCTIONS = {"tf.cast", "K.cast", "ops.cast", "keras.ops.cast"}
ACCEPT = re.compile(r"float|int|long|double|half|bool|dtype")


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each change of a type of numbers as what it is applied to."""
    yield from dropped_calls(target, METHODS, FUNCTIONS)
    yield from dropped_calls(target, {"to"}, (), ACCEPT)


OPERATOR = Operator(
    id="dtype_cast_dropped",
    title="type of numbers not changed",
    source=(
        f"{HUMBATOVA}: wrong type of data; "
        f"{ZHANG_2018}: type confusion; "
        f"{ZHANG_2020}: type mismatch"
    ),
    weight=2.5,
    targets=("python",),
    mutate=mutate,
)
