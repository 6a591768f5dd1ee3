"""A folder for ``PYTHONPATH``: interpreters that a command starts load its `sitecustomize` first.

What of ours is started there, environment variables say: a run may be watched, traced, monitored.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def python_path(before: str | None) -> str:
    """Return ``PYTHONPATH`` with this folder before what it was."""
    parts = [part for part in (before or "").split(os.pathsep) if part and part != str(FOLDER)]
    return os.pathsep.join((str(FOLDER), *parts))
