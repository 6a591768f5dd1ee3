"""Waiting for what comes about in another thread or process: on conditions, with a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")

SECONDS = 30.0
"""Far above what anything takes that is waited for, so that only what never comes is late."""


def wait_for(look: Callable[[], Found], what: str, seconds: float = SECONDS) -> Found:
    """Return what ``look`` returns as soon as that is true; fail when it never is."""
    deadline = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"waited in vain for {what}")
        time.sleep(0.005)
