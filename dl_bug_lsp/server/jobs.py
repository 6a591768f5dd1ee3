"""Jobs off the event loop: only the latest job of each source runs, on one thread for each folder.

pygls runs threaded handlers to their end even when the client cancels them, so the server keeps
its own threads. Jobs have priorities, and long work runs in steps that other jobs may overtake.
The threads are daemons: a busy one does not delay the end of the process.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from enum import IntEnum
from typing import Any, TypeVar

from dl_bug_lsp.cancellation import CancelledError, cancellable

logger = logging.getLogger(__name__)


class Tasks:
    """Coroutines that run beside their caller; the loop itself holds them only weakly."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine to its end, soon; returns at once."""
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)


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


Result = TypeVar("Result")

__all__ = ["CancelledError", "Jobs", "Rank", "SupersededError", "Token"]


NO_FOLDER = "no folder"
"""The lane of work that concerns no folder; it is never closed."""


class SupersededError(Exception):
    """A newer request took the place of this one."""


class Token:
    """Tells a running job that nobody waits for it any more; safe between threads."""

    def __init__(self) -> None:
        self._event = threading.Event()

    @property
    def cancelled(self) -> bool:
        """Say whether the job should stop at the next good moment."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Ask the job to stop."""
        self._event.set()


class _Job:
    """Parts in several lanes with one token; ``future`` holds the list of their results."""

    def __init__(self, lanes: Sequence[str], request: int | str | None) -> None:
        self.lanes = lanes
        self.future: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()
        self.request = request
        self.token = Token()
        self._results: list[Any] = [None] * len(lanes)
        self._open = len(lanes)

    def drop(self, why: Exception) -> None:
        self.token.cancel()
        if not self.future.done():
            self.future.set_exception(why)

    def take(self, part: int, result: object, error: BaseException | None) -> None:
        """Take in the end of one part; belongs to the loop's thread."""
        if self.future.done():
            return
        if error is not None:
            ordinary = isinstance(error, Exception) and not isinstance(error, StopIteration)
            self.drop(
                error  # type: ignore[arg-type]
                if ordinary
                else RuntimeError(f"the job ended with {type(error).__name__}")
            )
            return
        self._results[part] = result
        self._open -= 1
        if not self._open:
            self.future.set_result(self._results)


class Jobs:
    """Runs jobs in lanes; all methods are called on the event loop's thread."""

    def __init__(self, is_open: Callable[[str], bool] = lambda name: True) -> None:
        """Lanes are made where ``is_open`` says so of their names: not for folders that closed."""
        self._is_open = is_open
        self._lanes: dict[str, FolderQueue] = {}
        self._jobs: dict[str, _Job] = {}
        # A request may be cancelled before its job begins: while settings are asked for.
        self._unheard: deque[int | str] = deque(maxlen=64)

    def lane(self, name: str) -> FolderQueue:
        """Return the lane of a folder; a workspace is used in its own lane only.

        One that was closed is a lane in which nothing runs.
        """
        if name not in self._lanes:
            made = FolderQueue(name)
            if not self._may_run(name):
                made.close()
                return made
            self._lanes[name] = made
        return self._lanes[name]

    def _may_run(self, name: str) -> bool:
        return name == NO_FOLDER or self._is_open(name)

    def close(self, name: str) -> None:
        """End a lane and the jobs that have a part in it."""
        for job in tuple(self._jobs.values()):
            if name in job.lanes:
                job.drop(CancelledError())
        lane = self._lanes.pop(name, None)
        if lane is not None:
            lane.close()

    async def run(
        self,
        source: str,
        parts: Sequence[tuple[str, Callable[[Token], Result]]],
        request: int | str | None = None,
        rank: Rank = Rank.ASKED,
    ) -> list[Result]:
        """Run each part in the lane that it names and return their results in order.

        Of several jobs of one ``source`` the latest wins. Raises `SupersededError` as soon as a
        newer one arrives, `CancelledError` after `cancel` of ``request`` and where a lane is
        closed, and what a part raised.
        """
        if request is not None and request in self._unheard:
            raise CancelledError
        if not all(self._may_run(lane) for lane, _ in parts):
            raise CancelledError
        self.drop(source)
        job = self._jobs[source] = _Job([lane for lane, _ in parts], request)
        for number, (lane, work) in enumerate(parts):
            self._put(job, number, lane, work, rank)
        try:
            return await job.future
        finally:
            job.token.cancel()
            if self._jobs.get(source) is job:
                del self._jobs[source]

    def drop(self, source: str) -> None:
        """End the job of a source, whose text is out of date."""
        if source in self._jobs:
            self._jobs.pop(source).drop(SupersededError())

    def cancel(self, request: int | str) -> None:
        """Cancel the job that works for a request, if there is one."""
        self._unheard.append(request)
        for job in tuple(self._jobs.values()):
            if job.request == request:
                job.drop(CancelledError())

    def cancel_all(self) -> None:
        """Cancel everything that somebody waits for."""
        for job in tuple(self._jobs.values()):
            job.drop(CancelledError())

    def _put(
        self, job: _Job, number: int, lane: str, work: Callable[[Token], Any], rank: Rank
    ) -> None:
        loop = job.future.get_loop()

        def body() -> None:
            result, error = None, None
            try:
                if not job.token.cancelled:
                    with cancellable(lambda: job.token.cancelled):
                        result = work(job.token)
            except BaseException as raised:
                error = raised
            with suppress(RuntimeError):  # The loop may be gone.
                loop.call_soon_threadsafe(job.take, number, result, error)

        self.lane(lane).put(rank, body, dropped=lambda: job.token.cancelled)
