"""Terms of code and prose: identifiers whole and in parts, without stop words, stemmed.

Queries and documents are both prepared here, as in Zhou et al. (ICSE 2012) and Saha et al. (ASE
2013). The stemmer is Porter's ("An algorithm for suffix stripping", Program 14(3), 1980). Stop
words are English function words and Python's keywords.
"""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Iterable

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


_SEQUENCES = re.compile("v+c+")
_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize",
    "abli": "able", "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous",
    "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al", "iveness": "ive",
    "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
_STEP_3 = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
_STEP_4 = {
    "al": "", "ance": "", "ence": "", "er": "", "ic": "", "able": "", "ible": "", "ant": "",
    "ement": "", "ment": "", "ent": "", "ion": "", "ou": "", "ism": "", "ate": "", "iti": "",
    "ous": "", "ive": "", "ize": "",
}  # fmt: skip
_LONGEST = max(map(len, _STEP_2))


def stem(word: str) -> str:
    """Return the stem of a lower-case word; words with other letters than a to z stay."""
    if len(word) <= 2 or not (word.isascii() and word.isalpha()):
        return word
    word = _step_1(word)
    word = _replaced(word, _STEP_2, 0)
    word = _replaced(word, _STEP_3, 0)
    word = _replaced(word, _STEP_4, 1)
    return _step_5(word)


def _shape(stem: str) -> str:
    """Return the stem's letters as v (vowel) and c (consonant); y after a consonant is a vowel."""
    shape = ""
    for letter in stem:
        vowel = letter in "aeiou" or (letter == "y" and shape[-1:] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(stem: str) -> int:
    """Return m of the paper: how often consonants follow vowels."""
    return len(_SEQUENCES.findall(_shape(stem)))


def _doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _short_end(word: str) -> bool:
    """Whether a word ends consonant, vowel, consonant, the last not w, x or y (``*o``)."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _step_1(word: str) -> str:
    """Take off plurals, ``-ed``, ``-ing``, and a final ``y``."""
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if word.endswith("eed"):
        if _measure(word[:-3]) > 0:
            word = word[:-1]
    else:
        for suffix in ("ed", "ing"):
            if word.endswith(suffix) and "v" in _shape(word[: -len(suffix)]):
                word = _tidied(word[: -len(suffix)])
                break
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    return word


def _tidied(word: str) -> str:
    """Return what ``-ed`` or ``-ing`` left with its ``e`` again or its consonant single."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _doubled(word) and word[-1] not in "lsz":
        return word[:-1]
    if _measure(word) == 1 and _short_end(word):
        return word + "e"
    return word


def _replaced(word: str, endings: dict[str, str], least: int) -> str:
    """Replace the longest known ending where the measure before it is above ``least``."""
    for length in range(min(_LONGEST, len(word)), 0, -1):
        ending = word[-length:]
        if ending in endings:
            rest = word[:-length]
            allowed = ending != "ion" or rest.endswith(("s", "t"))
            return rest + endings[ending] if allowed and _measure(rest) > least else word
    return word


def _step_5(word: str) -> str:
    """Take off a final ``e`` and make a final ``ll`` single."""
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _short_end(rest)):
            word = rest
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word


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
