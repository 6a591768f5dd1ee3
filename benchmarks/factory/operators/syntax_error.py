"""A bracket, a colon or a quote is missing."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import statements
from factory.operators._reading import short, source
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each second head of a block without its colon, and calls without their bracket."""
    for node in target.nodes(cst.FunctionDef, cst.For, cst.If, cst.With, cst.ClassDef, cst.While):
        body = getattr(node, "body", None)
        if not isinstance(body, cst.IndentedBlock):
            continue
        start = target.span(body)[0]
        colon = target.text.rfind(":", target.span(node)[0], start)
        if colon > 0 and target.text[colon + 1 : start].strip() == "":
            yield Mutation((Edit(target.path, colon, colon + 1, ""),), "a colon is missing")
    for line, node in statements(target):
        value = getattr(node, "value", None)
        if isinstance(value, cst.Call) and isinstance(node, cst.Assign) and not value.rpar:
            end = target.span(value)[1]
            if target.text[end - 1 : end] == ")" and line is not None:
                note = f"{short(source(target, node))} lost a bracket"
                yield Mutation((Edit(target.path, end - 1, end, ""),), note)


OPERATOR = Operator(
    id="syntax_error",
    title="a syntax error",
    source=(f"{ZHANG_2020}: syntax error; {ISLAM_2019}: coding bug"),
    weight=0.3,
    targets=("python",),
    mutate=mutate,
)
