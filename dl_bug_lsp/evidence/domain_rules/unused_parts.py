"""Parts of a model that take no part in the loss, as data-parallel training finds out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import called_name, keyword
from dl_bug_lsp.provenance.values import Library

WORDS = ("not used in producing", "parameters that were not used")
WRAPPER = "DistributedDataParallel"
WEIGHT = re.compile(r"weight|lambda|alpha|coef|scale|factor", re.IGNORECASE)
OTHER_WEIGHTS = re.compile(r"decay|class|init", re.IGNORECASE)


def find(case: Case) -> Iterator[Clue]:
    """Yield optional layers, weights of zero, and the wrapper that expects all gradients."""
    if not any(words in case.message for words in WORDS):
        return
    for step in case.raise_slice:
        node = step.node
        if node.entry is not None or node.line <= 0:
            continue
        expr = node.expr
        if isinstance(expr, ast.IfExp) and isinstance(expr.body, ast.Call):
            why = f"`{node.text}` makes a part of the model that the loss may leave out"
            yield Clue("rules.weak", node.file, node.line, 1.0, why)
        if isinstance(expr, ast.Call) and keyword(expr, "find_unused_parameters") is None:
            callee = node.engine.node(expr.func, node.context)
            names = {v.name for v in callee.values if isinstance(v, Library)}
            if called_name(expr) == WRAPPER or any(n.endswith(f".{WRAPPER}") for n in names):
                why = f"`{node.text}` waits for the gradients of all parameters"
                yield Clue("rules.medium", node.file, node.line, 1.0, why)
    for entry in case.config_entries:
        zero = type(entry.value) in (int, float) and entry.value == 0
        if zero and WEIGHT.search(entry.key) and not OTHER_WEIGHTS.search(entry.key):
            why = f"`{entry.key}: {entry.text}` takes a part out of the loss"
            yield Clue("rules.medium", entry.file, entry.line, 1.0, why)
