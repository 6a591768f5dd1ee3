"""A variable of the environment is read under another name, or without a default."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item
from factory.operators._reading import dotted, misspelt, requoted, short, source, text_of
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each read variable without its default, or misspelt where it has none."""
    for call in target.nodes(cst.Call):
        name = dotted(call.func)
        if name not in {"os.environ.get", "os.getenv", "environ.get", "getenv"} or not call.args:
            continue
        text = short(source(target, call))
        if len(call.args) > 1:
            yield Mutation((drop_item(target, call.args, 1),), f"{text} lost its default")
        key = source(target, call.args[0])
        yield Mutation((target.replace(call, f"os.environ[{key}]"),), f"{text} must be set")
    for node in target.nodes(cst.Subscript):
        if not dotted(node.value).endswith("environ") or len(node.slice) != 1:
            continue
        part = node.slice[0].slice
        value = part.value if isinstance(part, cst.Index) else None
        old = text_of(value)
        if old and isinstance(value, cst.SimpleString):
            new = misspelt(old.lower()).upper()
            edit = target.replace(value, requoted(value, new))
            yield Mutation((edit,), f"the variable {old} became {new}")


OPERATOR = Operator(
    id="environment_name",
    title="another variable of the environment",
    source=(f"{ZHANG_2020}: environment; {ISLAM_2019}: configuration"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
)
