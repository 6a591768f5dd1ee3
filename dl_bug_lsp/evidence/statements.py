"""Which lines of a file are one statement: what runs together is one place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Span = tuple[int, int]
"""A statement's first and last line, both 1-based."""
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_EXPRESSIONS = ("test", "target", "iter", "items", "subject")


def statement_spans(tree: ast.Module | None) -> dict[int, Span]:
    """Return the span of the statement of each line, as far as it goes over several lines.

    Of a compound statement only the header is one, as coverage.py counts; of definitions nothing.
    """
    found: dict[int, Span] = {}
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.stmt):
            last = max(_ends(node), default=node.lineno)
            if last > node.lineno:
                span = node.lineno, last
                found.update(dict.fromkeys(range(node.lineno, last + 1), span))
    return found


def _ends(node: ast.stmt) -> Iterator[int]:
    """Yield where a simple statement ends, or the expressions in a compound one's header."""
    if not any(hasattr(node, name) for name in _BLOCKS):
        yield node.end_lineno or node.lineno
        return
    for name in _EXPRESSIONS:
        value = getattr(node, name, None)
        for part in value if isinstance(value, list) else [value]:
            inner = getattr(part, "optional_vars", None) or getattr(part, "context_expr", part)
            yield getattr(inner, "end_lineno", None) or node.lineno
