"""Two statements stand in the other order."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from factory.operators._edits import is_docstring, move_after, neighbours
from factory.operators._reading import bound_names, first_word, short, source, used_words
from factory.operators._studies import HUMBATOVA, SWE_SMITH, ZHANG_2020
from factory.values import Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    """Yield each statement that needs what the one before it sets, before that one."""
    for before, line in neighbours(target):
        if not isinstance(before, cst.SimpleStatementLine) or len(before.body) != 1:
            continue
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
            continue
        first, node = before.body[0], line.body[0]
        if not isinstance(node, cst.Assign | cst.Expr | cst.AugAssign) or is_docstring(node):
            continue
        if isinstance(first, cst.Import | cst.ImportFrom | cst.Global) or is_docstring(first):
            continue
        if isinstance(first, cst.Expr) and isinstance(node, cst.Expr):
            shared = first_word(source(target, first)) == first_word(source(target, node))
        else:
            shared = bool(bound_names(target, first) & used_words(source(target, node)))
        edits = move_after(target, before, line) if shared else ()
        if edits:
            yield Mutation(edits, f"{short(source(target, first))} comes later")


OPERATOR = Operator(
    id="statements_swapped",
    title="statements in another order",
    source=(
        f"{SWE_SMITH}: lines shuffled; {HUMBATOVA}: wrong order; {ZHANG_2020}: wrong order of calls"
    ),
    weight=1.5,
    targets=("python",),
    mutate=mutate,
)
