"""Scopes: modules, classes and functions with the names that are bound in them."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from dl_bug_lsp.workspace import Workspace

ScopeNode: TypeAlias = (
    ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
)
Blocks = tuple[int, ...]
FUNCTION_TYPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Synthetic(ast.expr):
    """An expression that no program writes, made of one that stands there."""

    _fields = ("value",)

    def __init__(self, value: ast.expr) -> None:
        super().__init__()
        self.value = value
        ast.copy_location(self, value)


class ElementOf(Synthetic):
    """A synthetic expression: any one element of an iterable (the target of a ``for``)."""


class AnyItem(Synthetic):
    """A synthetic expression: any one value of a mapping (``for _, value in d.items()``)."""


class Entered(Synthetic):
    """A synthetic expression: what a context manager gives on entry (``with value as …``)."""


class Delegated(Synthetic):
    """A synthetic expression: what another generator yields (``yield from value``)."""


class Decorated(ast.expr):
    """A synthetic expression: a function or class as it is before any decorator."""

    _fields = ()

    def __init__(self, node: ast.stmt, scope: Scope) -> None:
        super().__init__()
        self.scope = scope
        ast.copy_location(self, node)


END = 1 << 30
"""A line after every other: what a name means when its module has run."""
DEFINES = ("assign", "augment")
"""Bindings that give a name its value; the others change the value it has."""


@dataclass(slots=True, eq=False)
class Binding:
    """One place that gives a name (or ``self.attribute``) a value or changes the value it has.

    ``how``: "assign"; "augment" for ``x += …`` (``value`` is then ``x + …``); "store" for
    ``x[key] = …``, "grow" for ``x.append(…)``, "join" for ``x.extend(…)`` and ``x.update(…)``,
    "inside" for what goes into a part of it (``x[i].append(…)``): the former value stays part of
    it. ``blocks`` identify the loops and branches around the statement, outermost first; ``loops``
    those of them that repeat. ``scope`` is where the statement stands: another scope than the
    name's after ``global`` and ``nonlocal``. ``within`` marks what is bound before its statement
    is over (a walrus, the target of a ``for`` or ``with``), so that the same line may use it.
    """

    name: str
    line: int
    value: ast.expr
    blocks: Blocks
    loops: Blocks
    scope: Scope
    how: str = "assign"
    key: ast.expr | None = None
    within: bool = False

    @property
    def mutates(self) -> bool:
        """Whether the former value stays part of the new one."""
        return self.how != "assign"


@dataclass(slots=True, eq=False)
class Scope:
    """A module, class or function body: its node and everything bound directly in it.

    ``configured`` holds the statements that are nothing but a method call on a name
    (``model.compile(…)``): they may change what the name stands for. ``passed`` holds the calls
    that are given a name as an argument; ``inline`` the targets of comprehensions by the ids of
    the names that mean them. ``tests`` holds, for the first lines of statements, what is tested
    around and before them (conditions, headers of loops, guards that leave early), innermost last;
    ``raises`` the lines of ``raise``. ``empty_returns`` stand for the None that a function gives
    after a bare ``return`` or at its end. ``decorations`` are the calls that decorators make,
    ``decorated`` what they give by the name of the function or class; ``hidden`` holds functions
    and classes whose names mean others by the end.
    """

    file: str
    name: str
    node: ScopeNode
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    functions: dict[str, Scope] = field(default_factory=dict)
    classes: dict[str, Scope] = field(default_factory=dict)
    imports: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    submodules: set[str] = field(default_factory=set)
    attributes: dict[str, list[tuple[Scope, Binding]]] = field(default_factory=dict)
    returns: list[ast.expr] = field(default_factory=list)
    yields: list[ast.expr] = field(default_factory=list)
    calls: list[ast.Call] = field(default_factory=list)
    configured: dict[str, list[ast.Call]] = field(default_factory=dict)
    passed: dict[str, list[ast.Call]] = field(default_factory=dict)
    inline: dict[int, Binding] = field(default_factory=dict)
    shared: dict[str, Scope] = field(default_factory=dict)
    tests: dict[int, tuple[ast.expr, ...]] = field(default_factory=dict)
    raises: set[int] = field(default_factory=set)
    empty_returns: list[ast.expr] = field(default_factory=list)
    decoration: list[str] | None = None
    decorations: list[ast.Call] = field(default_factory=list)
    decorated: dict[str, ast.expr] = field(default_factory=dict)
    hidden: list[Scope] = field(default_factory=list)
    blocks_at: dict[int, tuple[Blocks, Blocks]] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)
    defined: dict[str, tuple[list[Binding], list[Binding]]] = field(default_factory=dict)

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

    def collects(self) -> tuple[str | None, str | None]:
        """Return the names of ``*args`` and ``**kwargs``."""
        if not isinstance(self.node, FUNCTION_TYPES):
            return None, None
        a = self.node.args
        return a.vararg.arg if a.vararg else None, a.kwarg.arg if a.kwarg else None

    def statement_start(self, line: int) -> int:
        """Return the first line of the statement that holds a line of the scope."""
        at = bisect_right(self._lines(), line) - 1
        return self.starts[at] if at >= 0 else line

    def around(self, line: int) -> tuple[Blocks, Blocks]:
        """Return the blocks and loops around the statement that holds a line."""
        at = bisect_right(self._lines(), line) - 1
        return self.blocks_at[self.starts[at]] if at >= 0 else ((), ())

    def tests_at(self, line: int) -> tuple[ast.expr, ...]:
        """Return what is tested around and before the statement that holds a line."""
        return self.tests.get(line) or self.tests.get(self.statement_start(line), ())

    def definitions(self, name: str) -> tuple[list[Binding], list[Binding]]:
        """Return what gives a name its value, by lines: in this scope, and in inner ones."""
        definitions = self.defined.get(name)
        if definitions is None:
            every = [b for b in self.bindings.get(name, ()) if b.how in ("assign", "augment")]
            own = sorted((b for b in every if b.scope is self), key=lambda b: b.line)
            definitions = self.defined[name] = (own, [b for b in every if b.scope is not self])
        return definitions

    def _lines(self) -> list[int]:
        if len(self.starts) != len(self.blocks_at):
            self.starts = sorted(self.blocks_at)
        return self.starts

    def takes(self, name: str) -> bool:
        """Whether a name is a parameter of any kind."""
        return name in self.collects() or any(p.arg == name for p in self.parameters())

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

    def replaces_none(self, name: str) -> bool:
        """Whether ``if name is None: name = …`` stands in the function's own body.

        Parameters that are made together (``if mean is None: mean, std = …``) count as one.
        """
        node = self.node
        body = node.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else []
        for statement in body:
            if not isinstance(statement, ast.If):
                continue
            tested = _tested_for_none(statement.test)
            default = self.default_of(tested) if tested else None
            if not isinstance(default, ast.Constant) or default.value is not None:
                continue
            bound = [t for s in statement.body if isinstance(s, ast.Assign) for t in s.targets]
            parts = [p for t in bound for p in (t.elts if isinstance(t, ast.Tuple) else [t])]
            if any(isinstance(p, ast.Name) and p.id == name for p in parts):
                return True
        return False

    def decorators(self) -> list[str]:
        """Return the source text of the decorators."""
        if self.decoration is None:
            self.decoration = [_text(d) for d in getattr(self.node, "decorator_list", [])]
        return self.decoration

    def walk(self) -> Iterator[Scope]:
        """Yield this scope and all scopes inside it."""
        yield self
        for inner in (*self.functions.values(), *self.classes.values(), *self.hidden):
            yield from inner.walk()


def _tested_for_none(test: ast.expr) -> str:
    """Return ``x`` of ``x is None``, empty for any other test."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Is):
        return ""
    other = test.comparators[0]
    is_none = isinstance(other, ast.Constant) and other.value is None
    return test.left.id if is_none and isinstance(test.left, ast.Name) else ""


