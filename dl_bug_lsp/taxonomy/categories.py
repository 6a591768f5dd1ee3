"""The failure categories and kinds as values, read from `categories.toml` and `kinds.toml`."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from dl_bug_lsp.report import BY_TEXT, Advice, CategoryVerdict


@dataclass(frozen=True, slots=True)
class KnownPattern:
    """Code or a setting that usually holds the cause of a failure, of the syntax alone.

    Looked for are calls whose callee ends in one of ``call``, without the keywords ``without``; in
    a row without ``call``, statements: of compound ones the line before the colon (``class Net(nn.
    Module)``), and decorators with their ``@``. All other fields are regular expressions, searched
    in the source as `ast.unparse` gives it, and must all hold:

    - ``text`` occurs in the call or statement and ``but`` does not;
    - ``inside`` occurs in a line of the compound statements around it (``def forward(self, x)``,
      ``for batch in loader``, ``with torch.no_grad()``), and ``outside`` in none of them;
    - ``has`` occurs in the function, class or module that it belongs to, ``lacks`` does not;
      a definition is asked for its own body;
    - ``before`` occurs in that body after it, ``after`` before it;
    - ``program`` occurs in a line of the program and ``nowhere`` in none.

    A row with ``key`` looks at settings instead: ``key`` is for the dotted path, ``text`` and
    ``but`` for the value as written. In ``text`` and ``why``, ``<1>`` stands for what the first
    group of ``message`` matched in the message. ``way`` leaves out what no value on the way to the
    failure comes from. ``share`` is how much the place says, in (0, 1].
    """

    why: str
    call: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    text: str = ""
    but: str = ""
    inside: str = ""
    outside: str = ""
    has: str = ""
    lacks: str = ""
    before: str = ""
    after: str = ""
    program: str = ""
    nowhere: str = ""
    key: str = ""
    message: str = ""
    way: bool = False
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class ConditionalAdvice:
    """Advice that applies where the message holds one of ``when`` (always where that is empty).

    Advice that names a library's calls is for that library's failures: one of ``only`` must stand
    in the exception, its message or its stack. No phrase of ``unless`` may occur in the message.
    Where the evidence of the first place says one of ``seen``, the advice comes first; advice that
    is ``backed`` is given only where that evidence speaks of it. The usual
    ``places`` of the cause also count for messages with ``places_when`` or ``places_only``, of
    which the advice may not be true.
    """

    advice: Advice
    when: tuple[str, ...]
    only: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    places: tuple[KnownPattern, ...] = ()
    places_when: tuple[str, ...] = ()
    places_only: tuple[str, ...] = ()
    backed: bool = False


@dataclass(frozen=True, slots=True)
class Category:
    """One failure category.

    ``share`` is its per cent of all failures in Zhang et al., ICSE 2020 (Table 1), None beyond that
    study; ``origin`` and ``bug_type`` are what is assumed where the failure does not tell;
    ``retry_may_help`` is about the same job, unchanged, None where nothing is known.
    """

    id: str
    name: str
    dimension: str
    share: float | None
    definition: str
    shows: str
    search: str
    retry_may_help: bool | None
    origin: str
    bug_type: str
    advice: tuple[ConditionalAdvice, ...]

    @property
    def distinct_advice(self) -> tuple[Advice, ...]:
        """The advice for a page, each once: some is given surely or with a doubt."""
        by_words: dict[tuple[str, str], Advice] = {}
        for item in self.advice:
            cause = re.sub(r"\b(?:may have|may be|have|is|are)\b", "", item.advice.cause)
            by_words.setdefault((cause, item.advice.fix), item.advice)
        return tuple(by_words.values())


@dataclass(frozen=True, slots=True)
class Kind:
    """What the failures that some rules find have in common, beyond their category.

    ``definition`` is what is said of them in the place of the category's; a field that is None is
    the category's.
    """

    rules: tuple[str, ...]
    definition: str
    retry_may_help: bool | None = None
    origin: str | None = None
    bug_type: str | None = None


@cache
def kinds() -> tuple[Kind, ...]:
    """Return all kinds in the order of their table."""
    return tuple(
        Kind(
            tuple(row["rules"]),
            row["definition"],
            row.get("retry"),
            row.get("origin"),
            row.get("bug_type"),
        )
        for row in _read("kinds.toml")["kind"]
    )


def kind_of(rule: str) -> Kind | None:
    """Return the kind of the failures that a rule finds, None where only their category tells."""
    return _kinds_by_rule().get(rule)


@cache
def _kinds_by_rule() -> dict[str, Kind]:
    return {rule: kind for kind in kinds() for rule in kind.rules}


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
        retry_may_help=row.get("retry"),
        origin=row["origin"],
        bug_type=row["bug_type"],
        advice=tuple(_advice(item) for item in row["advice"]),
    )


def _advice(item: dict[str, Any]) -> ConditionalAdvice:
    return ConditionalAdvice(
        Advice(item["cause"], item["fix"], item.get("page", "")),
        tuple(item.get("when", ())),
        tuple(item.get("only", ())),
        tuple(item.get("unless", ())),
        tuple(item.get("seen", ())),
        tuple(_place(row) for row in item.get("places", ())),
        tuple(item.get("places_when", ())),
        tuple(item.get("places_only", ())),
        bool(item.get("backed", False)),
    )


def _place(row: dict[str, Any]) -> KnownPattern:
    named = {name: tuple(row.get(name, ())) for name in ("call", "without")}
    return KnownPattern(**{**row, **named})


@cache
def common_errors() -> tuple[ConditionalAdvice, ...]:
    """Return advice on the failures that forums repeat most, whatever their category.

    Names that libraries have removed stand in a table of their own (`removed_names.toml`).
    """
    removed = (_removed(row) for row in _read("removed_names.toml")["removed"])
    return (*(_advice(row) for row in _read("common_errors.toml")["error"]), *removed)


@cache
def removed_keywords() -> tuple[ConditionalAdvice, ...]:
    """Return the rows of `removed_names.toml` about keywords of calls, with their phrases alone."""
    removed = (_removed(row) for row in _read("removed_names.toml")["removed"])
    named = ((row, tuple(p for p in row.when if _KEYWORD in p)) for row in removed)
    return tuple(replace(row, when=phrases) for row, phrases in named if phrases)


_KEYWORD = "unexpected keyword argument '"


def _removed(row: dict[str, Any]) -> ConditionalAdvice:
    newer = f"version `{row['version']}`" if "version" in row else "a newer version"
    cause = f"If the name is one of {row['library']}: {newer} removed or renamed it."
    return _advice({**row, "cause": cause})


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


LEAST_FOR_RETRY = 0.65
"""The confidence from which a category tells what another try would do."""


def is_sure_of_retry(verdict: CategoryVerdict) -> bool:
    """Say whether a category is sure enough to tell from it alone what another try would do."""
    return verdict.confidence >= LEAST_FOR_RETRY and verdict.rule != BY_TEXT
