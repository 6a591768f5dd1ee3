"""Open documents: edits in three encodings, at line ends that editors know, cheap in big ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from dl_bug_lsp.server.documents import Buffer, Buffers, code_points, split

URI = "file:///a.py"
ENCODINGS = tuple(types.PositionEncodingKind)


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> types.Range:
    return types.TextDocumentContentChangePartial(  # type: ignore[return-value]
        range=types.Range(types.Position(*start), types.Position(*end)), text=text
    )


@pytest.mark.parametrize(
    ("text", "change", "expected"),
    [
        ("a\nb\n", edit((1, 0), (1, 1), "c"), "a\nc\n"),
        ("a\nb\n", edit((0, 1), (1, 0), ""), "ab\n"),
        ("a\r\nb\rc", edit((2, 0), (2, 1), "d"), "a\nb\nd"),
        ("a\fb\u2028c\x85d\ne", edit((1, 0), (1, 0), "x"), "a\fb\u2028c\x85d\nxe"),
        ("a", edit((9, 9), (9, 9), "\nb"), "a\nb"),
        ("abc", edit((0, 99), (0, 99), "d"), "abcd"),
        ("abc", edit((0, 2), (0, 1), ""), "ac"),
        ("", edit((0, 0), (0, 0), "x\ny"), "x\ny"),
    ],
)
def test_edits(text: str, change: types.TextDocumentContentChangePartial, expected: str) -> None:
    buffer = Buffer(URI, text, 1, types.PositionEncodingKind.Utf16)
    buffer.apply_change(change)
    assert buffer.source == expected
    assert list(buffer.lines) == expected.split("\n")


@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(ENCODINGS))
def test_columns_count_the_units_of_the_encoding(
    line: str, encoding: types.PositionEncodingKind
) -> None:
    width = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding.value]
    size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding.value]
    for points in range(len(line) + 1):
        units = len(line[:points].encode(width)) // size
        assert code_points(line, units, encoding) == points


def test_a_whole_text_takes_the_old_one_s_place() -> None:
    buffer = Buffer(URI, "a\nb", 1, "utf-16")
    buffer.apply_change(types.TextDocumentContentChangeWholeDocument("x\r\ny"))
    assert list(buffer.lines) == ["x", "y"]


def test_an_edit_of_a_document_never_opened_is_passed_over() -> None:
    buffers = Buffers("utf-16")
    change = types.TextDocumentContentChangeWholeDocument("x")
    buffers.update_text_document(types.VersionedTextDocumentIdentifier(1, URI), change)
    assert list(buffers.text_documents) == []


@given(st.text(st.sampled_from("ab\r\n\f\u2028")))
def test_lines_end_where_the_protocol_says(text: str) -> None:
    assert split(text) == text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
