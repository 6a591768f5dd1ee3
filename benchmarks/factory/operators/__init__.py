"""The operators, one module each; `all_operators` finds them, `mutations` applies them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Collection, Iterator
from functools import lru_cache

from factory.operators._text import kind_of
from factory.values import Mutation, Operator, Target

__all__ = ["all_operators", "kind_of", "mutations"]


@lru_cache(maxsize=1)
def all_operators() -> tuple[Operator, ...]:
    """Return every module's ``OPERATOR``, by id."""
    found = [
        importlib.import_module(f"{__name__}.{info.name}").OPERATOR
        for info in pkgutil.iter_modules(__path__)
        if not info.name.startswith("_")
    ]
    return tuple(sorted(found, key=lambda operator: operator.id))


def mutations(
    target: Target, operators: Collection[Operator] | None = None
) -> Iterator[tuple[Operator, Mutation]]:
    """Yield what the operators for a file of its kind do to it, each change of the text once.

    Where several operators make the same change, it counts for the one with the fewest places in
    the file, which names the fault most exactly. Ordered by operator.
    """
    kind = kind_of(target.path, target.text)
    found = {
        operator: list(operator.mutate(target))
        for operator in (all_operators() if operators is None else operators)
        if kind in operator.targets
    }
    seen: dict[object, Operator] = {}
    for operator in sorted(found, key=lambda operator: (len(found[operator]), operator.id)):
        for mutation in found[operator]:
            seen.setdefault(frozenset(mutation.edits), operator)
    for operator, made in found.items():
        for mutation in made:
            key = frozenset(mutation.edits)
            if seen.get(key) is operator:
                del seen[key]
                yield operator, mutation
