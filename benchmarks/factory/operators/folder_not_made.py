"""A folder that is written to is not made."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._edits import deleted_calls
from factory.operators._studies import ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each call that makes a folder as deleted."""
    yield from deleted_calls(target, {"makedirs", "mkdir", "ensure_dir"})


OPERATOR = Operator(
    id="folder_not_made",
    title="a folder is not made",
    source=f"{ZHANG_2020}: path not found",
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
