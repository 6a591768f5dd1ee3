"""The taxonomy's rows as the views need them."""

from __future__ import annotations

from dataclasses import dataclass

from dl_bug_lsp.taxonomy.categories import category


@dataclass(frozen=True, slots=True)
class CategoryWords:
    """A category's id, its name and what it means, for people."""

    id: str
    name: str
    meaning: str
    dimension: str


def category_words(category_id: str) -> CategoryWords:
    """Return the words of a category; an id that no row has is spelled out."""
    try:
        row = category(category_id)
    except KeyError:
        return CategoryWords(category_id, category_id.replace("_", " ").title(), "", "")
    return CategoryWords(row.id, row.name, row.definition, row.dimension)
