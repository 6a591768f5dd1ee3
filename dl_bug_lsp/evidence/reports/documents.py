"""Outlines and terms of files, and their similarity to queries.

Terms are stemmed parts of identifiers and their compounds: ``data_loader``, ``DataLoader`` and
the words "data loader" share the compound ``dataload``. Documents are made once for each content
of a file. BM25 has the idf ln(1 + (n - df + 0.5) / (df + 0.5)), which is never negative
(Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, as in Lucene); the terms
of queries have weights.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate, chain, pairwise

import numpy as np

from dl_bug_lsp.retrieval import (
    Floats,
    Ints,
    code_of,
    numbers_of_terms,
    stem,
    terms_of_word,
    words_of,
)
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.elements import parse

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
    """What the ranking of bug reports keeps of a file; see `Outline` for its parts.

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


_TOKEN = re.compile(r"\n|[^\W\d]\w*")
_BLOCKS = ("cases", "finalbody", "orelse", "handlers", "body")


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or class by its dotted name; ``first`` is its first decorator's line (1-based)."""

    name: str
    first: int
    line: int
    end_line: int
    is_class: bool


@dataclass(slots=True)
class Outline:
    """A file's content as the ranking of bug reports needs it; lines are 1-based.

    ``words`` are the identifiers and words in order, ``starts[n]`` how many stand before line
    n + 1; ``names`` maps each defined name to the kinds of its definitions (``c`` class, ``m``
    method, ``f`` function, ``p`` parameter, ``a`` attribute, ``v`` variable); ``imports`` are pairs
    of module and imported name (empty for ``import module``).
    """

    words: list[str]
    starts: list[int]
    definitions: list[Definition] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    imports: list[tuple[str, str]] = field(default_factory=list)

    @property
    def counts(self) -> Counter[str]:
        """How often each identifier or word stands in the file."""
        return Counter(self.words)


def outline_of(text: str) -> Outline:
    """Read a file; one that cannot be parsed still has words."""
    words: list[str] = []
    starts = [0]
    for token in _TOKEN.findall(text):
        if token == "\n":
            starts.append(len(words))
        else:
            words.append(token)
    starts.append(len(words))
    outline = Outline(words, starts)
    tree = parse(text).tree
    if tree is not None:
        _visit(tree, outline)
    return outline


