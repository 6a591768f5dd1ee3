"""Packages that lie in the workspace as wheels, which no listing of sources shows."""

from __future__ import annotations

import os
import re
from pathlib import Path

FOLDERS = ("wheels", "wheelhouse", "vendor", "packages", "dist")
MOST = 1_000
_WHEEL = re.compile(r"([\w.]+)-([\w.!+]+)(?:-\d[\w.]*)?-[\w.]+-[\w.]+-[\w.]+\.whl$")


def wheels(root: Path) -> tuple[tuple[str, str], ...]:
    """Return (name, version) of the wheels in a workspace's usual folders, sorted; never raises.

    Names are as in the file (PEP 427), with underscores.
    """
    found: set[tuple[str, str]] = set()
    for folder in FOLDERS:
        try:
            if (root / folder).is_symlink():
                continue
            with os.scandir(root / folder) as entries:
                for _, entry in zip(range(MOST), entries, strict=False):
                    match = _WHEEL.match(entry.name)
                    if match:
                        found.add((match[1], match[2]))
        except (OSError, ValueError):
            continue
    return tuple(sorted(found))
