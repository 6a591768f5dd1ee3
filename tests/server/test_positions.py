"""Lines and columns at the protocol's edge."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from dl_bug_lsp.server.documents import code_units, line_start, lines_range, moved

UTF8, UTF16, UTF32 = (
    types.PositionEncodingKind.Utf8,
    types.PositionEncodingKind.Utf16,
    types.PositionEncodingKind.Utf32,
)


@pytest.mark.parametrize(
    ("text", "utf8", "utf16", "utf32"),
    [("abc", 3, 3, 3), ("größe", 7, 5, 5), ("張", 3, 1, 1), ("a😀", 5, 3, 2), ("\ud800", 3, 1, 1)],
)
def test_code_units(text: str, utf8: int, utf16: int, utf32: int) -> None:
    assert [code_units(text, kind) for kind in (UTF8, UTF16, UTF32)] == [utf8, utf16, utf32]
    assert code_units(text, "utf-7") == utf16


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_code_units_agree_with_the_codecs(text: str) -> None:
    assert code_units(text, UTF8) == len(text.encode("utf-8"))
    assert code_units(text, UTF16) == len(text.encode("utf-16-le")) // 2
    assert code_units(text, UTF32) == len(text)


LINES = ("def f():", "    x = '😀'  ", "\ty = 1", "", "end")


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (1, 1, (0, 0, 0, 8)),
        (2, 2, (1, 4, 1, 12)),
        (2, 3, (1, 4, 2, 6)),
        (3, 2, (2, 1, 2, 6)),
        (4, 4, (3, 0, 3, 0)),
        (9, 9, (8, 0, 8, 0)),
        (0, 0, (0, 0, 0, 0)),
    ],
)
def test_lines_become_ranges_without_indentation(
    first: int, last: int, expected: tuple[int, int, int, int]
) -> None:
    got = lines_range(first, last, LINES, UTF16)
    assert _numbers(got) == expected


def test_one_based_inside_zero_based_outside() -> None:
    assert line_start(1).start == types.Position(0, 0)


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> object:
    return types.TextDocumentContentChangePartial(
        range=types.Range(types.Position(*start), types.Position(*end)), text=text
    )


@pytest.mark.parametrize(
    ("what", "start", "end", "text", "expected"),
    [
        ("a line above added", (2, 0), (2, 0), "new\n", (6, 4, 7, 9)),
        ("two lines above removed", (1, 0), (3, 0), "", (3, 4, 4, 9)),
        ("a line break just before it", (5, 0), (5, 0), "\r\n", (6, 4, 7, 9)),
        ("something below", (8, 0), (8, 0), "x\ny\n", (5, 4, 6, 9)),
        ("on the same line", (5, 6), (5, 7), "z", (5, 4, 6, 9)),
        ("a line added inside", (5, 9), (5, 9), "\nmore", (5, 4, 7, 9)),
        ("removed whole", (5, 0), (7, 0), "", None),
        ("removed with its surroundings", (2, 0), (9, 0), "", None),
        ("replaced whole", (5, 0), (7, 0), "other = 2\n", (5, 4, 5, 9)),
    ],
)
def test_marks_follow_edits(
    what: str,
    start: tuple[int, int],
    end: tuple[int, int],
    text: str,
    expected: tuple[int, int, int, int] | None,
) -> None:
    place = types.Range(types.Position(5, 4), types.Position(6, 9))
    got = moved(place, edit(start, end, text))  # type: ignore[arg-type]
    assert (got and _numbers(got)) == expected, what


def _numbers(place: types.Range) -> tuple[int, int, int, int]:
    return (place.start.line, place.start.character, place.end.line, place.end.character)
