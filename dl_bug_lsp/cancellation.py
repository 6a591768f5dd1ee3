"""Lets whoever waits for a long computation stop it: a question asked at the computation's steps.

The question travels in a context variable, so that no function in between has to hand it on, and a
computation that nobody may stop pays for one look-up a step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class CancelledError(Exception):
    """Nobody waits for the result any more."""


_ASKED: ContextVar[Callable[[], bool] | None] = ContextVar("cancelled", default=None)


@contextmanager
def cancellable(cancelled: Callable[[], bool]) -> Iterator[None]:
    """Have `checkpoint` raise, in this thread and block, as soon as ``cancelled`` says so."""
    token = _ASKED.set(cancelled)
    try:
        yield
    finally:
        _ASKED.reset(token)


def checkpoint() -> None:
    """Raise `CancelledError` where the computation has been cancelled.

    To be called where what was computed so far may be thrown away: never between two steps that
    belong together, and about every millisecond of work.
    """
    cancelled = _ASKED.get()
    if cancelled is not None and cancelled():
        raise CancelledError
