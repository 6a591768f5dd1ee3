"""Labels belong to other samples."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import is_text, last_name, source, whole
from factory.operators._studies import DEEPCRIME, HUMBATOVA, JAHANGIROVA
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each label of a sample as the one before it, and labels that keep their old order."""
    pattern = re.compile(r"(^|_)(y|labels?|targets?|classes)($|_)", re.IGNORECASE)
    for node in target.nodes(cst.Subscript):
        name = last_name(node.value)
        if not pattern.search(name) or len(node.slice) != 1 or is_text(target, node):
            continue
        part = node.slice[0].slice
        if not isinstance(part, cst.Index):
            continue
        index = part.value
        text = source(target, index)
        if re.search(r"perm|order|indices|shuffle", text) and isinstance(index, cst.Name):
            edit = Edit(target.path, whole(target, node.value)[1], target.span(node)[1], "")
            yield Mutation((edit,), f"{name} is not put in the order {text}")
        elif isinstance(index, cst.Name):
            edit = target.replace(index, f"{text} - 1")
            yield Mutation((edit,), f"{name}[{text}] became the one before")


OPERATOR = Operator(
    id="labels_misaligned",
    title="labels of other samples",
    source=(f"{DEEPCRIME}: change labels; {HUMBATOVA}: wrong labels; {JAHANGIROVA}: label error"),
    weight=0.8,
    targets=("python",),
    mutate=mutate,
    silent=True,
)
