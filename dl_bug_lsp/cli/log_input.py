"""Reads the failed run's text from a file or standard input, of a huge one the end."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from dl_bug_lsp.cli.errors import UsageError
from dl_bug_lsp.logs.decoding import is_binary

LIMIT = 32 * 2**20
"""Bytes that are kept, from the end: what ended a job stands there."""

_CHUNK = 2**20
_SAMPLE = 2**16
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_COMPRESSED = {
    b"\x1f\x8b": "gzip -dc",
    b"BZh": "bzip2 -dc",
    b"\xfd7zXZ": "xz -dc",
    b"\x28\xb5\x2f\xfd": "zstd -dc",
}
PICKLED = b"\x80"
"""How pickles begin: PyTorch's flight recorder writes one (it is read, and never unpickled)."""


@dataclass(frozen=True, slots=True)
class Input:
    """The bytes of a text and how many of its lines were left out before them."""

    data: bytes
    skipped_lines: int = 0


Shown = Callable[[bytes], None]
"""What prints a part of the input as it comes."""


def read_input(file: str | None, limit: int = LIMIT, shown: Shown | None = None) -> Input:
    """Read ``file``, or standard input for ``-`` and None, and make sure that it is text.

    ``shown`` is given what standard input brings, as it comes.

    Raises `UsageError` where there is nothing to read: no such file, a folder, no rights, nothing
    in it, something binary.
    """
    if file is None or file == "-":
        read = _read_stdin(file, limit, shown)
        name = "standard input"
    else:
        read = _read_file(file, limit)
        name = f"'{file}'"
    if read.data.startswith(PICKLED):
        from dl_bug_lsp.divergence import transcript

        record = transcript(read.data)
        if record is not None:
            return Input(record)
    _check(read.data, name, file)
    return read


def read_inputs(files: Sequence[str], limit: int = LIMIT, shown: Shown | None = None) -> Input:
    """Read the files of one job, one of each process, as one text; one file or none as it is.

    Raises `UsageError` as `read_input` does.
    """
    if len(files) < 2:
        return read_input(files[0] if files else None, limit, shown)
    if "-" in files:
        raise UsageError("- stands for standard input, which cannot be read beside files")
    from dl_bug_lsp.divergence import joined

    share = limit // len(files)
    return Input(joined([(file, read_input(file, share).data) for file in files]))


def _read_stdin(file: str | None, limit: int, shown: Shown | None) -> Input:
    if sys.stdin is None:
        raise UsageError("standard input is closed; name the log file: dl-bug-lsp localize FILE")
    if sys.stdin.isatty():
        if file is None:
            raise UsageError(
                "name the log file (dl-bug-lsp localize FILE), pipe the text in, or give - to "
                "paste it here"
            )
        sys.stderr.write("Paste the text, then press Ctrl-D (on Windows Ctrl-Z and Return).\n")
        sys.stderr.flush()
    try:
        return read_end(sys.stdin.buffer, limit, shown)
    except OSError as error:
        raise UsageError(f"cannot read standard input: {_reason(error)}") from error


def _read_file(file: str, limit: int) -> Input:
    path = Path(file)
    try:
        if path.is_dir():
            raise UsageError(f"'{file}' is a folder; name the log file inside it")
        with path.open("rb") as stream:
            return read_end(stream, limit)
    except FileNotFoundError:
        raise UsageError(f"there is no file '{file}'; check the path of the log") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read '{file}': {_reason(error)}") from error


def _reason(error: Exception) -> str:
    if isinstance(error, PermissionError):
        return "permission denied; check its access rights"
    number = getattr(error, "errno", None)
    return (os.strerror(number) if number else str(error)).lower()


def is_piped() -> bool:
    """Say whether standard input comes from another program that may still be running."""
    try:
        return stat.S_ISFIFO(os.fstat(sys.stdin.fileno()).st_mode)
    except (AttributeError, OSError, ValueError):
        return False


def read_end(stream: BinaryIO, limit: int, shown: Shown | None = None) -> Input:
    """Read a stream in bounded memory and keep the whole lines of its last ``limit`` bytes.

    Raises `UsageError` for UTF-16 above the limit, which cannot be cut at its lines.
    """
    part = getattr(stream, "read1", stream.read) if shown is not None else stream.read
    chunks: deque[bytes] = deque()
    held = skipped = 0
    cut = False
    while chunk := part(_CHUNK):
        if shown is not None:
            shown(chunk)
        chunks.append(chunk)
        held += len(chunk)
        while held - len(chunks[0]) >= limit:
            dropped = chunks.popleft()
            if not cut and dropped.startswith(_UTF16):
                raise UsageError("the text is too large for UTF-16; convert it to UTF-8 first")
            cut = True
            held -= len(dropped)
            skipped += dropped.count(b"\n")
    data = b"".join(chunks)
    if len(data) <= limit and not cut:
        return Input(data)
    excess = max(0, len(data) - limit)
    start = data.find(b"\n", max(0, excess - 1)) + 1
    start = start or excess
    return Input(data[start:], skipped + data.count(b"\n", 0, start))


def _check(data: bytes, name: str, file: str | None) -> None:
    if not data.strip():
        raise UsageError(f"{name} is empty; give the text that the failed run printed")
    unpack = next((tool for magic, tool in _COMPRESSED.items() if data.startswith(magic)), None)
    if unpack is not None:
        raise UsageError(
            f"{name} is compressed; unpack it first: {unpack} {file or 'FILE'} | "
            "dl-bug-lsp localize -"
        )
    if is_binary(data[:_SAMPLE]):
        raise UsageError(f"{name} is binary; give the text that the failed run printed")


def is_closed_pipe(error: OSError) -> bool:
    """Say whether the reader of our output went away (Windows reports EINVAL)."""
    windows = sys.platform == "win32" and error.errno == errno.EINVAL
    return isinstance(error, BrokenPipeError) or windows
