"""The program as a model: modules, classes, functions and the bindings of names inside them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Union

from dl_bug_lsp.workspace import Workspace

FunctionNode = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]
ScopeNode = Union[ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]
Blocks = tuple[int, ...]

CALL_SITE_FILES = 150
"""Above this many Python files, callers are looked for only in files that import the callee's."""


class ElementOf(ast.expr):
    """A synthetic expression: any one element of an iterable (the target of a ``for``)."""

    _fields = ("value",)

    def __init__(self, value: ast.expr) -> None:
        super().__init__()
        self.value = value
        ast.copy_location(self, value)


class AnyItem(ast.expr):
    """A synthetic expression: any one value of a mapping (``for _, value in d.items()``)."""

    _fields = ("value",)

    def __init__(self, value: ast.expr) -> None:
        super().__init__()
        self.value = value
        ast.copy_location(self, value)


class Entered(ast.expr):
    """A synthetic expression: what a context manager gives on entry (``with value as …``)."""

    _fields = ("value",)

    def __init__(self, value: ast.expr) -> None:
        super().__init__()
        self.value = value
        ast.copy_location(self, value)


@dataclass(slots=True, eq=False)
class Binding:
    """One place that gives a name (or ``self.attribute``) a value or changes the value it has.

    ``mutates`` is True for ``x += …``, ``x.append(…)``, ``x[k] = …``: the former value stays part of
    it. ``key`` is the constant subscript of ``x[key] = …``. ``blocks`` identify the loops and
    branches around the statement, outermost first; ``loops`` those of them that repeat.
    """

    name: str
    line: int
    value: ast.expr
    blocks: Blocks
    loops: Blocks
    mutates: bool = False
    key: ast.expr | None = None


@dataclass(slots=True, eq=False)
class Scope:
    """A module, class or function body: its node and everything bound directly in it."""

    file: str
    name: str
    node: ScopeNode
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    functions: dict[str, Scope] = field(default_factory=dict)
    classes: dict[str, Scope] = field(default_factory=dict)
    imports: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    attributes: dict[str, list[tuple[Scope, Binding]]] = field(default_factory=dict)
    returns: list[ast.expr] = field(default_factory=list)
    yields: list[ast.expr] = field(default_factory=list)
    calls: list[ast.Call] = field(default_factory=list)
    blocks_at: dict[int, tuple[Blocks, Blocks]] = field(default_factory=dict)

    @property
    def is_class(self) -> bool:
        """Whether this is a class body."""
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_module(self) -> bool:
        """Whether this is a module."""
        return isinstance(self.node, ast.Module)

    @property
    def owner(self) -> Scope | None:
        """The class that this function is a method of."""
        return self.parent if self.parent is not None and self.parent.is_class else None

    @property
    def line(self) -> int:
        """The 1-based line of the definition (1 for a module)."""
        return getattr(self.node, "lineno", 1)

    def parameters(self) -> list[ast.arg]:
        """Return the positional and keyword parameters in order (no ``*args``/``**kwargs``)."""
        if not isinstance(self.node, FUNCTION_TYPES):
            return []
        a = self.node.args
        return [*a.posonlyargs, *a.args, *a.kwonlyargs]

    def default_of(self, name: str) -> ast.expr | None:
        """Return the default value of a parameter."""
        if not isinstance(self.node, FUNCTION_TYPES):
            return None
        a = self.node.args
        positional = [*a.posonlyargs, *a.args]
        for arg, default in zip(reversed(positional), reversed(a.defaults), strict=False):
            if arg.arg == name:
                return default
        for arg, kw_default in zip(a.kwonlyargs, a.kw_defaults, strict=True):
            if arg.arg == name:
                return kw_default
        return None

    def decorators(self) -> list[str]:
        """Return the source text of the decorators."""
        return [ast.unparse(d) for d in getattr(self.node, "decorator_list", [])]

    def walk(self) -> Iterator[Scope]:
        """Yield this scope and all scopes inside it."""
        yield self
        for inner in (*self.functions.values(), *self.classes.values()):
            yield from inner.walk()


FUNCTION_TYPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
WRAPS_ITERABLE = {"tqdm", "trange", "track", "list", "tuple", "iter", "reversed", "sorted"}
MUTATORS = {
    "append",
    "extend",
    "insert",
    "add",
    "update",
    "setdefault",
    "add_module",
    "add_argument",
}


