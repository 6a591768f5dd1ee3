"""What a name stands for at a line: reaching definitions, parameters, imports."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dl_bug_lsp.provenance import calls, collating, evaluation, known_calls
from dl_bug_lsp.provenance.limits import CALL_METHODS, MAX_ALTERNATIVES, MAX_CALLERS, MAX_DEPTH
from dl_bug_lsp.provenance.nodes import Node
from dl_bug_lsp.provenance.scopes import Binding, Scope
from dl_bug_lsp.provenance.values import (
    Class,
    Context,
    Function,
    Library,
    Module,
    Value,
)

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine

END = 1 << 30
"""A line after every other: what a name means when its module has run."""
INLINE_LINES = 8
"""How far a comprehension's target may stand from its use."""


def lookup(engine: Engine, name: str, context: Context, line: int) -> list[Node]:
    """Return the nodes that a (dotted) name may stand for at a line of a context's scope."""
    at: Context | None = context
    first = True
    while at is not None:
        scope = at.scope
        if not (scope.is_class and not first):
            found = local(engine, name, at, line if first else END)
            if found is not None:
                return found
        first = False
        at = at.outer
    return []


def local(engine: Engine, name: str, context: Context, line: int) -> list[Node] | None:
    """Return the nodes of a name in one scope; None where the scope does not know it."""
    scope = context.scope
    if name in context.extra:
        return [context.extra[name]]
    if scope.is_module and (given := engine.configuration.replaced(scope, name, line)):
        return given
    bindings = reaching(engine, scope, name, line)
    is_parameter = any(p.arg == name for p in scope.parameters())
    nodes = [engine.node(b.value, context) for b in bindings]
    killed = any(not b.mutates and not b.blocks for b in bindings)
    if is_parameter and not killed:
        nodes = [*parameter(engine, name, context), *nodes]
    if nodes or is_parameter:
        return nodes[:MAX_ALTERNATIVES]
    return None


def reaching(engine: Engine, scope: Scope, name: str, line: int) -> list[Binding]:
    """Return the bindings that may reach ``line``, the one that counts most first."""
    bindings = scope.bindings.get(name)
    if not bindings:
        return []
    inline = [b for b in bindings if b.inline and abs(b.line - line) <= INLINE_LINES]
    if inline:
        return [min(inline, key=lambda b: abs(b.line - line))]
    bindings = [b for b in bindings if not b.inline]
    line = _statement_start(scope, line)
    loops = _blocks_at(scope, line)
    before = [b for b in bindings if b.line < line]
    same = [b for b in bindings if b.line == line and b.blocks and b.loops != b.blocks]
    later = [b for b in bindings if b.line >= line and set(b.loops) & set(loops[1])]
    if scope.is_module and not before:
        before = bindings
    found: list[Binding] = []
    for binding in reversed(before):
        found.append(binding)
        if not binding.mutates and set(binding.blocks) <= set(loops[0]):
            break
    found.extend(b for b in (*later, *same) if b not in found)
    if not found and line >= END:
        found = list(reversed(bindings))
    return found[:MAX_ALTERNATIVES]


def parameter(engine: Engine, name: str, context: Context) -> list[Node]:
    """Return what a parameter stands for: its argument, all callers' arguments, its default."""
    if context.bindings is not None:
        bound = context.bindings.get(name)
        if bound is not None:
            return [bound]
    scope = context.scope
    default = scope.default_of(name)
    nodes = []
    if context.bindings is None and context.depth < MAX_DEPTH:
        nodes = engine.configuration.parameter(scope, name)
        if nodes:
            return nodes
        nodes = _callers_arguments(engine, name, scope)
    elif given := engine.configuration.bound_by_gin(scope, name):
        return given
    if default is not None:
        outer = context.outer or engine.open_context(scope)
        nodes.append(engine.node(default, outer))
    return nodes


def _callers_arguments(engine: Engine, name: str, scope: Scope) -> list[Node]:
    short = scope.name.rpartition(".")[2]
    owner = scope.owner
    if owner is not None and short == "__init__":
        short = owner.name.rpartition(".")[2]
    nodes: list[Node] = []
    callers = engine.program.callers(short)
    if owner is not None and short in CALL_METHODS:
        callers = engine.program.calls_of_instances(owner.name.rpartition(".")[2])
    if len(callers) > 4 * MAX_CALLERS:
        return []
    for caller, call in callers:
        bound = calls.bind(engine, scope, call, engine.open_context(caller), owner is not None)
        if name in bound and bound[name] not in nodes:
            nodes.append(bound[name])
        if len(nodes) >= MAX_CALLERS:
            break
    return nodes or collating.samples_for(engine, name, scope)


