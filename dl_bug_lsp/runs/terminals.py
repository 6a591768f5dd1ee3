"""A pseudo-terminal in front of the real one, for output only.

The command keeps its standard input, its session and its controlling terminal, so Ctrl-C, job
control and prompts work as without us and the real terminal is never put into raw mode. Only what
it writes goes through the pseudo-terminal, which is as large as the real one.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any

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
