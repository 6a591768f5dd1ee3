"""Methods of strings, folded where the string and the arguments are known."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dl_bug_lsp.provenance import objects
from dl_bug_lsp.provenance.nodes import Node
from dl_bug_lsp.provenance.operators import ERRORS, MAX_TEXT, brace
from dl_bug_lsp.provenance.values import Const, Value

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine

FOLDED = {
    "lower",
    "upper",
    "title",
    "strip",
    "lstrip",
    "rstrip",
    "replace",
    "removeprefix",
    "removesuffix",
}
MAX_ARGUMENT = 100
"""Longest text that ``replace`` puts in; what it makes stays small."""


def text_method(engine: Engine, node: Node, expr: ast.Call, base: Node, name: str) -> list[Value]:
    """Return what a string's method gives; nothing where an argument is not known."""
    texts = [c.value for c in base.constants if isinstance(c.value, str)]
    if not texts or any(isinstance(a, ast.Starred) for a in expr.args):
        return []
    if name == "join" and len(expr.args) == 1:
        return _joined(engine, texts[0], engine.node(expr.args[0], node.context))
    constants = [engine.node(a, node.context).constant for a in expr.args]
    given = [c.value for c in constants if c is not None]
    if len(given) != len(constants):
        return []
    if name == "format":
        return _filled(engine, node, expr, texts[0], given)
    if name not in FOLDED or expr.keywords:
        return []
    words = [v for v in given if isinstance(v, str) and len(v) <= MAX_ARGUMENT]
    if len(words) != len(given):
        return []
    try:
        return [Const(getattr(t, name)(*words)) for t in texts if len(t) <= MAX_TEXT]
    except ERRORS:
        return []


def _joined(engine: Engine, text: str, source: Node) -> list[Value]:
    items = objects.written_items(engine, source)
    constants = [item.constant for item in items or ()]
    words = [c.value for c in constants if c is not None and isinstance(c.value, str)]
    whole = items is not None and len(words) == len(items)
    return [Const(text.join(words))] if whole and sum(map(len, words)) <= MAX_TEXT else []


def _filled(
    engine: Engine, node: Node, expr: ast.Call, text: str, given: Sequence[object]
) -> list[Value]:
    named = {k.arg: engine.node(k.value, node.context).constant for k in expr.keywords}
    words: dict[str, object] = {
        name: c.value for name, c in named.items() if name is not None and c is not None
    }
    filled = brace(text, given, words) if len(words) == len(named) else None
    return [filled] if filled is not None else []
