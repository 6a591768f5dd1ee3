"""State dicts whose keys differ by a prefix only: who writes it, and who would have to strip it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import called_name, near_files
from dl_bug_lsp.messages import FactKind, Role
from dl_bug_lsp.provenance.values import LibraryObject

WRAPPERS = {
    "module.": {"DataParallel", "DistributedDataParallel", "AveragedModel"},
    "_orig_mod.": {"compile"},
}
MOST_FILES = 40


def find(case: Case) -> Iterator[Clue]:
    """Yield the lines that make the prefix by which the keys of two state dicts differ."""
    given = {str(f.value) for f in case.facts.of(FactKind.PARAMETER, Role.ACTUAL)}
    wanted = {str(f.value) for f in case.facts.of(FactKind.PARAMETER, Role.EXPECTED)}
    prefix = common_prefix(given, wanted) or common_prefix(wanted, given)
    if not prefix:
        return
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            kind, why = _makes(node, prefix)
            if kind:
                yield Clue(kind, file, getattr(node, "lineno", 1), 1.0, why)
        yield from _saved(case, file, prefix)


def _saved(case: Case, file: str, prefix: str) -> Iterator[Clue]:
    """Find where the state of a wrapper is taken, instead of that of the model inside it."""
    module = case.engine.program.module(file) if WRAPPERS.get(prefix) else None
    for scope in module.walk() if module is not None else ():
        for call in scope.calls:
            func = call.func
            if not isinstance(func, ast.Attribute) or func.attr != "state_dict":
                continue
            owner = case.engine.node(func.value, case.engine.open_context(scope))
            names = {v.name for v in owner.values if isinstance(v, LibraryObject)}
            made = sorted(n for n in names if n.rpartition(".")[2] in WRAPPERS[prefix])
            if made:
                wrapper = made[0].rpartition(".")[2]
                why = (
                    f"`{ast.unparse(func.value)}` is a {wrapper}, whose keys begin with `{prefix}`"
                )
                yield Clue("rules.strong", file, call.lineno, 1.0, why)


def common_prefix(longer: set[str], shorter: set[str]) -> str:
    """Return what most longer keys have before a shorter one, with its dot; empty for nothing."""
    found = Counter(
        long[: -len(short)] for long in longer for short in shorter if long.endswith("." + short)
    )
    best = max(sorted(found), key=found.__getitem__, default="")
    return best if 2 * found[best] >= min(len(longer), len(shorter)) else ""


def _makes(node: ast.AST, prefix: str) -> tuple[str, str]:
    if isinstance(node, ast.Constant) and node.value in (prefix, "." + prefix):
        return "rules.strong", f"`{prefix}` is the prefix by which the keys differ"
    if isinstance(node, ast.Call) and called_name(node) in WRAPPERS.get(prefix, ()):
        return "rules.medium", f"this wrapper puts `{prefix}` before every key"
    first = prefix.partition(".")[0]
    if isinstance(node, ast.Assign) and any(
        isinstance(t, ast.Attribute) and t.attr == first for t in node.targets
    ):
        return (
            "rules.medium",
            f"the keys of `{first}` begin with `{prefix}` where its owner is saved",
        )
    return "", ""
