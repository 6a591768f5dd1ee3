"""Names that are set again and used as if they had their first value: by loops, over imports.

The target of a ``for`` and what its body assigns outlive the loop (Python language reference, "The
for statement"). Where a name had a value of its own before, and the failing path uses it after
the loop, the run used the last round's value. pylint warns of such targets (W0631).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import source
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.scopes import Binding, Scope

IN_BODY = 0.5
"""What a name counts that the body of a loop assigns: most such loops compute it for later."""
MOST_STEPS = 400
WORKING_NAMES = frozenset(("_", "i", "j", "k", "x", "y", "model", "loss", "out", "h"))
"""Names that programs bind again and again on purpose."""


def find_rebound_names(case: Case) -> Iterator[Clue]:
    """Yield the loops that gave a name of the failing path another value than it had before."""
    seen: set[tuple[str, int]] = set()
    yield from _imports(case)
    for step in case.stack_steps[:MOST_STEPS]:
        node = step.node
        if node.entry is not None or not isinstance(node.expr, ast.Name):
            continue
        found = _set_in_loop(node, node.expr.id)
        if found is None:
            continue
        first, again = found
        place = (again.scope.file, again.line)
        if place in seen:
            continue
        seen.add(place)
        name = node.expr.id
        of_target = again.within
        verb = "is the target of this loop" if of_target else "is set in this loop"
        why = (
            f"`{name}` {verb}, too; line {node.line} uses it after the loop, where it may no "
            f"longer be `{source(first.value)}` (line {first.line})"
        )
        yield Clue("rules.rebound", *place, 1.0 if of_target else IN_BODY, why)


def _imports(case: Case) -> Iterator[Clue]:
    """Yield where the name of an import that the failing expression uses gets another value."""
    for start in case.starts:
        for part in ast.walk(start.expr):
            if not isinstance(part, ast.Attribute) or not isinstance(part.value, ast.Name):
                continue
            scope: Scope | None = start.context.scope
            name = part.value.id
            while scope is not None and name not in scope.bindings and name not in scope.imports:
                scope = scope.parent
            if scope is None or name not in scope.imports:
                continue
            for binding in scope.bindings.get(name, ()):
                if binding.how == "assign" and binding.scope is scope:
                    why = f"`{name}` is the name of an import, and gets another value here"
                    yield Clue("rules.rebound", scope.file, binding.line, 1.0, why)


def _set_in_loop(node: Node, name: str) -> tuple[Binding, Binding] | None:
    """Return where a name got its first value, and the binding in a loop that hides it."""
    scope: Scope | None = node.context.scope
    line = node.line
    if name in WORKING_NAMES or scope is None or id(node.expr) in node.context.scope.inline:
        return None
    while scope is not None and name not in scope.bindings:
        if scope.is_class or name in {p.arg for p in scope.parameters()}:
            return None
        scope = scope.parent
        line = 1 << 30  # A function is called when its module has been run.
    if scope is None or scope.is_class:
        return None
    bindings = [b for b in scope.bindings[name] if b.how == "assign" and b.scope is scope]
    before = [b for b in bindings if b.line < line]
    if not before:
        return None
    last = max(before, key=lambda b: b.line)
    firsts = [b for b in before if not b.loops and not b.blocks and b.line < last.line]
    loop = _loop_around(scope, last.line) if last.loops else None
    if loop is None or not firsts or len(last.blocks) != len(last.loops):
        return None
    if line <= (loop.end_lineno or loop.lineno) or firsts[-1].line > loop.lineno:
        return None
    if not last.within and (_reads(last.value, name) or _is_empty(firsts[-1].value)):
        return None
    return firsts[-1], last


def _loop_around(scope: Scope, line: int) -> ast.For | None:
    """Return the outermost loop of a scope that holds a line."""
    loops = [
        part
        for part in ast.walk(scope.node)
        if isinstance(part, ast.For) and part.lineno <= line <= (part.end_lineno or part.lineno)
    ]
    return min(loops, key=lambda part: part.lineno, default=None)


def _reads(value: ast.expr, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(value))


def _is_empty(value: ast.expr) -> bool:
    """Whether a value is one to begin with: None, zero, an empty text or container."""
    if isinstance(value, ast.Constant):
        return not value.value
    if isinstance(value, ast.List | ast.Tuple | ast.Set):
        return not value.elts
    return isinstance(value, ast.Dict) and not value.keys
