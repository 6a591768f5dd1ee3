"""Traced and compiled functions: what the decorator assumes and the body breaks."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue

TRACERS = ("jit", "pmap", "vmap", "function", "compile", "script", "grad", "checkpoint", "remat")
TRACED = ("racer", "traced", "symbolic", "Symbolic", "tf.function", "FuncGraph", "jit", "static")


def find(case: Case) -> Iterator[Clue]:
    """Yield the decorators of the functions on the stack, when the message speaks of tracing."""
    if not any(word in f"{case.class_name} {case.message}" for word in TRACED):
        return
    for inner, site in enumerate(reversed(case.sites)):
        node = site.context.scope.node
        for decorator in getattr(node, "decorator_list", []):
            words = ast.unparse(decorator)
            if any(name in words for name in TRACERS):
                why = f"`@{words[:60]}` traces this function instead of running it"
                score = 1 / (1 + inner / 2)
                yield Clue("rules.tracing", site.place.file, decorator.lineno, score, why)
