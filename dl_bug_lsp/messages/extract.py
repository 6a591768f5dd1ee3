"""Reads a cause's message by all tables of families, and by its form where none knows it."""

from __future__ import annotations

import re
from functools import lru_cache

from dl_bug_lsp.messages.families import Family
from dl_bug_lsp.messages.generic import generic_facts
from dl_bug_lsp.messages.values import Fact, MessageFacts
from dl_bug_lsp.tracebacks.values import Cause

_ANSI = re.compile(r"\x1b\[[0-9;]{0,20}m")
_HEAD, _TAIL = 24_000, 8_000
_MAX_FACTS = 400


def extract_facts(cause: Cause) -> MessageFacts:
    """Return the typed facts of an exception's message; of its notes (PEP 678) too.

    Of a message longer than 32,000 characters its beginning and its end are read. Never raises.
    """
    text = _text(cause)
    folded = " ".join(text.lower().split())
    site = f"{cause.frames[-1].file}:{cause.frames[-1].function}" if cause.frames else ""
    name: str | None = None
    part_name: str | None = None
    found: list[tuple[int, Fact]] = []
    for framework, family in tables():
        if family.part is False and name is not None:
            continue
        facts = _read(family, cause.class_name, site, text, folded)
        if facts is None:
            continue
        found += facts
        if family.part:
            part_name = part_name or f"{framework}.{family.name}"
        else:
            name = f"{framework}.{family.name}"
    name = name or part_name
    if not found:
        found = generic_facts(text)
    return MessageFacts(name, _ordered(found))


@lru_cache(maxsize=1)
def tables() -> tuple[tuple[str, Family], ...]:
    """Return all families in the order of trial, each with its framework."""
    from dl_bug_lsp.messages.tables import TABLES

    return tuple((framework, family) for framework, rows in TABLES for family in rows)


def _read(
    family: Family, class_name: str, site: str, text: str, folded: str
) -> list[tuple[int, Fact]] | None:
    if not any(needle in folded for needle in family.needles):
        return None
    if family.classes and class_name not in family.classes:
        return None
    if family.where and family.where not in site:
        return None
    return family.read(text)


def _text(cause: Cause) -> str:
    text = "\n".join((cause.message, *cause.notes))
    if len(text) > _HEAD + _TAIL:
        text = text[:_HEAD] + "\n" + text[-_TAIL:]
    return _ANSI.sub("", text)


def _ordered(found: list[tuple[int, Fact]]) -> tuple[Fact, ...]:
    """Return facts in the order of the message, each once."""
    found.sort(key=lambda item: item[0])
    return tuple(dict.fromkeys(fact for _, fact in found[:_MAX_FACTS]))
