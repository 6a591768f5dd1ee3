"""How interpreters that a command starts find ours: `bootstrap` stands on ``PYTHONPATH``."""

from __future__ import annotations

import os
from pathlib import Path

BOOTSTRAP = Path(__file__).resolve().parent / "bootstrap"


def python_path(before: str | None) -> str:
    """Return ``PYTHONPATH`` with the folder `bootstrap` before what it was."""
    parts = [part for part in (before or "").split(os.pathsep) if part and part != str(BOOTSTRAP)]
    return os.pathsep.join((str(BOOTSTRAP), *parts))
