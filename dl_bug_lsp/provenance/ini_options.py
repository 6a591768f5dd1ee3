"""Options that a program reads with ``configparser``: ``parser.getint(section, option)``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dl_bug_lsp.provenance import known_calls
from dl_bug_lsp.provenance.nodes import Node
from dl_bug_lsp.provenance.values import LibraryObject

if TYPE_CHECKING:
    from dl_bug_lsp.provenance.engine import Engine

PARSERS = ("configparser.ConfigParser", "configparser.RawConfigParser")
GETTERS = ("get", "getint", "getfloat", "getboolean")


def option(engine: Engine, node: Node, expr: ast.Call) -> list[Node]:
    """Return the entries that a call of a parser's getter reads, none for any other call."""
    func = expr.func
    if not isinstance(func, ast.Attribute) or func.attr not in GETTERS or len(expr.args) < 2:
        return []
    parsers = engine.node(func.value, node.context).values
    if not any(isinstance(v, LibraryObject) and v.name in PARSERS for v in parsers):
        return []
    keys = [engine.node(a, node.context).constant for a in expr.args[:2]]
    path = tuple(key.value for key in keys if key is not None and isinstance(key.value, str))
    if len(path) != 2:
        return []
    found = (engine.settings(file).at(path) for file in _files(engine, node, func.value))
    return [engine.config_node(entry, node.context) for entry in found if entry is not None]


def _files(engine: Engine, node: Node, parser: ast.expr) -> list[str]:
    """Return the files that the parser reads; where the path is not known, the few there are."""
    name = parser.id if isinstance(parser, ast.Name) else ""
    files: list[str] = []
    for call in node.context.scope.configured.get(name, []):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "read" and call.args:
            for constant in engine.node(call.args[0], node.context).constants:
                if isinstance(constant.value, str):
                    file = known_calls.workspace_path(engine, constant.value)
                    files.extend([file] if file is not None else [])
    return files or known_calls.files_by_suffix(engine, "configparser")
