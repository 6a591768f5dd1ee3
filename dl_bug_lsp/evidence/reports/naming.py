"""How a report names blocks: functions, their classes, and identifiers that stand in them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from dl_bug_lsp.evidence.reports.blocks import Block, Rarity
from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.retrieval.corpus import Floats
from dl_bug_lsp.retrieval.stemming import stem
from dl_bug_lsp.retrieval.terms import terms_of

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_DOTTED = re.compile(r"\b([^\W\d]\w*)\.([^\W\d]\w*)")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_RAREST = ("prose", "code")


def named(scene: ReportContext, blocks: Sequence[Block]) -> dict[str, Floats]:
    """Return where the report names a block.

    ``named.code``: a code sample does, less the more blocks share the name; ``named.qualified``:
    title or prose name it together with its class; ``owner.title``: the title names its class;
    ``words.``: the share of the words of both names that the title, or the messages, have.
    """
    names = ("named.code", "named.qualified", "owner.title", "words.title", "words.messages")
    found = {name: np.zeros(len(blocks)) for name in names}
    homonyms = Counter(block.name for block in blocks)
    code = strong_names(scene)["code"]
    entitled = set(_IDENTIFIER.findall(scene.report.title))
    spoken = entitled.union(_IDENTIFIER.findall("\n".join(scene.prose)))
    said = {part: set(terms_of(" ".join(scene.text(part)))) for part in ("title", "messages")}
    pairs = _pairs(scene)
    for index, block in enumerate(blocks):
        name, owner = block.name, block.owner
        if not name:
            continue
        if name in code and (not name.startswith("__") or name in spoken):
            found["named.code"][index] = 1 / math.sqrt(homonyms[name])
        found["owner.title"][index] = float(owner in entitled)
        found["named.qualified"][index] = float((_joint(owner), name) in pairs)
        words = _words(name) | _words(owner)
        for part, terms in said.items():
            found[f"words.{part}"][index] = len(words & terms) / len(words) if words else 0.0
    return found


def used(scene: ReportContext, blocks: Sequence[Block], rarity: Rarity) -> dict[str, Floats]:
    """Return how many identifiers (by idf) of code samples a block has, and its rarest ones."""
    count = len(blocks)
    found = {name: np.zeros(count) for name in ("used.code", *(f"rarest.{p}" for p in _RAREST))}
    strong = strong_names(scene)
    for part in _RAREST:
        names = strong[part]
        rare = {name: rarity.of(name) for name in sorted(names)}
        total = math.fsum(rare.values()) or 1.0
        for index, block in enumerate(blocks):
            hits = [value for name, value in rare.items() if name in block.words]
            if hits:
                found[f"rarest.{part}"][index] = max(hits)
            if hits and part == "code":
                found["used.code"][index] = math.fsum(hits) / total
    return found


def strong_names(scene: ReportContext) -> dict[str, set[str]]:
    """Return, by part of the report, the names that look like code there."""
    return {
        part: {name for name, is_strong in names.items() if is_strong}
        for part, names in scene.identifiers.items()
    }


def _pairs(scene: ReportContext) -> set[tuple[str, str]]:
    """Return ``owner.name`` pairs of title and prose; an instance is often named like its class."""
    text = "\n".join((scene.report.title, *scene.prose))
    return {(_joint(owner), name) for owner, name in _DOTTED.findall(text)}


def _joint(name: str) -> str:
    return name.lower().replace("_", "")


def _words(name: str) -> set[str]:
    return {stem(word.lower()) for word in _WORD.findall(name)}
