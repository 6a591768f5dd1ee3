"""Write one page a failure category, and their index, from the table of categories.

    python docs/make_categories.py

`tests/taxonomy/test_pages.py` holds the pages against the table.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from dl_bug_lsp.taxonomy.categories import Category, categories

PAGES = Path(__file__).resolve().parent / "categories"
INDEX = "README.md"
DIMENSIONS = {
    "deep_learning_specific": "Deep-learning specific",
    "execution_environment": "Execution environment",
    "general_code_error": "General code error",
    "data": "Data",
    "platform": "Platform",
    "silent": "Silent",
    "unclassified": "Unclassified",
}
BUG_TYPES = {
    "model": "model",
    "training": "training",
    "tensor_input": "tensor and input",
    "api": "API",
    "gpu": "GPU",
    "non_dl": "not specific to deep learning",
}


def page(row: Category) -> str:
    """Return the page of one category in Markdown."""
    share = (
        "" if row.share is None else f" {row.share:g} % of the failed jobs of ICSE 2020's study."
    )
    retry = "."
    if row.retry_may_help is not None:
        helps = "may help" if row.retry_may_help else "will not help as a rule"
        retry = f"; running the same job again {helps}."
    parts = [
        f"# {row.name}",
        f"`{row.id}` · {DIMENSIONS[row.dimension]}.{share}",
        f"{row.definition}",
        f"## How it shows\n\n{row.shows}",
        f"## Usual causes and fixes\n\n{_table(row)}",
        f"## Where the tool looks for the place\n\n{row.search}",
        f"Unless the failure itself tells otherwise, the cause is taken to be {row.origin} and of "
        f"type {BUG_TYPES[row.bug_type]}{retry}",
    ]
    return "\n\n".join(parts) + "\n"


def index() -> str:
    """Return the list of all categories in Markdown."""
    parts = ["# Failure categories"]
    for dimension, rows in groupby(categories(), key=lambda row: row.dimension):
        lines = [f"- [{row.name}]({row.id}.md): {row.definition}" for row in rows]
        parts.append(f"## {DIMENSIONS[dimension]}\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def pages() -> dict[str, str]:
    """Return all pages by file name."""
    return {INDEX: index(), **{f"{row.id}.md": page(row) for row in categories()}}


def main() -> None:
    """Write all pages."""
    PAGES.mkdir(exist_ok=True)
    for name, text in pages().items():
        (PAGES / name).write_text(text, encoding="utf-8")


def _table(row: Category) -> str:
    lines = [f"| {item.cause} | {item.fix} |".replace("\n", " ") for item in row.distinct_advice]
    return "\n".join(["| cause | fix |", "|---|---|", *lines])


if __name__ == "__main__":
    main()
