"""A guard against work without end, in CPU time, so that a busy machine does not matter."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

CPU_SECONDS = 30.0
"""Far above what anything guarded takes, far below what a square or an endless loop would."""


@contextmanager
def ends(cpu_seconds: float = CPU_SECONDS) -> Iterator[None]:
    """Break off with a TimeoutError once the block has used this much CPU time."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"still at work after {cpu_seconds} s of CPU time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, cpu_seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
