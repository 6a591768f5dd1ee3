"""The words of the text retrieval: sub-words of identifiers, strings, comments and numbers."""

from __future__ import annotations

import re
from functools import lru_cache

# Words of the grammar that read like English stop words; they would only lengthen documents.
_GRAMMAR_WORDS = "and as def elif else for from if import in is not or return with"
_GRAMMAR = frozenset(_GRAMMAR_WORDS.split())
_TOKEN = re.compile(r"[^\W\d]\w*|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_TOKEN_OR_NEWLINE = re.compile(rf"\n|{_TOKEN.pattern}")
_SUBWORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+")
# Case tells words apart in ASCII only; elsewhere digits and underscores do.
_FOREIGN_SUBWORD = re.compile(r"[^\W\d_]+|\d+")
_LONGEST = 80


def split_terms(text: str) -> tuple[str, ...]:
    """Return the lower-case sub-words of a text in order, with repetitions.

    ``camelCase``, ``snake_case`` and ``HTTPServer2`` are taken apart; numbers stay whole
    (``1e-3``). Queries and documents must both come through here.
    """
    terms: list[str] = []
    for token in _TOKEN.findall(text):
        terms.extend(subwords(token))
    return tuple(terms)


@lru_cache(maxsize=1 << 14)
def subwords(word: str) -> tuple[str, ...]:
    """Return the lower-case parts of one identifier or number; nothing for words of the grammar."""
    if word in _GRAMMAR or len(word) > _LONGEST:
        return ()
    if word[0].isdigit() or (word.islower() and word.isalpha()):
        return (word.lower(),)
    parts = _SUBWORD if word.isascii() else _FOREIGN_SUBWORD
    return tuple(part.lower() for part in parts.findall(word))


class Vocabulary:
    """The terms of a workspace, numbered: a document is then a row of small integers."""

    _REMEMBERED = 1 << 16

    def __init__(self, terms: list[str] | None = None) -> None:
        self.terms = terms if terms is not None else []
        self._numbers = {term: number for number, term in enumerate(self.terms)}
        self._words: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str) -> tuple[list[int], list[int]]:
        """Return the numbers of a text's terms and, at n, how many stand before line n + 1."""
        numbers: list[int] = []
        starts = [0]
        words, extend, look_up = self._words, numbers.extend, self._look_up
        for token in _TOKEN_OR_NEWLINE.findall(text):
            if token == "\n":
                starts.append(len(numbers))
                continue
            known = words.get(token)
            extend(look_up(token) if known is None else known)
        starts.append(len(numbers))
        return numbers, starts

    def _look_up(self, word: str) -> tuple[int, ...]:
        numbers = tuple(self._number(term) for term in subwords(word))
        # Names that occur once would only fill the memory; the frequent ones come early.
        if len(self._words) < self._REMEMBERED:
            self._words[word] = numbers
        return numbers

    def _number(self, term: str) -> int:
        number = self._numbers.get(term)
        if number is None:
            number = self._numbers[term] = len(self.terms)
            self.terms.append(term)
        return number
