"""A word that selects something is another one."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import (
    choose,
    is_text,
    last_name,
    misspelt,
    requoted,
    text_of,
    value_name,
)
from factory.operators._studies import ISLAM_2020, SEMSEED
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each word that is passed to a call, compared or assigned as another word of the file.

    Taken is one from the same kind of place, or else the word is misspelt.
    """
    places = [
        node
        for node in target.nodes(cst.SimpleString)
        if re.fullmatch(r"[A-Za-z][\w\-]{1,30}", text_of(node) or "") and not is_text(target, node)
    ]
    groups: dict[str, list[str]] = {}
    for node in places:
        groups.setdefault(_place(target, node), []).append(text_of(node) or "")
    for node in places:
        place = _place(target, node)
        if not place:
            continue
        old = text_of(node) or ""
        others = sorted({other for other in groups[place] if other != old})[:20]
        new = choose(target, node, others) if others else misspelt(old)
        yield Mutation((target.replace(node, requoted(node, new)),), f"{old} became {new}")


def _place(target: Target, node: cst.SimpleString) -> str:
    parent = target.parents.get(node)
    if isinstance(parent, cst.Arg):
        call = target.parents.get(parent)
        name = last_name(call)
        if name in {"get", "pop", "setdefault", "getattr", "add_argument", "join", "split"}:
            return ""
        return parent.keyword.value if parent.keyword else f"{name}()"
    if isinstance(parent, cst.Comparison | cst.ComparisonTarget):
        return "=="
    name = value_name(target, node)
    return "" if name.startswith("__") else name


OPERATOR = Operator(
    id="string_changed",
    title="another word for a choice",
    source=(f"{ISLAM_2020}: wrong argument value; {SEMSEED}: wrong literal"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
