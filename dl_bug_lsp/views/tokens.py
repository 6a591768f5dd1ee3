"""How many tokens of a language model a text takes: a deterministic estimate, no tokenizer."""

from __future__ import annotations

import re

_PIECE = re.compile(r"[^\W\d_]+|\d+|_(?![^\W\d_])|[^\S\n]+|\n|[^\w\s]+")
_LETTERS, _DIGITS, _SIGNS = 7, 3, 3
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[A-Z]")


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text takes.

    Words count one token for every seven letters of each part of a compound (``camelCase``),
    numbers one for three digits, signs one for three, indents and line breaks one; letters outside
    of ASCII one each. For the contexts of recorded failures the encodings cl100k and o200k count
    less (docs/assistants.md).
    """
    count = 0
    for match in _PIECE.finditer(text):
        piece = match[0]
        first = piece[0]
        if first == "\n":
            count += 1
        elif first.isspace():
            count += len(piece) > 1
        elif not piece.isascii():
            count += len(piece)
        elif first.isdigit():
            count += -(-len(piece) // _DIGITS)
        elif first.isalpha():
            count += sum(-(-len(part) // _LETTERS) for part in _PARTS.findall(piece))
        elif first == "_":
            count += 1
        else:
            count += -(-len(piece) // _SIGNS)
    return count
