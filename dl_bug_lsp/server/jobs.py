"""Work off the main loop: one job at a time for each key, and the latest request wins.

The protocol library runs threaded handlers to their end and says "cancelled" while they go on, so
the server keeps its own threads. They are daemons: a busy one never holds up the process' end.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class SupersededError(Exception):
    """A newer request took the place of this one."""


class CancelledError(Exception):
    """The client, or the server's end, cancelled this request."""


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


@dataclass(eq=False)
class _Job(Generic[Result]):
    work: Callable[[Token], Result]
    future: asyncio.Future[Result]
    request: int | str | None
    token: Token = field(default_factory=Token)


class Jobs:
    """Runs jobs in daemon threads; all methods are called on the event loop's thread."""

    def __init__(self) -> None:
        self._running: dict[str, _Job[Any]] = {}
        self._waiting: dict[str, _Job[Any]] = {}

    async def run(
        self, key: str, work: Callable[[Token], Result], request: int | str | None = None
    ) -> Result:
        """Run ``work`` in a thread and return its result.

        Of several jobs with the same key at most one runs and one waits. Raises `SupersededError`
        as soon as a newer job with this key arrives, `CancelledError` after `cancel` of
        ``request``, and what ``work`` raised.
        """
        job = _Job(work, asyncio.get_running_loop().create_future(), request)
        self._drop(self._waiting.pop(key, None), SupersededError())
        if key in self._running:
            self._drop(self._running[key], SupersededError())
            self._waiting[key] = job
        else:
            self._start(key, job)
        try:
            result: Result = await job.future
            return result
        finally:
            job.token.cancel()

    def cancel(self, request: int | str) -> None:
        """Cancel the job that works for a request, if there is one."""
        for jobs in (self._running, self._waiting):
            for job in jobs.values():
                if job.request == request:
                    self._drop(job, CancelledError())

    def cancel_all(self) -> None:
        """Cancel everything; threads that run go on unheard."""
        for jobs in (self._waiting, self._running):
            for job in jobs.values():
                self._drop(job, CancelledError())
        self._waiting.clear()

    def _drop(self, job: _Job[Any] | None, why: Exception) -> None:
        if job is None:
            return
        job.token.cancel()
        if not job.future.done():
            job.future.set_exception(why)

    def _start(self, key: str, job: _Job[Any]) -> None:
        self._running[key] = job
        loop = job.future.get_loop()

        def body() -> None:
            result, error = None, None
            try:
                if not job.token.cancelled:
                    result = job.work(job.token)
            except BaseException as raised:
                error = raised
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._finish, key, job, result, error)

        threading.Thread(target=body, name=f"job {key}", daemon=True).start()

    def _finish(
        self, key: str, job: _Job[Any], result: object, error: BaseException | None
    ) -> None:
        self._running.pop(key, None)
        following = self._waiting.pop(key, None)
        if following is not None:
            self._start(key, following)
        if job.future.done():
            return
        if error is None:
            job.future.set_result(result)
        elif isinstance(error, Exception) and not isinstance(error, StopIteration):
            job.future.set_exception(error)
        else:
            job.future.set_exception(RuntimeError(f"the job ended with {type(error).__name__}"))
