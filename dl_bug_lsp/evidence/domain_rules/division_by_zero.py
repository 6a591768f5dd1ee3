"""Divisions by zero: what is empty or rounds to nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword
from dl_bug_lsp.provenance.values import StepKind


def find(case: Case) -> Iterator[Clue]:
    """Yield the steps that are zero, round down to it, or throw everything away."""
    if case.category.id != "division_by_zero":
        return
    for step in case.raise_slice:
        node = step.node
        near = 1 / (1 + step.distance / 6)
        if node.line <= 0:
            continue
        zero = any(c.value == 0 and not isinstance(c.value, bool) for c in node.constants)
        if zero and step.decides:
            computed = node.kind is StepKind.ARITHMETIC
            kind = "rules.zero_computed" if computed else "rules.zero"
            why = f"`{node.text}` is 0" if node.text != "0" else "the zero stands here"
            yield Clue(kind, node.file, node.line, near, why)
        expr = node.expr
        if node.entry is not None:
            continue
        if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.FloorDiv):
            if step.before is None:
                continue
            why = f"`{node.text}` rounds down, perhaps to 0"
            yield Clue("rules.medium", node.file, node.line, near, why)
        dropped = keyword(expr, "drop_last") if isinstance(expr, ast.Call) else None
        if dropped is None and isinstance(expr, ast.Call):
            dropped = keyword(expr, "drop_remainder")
        if isinstance(dropped, ast.Constant) and dropped.value is True:
            why = "an incomplete batch is thrown away, which may leave nothing"
            yield Clue("rules.strong", node.file, dropped.lineno, 1.0, why)
