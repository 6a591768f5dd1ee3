"""The blocks of files: functions, classes and the rest, each with the lines that are its own."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dl_bug_lsp.evidence.reports.documents import code_of
from dl_bug_lsp.evidence.reports.outlines import Definition
from dl_bug_lsp.evidence.reports.report_context import ReportContext

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_SETS = re.compile(r"\s*(?:(?:self|cls)\.)?([^\W\d]\w*)\s*(?::[^=]{1,80})?=(?!=)")
OUTSIDE = -1


@dataclass(frozen=True, slots=True)
class Block:
    """A function, a class, or the rest of a file (no name, the whole file as its lines).

    ``row`` is its file's, ``passage`` its row among the passages of all functions, -1 for others;
    ``words`` counts the identifiers and words on its own lines, those of no block inside it;
    ``sets`` are the variables and attributes that these lines begin with and give a value.
    """

    row: int
    passage: int
    definition: Definition
    words: Mapping[str, int]
    sets: frozenset[str]

    @property
    def name(self) -> str:
        """The last part of its dotted name."""
        return self.definition.name.rpartition(".")[2]

    @property
    def owner(self) -> str:
        """The last part of the name of what it stands in."""
        return self.definition.name.rpartition(".")[0].rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class _Layout:
    """``owners`` tells for each line (1-based; index 0 unused) which definition it is of."""

    definitions: tuple[Definition, ...]
    owners: tuple[int, ...]
    words: tuple[Mapping[str, int], ...]
    sets: tuple[frozenset[str], ...]


class FileBlocks:
    """The blocks of one file, in order, the rest last; ``first`` is the index of the first one."""

    def __init__(self, scene: ReportContext, row: int, first: int, passages_before: int) -> None:
        source, file = scene.sources[row], scene.files[row]
        layout = scene.workspace.derived_unindexed(
            "reports.blocks", file, lambda: _layout(scene, row)
        )
        passages = {(d.name, d.line): passages_before + n for n, d in enumerate(source.functions)}
        rest = Definition("", 1, 1, source.lines, False)
        self.first = first
        self.blocks = [
            Block(row, -1 if d.is_class else passages.get((d.name, d.line), -1), d, words, sets)
            for d, words, sets in zip(
                (*layout.definitions, rest), layout.words, layout.sets, strict=True
            )
        ]
        self._owners = layout.owners

    def at(self, line: int) -> int | None:
        """Return the index of the block that a 1-based line is of, None outside the file."""
        if not 0 < line < len(self._owners):
            return None
        own = self._owners[line]
        return self.first + (own if own != OUTSIDE else len(self.blocks) - 1)


def _layout(scene: ReportContext, row: int) -> _Layout:
    source = scene.sources[row]
    lines = code_of(scene.workspace, scene.files[row]).split("\n")
    found = sorted((*source.functions, *source.classes), key=lambda d: (d.first, -d.end_line))
    owners = [OUTSIDE] * (len(lines) + 1)
    for index, d in enumerate(found):
        end = min(d.end_line, len(lines))
        owners[d.first : end + 1] = [index] * (end + 1 - d.first)
    words: list[Counter[str]] = [Counter() for _ in range(len(found) + 1)]
    sets: list[set[str]] = [set() for _ in words]
    for number, text in enumerate(lines, 1):
        words[owners[number]].update(_IDENTIFIER.findall(text))
        name = set_by(text)
        if name is not None:
            sets[owners[number]].add(name)
    return _Layout(tuple(found), tuple(owners), tuple(words), tuple(map(frozenset, sets)))


def set_by(text: str) -> str | None:
    """Return the variable or attribute of ``self`` that a line begins with and gives a value."""
    found = _SETS.match(text)
    return found[1] if found is not None else None


class Rarity:
    """How rare an identifier is among blocks, from 0 (unknown, or in all) to 1; idf as in BM25."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._count = len(blocks)
        self._frequency: Counter[str] = Counter()
        for block in blocks:
            self._frequency.update(block.words.keys())

    def of(self, name: str) -> float:
        """Return an identifier's idf over the greatest one that these blocks allow."""
        frequency = self._frequency[name]
        if not frequency:
            return 0.0
        idf = math.log1p((self._count - frequency + 0.5) / (frequency + 0.5))
        return idf / math.log1p(self._count)
