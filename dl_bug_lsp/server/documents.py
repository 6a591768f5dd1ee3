"""The folders of the client, each with its index, the documents that it has open, and positions.

Documents are held as lines, so that an edit costs what it changes. pygls joins and splits the whole
text at every edit, and also at form feeds and other characters that no editor takes for the end of
a line.

This is the only place where lines and columns cross the protocol's edge. Inside, lines are 1-based
and columns count code points; the protocol's are 0-based, and its columns count the code units of
the encoding that was negotiated (LSP 3.17, `PositionEncodingKind`).
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument
from pygls.workspace import Workspace as ClientDocuments

if TYPE_CHECKING:
    from dl_bug_lsp.workspace import Workspace

logger = logging.getLogger(__name__)


MOST_GUESTS = 4
"""Folders that only commands named, at most; those used longest ago are closed again."""


_PLAIN_NAME = re.compile(r"(?!\.{1,2}(?:/|$))[^/\\:]+(?:/(?!\.{1,2}(?:/|$))[^/\\:]+)*")
"""Names, none of them ``.`` or ``..``, with single slashes between them."""


@dataclass(eq=False)
class Folder:
    """A workspace folder: the client's URI of it, its place on disk and what is known of it."""

    uri: str
    root: Path
    closed: threading.Event = field(default_factory=threading.Event)
    names: set[Path] = field(default_factory=set)

    @cached_property
    def workspace(self) -> Workspace:
        """The folder's files, for its lane; made late, as `initialize` need not wait for it."""
        from dl_bug_lsp.workspace import Workspace

        return Workspace(self.root)

    @property
    def key(self) -> str:
        """The name under which jobs of this folder run."""
        return str(self.root)

    def file_of(self, name: str) -> str | None:
        """Return the name below the root of a URI's or absolute path's file, None outside of it."""
        below = self._below(name)
        if below is not None:
            return below
        path = path_of(name) if "://" in name else Path(name)
        if path is None:
            return None
        for root in (self.root, self.real_root, *sorted(self.names)):
            if root in path.parents:
                return path.relative_to(root).as_posix()
        return None

    def _below(self, uri: str) -> str | None:
        """Return the name of a file whose URI plainly begins with the folder's: most do.

        A checkout tells of thousands of files, and taking each URI apart would hold up the loop.
        """
        begin = f"{self.uri.rstrip('/')}/"
        if not uri.startswith(begin):
            return None
        name = unquote(uri[len(begin) :])
        return name if _PLAIN_NAME.fullmatch(name) and "?" not in uri and "#" not in uri else None

    @cached_property
    def real_root(self) -> Path:
        """The root with all links followed."""
        return self.root.resolve()

    def uri_of(self, file: str) -> str:
        """Return the URI of a workspace file, spelled as the client spells the folder's."""
        return f"{self.uri.rstrip('/')}/{quote(file.encode('utf-8', 'replace'), safe='/')}"


class Folders:
    """All folders; used on the event loop's thread."""

    def __init__(self) -> None:
        self._folders: dict[Path, Folder] = {}
        self._guests: dict[Path, None] = {}

    def __iter__(self) -> Iterator[Folder]:
        return iter(tuple(self._folders.values()))

    def is_open(self, key: str) -> bool:
        """Say whether a folder is open that has this key."""
        return any(folder.key == key for folder in self._folders.values())

    def open(self, uri: str) -> Folder | None:
        """Open a folder by its URI; None where it is no folder on this machine's disk.

        A folder is open once, under however many names; the first one is used.
        """
        path = path_of(uri)
        if path is None or not path.is_dir():
            logger.warning("a workspace folder is not on this machine's disk and is left out")
            return None
        real = path.resolve()
        self._guests.pop(real, None)
        folder = self._folders.setdefault(real, Folder(uri, path))
        folder.names.add(path)
        return folder

    def close(self, uri: str) -> Folder | None:
        """Close a folder by its URI and return it, None where it is open still or was not.

        It stays open as long as it is under another name.
        """
        path = path_of(uri)
        for real, folder in self._folders.items():
            if path in folder.names:
                folder.names.discard(path)
                if folder.names:
                    return None
                return self._close(real)
        return None

    def _close(self, real: Path) -> Folder:
        self._guests.pop(real, None)
        folder = self._folders.pop(real)
        folder.closed.set()
        return folder

    def around(self, uri: str) -> Folder | None:
        """Return the folder that a file lies in, of nested ones the innermost; None if in none."""
        inside = [folder for folder in self if folder.file_of(uri) is not None]
        return max(inside, key=lambda folder: len(folder.real_root.parts), default=None)

    def named(self, name: str) -> Folder | None:
        """Return the folder with this URI or path, None if absent.

        Where the client has it not open it is opened as a guest (`close_surplus`).
        """
        is_uri = "://" in name
        path = path_of(name) if is_uri else Path(name)
        if path is None or not path.is_absolute() or not path.is_dir():
            return None
        real = path.resolve()
        if real in self._folders and real not in self._guests:
            return self._folders[real]
        folder = self.open(name if is_uri else from_fs_path(str(path)) or "")
        if folder is not None:
            self._guests[real] = None
        return folder

    def is_guest(self, folder: Folder) -> bool:
        """Whether only commands named a folder: nothing of it is watched or brought back."""
        return any(self._folders.get(real) is folder for real in self._guests)

    def close_surplus(self) -> list[Folder]:
        """Close and return the folders that only commands named, beyond `MOST_GUESTS`."""
        surplus = list(self._guests)[: max(0, len(self._guests) - MOST_GUESTS)]
        return [self._close(real) for real in surplus]


