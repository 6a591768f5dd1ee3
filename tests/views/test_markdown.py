"""The report as Markdown: what a log says becomes no markup."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import sample_reports as samples
from hypothesis import given
from hypothesis import strategies as st

from dl_bug_lsp.report import Report
from dl_bug_lsp.views.markdown import block, code, plain, render_markdown, sentence
from dl_bug_lsp.views.text import render_text
from dl_bug_lsp.views.words import UNRELIABLE

MARKUP = re.compile(r"(?<!\\)(?:\\\\)*(?:[`*\[\]<>#|~$!{}@]|(?<![^\W_])_|_(?![^\W_]))")
"""What Markdown takes for markup; `_` within a word is none."""


@given(st.text())
def test_no_sign_of_markup_stands_unescaped(text: str) -> None:
    assert not MARKUP.search(plain(text).replace("&#8203;", ""))


@given(st.text(st.sampled_from("`~ab\n ")))
def test_fences_and_spans_are_longer_than_what_they_hold(text: str) -> None:
    runs = [len(run) for run in re.findall("`+", text)]
    fence = re.match("`+", block(text.splitlines()))
    assert fence is not None
    assert len(fence[0]) > max(runs, default=2)
    span = code(text)
    if span:
        assert span.startswith("`" * (max(runs, default=0) + 1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`x` is set here", "`x` is set here"),
        ("a lone ` stays", r"a lone \` stays"),
        ("`[a](b)` and [a](b)", r"`[a](b)` and \[a\](b)"),
        ("see https://evil.example", r"see https\://evil.example"),
        ("a `b` at src/my_file.py:7: it is", "a `b` at src/my_file.py:7: it is"),
        ("a :bug: and mailto:a", r"a \:bug: and mailto\:a"),
        ("see www.evil.example", r"see www\.evil.example"),
        ("mail a@b.example", r"mail a\@b.example"),
        ("![x](y) <img>", r"\!\[x\](y) \<img\>"),
    ],
)
def test_sentences_keep_code_and_lose_links(text: str, expected: str) -> None:
    assert sentence(text) == expected


@pytest.mark.parametrize("name", samples.ALL)
def test_a_page_holds_no_control_character_and_no_link(name: str) -> None:
    page = render_markdown(samples.ALL[name])
    assert page.startswith("# ")
    assert all(char == "\n" or char.isprintable() for char in page)
    outside = re.sub(r"(?ms)^(`{3,})text\n.*?\n\1$", "", page)
    assert not re.search(r"(?<!\\)\]\(", outside)


def test_unreliable_frames_are_told() -> None:
    failure = replace(samples.MISMATCH, reliable=False)
    assert UNRELIABLE in render_markdown(Report("/w", (failure,)))
    assert "wrong line" in render_text(Report("/w", (failure,)), lambda _: (), 200)


def test_the_place_of_the_likely_cause_is_code() -> None:
    failure = replace(samples.MISMATCH, diagnosis="src/a_b.py:7: `x` is set here")
    page = render_markdown(Report("/w", (failure,)))
    assert "**Likely cause: `src/a_b.py:7`: `x` is set here**" in page
