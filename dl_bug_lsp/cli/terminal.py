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


def write_text(text: str, stream: TextIO | None = None) -> None:
    """Write to a stream, by default standard output; characters that it lacks become plain ones."""
    stream = stream or sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    stream.write(text)
    stream.flush()


def write_bytes(data: bytes, stream: TextIO | None = None) -> None:
    """Write machine-readable output as it is, whatever the terminal's encoding and line ends."""
    stream = stream or sys.stdout
    stream.flush()
    stream.buffer.write(data)
    stream.buffer.flush()
