"""One thread a folder: jobs by rank, and long work in steps that everything else may overtake.

Lanes are daemon threads: a busy one never holds up the process' end.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from enum import IntEnum

logger = logging.getLogger(__name__)


class Rank(IntEnum):
    """Who goes first in a lane; within a rank the oldest does."""

    CHANGES = 0
    ASKED = 1
    HEARD = 2
    """Failures found in logs, which nobody waits for."""


class FolderQueue:
    """Runs one thing at a time in a thread of its own; safe between threads."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._ready = threading.Condition()
        self._order = itertools.count()
        self._jobs: list[tuple[int, int, Callable[[], None], Callable[[], bool]]] = []
        self._background: deque[Iterator[object]] = deque()
        self._is_closed = False
        self._thread: threading.Thread | None = None

    def put(
        self, rank: Rank, job: Callable[[], None], dropped: Callable[[], bool] = lambda: False
    ) -> None:
        """Run ``job`` when its turn comes, unless it is ``dropped`` by then."""
        with self._ready:
            if self._is_closed:
                return
            heapq.heappush(self._jobs, (rank, next(self._order), job, dropped))
            self._wake()

    def put_steps(self, steps: Iterator[object]) -> None:
        """Run an iterator to its end, a step whenever there is no job to do."""
        with self._ready:
            if self._is_closed:
                return
            self._background.append(steps)
            self._wake()

    def close(self) -> None:
        """Forget what waits and end the thread after what it does now."""
        with self._ready:
            self._is_closed = True
            self._jobs.clear()
            self._background.clear()
            self._ready.notify()

    def _wake(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        self._ready.notify()

    def _run(self) -> None:
        while (step := self._next()) is not None:
            _do(step)

    def _next(self) -> Callable[[], None] | None:
        with self._ready:
            while not self._is_closed:
                while self._jobs:
                    _, _, job, dropped = heapq.heappop(self._jobs)
                    if not dropped():
                        return job
                if self._background:
                    return self._step
                self._ready.wait()
        return None

    def _step(self) -> None:
        """Go on with the oldest long work; one that ended or failed is forgotten."""
        steps = self._background[0]
        is_over = True
        try:
            next(steps)
            is_over = False
        except StopIteration:
            pass
        finally:
            with self._ready:
                if is_over and self._background and self._background[0] is steps:
                    self._background.popleft()


def _do(step: Callable[[], None]) -> None:
    try:
        step()
    except Exception:
        logger.exception("work in a folder's lane failed")
