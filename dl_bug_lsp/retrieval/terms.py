"""Terms of code and prose: identifiers whole and in parts, without stop words, stemmed.

Queries and documents are both prepared here, as in Zhou et al. (ICSE 2012) and Saha et al. (ASE
2013). The stemmer is Porter's ("An algorithm for suffix stripping", Program 14(3), 1980), in the
form of Snowball. Stop words are English function words and Python's keywords.
"""

from __future__ import annotations

import keyword
import re
import threading
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

import snowballstemmer

LONGEST_WORD = 80
"""Characters; what is longer is data (base64, a hash), not a word."""
_WORD = re.compile(r"[^\W\d]\w*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# Case tells words apart in ASCII only; elsewhere digits and underscores do.
_FOREIGN_PART = re.compile(r"[^\W\d_]+")
_MOST_REMEMBERED = 1 << 18
_PORTER = snowballstemmer.stemmer("porter")
_STEMMING = threading.Lock()


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


@lru_cache(maxsize=_MOST_REMEMBERED)
def stem(word: str) -> str:
    """Return the stem of a lower-case word; words with other letters than a to z stay."""
    if len(word) <= 2 or not (word.isascii() and word.isalpha()):
        return word
    with _STEMMING:  # The stemmer keeps the word that it works on.
        return str(_PORTER.stemWord(word))


_ENGLISH = """
a about above after again all also am an and any are as at be because been before being below
between both but by can cannot could did do does doing don down during each few for from further
had has have having he her here hers him his how i if in into is it its itself just let like me
more most my myself no nor not now of off on once only or other our ours out over own please same
she should so some such than that the their theirs them then there these they this those through
to too under until up us very was we were what when where which while who whom why will with would
you your yours yourself
"""
_PYTHON = {word.lower() for word in (*keyword.kwlist, "self", "cls", "print")}

STOP_WORDS = frozenset(_ENGLISH.split()) | _PYTHON
"""Lower-case words that are no terms."""
