"""Spots follow edits, find their lines again, and go with them."""

from __future__ import annotations

import pytest
from lsprotocol import types

from dl_bug_lsp.server.position_tracking import Spot, follow, settle, spot

UTF16 = types.PositionEncodingKind.Utf16
LINES = ["import os", "", "def f(x):", "    y = x + 1", "    return y", "", "print(f(2))"]
AT = 4


def made() -> Spot:
    return spot("file:///a.py", AT, AT, LINES, UTF16)


def part(
    start: tuple[int, int], end: tuple[int, int], text: str
) -> types.TextDocumentContentChangePartial:
    place = types.Range(types.Position(*start), types.Position(*end))
    return types.TextDocumentContentChangePartial(range=place, text=text)


def applied(change: types.TextDocumentContentChangePartial) -> list[str]:
    text = "\n".join(LINES)
    starts = [0]
    for line in LINES:
        starts.append(starts[-1] + len(line) + 1)
    begin = starts[change.range.start.line] + change.range.start.character
    end = starts[change.range.end.line] + change.range.end.character
    return (text[:begin] + change.text + text[end:]).split("\n")


REWRITTEN = "import sys\nimport os\n\n\ndef f(x):\n    y = x + 1\n    return y\n\n\nprint(f(2))"


@pytest.mark.parametrize(
    ("change", "line", "text"),
    [
        (part((0, 0), (0, 0), "#\n#\n"), 6, "    y = x + 1"),
        (part((3, 13), (3, 13), "0"), 4, "    y = x + 10"),
        (part((3, 0), (4, 0), ""), 0, ""),
        (part((0, 0), (6, 11), REWRITTEN), 6, "    y = x + 1"),
        (part((0, 0), (6, 11), "def f(x):\n    y = x + 2\n    return y"), 2, "    y = x + 2"),
        (part((0, 0), (6, 11), "nothing\nof\nit"), 0, ""),
    ],
)
def test_a_spot_follows_an_edit(
    change: types.TextDocumentContentChangePartial, line: int, text: str
) -> None:
    one = made()
    assert follow([one], [change], LINES, applied(change), UTF16)
    assert one.line == line
    if line:
        assert one.text == text


@pytest.mark.parametrize("before", [LINES, None])
@pytest.mark.parametrize(
    ("after", "line"),
    [
        (["# new", *LINES], 5),
        ([*LINES, "more()"], 4),
        ([*LINES[:3], "    y = x + 1  # same", *LINES[4:]], 4),
        ([*LINES[4:], *LINES[:4]], 7),
        (LINES[:3] + LINES[4:], 0),
        ([], 0),
    ],
)
def test_a_document_sent_whole_is_searched(
    before: list[str] | None, after: list[str], line: int
) -> None:
    one = made()
    whole = types.TextDocumentContentChangeWholeDocument("\n".join(after))
    follow([one], [whole], before, after, UTF16)
    is_rewritten = bool(line) and LINES[AT - 1] not in after
    assert one.line == (0 if is_rewritten and before is None else line)


def test_equal_lines_are_told_apart_where_the_text_before_is_known() -> None:
    lines = ["a = 1", "x = 0", "b = 2", "x = 0", "c = 3"]
    one = spot("file:///a.py", 4, 4, lines, UTF16)
    after = ["new"] * 3 + lines
    whole = types.TextDocumentContentChangeWholeDocument("\n".join(after))
    follow([one], [whole], lines, after, UTF16)
    assert one.line == 7


def test_a_file_that_changed_unseen_is_searched_near_the_old_place() -> None:
    one = made()
    assert not settle([one], LINES, UTF16)
    assert settle([one], ["#", *LINES], UTF16)
    assert one.line == AT + 1
    assert settle([one], [], UTF16)
    assert one.range is None
