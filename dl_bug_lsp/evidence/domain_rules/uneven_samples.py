"""Samples of one batch that differ in size: what cuts them, and what makes their number random."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import called_name
from dl_bug_lsp.evidence.numbers import indexes_shape
from dl_bug_lsp.provenance.values import StepKind

UNEVEN = (
    "stack expects",
    "equal size",
    "resize storage",
    "inhomogeneous",
    "arrays must have the same shape",
    "ragged",
)


def find(case: Case) -> Iterator[Clue]:
    """Yield the slices, windows and random sizes that give samples of different lengths."""
    is_uneven = any(words in case.message for words in UNEVEN)
    if case.category.id != "tensor_mismatch" or not is_uneven:
        return
    for step in case.property_slice:
        node = step.node
        if node.entry is not None or node.line <= 0:
            continue
        near = 1 / (1 + step.distance / 6)
        if _starts_to_the_end(node.expr):
            why = f"after the last starts of `{node.text}` there may be less than a whole window"
            yield Clue("rules.medium", node.file, node.line, 1.0, why)
        if isinstance(node.expr, ast.Subscript) and node.kind is StepKind.SLICING:
            if indexes_shape(node.expr):
                continue
            if _cuts_only(node.expr):
                why = f"`{node.text}` cuts what is longer, and nothing fills up what is shorter"
                yield Clue("rules.cut_only", node.file, node.line, 1.0, why)
                continue
            why = f"`{node.text}` may leave a different size for each sample"
            yield Clue("rules.uneven_slice", node.file, node.line, near, why)
        elif isinstance(node.expr, ast.Call) and called_name(node.expr) in {
            "integers",
            "randint",
            "randrange",
            "choice",
        }:
            why = f"`{node.text}` is random, and with it perhaps a size"
            yield Clue("rules.uneven_slice", node.file, node.line, 0.8 * near, why)


def _cuts_only(expr: ast.Subscript) -> bool:
    """Tell ``x[:LENGTH]``, which leaves shorter samples as they are."""
    index = expr.slice
    if not isinstance(index, ast.Slice) or index.lower is not None or index.step is not None:
        return False
    return isinstance(index.upper, (ast.Name, ast.Attribute, ast.Subscript, ast.Constant))


def _starts_to_the_end(expr: ast.AST) -> bool:
    """Tell ``range(0, len(signal), hop)``, whose last windows may be cut off by the end."""
    if not isinstance(expr, ast.Call) or called_name(expr) not in ("range", "arange"):
        return False
    return len(expr.args) == 3 and isinstance(
        expr.args[1], (ast.Call, ast.Attribute, ast.Subscript)
    )
