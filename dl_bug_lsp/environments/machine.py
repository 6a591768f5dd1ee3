"""What the machine has on which a check is asked: room on its disk, ports, rights of files.

Nothing is changed and no connection is made: ports are read from the kernel's table (Linux,
``proc_pid_net(5)``); elsewhere none is said to be taken.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from dl_bug_lsp.data_folder import open_regular

TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
LISTENING = "0A"
MOST_BYTES = 4_000_000


def free_bytes(folder: Path) -> int | None:
    """Return the free bytes of the disk that a folder lies on, None where that is not known."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def is_listened_on(port: int) -> bool:
    """Whether a process of this machine listens on a TCP port."""
    for table in TABLES:
        try:
            with open_regular(Path(table)) as opened:
                rows = opened.read(MOST_BYTES).decode("ascii", "replace").splitlines()[1:]
        except (OSError, ValueError):
            continue
        for row in rows:
            cells = row.split()
            if len(cells) > 3 and cells[3] == LISTENING:
                number = cells[1].rpartition(":")[2]
                if number and int(number, 16) == port:
                    return True
    return False


def is_read_only(path: Path) -> bool:
    """Whether a file or folder is there and cannot be written."""
    try:
        return path.exists() and not path.is_symlink() and not os.access(path, os.W_OK)
    except (OSError, ValueError):
        return False


def is_not_executable(path: Path) -> bool:
    """Whether a file is there and cannot be started."""
    try:
        return path.is_file() and not os.access(path, os.X_OK)
    except (OSError, ValueError):
        return False


def environment_variables() -> frozenset[str]:
    """Return the names of the environment variables of this process."""
    return frozenset(os.environ)
