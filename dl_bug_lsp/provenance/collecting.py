"""One walk over a syntax tree that fills the scopes of a module."""

from __future__ import annotations

import ast

from dl_bug_lsp.provenance.scopes import (
    AnyItem,
    Binding,
    Blocks,
    ElementOf,
    Entered,
    Scope,
    ScopeNode,
    dotted_name,
)

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


def collect(file: str, tree: ast.Module) -> Scope:
    """Return the model of a module; RecursionError for trees that are absurdly deep."""
    return _Collector(Scope(file, "", tree, None)).collect()


class _Collector(ast.NodeVisitor):
    """Fill a `Scope` from the statements of its body."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.blocks: Blocks = ()
        self.loops: Blocks = ()
        self.inline = False

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
            parts = alias.name.split(".")
            self.scope.submodules.update(".".join(parts[:end]) for end in range(2, len(parts) + 1))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name == "*":
                self.scope.stars.append(module)
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

    def _bind(
        self,
        name: str,
        value: ast.expr,
        line: int,
        mutates: bool = False,
        key: ast.expr | None = None,
    ) -> None:
        binding = Binding(name, line, value, self.blocks, self.loops, mutates, key, self.inline)
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
        if getattr(func, "id", getattr(func, "attr", "")) == "pairwise" and len(args) == 1:
            for one, part in zip(targets, _neighbours(args[0]), strict=False):
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
        self.inline = True
        self._assign(node.target, ElementOf(node.iter), node.iter.lineno)
        self.inline = False
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

    def visit_Expr(self, node: ast.Expr) -> None:
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            base = dotted_name(call.func.value)
            if base is not None and (call.args or call.keywords):
                self.scope.configured.setdefault(base, []).append(call)
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            self.visit(node.value)
            self.scope.returns.append(node.value)

    def visit_Yield(self, node: ast.Yield) -> None:
        if node.value is not None:
            self.visit(node.value)
            self.scope.yields.append(node.value)


def _neighbours(items: ast.expr) -> list[ast.expr]:
    """Return ``items[:-1]`` and ``items[1:]``, what ``itertools.pairwise`` gives the pairs of."""
    last = ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1))
    cuts = ast.Slice(upper=last), ast.Slice(lower=ast.Constant(value=1))
    made = [ast.Subscript(value=items, slice=cut, ctx=ast.Load()) for cut in cuts]
    return [ast.fix_missing_locations(ast.copy_location(one, items)) for one in made]
