"""The report's frames in the code at hand: by line where it agrees with the name, else by name.

A report was written against other code than the one at hand. A frame whose line now stands in a
function of another name is looked for by its function: in the file, then where it moved to.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from dl_bug_lsp.evidence.case import LocatedFrame
from dl_bug_lsp.evidence.reports.blocks import Block, FileBlocks
from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.evidence.reports.stacks import frame_rows
from dl_bug_lsp.retrieval.corpus import Floats

_RAISES = re.compile(r"(?:raise|assert)\b|.*\braise \w")
MOST_FRAMES = 60


@dataclass(frozen=True, slots=True)
class Traced:
    """What was read of a report's traceback: its frames, outermost first, and shares of lines.

    ``shares`` are by (file, line): what the evidence about the traceback says of each line.
    """

    frames: tuple[LocatedFrame, ...] = ()
    shares: Mapping[tuple[str, int], float] = field(default_factory=dict)

    @property
    def files(self) -> list[str]:
        """The files of the frames in the workspace, the innermost first."""
        found = [place.file for _, place in reversed(self.frames) if place is not None]
        return list(dict.fromkeys(found))


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
        scene: ReportContext,
        blocks: Sequence[Block],
        files: Mapping[int, FileBlocks],
        traced: Traced,
    ) -> None:
        self.scene = scene
        self._blocks = blocks
        self._files = files
        self._named: dict[str, list[int]] = {}
        for index, block in enumerate(blocks):
            if block.name and not block.definition.is_class:
                self._named.setdefault(_bare(block.name), []).append(index)
        read = [
            _Printed(scene.rows[place.file], place.line, frame.function or "", frame.source or "")
            for frame, place in reversed(traced.frames)
            if place is not None and place.file in scene.rows
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
        found = []
        for index, row in reversed(frame_rows(self.scene)):
            frame = self.scene.report.frames[index]
            place = self.scene.workspace.locate(
                self.scene.files[row], frame.line, frame.function, frame.source or None
            )
            line = place.line if place is not None else frame.line
            found.append(_Printed(row, line, frame.function, frame.source))
        return found[:MOST_FRAMES]

    def _block(self, row: int, line: int) -> int | None:
        file = self._files.get(row)
        return file.at(line) if file is not None else None

    def _found(self, printed: _Printed) -> BlockFrame | None:
        index = self._block(printed.row, printed.line)
        source = printed.source.strip().split("\n")[0].strip()
        here = self._text(printed.row, printed.line)
        name = _bare(printed.function.replace(".<locals>", "").rpartition(".")[2])
        agrees = index is not None and _bare(self._blocks[index].name) == name
        if agrees or not name or name.startswith("<") or (source and source == here):
            if index is None:
                return None
            return BlockFrame(index, printed.row, printed.line, here)
        known = self._named.get(name, [])
        inside = [other for other in known if self._blocks[other].row == printed.row]
        # Every class may have an ``__init__``: only a name of its own tells where code moved to.
        moved = known if len(known) == 1 and not printed.function.startswith("__") else []
        for other in chain(inside[:1], moved):
            block = self._blocks[other]
            return BlockFrame(other, block.row, block.definition.line, source)
        return None

    def _text(self, row: int, line: int) -> str:
        return self.scene.workspace.source_line(self.scene.files[row], line).strip()

    def signals(self) -> dict[str, Floats]:
        """Return what the stack says of each block."""
        names = ("first", "near", "first_raises", "first_computes", "first_direct")
        found = {f"frames.{name}": np.zeros(len(self._blocks)) for name in names}
        for rank, frame in enumerate(self.chain):
            found["frames.near"][frame.block] = 1 / (rank + 1)
        if self.chain:
            first = self.chain[0]
            raises = _RAISES.match(first.source) is not None
            found["frames.first"][first.block] = 1.0
            kind = "frames.first_raises" if raises else "frames.first_computes"
            found[kind][first.block] = 1.0
            found["frames.first_direct"][first.block] = float(not self.raised_in_library)
        row = self.chain[0].row if self.chain else -1
        found["frames.first_file"] = np.array([float(b.row == row) for b in self._blocks])
        return found


def _bare(name: str) -> str:
    """Return a name without outer underscores: Markdown takes those of ``__init__`` for bold."""
    return name.strip("_")
