"""How executed lines lie together: stretches of a file, and blocks that the same runs execute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dl_bug_lsp.spectrum.values import Counts

GAP = 8
"""Executed lines further apart than this are mostly in two functions."""
BLOCK_GAP = 10


@dataclass(frozen=True, slots=True)
class Layout:
    """Where each executed element stands among its neighbours, parallel to the elements.

    ``position`` counts the elements by file and line; ``stretch`` numbers the runs of executed
    lines with gaps of at most `GAP`; ``is_last`` tells the last line of a stretch; ``depth`` is how
    far into its block an element stands, from 0 to below 1. A block is a sequence of lines with the
    same counts: they come one after the other, with no branch between them.
    """

    position: list[int]
    stretch: list[int]
    is_last: list[bool]
    depth: list[float]


def layout(counts: Counts) -> Layout:
    """Return the layout of the elements."""
    size = len(counts)
    order = sorted(range(size), key=lambda i: (counts.elements[i].file, counts.elements[i].line, i))
    position, stretch = [0] * size, [0] * size
    is_last, depth = [True] * size, [0.0] * size
    for place, index in enumerate(order):
        position[index] = place
    for number, members in enumerate(_groups(counts, order, GAP, same_counts=False)):
        for index in members:
            stretch[index] = number
            is_last[index] = index == members[-1]
    for members in _groups(counts, order, BLOCK_GAP, same_counts=True):
        for place, index in enumerate(members):
            depth[index] = place / len(members)
    return Layout(position, stretch, is_last, depth)


def _groups(
    counts: Counts, order: list[int], gap: int, *, same_counts: bool
) -> Iterator[list[int]]:
    """Yield maximal sequences of neighbours in one file, gaps in lines bounded."""
    members: list[int] = []
    for index in order:
        if members:
            before, here = counts.elements[members[-1]], counts.elements[index]
            together = before.file == here.file and here.line - before.line <= gap
            if same_counts:
                last = members[-1]
                together = together and counts.ef[last] == counts.ef[index]
                together = together and counts.ep[last] == counts.ep[index]
            if not together:
                yield members
                members = []
        members.append(index)
    if members:
        yield members
