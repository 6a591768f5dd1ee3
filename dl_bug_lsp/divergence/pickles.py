"""Pickles of plain data read without unpickling: no name is looked up, nothing is called.

PyTorch's flight recorder writes its record as a pickle. Its opcodes (see `pickletools`) are
interpreted here one by one; those for containers, numbers and strings are known, and any other
refuses the whole.
"""

from __future__ import annotations

import pickletools
from typing import Any

MOST_OPCODES = 4_000_000
_MARK = object()
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_VALUES = frozenset((
    "BININT", "BININT1", "BININT2", "LONG1", "LONG4", "INT", "LONG", "BINFLOAT", "FLOAT",
    "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "UNICODE", "BINBYTES", "SHORT_BINBYTES",
))  # fmt: skip
_SKIPPED = frozenset(("PROTO", "FRAME"))


class NotPlainError(ValueError):
    """The pickle holds something else than plain data, or is broken."""


def read_plain(data: bytes) -> Any:
    """Return the dicts, lists, tuples, numbers and strings of a pickle; raises `NotPlainError`."""
    stack: list[Any] = []
    memo: dict[int, Any] = {}
    try:
        for count, (opcode, argument, _) in enumerate(pickletools.genops(data)):
            if count > MOST_OPCODES:
                raise NotPlainError("too long")
            if opcode.name == "STOP":
                (value,) = stack
                if value is _MARK:
                    break
                return value
            _step(opcode.name, argument, stack, memo)
    except NotPlainError:
        raise
    except Exception as error:
        raise NotPlainError(str(error)) from None
    raise NotPlainError("no end")


def _step(name: str, argument: Any, stack: list[Any], memo: dict[int, Any]) -> None:
    if name in _VALUES:
        stack.append(argument)
    elif name in _CONSTANTS:
        stack.append(_CONSTANTS[name])
    elif name == "MARK":
        stack.append(_MARK)
    elif name in ("EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE"):
        stack.append({} if name == "EMPTY_DICT" else [] if name == "EMPTY_LIST" else ())
    elif name in ("TUPLE1", "TUPLE2", "TUPLE3"):
        size = int(name[-1])
        stack[-size:] = [tuple(_plain(stack[-size:], size))]
    elif name in ("TUPLE", "LIST", "DICT"):
        items = _to_mark(stack)
        stack.append(
            tuple(items) if name == "TUPLE" else items if name == "LIST" else _pairs(items)
        )
    elif name in ("APPEND", "APPENDS"):
        items = _to_mark(stack) if name == "APPENDS" else _plain([stack.pop()], 1)
        stack[-1].extend(items) if type(stack[-1]) is list else _refuse(name)
    elif name in ("SETITEM", "SETITEMS"):
        items = _to_mark(stack) if name == "SETITEMS" else _plain([stack.pop(), stack.pop()], 2)
        if name == "SETITEM":
            items.reverse()
        stack[-1].update(_pairs(items)) if type(stack[-1]) is dict else _refuse(name)
    elif name in ("MEMOIZE", "BINPUT", "LONG_BINPUT", "PUT"):
        memo[len(memo) if name == "MEMOIZE" else argument] = _plain(stack[-1:], 1)[0]
    elif name in ("BINGET", "LONG_BINGET", "GET"):
        stack.append(memo[argument])
    elif name not in _SKIPPED:
        _refuse(name)


def _to_mark(stack: list[Any]) -> list[Any]:
    items: list[Any] = []
    while (item := stack.pop()) is not _MARK:
        items.append(item)
    items.reverse()
    return items


def _plain(items: list[Any], size: int) -> list[Any]:
    if len(items) != size or any(item is _MARK for item in items):
        _refuse("order")
    return items


def _pairs(items: list[Any]) -> dict[Any, Any]:
    if len(items) % 2 or not all(isinstance(key, (str, int, tuple)) for key in items[::2]):
        _refuse("keys")
    return dict(zip(items[::2], items[1::2], strict=True))


def _refuse(what: str) -> None:
    raise NotPlainError(f"not plain data ({what})")
