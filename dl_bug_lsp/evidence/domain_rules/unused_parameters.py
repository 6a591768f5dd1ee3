"""Parameters that a function of the failure never uses, though a call of the program gives them.

A signature that somebody else demands tells nothing: hooks, callbacks and decorated functions
(``hydra.main``, ``click``, fixtures of pytest) take what their library gives, methods what the
interface of their class has. So the program's own code must give the value, by a direct call.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, near_scopes, own_nodes
from dl_bug_lsp.provenance import calls, objects
from dl_bug_lsp.provenance.engine import Engine
from dl_bug_lsp.provenance.nodes import Node
from dl_bug_lsp.provenance.scopes import Scope, called_name

IGNORED = {
    *("self", "cls", "_", "args", "kwargs", "batch_idx", "stage", "index", "key", "name"),
    *("trainer", "pl_module", "logs", "outputs", "info", "state", "control", "event"),
}
"""Parameters that a protocol or a framework's hook asks for, used or not."""
HOOKS = {"forward", "training_step", "validation_step", "test_step", "call", "__exit__", "setup"}
TEST = re.compile(r"test(?:_|$)")
"""How the names of tests begin: their parameters are fixtures, needed or not."""
TRANSPARENT = {
    *("staticmethod", "classmethod", "cache", "lru_cache", "wraps", "contextmanager", "final"),
    *("no_grad", "inference_mode", "enable_grad", "autocast", "compile", "script", "checkpoint"),
    *("jit", "pmap", "vmap", "remat", "compact", "nowrap", "function"),
}
"""Last names of decorators whose functions get what their callers give."""


def find(case: Case) -> Iterator[Clue]:
    """Yield the parameters that the functions near the failure never use."""
    touched: dict[tuple[str, int], None] = {}
    for step in case.raise_slice:
        touched.setdefault((step.node.file, step.node.line))
    for scope in near_scopes(case):
        yield from _named_for_another(scope)
        inside = [line for file, line in touched if file == scope.file and _inside(scope, line)]
        for name, given in _given_in_vain(case.engine, scope).items() if inside else ():
            place = (
                f"line {given.line}" if given.file == scope.file else f"{given.file}:{given.line}"
            )
            why = f"`{scope.name}` never uses its parameter `{name}`, which {place} gives"
            for order, line in enumerate(inside):
                score = 1 / (1 + order / 2)
                yield Clue("rules.unused_parameter", scope.file, line, score, why)


def _named_for_another(scope: Scope) -> Iterator[Clue]:
    """Yield what is named for one parameter of a function and gets another one."""
    names = {parameter.arg for parameter in scope.parameters()}
    for node in own_nodes(scope.node):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Name):
            continue
        given = node.value.id
        for target in node.targets:
            is_own = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
            name = target.attr if is_own and isinstance(target, ast.Attribute) else given
            if name != given and {name, given} <= names:
                shown = ast.unparse(target)
                why = f"`{shown}` is named for the parameter `{name}` and gets `{given}`"
                yield Clue("rules.strong", scope.file, node.lineno, 1.0, why)


def _inside(scope: Scope, line: int) -> bool:
    node = scope.node
    if isinstance(node, ast.Module):
        return False
    return node.lineno < line <= (node.end_lineno or node.lineno)


def _given_in_vain(engine: Engine, scope: Scope) -> dict[str, Node]:
    """Return the parameters that a function never reads, each with what a call gives for it."""
    unread = _unread_parameters(scope)
    if not unread or _is_demanded(engine, scope):
        return {}
    given: dict[str, Node] = {}
    for context in calls.entries(engine, scope):
        for name in unread:
            node = (context.bindings or {}).get(name)
            if node is not None and node.line > 0:
                given.setdefault(name, node)
    return given


def _unread_parameters(scope: Scope) -> list[str]:
    """Return the parameters that a function's body never reads."""
    node = scope.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return []
    has_docstring = ast.get_docstring(node, clean=False) is not None
    body = node.body[1:] if has_docstring else node.body
    if not body or (len(body) == 1 and isinstance(body[0], (ast.Pass, ast.Raise, ast.Expr))):
        return []
    read = {n.id for statement in body for n in ast.walk(statement) if isinstance(n, ast.Name)}
    saved = any(called_name(call) == "save_hyperparameters" for call in calls_in(node))
    if saved or "locals" in read or ("super" in read and len(body) == 1):
        return []
    names = [p.arg for p in scope.parameters() if p.arg not in IGNORED and p.arg[0] != "_"]
    return [name for name in names if name not in read]


def _is_demanded(engine: Engine, scope: Scope) -> bool:
    """Whether somebody else than the function's author says which parameters it takes."""
    short = scope.name.rpartition(".")[2]
    if short in HOOKS or short.startswith("on_") or TEST.match(short):
        return True
    if any(name not in TRANSPARENT for name in map(_decorator_name, _decorators(scope))):
        return True
    owner = scope.owner
    if owner is None or not isinstance(owner.node, ast.ClassDef):
        return False
    if short.startswith("__") and short != "__init__":
        # A constructor's own parameters are the class's business; a protocol says the others.
        return bool(owner.node.bases)
    if short == "__init__":
        return False
    others = [*objects.lineage(engine, owner)[1:], *engine.program.subclasses(owner)]
    if owner.parent is not None:
        others.extend(cls for cls in owner.parent.classes.values() if cls is not owner)
    return any(short in cls.functions for cls in others)


def _decorators(scope: Scope) -> list[ast.expr]:
    return list(getattr(scope.node, "decorator_list", ()))


def _decorator_name(decorator: ast.expr) -> str:
    """Return the last name of a decorator; of ``partial(jit, …)`` that of what it completes."""
    if isinstance(decorator, ast.Call):
        if called_name(decorator) == "partial" and decorator.args:
            return _decorator_name(decorator.args[0])
        return called_name(decorator)
    return decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")