class _Collector(ast.NodeVisitor):
    """Fill a `Scope` from the statements of its body."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.blocks: Blocks = ()
        self.loops: Blocks = ()

    def collect(self) -> Scope:
        node = self.scope.node
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        if isinstance(node, ast.Lambda):
            self.scope.returns.append(node.body)
        for statement in body:
            self.visit(statement)
        return self.scope

    # ---------------------------------------------------------------- definitions
    def _inner(self, node: ScopeNode, name: str) -> Scope:
        outer = self.scope
        dotted = name if outer.is_module else f"{outer.name}.{name}"
        return _Collector(Scope(outer.file, dotted, node, outer)).collect()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.scope.functions.setdefault(node.name, self._inner(node, node.name))
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        inner = self._inner(node, node.name)
        self.scope.classes.setdefault(node.name, inner)
        for method in inner.functions.values():
            parameters = method.parameters()
            if not parameters:
                continue
            me = parameters[0].arg + "."
            for name, bindings in method.bindings.items():
                if name.startswith(me) and name.count(".") == 1:
                    found = inner.attributes.setdefault(name[len(me) :], [])
                    found.extend((method, b) for b in bindings)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        name = f"<lambda>:{node.lineno}:{node.col_offset}"
        self.scope.functions.setdefault(name, self._inner(node, name))

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            self.scope.imports[name] = (alias.name if alias.asname else name, None)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            self.scope.imports[alias.asname or alias.name] = (module, alias.name)

    # ---------------------------------------------------------------- blocks
    def _block(self, statements: list[ast.stmt], ident: int, loop: bool = False) -> None:
        blocks, loops = self.blocks, self.loops
        self.blocks = (*blocks, ident)
        self.loops = (*loops, ident) if loop else loops
        for statement in statements:
            self.visit(statement)
        self.blocks, self.loops = blocks, loops

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        self._block(node.body, id(node))
        self._block(node.orelse, id(node) + 1)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        blocks, loops = self.blocks, self.loops
        self.blocks, self.loops = (*blocks, id(node)), (*loops, id(node))
        self._assign(node.target, ElementOf(node.iter), node.lineno)
        for statement in node.body:
            self.visit(statement)
        self.blocks, self.loops = blocks, loops
        self._block(node.orelse, id(node) + 1)

    visit_AsyncFor = visit_For

    def visit_While(self, node: ast.While) -> None:
        self.visit(node.test)
        self._block(node.body, id(node), loop=True)
        self._block(node.orelse, id(node) + 1)

    def visit_Try(self, node: ast.Try) -> None:
        for statement in node.body:
            self.visit(statement)
        for handler in node.handlers:
            self._block(handler.body, id(handler))
        self._block(node.orelse, id(node))
        for statement in node.finalbody:
            self.visit(statement)

    def visit_With(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self.visit(item.context_expr)
            if item.optional_vars is not None:
                self._assign(item.optional_vars, Entered(item.context_expr), node.lineno)
        for statement in node.body:
            self.visit(statement)

    visit_AsyncWith = visit_With

    # ---------------------------------------------------------------- bindings
    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.stmt):
            self.scope.blocks_at[node.lineno] = (self.blocks, self.loops)
        super().visit(node)

    def _bind(self, name: str, value: ast.expr, line: int, **more: object) -> None:
        binding = Binding(name, line, value, self.blocks, self.loops, **more)  # type: ignore[arg-type]
        self.scope.bindings.setdefault(name, []).append(binding)

    def _assign(self, target: ast.expr, value: ast.expr, line: int) -> None:
        name = dotted_name(target)
        if name is not None:
            self._bind(name, value, line)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target.elts, value, line)
        elif isinstance(target, ast.Starred):
            self._assign(target.value, value, line)
        elif isinstance(target, ast.Subscript):
            base = dotted_name(target.value)
            if base is not None:
                self._bind(base, value, line, mutates=True, key=target.slice)

    def _unpack(self, targets: list[ast.expr], value: ast.expr, line: int) -> None:
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(targets):
            for one, part in zip(targets, value.elts, strict=True):
                self._assign(one, part, line)
            return
        if isinstance(value, ElementOf) and self._unpack_element(targets, value.value, line):
            return
        after_star = False
        for index, one in enumerate(targets):
            if isinstance(one, ast.Starred):
                after_star = True
                self._assign(one.value, value, line)
                continue
            at = index - len(targets) if after_star else index
            part = ast.Subscript(value=value, slice=ast.Constant(value=at), ctx=ast.Load())
            ast.copy_location(part, value)
            ast.copy_location(part.slice, value)
            self._assign(one, part, line)

    def _unpack_element(self, targets: list[ast.expr], iterable: ast.expr, line: int) -> bool:
        """Unpack what ``enumerate``, ``zip`` and ``dict.items`` give; False for other iterables."""
        if not isinstance(iterable, ast.Call):
            return False
        func, args = iterable.func, iterable.args
        if isinstance(func, ast.Name) and func.id in WRAPS_ITERABLE and args:
            return self._unpack_element(targets, args[0], line)
        if isinstance(func, ast.Name) and func.id == "enumerate" and args and len(targets) == 2:
            inner = args[0]
            while (
                isinstance(inner, ast.Call)
                and getattr(inner.func, "id", getattr(inner.func, "attr", "")) in WRAPS_ITERABLE
                and inner.args
            ):
                inner = inner.args[0]
            self._assign(targets[1], ElementOf(inner), line)
            return True
        if isinstance(func, ast.Name) and func.id == "zip" and len(args) == len(targets):
            for one, part in zip(targets, args, strict=True):
                self._assign(one, ElementOf(part), line)
            return True
        if isinstance(func, ast.Attribute) and func.attr == "items" and len(targets) == 2:
            self._assign(targets[0], ElementOf(func.value), line)
            self._assign(targets[1], AnyItem(func.value), line)
            return True
        return False

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self._assign(target, node.value, node.lineno)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            self._assign(node.target, node.value, node.lineno)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self._assign(node.target, node.value, node.lineno)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self._assign(node.target, ElementOf(node.iter), node.iter.lineno)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        name = dotted_name(node.target)
        if name is not None:
            self._bind(name, node.value, node.lineno, mutates=True)

    def visit_Call(self, node: ast.Call) -> None:
        self.scope.calls.append(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
            base = dotted_name(node.func.value)
            arguments = [*node.args, *(k.value for k in node.keywords)]
            if base is not None and arguments:
                self._bind(base, arguments[-1], node.lineno, mutates=True)
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            self.visit(node.value)
            self.scope.returns.append(node.value)

    def visit_Yield(self, node: ast.Yield) -> None:
        if node.value is not None:
            self.visit(node.value)
            self.scope.yields.append(node.value)


def dotted_name(node: ast.expr) -> str | None:
    """Return ``a`` or ``a.b.c`` for a name or a chain of attributes on a name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


