"""The vector space model of fault localization: TF-IDF cosine, revised for long files (rVSM)."""

from __future__ import annotations

import numpy as np

from dl_bug_lsp.retrieval.corpus import Corpus, Document, Floats


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
    wanted = logarithmic(query.counts.astype(np.float64)) * idf
    rows, columns, counts = corpus.postings(query.numbers)
    parts = logarithmic(counts) * idf[columns] * wanted[columns]
    dots = np.bincount(rows, weights=parts, minlength=len(corpus))
    lengths = norms(corpus) * float(np.sqrt((wanted * wanted).sum()))
    return np.divide(dots, lengths, out=np.zeros(len(corpus)), where=lengths > 0)


def rvsm(corpus: Corpus, query: Document, steepness: float = 1.0) -> Floats:
    """Return rVSMScore(q, d) = g(number of terms of d) * cos(q, d) (Zhou et al., ICSE 2012)."""
    return length_scores(corpus.lengths, steepness) * cosines(corpus, query)
