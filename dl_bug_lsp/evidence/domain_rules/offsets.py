"""Indices out of range: counts that are one short, labels that are one too high."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.domain_rules.syntax import called_name
from dl_bug_lsp.evidence.values import Case, Clue
from dl_bug_lsp.provenance.slices import Step
from dl_bug_lsp.provenance.values import StepKind

COUNT_ROLES = (
    "num_classes",
    "n_classes",
    "num_labels",
    "num_embeddings",
    "vocab_size",
    "input_dim",
    "out_features",
    "n_out",
    "max_len",
    "num_users",
    "num_items",
    "max_position_embeddings",
    "num_actions",
    "n_actions",
    "classes",
)
TABLES = {"Embedding", "EmbeddingBag", "one_hot", "Embed", "CategoryEncoding", "bincount"}


def find(case: Case) -> Iterator[Clue]:
    """Yield shifts by one or two, and what sizes a table or the classes."""
    if case.category.id not in {"illegal_index", "tensor_mismatch", "illegal_argument"}:
        return
    for step in case.raise_slice:
        node = step.node
        if node.line <= 0:
            continue
        if node.entry is None:
            yield from _shift(step)
        if case.category.id == "illegal_index":
            yield from _count(step)


def _shift(step: Step) -> Iterator[Clue]:
    node = step.node
    if node.kind not in (StepKind.ARITHMETIC, StepKind.SLICING):
        return
    for part in ast.walk(node.expr):
        shifted = (
            isinstance(part, ast.BinOp)
            and isinstance(part.op, (ast.Add, ast.Sub))
            and isinstance(part.right, ast.Constant)
            and part.right.value in (1, 2, 3)
        )
        if shifted:
            why = f"`{node.text}` is shifted by a constant"
            yield Clue("rules.shift", node.file, node.line, 1 / (1 + step.distance / 8), why)
            return


def _count(step: Step) -> Iterator[Clue]:
    node = step.node
    last = step.roles[-1] if step.roles else ""
    named = last.removeprefix("argument ") in COUNT_ROLES
    if node.entry is not None:
        named = named or node.entry.key in COUNT_ROLES
    if named and step.decides:
        why = f"`{node.text}` sets how many there are"
        yield Clue("rules.count", node.file, node.line, 1 / (1 + step.distance / 8), why)
    elif isinstance(node.expr, ast.Call) and called_name(node.expr) in TABLES:
        why = f"`{node.text}` is the table that is too small for the index"
        yield Clue("rules.table", node.file, node.line, 1 / (1 + step.distance / 4), why)
