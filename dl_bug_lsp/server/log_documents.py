"""Logs opened in the editor: which documents are logs, links on frames, symbols for failures.

The outline of a log holds its failures and frames by their place in the document.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from lsprotocol import types
from pygls.exceptions import JsonRpcRequestCancelled

from dl_bug_lsp.data_folder import open_regular
from dl_bug_lsp.server.app import DlBugServer
from dl_bug_lsp.server.documents import Folder, code_units, lines_range, path_of
from dl_bug_lsp.server.files import buffer_of, encoding_of
from dl_bug_lsp.server.folder_settings import folder_settings
from dl_bug_lsp.server.jobs import NO_FOLDER, CancelledError, SupersededError, Token
from dl_bug_lsp.server.position_tracking import Encoding
from dl_bug_lsp.settings.reading import Settings
from dl_bug_lsp.views.escape import one_line
from dl_bug_lsp.views.words import told

if TYPE_CHECKING:
    from dl_bug_lsp.logs.log import Log
    from dl_bug_lsp.tracebacks.failures import Failure, Frame, Reading
    from dl_bug_lsp.watching.folders import LogRules
    from dl_bug_lsp.workspace import Workspace
    from dl_bug_lsp.workspace.contents import Place

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
        folder = ls.folders.around(uri) or self._folder_of_text(uri)
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
            workspace = folder.workspace if folder is not None else None
            return outline_of(text, workspace, path_map, lambda: token.cancelled)

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

    def _folder_of_text(self, uri: str) -> Folder | None:
        """Return the folder whose failure a text is of that lies in none, else the first one."""
        held = self._ls.shown_failures.held()
        folders = (one.folder for one in held if uri in (one.log, one.text_uri))
        return next(folders, next(iter(self._ls.folders), None))


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


# ---------------------------------------------------------------------- outlines
MOST_LINKS = 2_000
MOST_LOOKUPS = 2_000
LONGEST_LINE = 5_000
LONGEST_BOX = 60_000

_PLACES = (
    re.compile(r'File "(?P<file>[^"\n]{1,1000})", line (?P<line>\d{1,9})'),
    re.compile(r"^(?P<file>[^\s:]{1,400}): line (?P<line>\d{1,9})(?=:)"),
    re.compile(r"(?P<file>(?:Cell )?In ?\[\d{1,6}\]),? line (?P<line>\d{1,9})"),
    re.compile(r"^\s*File (?P<file>[^\n\"]{1,1000}?\.\w{1,6}):(?P<line>\d{1,9})"),
    re.compile(
        r"(?<![^\s\"'`(<│|])(?P<file>[^\s\"'`(<│|]{1,400}\.(?:pyw?|pyi|ipynb|pyx)):(?P<line>\d{1,9})"
    ),
)
_FRAMING = "│|║┃ \t"


@dataclass(frozen=True, slots=True)
class Link:
    """A piece of a document's 1-based line (columns in code points) and the place it names."""

    line: int
    start: int
    end: int
    place: Place


@dataclass(frozen=True, slots=True)
class Outline:
    """What a log's text tells: its failures, the links of their frames, the text's lines."""

    failures: tuple[Failure, ...]
    links: tuple[Link, ...]
    lines: Sequence[str]


def outline_of(
    text: str,
    workspace: Workspace | None,
    path_map: tuple[tuple[str, str], ...] = (),
    stop: Callable[[], bool] = lambda: False,
) -> Outline:
    """Read a log's text; without a workspace there are no links. Never raises on any text."""
    # Imported here: the readers of logs are no part of the start.
    from dl_bug_lsp.logs.reader import read_log
    from dl_bug_lsp.tracebacks.reader import read_failures

    log = read_log(text)
    reading = read_failures(log)
    lines = text.split("\n")
    links: tuple[Link, ...] = ()
    if workspace is not None and not stop():
        finder = _Finder(log, reading, lines, workspace, path_map)
        links = tuple(finder.links(stop))
    return Outline(reading.failures, links, lines)


