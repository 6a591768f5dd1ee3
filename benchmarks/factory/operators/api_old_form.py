"""A step is written as it was in a former version."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_item, whole_edit
from factory.operators._reading import (
    SIMPLE,
    dotted,
    is_text,
    last_name,
    list_values,
    short,
    source,
    whole,
)
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield results of an environment, iterators, and numbers of tensors in their old form."""
    for node in target.nodes(cst.Assign):
        left = node.targets[0].target
        names = list_values(left)
        called = last_name(node.value) if isinstance(node.value, cst.Call) else ""
        text = short(source(target, node))
        if called == "reset" and len(names) == 2:
            kept = source(target, names[0])
            edit = whole_edit(target, left, kept)
            yield Mutation((edit,), f"{text} keeps the observation alone")
        elif called == "step" and len(names) == 5 and isinstance(left, cst.Tuple | cst.List):
            edit = drop_item(target, left.elements, 3)
            yield Mutation((edit,), f"{text} expects four values")
    for call in target.nodes(cst.Call):
        text = short(source(target, call))
        name = dotted(call.func)
        if is_text(target, call):
            continue
        if name == "next" and len(call.args) == 1:
            kept = target.text[slice(*whole(target, call.args[0].value))]
            yield Mutation((target.replace(call, f"{kept}.next()"),), f"{text} became .next()")
        elif name.endswith(".item") and not call.args and isinstance(call.func, cst.Attribute):
            kept = source(target, call.func.value)
            edit = target.replace(call, f"{kept}.data[0]")
            yield Mutation((edit,), f"{text} became .data[0]")
        elif name in {"pd.concat", "pandas.concat"} and call.args:
            values = list_values(call.args[0].value)
            if len(values) == 2 and isinstance(values[0], SIMPLE):
                one, two = (source(target, value) for value in values)
                edit = target.replace(call, f"{one}.append({two})")
                yield Mutation((edit,), f"{text} became .append")


OPERATOR = Operator(
    id="api_old_form",
    title="the old form of a step",
    source=(f"{ISLAM_2019}: API change; {ZHANG_2020}: framework API incompatibility"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
