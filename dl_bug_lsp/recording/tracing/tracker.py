"""Follows one thread of a program: into which loops and callbacks it is, what their turns run."""

from __future__ import annotations

from collections import deque
from types import FrameType

from dl_bug_lsp.recording.tracing.code import Code, Files
from dl_bug_lsp.recording.tracing.loops import Loop
from dl_bug_lsp.recording.tracing.signatures import signature
from dl_bug_lsp.recording.tracing.turns import Broken, Scope, Turns

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

    @property
    def every_turns(self) -> list[Turns]:
        """All loops and callbacks that were met."""
        return list(self._turns.values())

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
        found = self._turns.get(key)
        if found is None:
            found = self._turns[key] = Turns(kind, code.file, first, end, code.name)
        return found

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
        found: set[int] = set()
        for scope in self._stack:
            found |= scope.lines
        for broken in self.broken:
            found |= broken.lines
        return found

    def current_signatures(self) -> set[int]:
        """Return all signatures that the thread met."""
        found: set[int] = set()
        for scope in self._stack:
            found |= scope.signatures
        return found


def chain(exception: BaseException | None) -> tuple[int, ...]:
    """Return the identities of an exception and of those that it came of, itself first.

    `EXIT` stands at the end of those of a `sys.exit`.
    """
    found: dict[int, None] = {}
    todo = [exception]
    while todo and len(found) < 20:
        one = todo.pop()
        if one is not None and id(one) not in found:
            found[id(one)] = None
            todo += [one.__context__, one.__cause__]
    return (*found, EXIT) if isinstance(exception, SystemExit) else tuple(found)
