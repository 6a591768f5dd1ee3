"""A list is passed where its elements are meant."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._reading import is_text, short, source
from factory.operators._studies import ISLAM_2020, ZHANG_2020
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each ``*x`` and ``**x`` of a call as ``x``."""
    for node in target.nodes(cst.Arg):
        if not node.star or is_text(target, node):
            continue
        call = target.parents.get(node)
        rest = call.args[call.args.index(node) + 1 :] if isinstance(call, cst.Call) else ()
        earlier = call.args[: call.args.index(node)] if isinstance(call, cst.Call) else ()
        if any(argument.star for argument in rest) or any(a.keyword for a in earlier):
            continue
        if not isinstance(call, cst.Call) or any(a.star == "**" for a in earlier):
            continue
        start = target.span(node)[0]
        edit = Edit(target.path, start, start + len(node.star), "")
        yield Mutation((edit,), f"{short(source(target, node))} lost {node.star}")


OPERATOR = Operator(
    id="star_dropped",
    title="a list for its elements",
    source=(f"{ISLAM_2020}: API misuse; {ZHANG_2020}: type mismatch"),
    weight=1.0,
    targets=("python",),
    mutate=mutate,
)
