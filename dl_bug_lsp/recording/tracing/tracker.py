"""Follows one thread of a program: its loops and callbacks, and what each iteration executes.

Code objects of the workspace are followed, with the loops in their source. Executed lines are
counted for each iteration of a loop, or for each call that a library makes. Arguments that have a
shape and a dtype are noted as short texts: ``float32(8, 10) cuda:0``.
"""

from __future__ import annotations

import ast
import os
import re
import zlib
from collections import deque
from types import CodeType, FrameType
from typing import Any

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
_KEPT_ESCAPES = b"\r\n'\"\\N"
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
        return match[0] if match[1] in _KEPT_ESCAPES else b"__"

    return ast.parse(_ESCAPE.sub(plain, text))


# ---------------------------------------------------------------------- one thread
MOST_CALLS = 1_000
"""Calls of one function in one turn whose lines are followed."""
MOST_LOOKS = 100
"""Calls of one function in one turn whose arguments are looked at."""
MOST_SIGNATURES = 5_000
_KEPT = 32
EXIT = -1

Seen = tuple[int, int, str, str, str, int, int]
"""A signature: file, line and name of the function, argument, text, file and line of the call."""


class Signatures:
    """The signatures of all threads, numbered."""

    def __init__(self) -> None:
        self.rows: list[Seen] = []
        self._numbers: dict[tuple[int, str, str], int] = {}

    def number(self, code: Code, argument: str, text: str, caller: tuple[int, int]) -> int:
        """Return the number of a function's argument that looks so, -1 where there are too many."""
        key = (id(code), argument, text)
        known = self._numbers.get(key)
        if known is not None:
            return known
        if len(self.rows) >= MOST_SIGNATURES:
            return -1
        self._numbers[key] = len(self.rows)
        where = (code.file, code.code.co_firstlineno, code.name)
        self.rows.append((*where, argument, text, *caller))
        return len(self.rows) - 1


