"""Small files that outlive the program, in the workspace's own hidden folder, never trusted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dl_bug_lsp import data_folder

_WAIT = 5.0
"""Seconds for which another writer is waited for."""


def read_state(root: Path, name: str, limit: int) -> bytes | None:
    """Return a kept file's bytes, None where there is none, or one of more than ``limit`` bytes."""
    return data_folder.read(root / data_folder.FOLDER / name, limit)


def change_state(
    root: Path, name: str, limit: int, change: Callable[[bytes | None], bytes | None]
) -> bool:
    """Write what ``change`` makes of a kept file, or remove it for None; False where it cannot be.

    Of several writers at the same time each is handed what the one before wrote. A reader sees the
    old file or the new one, never a part.
    """
    folder = root / data_folder.FOLDER
    try:
        if change(None) is None and not data_folder.is_plain(folder):
            return True
        data_folder.prepare(root)
        with data_folder.locked(folder, _WAIT):
            old = data_folder.read(folder / name, limit)
            new = change(old)
            if new is None:
                data_folder.remove(folder / name)
            elif new != old:
                data_folder.write(folder / name, new)
    except (OSError, ValueError):
        return False
    return True
