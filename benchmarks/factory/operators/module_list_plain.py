"""Layers stand in a plain list, where the model does not find them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import calls, is_text, last_name, short, source, whole
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``ModuleList`` and ``ModuleDict`` as the plain list or dictionary."""
    for call in calls(target, {"ModuleList", "ModuleDict", "ParameterList", "Parameter", "List"}):
        if is_text(target, call):
            continue
        if not call.args:
            new = "{}" if last_name(call) == "ModuleDict" else "[]"
        elif len(call.args) == 1 and not call.args[0].star:
            value = call.args[0].value
            new = target.text[slice(*whole(target, value))]
            if isinstance(value, cst.GeneratorExp) and last_name(call) != "Parameter":
                new = f"[{source(target, value)}]"
        else:
            continue
        note = f"{short(source(target, call))} became {short(new)}"
        yield Mutation((target.replace(call, new),), note)


OPERATOR = Operator(
    id="module_list_plain",
    title="layers in a plain list",
    source=(f"{HUMBATOVA}: missing layers; {ISLAM_2019}: structure bug"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
