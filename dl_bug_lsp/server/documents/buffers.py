"""The documents that the client has open, as lines; an edit costs what it changes.

pygls joins and splits the whole text at every edit, and also at form feeds and other characters
that no editor takes for the end of a line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

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


class Buffers(Workspace):
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
        found = self._text_documents.get(unquote(text_doc.uri))
        if found is not None:
            found.apply_change(change)
            found.version = text_doc.version


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
