"""How interpreters that a command starts find ours: `bootstrap` stands on ``PYTHONPATH``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

BOOTSTRAP = Path(__file__).resolve().parent / "bootstrap"


def python_path(before: str | None) -> str:
    """Return ``PYTHONPATH`` with the folder `bootstrap` before what it was."""
    parts = [part for part in (before or "").split(os.pathsep) if part and part != str(BOOTSTRAP)]
    return os.pathsep.join((str(BOOTSTRAP), *parts))


@contextmanager
def child_environment(wanted: Mapping[str, str]) -> Iterator[None]:
    """Set variables of this process' environment for what it starts; at the end as before."""
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
