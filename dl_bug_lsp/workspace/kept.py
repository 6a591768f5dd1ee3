"""Small files that outlive the program, in the workspace's own hidden folder, never trusted."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from dl_bug_lsp import data_folder


def read_kept(root: Path, name: str, limit: int) -> bytes | None:
    """Return a kept file's bytes, None where there is none, or one of more than ``limit`` bytes."""
    folder = root / data_folder.FOLDER
    return data_folder.read(folder / name, limit) if data_folder.is_plain(folder) else None


def write_kept(root: Path, name: str, data: bytes | None) -> bool:
    """Write a kept file whole, or remove it for None; False where that cannot be done.

    A reader at the same time sees the old file or the new one, never a part.
    """
    folder = root / data_folder.FOLDER
    try:
        if data is None:
            if data_folder.is_plain(folder):
                (folder / name).unlink(missing_ok=True)
            return True
        data_folder.prepare(root)
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=f"{name}.", suffix=".tmp")
    except (OSError, ValueError):
        return False
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(temporary).replace(folder / name)
    except OSError:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        return False
    return True
