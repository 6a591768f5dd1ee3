"""How near two words are, by their letters and by the parts of identifiers."""

from __future__ import annotations

import difflib
import re
import zlib
from collections.abc import Mapping
from functools import lru_cache

MIN_RATIO = 0.74
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_UNKNOWN = -1
_LETTERS = 38
_LETTER_BITS = (1 << _LETTERS) - 1
_BEGIN = 3
"""Two parts that are the same word begin with the same three letters."""


def near_texts(word: str, sketches: Mapping[str, int]) -> dict[str, float]:
    """Return the texts that are near to a word, each with its `nearness`.

    ``sketches`` holds the `sketch` of each text: most are told to be far by these alone.
    """
    own, size = sketch(word), len(word)
    found: dict[str, float] = {}
    for text, other in sketches.items():
        if own != _UNKNOWN != other and not (own & other) >> _LETTERS:
            here, there = own & _LETTER_BITS, other & _LETTER_BITS
            shared = min(
                size - (here & ~there).bit_count(), len(text) - (there & ~here).bit_count()
            )
            if 2.0 * shared < MIN_RATIO * (size + len(text)) - _ROUNDING:
                continue
        near = nearness(word, text)
        if near > 0:
            found[text] = near
    return found


_ROUNDING = 1e-6


def sketch(text: str) -> int:
    """Return which letters a word has and how its parts begin, as bits that may stand for many.

    Words without a common bit of parts have no common part; a letter whose bit the other lacks is
    not in the other.
    """
    if not text.isascii():
        return _UNKNOWN
    bits = 0
    for letter in set(text.lower()):
        code = ord(letter)
        if 97 <= code <= 122:
            bits |= 1 << (code - 97)
        elif 48 <= code <= 57:
            bits |= 1 << (code - 48 + 26)
        else:
            bits |= 1 << (36 + (letter == "_"))
    for part in parts_of(text):
        bits |= 1 << (_LETTERS + zlib.crc32(part[:_BEGIN].encode()) % 61)
    return bits


@lru_cache(maxsize=1 << 14)
def nearness(a: str, b: str) -> float:
    """Return how near two different words are (0 to 1), by letters and by parts; 0 if not."""
    if a == b or not a or not b or len(a) > 80 or len(b) > 80:
        return 0.0
    low, other = a.lower(), b.lower()
    if low == other:
        return 0.95
    shorter, longer = sorted((len(a), len(b)))
    if shorter >= 3 and 2 * shorter / (shorter + longer) >= MIN_RATIO:
        matcher = difflib.SequenceMatcher(None, low, other, autojunk=False)
        if matcher.quick_ratio() >= MIN_RATIO and matcher.ratio() >= MIN_RATIO:
            return matcher.ratio()
    parts, others = parts_of(a), parts_of(b)
    if not parts or not others:
        return 0.0
    shared = sum(any(_same_part(p, q) for q in others) for p in parts)
    whole = shared / max(len(parts), len(others))
    if whole >= 0.5:
        return 0.6 * whole + 0.3
    contained = shared == min(len(parts), len(others)) and shorter >= 4
    return 0.3 + 0.3 * whole if contained else 0.0


def _same_part(a: str, b: str) -> bool:
    """Whether two parts are the same word, one perhaps a shortened form or plural of the other."""
    if a == b:
        return True
    short, long = sorted((a, b), key=len)
    return len(short) >= 3 and len(short) > len(long) / 3 and long.startswith(short)


def parts_of(word: str) -> list[str]:
    """Split an identifier, key or path into its lower-case parts."""
    return [part.lower() for part in PARTS.findall(word)]
