"""All signals of all sources, one line a source."""

from __future__ import annotations

from dl_bug_lsp.evidence.reports import (
    changes,
    identifiers,
    kinds,
    mentions,
    stacks,
    texts,
)
from dl_bug_lsp.evidence.reports.scene import Scene
from dl_bug_lsp.retrieval.corpus import Floats

SOURCES = (
    texts.find,
    identifiers.find,
    mentions.find,
    stacks.find,
    kinds.find,
    changes.find,
)


def signals_of(scene: Scene) -> dict[str, Floats]:
    """Return every signal by name, an array over the scene's files."""
    found: dict[str, Floats] = {}
    for source in SOURCES:
        found.update(source(scene))
    return found
