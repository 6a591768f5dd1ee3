"""Queries that depend on one another, answered by the least fixpoint where they form a circle.

A query is asked by its key and answered once. Where a query depends on itself, its first answer
is the bottom (nothing is known), and the circle is evaluated again until no answer changes; only
then its answers are stored (the top-down solver of Le Charlier and Van Hentenryck, 1992). A
circle is entered at its first place in the program, so its answers do not depend on the order of
queries, even where a limit ends the rounds. Answers that a limit cut short, and all that depend
on them, are marked as incomplete.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from dl_bug_lsp.provenance.nodes import MAX_NESTING, MAX_POSTPONED, MAX_ROUNDS, MAX_SOLVED

Key: TypeAlias = "tuple[Any, ...]"
Compute: TypeAlias = "Callable[[], tuple[Any, ...]]"
Place: TypeAlias = "Callable[[], tuple[Any, ...]]"
NOWHERE = 1 << 30
"""The depth that an answer leans on which leans on no open question."""


class _TooDeepError(Exception):
    """Too many questions are open: this one has to be answered before them."""

    def __init__(self, key: Key, compute: Compute, place: Place | None) -> None:
        super().__init__()
        self.question = (key, compute, place)


class Queries:
    """The answers of one localization, and the questions that are open."""

    def __init__(self) -> None:
        self._answers: dict[Key, tuple[tuple[Any, ...], bool]] = {}
        self._open: dict[Key, int] = {}
        self._approximations: dict[Key, tuple[Any, ...]] = {}
        self._passing: dict[Key, tuple[tuple[Any, ...], int, bool]] = {}
        self._trail: list[Key] = []
        self._placed: dict[Key, tuple[Compute, Place]] = {}
        self._low = NOWHERE
        self._whole = True
        self._stable = True
        self._solved = 0
        self.limits: set[str] = set()

    def cut(self, limit: str) -> None:
        """Note that a limit cut the answer short that is being worked out."""
        self.limits.add(limit)
        self._whole = False

    def note_completeness(self, whole: bool) -> None:
        """Note that the answer being worked out uses one that is known."""
        if not whole:
            self._whole = False

    def known(self, key: Key) -> tuple[tuple[Any, ...], bool] | None:
        """Return a final answer and whether it is complete, None where there is none yet."""
        return self._answers.get(key)

    def ask(self, key: Key, compute: Compute, place: Place | None = None) -> tuple[Any, ...]:
        """Return the answer to a question; ``compute`` works it out and may ask others.

        ``place`` says where in the program it arises; circles are entered at the first place.
        """
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
            return self._outermost(key, compute, place)
        if self._solved > MAX_SOLVED:
            self.cut("work")
            return ()
        if len(self._open) >= MAX_NESTING:
            if self._approximations:
                # Answers of a circle are lost when it is left: so deep in one, nothing is known.
                self.cut("nesting")
                return ()
            raise _TooDeepError(key, compute, place)
        return self._solve(key, compute, place)

    def _outermost(self, key: Key, compute: Compute, place: Place | None) -> tuple[Any, ...]:
        """Answer a question that no other led to; those too deep below it are answered first."""
        pending = [(key, compute, place)]
        waiting = {key}
        while pending:
            innermost = pending[-1][0]
            try:
                if innermost not in self._answers:
                    self._solve(*pending[-1])
                waiting.discard(innermost)
                pending.pop()
            except _TooDeepError as deep:
                self._forget()
                below = deep.question[0]
                if below in waiting or len(pending) > MAX_POSTPONED:
                    self.limits.add("nesting")
                    self._answers[below] = ((), False)
                else:
                    pending.append(deep.question)
                    waiting.add(below)
            except RecursionError:
                # One question may take many of Python's calls: what lies deeper is not known.
                self._forget()
                self.limits.add("nesting")
                self._answers[innermost] = ((), False)
                waiting.discard(innermost)
                pending.pop()
            except BaseException:
                self._forget()
                raise
        self._forget()
        return self._answers[key][0]

    def _forget(self) -> None:
        """Leave all open questions as if they had not been asked."""
        self._open.clear()
        self._approximations.clear()
        self._passing.clear()
        self._placed.clear()
        self._trail.clear()
        self._low, self._whole, self._stable = NOWHERE, True, True

    def _solve(
        self, key: Key, compute: Compute, place: Place | None, entered: bool = False
    ) -> tuple[Any, ...]:
        depth = self._open[key] = len(self._open)
        mark = len(self._trail)
        if place is not None:
            self._placed[key] = (compute, place)
        outer_low, outer_whole, outer_stable = self._low, self._whole, self._stable
        for tried in range(MAX_ROUNDS):
            self._low, self._whole, self._stable = NOWHERE, True, True
            self._solved += 1
            value = compute()
            if self._approximations.get(key, value) != value:
                self._stable = False
            if self._low != depth or self._stable:
                break
            if not entered:
                first = self._first(key, mark)
                entered = True
                if first != key:
                    self._enter_at(first, key, mark)
                    self._low, self._whole, self._stable = NOWHERE, True, True
                    known = self._answers.get(key)
                    if known is not None:
                        value, self._whole = known
                        break
                    self._open[key] = depth
                    continue
            # This is where the circle was entered: once more, with what is known by now.
            self._approximations[key] = value
            if tried == MAX_ROUNDS - 1:
                self.cut("rounds")
                break
            for passed in self._trail[mark:]:
                self._passing.pop(passed, None)
            del self._trail[mark:]
        self._open.pop(key, None)
        low, whole = self._low, self._whole
        if key in self._answers:
            pass
        elif low < depth:
            self._keep_passing(key, value, low, whole, mark)
        else:
            self._keep(key, value, whole, mark)
            low, self._stable = NOWHERE, True
        self._low = min(outer_low, low)
        self._whole = outer_whole and whole
        self._stable = outer_stable and self._stable
        return value

    def _first(self, key: Key, mark: int) -> Key:
        """Return the question of a circle that arises first in the program."""
        members = [k for k in (key, *self._trail[mark:]) if k in self._placed]
        return min(members, key=lambda k: self._placed[k][1](), default=key)

    def _enter_at(self, first: Key, key: Key, mark: int) -> None:
        """Forget what is known of a circle, and answer it from its first question on."""
        for passed in self._trail[mark:]:
            self._passing.pop(passed, None)
            self._approximations.pop(passed, None)
        del self._trail[mark:]
        del self._open[key]
        self._approximations.pop(key, None)
        compute, place = self._placed[first]
        self._solve(first, compute, place, entered=True)

    def _keep_passing(
        self, key: Key, value: tuple[Any, ...], low: int, whole: bool, mark: int
    ) -> None:
        """Keep an answer for this round of the circle that it is in."""
        if key in self._approximations:
            self._approximations[key] = value
            for passed in self._trail[mark:]:
                if passed in self._passing:
                    answer, lowest, complete = self._passing[passed]
                    self._passing[passed] = (answer, min(lowest, low), complete)
        self._passing[key] = (value, low, whole)
        self._trail.append(key)

    def _keep(self, key: Key, value: tuple[Any, ...], whole: bool, mark: int) -> None:
        """Keep an answer for good, and those of the circle that was entered by it."""
        self._answers[key] = (value, whole)
        self._approximations.pop(key, None)
        for passed in self._trail[mark:]:
            # A question that was asked twice on the way stands twice on the trail.
            known = self._passing.pop(passed, None)
            if known is not None:
                self._answers[passed] = (known[0], known[2] and whole)
            self._approximations.pop(passed, None)
        del self._trail[mark:]