def definition(engine: Engine, name: str, node: Node) -> list[Value]:
    """Return what a name means that no assignment binds: a def, a class, an import, a builtin."""
    at: Context | None = node.context
    while at is not None:
        scope = at.scope
        if name in scope.functions:
            return [Function(scope.functions[name], None, at)]
        if name in scope.classes:
            return [Class(scope.classes[name])]
        if name in scope.imports:
            return imported_values(engine, scope, *scope.imports[name])
        for star in scope.stars:
            target = engine.program.imported(scope, star)
            found = module_member(engine, target, name) if target is not None else []
            if found:
                return found
        at = at.outer
    return [Library(f"builtins.{name}")] if name in known_calls.BUILTINS else []


def imported_values(engine: Engine, scope: Scope, module: str, name: str | None) -> list[Value]:
    """Return what an import gives: a workspace module or member, or a library name."""
    target = engine.program.imported(scope, module)
    if name is None:
        return [Module(target)] if target is not None else [Library(module)]
    if target is None:
        inner = engine.program.imported(
            scope, f"{module.rstrip('.')}.{name}" if module.strip(".") else module + name
        )
        if inner is not None:
            return [Module(inner)]
        return [Library(f"{module}.{name}")]
    found = module_member(engine, target, name)
    if found:
        return found
    dotted = f"{module}.{name}" if module.strip(".") else module + name
    inner = engine.program.imported(scope, dotted)
    return [Module(inner)] if inner is not None else []


def module_member(engine: Engine, module: Scope, name: str) -> list[Value]:
    """Return what a name of a workspace module (or package: a submodule) stands for."""
    context = engine.open_context(module)
    with engine.opening("module", module.file, name) as first:
        if not first:
            return []
        nodes = lookup(engine, name, context, END)
        nodes = nodes or engine.configuration.inherited(module, name)
        if nodes:
            return evaluation.union(engine, nodes)
        probe = ast.Name(id=name, ctx=ast.Load(), lineno=END, col_offset=0)
        found = [
            v
            for v in definition(engine, name, Node(engine, context, probe))
            if not (isinstance(v, Library) and v.name.startswith("builtins."))
        ]
        if not found and module.file.endswith("__init__.py"):
            inner = engine.program.imported(module, f".{name}")
            found = [Module(inner)] if inner is not None else []
        return found


def submodule(engine: Engine, node: Node, dotted: str) -> Module | None:
    """Return the module of an ``import a.b`` where ``a`` is a folder without ``__init__.py``."""
    at: Context | None = node.context
    while at is not None:
        if dotted in at.scope.submodules:
            target = engine.program.imported(at.scope, dotted)
            return Module(target) if target is not None else None
        at = at.outer
    return None


def imported_nodes(engine: Engine, name: str, node: Node) -> list[Node]:
    """Return the nodes that an imported name stands for in the module that makes it."""
    at: Context | None = node.context
    while at is not None:
        if name in at.scope.imports or at.scope.stars:
            return _handed_on(engine, at.scope, name)
        at = at.outer
    return []


def module_nodes(engine: Engine, module: Scope, name: str) -> list[Node]:
    """Return the nodes of a module's name, also where the module imports it itself."""
    with engine.opening("nodes", module.file, name) as first:
        if not first:
            return []
        found = lookup(engine, name, engine.open_context(module), END)
        found = found or _handed_on(engine, module, name)
        return found or engine.configuration.inherited(module, name)


def _handed_on(engine: Engine, scope: Scope, name: str) -> list[Node]:
    module, member = scope.imports.get(name, ("", None))
    sources = [(module, member)] if member is not None else [(star, name) for star in scope.stars]
    for source, wanted in sources:
        target = engine.program.imported(scope, source)
        found = module_nodes(engine, target, wanted) if target is not None else []
        if found:
            return found
    return []


def _statement_start(scope: Scope, line: int) -> int:
    """Return the first line of the statement that holds a line of the scope."""
    if line >= END:
        return line
    return max((start for start in scope.blocks_at if start <= line), default=line)


def _blocks_at(scope: Scope, line: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the blocks and loops around the statement that holds a line."""
    starts = [start for start in scope.blocks_at if start <= line]
    return scope.blocks_at[max(starts)] if starts else ((), ())
