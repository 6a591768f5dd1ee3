"""BLIA: structured similarity, similar reports, stack traces and commit logs; files and methods.

Youm, Ahn, Lee: "Improved bug localization based on code change histories and bug reports",
Information and Software Technology 82, 2017.

    score(f) = (1 - b) * ((1 - a) * N(structured(f)) + a * N(SimiScore(f)) + StackScore(f))
               + b * N(commits(f)),
    commits(f) = sum over bug fixes of the last 120 days that touched f of recency * cos(message, q)
    score(m) = (1 - c) * N(cos(q, m)) + c * N(commits(file of m))  for methods m of the best files

with a = 0.2, b = 0.2, c = 0.3. ``structured`` is the sum of the eight TF-IDF cosines of report and
file fields. The paper reads which methods a commit changed from its diff; here a method has its
file's commits.
"""

from __future__ import annotations

from dl_bug_lsp.retrieval.corpus import Floats
from dl_bug_lsp.retrieval.scoring import cosines
from dl_bug_lsp.techniques.composition import Composition, Files
from dl_bug_lsp.techniques.functions import functions_of_best, ranked
from dl_bug_lsp.techniques.scores import (
    Subject,
    commit_score,
    normal,
    similar_score,
    stack_score,
    structured_vsm_score,
)
from dl_bug_lsp.techniques.values import RankedFunction

SIMILAR_SHARE = 0.2
COMMIT_SHARE = 0.2
METHOD_COMMIT_SHARE = 0.3


def file_scores(subject: Subject) -> Floats:
    """Return BLIA's score of each file."""
    structured, similar = normal(structured_vsm_score(subject)), normal(similar_score(subject))
    reports = (1 - SIMILAR_SHARE) * structured + SIMILAR_SHARE * similar + stack_score(subject)
    return (1 - COMMIT_SHARE) * reports + COMMIT_SHARE * normal(commit_score(subject))


def function_scores(subject: Subject, files: Files) -> tuple[RankedFunction, ...]:
    """Return the methods of the best files by BLIA's score of methods."""
    functions = functions_of_best(subject, files)
    commits = normal(commit_score(subject))
    ages = [float(commits[subject.rows[place.file]]) for place in functions.places]
    text = normal(cosines(functions.corpus, subject.text))
    scores = [
        (1 - METHOD_COMMIT_SHARE) * float(near) + METHOD_COMMIT_SHARE * age
        for near, age in zip(text, ages, strict=True)
    ]
    return ranked(functions, scores)


BLIA = Composition("blia", "Youm et al., IST 2017", file_scores, function_scores)
