"""The taxonomy's rows as the views need them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CategoryWords:
    """A category's id, its name and what it means, for people."""

    id: str
    name: str
    meaning: str
    dimension: str = ""


def category_words(category_id: str) -> CategoryWords:
    """Return the words of a category; an id that no row has is spelled out."""
    name = category_id.replace("_", " ").title()
    return CategoryWords(category_id, name, "")
