"""Only a small part of the data is trained on."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import SIMPLE, integer, is_text, last_name, short, source
from factory.operators._studies import DEEPCRIME, JAHANGIROVA
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each bound of a part of the data as a tenth of it."""
    pattern = re.compile(
        r"(^|_)(x|xs|data|dataset|train|features|inputs|samples|images)($|_)", re.I
    )
    for node in target.nodes(cst.Subscript):
        if not pattern.search(last_name(node.value)) or not node.slice or is_text(target, node):
            continue
        part = node.slice[0].slice
        if not isinstance(part, cst.Slice) or part.upper is None or part.lower is not None:
            continue
        text = source(target, part.upper)
        value = integer(part.upper)
        new = f"{text} // 10" if value is None else str(value // 10)
        if value is None and not isinstance(part.upper, SIMPLE):
            new = f"({text}) // 10"
        if value is None or value >= 10:
            note = f"{short(source(target, node))} ends at {short(new)}"
            yield Mutation((target.replace(part.upper, new),), note)


OPERATOR = Operator(
    id="training_data_reduced",
    title="little data",
    source=(f"{DEEPCRIME}: remove portion of training data; {JAHANGIROVA}: training data"),
    weight=0.6,
    targets=("python",),
    mutate=mutate,
    silent=True,
)
