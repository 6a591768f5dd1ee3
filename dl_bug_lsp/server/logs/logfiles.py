"""Log files as the editor has them: which documents are logs, and their text."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from dl_bug_lsp.data_folder import open_regular
from dl_bug_lsp.server.core.app import DlBugServer
from dl_bug_lsp.server.documents.folders import path_of
from dl_bug_lsp.server.files.editing import buffer_of
from dl_bug_lsp.settings.reading import Settings

if TYPE_CHECKING:
    from dl_bug_lsp.watching.folders import LogRules

SUFFIXES = (".log", ".out", ".err", ".txt")
LANGUAGES = {"log", "plaintext", "text", "Log"}
LARGEST = 64 * 2**20
"""Bytes of a file that are read, from its end."""
MOST_COUNTED = 2**30
"""Bytes before them whose lines are counted, at most."""
CHUNK = 2**20


def is_log(ls: DlBugServer, uri: str, language: str | None, settings: Settings | None) -> bool:
    """Whether an open document is taken for a log: by its name, its language, or a failure's."""
    path = path_of(uri)
    name = path.name.lower() if path is not None else ""
    if language in LANGUAGES or name.endswith(SUFFIXES):
        return True
    folder = ls.folders.around(uri)
    file = folder.file_of(uri) if folder is not None else None
    if file is not None and settings is not None and _rules(settings).is_log(file):
        return not file.endswith(".ipynb")
    return any(publication.log == uri for publication in ls.shelf.held())


def _rules(settings: Settings) -> LogRules:
    # Imported here: it would hold up the answer to `initialize`.
    from dl_bug_lsp.watching.folders import INCLUDE, LogRules

    include = INCLUDE if settings.logs_include is None else settings.logs_include
    return LogRules(tuple(include), tuple(settings.logs_exclude))


async def read_text(ls: DlBugServer, uri: str) -> tuple[str, int] | None:
    """Return a log's text from the editor, else from disk, and how many lines stand before it.

    None where there is none.
    """
    found = buffer_of(ls, uri)
    path = path_of(uri)
    if found is not None or path is None:
        return (found.source, 0) if found is not None else None
    return await asyncio.to_thread(_read, path)


def _read(path: Path) -> tuple[str, int] | None:
    # Imported here: the readers of logs are no part of the start.
    from dl_bug_lsp.logs.decoding import decode

    try:
        with open_regular(path) as stream:
            start = max(0, stream.seek(0, 2) - LARGEST)
            before = _lines_between(stream, max(0, start - MOST_COUNTED), start)
            return decode(stream.read(LARGEST))[0], before
    except (OSError, ValueError):
        return None


def _lines_between(stream: BinaryIO, at: int, end: int) -> int:
    """Count the line feeds between two offsets; the stream stands at the second one then."""
    lines = 0
    stream.seek(at)
    while at < end and (data := stream.read(min(CHUNK, end - at))):
        lines += data.count(b"\n")
        at += len(data)
    return lines
