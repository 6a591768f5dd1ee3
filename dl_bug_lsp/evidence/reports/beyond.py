"""Where a stack leads beyond its frames: who set what they read, who calls what failed."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from dl_bug_lsp.evidence.reports.blocks import Block, Rarity
from dl_bug_lsp.evidence.reports.frames import BlockFrame, Frames
from dl_bug_lsp.retrieval.corpus import Floats

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_DEPTH = 5


def beyond(frames: Frames, blocks: Sequence[Block], rarity: Rarity) -> dict[str, Floats]:
    """Return how a block that is no frame itself may have brought about what a frame met.

    ``frames.sets``: the rarest name that it gives a value and a frame's statement has, over the
    frame's depth from 1. ``frames.calls_first``: it names the function at the raise site, less the
    more blocks share the name.
    """
    found = {name: np.zeros(len(blocks)) for name in ("frames.sets", "frames.calls_first")}
    if not frames.chain:
        return found
    setters: dict[str, list[int]] = {}
    for index, block in enumerate(blocks):
        if block.name and not block.definition.is_class:
            for name in block.sets:
                setters.setdefault(name, []).append(index)
    sets = found["frames.sets"]
    for depth, frame in _statements(frames):
        for name in _IDENTIFIER.findall(frame.source):
            for index in setters.get(name, ()):
                if index != frame.block:
                    sets[index] = max(sets[index], rarity.of(name) / depth)
    first = frames.chain[0].block
    raising = blocks[first].name
    if raising and not raising.startswith("__"):
        homonyms = Counter(block.name for block in blocks)[raising]
        for index, block in enumerate(blocks):
            if index != first and raising in block.words:
                found["frames.calls_first"][index] = 1 / math.sqrt(homonyms)
    return found


def names_read(frames: Frames) -> dict[str, float]:
    """Return the names in the innermost frames' statements, each with one over its depth."""
    found: dict[str, float] = {}
    for depth, frame in _statements(frames):
        for name in _IDENTIFIER.findall(frame.source):
            found.setdefault(name, 1 / depth)
    return found


def _statements(frames: Frames) -> Iterator[tuple[int, BlockFrame]]:
    return enumerate(frames.chain[:_DEPTH], 1)
