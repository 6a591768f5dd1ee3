"""Signals as in a terminal, for all tests."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Have commands under test hear signals also where a shell in the background ignores them.

    A program inherits what is ignored, but not what is handled.
    """
    for name in ("SIGINT", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda number, frame: None)
