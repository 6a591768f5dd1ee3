"""The words of the text retrieval: sub-words of identifiers, strings, comments and numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import accumulate, chain, compress

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
        terms.extend(_split(token))
    return tuple(terms)


def _split(word: str) -> tuple[str, ...]:
    """Return the lower-case parts of one identifier or number; nothing for words of the grammar."""
    if word in _GRAMMAR or len(word) > _LONGEST:
        return ()
    if word[0].isdigit() or (word.islower() and word.isalpha()):
        return (word.lower(),)
    parts = _SUBWORD if word.isascii() else _FOREIGN_SUBWORD
    return tuple(part.lower() for part in parts.findall(word))


class Vocabulary:
    """The terms of a workspace, numbered: a document is then a row of small integers."""

    def __init__(self, terms: list[str] | None = None) -> None:
        self.terms = terms if terms is not None else []
        self._numbers = {term: number for number, term in enumerate(self.terms)}
        self._words = _Words(self._number)

    def encode(self, text: str) -> tuple[list[int], list[int]]:
        """Return the numbers of a text's terms and, at n, how many stand before line n + 1."""
        # Every word of every file comes through here: the loops are those of the C library.
        tokens = _TOKEN_OR_NEWLINE.findall(text)
        parts = list(map(self._words.__getitem__, tokens))
        numbers = list(chain.from_iterable(parts))
        before = accumulate(map(len, parts))
        starts = [0, *compress(before, map("\n".__eq__, tokens)), len(numbers)]
        return numbers, starts

    def forget_words(self) -> None:
        """Free what only speeds up the encoding of many files."""
        self._words.clear()

    def _number(self, term: str) -> int:
        number = self._numbers.get(term)
        if number is None:
            number = self._numbers[term] = len(self.terms)
            self.terms.append(term)
        return number


class _Words(dict[str, tuple[int, ...]]):
    """The numbers of the terms of each word met; a line end has none."""

    _MOST = 1 << 18

    def __init__(self, number: Callable[[str], int]) -> None:
        super().__init__()
        self._number = number

    def __missing__(self, word: str) -> tuple[int, ...]:
        numbers = () if word == "\n" else tuple(map(self._number, _split(word)))
        if len(self) < self._MOST:
            self[word] = numbers
        return numbers
