"""Signals that come to us while a command runs, handed on to it, each once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

from dl_bug_lsp.runs.terminals import is_foreground

_NAMES = (
    "SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGTSTP", "SIGCONT",
    "SIGWINCH", "SIGALRM",
)  # fmt: skip
HANDED_ON = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))
_OF_KEYS = frozenset(
    getattr(signal, name) for name in ("SIGINT", "SIGQUIT", "SIGTSTP") if hasattr(signal, name)
)
"""What keys of a terminal send, to us and to the command alike: both are in one group."""


class Signals:
    """Takes signals in a thread of its own; they are blocked everywhere else.

    Blocked before the command starts, so that none is lost in between; the command gets the former
    mask back.
    """

    def __init__(self) -> None:
        self.before = signal.pthread_sigmask(signal.SIG_BLOCK, HANDED_ON)
        self._process = 0
        self._resized: Callable[[], None] = lambda: None
        self.asked_to_stop = False
        """Whether Ctrl-Z was pressed: a command may stop itself a moment later."""

    def unblock_in_child(self) -> None:
        """Give the former mask back; runs between fork and exec."""
        signal.pthread_sigmask(signal.SIG_SETMASK, self.before)

    def forward_to(self, process: int, resized: Callable[[], None]) -> None:
        """Begin to hand on; ``resized`` is called when the terminal's size has changed."""
        self._process, self._resized = process, resized
        threading.Thread(target=self._run, name="signals", daemon=True).start()

    def _run(self) -> None:
        while True:
            number, by_terminal = _next_signal()
            self.asked_to_stop = self.asked_to_stop or number == signal.SIGTSTP
            if number == signal.SIGWINCH:
                self._resized()
            elif by_terminal and number in _OF_KEYS:
                continue
            self.send(number)

    def send(self, number: int) -> None:
        """Send a signal to the command, unless it is gone."""
        process = self._process
        if process > 0:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, number)

    def command_is_gone(self) -> None:
        """Hand nothing on any more: the process' number may be given to another."""
        self._process = 0

    def restore(self) -> None:
        """Give our own mask back."""
        signal.pthread_sigmask(signal.SIG_SETMASK, self.before)


def _next_signal() -> tuple[int, bool]:
    """Wait for a signal; return its number and whether a terminal's key sent it."""
    if sys.platform.startswith("linux"):
        told = signal.sigwaitinfo(HANDED_ON)
        # sigaction(2): positive codes are the kernel's, for these signals the terminal's.
        return told.si_signo, told.si_code > 0
    number = signal.sigwait(HANDED_ON)
    return number, any(os.isatty(fd) and is_foreground(fd) for fd in (0, 1, 2))


def die_of(number: int) -> None:
    """End this process by a signal, as the command ended, so that a shell sees the same.

    Returns where the signal does not end processes. No second core is dumped.
    """
    import resource

    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with suppress(ValueError, OSError):
        signal.signal(number, signal.SIG_DFL)
    with suppress(ValueError, OSError):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
        os.kill(os.getpid(), number)
