"""Functions and classes of files, the report's frames in them, and who calls whom.

A report was written against other code than the code at hand. A frame whose line now stands in a
function of another name is looked for by the name of its function: in the file, then where the
function moved to. From the innermost frames, the callers and the code that sets what they read
are found.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from dl_bug_lsp.evidence.case import LocatedFrame
from dl_bug_lsp.evidence.reports.documents import Definition
from dl_bug_lsp.evidence.reports.file_features import frame_rows
from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.retrieval import Floats, code_of

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_SETS = re.compile(r"\s*(?:(?:self|cls)\.)?([^\W\d]\w*)\s*(?::[^=]{1,80})?=(?!=)")
OUTSIDE = -1


@dataclass(frozen=True, slots=True)
class Block:
    """A function, a class, or the rest of a file (no name, the whole file as its lines).

    ``row`` is its file's, ``passage`` its row among the passages of all functions, -1 for others;
    ``words`` counts the identifiers and words on its own lines, those of no block inside it;
    ``sets`` are the variables and attributes that these lines begin with and give a value.
    """

    row: int
    passage: int
    definition: Definition
    words: Mapping[str, int]
    sets: frozenset[str]

    @property
    def name(self) -> str:
        """The last part of its dotted name."""
        return self.definition.name.rpartition(".")[2]

    @property
    def owner(self) -> str:
        """The last part of the name of what it stands in."""
        return self.definition.name.rpartition(".")[0].rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class _Layout:
    """``owners`` tells for each line (1-based; index 0 unused) which definition it is of."""

    definitions: tuple[Definition, ...]
    owners: tuple[int, ...]
    words: tuple[Mapping[str, int], ...]
    sets: tuple[frozenset[str], ...]


class FileBlocks:
    """The blocks of one file, in order, the rest last; ``first`` is the index of the first one."""

    def __init__(self, context: ReportContext, row: int, first: int, passages_before: int) -> None:
        source, file = context.sources[row], context.files[row]
        layout = context.workspace.derived_unindexed(
            "reports.blocks", file, lambda: _layout(context, row)
        )
        passages = {(d.name, d.line): passages_before + n for n, d in enumerate(source.functions)}
        rest = Definition("", 1, 1, source.lines, False)
        self.first = first
        self.blocks = [
            Block(row, -1 if d.is_class else passages.get((d.name, d.line), -1), d, words, sets)
            for d, words, sets in zip(
                (*layout.definitions, rest), layout.words, layout.sets, strict=True
            )
        ]
        self._owners = layout.owners

    def at(self, line: int) -> int | None:
        """Return the index of the block that a 1-based line is of, None outside the file."""
        if not 0 < line < len(self._owners):
            return None
        own = self._owners[line]
        return self.first + (own if own != OUTSIDE else len(self.blocks) - 1)


def _layout(context: ReportContext, row: int) -> _Layout:
    source = context.sources[row]
    lines = code_of(context.workspace, context.files[row]).split("\n")
    definitions = sorted((*source.functions, *source.classes), key=lambda d: (d.first, -d.end_line))
    owners = [OUTSIDE] * (len(lines) + 1)
    for index, d in enumerate(definitions):
        end = min(d.end_line, len(lines))
        owners[d.first : end + 1] = [index] * (end + 1 - d.first)
    words: list[Counter[str]] = [Counter() for _ in range(len(definitions) + 1)]
    sets: list[set[str]] = [set() for _ in words]
    for number, text in enumerate(lines, 1):
        words[owners[number]].update(_IDENTIFIER.findall(text))
        name = set_by(text)
        if name is not None:
            sets[owners[number]].add(name)
    return _Layout(tuple(definitions), tuple(owners), tuple(words), tuple(map(frozenset, sets)))


def set_by(text: str) -> str | None:
    """Return the variable or attribute of ``self`` that a line begins with and gives a value."""
    match = _SETS.match(text)
    return match[1] if match is not None else None


class Rarity:
    """How rare an identifier is among blocks, from 0 (unknown, or in all) to 1; idf as in BM25."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._count = len(blocks)
        self._frequency: Counter[str] = Counter()
        for block in blocks:
            self._frequency.update(block.words.keys())

    def of(self, name: str) -> float:
        """Return an identifier's idf over the greatest one that these blocks allow."""
        frequency = self._frequency[name]
        if not frequency:
            return 0.0
        idf = math.log1p((self._count - frequency + 0.5) / (frequency + 0.5))
        return idf / math.log1p(self._count)


