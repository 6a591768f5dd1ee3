"""Another key of the same program is used."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._places import string_keys
from factory.operators._reading import choose, is_text, requoted, text_of, words
from factory.operators._studies import ISLAM_2020, SEMSEED, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each key as another one of the file that shares a word with it."""
    keys = [key for _, key in string_keys(target)]
    known = sorted(set(keys))[:200]
    for node, key in string_keys(target):
        if is_text(target, node):
            continue
        parent = target.parents.get(node)
        whole = target.parents.get(parent) if isinstance(parent, cst.DictElement) else None
        beside = {text_of(getattr(item, "key", None)) for item in getattr(whole, "elements", ())}
        others = [
            other
            for other in known
            if other != key and other not in beside and {*words(other)} & {*words(key)}
        ]
        if not others:
            continue
        new = choose(target, node, others)
        yield Mutation((target.replace(node, requoted(node, new)),), f"key {key} became {new}")


OPERATOR = Operator(
    id="wrong_key",
    title="another key",
    source=(
        f"{ISLAM_2020}: wrong key; {SEMSEED}: wrong identifier; {ZHANG_2020}: wrong key of data"
    ),
    weight=2.5,
    targets=("python",),
    mutate=mutate,
)
