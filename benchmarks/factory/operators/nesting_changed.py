"""A setting is read from another depth than where it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import dotted, is_text, short, source, whole
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield ``cfg.model.size`` as ``cfg.size``, and ``cfg["model"]["size"]`` likewise."""
    pattern = re.compile(r"^(self\.)?(cfg|config|conf|args|opt|opts|params|hparams|settings|c)\b")
    for node in target.nodes(cst.Attribute):
        inner = node.value
        if not isinstance(inner, cst.Attribute):
            continue
        if isinstance(target.parents.get(node), cst.Attribute):
            continue
        name = dotted(node)
        depth = name.removeprefix("self.").count(".")
        if pattern.match(name) and depth > 1 and not is_text(target, node):
            start, end = whole(target, inner.value)[1], target.span(inner)[1]
            edit = Edit(target.path, start, end, "")
            yield Mutation((edit,), f"{name} lost {inner.attr.value}")
    for node in target.nodes(cst.Subscript):
        inner = node.value
        if not isinstance(inner, cst.Subscript) or is_text(target, node):
            continue
        text = source(target, inner)
        if pattern.match(text) and text.endswith(("']", '"]')):
            start, end = whole(target, inner.value)[1], target.span(inner)[1]
            edit = Edit(target.path, start, end, "")
            yield Mutation((edit,), f"{short(source(target, node))} lost a level")


OPERATOR = Operator(
    id="nesting_changed",
    title="a setting read from another depth",
    source=(f"{ZHANG_2020}: no such key; {ISLAM_2019}: configuration"),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
