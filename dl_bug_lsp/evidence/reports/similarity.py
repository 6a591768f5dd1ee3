"""BM25 and cosine of many short queries over one corpus, of which only the queries' terms matter.

BM25 with the idf ln(1 + (n - df + 0.5) / (df + 0.5)), never negative: Robertson and Zaragoza, "The
Probabilistic Relevance Framework", 2009, as Lucene computes it. The queries' terms have weights.
"""

from __future__ import annotations

import numpy as np

from dl_bug_lsp.evidence.reports.documents import Terms
from dl_bug_lsp.retrieval.corpus import Floats, Ints

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
        found = _sums(self.row, asked[self.column], self.rows)
        return found / (total or 1.0)

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
