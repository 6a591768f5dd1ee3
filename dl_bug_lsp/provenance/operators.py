"""Folding of Python's operators and text formats over scalars, within bounds."""

from __future__ import annotations

import ast
import math
import operator
import re
import string
from collections.abc import Callable, Sequence
from typing import Any

from dl_bug_lsp.provenance.nodes import Const

BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}
WHOLE = {ast.LShift, ast.RShift, ast.BitOr, ast.BitAnd, ast.BitXor}
MAX_BASE, MAX_EXPONENT = 10_000, 64
MAX_TEXT, MAX_BITS = 4096, 256
PLAIN_FORMAT = re.compile(r"(?:.?[<>=^])?[-+ ]?#?0?\d{0,3}[,_]?(?:\.\d{1,2})?[bcdeEfFgGnosxX%]?")
"""Format specifications without a width that could fill the memory."""
PERCENT = re.compile(r"%(?:%|[-+ #0]{0,5}\d{0,3}(?:\.\d{1,2})?[diouxXeEfFgGcrsa])")
ERRORS = (ArithmeticError, ValueError, TypeError, IndexError, KeyError)


def fold_binary(op: ast.operator, a: object, b: object) -> Const | None:
    """Fold an operator over two scalars, None where Python would raise or the result is huge."""
    fold = BINARY.get(type(op))
    if fold is None:
        return None
    whole = isinstance(a, int) and isinstance(b, int)
    numbers = isinstance(a, (int, float)) and isinstance(b, (int, float))
    if isinstance(a, str) and isinstance(op, ast.Mod):
        return percent(a, (b,))
    if isinstance(op, ast.Mult) and (isinstance(a, str) or isinstance(b, str)):
        return _repeated(a, b)
    joined = isinstance(a, str) and isinstance(b, str) and isinstance(op, ast.Add)
    if not (joined or (whole if type(op) in WHOLE else numbers)) or not _small(op, a, b):
        return None
    try:
        return _bounded(fold(a, b))
    except ERRORS:
        return None


def _small(op: ast.operator, a: Any, b: Any) -> bool:
    if isinstance(op, ast.Pow):
        return bool(abs(a) <= MAX_BASE and abs(b) <= MAX_EXPONENT)
    return not isinstance(op, (ast.LShift, ast.RShift)) or bool(abs(b) <= MAX_EXPONENT)


def _repeated(a: object, b: object) -> Const | None:
    text, count = (a, b) if isinstance(a, str) else (b, a)
    if isinstance(text, str) and isinstance(count, int) and len(text) * count <= MAX_TEXT:
        return Const(text * count)
    return None


def _bounded(value: object) -> Const | None:
    if isinstance(value, str):
        return Const(value) if len(value) <= MAX_TEXT else None
    if isinstance(value, int):
        return Const(value) if value.bit_length() <= MAX_BITS else None
    return Const(value) if isinstance(value, float) and math.isfinite(value) else None


def fold_unary(op: ast.unaryop, value: object) -> Const | None:
    """Fold ``not``, a sign or ``~`` over a scalar."""
    if isinstance(op, ast.Not):
        return Const(not value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(op, ast.USub):
        return Const(-value)
    if isinstance(op, ast.Invert):
        return Const(~value) if isinstance(value, int) else None
    return Const(value)


def formatted(value: object, specification: str, conversion: int = -1) -> str | None:
    """Return one field of an f-string; None for a specification with an absurd width."""
    if not PLAIN_FORMAT.fullmatch(specification):
        return None
    convert: dict[int, Callable[[object], str]] = {ord("r"): repr, ord("s"): str, ord("a"): ascii}
    try:
        shown = convert[conversion](value) if conversion in convert else value
        return format(shown, specification)
    except ERRORS:
        return None


def percent(text: str, arguments: Sequence[object]) -> Const | None:
    """Fold ``text % arguments`` for plain conversions."""
    if "%" in PERCENT.sub("", text):
        return None
    try:
        return _bounded(text % tuple(arguments))
    except ERRORS:
        return None


def brace(text: str, arguments: Sequence[object], keywords: dict[str, object]) -> Const | None:
    """Fold ``text.format(...)`` for fields that are a plain name or number."""
    try:
        for _, name, specification, _ in string.Formatter().parse(text):
            if name is None:
                continue
            if not (name.isidentifier() or name.isdigit() or not name):
                return None
            if not PLAIN_FORMAT.fullmatch(specification or ""):
                return None
        return _bounded(text.format(*arguments, **keywords))
    except ERRORS:
        return None
