"""A cell holds a text where a number is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._studies import HUMBATOVA, ISLAM_2019, ZHANG_2020
from factory.operators._text import pick, some_rows
from factory.values import Edit, Mutation, Operator, Target

TEXTS = ("unknown", "N/A", "?", "n.a.", "-", "NaN")


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield tables with a number of a row replaced by a word that stands for nothing."""
    for line, start in some_rows(target):
        match = re.search(r"(?<![\w.\"])-?\d+(\.\d+)?(?![\w.\"])", line)
        if match is None:
            continue
        new = pick(target, start, TEXTS)
        new = f'"{new}"' if target.path.endswith((".json", ".jsonl", ".ndjson")) else new
        edit = Edit(target.path, start + match.start(), start + match.end(), new)
        yield Mutation((edit,), f"{match.group()} became {new} in a row")


OPERATOR = Operator(
    id="data_text_for_number",
    title="a text for a number",
    source=(f"{HUMBATOVA}: wrong type of data; {ISLAM_2019}: data bug; {ZHANG_2020}: data format"),
    weight=1.5,
    targets=("data",),
    mutate=mutate,
)
