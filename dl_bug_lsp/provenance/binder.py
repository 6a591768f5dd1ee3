"""One walk over a syntax tree that fills the scopes of a module."""

from __future__ import annotations

import ast
from typing import TypeAlias

from dl_bug_lsp.provenance.scopes import (
    AnyItem,
    Binding,
    Blocks,
    Decorated,
    Delegated,
    ElementOf,
    Entered,
    Scope,
    ScopeNode,
    dotted_name,
)

FunctionNode: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
WRAPS_ITERABLE = {"tqdm", "trange", "track", "list", "tuple", "iter", "reversed", "sorted"}
GROW = {"append", "insert", "add", "appendleft", "add_module", "put"}
JOIN = {"extend", "update", "extendleft"}
ALTER = {"pop", "popitem", "remove", "clear", "discard", "sort", "reverse", "truncate"}
LEAVES = (ast.Return, ast.Continue, ast.Break)
PLAIN_DECORATORS = {
    *("staticmethod", "classmethod", "property", "dataclass", "abstractmethod", "wraps"),
    *("setter", "getter", "deleter", "overload", "override", "final", "compact"),
}
"""Decorators that leave a function or class as it is, or that are looked at by name."""
ENDS = {"exit", "_exit", "abort", "error"}
"""Calls that do not come back, by their last names: ``sys.exit``, ``parser.error``."""


def collect(file: str, tree: ast.Module) -> Scope:
    """Return the model of a module; RecursionError for trees that are absurdly deep."""
    return _Collector(Scope(file, "", tree, None)).collect()


