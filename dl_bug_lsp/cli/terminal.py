"""What the terminal can show: colour, width, characters."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TextIO

WIDEST = 120
"""Columns beyond which lines are hard to read."""

_PLAIN = str.maketrans({"…": "...", "·": "-", "│": "|", "→": "->", "–": "-"})


def wants_colour(choice: str, stream: TextIO) -> bool:
    """Return whether to colour: ``always``, ``never``, or by the terminal and the environment.

    In ``auto``, NO_COLOR (no-color.org) wins over FORCE_COLOR, and both over the terminal.
    """
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return os.environ["FORCE_COLOR"] != "0"
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def terminal_width() -> int:
    """Return the columns to wrap at; COLUMNS wins over the terminal's own answer."""
    return min(WIDEST, shutil.get_terminal_size((100, 24)).columns)


def write_text(text: str) -> None:
    """Write to standard output; characters that its encoding lacks are replaced by plain ones."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    sys.stdout.write(text)
    sys.stdout.flush()


def write_bytes(data: bytes) -> None:
    """Write machine-readable output as it is, whatever the terminal's encoding and line ends."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
