"""Questions that lead to one another, answered by the least fixpoint where they form a circle.

A question is asked by its key and answered once. Where a question comes back to itself, it first
gets the bottom (nothing is known), and the circle is gone through again until no answer of it
changes; only then its answers are kept. So an answer does not depend on which question of a circle
was asked first. This is the top-down solver of Le Charlier and Van Hentenryck (1992).

What a limit cut short is marked as not complete, and so is all that was made of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from dl_bug_lsp.provenance.limits import MAX_NESTING, MAX_POSTPONED, MAX_ROUNDS

Key: TypeAlias = "tuple[Any, ...]"
Compute: TypeAlias = "Callable[[], tuple[Any, ...]]"
NOWHERE = 1 << 30
"""The depth that an answer leans on which leans on no open question."""


class _TooDeepError(Exception):
    """Too many questions are open: this one has to be answered before them."""

    def __init__(self, key: Key, compute: Compute) -> None:
        super().__init__()
        self.key = key
        self.compute = compute


class Queries:
    """The answers of one localization, and the questions that are open."""

    def __init__(self) -> None:
        self._answers: dict[Key, tuple[tuple[Any, ...], bool]] = {}
        self._open: dict[Key, int] = {}
        self._approximations: dict[Key, tuple[Any, ...]] = {}
        self._passing: dict[Key, tuple[tuple[Any, ...], int, bool]] = {}
        self._trail: list[Key] = []
        self._low = NOWHERE
        self._whole = True
        self._stable = True
        self.limits: set[str] = set()

    def cut(self, limit: str) -> None:
        """Note that a limit cut the answer short that is being worked out."""
        self.limits.add(limit)
        self._whole = False

    def lean_on(self, whole: bool) -> None:
        """Note that the answer being worked out uses one that is known."""
        if not whole:
            self._whole = False

    def known(self, key: Key) -> tuple[tuple[Any, ...], bool] | None:
        """Return a final answer and whether it is complete, None where there is none yet."""
        return self._answers.get(key)

    def ask(self, key: Key, compute: Compute) -> tuple[Any, ...]:
        """Return the answer to a question; ``compute`` works it out and may ask others."""
        answer = self._answers.get(key)
        if answer is not None:
            if not answer[1]:
                self._whole = False
            return answer[0]
        depth = self._open.get(key)
        if depth is not None:
            self._low = min(self._low, depth)
            return self._approximations.setdefault(key, ())
        passing = self._passing.get(key)
        if passing is not None:
            value, low, whole = passing
            self._low = min(self._low, low)
            self._whole = self._whole and whole
            return value
        if not self._open:
            return self._outermost(key, compute)
        if len(self._open) >= MAX_NESTING:
            raise _TooDeepError(key, compute)
        return self._solve(key, compute)

    def _outermost(self, key: Key, compute: Compute) -> tuple[Any, ...]:
        """Answer a question that no other led to; those too deep below it are answered first."""
        pending = [(key, compute)]
        waiting = {key}
        while pending:
            wanted, work = pending[-1]
            try:
                if wanted not in self._answers:
                    self._solve(wanted, work)
                waiting.discard(wanted)
                pending.pop()
            except _TooDeepError as deep:
                self._forget()
                if deep.key in waiting or len(pending) > MAX_POSTPONED:
                    self.limits.add("nesting")
                    self._answers[deep.key] = ((), False)
                else:
                    pending.append((deep.key, deep.compute))
                    waiting.add(deep.key)
            except BaseException:
                self._forget()
                raise
        self._low, self._whole = NOWHERE, True
        return self._answers[key][0]

    def _forget(self) -> None:
        """Leave all open questions as if they had not been asked."""
        self._open.clear()
        self._approximations.clear()
        self._passing.clear()
        self._trail.clear()
        self._low, self._whole, self._stable = NOWHERE, True, True

    def _solve(self, key: Key, compute: Compute) -> tuple[Any, ...]:
        depth = self._open[key] = len(self._open)
        mark = len(self._trail)
        outer_low, outer_whole, outer_stable = self._low, self._whole, self._stable
        for tried in range(MAX_ROUNDS):
            self._low, self._whole, self._stable = NOWHERE, True, True
            value = compute()
            if self._approximations.get(key, value) != value:
                self._stable = False
            if self._low != depth or self._stable:
                break
            # This is where the circle was entered: once more, with what is known by now.
            self._approximations[key] = value
            if tried == MAX_ROUNDS - 1:
                self.cut("rounds")
                break
            for passed in self._trail[mark:]:
                self._passing.pop(passed, None)
            del self._trail[mark:]
        del self._open[key]
        low, whole = self._low, self._whole
        if low < depth:
            self._keep_passing(key, value, low, whole, mark)
        else:
            self._keep(key, value, whole, mark)
            low, self._stable = NOWHERE, True
        self._low = min(outer_low, low)
        self._whole = outer_whole and whole
        self._stable = outer_stable and self._stable
        return value

    def _keep_passing(
        self, key: Key, value: tuple[Any, ...], low: int, whole: bool, mark: int
    ) -> None:
        """Keep an answer for this round of the circle that it is in."""
        if key in self._approximations:
            self._approximations[key] = value
            for passed in self._trail[mark:]:
                kept, lowest, complete = self._passing[passed]
                self._passing[passed] = (kept, min(lowest, low), complete)
        self._passing[key] = (value, low, whole)
        self._trail.append(key)

    def _keep(self, key: Key, value: tuple[Any, ...], whole: bool, mark: int) -> None:
        """Keep an answer for good, and those of the circle that was entered by it."""
        self._answers[key] = (value, whole)
        self._approximations.pop(key, None)
        for passed in self._trail[mark:]:
            kept, _, complete = self._passing.pop(passed)
            self._answers[passed] = (kept, complete and whole)
            self._approximations.pop(passed, None)
        del self._trail[mark:]
