"""The loops of a source file, by the code object that they run in."""

from __future__ import annotations

import ast
import re

MODULE = (0, "<module>")
_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
_KEPT = b"\r\n'\"\\N"
Owner = tuple[int, str]
"""A code object's first line and name; `MODULE` for the file itself."""


class Loop:
    """A ``for`` or ``while``; lines are 1-based and inclusive.

    The header is ``first`` to ``head_end``, the body ``body`` to ``end``, its first statement ends
    at ``body_end``. An ``endless`` loop (``while True``) has no test, so that a turn begins where
    control comes back to the body's first line.
    """

    def __init__(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        begins = node.body[0]
        self.first = node.lineno
        self.body = min([begins.lineno, *(d.lineno for d in getattr(begins, "decorator_list", ()))])
        self.head_end = self.body - 1
        self.body_end = begins.end_lineno or begins.lineno
        self.end = max(s.end_lineno or s.lineno for s in node.body)
        self.endless = (
            isinstance(node, ast.While)
            and isinstance(node.test, ast.Constant)
            and bool(node.test.value)
        )


def loops_of(text: bytes) -> dict[Owner, list[Loop]]:
    """Return the loops of a file; raises SyntaxError or ValueError where it is no Python.

    A loop on one line has no lines to tell its turns by and is left out.
    """
    found: dict[Owner, list[Loop]] = {}
    todo: list[tuple[ast.AST, Owner]] = [(_tree(text), MODULE)]
    while todo:
        node, owner = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            owner = (first, node.name)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            loop = Loop(node)
            if loop.body > loop.first:
                found.setdefault(owner, []).append(loop)
        todo.extend((child, owner) for child in ast.iter_child_nodes(node))
    return found


def _tree(text: bytes) -> ast.Module:
    # An invalid escape would make the parser warn, and the user sees that warning from us.
    def plain(found: re.Match[bytes]) -> bytes:
        return found[0] if found[1] in _KEPT else b"__"

    return ast.parse(_ESCAPE.sub(plain, text))
