"""What ends a command with one clear line, and what its terminal can show.

Wrong use is one line; what nobody expected goes into a log file.
"""

from __future__ import annotations

import os
import shutil
import sys
import traceback
from pathlib import Path
from typing import TextIO

from dl_bug_lsp import __version__

PROGRAM = "dl-bug-lsp"

FOUND, NOT_FOUND, WRONG_USE, INTERNAL_ERROR, INTERRUPTED = 0, 1, 2, 3, 130


class UsageError(Exception):
    """Wrong use; its text is one sentence that says what to do instead."""


def state_folder() -> Path:
    """Return the folder of the tool's own log files, by the platform's custom."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return Path(base or Path.home() / "AppData" / "Local") / PROGRAM
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Logs" / PROGRAM
    base = os.environ.get("XDG_STATE_HOME")
    return Path(base or Path.home() / ".local" / "state") / PROGRAM


def write_crash(error: BaseException) -> Path | None:
    """Write the traceback where the user can find it and return the place; None if nothing can."""
    # Imported here: nothing else needs them, and a language server starts through this module.
    import platform
    import tempfile

    text = "\n".join(
        (
            f"{PROGRAM} {__version__}, Python {platform.python_version()}, {platform.platform()}",
            "".join(traceback.format_exception(type(error), error, error.__traceback__)),
        )
    )
    for folder in (state_folder, lambda: Path(tempfile.gettempdir())):
        try:
            place = folder() / f"{PROGRAM}-error.log"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8", errors="backslashreplace")
        except (OSError, RuntimeError):
            continue
        return place
    return None


def complain(sentence: str) -> None:
    """Write one line to standard error; a closed one is no reason to fail."""
    line = " ".join(sentence.split())
    try:
        sys.stderr.write(f"{PROGRAM}: {_printable(line)}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        pass


def _printable(line: str) -> str:
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    return shown.encode(encoding, "backslashreplace").decode(encoding, "replace")


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
