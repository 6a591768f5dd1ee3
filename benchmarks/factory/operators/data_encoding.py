"""A file of data holds bytes that are no UTF-8, or begins with a mark of byte order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factory.operators._studies import ISLAM_2019, ZHANG_2020
from factory.operators._text import is_data, some_rows
from factory.values import Edit, Mutation, Operator, Target


def mutate(target: Target) -> Iterator[Mutation]:
    r"""Yield texts with the byte of an accented letter in Latin-1, and with a mark at the start.

    The byte is written as the lone surrogate ``\\udce9``: files are written with the error
    handler ``surrogateescape``.
    """
    if not is_data(target) or not target.text or target.text.startswith("\ufeff"):
        return
    yield Mutation((Edit(target.path, 0, 0, "\ufeff"),), "the file begins with U+FEFF")
    for line, start in some_rows(target)[:2]:
        match = re.search(r"[a-z]{2}", line)
        if match:
            edit = Edit(target.path, start + match.end(), start + match.end(), "\udce9")
            yield Mutation((edit,), "a row holds a byte of Latin-1")


OPERATOR = Operator(
    id="data_encoding",
    title="another encoding",
    source=(f"{ZHANG_2020}: encoding; {ISLAM_2019}: data bug"),
    weight=1.0,
    targets=("data",),
    mutate=mutate,
)
