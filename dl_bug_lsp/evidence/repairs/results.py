"""Functions whose result is used and that give none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue, Suggestion
from dl_bug_lsp.evidence.domain_rules.syntax import called_name
from dl_bug_lsp.evidence.repairs.places import FUNCTIONS, body_of
from dl_bug_lsp.evidence.words import HELD_FILES
from dl_bug_lsp.provenance.scopes import Scope

RESULT_METHODS = frozenset(
    {"forward", "call", "__call__", "__getitem__", "__len__", "__iter__", "configure_optimizers",
     "train_dataloader", "val_dataloader"}
)  # fmt: skip
"""Methods of which Python or a framework uses the result."""
MOST_FILES = 40
NONE = (
    "NoneType",
    "None values",
    "is None",
    "returned None",
    "got None",
    "None was",
    "but is None",
)


def find(case: Case) -> Iterator[Clue]:
    """Yield the ends of functions that compute something, return nothing and are asked for it."""
    if case.category.id != "null_reference" and not any(w in case.message for w in NONE):
        return
    files = _reached(case)
    used: set[str] = set()
    fixtures: set[str] = set()
    for file in files:
        used |= _used_results(case, file)
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            fixtures.update(p.arg for p in scope.parameters())
    near = {site.context.scope.name for site in case.sites}
    near.update(s.node.context.scope.name for s in case.raise_slice if s.node.entry is None)
    for file in files:
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            if not _gives_nothing(scope):
                continue
            short = scope.name.rpartition(".")[2]
            is_fixture = short in fixtures and "fixture" in " ".join(scope.decorators())
            if short not in RESULT_METHODS | used and not is_fixture:
                continue
            why = f"`{scope.name}` returns nothing, and its result is used"
            score = 1.0 if scope.name in near or short in RESULT_METHODS else 0.8
            last = body_of(scope)[-1]
            edit = Suggestion(file, last.lineno, "", "return")
            yield Clue("missing.return", file, last.end_lineno or last.lineno, score, why, edit)
            yield Clue("missing.return", file, last.lineno, score, why, edit)
            yield Clue("missing.return_def", file, scope.line, score, why)


def _reached(case: Case) -> list[str]:
    """Return the files of the stack and the slices, and what these import: others did not run."""
    found = dict.fromkeys(place.file for place in reversed(case.places))
    for steps in (case.raise_slice, *case.outer_slices):
        found.update(dict.fromkeys(step.node.file for step in steps))
    python = [file for file in found if file.endswith((".py", ".ipynb"))]
    for file in python:
        for module in case.workspace.elements(file).imports:
            other = case.workspace.module_file(module, file)
            if other is not None:
                found[other] = None
    return [file for file in found if file.endswith((".py", ".ipynb"))][:MOST_FILES]


def _gives_nothing(scope: Scope) -> bool:
    """Whether a function computes something and ends without any value."""
    node = scope.node
    if not isinstance(node, FUNCTIONS) or scope.yields or scope.returns:
        return False
    last = node.body[-1]
    if isinstance(last, ast.Raise):
        return False
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant):
        return False
    return "abstractmethod" not in " ".join(scope.decorators())


def _used_results(case: Case, file: str) -> set[str]:
    """Return the names of the functions of which a file uses the result."""

    def make() -> frozenset[str]:
        tree = case.workspace.tree(file)
        found: set[str] = set()
        dropped: set[int] = set()
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Expr):
                dropped.add(id(node.value))
            elif isinstance(node, ast.Return) and node.value is not None:
                # Handing a result on is no use of it yet.
                dropped.add(id(node.value))
            elif isinstance(node, ast.Call) and id(node) not in dropped:
                found.add(called_name(node))
        return frozenset(found)

    return set(case.workspace.derived("repairs.used_results", file, make, HELD_FILES))
