"""Runs a command unchanged while its output is recorded: exit code, signals, terminal, bytes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from dl_bug_lsp.runs.capped import CappedLog

if TYPE_CHECKING:
    from dl_bug_lsp.runs.channels import Channel
    from dl_bug_lsp.runs.hangs import HangWatch
    from dl_bug_lsp.runs.signals import Signals

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
    from dl_bug_lsp.runs.signals import Signals

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
