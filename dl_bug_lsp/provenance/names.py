"""What a name stands for at a line: reaching definitions, parameters, imports.

Functions that put a batch together: their argument is a list of a data set's samples.
"""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_left
from itertools import islice
from typing import TYPE_CHECKING

from dl_bug_lsp.provenance import calls, objects
from dl_bug_lsp.provenance.nodes import (
    MAX_CALLERS,
    MAX_DEFINITIONS,
    MAX_DEPTH,
    Change,
    Class,
    Context,
    Function,
    Instance,
    Library,
    Module,
    Node,
    Value,
    combined,
    union,
)
from dl_bug_lsp.provenance.scopes import END, Binding, Scope

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine


BUILTINS = frozenset(dir(builtins))
MAX_HANDED_ON = 400
"""Modules that a name is looked for in along imports."""


def home(
    engine: Engine, name: str, context: Context, line: int, column: int = -1
) -> tuple[Context, int, list[Node]] | None:
    """Return the context whose scope knows a (dotted) name, the line to look from, its nodes."""
    at: Context | None = context
    first = True
    while at is not None:
        scope = at.scope
        if not (scope.is_class and not first):
            seen = line if first else END
            nodes = local(engine, name, at, seen, column)
            if nodes is not None:
                return at, seen, nodes
        first = False
        at = at.outer
    return None


def lookup(engine: Engine, name: str, context: Context, line: int, column: int = -1) -> list[Node]:
    """Return the nodes that a (dotted) name may stand for at a line of a context's scope."""
    known = home(engine, name, context, line, column)
    return known[2] if known is not None else []


def local(
    engine: Engine, name: str, context: Context, line: int, column: int = -1
) -> list[Node] | None:
    """Return the nodes of a name in one scope; None where the scope does not know it."""
    scope = context.scope
    if name in context.extra:
        return [context.extra[name]]
    if scope.is_module and (replaced := engine.configuration.replaced(scope, name, line)):
        return replaced
    is_parameter = "." not in name and scope.takes(name)
    if name not in scope.bindings:
        return parameter(engine, name, context) if is_parameter else None
    bindings = reaching(scope, name, line, column)
    nodes = [placed(engine, b.value, b, context) for b in bindings]
    if is_parameter and all(b.blocks for b in bindings):
        nodes = [*parameter(engine, name, context), *nodes]
    return nodes if nodes or is_parameter else None


def placed(engine: Engine, expr: ast.expr, binding: Binding, context: Context) -> Node:
    """Return the node of an expression of a binding, which may stand in another scope."""
    if binding.scope is context.scope:
        return engine.node(expr, context)
    return engine.node(expr, engine.open_context(binding.scope))


def reaching(scope: Scope, name: str, line: int, column: int = -1) -> list[Binding]:
    """Return the definitions that may reach ``line``, the one that counts most first.

    What only changes a value (``x.append(…)``) is none; `changes` has it.
    """
    own, foreign = scope.definitions(name)
    use = (line, column)
    line = scope.statement_start(line) if line < END else line
    blocks, loops = (set(idents) for idents in scope.around(line))
    at = bisect_left(own, line, key=_line)
    bindings: list[Binding] = []
    within = [b for b in own[at : at + 2] if b.within and b.line == line and _end(b.value) <= use]
    before = range((len(own) if scope.is_module and not at else at) - 1, -1, -1)
    for binding in (*reversed(within), *(own[index] for index in before[:MAX_DEFINITIONS])):
        bindings.append(binding)
        if blocks.issuperset(binding.blocks):
            break
    if loops:
        later = (b for b in own[at:] if not loops.isdisjoint(b.loops) and b not in bindings)
        bindings.extend(islice(later, MAX_DEFINITIONS))
    bindings.extend(foreign[:MAX_DEFINITIONS])
    return bindings


def made_at(scope: Scope, name: str, line: int) -> int:
    """Return the line of the definition of a name that hides all before it, 0 without one."""
    bindings = [b for b in reaching(scope, name, line) if b.scope is scope and b.line < line]
    blocks = set(scope.around(line)[0])
    return max((b.line for b in bindings if set(b.blocks) <= blocks), default=0)


def _line(binding: Binding) -> int:
    return binding.line


