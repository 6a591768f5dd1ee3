"""The categories' pages."""

from __future__ import annotations

import pytest

from dl_bug_lsp.taxonomy.categories import Category, categories
from dl_bug_lsp.views.explain import explain_markdown, explain_text, overview_text
from dl_bug_lsp.views.layout import PLAIN, display_width
from dl_bug_lsp.views.words import bug_type_words, category_words, origin_words

ROWS = categories()


@pytest.mark.parametrize("row", ROWS, ids=[row.id for row in ROWS])
def test_every_category_has_a_page(row: Category) -> None:
    text = explain_text(row, 60, PLAIN)
    assert text.startswith(f"{row.name} ({row.id})\n")
    assert all(display_width(line) <= 60 or len(line.split()) < 4 for line in text.splitlines())
    words = " ".join(text.split())
    page = explain_markdown(row)
    for part in (row.definition, row.search, *(item.advice.fix for item in row.advice)):
        assert part in words
        assert part in page


@pytest.mark.parametrize("row", ROWS, ids=[row.id for row in ROWS])
def test_every_word_of_a_row_is_known_to_the_views(row: Category) -> None:
    assert bug_type_words(row.bug_type) != row.bug_type.replace("_", " ")
    assert origin_words(row.origin) != row.origin
    assert category_words(row.id).meaning == row.definition


def test_the_overview_lists_all() -> None:
    text = overview_text(ROWS, PLAIN)
    assert all(f"  {row.id} " in text for row in ROWS)


def test_an_unknown_category_is_spelled_out() -> None:
    assert category_words("cosmic_ray").name == "Cosmic Ray"
