"""A program needs another version of a package than the one it was written for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._studies import HUMBATOVA, ISLAM_2019, ZHANG_2020
from factory.operators._text import is_requirements, pick
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each version that a list of packages asks for with a lower or a next major number."""
    if not is_requirements(target):
        return
    for match in re.finditer(r"^\s*[\"']?[\w\-.\[\]]+\s*([=<>~!]=?)\s*(\d+)", target.text, re.M):
        old = int(match.group(2)) if len(match.group(2)) < 6 else 0
        new = pick(target, match.start(), [old + 1, max(old - 1, 0) if old else old + 2])
        edit = Edit(target.path, match.start(2), match.end(2), str(new))
        yield Mutation((edit,), f"{match.group().strip()} became {new}")


OPERATOR = Operator(
    id="requirement_version",
    title="another version of a package",
    source=(f"{ZHANG_2020}: library incompatible; {HUMBATOVA}: API; {ISLAM_2019}: API change"),
    weight=1.0,
    targets=("requirements",),
    mutate=mutate,
)
