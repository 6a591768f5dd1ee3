"""A variable of a script or of the environment has another name, or none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._reading import misspelt
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import is_launch
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each variable misspelt where it is set, and each line that sets one as deleted."""
    if not is_launch(target):
        return
    pattern = re.compile(r"^([ \t]*(?:export +|set +|ENV +)?)([A-Za-z_]\w*)[ \t]*[:?]?=(?!=)", re.M)
    for match in pattern.finditer(target.text):
        old = match.group(2)
        new = misspelt(old.lower()).upper() if old.isupper() else misspelt(old)
        edit = Edit(target.path, match.start(2), match.end(2), new)
        yield Mutation((edit,), f"the variable {old} became {new}")
        end = target.text.find("\n", match.start())
        line = target.text[match.start() : end if end >= 0 else len(target.text)]
        rest = line[match.end() - match.start() :].strip()
        if end >= 0 and not line.endswith("\\") and not re.search(r"\s", rest):
            yield Mutation(
                (Edit(target.path, match.start(), end + 1, ""),), f"the variable {old} is not set"
            )


OPERATOR = Operator(
    id="launch_variable",
    title="another variable of a script",
    source=(f"{ZHANG_2020}: environment; {ISLAM_2019}: configuration"),
    weight=1.5,
    targets=("launch",),
    mutate=mutate,
)