class _Collector(ast.NodeVisitor):
    """Fill a `Scope` from the statements of its body."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.blocks: Blocks = ()
        self.loops: Blocks = ()
        self.tests: tuple[ast.expr, ...] = ()
        self.targets: list[dict[str, Binding]] = []
        self.within = False

    def collect(self) -> Scope:
        node = self.scope.node
        if isinstance(node, ast.Lambda):
            self.scope.returns.append(node.body)
            self.visit(node.body)
            return self.scope
        self._statements(node.body)
        if self.scope.returns and not self.scope.yields:
            for last in open_ends(node.body):
                line = last.end_lineno or last.lineno
                self.scope.empty_returns.append(_none_at(line))
                self.scope.tests.setdefault(line, self.tests)
        return self.scope

    def _statements(self, statements: list[ast.stmt]) -> None:
        """Visit the statements of a block; guards that leave early are tests of what follows."""
        for statement in statements:
            self.visit(statement)
            while isinstance(statement, ast.If):
                leaves = isinstance(statement.body[-1], LEAVES)
                if leaves or (statement.orelse and isinstance(statement.orelse[-1], LEAVES)):
                    self.tests = (*self.tests, statement.test)
                if len(statement.orelse) != 1:
                    break
                statement = statement.orelse[0]

    # ---------------------------------------------------------------- definitions
    def _inner(self, node: ScopeNode, name: str) -> Scope:
        outer = self.scope
        dotted = name if outer.is_module else f"{outer.name}.{name}"
        inner = _Collector(Scope(outer.file, dotted, node, outer))
        if isinstance(node, ast.Lambda):
            inner.targets = [*self.targets]
        return inner.collect()

    def _define(self, held: dict[str, Scope], node: ast.ClassDef | FunctionNode) -> Scope:
        """Collect a function or class; the last of a name is what the name means."""
        inner = self._inner(node, node.name)
        before = held.get(node.name)
        if before is not None and any(
            d.endswith((".setter", ".deleter")) for d in inner.decorators()
        ):
            self.scope.hidden.append(inner)
            return inner
        if before is not None:
            self.scope.hidden.append(before)
        held[node.name] = inner
        self._decorate(node, inner)
        return inner

    def _decorate(self, node: ast.ClassDef | FunctionNode, inner: Scope) -> None:
        """Note what decorators are called with, as calls of their own."""
        decorated: ast.expr = Decorated(node, inner)
        for decorator in reversed(node.decorator_list):
            func = decorator.func if isinstance(decorator, ast.Call) else decorator
            if getattr(func, "attr", getattr(func, "id", "")) in PLAIN_DECORATORS:
                continue
            if isinstance(decorator, ast.Call):
                self.scope.decorations.append(decorator)
            decorated = ast.copy_location(
                ast.Call(func=decorator, args=[decorated], keywords=[]), decorator
            )
            self.scope.decorations.append(decorated)
            self.scope.decorated[node.name] = decorated

    def visit_FunctionDef(self, node: FunctionNode) -> None:
        self._define(self.scope.functions, node)
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        inner = self._define(self.scope.classes, node)
        for method in inner.functions.values():
            parameters = method.parameters()
            if not parameters:
                continue
            me = parameters[0].arg + "."
            for name, bindings in method.bindings.items():
                if name.startswith(me) and name.count(".") == 1:
                    places = inner.attributes.setdefault(name[len(me) :], [])
                    places.extend((method, b) for b in bindings)

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
    def _block(
        self,
        statements: list[ast.stmt],
        ident: int,
        test: ast.expr | None = None,
        loop: bool = False,
    ) -> None:
        blocks, loops, tests = self.blocks, self.loops, self.tests
        self.blocks = (*blocks, ident)
        self.loops = (*loops, ident) if loop else loops
        self.tests = (*tests, test) if test is not None else tests
        self._statements(statements)
        self.blocks, self.loops, self.tests = blocks, loops, tests

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        self._block(node.body, id(node), node.test)
        self._block(node.orelse, id(node) + 1, node.test)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        blocks, loops = self.blocks, self.loops
        self.blocks, self.loops = (*blocks, id(node)), (*loops, id(node))
        self.within = True
        self._assign(node.target, ElementOf(node.iter), node.lineno)
        self.within = False
        self.blocks, self.loops = blocks, loops
        self._block(node.body, id(node), node.iter, loop=True)
        self._block(node.orelse, id(node) + 1)

    visit_AsyncFor = visit_For

    def visit_While(self, node: ast.While) -> None:
        self.visit(node.test)
        self._block(node.body, id(node), node.test, loop=True)
        self._block(node.orelse, id(node) + 1)

    def visit_Try(self, node: ast.Try) -> None:
        self._statements(node.body)
        for handler in node.handlers:
            self._block(handler.body, id(handler))
        self._block(node.orelse, id(node))
        self._statements(node.finalbody)

    visit_TryStar = visit_Try

    def visit_Match(self, node: ast.Match) -> None:
        self.visit(node.subject)
        for case in node.cases:
            blocks, self.blocks = self.blocks, (*self.blocks, id(case))
            self._capture(case.pattern, node.subject)
            self.blocks = blocks
            self._block(case.body, id(case), node.subject)

    def _capture(self, pattern: ast.pattern, subject: ast.expr) -> None:
        """Bind the names that a pattern captures to the part of the subject that they mean."""
        if isinstance(pattern, (ast.MatchAs, ast.MatchStar)):
            if pattern.name is not None:
                self._bind(pattern.name, subject, pattern.lineno)
            if isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
                self._capture(pattern.pattern, subject)
        elif isinstance(pattern, (ast.MatchSequence, ast.MatchOr)):
            for index, inner in enumerate(pattern.patterns):
                whole = isinstance(pattern, ast.MatchOr)
                self._capture(inner, subject if whole else _item(subject, index))
        elif isinstance(pattern, ast.MatchMapping):
            for key, inner in zip(pattern.keys, pattern.patterns, strict=True):
                part = ast.Subscript(value=subject, slice=key, ctx=ast.Load())
                self._capture(inner, ast.copy_location(part, subject))
        elif isinstance(pattern, ast.MatchClass):
            for inner in (*pattern.patterns, *pattern.kwd_patterns):
                self._capture(inner, ElementOf(subject))

    def visit_With(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self.visit(item.context_expr)
            if item.optional_vars is not None:
                self.within = True
                self._assign(item.optional_vars, Entered(item.context_expr), node.lineno)
                self.within = False
        self._statements(node.body)

    visit_AsyncWith = visit_With

    # ---------------------------------------------------------------- bindings
    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.stmt):
            self.scope.blocks_at[node.lineno] = (self.blocks, self.loops)
            if self.tests:
                self.scope.tests[node.lineno] = self.tests
        super().visit(node)

    def _bind(
        self,
        name: str,
        value: ast.expr,
        line: int,
        how: str = "assign",
        key: ast.expr | None = None,
    ) -> None:
        scope = self.scope
        binding = Binding(name, line, value, self.blocks, self.loops, scope, how, key, self.within)
        scope.bindings.setdefault(name, []).append(binding)
        shared = scope.shared.get(name)
        if shared is not None:
            shared.bindings.setdefault(name, []).append(binding)

    def visit_Global(self, node: ast.Global) -> None:
        module = self.scope
        while module.parent is not None:
            module = module.parent
        self.scope.shared.update(dict.fromkeys(node.names, module))

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        outer = self.scope.parent
        for name in node.names:
            at = outer
            while at is not None and not (name in at.bindings or at.takes(name)):
                at = at.parent
            if at is not None:
                self.scope.shared[name] = at

    def visit_Name(self, node: ast.Name) -> None:
        for targets in reversed(self.targets):
            if node.id in targets:
                self.scope.inline[id(node)] = targets[node.id]
                return

    def _assign(self, target: ast.expr, value: ast.expr, line: int) -> None:
        name = dotted_name(target)
        if name is not None:
            self._bind(name, value, line)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target.elts, value, line)
        elif isinstance(target, ast.Starred):
            self._assign(target.value, value, line)
        elif isinstance(target, ast.Subscript):
            self.visit(target.slice)
            base = dotted_name(target.value)
            if base is not None:
                self._bind(base, value, line, "store", target.slice)
            elif root := _root(target.value):
                self._bind(root, value, line, "inside", _first_key(target))
        elif isinstance(target, ast.Attribute) and (root := _root(target.value)):
            self._bind(root, value, line, "inside", _first_key(target))

    def _unpack(self, targets: list[ast.expr], value: ast.expr, line: int) -> None:
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(targets):
            for target, part in zip(targets, value.elts, strict=True):
                self._assign(target, part, line)
            return
        if isinstance(value, ElementOf) and self._unpack_element(targets, value.value, line):
            return
        after_star = False
        for index, target in enumerate(targets):
            if isinstance(target, ast.Starred):
                after_star = True
                self._assign(target.value, value, line)
                continue
            at = index - len(targets) if after_star else index
            self._assign(target, _item(value, at), line)

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
            for target, part in zip(targets, args, strict=True):
                self._assign(target, ElementOf(part), line)
            return True
        if getattr(func, "id", getattr(func, "attr", "")) == "pairwise" and len(args) == 1:
            for target, part in zip(targets, _neighbours(args[0]), strict=False):
                self._assign(target, ElementOf(part), line)
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
        self.within = True
        self._assign(node.target, node.value, node.lineno)
        self.within = False

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> None:
        """Visit a comprehension: its targets are known in its own expressions only."""
        here: dict[str, Binding] = {}
        self.targets.append(here)
        for generator in node.generators:
            self.visit(generator.iter)
            named = _Targets(self.scope)
            named._assign(generator.target, ElementOf(generator.iter), generator.iter.lineno)
            here.update(named.found)
            for test in generator.ifs:
                self.visit(test)
        if isinstance(node, ast.DictComp):
            self.visit(node.key)
            self.visit(node.value)
        else:
            self.visit(node.elt)
        self.targets.pop()

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _comprehension

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        name = dotted_name(node.target)
        target = node.target
        if name is not None:
            self._bind(name, _augmented(node), node.lineno, "augment")
        elif isinstance(target, ast.Subscript) and (root := _root(target.value)):
            self._bind(root, node.value, node.lineno, "inside", _first_key(target))

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            root = _root(target.value) if isinstance(target, ast.Subscript) else None
            if root is not None and not _text_index(target):
                self._bind(root, target, node.lineno, "inside")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self.scope.calls.append(node)
        for argument in (*node.args, *(k.value for k in node.keywords)):
            name = dotted_name(argument)
            if name is not None:
                self.scope.passed.setdefault(name, []).append(node)
        if isinstance(node.func, ast.Attribute):
            self._mutate(node, node.func)
        self.generic_visit(node)

    def _mutate(self, node: ast.Call, func: ast.Attribute) -> None:
        """Note what a method puts into the object that it is called on."""
        base, method, line = dotted_name(func.value), func.attr, node.lineno
        arguments = [*node.args, *(k.value for k in node.keywords)]
        if base is None:
            root = _root(func.value)
            if root is not None and arguments and method in GROW | JOIN:
                self._bind(root, arguments[-1], line, "inside", _first_key(func.value))
        elif method in ALTER and not (arguments and _is_text(arguments[0])):
            self._bind(base, node, line, "inside")
        elif method == "setdefault" and len(node.args) == 2:
            self._bind(base, node.args[1], line, "store", node.args[0])
        elif method == "update":
            for argument in node.args:
                self._bind(base, argument, line, "join")
            for keyword in node.keywords:
                key = ast.copy_location(ast.Constant(value=keyword.arg), keyword.value)
                how = "join" if keyword.arg is None else "store"
                self._bind(base, keyword.value, line, how, key if keyword.arg else None)
        elif method in GROW | JOIN and arguments:
            self._bind(base, arguments[-1], line, "join" if method in JOIN else "grow")

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
        else:
            self.scope.empty_returns.append(_none_at(node.lineno))

    def visit_Raise(self, node: ast.Raise) -> None:
        self.scope.raises.add(node.lineno)
        self.generic_visit(node)

    def visit_YieldFrom(self, node: ast.YieldFrom) -> None:
        self.visit(node.value)
        self.scope.yields.append(Delegated(node.value))

    def visit_Yield(self, node: ast.Yield) -> None:
        if node.value is not None:
            self.visit(node.value)
            self.scope.yields.append(node.value)


class _Targets(_Collector):
    """Takes the targets of a comprehension apart without binding them in the scope."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self.found: dict[str, Binding] = {}

    def _bind(
        self,
        name: str,
        value: ast.expr,
        line: int,
        how: str = "assign",
        key: ast.expr | None = None,
    ) -> None:
        self.found[name] = Binding(name, line, value, (), (), self.scope, how, key)


