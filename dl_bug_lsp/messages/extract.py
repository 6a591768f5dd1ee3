"""Reads a cause's message by all tables of families, and by its form where none knows it."""

from __future__ import annotations

import re
from functools import lru_cache

from dl_bug_lsp.messages.families import Family
from dl_bug_lsp.messages.generic import generic_facts
from dl_bug_lsp.messages.values import Fact, FactKind, MessageFacts, Role
from dl_bug_lsp.tracebacks.values import Cause

_NOISE = re.compile(r"\x1b\[[0-9;]{0,20}m|\{\{function_node [^{}\n]{0,400}\}\}\s?")
_QUOTED = re.compile(r"[`'\"‘“]([\w./-]{1,80})[`'\"’”]")
_SENTENCE = 4
"""Words from which on a key is taken for a sentence."""
_HEAD, _TAIL = 16_000, 6_000
_MAX_FACTS = 400
_MAX_CANDIDATES = 200


def extract_facts(cause: Cause) -> MessageFacts:
    """Return the typed facts of an exception's message; of its notes (PEP 678) too.

    Of a message longer than 22,000 characters its beginning and its end are read. Never raises.
    """
    text = _text(cause)
    site = _site(cause)
    name: str | None = None
    part_name: str | None = None
    found: list[tuple[int, Fact]] = []
    for framework, family in _candidates(text):
        if (name is not None and not family.part) or not _fits(family, cause.class_name, site):
            continue
        facts = family.read(text)
        if facts is None:
            continue
        found += facts
        if family.part:
            part_name = part_name or f"{framework}.{family.name}"
        else:
            name = f"{framework}.{family.name}"
    name = name or part_name
    told = _ordered(found if name else generic_facts(text))
    return MessageFacts(name, (*told, *_keys_in_sentences(told)))


def _keys_in_sentences(facts: tuple[Fact, ...]) -> list[Fact]:
    """Return the keys that are quoted in the text of a `KeyError` which is a whole sentence."""
    return [
        Fact(FactKind.KEY, Role.ACTUAL, key, key)
        for fact in facts
        if fact.kind is FactKind.KEY and len(str(fact.value).split()) >= _SENTENCE
        for key in dict.fromkeys(_QUOTED.findall(str(fact.value)))
    ]


@lru_cache(maxsize=1)
def tables() -> tuple[tuple[str, Family], ...]:
    """Return all families in the order of trial, each with its framework."""
    from dl_bug_lsp.messages.tables import TABLES

    return tuple((framework, family) for framework, rows in TABLES for family in rows)


@lru_cache(maxsize=1)
def _index() -> tuple[tuple[str, int], ...]:
    """Return the families' places in ``tables()`` by words that must stand in the message."""
    return tuple(
        (needle, place) for place, (_, family) in enumerate(tables()) for needle in family.needles
    )


def _candidates(text: str) -> list[tuple[str, Family]]:
    """Return the families whose words stand in a message, in the order of trial."""
    folded = " ".join(text.lower().split())
    places = {place for needle, place in _index() if needle in folded}
    rows = tables()
    return [rows[place] for place in sorted(places)[:_MAX_CANDIDATES]]


def _fits(family: Family, class_name: str, site: str) -> bool:
    if family.classes and class_name not in family.classes:
        return False
    return not family.where or family.where in site


def _site(cause: Cause) -> str:
    """Return the raise site's file, with slashes, and its function."""
    if not cause.frames:
        return ""
    frame = cause.frames[-1]
    return f"{frame.file}:{frame.function}".replace("\\", "/")


def _text(cause: Cause) -> str:
    text = "\n".join((cause.message, *cause.notes))
    if len(text) > _HEAD + _TAIL:
        text = text[:_HEAD] + "\n" + text[-_TAIL:]
    return _NOISE.sub("", text)


def _ordered(found: list[tuple[int, Fact]]) -> tuple[Fact, ...]:
    """Return facts in the order of the message, each once."""
    found.sort(key=lambda item: item[0])
    return tuple(dict.fromkeys(fact for _, fact in found[:_MAX_FACTS]))