def path_of(uri: str) -> Path | None:
    """Return the path of a ``file:`` URI, None for anything else."""
    try:
        if urlsplit(uri).scheme != "file":
            return None
        path = to_fs_path(uri)
    except ValueError:
        return None
    return Path(path) if path else None


_LINE_END = re.compile(r"\r\n|\n|\r")

Encoding = types.PositionEncodingKind | str


class Buffer(TextDocument):
    """An open document; lines are kept without their ends."""

    def __init__(self, uri: str, text: str, version: int | None, encoding: Encoding) -> None:
        super().__init__(uri, text, version)
        self._encoding = encoding
        self._split = split(text)

    @property
    def source(self) -> str:
        """The text; once it was edited, its lines end in line feeds."""
        if self._source is None:
            self._source = "\n".join(self._split)
        return self._source

    @property
    def lines(self) -> Sequence[str]:
        """The lines; line n (1-based) is at index n - 1."""
        return self._split

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Apply an edit; positions beyond the text mean its end, as the protocol has it."""
        if not isinstance(change, types.TextDocumentContentChangePartial):
            self._split, self._source = split(change.text), change.text
            return
        start, end = sorted((change.range.start, change.range.end))
        first, begin = self._place(start)
        last, stop = self._place(end)
        new = split(change.text)
        tail = self._split[last][stop:]
        new[0] = self._split[first][:begin] + new[0]
        new[-1] += tail
        self._split[first : last + 1] = new
        self._source = None

    def _place(self, position: types.Position) -> tuple[int, int]:
        if position.line >= len(self._split):
            return len(self._split) - 1, len(self._split[-1])
        line = max(0, position.line)
        return line, code_points(self._split[line], position.character, self._encoding)


class Buffers(ClientDocuments):
    """pygls' table of documents, with ours in it; an edit of one never opened is passed over."""

    def __init__(self, encoding: Encoding) -> None:
        super().__init__(None, position_encoding=encoding)
        self._units = encoding

    def put_text_document(
        self, text_document: types.TextDocumentItem, notebook_uri: str | None = None
    ) -> None:
        """Take in a document, or a notebook's cell, that was opened."""
        uri = unquote(text_document.uri)
        self._text_documents[uri] = Buffer(
            text_document.uri, text_document.text, text_document.version, self._units
        )
        if notebook_uri:
            self._cell_in_notebook[uri] = unquote(notebook_uri)

    def update_text_document(
        self,
        text_doc: types.VersionedTextDocumentIdentifier,
        change: types.TextDocumentContentChangeEvent,
    ) -> None:
        """Apply an edit."""
        document = self._text_documents.get(unquote(text_doc.uri))
        if document is not None:
            document.apply_change(change)
            document.version = text_doc.version


def split(text: str) -> list[str]:
    """Split at the three line ends that the protocol knows (LSP 3.17, `EOL`)."""
    return _LINE_END.split(text) if "\r" in text else text.split("\n")


def code_points(line: str, units: int, encoding: Encoding) -> int:
    """Return how many code points of ``line`` stand before a column given in code units.

    A column inside a character means its beginning, one behind the line its end.
    """
    if line.isascii() or encoding == types.PositionEncodingKind.Utf32:
        return min(max(0, units), len(line))
    if encoding == types.PositionEncodingKind.Utf8:
        part = line.encode("utf-8", "surrogatepass")[: max(0, units)]
        return len(part.decode("utf-8", "ignore"))
    part = line.encode("utf-16-le", "surrogatepass")[: 2 * max(0, units)]
    return len(part.decode("utf-16-le", "ignore"))


# ---------------------------------------------------------------------- positions
def code_units(text: str, encoding: types.PositionEncodingKind | str) -> int:
    """Return the code units of ``text`` in ``encoding``; an unknown one counts as UTF-16."""
    if text.isascii() or encoding == types.PositionEncodingKind.Utf32:
        return len(text)
    if encoding == types.PositionEncodingKind.Utf8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def lines_range(
    first: int, last: int, lines: Sequence[str], encoding: types.PositionEncodingKind | str
) -> types.Range:
    """Return the range of the 1-based lines ``first`` to ``last``, without their indentation.

    Lines beyond ``lines`` give an empty range at their beginning.
    """
    start = _line(lines, first)
    end = _line(lines, max(first, last)).rstrip()
    indent = start[: len(start) - len(start.lstrip())] if start.strip() else ""
    return types.Range(
        start=types.Position(max(0, first - 1), code_units(indent, encoding)),
        end=types.Position(max(0, max(first, last) - 1), code_units(end, encoding)),
    )


def line_start(line: int) -> types.Range:
    """Return the empty range at the beginning of a 1-based line."""
    position = types.Position(max(0, line - 1), 0)
    return types.Range(start=position, end=position)


def _line(lines: Sequence[str], line: int) -> str:
    return lines[line - 1] if 1 <= line <= len(lines) else ""


def moved(place: types.Range, change: types.TextDocumentContentChangePartial) -> types.Range | None:
    """Return where a range of whole lines stands after an edit, None when the edit removed it."""
    edit = change.range
    added = change.text.replace("\r\n", "\n").replace("\r", "\n").count("\n")
    by = added - (edit.end.line - edit.start.line)
    if edit.start.line > place.end.line:
        return place
    if edit.end <= place.start:
        return _shifted(place, by, by)
    line_begin = types.Position(place.start.line, 0)
    is_removed = edit.start <= line_begin and edit.end > place.end and not change.text.strip()
    if is_removed:
        return None
    return _shifted(place, 0, max(by, place.start.line - place.end.line))


def _shifted(place: types.Range, start_by: int, end_by: int) -> types.Range:
    return types.Range(
        start=types.Position(place.start.line + start_by, place.start.character),
        end=types.Position(place.end.line + end_by, place.end.character),
    )
