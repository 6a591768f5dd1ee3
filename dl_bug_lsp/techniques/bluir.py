"""BLUiR: structured retrieval, eight BM25 scores of two report fields and four file fields.

Saha, Lease, Khurshid, Perry: "Improving bug localization using structured information retrieval",
ASE 2013.

    score(f) = sum over q in {summary, description}
               sum over d in {classes, methods, variables, comments of f} of BM25(q, d)

Each field of all files is a corpus of its own, so a term's idf differs by field. BM25 is Okapi's
with k1 = 1.5 and b = 0.75 (see `retrieval.scoring`); the paper took Indri's TF-IDF variant of it.
"""

from __future__ import annotations

from dl_bug_lsp.techniques.composition import Composition
from dl_bug_lsp.techniques.scores import structure_score

BLUIR = Composition("bluir", "Saha et al., ASE 2013", structure_score)
