"""What came from a log cannot steer a terminal; wrapping counts cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dl_bug_lsp.views.escape import escape, one_line, shorten, well_formed, whole_sentences
from dl_bug_lsp.views.layout import clip, display_width, wrap


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("bell\x07 del\x7f c1\x9b", r"bell\x07 del\x7f c1\x9b"),
        ("\u202eabc\u2066", r"\u202eabc\u2066"),
        ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
        ("a\tb", "a    b"),
        ("no\u00a0break", "no break"),
        ("Größe 張 😀", "Größe 張 😀"),
        ("a\r\nb", r"a\nb"),
        ("\ud800", r"\ud800"),
    ],
)
def test_escape(raw: str, shown: str) -> None:
    assert escape(raw) == shown


@given(st.text())
def test_escaped_text_is_printable_and_encodable(text: str) -> None:
    assert escape(text).isprintable()
    assert all(line.isprintable() for line in escape(text, keep_newlines=True).split("\n"))
    escape(text).encode("utf-8")
    well_formed(text).encode("utf-8")
    assert "\n" not in one_line(text)


@given(st.text(), st.integers(3, 50))
def test_shorten_keeps_both_ends(text: str, longest: int) -> None:
    short = shorten(text, longest)
    assert len(short) <= max(longest, len(text) if len(text) <= longest else 0)
    assert short[:1] == text[:1]
    assert short[-1:] == text[-1:]


@given(st.text(), st.integers(40, 100))
def test_wrap_loses_no_word_and_keeps_the_width(text: str, width: int) -> None:
    lines = wrap(text, width, "- ", "  ")
    assert " ".join(" ".join(lines)[1:].split()) == " ".join(text.split())
    for line in lines:
        assert display_width(line) <= width or len(line.split()) <= 2


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(1, 60))
def test_clip_fits(text: str, width: int) -> None:
    assert display_width(clip(text, width)) <= width


@pytest.mark.parametrize(("text", "cells"), [("abc", 3), ("張力", 4), ("e\u0301", 1), ("😀", 2)])
def test_display_width(text: str, cells: int) -> None:
    assert display_width(text) == cells


@pytest.mark.parametrize(
    ("text", "longest", "shown"),
    [
        ("Short. Enough.", 20, "Short. Enough."),
        ("Compare the ids. Size the table by them.", 30, "Compare the ids."),
        ("Look at `a. B`, the first. Then stop here.", 30, "Look at `a. B`, the first."),
        ("Compare `ids.max()` with `rows`. Size it.", 36, "Compare `ids.max()` with `rows`."),
    ],
)
def test_sentences_are_cut_only_at_their_ends(text: str, longest: int, shown: str) -> None:
    assert whole_sentences(text, longest) == shown
