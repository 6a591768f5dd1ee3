"""BRTracer: files in segments, and the stack traces of the report.

Wong, Xiong, Zhang, Hao, Zhang, Mei: "Boosting bug-report-oriented fault localization with
segmentation and stack-trace analysis", ICSME 2014.

    score(f) = (1 - a) * N(g(f) * max over segments s of f of cos(q, s)) + a * N(SimiScore(f))
               + BoostScore(f),  a = 0.2

A segment holds 800 terms. g is rVSM's length function of the file with steepness 50, so that only
the shortest files lose; BoostScore is 1 / rank for the files of a stack, 0.1 beyond the tenth and
for files that those import.
"""

from __future__ import annotations

import numpy as np

from dl_bug_lsp.retrieval import scoring
from dl_bug_lsp.retrieval.corpus import Corpus, Floats
from dl_bug_lsp.retrieval.files import segment_documents
from dl_bug_lsp.techniques.composition import Composition
from dl_bug_lsp.techniques.scores import Subject, normal, similar_score, stack_score

SIMILAR_SHARE = 0.2
STEEPNESS = 50.0


def segment_score(subject: Subject) -> Floats:
    """Return the best segment's cosine of each file times the file's length score."""
    segments = [segment_documents(subject.workspace, file) for file in subject.files]
    corpus = Corpus([segment for row in segments for segment in row])
    cosines = scoring.cosines(corpus, subject.text)
    best = subject.zeros()
    owners = np.repeat(np.arange(len(segments)), [len(row) for row in segments])
    np.maximum.at(best, owners, cosines)
    return best * scoring.length_scores(subject.corpus.lengths, STEEPNESS)


def file_scores(subject: Subject) -> Floats:
    """Return BRTracer's score of each file."""
    text, similar = normal(segment_score(subject)), normal(similar_score(subject))
    return (1 - SIMILAR_SHARE) * text + SIMILAR_SHARE * similar + stack_score(subject)


BRTRACER = Composition("brtracer", "Wong et al., ICSME 2014", file_scores)