def _none_at(line: int) -> ast.Constant:
    return ast.Constant(value=None, lineno=line, col_offset=0)


def _item(value: ast.expr, index: int) -> ast.expr:
    part = ast.Subscript(value=value, slice=ast.Constant(value=index), ctx=ast.Load())
    ast.copy_location(part.slice, value)
    return ast.copy_location(part, value)


def _augmented(node: ast.AugAssign) -> ast.expr:
    """Return ``x + value`` for ``x += value``."""
    target = node.target
    left: ast.expr
    if isinstance(target, ast.Attribute):
        left = ast.Attribute(value=target.value, attr=target.attr, ctx=ast.Load())
    else:
        left = ast.Name(id=getattr(target, "id", ""), ctx=ast.Load())
    ast.copy_location(left, target)
    return ast.copy_location(ast.BinOp(left=left, op=node.op, right=node.value), node)


def _root(node: ast.expr) -> str | None:
    """Return the (dotted) name that a chain of subscripts and calls stands on: ``d[k].get(x)``."""
    while dotted_name(node) is None:
        if isinstance(node, (ast.Subscript, ast.Attribute)):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            return None
    return dotted_name(node)


def _first_key(node: ast.expr) -> ast.expr | None:
    """Return the key next to the name that a chain of subscripts stands on."""
    key: ast.expr | None = None
    while dotted_name(node) is None:
        if isinstance(node, ast.Subscript):
            key = node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            key = node.args[0] if node.args else None
            node = node.func
        node = getattr(node, "value", None) or ast.Name("")
    return key


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _text_index(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) and _is_text(node.slice)