_RAISES = re.compile(r"(?:raise|assert)\b|.*\braise \w")
MOST_FRAMES = 60


@dataclass(frozen=True, slots=True)
class TracedFrames:
    """What was read of a report's traceback: its frames, outermost first, and shares of lines.

    ``shares`` are by (file, line): what the evidence about the traceback says of each line.
    """

    frames: tuple[LocatedFrame, ...] = ()
    shares: Mapping[tuple[str, int], float] = field(default_factory=dict)

    @property
    def files(self) -> list[str]:
        """The files of the frames in the workspace, the innermost first."""
        files = [place.file for _, place in reversed(self.frames) if place is not None]
        return list(dict.fromkeys(files))


@dataclass(frozen=True, slots=True)
class _Printed:
    row: int
    line: int
    function: str
    source: str


@dataclass(frozen=True, slots=True)
class BlockFrame:
    """A frame in a block: its line (1-based) at hand and the statement that stands there."""

    block: int
    row: int
    line: int
    source: str


class Frames:
    """The frames of one report in some blocks: ``all``, the innermost first.

    ``chain`` begins at the raise site too and has each block once, where it is innermost.
    """

    def __init__(
        self,
        context: ReportContext,
        blocks: Sequence[Block],
        files: Mapping[int, FileBlocks],
        traced: TracedFrames,
    ) -> None:
        self.context = context
        self._blocks = blocks
        self._files = files
        self._named: dict[str, list[int]] = {}
        for index, block in enumerate(blocks):
            if block.name and not block.definition.is_class:
                self._named.setdefault(_bare(block.name), []).append(index)
        read = [
            _Printed(context.rows[place.file], place.line, frame.function or "", frame.source or "")
            for frame, place in reversed(traced.frames)
            if place is not None and place.file in context.rows
        ]
        frames = [self._found(printed) for printed in (read or self._told())[:MOST_FRAMES]]
        self.all = [frame for frame in frames if frame is not None]
        self.chain: list[BlockFrame] = []
        for frame in self.all:
            if all(frame.block != known.block for known in self.chain):
                self.chain.append(frame)
        below = list(reversed(traced.frames))
        self.raised_in_library = bool(below) and bool(read) and below[0][1] is None

    def _told(self) -> list[_Printed]:
        """Return the frames that the report's lines show, the innermost first, lines re-found."""
        printed = []
        for index, row in reversed(frame_rows(self.context)):
            frame = self.context.report.frames[index]
            place = self.context.workspace.locate(
                self.context.files[row], frame.line, frame.function, frame.source or None
            )
            line = place.line if place is not None else frame.line
            printed.append(_Printed(row, line, frame.function, frame.source))
        return printed[:MOST_FRAMES]

    def _block(self, row: int, line: int) -> int | None:
        file = self._files.get(row)
        return file.at(line) if file is not None else None

    def _found(self, printed: _Printed) -> BlockFrame | None:
        index = self._block(printed.row, printed.line)
        source = printed.source.strip().split("\n")[0].strip()
        text = self._text(printed.row, printed.line)
        name = _bare(printed.function.replace(".<locals>", "").rpartition(".")[2])
        agrees = index is not None and _bare(self._blocks[index].name) == name
        if agrees or not name or name.startswith("<") or (source and source == text):
            if index is None:
                return None
            return BlockFrame(index, printed.row, printed.line, text)
        known = self._named.get(name, [])
        inside = [other for other in known if self._blocks[other].row == printed.row]
        # Every class may have an ``__init__``: only a name of its own tells where code moved to.
        moved = known if len(known) == 1 and not printed.function.startswith("__") else []
        for other in chain(inside[:1], moved):
            block = self._blocks[other]
            return BlockFrame(other, block.row, block.definition.line, source)
        return None

    def _text(self, row: int, line: int) -> str:
        return self.context.workspace.source_line(self.context.files[row], line).strip()

    def _parent(self, index: int) -> int | None:
        """Return the function that a function is defined in, which hands over what it fails of."""
        block = self._blocks[index]
        around = block.definition.name.rpartition(".")[0]
        for other in self._named.get(_bare(around.rpartition(".")[2]), ()):
            known = self._blocks[other]
            if around and known.row == block.row and known.definition.name == around:
                return other
        return None

    def features(self) -> dict[str, Floats]:
        """Return what the stack says of each block."""
        names = ("first", "near", "first_raises", "first_computes", "first_direct", "parent")
        features = {f"frames.{name}": np.zeros(len(self._blocks)) for name in names}
        for rank, frame in enumerate(self.chain):
            features["frames.near"][frame.block] = 1 / (rank + 1)
        if self.chain:
            first = self.chain[0]
            raises = _RAISES.match(first.source) is not None
            features["frames.first"][first.block] = 1.0
            kind = "frames.first_raises" if raises else "frames.first_computes"
            features[kind][first.block] = 1.0
            features["frames.first_direct"][first.block] = float(not self.raised_in_library)
            parent = self._parent(first.block)
            if parent is not None:
                features["frames.parent"][parent] = 1.0
        row = self.chain[0].row if self.chain else -1
        features["frames.first_file"] = np.array([float(b.row == row) for b in self._blocks])
        return features


