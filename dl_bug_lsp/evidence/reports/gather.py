"""All signals of all sources, one line a source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from dl_bug_lsp.evidence.reports import (
    changes,
    file_kinds,
    identifiers,
    mentions,
    modules,
    stacks,
    texts,
)
from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.evidence.reports.shortlist import rows_to_parse
from dl_bug_lsp.retrieval.corpus import Floats

Source: TypeAlias = Callable[[ReportContext], dict[str, Floats]]

OF_PARTS = (texts.find, identifiers.find, modules.find)
"""What parsing the files adds to."""
OF_WHOLES = (mentions.find, stacks.find, file_kinds.find, changes.find)


def signals_of(scene: ReportContext) -> dict[str, Floats]:
    """Return every signal by name, an array over the scene's files.

    Of many files those are parsed that their mere words and names speak for.
    """
    found = _gathered(scene, (*OF_PARTS, *OF_WHOLES))
    if scene.are_many:
        scene.parse(rows_to_parse(found))
        found |= _gathered(scene, OF_PARTS)
    return found


def _gathered(scene: ReportContext, sources: Sequence[Source]) -> dict[str, Floats]:
    found: dict[str, Floats] = {}
    for source in sources:
        found.update(source(scene))
    return found
