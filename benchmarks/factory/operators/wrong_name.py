"""Another name of the same scope is used."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import bound_from, is_load, is_text, names_of, parameters, words
from factory.operators._studies import BUGLAB, JAHANGIROVA, SEMSEED
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each name that a function reads as another one that is bound before it.

    Names that share a word are taken for each other first, then the one that is bound last.
    """
    for function in target.nodes(cst.FunctionDef):
        bound = [param.name.value for param in parameters(function) if param.name.value != "self"]
        waiting: list[tuple[int, str]] = []
        for name in names_of(target, function):
            at = target.span(name)[0]
            while waiting and waiting[0][0] <= at:
                new = waiting.pop(0)[1]
                if new not in bound:
                    bound.append(new)
            if not is_load(target, name):
                if not isinstance(target.parents.get(name), cst.Attribute | cst.Arg):
                    waiting.append((bound_from(target, name), name.value))
                continue
            if name.value not in bound or is_text(target, name):
                continue
            others = [other for other in bound[-20:] if other not in {name.value, "_", "self"}]
            if not others:
                continue
            shared = {*words(name.value)}
            near = [other for other in others if shared & {*words(other)}]
            new = near[-1] if near else others[-1]
            yield Mutation((target.replace(name, new),), f"{name.value} became {new}")


OPERATOR = Operator(
    id="wrong_name",
    title="another name in scope",
    source=(f"{SEMSEED}: wrong identifier; {BUGLAB}: variable misuse; {JAHANGIROVA}: variables"),
    weight=3.0,
    targets=("python",),
    mutate=mutate,
)
