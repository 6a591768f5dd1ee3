"""Runs a command unchanged while its output is recorded: exit code, signals, terminal, bytes.

Each stream of the output reaches its reader by its own way, byte for byte. Signals that come to us
meanwhile are handed on to the command, each once.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.runs.records import CappedLog

if TYPE_CHECKING:
    from dl_bug_lsp.runs.hangs import HangWatch

# ---------------------------------------------------------------------- pseudo-terminals
if sys.platform != "win32":
    import fcntl
    import termios

Attributes = list[Any]
"""``[iflag, oflag, cflag, lflag, ispeed, ospeed, cc]``, as `termios.tcgetattr` returns them."""


class OutputTerminal:
    """The pseudo-terminal; ``real`` is the number of the terminal that shows what it is given."""

    def __init__(self, real: int) -> None:
        self.real = real
        self.master, self.slave = os.openpty()
        self._before: Attributes = termios.tcgetattr(real)
        self._given = [*self._before[:6], list(self._before[6])]
        # The real terminal turns line feeds into new lines; done twice, the bytes would change.
        self._given[1] &= ~termios.OPOST
        termios.tcsetattr(self.slave, termios.TCSANOW, self._given)
        self._given = termios.tcgetattr(self.slave)
        self._is_changed = False
        self.resize()

    def resize(self) -> None:
        """Make the pseudo-terminal as large as the real one."""
        with suppress(OSError):
            size = fcntl.ioctl(self.real, termios.TIOCGWINSZ, b"\0" * 8)
            fcntl.ioctl(self.master, termios.TIOCSWINSZ, size)

    def follow(self) -> None:
        """Do to the real terminal what the command did to ours: full-screen programs set modes."""
        try:
            now = termios.tcgetattr(self.master)
        except (termios.error, OSError):
            return
        if now[:4] == self._given[:4]:
            self.restore()
            return
        if not is_foreground(self.real):
            return
        wanted = [*now[:6], now[6]]
        is_raw = not now[3] & (termios.ICANON | termios.ISIG)
        if self._before[1] & termios.OPOST and not is_raw:
            wanted[1] |= termios.OPOST
        with suppress(termios.error, OSError):
            termios.tcsetattr(self.real, termios.TCSANOW, wanted)
            self._is_changed = True

    def restore(self) -> None:
        """Give the real terminal its modes back, where they were changed."""
        if self._is_changed:
            with suppress(termios.error, OSError):
                termios.tcsetattr(self.real, termios.TCSADRAIN, self._before)
            self._is_changed = False


def is_foreground(terminal: int) -> bool:
    """Say whether we may change a terminal: a process in the background would be stopped."""
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False


# ---------------------------------------------------------------------- channels
SIZE = 2**18
"""Bytes that are taken at once."""
_PIPE_SIZE = 2**20


class Channel:
    """One way from the command to us and on to ``target``, a file number of ours.

    Terminals get a pseudo-terminal, everything else a pipe.
    """

    def __init__(self, target: int, log: CappedLog, guard: threading.Lock) -> None:
        self.target = target
        self._log = log
        self._guard = guard
        self.terminal = OutputTerminal(target) if os.isatty(target) else None
        if self.terminal is not None:
            self.reading, self.writing = self.terminal.master, self.terminal.slave
        else:
            self.reading, self.writing = os.pipe()
            _widen(self.reading)
        self.busy = threading.Lock()
        """Held while bytes are on their way through us."""
        self.is_over = False
        self._thread = threading.Thread(target=self.pump, name="output", daemon=True)

    def start(self) -> None:
        """Begin to hand on, after the command has got its end."""
        os.close(self.writing)
        self._thread.start()

    def pump(self) -> None:
        """Hand on until all writers are gone or the reader is."""
        waiting = select.poll()
        waiting.register(self.reading, select.POLLIN)
        while not self.is_over:
            waiting.poll()
            with self.busy:
                if not self.forward():
                    self.is_over = True
        # Where our reader is gone the command is told in the usual way, by a broken pipe.
        with suppress(OSError):
            os.close(self.reading)

    def forward(self) -> bool:
        """Hand on what is there; False at the end."""
        try:
            data = os.read(self.reading, SIZE)
        except OSError:
            # A pseudo-terminal whose last writer went (Linux says EIO).
            return False
        if not data:
            return False
        if self.terminal is not None:
            self.terminal.follow()
        is_taken = _write(self.target, data)
        with self._guard:
            self._log.write(data)
        return is_taken

    def stop_recording(self) -> None:
        """Hand on without recording: the run that is recorded is over."""
        self._log = CappedLog(None, 0, 1)
        self._guard = threading.Lock()

    def has_more(self) -> bool:
        """Say whether something was written that was not handed on yet."""
        if self.is_over:
            return False
        try:
            ready, _, _ = select.select([self.reading], [], [], 0)
        except (OSError, ValueError):
            return False
        return bool(ready)

    def join(self, timeout: float) -> None:
        """Wait for the end of all writers."""
        self._thread.join(timeout)


def _write(target: int, data: bytes) -> bool:
    """Write all of it; False where the reader is gone."""
    view = memoryview(data)
    try:
        while view:
            view = view[_write_some(target, view) :]
    except OSError:
        return False
    return True


def _write_some(target: int, view: memoryview) -> int:
    try:
        return os.write(target, view)
    except BlockingIOError:
        # Someone made our output non-blocking, which holds for all who share it.
        select.select([], [target], [])
        return 0


def _widen(number: int) -> None:
    if sys.platform.startswith("linux"):
        import fcntl

        with suppress(OSError, AttributeError):
            fcntl.fcntl(number, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)


def channels(log: CappedLog) -> dict[int, Channel]:
    """Return the ways for standard output and error; one for both where both go to one place.

    Only one way keeps the order in which the two were written. A closed stream stays closed.
    """
    guard = threading.Lock()
    channels_by_descriptor: dict[int, Channel] = {}
    for number in (1, 2):
        try:
            place = _place(number)
        except OSError:
            continue
        if 1 in channels_by_descriptor and place == _place(1):
            channels_by_descriptor[2] = channels_by_descriptor[1]
        else:
            channels_by_descriptor[number] = Channel(number, log, guard)
    return channels_by_descriptor


def _place(number: int) -> tuple[int, int, int]:
    state = os.fstat(number)
    return state.st_dev, state.st_ino, state.st_rdev


# ---------------------------------------------------------------------- the command
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
