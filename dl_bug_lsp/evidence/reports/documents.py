"""The documents of one file, made once for each content: the file, its fields, its functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np

from dl_bug_lsp.evidence.reports.outlines import Definition, Outline, outline_of
from dl_bug_lsp.evidence.reports.terms import term_numbers
from dl_bug_lsp.retrieval.corpus import Floats, Ints
from dl_bug_lsp.workspace import Workspace

_CLASS, _CALLABLE, _VALUE = "c", "mf", "apv"


@dataclass(frozen=True, slots=True)
class Terms:
    """Documents as (row, term number, count) triples, sorted by row; ``rows`` is their number."""

    row: Ints
    number: Ints
    count: Ints
    rows: int


@dataclass(frozen=True, slots=True)
class SourceFile:
    """What the ranking of bug reports keeps of a file; see `outlines.Outline` for its parts.

    ``functions`` are the definitions that are no ``classes``, in the order of ``passages``' rows;
    ``uses`` counts each identifier and word.
    """

    whole: Terms
    fields: Mapping[str, Terms]
    passages: Terms
    functions: tuple[Definition, ...]
    classes: tuple[Definition, ...]
    names: Mapping[str, str]
    uses: Mapping[str, int]
    imports: tuple[tuple[str, str], ...]
    lines: int


def source_file(workspace: Workspace, file: str) -> SourceFile:
    """Return what is kept of a file, remembered by its content."""
    return workspace.derived_unindexed("reports.source", file, lambda: _read(workspace, file))


def _read(workspace: Workspace, file: str) -> SourceFile:
    return source_of(outline_of(code_of(workspace, file)))


def code_of(workspace: Workspace, file: str) -> str:
    """Return a file's text; of a notebook, that of its code cells."""
    cells = workspace.cells(file)
    if cells:
        return "\n".join(line for cell in cells for line in cell.lines)
    return workspace.text(file) or ""


def source_of(outline: Outline) -> SourceFile:
    """Make a file's documents of its outline."""
    named: dict[str, list[str]] = {field: [] for field in ("classes", "functions", "variables")}
    for name, kinds in outline.names.items():
        if _CLASS in kinds:
            named["classes"].append(name)
        if any(kind in kinds for kind in _CALLABLE):
            named["functions"].append(name)
        if any(kind in kinds for kind in _VALUE):
            named["variables"].append(name)
    fields = {field: one_document(names) for field, names in named.items()}
    functions = tuple(d for d in outline.definitions if not d.is_class)
    return SourceFile(
        one_document(outline.words),
        fields,
        _passages(outline, functions),
        functions,
        tuple(d for d in outline.definitions if d.is_class),
        outline.names,
        outline.counts,
        tuple(outline.imports),
        len(outline.starts) - 1,
    )


def one_document(words: Iterable[str]) -> Terms:
    """Make the terms of one document from its words."""
    counts: Counter[int] = Counter()
    for word, times in Counter(words).items():
        for number in term_numbers(word):
            counts[number] += times
    numbers = np.fromiter(counts.keys(), dtype=np.int64, count=len(counts))
    values = np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
    return Terms(np.zeros(len(counts), dtype=np.int64), numbers, values, 1)


def _passages(outline: Outline, functions: tuple[Definition, ...]) -> Terms:
    """Make one document a function."""
    if not functions:
        return joined([])
    numbers, before = _numbered(outline.words)
    last = len(outline.starts) - 1
    firsts = [before[outline.starts[min(f.first - 1, last)]] for f in functions]
    ends = [before[outline.starts[min(f.end_line, last)]] for f in functions]
    spans = [numbers[first:end] for first, end in zip(firsts, ends, strict=True)]
    rows = np.repeat(np.arange(len(spans), dtype=np.int64), [len(span) for span in spans])
    width = int(numbers.max(initial=0)) + 1
    keys, counts = np.unique(rows * width + np.concatenate(spans), return_counts=True)
    return Terms(keys // width, keys % width, counts, len(spans))


def _numbered(words: list[str]) -> tuple[Ints, list[int]]:
    """Return the words' term numbers in a row, and how many stand before each word."""
    parts = list(map(term_numbers, words))
    numbers = np.fromiter(chain.from_iterable(parts), dtype=np.int64)
    return numbers, [0, *accumulate(map(len, parts))]


def joined(parts: list[Terms]) -> Terms:
    """Put the documents of many parts below each other."""
    if not parts:
        empty = np.zeros(0, dtype=np.int64)
        return Terms(empty, empty, empty, 0)
    before = np.cumsum([0] + [part.rows for part in parts])
    row = np.concatenate([part.row + start for part, start in zip(parts, before, strict=False)])
    number = np.concatenate([part.number for part in parts])
    count = np.concatenate([part.count for part in parts])
    return Terms(row, number, count, int(before[-1]))


def zeros(rows: int) -> Floats:
    """Return a signal of 0 everywhere."""
    return np.zeros(rows)
