"""BugLocator: text similarity revised for file length, and similar fixed reports.

Zhou, Zhang, Lo: "Where should the bugs be fixed? More accurate information retrieval-based bug
localization based on bug reports", ICSE 2012.

    score(f) = (1 - a) * N(rVSMScore(f)) + a * N(SimiScore(f)),  a = 0.2

with N the scores from 0 (least) to 1 (most), and
    rVSMScore(q, f) = g(number of terms of f) * cos(q, f),  g(n) = 1 / (1 + e^-N(n)),
    SimiScore(f) = sum over earlier reports S whose fix changed f of cos(q, S) / |files of S|.
Term weights are (1 + ln tf) * ln(documents / df).
"""

from __future__ import annotations

from dl_bug_lsp.retrieval.corpus import Floats
from dl_bug_lsp.techniques.composition import Composition
from dl_bug_lsp.techniques.scores import Subject, normal, similar_score, text_score

SIMILAR_SHARE = 0.2


def file_scores(subject: Subject) -> Floats:
    """Return BugLocator's score of each file."""
    text, similar = normal(text_score(subject)), normal(similar_score(subject))
    return (1 - SIMILAR_SHARE) * text + SIMILAR_SHARE * similar


BUGLOCATOR = Composition("buglocator", "Zhou et al., ICSE 2012", file_scores)
