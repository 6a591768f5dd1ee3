"""Sizes that do not divide: a whole quotient that leaves a rest, where shapes disagree."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.slices import backward_slice
from dl_bug_lsp.provenance.values import StepKind

WRITTEN = (StepKind.LITERAL, StepKind.CONFIG)
STEPS = 12


def find(case: Case) -> Iterator[Clue]:
    """Yield whole quotients with a rest on the way to the failure, and what writes the divisor."""
    if case.category.id != "tensor_mismatch":
        return
    for step in case.property_slice:
        node = step.node
        expr = node.expr
        if node.entry is not None or not isinstance(expr, ast.BinOp) or node.line <= 0:
            continue
        if not isinstance(expr.op, ast.FloorDiv):
            continue
        divisor = node.engine.node(expr.right, node.context)
        whole, part = _number(node.engine.node(expr.left, node.context)), _number(divisor)
        if not whole or not part or whole % part == 0:
            continue
        why = f"`{node.text}` drops a rest of {whole % part}: {whole} is no multiple of {part}"
        yield Clue("rules.weak", node.file, node.line, 1.0, why)
        for origin in backward_slice([divisor], STEPS):
            if origin.node.kind in WRITTEN and _number(origin.node) == part:
                why = f"`{origin.node.text}`: {whole} is no multiple of it"
                yield Clue("rules.medium", origin.node.file, origin.node.line, 1.0, why)


def _number(node: Node) -> int | None:
    constant = node.constant
    value = constant.value if constant is not None else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
