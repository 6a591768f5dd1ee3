"""How a command's output reaches its reader: each stream by its own way, byte for byte."""

from __future__ import annotations

import os
import select
import sys
import threading
from contextlib import suppress
from typing import Any

from dl_bug_lsp.runs.records import CappedLog

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
