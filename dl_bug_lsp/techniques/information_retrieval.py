"""Five published techniques of information retrieval, each a formula over `scores`.

N scales scores from 0 (least) to 1 (most). SimiScore(f) is the sum over earlier reports S whose fix
changed f of cos(q, S) / |files of S|; term weights are (1 + ln tf) * ln(documents / df).
"""

from __future__ import annotations

import numpy as np

from dl_bug_lsp.retrieval import Corpus, Floats, cosines, length_scores, segment_documents
from dl_bug_lsp.techniques.scores import (
    Composition,
    Files,
    RankedFunction,
    Subject,
    commit_score,
    functions_of_best,
    history_score,
    normal,
    ranked,
    similar_score,
    stack_score,
    structure_score,
    structured_vsm_score,
    text_score,
)

SIMILAR_SHARE = 0.2
"""a of the formulas: the weight of SimiScore."""
STEEPNESS = 50.0
"""Of rVSM's length function in BRTracer."""
HISTORY_SHARE = 0.3
"""b of AmaLgam."""
COMMIT_SHARE = 0.2
"""b of BLIA."""
METHOD_COMMIT_SHARE = 0.3
"""c of BLIA."""


def _with_similar(score: Floats, subject: Subject) -> Floats:
    similar = normal(similar_score(subject))
    return (1 - SIMILAR_SHARE) * normal(score) + SIMILAR_SHARE * similar


# ---------------------------------------------------------------------- BugLocator
def buglocator_scores(subject: Subject) -> Floats:
    """Return BugLocator's score of each file: text similarity revised for file length.

    Zhou, Zhang, Lo: "Where should the bugs be fixed? More accurate information retrieval-based bug
    localization based on bug reports", ICSE 2012.

        score(f) = (1 - a) * N(rVSMScore(f)) + a * N(SimiScore(f)),  a = 0.2
        rVSMScore(q, f) = g(number of terms of f) * cos(q, f),  g(n) = 1 / (1 + e^-N(n))
    """
    return _with_similar(text_score(subject), subject)


BUGLOCATOR = Composition("buglocator", "Zhou et al., ICSE 2012", buglocator_scores)


# ---------------------------------------------------------------------- BLUiR
BLUIR = Composition("bluir", "Saha et al., ASE 2013", structure_score)
"""Structured retrieval: eight BM25 scores of two report fields and four file fields.

Saha, Lease, Khurshid, Perry: "Improving bug localization using structured information retrieval",
ASE 2013.

    score(f) = sum over q in {summary, description}
               sum over d in {classes, methods, variables, comments of f} of BM25(q, d)

Each field of all files is a corpus of its own, so a term's idf differs by field. BM25 is Okapi's
with k1 = 1.5 and b = 0.75 (see `retrieval.scoring`); the paper took Indri's TF-IDF variant of it.
"""


# ---------------------------------------------------------------------- BRTracer
def segment_score(subject: Subject) -> Floats:
    """Return the best segment's cosine of each file times the file's length score."""
    segments = [segment_documents(subject.workspace, file) for file in subject.files]
    corpus = Corpus([segment for row in segments for segment in row])
    best = subject.zeros()
    owners = np.repeat(np.arange(len(segments)), [len(row) for row in segments])
    np.maximum.at(best, owners, cosines(corpus, subject.text))
    return best * length_scores(subject.corpus.lengths, STEEPNESS)


def brtracer_scores(subject: Subject) -> Floats:
    """Return BRTracer's score of each file: segments, and the stack traces of the report.

    Wong, Xiong, Zhang, Hao, Zhang, Mei: "Boosting bug-report-oriented fault localization with
    segmentation and stack-trace analysis", ICSME 2014.

        score(f) = (1 - a) * N(g(f) * max over segments s of f of cos(q, s)) + a * N(SimiScore(f))
                   + BoostScore(f),  a = 0.2

    A segment holds 800 terms. g is rVSM's length function of the file with steepness 50, so that
    only the shortest files lose; BoostScore is 1 / rank for the files of a stack, 0.1 beyond the
    tenth and for files that those import.
    """
    return _with_similar(segment_score(subject), subject) + stack_score(subject)


BRTRACER = Composition("brtracer", "Wong et al., ICSME 2014", brtracer_scores)


# ---------------------------------------------------------------------- AmaLgam
def amalgam_scores(subject: Subject) -> Floats:
    """Return AmaLgam's score of each file: version history, similar reports and structure.

    Wang, Lo: "Version history, similar report, and structure: putting them together for improved
    bug localization", ICPC 2014.

        score(f) = (1 - b) * ((1 - a) * N(structure(f)) + a * N(SimiScore(f))) + b * N(history(f)),
        history(f) = sum over bug-fixing commits of the last k days that touched f
                     of 1 / (1 + e^(12 (1 - (k - t) / k))),  t the commit's age in days

    with a = 0.2, b = 0.3, k = 15; structure is BLUiR's score. The time now is the report's; where
    the workspace's history does not reach as far, only what it holds is counted.
    """
    reports = _with_similar(structure_score(subject), subject)
    return (1 - HISTORY_SHARE) * reports + HISTORY_SHARE * normal(history_score(subject))


AMALGAM = Composition("amalgam", "Wang and Lo, ICPC 2014", amalgam_scores)


# ---------------------------------------------------------------------- BLIA
def blia_scores(subject: Subject) -> Floats:
    """Return BLIA's score of each file: structure, similar reports, stack traces, commit logs.

    Youm, Ahn, Lee: "Improved bug localization based on code change histories and bug reports",
    Information and Software Technology 82, 2017.

        score(f) = (1 - b) * ((1 - a) * N(structured(f)) + a * N(SimiScore(f)) + StackScore(f))
                   + b * N(commits(f)),
        commits(f) = sum over bug fixes of the last 120 days that touched f
                     of recency * cos(message, q)

    with a = 0.2, b = 0.2. ``structured`` is the sum of the eight TF-IDF cosines of report and file
    fields.
    """
    reports = _with_similar(structured_vsm_score(subject), subject) + stack_score(subject)
    return (1 - COMMIT_SHARE) * reports + COMMIT_SHARE * normal(commit_score(subject))


def blia_function_scores(subject: Subject, files: Files) -> tuple[RankedFunction, ...]:
    """Return the methods of the best files by BLIA's score of methods.

        score(m) = (1 - c) * N(cos(q, m)) + c * N(commits(file of m)),  c = 0.3

    The paper reads which methods a commit changed from its diff; here a method has its file's
    commits.
    """
    functions = functions_of_best(subject, files)
    commits = normal(commit_score(subject))
    ages = [float(commits[subject.rows[place.file]]) for place in functions.places]
    text = normal(cosines(functions.corpus, subject.text))
    scores = [
        (1 - METHOD_COMMIT_SHARE) * float(near) + METHOD_COMMIT_SHARE * age
        for near, age in zip(text, ages, strict=True)
    ]
    return ranked(functions, scores)


BLIA = Composition("blia", "Youm et al., IST 2017", blia_scores, blia_function_scores)
