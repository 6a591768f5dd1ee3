"""What blocks tell of each other's place: after the first of a class, the next say little new."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from dl_bug_lsp.evidence.reports.blocks import Block
from dl_bug_lsp.retrieval.corpus import Floats


def redundancy(blocks: Sequence[Block], scores: Floats) -> dict[str, Floats]:
    """Return ``beside.above``: ln(1 + how many blocks of the same home have a better score).

    The home of a method is its class, that of a class itself, that of other functions what they
    stand in. Who is shown a few places is served best by different ones (Carbonell and Goldstein,
    "The Use of MMR", SIGIR 1998): words and stack that speak for one speak for all of a home.
    """
    above = np.zeros(len(blocks))
    known: Counter[tuple[int, str]] = Counter()
    for index in np.argsort(-np.round(scores, 9), kind="stable").tolist():
        block = blocks[index]
        if block.name:
            name = block.definition.name
            home = (block.row, name if block.definition.is_class else name.rpartition(".")[0])
            above[index] = math.log1p(known[home])
            known[home] += 1
    return {"beside.above": above}
