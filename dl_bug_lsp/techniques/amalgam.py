"""AmaLgam: version history, similar reports and structure.

Wang, Lo: "Version history, similar report, and structure: putting them together for improved bug
localization", ICPC 2014.

    score(f) = (1 - b) * ((1 - a) * N(structure(f)) + a * N(SimiScore(f))) + b * N(history(f)),
    history(f) = sum over bug-fixing commits of the last k days that touched f
                 of 1 / (1 + e^(12 (1 - (k - t) / k))),  t the commit's age in days

with a = 0.2, b = 0.3, k = 15; structure is BLUiR's score. The time now is the report's, where the
workspace's history does not reach as far, only what it holds is counted.
"""

from __future__ import annotations

from dl_bug_lsp.retrieval.corpus import Floats
from dl_bug_lsp.techniques.composition import Composition
from dl_bug_lsp.techniques.scores import (
    Subject,
    history_score,
    normal,
    similar_score,
    structure_score,
)

SIMILAR_SHARE = 0.2
HISTORY_SHARE = 0.3


def file_scores(subject: Subject) -> Floats:
    """Return AmaLgam's score of each file."""
    structure, similar = normal(structure_score(subject)), normal(similar_score(subject))
    reports = (1 - SIMILAR_SHARE) * structure + SIMILAR_SHARE * similar
    return (1 - HISTORY_SHARE) * reports + HISTORY_SHARE * normal(history_score(subject))


AMALGAM = Composition("amalgam", "Wang and Lo, ICPC 2014", file_scores)
