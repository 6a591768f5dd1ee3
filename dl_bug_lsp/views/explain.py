"""The page of a failure category, for the terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from dl_bug_lsp.taxonomy.categories import Category
from dl_bug_lsp.views.layout import Style, wrap
from dl_bug_lsp.views.words import bug_type_words, origin_words

STUDY = "Zhang et al., ICSE 2020"


def explain_text(category: Category, width: int, style: Style) -> str:
    """Return the category's page wrapped to ``width`` columns."""
    out = [f"{style.bold(category.name)} ({category.id})", ""]
    for title, words in _sections(category):
        out.append(style.heading(title))
        out.extend(wrap(words, width, "  "))
        out.append("")
    out.append(style.heading("Usual causes and what helps"))
    for item in category.distinct_advice:
        out.extend(wrap(item.cause, width, "  - ", "    "))
        out.extend(wrap(item.fix, width, "    → ", "      "))
    return "\n".join(out).rstrip() + "\n"


def explain_markdown(category: Category) -> str:
    """Return the category's page as Markdown."""
    out = [f"# {category.name}", "", f"`{category.id}`", ""]
    for title, words in _sections(category):
        out.extend((f"## {title}", "", words, ""))
    out.extend(("## Usual causes and what helps", ""))
    out.extend(f"- {item.cause} {item.fix}" for item in category.distinct_advice)
    return "\n".join(out).rstrip() + "\n"


def overview_text(rows: Sequence[Category], style: Style) -> str:
    """Return one line for each category, by dimension."""
    widest = max(len(row.id) for row in rows)
    out: list[str] = []
    for dimension in dict.fromkeys(row.dimension for row in rows):
        out.extend(("", style.heading(dimension.replace("_", " ").capitalize())))
        inside = (row for row in rows if row.dimension == dimension)
        out.extend(f"  {row.id:<{widest}}  {row.name}" for row in inside)
    return "\n".join(out[1:]) + "\n"


def _sections(category: Category) -> list[tuple[str, str]]:
    retry = {
        True: " Tried again unchanged, the job may pass.",
        False: " Tried again unchanged, the job most likely fails again.",
        None: "",
    }[category.retry_may_help]
    if category.dimension == "silent":
        retry = " Tried again unchanged, the job most likely ends the same way."
    assumed = (
        f"The cause is taken to lie {origin_words(category.origin)}, and to be about "
        f"{bug_type_words(category.bug_type)}.{retry}"
    )
    sections = [
        ("What it is", category.definition),
        ("How it shows", category.shows),
        ("Where to look", category.search),
        ("Unless the failure says otherwise", assumed),
    ]
    if category.share is not None:
        share = f"{category.share} % of failed deep-learning jobs ({STUDY})."
        sections.insert(1, ("How frequent it is", share))
    return sections
