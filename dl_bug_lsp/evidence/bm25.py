"""Text retrieval: BM25 of the message over functions and config entries.

Robertson et al., "Okapi at TREC-3" (1994), with the floor on the weights of frequent terms that
rank-bm25's BM25Okapi has. The terms of a file are counted once, as long as it stays as it is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.words import HELD_FILES, parts_of
from dl_bug_lsp.workspace import Workspace

MAX_DOCUMENTS = 4000
BEST = 8
SATURATION = 1.5
LENGTH_SHARE = 0.75
FLOOR = 0.25
"""k1 and b of BM25, and epsilon: the share of the mean weight that a frequent term gets."""


@dataclass(frozen=True, slots=True)
class FileDocuments:
    """The functions or settings of a file as documents.

    ``places`` are their lines and names, ``lengths`` their numbers of terms; ``postings`` say in
    which documents a term stands and how often, terms in the order in which they first come.
    """

    file: str
    places: tuple[tuple[int, str], ...]
    lengths: tuple[int, ...]
    postings: dict[str, tuple[int, ...]]

    def cut(self, most: int) -> FileDocuments:
        """Return the first documents."""
        if len(self.places) <= most:
            return self
        kept = {
            term: tuple(n for pair in _pairs(posting) if pair[0] < most for n in pair)
            for term, posting in self.postings.items()
        }
        postings = {term: posting for term, posting in kept.items() if posting}
        return FileDocuments(self.file, self.places[:most], self.lengths[:most], postings)


def query_of(case: Case) -> list[str]:
    """Return the terms of the failure: its message, and the names of its innermost frames."""
    cause = case.failure.cause
    words = parts_of(case.message[:2000])
    if cause is not None:
        for frame in cause.frames[-3:]:
            words.extend(parts_of(frame.function or ""))
            words.extend(parts_of(frame.source or ""))
    return [w for w in words if len(w) > 2]


def find(case: Case) -> Iterator[Clue]:
    """Yield the functions and config entries whose words are nearest to the failure's."""
    query = query_of(case)
    if not query:
        return
    files: list[FileDocuments] = []
    left = MAX_DOCUMENTS
    for document in _documents(case):
        if not left:
            break
        files.append(document.cut(left))
        left -= len(files[-1].places)
    places = [(f.file, line, name) for f in files for line, name in f.places]
    if not places:
        return
    scores = okapi(files, query)
    best = sorted(range(len(scores)), key=lambda i: (-scores[i], places[i]))[:BEST]
    top = scores[best[0]]
    for i in best:
        if scores[i] > 0 and top > 0:
            file, line, name = places[i]
            why = f"`{name}` shares words with the failure, its message and stack"
            yield Clue("bm25.match", file, line, scores[i] / top, why)


def okapi(files: Sequence[FileDocuments], query: Iterable[str]) -> list[float]:
    """Return the BM25 score of each document of the files, in order."""
    lengths = [length for file in files for length in file.lengths]
    mean = sum(lengths) / len(lengths)
    norms = [SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * n / mean) for n in lengths]
    scores = [0.0] * len(lengths)
    weights: dict[str, float] = {}
    floor: float | None = None
    for term in query:
        found: list[tuple[int, int]] = []
        first = 0
        for file in files:
            if term in file.postings:
                found.extend((first + n, count) for n, count in _pairs(file.postings[term]))
            first += len(file.lengths)
        if not found:
            continue
        if term not in weights:
            weights[term] = _weight(len(found), len(lengths))
            if weights[term] < 0:
                if floor is None:
                    floor = FLOOR * _mean_weight(files, len(lengths))
                weights[term] = floor
        for n, count in found:
            scores[n] += weights[term] * (count * (SATURATION + 1) / (count + norms[n]))
    return scores


def _weight(with_term: int, documents: int) -> float:
    """Return the inverse document frequency of a term; negative for one in most documents."""
    return math.log(documents - with_term + 0.5) - math.log(with_term + 0.5)


def _mean_weight(files: Sequence[FileDocuments], documents: int) -> float:
    counts: dict[str, int] = {}
    for file in files:
        for term, posting in file.postings.items():
            counts[term] = counts.get(term, 0) + len(posting) // 2
    total = 0.0
    for count in counts.values():
        total += _weight(count, documents)
    return total / len(counts)


def _pairs(posting: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    return zip(posting[::2], posting[1::2], strict=True)


def _documents(case: Case) -> Iterator[FileDocuments]:
    workspace = case.workspace
    for kind, make, files in (
        ("bm25.functions", _functions, case.code_files),
        ("bm25.settings", _settings, case.config_files),
    ):
        for file in files:
            checkpoint()
            yield workspace.derived(kind, file, partial(make, workspace, file), HELD_FILES)


def _functions(workspace: Workspace, file: str) -> FileDocuments:
    functions = [f for f in workspace.elements(file).functions if not f.is_class]
    return file_documents(file, [(f.line, f.name, f.terms) for f in functions])


def _settings(workspace: Workspace, file: str) -> FileDocuments:
    entries = [e for e in workspace.config_entries(file) if e.length is None]
    return file_documents(file, [(e.line, e.key, parts_of(f"{e.key} {e.text}")) for e in entries])


def file_documents(file: str, documents: Sequence[tuple[int, str, Sequence[str]]]) -> FileDocuments:
    """Return documents as a file's: the line, name and terms of each."""
    postings: dict[str, list[int]] = {}
    texts = [terms or ("",) for _, _, terms in documents]
    for number, terms in enumerate(texts):
        for term, count in Counter(terms).items():
            postings.setdefault(term, []).extend((number, count))
    return FileDocuments(
        file,
        tuple((line, name) for line, name, _ in documents),
        tuple(map(len, texts)),
        {term: tuple(posting) for term, posting in postings.items()},
    )
