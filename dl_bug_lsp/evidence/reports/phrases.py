"""Phrases: runs of three words, by which a printed message is recognised in the code's strings."""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORD = re.compile(r"[A-Za-z]+")
# What a template fills in: f-string and str.format fields, percent formats.
_FILLED = re.compile(r"\{[^{}\n]{0,200}\}|%\(\w+\)[-#0 +.\d]*[a-z]|%[-.\d]*[sdrfigxc]|\\n")


def phrases_of(text: str, is_template: bool = False) -> Iterator[str]:
    """Yield each run of three lower-case words; a piece of two words whole.

    Of a template only the pieces between the filled-in values count.
    """
    for piece in _FILLED.split(text) if is_template else (text,):
        words = [word.lower() for word in _WORD.findall(piece)]
        if len(words) == 2:
            yield " ".join(words)
        for at in range(len(words) - 2):
            yield " ".join(words[at : at + 3])
