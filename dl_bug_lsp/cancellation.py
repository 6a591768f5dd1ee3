"""Lets whoever waits for a long computation stop it: a question asked at the computation's steps.

The question travels in a context variable, so that no function in between has to hand it on, and a
computation that nobody may stop pays for one look-up a step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")


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


_EVERY = 512


def stepwise(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items that cost microseconds each, with a `checkpoint` every few hundred."""
    for number, item in enumerate(items):
        if not number % _EVERY:
            checkpoint()
        yield item