def _end(value: ast.expr) -> tuple[int, int]:
    return (
        getattr(value, "end_lineno", None) or value.lineno,
        getattr(value, "end_col_offset", None) or 0,
    )


def parameter(engine: Engine, name: str, context: Context) -> list[Node]:
    """Return what a parameter stands for: its argument, all callers' arguments, its default."""
    if context.bindings is not None:
        bound = context.bindings.get(name)
        if bound is not None:
            return [bound]
    scope = context.scope
    parameters = scope.parameters()
    if scope.owner is not None and parameters and parameters[0].arg == name:
        return _receivers(engine, scope, scope.owner)
    default = scope.default_of(name)
    nodes = []
    if context.bindings is None and context.depth < MAX_DEPTH:
        nodes = engine.configuration.parameter(scope, name)
        if nodes:
            return nodes
        for entered in calls.entries(engine, scope):
            bound = (entered.bindings or {}).get(name)
            if bound is not None and bound not in nodes:
                nodes.append(bound)
        nodes = nodes[:MAX_CALLERS] or samples_for(engine, name, scope)
    elif unbound := engine.configuration.unbound(scope, name):
        return unbound
    is_none = isinstance(default, ast.Constant) and default.value is None
    if default is not None and not (is_none and scope.replaces_none(name)):
        nodes.append(engine.node(default, context.outer or engine.open_context(scope)))
    absent = all(isinstance(n.expr, ast.Constant) and n.expr.value is None for n in nodes)
    if absent and context.bindings is None:
        nodes.extend(_annotated(engine, name, scope))
    return nodes


def _receivers(engine: Engine, scope: Scope, owner: Scope) -> list[Node]:
    """Return what the first parameter of a method stands for."""
    decorators = scope.decorators()
    if "staticmethod" in decorators:
        return []
    if "classmethod" in decorators:
        return [objects.class_node(engine, owner)]
    return [unknown_instance.built for unknown_instance in objects.unknown_instances(engine, owner)]


def _annotated(engine: Engine, name: str, scope: Scope) -> list[Node]:
    """Return an object of the workspace class that a parameter is annotated with."""
    annotation = next((p.annotation for p in scope.parameters() if p.arg == name), None)
    if annotation is None or scope.parent is None:
        return []
    if isinstance(annotation, ast.BinOp):
        annotation = annotation.left
    if isinstance(annotation, ast.Subscript) and _is_optional(annotation):
        annotation = annotation.slice
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        if not annotation.value.isidentifier():
            return []
        text = ast.Name(id=annotation.value, ctx=ast.Load())
        annotation = engine.made(
            ("annotation", id(annotation)), lambda: ast.copy_location(text, scope.node)
        )
    values = engine.node(annotation, engine.open_context(scope.parent)).values
    return [
        unknown_instance.built
        for v in values
        if isinstance(v, Class)
        for unknown_instance in objects.unknown_instances(engine, v.scope)
    ]


def _is_optional(annotation: ast.Subscript) -> bool:
    return getattr(annotation.value, "id", getattr(annotation.value, "attr", "")) == "Optional"


def definition(engine: Engine, name: str, context: Context) -> list[Value]:
    """Return what a name means that no assignment binds: a def, a class, an import, a builtin."""
    at: Context | None = context
    while at is not None:
        scope = at.scope
        if name in scope.functions or name in scope.classes:
            return defined(engine, name, at)
        if name in scope.imports:
            return imported_values(engine, scope, *scope.imports[name])
        for star in scope.stars:
            target = engine.program.imported(scope, star)
            values = module_member(engine, target, name) if target is not None else []
            if values:
                return values
        at = at.outer
    return [Library(f"builtins.{name}")] if name in BUILTINS else []


def defined(engine: Engine, name: str, context: Context) -> list[Value]:
    """Return a function or class of a scope; what a decorator of the workspace makes of it."""
    scope = context.scope
    inner = scope.functions.get(name) or scope.classes[name]
    decorated_expr = scope.decorated.get(name)
    if decorated_expr is not None:
        decorated = [
            v
            for v in engine.node(decorated_expr, context).values
            if isinstance(v, (Function, Class, Instance))
        ]
        if decorated:
            return list(decorated)
    return [plain(inner, context)]


