"""From the lines of a file as it ran to its lines today."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

LARGEST_CHANGE = 4_000
"""Lines of a changed region; beyond it nothing in the region is compared."""


class Anchoring:
    """Says where the lines of an older text stand in today's; built once a file."""

    def __init__(self, then: str, now: str) -> None:
        old, new = then.splitlines(), now.splitlines()
        self._head = _common(old, new)
        tail = _common(old[self._head :][::-1], new[self._head :][::-1])
        self._old_end = len(old) - tail
        self._shift = len(new) - len(old)
        self._inside: dict[int, int] = {}
        middle = old[self._head : self._old_end], new[self._head : len(new) - tail]
        if max(map(len, middle)) <= LARGEST_CHANGE:
            matcher = SequenceMatcher(None, *middle, autojunk=False)
            for start, at, size in matcher.get_matching_blocks():
                for step in range(size):
                    if middle[0][start + step].strip():
                        self._inside[self._head + start + step + 1] = self._head + at + step + 1

    def now(self, line: int) -> int | None:
        """Return today's 1-based line of an older one, None where it was changed or deleted."""
        if line <= self._head:
            return line
        if line > self._old_end:
            return line + self._shift
        return self._inside.get(line)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many first lines are equal."""
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return at
    return min(len(one), len(other))
