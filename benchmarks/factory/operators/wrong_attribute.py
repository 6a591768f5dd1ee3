"""Another attribute of the same object is used."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import choose, dotted, is_text, nodes_in, words
from factory.operators._studies import BUGLAB, SEMSEED
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``self.a`` that is read as another attribute that the class sets."""
    for owner in target.nodes(cst.ClassDef):
        places = [
            node for node in nodes_in(target, owner, cst.Attribute) if dotted(node.value) == "self"
        ]
        kept = {
            node
            for node in places
            if isinstance(target.parents.get(node), cst.AssignTarget | cst.AnnAssign)
        }
        known = list(dict.fromkeys(node.attr.value for node in places if node in kept))
        for node in places:
            name = node.attr.value
            if node in kept or name not in known or is_text(target, node):
                continue
            shared = {*words(name)}
            near = [other for other in known if other != name and shared & {*words(other)}]
            others = near or [other for other in known if other != name]
            if others:
                new = choose(target, node, others)
                yield Mutation((target.replace(node.attr, new),), f"self.{name} became self.{new}")


OPERATOR = Operator(
    id="wrong_attribute",
    title="another attribute of the object",
    source=(f"{BUGLAB}: variable misuse; {SEMSEED}: wrong identifier"),
    weight=2.0,
    targets=("python",),
    mutate=mutate,
)
