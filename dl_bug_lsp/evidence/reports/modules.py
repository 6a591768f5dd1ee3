"""Files whose module, or a name defined in it, the report's title gives as a dotted path."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.retrieval.corpus import Floats

_DOTTED = re.compile(r"\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_FEW_DEFINERS = 3
_SHORTEST = 4


def find(scene: ReportContext) -> dict[str, Floats]:
    """Return how much of a dotted path leads to a file, and shares of those that define its end."""
    found = scene.zeros()
    rows, ambiguous = modules_of(scene.files)
    for dotted in sorted(set(_DOTTED.findall(scene.report.title))):
        parts = dotted.split(".")
        row, depth = _longest(rows, ambiguous, parts)
        if row is not None:
            found[row] += depth / len(parts)
            scene.note("modules.title", row, f"the report names `{dotted}`")
        for part in parts[-2:]:
            owners = scene.defined.get(part, {})
            if len(part) >= _SHORTEST and 0 < len(owners) <= _FEW_DEFINERS:
                for owner in owners:
                    found[owner] += 0.5 / len(owners)
                    scene.note("modules.title", owner, f"the report names `{dotted}`")
    return {"modules.title": found}


def modules_of(files: Sequence[str]) -> tuple[dict[str, int], set[str]]:
    """Name each file's row by every end of its dotted path, and tell which names several bear.

    Of several files the one with the shortest rest in front has the name.
    """
    rows: dict[str, int] = {}
    depth: dict[str, int] = {}
    ambiguous: set[str] = set()
    for row, file in enumerate(files):
        parts = file.rpartition(".")[0].split("/")
        if parts[-1] == "__init__":
            parts = parts[:-1]
        for start in range(len(parts)):
            name = ".".join(parts[start:])
            if name in depth:
                ambiguous.add(name)
            if start < depth.get(name, 1 << 30):
                depth[name], rows[name] = start, row
    return rows, ambiguous


def _longest(
    rows: dict[str, int], ambiguous: set[str], parts: Sequence[str]
) -> tuple[int | None, int]:
    """Return the row of the longest beginning that names one module, with its length."""
    for end in range(len(parts), 1, -1):
        for start in range(min(2, end - 1)):
            name = ".".join(parts[start:end])
            if name in rows and name not in ambiguous:
                return rows[name], end
    return None, 0
