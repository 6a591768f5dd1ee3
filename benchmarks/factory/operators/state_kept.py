"""A state is carried on with its history into the next step."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import drop_statement, statements
from factory.operators._reading import ancestors, dotted, short, source
from factory.operators._studies import HUMBATOVA, ISLAM_2019
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each statement that detaches, copies or resets a value without doing so."""
    for line, node in statements(target):
        if not isinstance(node, cst.Assign):
            continue
        text = source(target, node.value)
        left = dotted(node.targets[0].target)
        if re.search(r"\.detach\(\)|\.clone\(\)|stop_gradient\(|repackage|deepcopy\(", text):
            if left and re.search(rf"\b{re.escape(left.split('.')[-1])}\b", text):
                note = f"{short(source(target, node))} is gone"
                yield Mutation((drop_statement(target, line),), note)
        elif re.match(r"None$|self\.init_hidden\(|init_hidden\(|torch\.zeros\(", text):
            inside = [type(parent) for parent in ancestors(target, line)]
            if cst.For in inside and re.search(r"hidden|state|mem|^h$|^c$", left):
                note = f"{short(source(target, node))} is gone"
                yield Mutation((drop_statement(target, line),), note)


OPERATOR = Operator(
    id="state_kept",
    title="a state is kept",
    source=(f"{HUMBATOVA}: missing reset of state; {ISLAM_2019}: memory, logic bug"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
)
