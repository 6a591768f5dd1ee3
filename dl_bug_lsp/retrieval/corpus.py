"""Documents as term counts, and the corpus of them: all that rVSM and BM25 ask, in arrays.

Terms are numbered by one vocabulary for the whole process, so that a file's document can be kept
and used in every version and corpus that holds the file.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dl_bug_lsp.retrieval.terms import count_terms, words_of

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

_NUMBERS: dict[str, int] = {}
_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class Document:
    """Term numbers and how often each stands; ``length`` is the number of terms, repeats too."""

    numbers: Ints
    counts: Ints
    length: int

    def tokens(self) -> list[int]:
        """Return the term numbers with their repetitions, as rank-bm25 wants a document."""
        tokens: list[int] = np.repeat(self.numbers, self.counts).tolist()
        return tokens


def numbers_of_terms(terms: Iterable[str]) -> tuple[int, ...]:
    """Return the numbers of terms, new ones for those never met."""
    with _LOCK:
        return tuple([_NUMBERS.setdefault(term, len(_NUMBERS)) for term in terms])


def document(counts: Mapping[str, int]) -> Document:
    """Make a document of term counts."""
    with _LOCK:
        numbers = [_NUMBERS.setdefault(term, len(_NUMBERS)) for term in counts]
    values = np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
    return Document(np.array(numbers, dtype=np.int64), values, int(values.sum()))


def document_of(text: str) -> Document:
    """Make a document of a text."""
    return document(count_terms(words_of(text)))


def document_of_words(words: Iterable[str]) -> Document:
    """Make a document of identifiers and words, each expanded to its terms."""
    return document(count_terms(words))


class Corpus:
    """Documents to be ranked; rows keep the order in which they were given."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = tuple(documents)
        self.lengths: Floats = np.array([d.length for d in self.documents], dtype=np.float64)
        sizes = [len(d.numbers) for d in self.documents]
        self.rows: Ints = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
        self.numbers = _joined([d.numbers for d in self.documents])
        self.counts = _joined([d.counts for d in self.documents])

    def __len__(self) -> int:
        return len(self.documents)

    @cached_property
    def document_frequencies(self) -> Ints:
        """In how many documents each term stands, by its number."""
        return np.bincount(self.numbers).astype(np.int64)

    def frequencies_of(self, terms: Ints) -> Floats:
        """Return in how many documents each of these terms stands (0 for unknown ones)."""
        known = self.document_frequencies
        if not len(known):
            return np.zeros(len(terms))
        inside = terms < len(known)
        return np.where(inside, known[np.where(inside, terms, 0)], 0).astype(np.float64)

    def postings(self, terms: Ints) -> tuple[Ints, Ints, Floats]:
        """Return (row, index into ``terms``, count) of every occurrence of distinct ``terms``."""
        size = 1 + max(int(terms.max(initial=-1)), int(self.numbers.max(initial=-1)))
        place = np.full(size, -1, dtype=np.int64)
        place[terms] = np.arange(len(terms))
        columns = place[self.numbers]
        hits = columns >= 0
        return self.rows[hits], columns[hits], self.counts[hits].astype(np.float64)

    def matrix(self) -> Any:
        """Return the counts as a sparse SciPy matrix, documents by term numbers (needs SciPy)."""
        from scipy.sparse import csr_matrix

        starts = np.concatenate([[0], np.cumsum([len(d.numbers) for d in self.documents])])
        width = 1 + int(self.numbers.max(initial=-1))
        shape = (len(self.documents), max(1, width))
        return csr_matrix((self.counts.astype(np.float64), self.numbers, starts), shape=shape)


def _joined(arrays: list[Ints]) -> Ints:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.int64)
