"""The words of the text retrieval: sub-words of identifiers, strings, comments and numbers."""

from __future__ import annotations

import re

# Words of the grammar that read like English stop words; they would only lengthen documents.
_GRAMMAR_WORDS = "and as def elif else for from if import in is not or return with"
_GRAMMAR = frozenset(_GRAMMAR_WORDS.split())
_TOKEN = re.compile(r"\n|[^\W\d_]\w*|_\w+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_SUBWORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+|[^\W\dA-Za-z_]+")
_LONGEST = 80

_memo: dict[str, tuple[str, ...]] = {}
_MEMO_LIMIT = 400_000


def split_terms(text: str) -> tuple[str, ...]:
    """Return the lower-case sub-words of a text in order, with repetitions.

    ``camelCase``, ``snake_case`` and ``HTTPServer2`` are taken apart; numbers stay whole
    (``1e-3``). Queries and documents must both come through here.
    """
    terms: list[str] = []
    for token in _TOKEN.findall(text):
        if token != "\n":
            terms.extend(subwords(token))
    return tuple(terms)


def terms_by_line(text: str) -> tuple[list[str], list[int]]:
    """Return the terms of a text and, at index n, how many of them stand before line n + 1."""
    terms: list[str] = []
    starts = [0]
    memo = _memo
    extend = terms.extend
    for token in _TOKEN.findall(text):
        if token == "\n":
            starts.append(len(terms))
            continue
        known = memo.get(token)
        extend(subwords(token) if known is None else known)
    starts.append(len(terms))
    return terms, starts


def subwords(word: str) -> tuple[str, ...]:
    """Return the lower-case parts of one identifier or number; nothing for words of the grammar."""
    known = _memo.get(word)
    if known is not None:
        return known
    parts = _split(word)
    if len(_memo) < _MEMO_LIMIT:
        _memo[word] = parts
    return parts


_shared: dict[str, str] = {}


def share(term: str) -> str:
    """Return the one copy of a term that all documents point to."""
    if len(_shared) >= _MEMO_LIMIT:
        return term
    return _shared.setdefault(term, term)


def _split(word: str) -> tuple[str, ...]:
    if word in _GRAMMAR or len(word) > _LONGEST:
        return ()
    if word[0].isdigit():
        return (share(word.lower()),)
    if word.islower() and word.isalpha():
        return (share(word),)
    return tuple(share(part.lower()) for part in _SUBWORD.findall(word))