def _text(expr: ast.expr) -> str:
    try:
        return ast.unparse(expr)
    except RecursionError:
        return ""


def dotted_name(node: ast.expr) -> str | None:
    """Return ``a`` or ``a.b.c`` for a name or a chain of attributes on a name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def called_name(call: ast.Call) -> str:
    """Return the last name of a call's callee (``Linear`` of ``nn.Linear(…)``)."""
    func = call.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def library_imports(workspace: Workspace, file: str, tree: ast.Module) -> dict[str, str]:
    """Return the names of a file that always stand for something of a library, dotted."""
    imports: dict[str, str] = {}
    other: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                target = alias.name if alias.asname else name
                _put(imports, other, name, target)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                name = alias.asname or alias.name
                if node.level or not node.module:
                    other.add(name)
                else:
                    _put(imports, other, name, f"{node.module}.{alias.name}")
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            other.add(node.id)
        elif isinstance(node, ast.arg):
            other.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            other.add(node.name)
        elif isinstance(node, ast.ExceptHandler):
            other.add(node.name or "")
    own = workspace.module_file
    return {
        name: target
        for name, target in imports.items()
        if name not in other and own(target.partition(".")[0], file) is None
    }


def _put(imports: dict[str, str], other: set[str], name: str, target: str) -> None:
    if imports.setdefault(name, target) != target:
        other.add(name)


def library_name(node: ast.expr, names: dict[str, str]) -> str | None:
    """Return the dotted name of what an expression takes from a library, by `library_imports`."""
    written = dotted_name(node)
    root, dot, rest = (written or "").partition(".")
    return f"{names[root]}{dot}{rest}" if root in names else None


def returned_expressions(scope: Scope) -> list[ast.expr]:
    """Return what a function gives back, the None of a bare ``return`` too."""
    if scope.yields:
        return [*scope.yields, *scope.returns]
    return [*scope.returns, *scope.empty_returns] if scope.returns else []
