"""The turns of a loop, or the calls that a library makes: which lines each ran, counted by kind."""

from __future__ import annotations

from types import FrameType

from dl_bug_lsp.recording.tracing.loops import Loop

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