class Program:
    """The workspace's Python code, modelled file by file when asked for."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._modules: dict[str, Scope | None] = {}
        self._callers: dict[str, list[tuple[Scope, ast.Call]]] | None = None

    def module(self, file: str) -> Scope | None:
        """Return the model of a Python file, or None where it cannot be parsed."""
        if file not in self._modules:
            tree = self.workspace.tree(file)
            scope = None
            if tree is not None:
                try:
                    scope = _Collector(Scope(file, "", tree, None)).collect()
                except RecursionError:
                    scope = None
            self._modules[file] = scope
        return self._modules[file]

    def imported(self, scope: Scope, module: str) -> Scope | None:
        """Return the workspace module that ``scope``'s file means by a dotted name."""
        file = self.workspace.module_file(module, scope.file)
        return self.module(file) if file is not None else None

    def scope_at(self, file: str, line: int) -> Scope | None:
        """Return the innermost function, class or module around a 1-based line."""
        best = self.module(file)
        if best is None:
            return None
        for scope in best.walk():
            if scope.is_module or isinstance(scope.node, (ast.Module, ast.Lambda)):
                continue
            start = min([scope.node.lineno, *(d.lineno for d in scope.node.decorator_list)])
            if start <= line <= (scope.node.end_lineno or start) and scope.line >= best.line:
                best = scope
        return best

    def function_named(self, file: str, name: str, line: int) -> Scope | None:
        """Return the function of a file that a frame names, the one around ``line`` first."""
        at = self.scope_at(file, line)
        if name.rpartition(".")[2] in {"<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"}:
            return at
        if name.rpartition(".")[2] == "<lambda>":
            return self._lambda_at(file, line) or at
        if at is not None and at.name.rpartition(".")[2] == name.rpartition(".")[2]:
            return at
        module = self.module(file)
        if module is None:
            return None
        short = name.rpartition(".")[2]
        named = [s for s in module.walk() if s.name.rpartition(".")[2] == short and not s.is_module]
        return min(named, key=lambda s: abs(s.line - line), default=at)

    def _lambda_at(self, file: str, line: int) -> Scope | None:
        module = self.module(file)
        found = [
            s
            for s in (module.walk() if module is not None else ())
            if isinstance(s.node, ast.Lambda)
            and s.node.lineno <= line <= (s.node.end_lineno or s.node.lineno)
        ]
        return found[-1] if found else None

    def all_modules(self) -> list[Scope]:
        """Return the models of all files small programs have; big workspaces give those loaded."""
        files = self.workspace.python_files()
        if len(files) > CALL_SITE_FILES:
            files = tuple(sorted(f for f, scope in self._modules.items() if scope is not None))
        return [scope for file in files if (scope := self.module(file)) is not None]

    def callers(self, name: str) -> list[tuple[Scope, ast.Call]]:
        """Return the calls whose callee's last name is ``name``, with the scope each stands in."""
        if self._callers is None:
            self._callers = {}
            for module in self.all_modules():
                for scope in module.walk():
                    for call in scope.calls:
                        short = (
                            call.func.attr
                            if isinstance(call.func, ast.Attribute)
                            else getattr(call.func, "id", None)
                        )
                        if short is not None:
                            self._callers.setdefault(short, []).append((scope, call))
        return self._callers.get(name, [])

    def calls_of_instances(self, cls: str) -> list[tuple[Scope, ast.Call]]:
        """Return the calls of objects that were made by ``cls(…)`` and bound to a name."""
        names: dict[str, None] = {}
        for scope, made in self.callers(cls):
            for name, bindings in scope.bindings.items():
                if any(b.value is made for b in bindings):
                    names[name.rpartition(".")[2]] = None
        return [found for name in names for found in self.callers(name)]
