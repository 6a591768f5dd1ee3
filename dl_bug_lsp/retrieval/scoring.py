"""Scores of documents against a query: BM25, and rVSM, the vector space model for long files.

BM25 is what rank-bm25's ``BM25Okapi`` defines (Robertson et al., "Okapi at TREC-3", 1994), over
corpora of every size. One formula, three ways to it that give the same scores: rank-bm25 for few
documents, a sparse SciPy matrix for many, postings where SciPy is not installed. rVSM is the
cosine of TF-IDF vectors times a score of the length (Zhou et al., ICSE 2012).
"""

from __future__ import annotations

import numpy as np

from dl_bug_lsp.retrieval.documents import Corpus, Document, Floats


# ---------------------------------------------------------------------- rVSM
def logarithmic(counts: Floats) -> Floats:
    """Return the tf of Zhou et al., ICSE 2012: 1 + ln(count)."""
    return 1.0 + np.log(counts)


def inverse_frequencies(frequencies: Floats, documents: int) -> Floats:
    """Return ln(documents / frequency), 0 for terms that stand nowhere."""
    inside = frequencies > 0
    ratios = np.divide(documents, frequencies, out=np.ones(len(frequencies)), where=inside)
    return np.log(ratios)


def length_scores(lengths: Floats, steepness: float = 1.0) -> Floats:
    """Return g of rVSM: 1 / (1 + exp(-steepness * N)), N the length from 0 (least) to 1 (most).

    Zhou et al. (ICSE 2012) take steepness 1; Wong et al. (ICSME 2014) call it beta and take 50.
    """
    if not len(lengths):
        return lengths
    least, most = float(lengths.min()), float(lengths.max())
    normal = (lengths - least) / (most - least) if most > least else np.zeros(len(lengths))
    return 1.0 / (1.0 + np.exp(-steepness * normal))


def norms(corpus: Corpus) -> Floats:
    """Return the Euclidean length of each document's TF-IDF vector."""
    if not len(corpus.numbers):
        return np.zeros(len(corpus))
    idf = inverse_frequencies(corpus.document_frequencies.astype(np.float64), len(corpus))
    weights = logarithmic(corpus.counts.astype(np.float64)) * idf[corpus.numbers]
    return np.sqrt(np.bincount(corpus.rows, weights=weights * weights, minlength=len(corpus)))


def cosines(corpus: Corpus, query: Document) -> Floats:
    """Return the cosine of the query's and each document's TF-IDF vector; idf of the corpus."""
    if not len(corpus) or not len(query.numbers):
        return np.zeros(len(corpus))
    idf = inverse_frequencies(corpus.frequencies_of(query.numbers), len(corpus))
    query_weights = logarithmic(query.counts.astype(np.float64)) * idf
    rows, columns, counts = corpus.postings(query.numbers)
    parts = logarithmic(counts) * idf[columns] * query_weights[columns]
    dots = np.bincount(rows, weights=parts, minlength=len(corpus))
    lengths = norms(corpus) * float(np.sqrt((query_weights * query_weights).sum()))
    return np.divide(dots, lengths, out=np.zeros(len(corpus)), where=lengths > 0)


def rvsm(corpus: Corpus, query: Document, steepness: float = 1.0) -> Floats:
    """Return rVSMScore(q, d) = g(number of terms of d) * cos(q, d) (Zhou et al., ICSE 2012)."""
    return length_scores(corpus.lengths, steepness) * cosines(corpus, query)


# ---------------------------------------------------------------------- BM25
K1 = 1.5
B = 0.75
EPSILON = 0.25
FEW = 10_000
"""Documents times query terms up to which rank-bm25's loops in Python cost next to nothing."""


def okapi_idf(frequencies: Floats, documents: int, average: float) -> Floats:
    """Return ln((n - df + 0.5) / (df + 0.5)); where negative, EPSILON times the ``average``."""
    raw = np.log(documents - frequencies + 0.5) - np.log(frequencies + 0.5)
    return np.where(raw < 0, EPSILON * average, raw)


def _average_idf(corpus: Corpus) -> float:
    """Return the mean of all terms' idf before negative ones are replaced, as rank-bm25 does."""
    known = corpus.document_frequencies[corpus.document_frequencies > 0].astype(np.float64)
    if not len(known):
        return 0.0
    return float(np.mean(np.log(len(corpus) - known + 0.5) - np.log(known + 0.5)))


def _saturated(counts: Floats, lengths: Floats, average: float) -> Floats:
    return counts * (K1 + 1) / (counts + K1 * (1 - B + B * lengths / average))


def bm25(corpus: Corpus, query: Document) -> Floats:
    """Return each document's BM25 for the query, a term as often as it stands there; numpy only."""
    if not corpus.lengths.sum() or not query.length:
        return np.zeros(len(corpus))
    frequencies = corpus.frequencies_of(query.numbers)
    idf = okapi_idf(frequencies, len(corpus), _average_idf(corpus)) * query.counts
    rows, columns, counts = corpus.postings(query.numbers)
    average = float(corpus.lengths.mean())
    parts = idf[columns] * _saturated(counts, corpus.lengths[rows], average)
    return np.bincount(rows, weights=parts, minlength=len(corpus)).astype(np.float64)


def bm25_by_library(corpus: Corpus, query: Document) -> Floats:
    """Return the same from rank-bm25."""
    if not corpus.lengths.sum() or not query.length:
        return np.zeros(len(corpus))
    from rank_bm25 import BM25Okapi

    index = BM25Okapi([d.tokens() for d in corpus.documents], k1=K1, b=B, epsilon=EPSILON)
    return np.asarray(index.get_scores(query.tokens()), dtype=np.float64)


def bm25_by_matrix(corpus: Corpus, query: Document) -> Floats:
    """Return the same from a sparse matrix of weights times the query's vector (needs SciPy)."""
    if not corpus.lengths.sum() or not query.length:
        return np.zeros(len(corpus))
    matrix = corpus.matrix()
    known = query.numbers < matrix.shape[1]
    terms, repeats = query.numbers[known], query.counts[known]
    frequencies = corpus.frequencies_of(terms)
    vector = np.zeros(matrix.shape[1])
    vector[terms] = okapi_idf(frequencies, len(corpus), _average_idf(corpus)) * repeats
    average = float(corpus.lengths.mean())
    matrix.data = _saturated(matrix.data, corpus.lengths[corpus.rows], average)
    return np.asarray(matrix @ vector, dtype=np.float64)


def bm25_scores(corpus: Corpus, query: Document) -> Floats:
    """Return BM25 by the way that suits the corpus's size."""
    if len(corpus) * query.length <= FEW:
        return bm25_by_library(corpus, query)
    try:
        return bm25_by_matrix(corpus, query)
    except ImportError:
        return bm25(corpus, query)
