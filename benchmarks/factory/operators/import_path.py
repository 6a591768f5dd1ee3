"""Something is imported from another place than where it is."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import dotted, last_name, misspelt
from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each import from a module of a package as one from the package, or of another name."""
    for node in target.nodes(cst.ImportFrom):
        module = node.module
        if module is None or isinstance(node.names, cst.ImportStar):
            continue
        name = dotted(module)
        if isinstance(module, cst.Attribute):
            new = dotted(module.value)
            yield Mutation((target.replace(module, new),), f"the module {name} became {new}")
        elif name not in {"__future__", "typing"} and not node.relative:
            imported = node.names[0].name
            new = misspelt(last_name(imported))
            yield Mutation((target.replace(imported, new),), f"{name} gives {new}")


OPERATOR = Operator(
    id="import_path",
    title="imported from elsewhere",
    source=(f"{ZHANG_2020}: library not found; {ISLAM_2019}: API change"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