class Tracker:
    """What a thread has run. ``lines`` and ``signatures`` are the current turn's; add to them."""

    def __init__(self, files: Files, signatures: Signatures) -> None:
        self._files = files
        self._all = signatures
        self._turns: dict[int, Turns] = {}
        self._stack = [Scope(Turns("run", 0, 0, 0, ""))]
        self._outermost: FrameType | None = None
        self._called_back = False
        self.broken: deque[Broken] = deque(maxlen=_KEPT)
        self.fatal: tuple[int, ...] = ()
        """The exception that left the program, and those that it came of, by identity."""
        self.events = 0
        """Lines and calls of the workspace that were followed."""
        self.spent = 0.0
        """Seconds in `enter` and `line`."""
        self._settle()

    def enter(self, frame: FrameType, code: Code) -> bool | None:
        """Take in a call; True where its end is to be told, None where its lines are too many."""
        self.events += 1
        is_watched = bool(code.headers)
        if self._outermost is None:
            self._outermost = frame
            is_watched = True
        elif code.may_be_called_back and not self._called_back and self._from_library(frame):
            self._called_back = True
            first = code.code.co_firstlineno
            self._open(Scope(self._turns_of(id(code), "call", code, first, first), frame))
            is_watched = True
        if code.tick != self._tick:
            code.tick, code.calls, code.looked_at = self._tick, 0, 0
        code.calls += 1
        if code.arguments and code.looked_at < MOST_LOOKS:
            code.looked_at += 1
            self._look(frame, code)
        return is_watched or (None if code.calls > MOST_CALLS else False)

    def line(self, frame: FrameType, code: Code, line: int) -> None:
        """Take in a line of a watched frame."""
        self.events += 1
        top = self._stack[-1]
        while top.frame is frame and top.loop is not None:
            if top.loop.first <= line <= top.loop.end:
                break
            # An exception that was raised in this turn may be on its way out.
            self._close(top.pending)
            top = self._stack[-1]
        if top.frame is frame and top.loop is not None:
            self._turn(top, top.loop, line)
        for loop in code.headers.get(line, ()):
            if not self._is_in(frame, loop):
                turns = self._turns_of(id(loop), "loop", code, loop.first, loop.end)
                self._open(Scope(turns, frame, loop))
                self._stack[-1].in_body = line >= loop.body
                self._stack[-1].latest = line
        self.lines.add(code.base + line)

    def raised(self, frame: FrameType, exception: BaseException) -> None:
        """Take in an exception in a frame; whether it leaves the loops around is not known yet."""
        for scope in reversed(self._stack):
            if scope.frame is not frame:
                return
            scope.pending = id(exception)

    def leave(self, frame: FrameType, exception: tuple[int, ...] = ()) -> None:
        """Take in the end of a frame; ``exception`` is what ended it and what that came of."""
        while self._stack[-1].frame is frame:
            self._close(exception[0] if exception else 0)
        if self._outermost is frame:
            self._outermost = None
            self.fatal = exception or self.fatal

    def _is_in(self, frame: FrameType, loop: Loop) -> bool:
        for scope in reversed(self._stack):
            if scope.frame is not frame or scope.loop is loop:
                return scope.loop is loop
        return False

    def _turn(self, scope: Scope, loop: Loop, line: int) -> None:
        has_turned = False
        if line <= loop.head_end:
            has_turned = scope.in_body
        elif not scope.in_body:
            scope.in_body = True
        elif loop.endless and line == loop.body:
            came_back = not loop.body <= scope.latest <= loop.body_end
            has_turned = came_back or loop.body == loop.body_end
        scope.latest = line
        if has_turned:
            self._end_turn(scope)
            scope.in_body = line > loop.head_end

    def _end_turn(self, scope: Scope) -> None:
        scope.turns.add(scope.lines, scope.signatures)
        self._hand_up(scope)
        scope.lines, scope.signatures, scope.pending = set(), set(), 0
        self._settle()

    def _close(self, exception: int) -> None:
        scope = self._stack[-1]
        if scope.loop is None:
            self._called_back = False
        if exception:
            self.broken.append(Broken(scope, exception))
        elif scope.in_body:
            scope.turns.add(scope.lines, scope.signatures)
        self._hand_up(scope)
        self._stack.pop()
        self._settle()

    def _hand_up(self, scope: Scope) -> None:
        around = self._stack[-2]
        around.lines |= scope.lines
        around.signatures |= scope.signatures

    def _open(self, scope: Scope) -> None:
        self._stack.append(scope)
        self._settle()

    def _settle(self) -> None:
        top = self._stack[-1]
        self.lines, self.signatures = top.lines, top.signatures
        self._tick = object()

    def _turns_of(self, key: int, kind: str, code: Code, first: int, end: int) -> Turns:
        turns = self._turns.get(key)
        if turns is None:
            turns = self._turns[key] = Turns(kind, code.file, first, end, code.name)
        return turns

    def _from_library(self, frame: FrameType) -> bool:
        back = frame.f_back
        return back is not None and self._files.number.get(back.f_code.co_filename, -1) < 0

    def _look(self, frame: FrameType, code: Code) -> None:
        values = frame.f_locals
        for argument in code.arguments:
            text = signature(values.get(argument))
            if text:
                number = self._all.number(code, argument, text, self._caller(frame))
                if number >= 0:
                    self.signatures.add(number)

    def _caller(self, frame: FrameType) -> tuple[int, int]:
        """Return the file and line of the workspace that led to a call, over libraries between."""
        back, far = frame.f_back, 0
        while back is not None and far < 12:
            number = self._files.number.get(back.f_code.co_filename, -1)
            if number >= 0:
                return number, back.f_lineno or 0
            back, far = back.f_back, far + 1
        return -1, 0

    def current_lines(self) -> set[int]:
        """Return all lines that the thread ran."""
        lines: set[int] = set()
        for scope in self._stack:
            lines |= scope.lines
        for broken in self.broken:
            lines |= broken.lines
        return lines

    def current_signatures(self) -> set[int]:
        """Return all signatures that the thread met."""
        signatures: set[int] = set()
        for scope in self._stack:
            signatures |= scope.signatures
        return signatures


def chain(exception: BaseException | None) -> tuple[int, ...]:
    """Return the identities of an exception and of those that it came of, itself first.

    `EXIT` stands at the end of those of a `sys.exit`.
    """
    identities: dict[int, None] = {}
    todo = [exception]
    while todo and len(identities) < 20:
        error = todo.pop()
        if error is not None and id(error) not in identities:
            identities[id(error)] = None
            todo += [error.__context__, error.__cause__]
    return (*identities, EXIT) if isinstance(exception, SystemExit) else tuple(identities)


ALL_UP_TO = 1_000
"""Turns that are all told apart; of later ones some, and those between count like the latest."""
MOST_KINDS = 256


