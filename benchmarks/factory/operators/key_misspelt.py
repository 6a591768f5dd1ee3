"""A key is written in another way than where it is set."""

from __future__ import annotations

from collections.abc import Iterator

from factory.operators._places import string_keys
from factory.operators._reading import is_text, misspelt, requoted
from factory.operators._studies import SEMSEED, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each string key misspelt, or with ``-`` for ``_``."""
    for node, key in string_keys(target):
        if is_text(target, node):
            continue
        new = key.replace("_", "-") if "_" in key and len(key) % 2 else misspelt(key)
        yield Mutation((target.replace(node, requoted(node, new)),), f"key {key} became {new}")


OPERATOR = Operator(
    id="key_misspelt",
    title="a misspelt key",
    source=(f"{ZHANG_2020}: no such key; {SEMSEED}: wrong identifier"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