def plain(inner: Scope, context: Context) -> Function | Class:
    """Return a function or class of a context's scope, whatever its decorators."""
    return Class(inner) if inner.is_class else Function(inner, None, context)


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
    values = module_member(engine, target, name)
    if values:
        return values
    dotted = f"{module}.{name}" if module.strip(".") else module + name
    inner = engine.program.imported(scope, dotted)
    return [Module(inner)] if inner is not None else []


def module_member(engine: Engine, module: Scope, name: str) -> list[Value]:
    """Return what a name of a workspace module (or package: a submodule) stands for."""
    context = engine.open_context(module)

    def work() -> list[Value]:
        nodes, changes_made = module_meaning(engine, module, name)
        nodes = nodes or engine.configuration.inherited(module, name)
        if nodes or changes_made:
            return combined(nodes, union(nodes), changes_made)
        values = [
            v
            for v in definition(engine, name, context)
            if not (isinstance(v, Library) and v.name.startswith("builtins."))
        ]
        if not values and module.file.endswith("__init__.py"):
            inner = engine.program.imported(module, f".{name}")
            values = [Module(inner)] if inner is not None else []
        return values

    return engine.ask("module", module.file, name, work=work)


def module_meaning(engine: Engine, module: Scope, name: str) -> tuple[list[Node], list[Change]]:
    """Return the definitions of a module's name, also where it only imports it, and its changes."""
    seen: set[tuple[int, str]] = set()
    queue = [(module, name)]
    for home_module, member_name in queue:
        if (id(home_module), member_name) in seen or len(seen) > MAX_HANDED_ON:
            continue
        seen.add((id(home_module), member_name))
        context = engine.open_context(home_module)
        nodes = local(engine, member_name, context, END)
        if nodes:
            return nodes, engine.changes_of_name(member_name, context, END, nodes)
        source, member = home_module.imports.get(member_name, ("", None))
        sources = (
            [(source, member)]
            if member is not None
            else [(s, member_name) for s in home_module.stars]
        )
        for source, member in sources:
            target = engine.program.imported(home_module, source)
            if target is not None and member is not None:
                queue.append((target, member))
    return [], []


def imported_meaning(
    engine: Engine, name: str, context: Context
) -> tuple[list[Node], list[Change]]:
    """Return the definitions of an imported name in the module that makes it, and its changes."""
    at: Context | None = context
    while at is not None:
        if name in at.scope.imports or (at.scope.stars and name not in at.scope.functions):
            return module_meaning(engine, at.scope, name)
        at = at.outer
    return [], []


def submodule(engine: Engine, node: Node, dotted: str) -> Module | None:
    """Return the module of an ``import a.b`` where ``a`` is a folder without ``__init__.py``."""
    at: Context | None = node.context
    while at is not None:
        if dotted in at.scope.submodules:
            target = engine.program.imported(at.scope, dotted)
            return Module(target) if target is not None else None
        at = at.outer
    return None


def module_nodes(engine: Engine, module: Scope, name: str) -> list[Node]:
    """Return the nodes of a module's name, also where the module imports it itself."""

    def work() -> list[Node]:
        nodes, _ = module_meaning(engine, module, name)
        return nodes or engine.configuration.inherited(module, name)

    return engine.ask("nodes", module.file, name, work=work)


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
    lists: list[Node] = []
    for loader, collate, dataset in LOADERS:
        for caller, call in engine.program.callers(loader)[:MAX_CALLERS]:
            keywords = {k.arg: k.value for k in call.keywords if k.arg}
            samples = keywords.get(dataset) or (call.args[0] if call.args else None)
            if samples is None or short not in _names(keywords.get(collate)):
                continue
            sample_list = calls.many(engine, engine.node(samples, engine.open_context(caller)))
            lists.extend([sample_list] if sample_list is not None else [])
    return lists


def _names(expr: ast.expr | None) -> set[str]:
    """Return the last names that an expression for a function mentions (``partial(pad, …)``)."""
    nodes = list(ast.walk(expr)) if expr is not None else []
    names = {n.id for n in nodes if isinstance(n, ast.Name)}
    return names | {n.attr for n in nodes if isinstance(n, ast.Attribute)}
