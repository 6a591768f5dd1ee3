"""Terms of reports and code: parts of identifiers, stemmed, and their compounds written as one.

``data_loader``, ``DataLoader`` and the words "data loader" share the compound ``dataload``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from dl_bug_lsp.retrieval.corpus import Ints, numbers_of_terms
from dl_bug_lsp.retrieval.stemming import stem
from dl_bug_lsp.retrieval.terms import terms_of_word, words_of

_MOST_WORDS = 1 << 18
_LONGEST_COMPOUND = 40


class _Numbers(dict[str, tuple[int, ...]]):
    """The term numbers of each word met."""

    def __missing__(self, word: str) -> tuple[int, ...]:
        numbers = numbers_of_terms(compounded(word))
        if len(self) < _MOST_WORDS:
            self[word] = numbers
        return numbers


_NUMBERS = _Numbers()


def compounded(word: str) -> list[str]:
    """Return a word's terms, its whole as a compound."""
    terms = list(terms_of_word(word))
    bare = word.strip("_")
    if len(terms) > 1 and terms[-1] == bare.lower() and ("_" in bare or not bare.islower()):
        terms[-1] = stem(bare.replace("_", "").lower())
    return terms


def term_numbers(word: str) -> tuple[int, ...]:
    """Return the numbers of a word's terms."""
    return _NUMBERS[word]


def numbers_of(lines: Iterable[str]) -> Ints:
    """Return the term numbers of a report's lines, with the compounds of neighbouring words."""
    found = [number for line in lines for number in _of_line(words_of(line))]
    return np.array(found, dtype=np.int64)


def _of_line(words: list[str]) -> Iterator[int]:
    for word in words:
        yield from _NUMBERS[word]
    for left, right in pairwise(words):
        pair = left + right
        if left.isalpha() and right.isalpha() and len(pair) <= _LONGEST_COMPOUND:
            yield from numbers_of_terms((stem(pair.lower()),))
