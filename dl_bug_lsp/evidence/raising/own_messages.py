"""Messages of the workspace's own: ``raise`` and ``assert`` with the message's words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.raising.scan import Within, last_name

MIN_LETTERS = 4
MIN_WORDS = 3
EXACT, OTHER_CALL, CLASS_ALONE, ANY_ASSERT = 1.0, 0.7, 0.35, 0.3
ENDS = {"exit", "error", "fail", "abort", "fatal", "critical", "exception"}
_PERCENT = re.compile(r"%(?:\(\w+\))?[-+ #0]*\d*(?:\.\d+)?[sdifgeExXr]")
_BRACES = re.compile(r"\{[^{}]*\}")


def of_statement(
    node: ast.AST, within: Within, type_: str, message: str
) -> Iterator[tuple[float, str]]:
    """Yield how surely a statement raised a message, and why, where it can have."""
    if isinstance(node, ast.Raise) and node.exc is not None:
        name = last_name(node.exc)
        if isinstance(node.exc, ast.Call):
            texts = [*node.exc.args, *(k.value for k in node.exc.keywords)]
            if texts and any(_says(text, message) for text in texts):
                if name == type_ or not name.endswith(("Error", "Exception")):
                    yield EXACT, "this statement raises a message of these words"
            elif name == type_ and not any(_is_text(text) for text in texts):
                yield CLASS_ALONE, f"this statement raises `{type_}`"
        elif name == type_ and not message:
            yield CLASS_ALONE, f"this statement raises `{type_}`"
    elif isinstance(node, ast.Assert) and type_ == "AssertionError":
        if node.msg is not None and _says(node.msg, message):
            yield EXACT, "this assertion fails with a message of these words"
        elif node.msg is None and not message:
            yield ANY_ASSERT, "this assertion has no message of its own"
        elif node.msg is not None and not _is_text(node.msg) and _values(node.msg, message):
            yield OTHER_CALL, "this assertion prints such values"
    elif isinstance(node, ast.Call) and _is_end(last_name(node.func)):
        said = any(_says(text, message) for text in node.args)
        if said:
            yield OTHER_CALL, "this call is given a message of these words"


def _is_end(name: str) -> bool:
    low = name.lower().lstrip("_")
    return low in ENDS or low.startswith(("raise", "fail", "check", "require", "ensure", "die"))


def _is_text(expr: ast.expr) -> bool:
    return bool(_templates(expr))


def _values(expr: ast.expr, message: str) -> bool:
    """Say whether a tuple of values as an assertion's message can print this one."""
    return isinstance(expr, ast.Tuple) and message.startswith("(")


def _says(expr: ast.expr, message: str) -> bool:
    """Say whether a text with gaps is the message, by fixed words in it."""
    text = " ".join(message[:2000].split())
    for parts in _templates(expr):
        fixed = [" ".join(part.split()) for part in parts if part is not None]
        if sum(c.isalpha() for part in fixed for c in part) < MIN_LETTERS:
            continue
        if _in_order(text, fixed, parts[0] is None, parts[-1] is None):
            return True
        # A literal alone may stand within a longer text that the class adds words to.
        if len(parts) == 1 and len(fixed[0].split()) >= MIN_WORDS and fixed[0] in text:
            return True
    return False


def _in_order(text: str, fixed: list[str], open_start: bool, open_end: bool) -> bool:
    """Say whether the fixed parts stand in a text one after the other, with gaps between them."""
    at = 0
    for index, part in enumerate(part for part in fixed if part):
        found = text.find(part, at)
        if found < 0 or (index == 0 and not open_start and found):
            return False
        at = found + len(part)
    return open_end or text.endswith(fixed[-1])


def _templates(expr: ast.expr) -> list[tuple[str | None, ...]]:
    """Return a text's fixed parts with None for each gap; one for each branch of a choice."""
    if isinstance(expr, ast.Constant) and isinstance(expr.value, str):
        return [(expr.value,)]
    if isinstance(expr, ast.JoinedStr):
        return [tuple(str(p.value) if isinstance(p, ast.Constant) else None for p in expr.values)]
    if isinstance(expr, ast.IfExp):
        return [*_templates(expr.body), *_templates(expr.orelse)]
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.Mod):
        return [_split(parts, _PERCENT) for parts in _templates(expr.left)]
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.Add):
        left, right = _templates(expr.left), _templates(expr.right)
        if left or right:
            return [(*a, *b) for a in left or [(None,)] for b in right or [(None,)]][:4]
    if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute):
        if expr.func.attr == "format":
            return [_split(parts, _BRACES) for parts in _templates(expr.func.value)]
        if expr.func.attr in {"strip", "dedent", "lower", "join"}:
            return _templates(expr.func.value)
    return []


def _split(parts: tuple[str | None, ...], gaps: re.Pattern[str]) -> tuple[str | None, ...]:
    found: list[str | None] = []
    for part in parts:
        for index, text in enumerate(gaps.split(part) if part is not None else (None,)):
            if index or text is None:
                found.append(None)
            if text:
                found.append(text)
    return tuple(found)
