"""Functions that put a batch together: their argument is a list of a data set's samples."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dl_bug_lsp.provenance import calls
from dl_bug_lsp.provenance.limits import MAX_CALLERS
from dl_bug_lsp.provenance.nodes import Node
from dl_bug_lsp.provenance.scopes import Scope

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine

LOADERS = (
    ("DataLoader", "collate_fn", "dataset"),
    ("Trainer", "data_collator", "train_dataset"),
)
"""Classes that are given a function for batches, and the keywords of it and of the samples."""


def samples_for(engine: Engine, name: str, scope: Scope) -> list[Node]:
    """Return the lists of samples that loaders of the workspace hand to a parameter, if any.

    A loader's worker process shows no frame from which the argument could be followed.
    """
    short = scope.name.rpartition(".")[2]
    parameters = [p.arg for p in scope.parameters() if p.arg not in ("self", "cls")]
    if parameters[:1] != [name]:
        return []
    if short == "__call__" and scope.owner is not None:
        short = scope.owner.name.rpartition(".")[2]
    found: list[Node] = []
    for loader, collate, dataset in LOADERS:
        for caller, call in engine.program.callers(loader)[:MAX_CALLERS]:
            given = {k.arg: k.value for k in call.keywords if k.arg}
            samples = given.get(dataset) or (call.args[0] if call.args else None)
            if samples is None or short not in _names(given.get(collate)):
                continue
            one = calls.many(engine, engine.node(samples, engine.open_context(caller)))
            found.extend([one] if one is not None else [])
    return found


def _names(expr: ast.expr | None) -> set[str]:
    """Return the last names that an expression for a function mentions (``partial(pad, …)``)."""
    nodes = list(ast.walk(expr)) if expr is not None else []
    names = {n.id for n in nodes if isinstance(n, ast.Name)}
    return names | {n.attr for n in nodes if isinstance(n, ast.Attribute)}