def ends(body: list[ast.stmt]) -> bool:
    """Whether a block never goes on after its last statement."""
    last = body[-1] if body else None
    if isinstance(last, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
        return True
    if isinstance(last, ast.If):
        return bool(last.orelse) and ends(last.body) and ends(last.orelse)
    if isinstance(last, (ast.With, ast.AsyncWith)):
        return ends(last.body)
    if isinstance(last, ast.Try):
        whole = last.finalbody or last.orelse or last.body
        return ends(whole) and (bool(last.finalbody) or all(ends(h.body) for h in last.handlers))
    if isinstance(last, ast.While):
        return isinstance(last.test, ast.Constant) and bool(last.test.value)
    if isinstance(last, ast.Match):
        open_ended = any(
            isinstance(c.pattern, ast.MatchAs) and c.pattern.pattern is None for c in last.cases
        )
        return open_ended and all(ends(c.body) for c in last.cases)
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        func = last.value.func
        return getattr(func, "attr", getattr(func, "id", "")) in ENDS
    return False


def open_ends(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements after which a block goes on: the last ones of its branches.

    An ``if`` without ``else`` is one of them itself.
    """
    if not body or ends(body):
        return []
    last = body[-1]
    if isinstance(last, ast.If) and last.orelse:
        return [*open_ends(last.body), *open_ends(last.orelse)]
    if isinstance(last, (ast.With, ast.AsyncWith)):
        return open_ends(last.body)
    if isinstance(last, ast.Try) and not last.finalbody:
        handled = [end for handler in last.handlers for end in open_ends(handler.body)]
        return [*open_ends(last.orelse or last.body), *handled]
    return [last]


def _neighbours(items: ast.expr) -> list[ast.expr]:
    """Return ``items[:-1]`` and ``items[1:]``, what ``itertools.pairwise`` gives the pairs of."""
    last = ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1))
    cuts = ast.Slice(upper=last), ast.Slice(lower=ast.Constant(value=1))
    slices = [ast.Subscript(value=items, slice=cut, ctx=ast.Load()) for cut in cuts]
    return [ast.fix_missing_locations(ast.copy_location(part, items)) for part in slices]
