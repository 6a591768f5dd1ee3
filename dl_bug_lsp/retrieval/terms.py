"""Terms of code and prose: identifiers whole and in parts, no stop words, stemmed.

As the literature on information-retrieval-based fault localization prepares its texts (Zhou et
al., ICSE 2012; Saha et al., ASE 2013). Queries and documents both come through here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from dl_bug_lsp.retrieval.stemming import stem
from dl_bug_lsp.retrieval.stop_words import STOP_WORDS

LONGEST_WORD = 80
"""Characters; what is longer is data (base64, a hash), not a word."""
_WORD = re.compile(r"[^\W\d]\w*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# Case tells words apart in ASCII only; elsewhere digits and underscores do.
_FOREIGN_PART = re.compile(r"[^\W\d_]+")
_MOST_REMEMBERED = 1 << 18


def words_of(text: str) -> list[str]:
    """Return the identifiers and words of a text in order, with repetitions, as written."""
    return _WORD.findall(text)


def terms_of_word(word: str) -> tuple[str, ...]:
    """Return the terms of one identifier or word: its parts, then the whole where it has several.

    ``readBatch`` gives ``read``, ``batch``, ``readbatch``; ``running`` gives ``run``; a stop word
    gives nothing.
    """
    return _EXPANSIONS[word]


def _expanded(word: str) -> tuple[str, ...]:
    if len(word) > LONGEST_WORD:
        return ()
    pattern = _PART if word.isascii() else _FOREIGN_PART
    parts = [part.lower() for part in pattern.findall(word)]
    whole = word.lower().strip("_")
    terms = [stem(part) for part in parts if len(part) > 1 and part not in STOP_WORDS]
    if len(parts) > 1 and whole not in STOP_WORDS:
        terms.append(whole)
    return tuple(terms)


class _Expansions(dict[str, tuple[str, ...]]):
    """The terms of each word met: repositories repeat their words a thousand times."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        terms = _expanded(word)
        if len(self) < _MOST_REMEMBERED:
            self[word] = terms
        return terms


_EXPANSIONS = _Expansions()


def terms_of(text: str) -> list[str]:
    """Return the terms of a text in order, with repetitions."""
    return [term for word in words_of(text) for term in _EXPANSIONS[word]]


def count_terms(words: Iterable[str]) -> dict[str, int]:
    """Return how often each term stands in a document of these words, in alphabetical order."""
    counts: dict[str, int] = {}
    for word, count in Counter(words).items():
        for term in _EXPANSIONS[word]:
            counts[term] = counts.get(term, 0) + count
    return dict(sorted(counts.items()))
