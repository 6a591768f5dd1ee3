"""Loops of JAX whose body gives back another kind of state than it began with."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import called_name, calls_in, keyword
from dl_bug_lsp.provenance.nodes import Node
from dl_bug_lsp.provenance.slices import backward_slice

STARTS = {"scan": 1, "while_loop": 2, "fori_loop": 3}
"""Which argument of each loop is the state that it begins with."""
NAMES = ("init", "init_val")
STEPS = 12


def find(case: Case) -> Iterator[Clue]:
    """Yield what makes the state that a loop begins with: the body's result must be of its type."""
    if "carry" not in case.message:
        return
    for top in case.sites[-1].nodes if case.sites else ():
        for call in calls_in(top.expr):
            index = STARTS.get(called_name(call))
            if index is None:
                continue
            named = [k for k in (keyword(call, name) for name in NAMES) if k is not None]
            start = [*call.args[index : index + 1], *named]
            yield from _makers([top.engine.node(e, top.context) for e in start], call)


def _makers(start: list[Node], call: ast.Call) -> Iterator[Clue]:
    makers = [s for s in backward_slice(start, STEPS) if s.decides and s.node.line > 0]
    for order, step in enumerate(makers):
        why = f"`{step.node.text}` makes the state that `{called_name(call)}` begins with"
        yield Clue("rules.medium", step.node.file, step.node.line, 1 / (1 + order), why)
