"""Log files as the editor has them: which documents are logs, and their text."""

from __future__ import annotations

import asyncio
from pathlib import Path, PurePosixPath

from dl_bug_lsp.server.app import DlBugServer
from dl_bug_lsp.server.documents import buffer_of
from dl_bug_lsp.server.folders import path_of

SUFFIXES = (".log", ".out", ".err", ".txt")
NAMES = ("stdout", "stderr", "nohup.out")
LANGUAGES = {"log", "plaintext"}
LARGEST = 64 * 2**20
"""Bytes of a file that are read, from its end."""


def is_log(ls: DlBugServer, uri: str) -> bool:
    """Whether an open document is taken for a log: by its name, or because a failure is from it."""
    path = path_of(uri)
    name = PurePosixPath(path.as_posix()).name.lower() if path is not None else ""
    if name in NAMES or any(name.endswith(s) or f"{s}." in name for s in SUFFIXES):
        return True
    return any(publication.log == uri for publication in ls.shelf.all())


async def read_text(ls: DlBugServer, uri: str) -> str | None:
    """Return a log's text from the editor, else from disk; None where there is none."""
    found = buffer_of(ls, uri)
    path = path_of(uri)
    if found is not None or path is None:
        return found.source if found is not None else None
    return await asyncio.to_thread(_read, path)


def _read(path: Path) -> str | None:
    # Imported here: the readers of logs are no part of the start.
    from dl_bug_lsp.logs.decoding import decode

    try:
        with path.open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(max(0, size - LARGEST))
            return decode(stream.read(LARGEST))[0]
    except (OSError, ValueError):
        return None
