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
_CALLERS_DEPTH = 6
_CALLED_DEPTH = 2


def beyond(frames: Frames, blocks: Sequence[Block], rarity: Rarity) -> dict[str, Floats]:
    """Return how a block that is no frame itself may have brought about what a frame met.

    ``frames.sets``: the rarest name that it gives a value and a frame's statement has, over the
    frame's depth from 1. ``frames.calls_first``: it names the function at the raise site, less the
    more blocks share the name; ``frames.callers`` and ``frames.called``: see there.
    """
    found = {name: np.zeros(len(blocks)) for name in ("frames.sets", "frames.calls_first")}
    found |= _calling(frames, blocks)
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


def _calling(frames: Frames, blocks: Sequence[Block]) -> dict[str, Floats]:
    """Return who may call frames and who may be called by them, themselves no frames.

    ``frames.callers``: a block names a frame's function; ``frames.called``: one of the two
    innermost frames' functions names the block; over the frame's depth from 1, and the root of how
    many blocks share the name.
    """
    found = {name: np.zeros(len(blocks)) for name in ("frames.callers", "frames.called")}
    inside = {frame.block for frame in frames.chain}
    named: dict[str, list[int]] = {}
    for index, block in enumerate(blocks if frames.chain else ()):
        if block.name:
            named.setdefault(block.name, []).append(index)
    for depth, frame in enumerate(frames.chain[:_CALLERS_DEPTH], 1):
        own = blocks[frame.block]
        part = 1 / depth / math.sqrt(len(named.get(own.name, ())) or 1)
        for index, block in enumerate(blocks):
            if own.name in block.words and block.name and not own.name.startswith("__"):
                found["frames.callers"][index] = max(found["frames.callers"][index], part)
        for name in own.words if depth <= _CALLED_DEPTH else ():
            for index in named.get(name, ()):
                part = 1 / depth / math.sqrt(len(named[name]))
                found["frames.called"][index] = max(found["frames.called"][index], part)
    for values in found.values():
        values[list(inside)] = 0.0
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