def _visit(tree: ast.Module, outline: Outline) -> None:
    stack: list[tuple[ast.AST, str, str]] = [(node, "", "") for node in reversed(tree.body)]
    while stack:
        node, outer, inside = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = outer + node.name
            inside = _define(node, name, inside, outline)
            outer = name + "."
        elif isinstance(node, ast.Import):
            outline.imports.extend((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            outline.imports.extend((module, alias.name) for alias in node.names)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            _assign(node, inside, outline)
        for block in _BLOCKS:
            held = getattr(node, block, None)
            if isinstance(held, list):
                stack.extend((child, outer, inside) for child in reversed(held))


def _define(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
    name: str,
    inside: str,
    outline: Outline,
) -> str:
    """Note a definition and its parameters; return what its body stands in."""
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    is_class = isinstance(node, ast.ClassDef)
    end = node.end_lineno or node.lineno
    outline.definitions.append(Definition(name, first, node.lineno, end, is_class))
    if isinstance(node, ast.ClassDef):
        _name(node.name, "c", outline)
        return "c"
    _name(node.name, "m" if inside == "c" else "f", outline)
    given = node.args
    for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
        if argument is not None and argument.arg not in {"self", "cls"}:
            _name(argument.arg, "p", outline)
    return "f"


def _assign(node: ast.Assign | ast.AnnAssign, inside: str, outline: Outline) -> None:
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        for item in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
            if isinstance(item, ast.Attribute):
                _name(item.attr, "a", outline)
            elif isinstance(item, ast.Name) and inside != "f":
                _name(item.id, "v", outline)


def _name(name: str, kind: str, outline: Outline) -> None:
    kinds = outline.names.get(name, "")
    if kind not in kinds:
        outline.names[name] = kinds + kind


_MOST_WORDS = 1 << 18
_LONGEST_COMPOUND = 40


class _Numbers(dict[str, tuple[int, ...]]):
    """The term numbers of each word met."""

    def __missing__(self, word: str) -> tuple[int, ...]:
        numbers = numbers_of_terms(compounded(word))
        if len(self) < _MOST_WORDS:
            self[word] = numbers
        return numbers


_NUMBERS = _Numbers()


def compounded(word: str) -> list[str]:
    """Return a word's terms, its whole as a compound."""
    terms = list(terms_of_word(word))
    bare = word.strip("_")
    if len(terms) > 1 and terms[-1] == bare.lower() and ("_" in bare or not bare.islower()):
        terms[-1] = stem(bare.replace("_", "").lower())
    return terms


def term_numbers(word: str) -> tuple[int, ...]:
    """Return the numbers of a word's terms."""
    return _NUMBERS[word]


def numbers_of(lines: Iterable[str]) -> Ints:
    """Return the term numbers of a report's lines, with the compounds of neighbouring words."""
    numbers = [number for line in lines for number in _of_line(words_of(line))]
    return np.array(numbers, dtype=np.int64)


def _of_line(words: list[str]) -> Iterator[int]:
    for word in words:
        yield from _NUMBERS[word]
    for left, right in pairwise(words):
        pair = left + right
        if left.isalpha() and right.isalpha() and len(pair) <= _LONGEST_COMPOUND:
            yield from numbers_of_terms((stem(pair.lower()),))


K1 = 1.2


class Query:
    """The distinct terms of all texts of a report, each with a column; queries weigh columns."""

    def __init__(self, numbers: Ints) -> None:
        self.numbers = np.unique(numbers)
        self.size = len(self.numbers)
        top = int(self.numbers[-1]) + 1 if self.size else 1
        self._column = np.full(top, -1, dtype=np.int64)
        self._column[self.numbers] = np.arange(self.size)

    def columns(self, numbers: Ints) -> Ints:
        """Return each number's column, -1 for terms that no text of the report has."""
        if not self.size:
            return np.full(len(numbers), -1, dtype=np.int64)
        inside = np.minimum(numbers, len(self._column) - 1)
        return np.where(numbers < len(self._column), self._column[inside], -1)

    def weights(self, numbers: Ints) -> Floats:
        """Count how often each column's term stands among numbers."""
        columns = self.columns(numbers)
        return np.bincount(columns[columns >= 0], minlength=self.size).astype(np.float64)


class Matches:
    """Where the query's terms stand in a corpus."""

    def __init__(self, terms: Terms, query: Query, b: float = 0.75) -> None:
        self.rows = terms.rows
        self.size = query.size
        columns = query.columns(terms.number)
        hit = columns >= 0
        self.row = terms.row[hit]
        self.column = columns[hit]
        self.count = terms.count[hit].astype(np.float64)
        self.lengths = np.bincount(terms.row, weights=terms.count, minlength=terms.rows)
        self.frequency = np.bincount(self.column, minlength=query.size)
        n, df = terms.rows, self.frequency
        self.idf: Floats = np.where(df > 0, np.log1p((n - df + 0.5) / (df + 0.5)), 0.0)
        mean = float(self.lengths.mean()) if terms.rows else 1.0
        norm = K1 * (1 - b + b * self.lengths / (mean or 1.0))
        saturated = self.count * (K1 + 1) / (self.count + norm[self.row])
        self._bm25 = saturated * self.idf[self.column]
        self._terms = terms

    def bm25(self, weights: Floats) -> Floats:
        """Return each document's BM25 for a query of weighted columns."""
        parts = self._bm25 * weights[self.column]
        return _sums(self.row, parts, self.rows)

    def coverage(self, weights: Floats) -> Floats:
        """Return the share of the query's terms that a document has, by idf."""
        asked = self.idf * (weights > 0)
        total = float(asked.sum())
        covered = _sums(self.row, asked[self.column], self.rows)
        return covered / (total or 1.0)

    def cosine(self, weights: Floats) -> Floats:
        """Return the TF-IDF cosine with tf 1 + ln(count) and idf ln(n / df) (Zhou et al. 2012)."""
        idf = np.where(self.frequency > 0, np.log(self.rows / np.maximum(self.frequency, 1)), 0.0)
        asked = np.where(weights > 0, (1 + np.log(np.maximum(weights, 1))) * idf, 0.0)
        parts = (1 + np.log(self.count)) * idf[self.column] * asked[self.column]
        dots = _sums(self.row, parts, self.rows)
        lengths = self._norms() * float(np.sqrt((asked * asked).sum()))
        return np.divide(dots, lengths, out=np.zeros(self.rows), where=lengths > 0)

    def _norms(self) -> Floats:
        terms = self._terms
        frequency = np.bincount(terms.number)
        idf = np.log(terms.rows / np.maximum(frequency, 1))
        weights = (1 + np.log(terms.count)) * idf[terms.number]
        return np.sqrt(np.bincount(terms.row, weights=weights * weights, minlength=terms.rows))


def _sums(row: Ints, parts: Floats, rows: int) -> Floats:
    return np.bincount(row, weights=parts, minlength=rows).astype(np.float64)