class _Finder:
    """Looks for the printed places of frames in the lines of a text."""

    def __init__(
        self,
        log: Log,
        reading: Reading,
        lines: Sequence[str],
        workspace: Workspace,
        path_map: tuple[tuple[str, str], ...],
    ) -> None:
        self._log, self._lines = log, lines
        self._workspace, self._map = workspace, path_map
        self._places: dict[tuple[str, int], Place | None] = {}
        self._frames: dict[tuple[str, int], tuple[Frame, int, int]] = {}
        for failure in reading.failures:
            for cause in failure.causes:
                for frame in cause.frames:
                    span = (failure.span.first_line, failure.span.last_line)
                    self._frames.setdefault((frame.file, frame.line), (frame, *span))
        self._taken: set[tuple[int, int]] = set()
        self._boxes: dict[tuple[int, int], tuple[str, list[int]]] = {}

    def links(self, stop: Callable[[], bool]) -> Iterator[Link]:
        count = 0
        linked: set[tuple[str, int]] = set()
        for line in self._log.lines:
            if count >= MOST_LINKS or stop():
                return
            if len(line.text) > LONGEST_LINE or ("." not in line.text and "In" not in line.text):
                continue
            for link, key in self._of_line(line.number, line.text):
                linked.add(key)
                count += 1
                yield link
        for key, (frame, first, last) in self._frames.items():
            if count >= MOST_LINKS or stop():
                return
            place = self._place(key) if key not in linked and frame.line > 0 else None
            for link in self._folded(key, place, first, last) if place is not None else ():
                count += 1
                yield link

    def _of_line(self, number: int, text: str) -> Iterator[tuple[Link, tuple[str, int]]]:
        for pattern in _PLACES:
            for match in pattern.finditer(text):
                key = (match["file"], int(match["line"]))
                place = self._place(key)
                if place is None:
                    continue
                link = self._link(number, text[match.start("file") : match.end("line")], place)
                if link is not None:
                    yield link, key

    def _place(self, key: tuple[str, int]) -> Place | None:
        """Return the workspace's place of a printed one: by its frame, where it is one's."""
        if key not in self._places:
            if len(self._places) >= MOST_LOOKUPS:
                return None
            from dl_bug_lsp.tracebacks.failures import Frame
            from dl_bug_lsp.workspace.locating import Printed

            frame = self._frames[key][0] if key in self._frames else Frame(*key)
            # As the report does: of cells with the same line the lines around it tell which.
            printed = Printed(frame.file, frame.line, frame.function, frame.source, frame.excerpt)
            self._places[key] = self._workspace.locate_stack([printed], self._map)[0]
        return self._places[key]

    def _link(self, number: int, printed: str, place: Place) -> Link | None:
        """Return a link where a line of the text holds what was printed; each piece once.

        What terminal codes or escapes tear apart is linked by its whole line.
        """
        raw = self._lines[number - 1] if 1 <= number <= len(self._lines) else ""
        start = raw.find(printed)
        end = start + len(printed)
        if start < 0:
            # One line of JSON may hold the whole traceback, its quotes escaped.
            printed = printed.replace('"', '\\"')
            start, end = raw.find(printed), raw.find(printed) + len(printed)
        if start < 0:
            bare = raw.rstrip().rstrip(_FRAMING)
            start, end = len(bare) - len(bare.lstrip(_FRAMING)), len(bare)
        if start >= end or end - start > LONGEST_LINE or (number, start) in self._taken:
            return None
        self._taken.add((number, start))
        return Link(number, start, end, place)

    def _folded(self, key: tuple[str, int], place: Place, first: int, last: int) -> Iterator[Link]:
        """Find a place that a box folded over lines, by its text without blanks and sides."""
        signs, numbers = self._squeezed(first, last)
        wanted = "".join(f"{key[0]}:{key[1]}".split())
        at = signs.find(wanted)
        for number in sorted(set(numbers[at : at + len(wanted)])) if at >= 0 else ():
            link = self._link(number, "\0", place)
            if link is not None:
                yield link

    def _squeezed(self, first: int, last: int) -> tuple[str, list[int]]:
        """Return the signs of some lines without blanks and sides, and the line of each."""
        if (first, last) not in self._boxes:
            signs: list[str] = []
            numbers: list[int] = []
            for line in self._log.lines:
                if first <= line.number <= last and len(signs) < LONGEST_BOX:
                    inner = [c for c in line.text.strip().strip(_FRAMING) if not c.isspace()]
                    signs.extend(inner)
                    numbers.extend([line.number] * len(inner))
            self._boxes[first, last] = "".join(signs), numbers
        return self._boxes[first, last]


MOST = 200
MOST_FRAMES = 50
LONGEST = 120


def symbols(log_outline: Outline, encoding: Encoding) -> list[types.DocumentSymbol]:
    """Return one symbol for each failure of a log, in its order."""
    return [_symbol(failure, log_outline, encoding) for failure in log_outline.failures[:MOST]]


def _symbol(failure: Failure, log_outline: Outline, encoding: Encoding) -> types.DocumentSymbol:
    first = failure.span.first_line
    last = max(first, min(failure.span.last_line, len(log_outline.lines)))
    cause = failure.cause
    head = f"{cause.type}: {cause.message}" if cause is not None else failure.evidence
    detail = ["the failure that ended the run"] if failure.primary else []
    if failure.process is not None and failure.process.rank is not None:
        detail.append(f"rank {failure.process.rank}")
    if not failure.reliable:
        detail.append("the stack may blame the wrong line")
    return types.DocumentSymbol(
        name=one_line(told(head.splitlines() or [""]), LONGEST) or "failure",
        kind=types.SymbolKind.Event,
        range=_lines(first, last, log_outline, encoding),
        selection_range=_lines(first, first, log_outline, encoding),
        detail=", ".join(detail) or None,
        children=_frames(first, last, log_outline, encoding),
    )


def _frames(
    first: int, last: int, log_outline: Outline, encoding: Encoding
) -> list[types.DocumentSymbol] | None:
    inside = {link.line: link for link in log_outline.links if first <= link.line <= last}
    frames = []
    for number, link in sorted(inside.items())[:MOST_FRAMES]:
        place = _lines(number, number, log_outline, encoding)
        name = f"{link.place.file}:{link.place.line}"
        function = link.place.function
        kind = types.SymbolKind.Function
        frames.append(types.DocumentSymbol(name, kind, place, place, detail=function))
    return frames or None


def _lines(first: int, last: int, log_outline: Outline, encoding: Encoding) -> types.Range:
    place = lines_range(first, last, log_outline.lines, encoding)
    return types.Range(types.Position(place.start.line, 0), place.end)
