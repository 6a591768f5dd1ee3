"""Summaries of source files: what a file imports and speaks of, from its beginning, unparsed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from dl_bug_lsp.workspace.stores import Store

_BEGINNING = 1 << 18
_PART = re.compile(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_WORD = re.compile(rb"\w")


@dataclass(frozen=True, slots=True)
class SourceSummary:
    """A file's size in bytes and which of the words and top modules asked for it has."""

    size: int
    words: frozenset[str]
    imports: frozenset[str]


def summarize(
    store: Store, file: str, words: frozenset[str], modules: Iterable[str]
) -> SourceSummary:
    """Look for import statements of modules, and for sub-words where there is one.

    Comments and strings count too: this is to choose what to read, at a hundredth of the cost.
    """
    content = store.content(file, _BEGINNING)
    data, size = content.data, content.size
    if data is None:
        return SourceSummary(0, frozenset(), frozenset())
    imports = frozenset(m for m in sorted(modules) if _imports(data, m.encode()))
    if not imports:
        return SourceSummary(size, frozenset(), imports)
    parts = {part.lower() for part in set(_PART.findall(data))}
    return SourceSummary(size, frozenset(w for w in words if w.encode() in parts), imports)


def _imports(data: bytes, module: bytes) -> bool:
    for word in (b"import ", b"from "):
        at = data.find(word + module)
        while at >= 0:
            end = at + len(word) + len(module)
            if not _WORD.match(data, end):
                return True
            at = data.find(word + module, end)
    return False
