"""Logs opened in the editor: which documents are logs, links on frames, symbols for failures."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from lsprotocol import types
from pygls.exceptions import JsonRpcRequestCancelled

from dl_bug_lsp.data_folder import open_regular
from dl_bug_lsp.server.app import DlBugServer
from dl_bug_lsp.server.documents import Folder, code_units, path_of
from dl_bug_lsp.server.files import buffer_of, encoding_of
from dl_bug_lsp.server.folder_settings import folder_settings
from dl_bug_lsp.server.jobs import NO_FOLDER, CancelledError, SupersededError, Token
from dl_bug_lsp.server.marks import Encoding
from dl_bug_lsp.settings.reading import Settings

if TYPE_CHECKING:
    from dl_bug_lsp.server.log_outline import Outline
    from dl_bug_lsp.watching.folders import LogRules

MOST_KEPT = 8


def register(server: DlBugServer) -> None:
    """Add the handlers of documents that are logs."""
    logs = Logs(server)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)
    async def document_link(
        ls: DlBugServer, params: types.DocumentLinkParams
    ) -> list[types.DocumentLink]:
        uri = params.text_document.uri
        outline, folder = await logs.outline(uri, types.TEXT_DOCUMENT_DOCUMENT_LINK)
        if outline is None or folder is None:
            return []
        tooltips = ls.can("text_document", "document_link", "tooltip_support")
        return links(outline, folder, encoding_of(ls), tooltips)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def document_symbol(
        ls: DlBugServer, params: types.DocumentSymbolParams
    ) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
        uri = params.text_document.uri
        outline, _ = await logs.outline(uri, types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
        if outline is None:
            return []
        # Imported here: the readers of logs are no part of the start.
        from dl_bug_lsp.server.log_outline import symbols

        tree = symbols(outline, encoding_of(ls))
        if ls.can("text_document", "document_symbol", "hierarchical_document_symbol_support"):
            return tree
        return [
            types.SymbolInformation(types.Location(uri, symbol.range), symbol.name, symbol.kind)
            for symbol in tree
        ]


class Logs:
    """Outlines of open logs, each made once for a version of its document."""

    def __init__(self, ls: DlBugServer) -> None:
        self._ls = ls
        self._kept: dict[str, tuple[int | None, str | None, Outline]] = {}
        ls.events.document_closed.subscribe(lambda uri: self._kept.pop(uri, None))

    async def outline(self, uri: str, asker: str) -> tuple[Outline | None, Folder | None]:
        """Return the outline of an open log and the folder it links into, None for no log.

        Raises `JsonRpcRequestCancelled` where a newer request took its place.
        """
        ls = self._ls
        request = ls.protocol.msg_id
        document = buffer_of(ls, uri)
        folder = ls.folders.around(uri) or next(iter(ls.folders), None)
        settings = await folder_settings(ls, folder) if folder is not None else None
        if document is None or not is_log(ls, uri, document.language_id, settings):
            return None, None
        version, key = document.version, folder.key if folder is not None else None
        cached = self._kept.get(uri)
        if cached is not None and cached[:2] == (version, key):
            return cached[2], folder
        text = document.source
        path_map = settings.options.path_map if settings is not None else ()

        def work(token: Token) -> Outline:
            # Imported here: the readers of logs are no part of the start.
            from dl_bug_lsp.server.log_outline import outline

            workspace = folder.workspace if folder is not None else None
            return outline(text, workspace, path_map, lambda: token.cancelled)

        try:
            parts = [(key or NO_FOLDER, work)]
            (made,) = await ls.jobs.run(f"{asker} {uri}", parts, request)
        except SupersededError:
            raise JsonRpcRequestCancelled("asked again since") from None
        except CancelledError:
            return None, None
        self._kept.pop(uri, None)
        self._kept[uri] = (version, key, made)
        while len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return made, folder


def links(
    outline: Outline, folder: Folder, encoding: Encoding, tooltips: bool
) -> list[types.DocumentLink]:
    """Return the links of a log's frames, each to its line in the workspace."""
    out = []
    for link in outline.links:
        line = outline.lines[link.line - 1]
        start, end = (code_units(line[:at], encoding) for at in (link.start, link.end))
        place = types.Range(
            types.Position(link.line - 1, start), types.Position(link.line - 1, end)
        )
        target = f"{folder.uri_of(link.place.file)}#L{link.place.line}"
        tooltip = f"{link.place.file}:{link.place.line}" if tooltips else None
        out.append(types.DocumentLink(place, target=target, tooltip=tooltip))
    return out


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
    return any(publication.log == uri for publication in ls.shown_failures.held())


def _rules(settings: Settings) -> LogRules:
    # Imported here: it would hold up the answer to `initialize`.
    from dl_bug_lsp.watching.folders import INCLUDE, LogRules

    include = INCLUDE if settings.logs_include is None else settings.logs_include
    return LogRules(tuple(include), tuple(settings.logs_exclude))


async def read_text(ls: DlBugServer, uri: str) -> tuple[str, int] | None:
    """Return a log's text from the editor, else from disk, and how many lines stand before it.

    None where there is none.
    """
    buffer = buffer_of(ls, uri)
    path = path_of(uri)
    if buffer is not None or path is None:
        return (buffer.source, 0) if buffer is not None else None
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
