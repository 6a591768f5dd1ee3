"""Text retrieval: BM25 of the message over functions and config entries.

Robertson et al., "Okapi at TREC-3" (1994), as rank-bm25's BM25Okapi implements it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dl_bug_lsp.evidence.values import Case, Clue
from dl_bug_lsp.evidence.words import parts_of

MAX_DOCUMENTS = 4000
BEST = 8


def query_of(case: Case) -> list[str]:
    """Return the terms of the failure: its message, and the names of its innermost frames."""
    cause = case.failure.cause
    words = parts_of(case.message[:2000])
    if cause is not None:
        for frame in cause.frames[-3:]:
            words.extend(parts_of(frame.function or ""))
            words.extend(parts_of(frame.source or ""))
    return [w for w in words if len(w) > 2]


def find(case: Case) -> Iterator[Clue]:
    """Yield the functions and config entries whose words are nearest to the failure's."""
    query = query_of(case)
    if not query:
        return
    places: list[tuple[str, int, str]] = []
    documents: list[Sequence[str]] = []
    for file in case.code_files:
        for element in case.workspace.elements(file).functions:
            if not element.is_class and len(documents) < MAX_DOCUMENTS:
                places.append((file, element.line, element.name))
                documents.append(element.terms)
    for entry in case.config_entries:
        if entry.length is None and len(documents) < MAX_DOCUMENTS:
            places.append((entry.file, entry.line, entry.key))
            documents.append(parts_of(f"{entry.key} {entry.text}"))
    documents = [d or ("",) for d in documents]
    if not documents:
        return
    from rank_bm25 import BM25Okapi

    scores = BM25Okapi(documents).get_scores(query)
    best = sorted(range(len(scores)), key=lambda i: (-scores[i], places[i]))[:BEST]
    top = scores[best[0]]
    for i in best:
        if scores[i] > 0 and top > 0:
            file, line, name = places[i]
            why = f"the words of `{name}` are near to those of the message"
            yield Clue("bm25.match", file, line, float(scores[i] / top), why)
