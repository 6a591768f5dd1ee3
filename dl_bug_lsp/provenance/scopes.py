"""Scopes: modules, classes and functions with the names that are bound in them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

ScopeNode: TypeAlias = (
    ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
)
Blocks = tuple[int, ...]
FUNCTION_TYPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


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

    ``mutates`` is True for ``x += …``, ``x.append(…)``, ``x[k] = …``: the former value stays part
    of it. ``key`` is the constant subscript of ``x[key] = …``. ``blocks`` identify the loops and
    branches around the statement, outermost first; ``loops`` those of them that repeat;
    ``inline`` marks the target of a comprehension, which only its own expression sees.
    """

    name: str
    line: int
    value: ast.expr
    blocks: Blocks
    loops: Blocks
    mutates: bool = False
    key: ast.expr | None = None
    inline: bool = False


@dataclass(slots=True, eq=False)
class Scope:
    """A module, class or function body: its node and everything bound directly in it.

    ``configured`` holds the statements that are nothing but a method call on a name
    (``model.compile(…)``): they may change what the name stands for.
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


def dotted_name(node: ast.expr) -> str | None:
    """Return ``a`` or ``a.b.c`` for a name or a chain of attributes on a name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])
