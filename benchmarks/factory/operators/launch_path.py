"""A script names a file or a module that is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._reading import misspelt, other_path
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import is_launch, pick
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each path and each module behind ``-m`` as another one."""
    if not is_launch(target):
        return
    for match in re.finditer(
        r"(?<=[\s=\"'])(?:[\w.\-]*(?:/[\w.\-]+)+|[\w\-]+\.\w{2,5}\b)", target.text
    ):
        old = match.group()
        line_start = target.text.rfind("\n", 0, match.start()) + 1
        if target.text[line_start : match.start()].lstrip().startswith("#") or "//" in old:
            continue
        if re.match(r"\.?/?(bin|usr|dev|opt|etc)/", old) or not re.search(r"/|\.[a-z]", old):
            continue
        new = other_path(old, pick(target, match.start(), [0, 1, 1, 2]))
        if new != old:
            yield Mutation((Edit(target.path, *match.span(), new),), f"{old} became {new}")
    for match in re.finditer(r"(?<=\s-m )[\w.]+", target.text):
        new = misspelt(match.group())
        edit = Edit(target.path, *match.span(), new)
        yield Mutation((edit,), f"the module {match.group()} became {new}")


OPERATOR = Operator(
    id="launch_path",
    title="a wrong path in a script",
    source=(f"{ZHANG_2020}: path not found; {ISLAM_2019}: configuration"),
    weight=2.0,
    targets=("launch",),
    mutate=mutate,
)