def _bare(name: str) -> str:
    """Return a name without outer underscores: Markdown takes those of ``__init__`` for bold."""
    return name.strip("_")


_CALLED_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_DEPTH = 5
_CALLERS_DEPTH = 6
_CALLED_DEPTH = 2


def features_beyond_frames(
    frames: Frames, blocks: Sequence[Block], rarity: Rarity
) -> dict[str, Floats]:
    """Return how a block that is no frame itself may have brought about what a frame met.

    ``frames.sets``: the rarest name that it gives a value and a frame's statement has, over the
    frame's depth from 1. ``frames.calls_first``: it names the function at the raise site, less the
    more blocks share the name; ``frames.callers`` and ``frames.called``: see there.
    """
    features = {name: np.zeros(len(blocks)) for name in ("frames.sets", "frames.calls_first")}
    features |= _calling(frames, blocks)
    if not frames.chain:
        return features
    setters: dict[str, list[int]] = {}
    for index, block in enumerate(blocks):
        if block.name and not block.definition.is_class:
            for name in block.sets:
                setters.setdefault(name, []).append(index)
    sets = features["frames.sets"]
    for depth, frame in _statements(frames):
        for name in _CALLED_IDENTIFIER.findall(frame.source):
            for index in setters.get(name, ()):
                if index != frame.block:
                    sets[index] = max(sets[index], rarity.of(name) / depth)
    first = frames.chain[0].block
    raising = blocks[first].name
    if raising and not raising.startswith("__"):
        homonyms = Counter(block.name for block in blocks)[raising]
        for index, block in enumerate(blocks):
            if index != first and raising in block.words:
                features["frames.calls_first"][index] = 1 / math.sqrt(homonyms)
    return features


def _calling(frames: Frames, blocks: Sequence[Block]) -> dict[str, Floats]:
    """Return who may call frames and who may be called by them, themselves no frames.

    ``frames.callers``: a block names a frame's function; ``frames.called``: one of the two
    innermost frames' functions names the block; over the frame's depth from 1, and the root of how
    many blocks share the name.
    """
    features = {name: np.zeros(len(blocks)) for name in ("frames.callers", "frames.called")}
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
                features["frames.callers"][index] = max(features["frames.callers"][index], part)
        for name in own.words if depth <= _CALLED_DEPTH else ():
            for index in named.get(name, ()):
                part = 1 / depth / math.sqrt(len(named[name]))
                features["frames.called"][index] = max(features["frames.called"][index], part)
    for values in features.values():
        values[list(inside)] = 0.0
    return features


def names_read(frames: Frames) -> dict[str, float]:
    """Return the names in the innermost frames' statements, each with one over its depth."""
    shares: dict[str, float] = {}
    for depth, frame in _statements(frames):
        for name in _CALLED_IDENTIFIER.findall(frame.source):
            shares.setdefault(name, 1 / depth)
    return shares


def _statements(frames: Frames) -> Iterator[tuple[int, BlockFrame]]:
    return enumerate(frames.chain[:_DEPTH], 1)
