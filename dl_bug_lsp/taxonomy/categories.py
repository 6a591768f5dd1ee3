"""The failure categories as values, read from `categories.toml`, and advice on them.

The failure categories as values, read from `categories.toml`.

What usually causes a failure of this kind and what fixes it.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache
from typing import Any

from dl_bug_lsp.report import Advice, CategoryVerdict
from dl_bug_lsp.taxonomy.classification_context import ClassificationContext, find_phrase
from dl_bug_lsp.tracebacks.values import Failure


@dataclass(frozen=True, slots=True)
class ConditionalAdvice:
    """Advice that applies where the message holds one of ``when`` (always where that is empty).

    Advice that names a library's calls is for that library's failures: one of ``only`` must stand
    in the exception, its message or its stack.
    """

    advice: Advice
    when: tuple[str, ...]
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Category:
    """One failure category.

    ``share`` is its per cent of all failures in Zhang et al., ICSE 2020 (Table 1), None beyond that
    study; ``origin`` and ``bug_type`` are what is assumed where the failure does not tell;
    ``retry_may_help`` is about the same job, unchanged.
    """

    id: str
    name: str
    dimension: str
    share: float | None
    definition: str
    shows: str
    search: str
    retry_may_help: bool
    origin: str
    bug_type: str
    advice: tuple[ConditionalAdvice, ...]


@cache
def categories() -> tuple[Category, ...]:
    """Return all categories in the order of their table."""
    return tuple(_category(row) for row in _read("categories.toml")["category"])


def category(id: str) -> Category:
    """Return the category with this id; raises KeyError where there is none."""
    return _by_id()[id]


@cache
def _by_id() -> dict[str, Category]:
    return {row.id: row for row in categories()}


def _category(row: dict[str, Any]) -> Category:
    return Category(
        id=row["id"],
        name=row["name"],
        dimension=row["dimension"],
        share=row.get("share"),
        definition=row["definition"],
        shows=row["shows"],
        search=row["search"],
        retry_may_help=row["retry"],
        origin=row["origin"],
        bug_type=row["bug_type"],
        advice=tuple(_advice(item) for item in row["advice"]),
    )


def _advice(item: dict[str, Any]) -> ConditionalAdvice:
    return ConditionalAdvice(
        Advice(item["cause"], item["fix"], item.get("page", "")),
        tuple(item.get("when", ())),
        tuple(item.get("only", ())),
    )


@cache
def classics() -> tuple[ConditionalAdvice, ...]:
    """Return advice on the failures that forums repeat most, whatever their category."""
    return tuple(_advice(row) for row in _read("classics.toml")["classic"])


def _read(name: str) -> dict[str, Any]:
    # Imported late: the language server answers before it needs them.
    from importlib.resources import files

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

    text = files("dl_bug_lsp.taxonomy").joinpath(name).read_text(encoding="utf-8")
    table: dict[str, Any] = tomllib.loads(text)
    return table


MOST = 3
"""Pieces of advice that are given at most."""
IN_NOTEBOOK = "in a notebook's cell"
"""What a row's ``when`` says to be given for failures of notebooks only."""
WITH_NUMBERS = "with two numbers"
"""What a row's ``when`` says to be given only where the message has two different numbers."""
MOST_KNOWN = 2
_NUMBER = re.compile(r"\d+")
_FRAMES, _LONGEST = 40, 20_000
_CELL = re.compile(r"\bIn ?\[ ?\d+ ?\]|ipython-input-|ipykernel_\d|\.ipynb\b|vscode-notebook-cell:")


def advice(
    failure: Failure, verdict: CategoryVerdict, ran_in_order: bool = False
) -> tuple[Advice, ...]:
    """Return usual causes with their fixes: first those that the message itself points at.

    What forums repeat most comes with the framework's page that documents it. ``ran_in_order``
    says that a notebook's cells are known to have run once, from the top.
    """
    text = ClassificationContext(failure, failure.cause).text if failure.cause is not None else ""
    text = f"{text} {failure.evidence.lower()}"
    about = f"{text} {_around(failure)}"
    if not ran_in_order and any(_CELL.search(frame.file) for frame in failure.frames):
        text += f" {IN_NOTEBOOK}"
    if len(set(_NUMBER.findall(text))) >= 2:
        text += f" {WITH_NUMBERS}"
    known = [row for row in classics() if _applies(row, text) and _concerns(row, about)]
    rows = [row for row in category(verdict.id).advice if _concerns(row, about)]
    pointed = [row for row in rows if row.when and _applies(row, text)]
    general = [row for row in rows if not row.when]
    return tuple(row.advice for row in (*known[:MOST_KNOWN], *pointed, *general)[:MOST])


def _around(failure: Failure) -> str:
    """Return the names by which a failure's frameworks can be told: classes, files, sources."""
    parts = [cause.type for cause in failure.causes]
    for frame in failure.frames[-_FRAMES:]:
        parts += [frame.file, frame.source or ""]
    return " ".join(parts).lower()[:_LONGEST]


def _applies(row: ConditionalAdvice, text: str) -> bool:
    return any(find_phrase(text, phrase) for phrase in row.when)


def _concerns(row: ConditionalAdvice, about: str) -> bool:
    return not row.only or any(word in about for word in row.only)
