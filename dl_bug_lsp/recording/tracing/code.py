"""Which code objects belong to the workspace, and the loops in their source."""

from __future__ import annotations

import ast
import os
import re
import zlib
from types import CodeType

LINE_BITS = 20
"""A line is one number: the file's shifted by so many bits, plus the line."""
_GENERATOR = 0x20 | 0x80 | 0x200
_LARGEST = 4 * 2**20


class Code:
    """A code object of the workspace; ``headers`` are the loops by the lines that begin them."""

    def __init__(self, code: CodeType, file: int, loops: list[Loop]) -> None:
        self.code = code  # Held, so that its id stays its own.
        self.file = file
        self.base = file << LINE_BITS
        self.name = getattr(code, "co_qualname", code.co_name)
        self.is_function = not code.co_name.startswith("<") and bool(code.co_flags & 0x2)
        # The turns of a generator's loop are its consumer's.
        is_generator = bool(code.co_flags & _GENERATOR)
        self.headers: dict[int, list[Loop]] = {}
        for loop in () if is_generator else sorted(loops, key=lambda loop: loop.first):
            # Some versions of Python never come to the line of `while True`.
            for line in {loop.first, loop.body} if loop.endless else {loop.first}:
                self.headers.setdefault(line, []).append(loop)
        self.may_be_called_back = self.is_function and not is_generator
        count = code.co_argcount + code.co_kwonlyargcount
        names = code.co_varnames[:count]
        self.arguments = names[1:] if names[:1] in (("self",), ("cls",)) else names
        self.tick: object = None
        self.calls = 0
        self.looked_at = 0


class Files:
    """The files of the workspace that ran, numbered in the order in which they were met."""

    def __init__(self, root: str) -> None:
        self._roots = {os.path.join(r, "") for r in (root, os.path.realpath(root))}
        self._start = os.getcwd()
        self.names: list[str] = []
        self.checksums: list[int] = []
        self._loops: list[dict[Owner, list[Loop]]] = []
        self.number: dict[str, int] = {}
        """The file's number by ``co_filename``; -1 for files of others."""
        self._codes: dict[int, Code] = {}

    def code(self, code: CodeType) -> Code | None:
        """Return what is known of a code object, None where it is not the workspace's."""
        known = self._codes.get(id(code))
        if known is not None:
            return known
        name = code.co_filename
        number = self.number.get(name)
        if number is None:
            number = self.number[name] = self._meet(name)
        if number < 0:
            return None
        owner = MODULE if code.co_name == MODULE[1] else (code.co_firstlineno, code.co_name)
        known_code = Code(code, number, self._loops[number].get(owner, []))
        self._codes[id(code)] = known_code
        return known_code

    def _meet(self, name: str) -> int:
        if name.startswith("<"):
            return -1
        path = os.path.normpath(os.path.join(self._start, name))
        relative = next((path[len(r) :] for r in sorted(self._roots) if path.startswith(r)), "")
        parts = relative.replace(os.sep, "/").split("/")
        if not relative or any(
            part.startswith(".") or part in ("site-packages", "dist-packages") for part in parts
        ):
            return -1
        try:
            with open(path, "rb") as stream:
                text = stream.read(_LARGEST)
            loops = loops_of(text)
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            return -1
        relative = "/".join(parts)
        if relative in self.names:
            return self.names.index(relative)
        self.names.append(relative)
        self.checksums.append(zlib.crc32(text))
        self._loops.append(loops)
        return len(self.names) - 1


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
    by_owner: dict[Owner, list[Loop]] = {}
    todo: list[tuple[ast.AST, Owner]] = [(_tree(text), MODULE)]
    while todo:
        node, owner = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            owner = (first, node.name)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            loop = Loop(node)
            if loop.body > loop.first:
                by_owner.setdefault(owner, []).append(loop)
        todo.extend((child, owner) for child in ast.iter_child_nodes(node))
    return by_owner


def _tree(text: bytes) -> ast.Module:
    # An invalid escape would make the parser warn, and the user sees that warning from us.
    def plain(match: re.Match[bytes]) -> bytes:
        return match[0] if match[1] in _KEPT else b"__"

    return ast.parse(_ESCAPE.sub(plain, text))
