"""Watches the process that started the server and ends the server after it."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

INTERVAL = 1.0
"""Seconds between two looks at the parent."""


def watch_parent(process: int | None, end: Callable[[], None]) -> bool:
    """Call ``end`` from a thread when ``process`` is gone; return whether it can be watched.

    A process that cannot be seen from the start (the editor sits in another container) is not
    watched: closing standard input ends the server there.
    """
    if process is None or process <= 0 or process == os.getpid() or not is_alive(process):
        return False
    is_parent = process == os.getppid()

    def watch() -> None:
        pause = threading.Event()
        while not pause.wait(INTERVAL):
            # A dead parent may stay a zombie whose number still answers, but its children move on.
            if (is_parent and os.getppid() != process) or not is_alive(process):
                end()
                return

    threading.Thread(target=watch, name="parent watch", daemon=True).start()
    return True


def is_alive(process: int) -> bool:
    """Say whether a process with this id exists."""
    if sys.platform == "win32":
        return _is_alive_on_windows(process)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _is_alive_on_windows(process: int) -> bool:
    if sys.platform != "win32":
        return True
    import ctypes

    synchronize, timeout = 0x00100000, 0x102
    kernel = ctypes.windll.kernel32
    handle = kernel.OpenProcess(synchronize, False, process)
    if not handle:
        return False
    try:
        return bool(kernel.WaitForSingleObject(handle, 0) == timeout)
    finally:
        kernel.CloseHandle(handle)