class Turns:
    """All ended turns of one loop or function: ``kinds`` holds their number by the lines they ran.

    Training steps nearly all run the same lines, so that ten thousand of them are a few kinds.
    """

    def __init__(self, kind: str, file: int, first: int, end: int, name: str) -> None:
        self.kind, self.file, self.first, self.end, self.name = kind, file, first, end, name
        self.count = 0
        self.kinds: dict[frozenset[int], list[int]] = {}
        self.signatures: dict[int, int] = {}
        self._latest = [0, 0]

    def add(self, lines: set[int], signatures: set[int]) -> None:
        """Count a turn that ended well."""
        if self.count < ALL_UP_TO or self.count % (self.count // ALL_UP_TO + 1) == 0:
            kind = frozenset(lines)
            known = self.kinds.get(kind)
            if known is None and len(self.kinds) < MOST_KINDS:
                known = self.kinds[kind] = [0, self.count]
            self._latest = known or self._latest
        self._latest[0] += 1
        self.count += 1
        for number in signatures:
            self.signatures[number] = self.signatures.get(number, 0) + 1


class Scope:
    """A loop or a call that is under way, with what its current turn ran so far."""

    __slots__ = ("frame", "in_body", "latest", "lines", "loop", "pending", "signatures", "turns")

    def __init__(
        self,
        turns: Turns,
        frame: FrameType | None = None,
        loop: Loop | None = None,
    ) -> None:
        self.turns, self.frame, self.loop = turns, frame, loop
        self.in_body = loop is None
        self.latest = 0
        self.pending = 0
        """The exception that was raised in this turn last, by identity."""
        self.lines: set[int] = set()
        self.signatures: set[int] = set()


class Broken:
    """A turn that an exception ended; it failed when that exception ended the program."""

    def __init__(self, scope: Scope, exception: int) -> None:
        self.turns = scope.turns
        self.turn = scope.turns.count
        self.lines = frozenset(scope.lines)
        self.signatures = frozenset(scope.signatures)
        self.exception = exception


MOST_ITEMS = 64
"""Items of a list or entries of a dict that are looked at."""
MOST_TEXTS = 4
_LIKE_A_TENSOR: dict[type, bool] = {}


def signature(value: Any) -> str:
    """Return the text of an argument, empty where it holds no tensor; one level is opened.

    Only attributes that the value's class defines are read, so that no ``__getattr__`` of the
    user's runs.
    """
    kind = type(value)
    known = _LIKE_A_TENSOR.get(kind)
    if known is None:
        known = _LIKE_A_TENSOR[kind] = _is_like_a_tensor(kind)
    if known:
        return _tensor(value)
    if kind in (list, tuple):
        return _items(value, f"{kind.__name__} of {len(value)}")
    if kind is dict:
        return _entries(value)
    return ""


def _is_like_a_tensor(kind: type) -> bool:
    return all(hasattr(kind, name) for name in ("shape", "dtype"))


def _tensor(value: Any) -> str:
    try:
        shape = ", ".join(map(str, value.shape))
        dtype = str(getattr(value.dtype, "name", value.dtype)).rpartition(".")[2]
        device = str(value.device) if hasattr(type(value), "device") else ""
    except Exception:
        return ""
    where = device.rpartition("device:")[2].lower()
    return f"{dtype}({shape})" + (f" {where}" if where not in ("", "cpu", "cpu:0") else "")


def _items(value: Any, name: str) -> str:
    texts: dict[str, None] = {}
    for item in value[:MOST_ITEMS]:
        known = _LIKE_A_TENSOR.get(type(item))
        if known is None:
            known = _LIKE_A_TENSOR[type(item)] = _is_like_a_tensor(type(item))
        if known:
            texts[_tensor(item)] = None
        elif type(item) in (list, tuple):
            for part in item[:MOST_TEXTS]:
                if _LIKE_A_TENSOR.get(type(part)):
                    texts[_tensor(part)] = None
    shapes = [text for text in texts if text][:MOST_TEXTS]
    return f"{name}: {', '.join(shapes)}" if shapes else ""


def _entries(value: dict[Any, Any]) -> str:
    shapes: list[str] = []
    for key, item in list(value.items())[:MOST_ITEMS]:
        if _LIKE_A_TENSOR.get(type(item)) or _is_like_a_tensor(type(item)):
            text = _tensor(item)
            if text:
                shapes.append(f"{str(key)[:30]}: {text}")
    return "{" + ", ".join(shapes[: 2 * MOST_TEXTS]) + "}" if shapes else ""
