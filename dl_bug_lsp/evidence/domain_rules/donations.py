"""Rules for arrays of JAX whose memory a jitted function was given.

After a call with ``donate_argnums`` the array that was passed is deleted; every other name of the
same array is deleted with it (JAX, "Buffer donation"). ``jnp.asarray`` and identity functions give
the same array back, ``jnp.array`` and ``jnp.copy`` a copy.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import source
from dl_bug_lsp.provenance.scopes import Scope, called_name

DELETED = re.compile(r"(?i)array has been deleted|deleted or donated|donated")
SAME = re.compile(
    r"\basarray\(|tree(?:_util)?\.?_?(?:map|map_)\((?:\w+\.)*(?:asarray|lambda (\w+): \1\b,)"
    r"|\bcopy\.copy\(|^dict\(|\.unfreeze\(|tree_(?:un)?flatten\(|\.replace\("
)
"""Calls whose result shares the memory of what they are given."""


def find_donations(case: Case) -> Iterator[Clue]:
    """Yield other names of an array that is given away, and calls after which it is still read."""
    if not DELETED.search(case.message):
        return
    donating = _donating(case)
    for site in reversed(case.sites):
        scope = site.context.scope
        for statement in ast.walk(scope.node):
            if not isinstance(statement, (ast.Assign, ast.Expr)):
                continue
            call = statement.value
            if not isinstance(call, ast.Call) or called_name(call) not in donating:
                continue
            targets = {
                n.id
                for t in (statement.targets if isinstance(statement, ast.Assign) else ())
                for n in ast.walk(t)
                if isinstance(n, ast.Name)
            }
            for name in [a.id for a in call.args if isinstance(a, ast.Name)]:
                if name in targets:
                    yield from _aliases(case, scope, name)


def _donating(case: Case) -> set[str]:
    """Return names of functions that are given memory, and of what functions make them."""
    names: set[str] = set()
    for file in case.code_files:
        module = case.engine.program.module(file)
        for scope in module.walk() if module is not None else ():
            if any("donate" in text for text in scope.decorators()):
                names.add(scope.name.rpartition(".")[2])
                if scope.parent is not None and not scope.parent.is_module:
                    names.add(scope.parent.name.rpartition(".")[2])
    for file in case.code_files:
        for node in ast.walk(case.workspace.tree(file) or ast.Module([], [])):
            value = node.value if isinstance(node, ast.Assign) else None
            if not isinstance(node, ast.Assign) or not isinstance(value, ast.Call):
                continue
            if "donate" in ast.unparse(value) or called_name(value) in names:
                names |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    return names


def _aliases(case: Case, scope: Scope, name: str) -> Iterator[Clue]:
    """Find what gives the same array another name."""
    for other, bindings in sorted(scope.bindings.items()):
        for binding in bindings:
            value = binding.value
            if other == name:
                continue
            if isinstance(value, ast.Name) and value.id == name:
                why = f"`{other}` is the same array as `{name}`, whose memory is given away"
                yield Clue("rules.strong", scope.file, binding.line, 1.0, why)
            elif isinstance(value, ast.Call) and any(
                isinstance(a, ast.Name) and a.id == name for a in value.args
            ):
                if SAME.search(ast.unparse(value)):
                    why = f"`{source(value)}` makes no copy of `{name}`, whose memory is given away"
                    yield Clue("rules.strong", scope.file, binding.line, 1.0, why)
                yield from _returned(case, scope, value, name)


def _returned(case: Case, scope: Scope, call: ast.Call, name: str) -> Iterator[Clue]:
    """Find what a function of the workspace returns of an array without copying it."""
    called = called_name(call)
    for file in case.code_files:
        module = case.engine.program.module(file)
        for inner in module.walk() if module is not None else ():
            if inner.name.rpartition(".")[2] != called or inner.is_class or inner is scope:
                continue
            taken = {p.arg for p in inner.parameters()}
            for returned in inner.returns:
                same = isinstance(returned, ast.Name) and returned.id in taken
                if same or SAME.search(ast.unparse(returned)):
                    shown = source(returned)
                    why = f"`{shown}` makes no copy of `{name}`, whose memory is given away"
                    yield Clue("rules.strong", inner.file, returned.lineno, 1.0, why)
