"""Runs a command unchanged while its output is recorded: exit code, signals, terminal, bytes.

Signals that come to us meanwhile are handed on to the command, each once.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from dl_bug_lsp.runs.channels import is_foreground
from dl_bug_lsp.runs.records import CappedLog

if TYPE_CHECKING:
    from dl_bug_lsp.runs.channels import Channel
    from dl_bug_lsp.runs.hangs import HangWatch


# ---------------------------------------------------------------------- signals
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
        received = signal.sigwaitinfo(HANDED_ON)
        # sigaction(2): positive codes are the kernel's, for these signals the terminal's.
        return received.si_signo, received.si_code > 0
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


# ---------------------------------------------------------------------- the command
SETTLED = 0.05
"""Seconds after a command's end in which the last output may still come."""
NOT_FOUND, NOT_RUNNABLE = 127, 126
"""Exit codes of shells for a command that is not there, or cannot be run (POSIX, 2.8.2)."""


class StartError(Exception):
    """The command could not be started; ``exit_code`` is what a shell would return."""

    def __init__(self, sentence: str, exit_code: int) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code


def run(command: Sequence[str], log: CappedLog, watch: HangWatch | None = None) -> int:
    """Run a command to its end and return its exit code, negative for the signal that ended it.

    The environment, the working folder, standard input, the session and all open files are the
    command's as they are ours; its output passes through us byte for byte and into ``log``. What it
    leaves running keeps its output after our end. ``watch`` is told of the process and looks for a
    hang. Raises `StartError`.
    """
    if sys.platform == "win32":
        return _run_with_pipes(command, log)
    return _run_posix(command, log, watch)


def _run_posix(command: Sequence[str], log: CappedLog, watch: HangWatch | None) -> int:
    from dl_bug_lsp.runs.channels import channels

    signals = Signals()
    try:
        ways = channels(log)
        process = _start(
            command,
            stdout=ways[1].writing if 1 in ways else None,
            stderr=ways[2].writing if 2 in ways else None,
            # Files that we were given on other numbers are the command's, too.
            close_fds=False,
            preexec_fn=signals.unblock_in_child,
        )
        each = list(dict.fromkeys(ways.values()))
        terminals = [way.terminal for way in each if way.terminal is not None]

        def resized() -> None:
            for terminal in terminals:
                terminal.resize()

        signals.forward_to(process.pid, resized)
        try:
            for way in each:
                way.start()
            if watch is not None:
                watch.begin(process.pid, lambda: log.taken)
            code = _wait(process, signals)
            signals.command_is_gone()
            if watch is not None:
                watch.stop()
            _let_go(each)
        finally:
            for terminal in terminals:
                terminal.restore()
        return code
    finally:
        signals.restore()


def _start(command: Sequence[str], **how: object) -> subprocess.Popen[bytes]:
    name = command[0]
    try:
        return subprocess.Popen(command, **how)  # type: ignore[call-overload,no-any-return]
    except FileNotFoundError:
        raise StartError(f"there is no command '{name}'", NOT_FOUND) from None
    except PermissionError:
        raise StartError(f"'{name}' cannot be run: permission denied", NOT_RUNNABLE) from None
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise StartError(f"'{name}' cannot be run: {reason}", NOT_RUNNABLE) from None


def _wait(process: subprocess.Popen[bytes], signals: Signals) -> int:
    """Wait for the command's end; stop with it when it is stopped from the keyboard."""
    by_keys = (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
    while True:
        try:
            _, status = os.waitpid(process.pid, os.WUNTRACED)
        except ChildProcessError:
            process.returncode = 0
            return 0
        if not os.WIFSTOPPED(status):
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode
        number = os.WSTOPSIG(status)
        if number in by_keys or (number == signal.SIGSTOP and signals.asked_to_stop):
            time.sleep(SETTLED)  # What it printed last is still on its way through us.
            signals.asked_to_stop = False
            # The shell wakes the whole group, the command and us.
            os.kill(os.getpid(), signal.SIGSTOP)


def _let_go(channels: Sequence[Channel]) -> None:
    """Hand on what is left; processes that the command left running keep their output."""
    deadline = time.monotonic() + SETTLED
    while any(way.has_more() for way in channels):
        time.sleep(0.001)
    for way in channels:
        way.join(max(0.0, deadline - time.monotonic()))
    left = [way for way in channels if not way.is_over]
    if not left:
        return
    # Held from here on, so that nothing is on its way through a thread that ends with us.
    for way in left:
        way.busy.acquire()
    if os.fork() == 0:
        _serve_the_left(left)


def _serve_the_left(left: Sequence[Channel]) -> None:
    """Go on handing output on, in a process of its own, until nobody writes any more."""
    code = 1
    with suppress(BaseException):
        threads = []
        for way in left:
            way.busy = threading.Lock()
            way.stop_recording()
            threads.append(threading.Thread(target=way.pump))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        code = 0
    os._exit(code)


def _run_with_pipes(command: Sequence[str], log: CappedLog) -> int:
    """Run a command where there are no pseudo-terminals: its output is a pipe's."""
    process = _start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    guard = threading.Lock()

    def pump(source: int, target: int) -> None:
        while True:
            try:
                data = os.read(source, 2**16)
                if not data:
                    return
                os.write(target, data)
            except OSError:
                return
            with guard:
                log.write(data)

    pumps = []
    for stream, target in ((process.stdout, 1), (process.stderr, 2)):
        if stream is not None:
            pumps.append(threading.Thread(target=pump, args=(stream.fileno(), target), daemon=True))
            pumps[-1].start()
    while True:
        # Ctrl-C reaches the whole console; what comes of it is the command's to say.
        with suppress(KeyboardInterrupt):
            code = process.wait()
            break
    for thread in pumps:
        thread.join(1.0)
    return code
