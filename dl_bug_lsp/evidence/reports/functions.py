"""Signals of functions: of the files that rank first, which function the report speaks of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dl_bug_lsp.evidence.reports.outlines import Definition
from dl_bug_lsp.evidence.reports.scene import Scene
from dl_bug_lsp.evidence.reports.stacks import frame_rows
from dl_bug_lsp.retrieval.corpus import Floats, Ints
from dl_bug_lsp.retrieval.stemming import stem
from dl_bug_lsp.retrieval.terms import terms_of

_STRONG_PARTS = ("title", "prose", "code", "trace")


@dataclass(frozen=True, slots=True)
class Block:
    """A function of the file at ``row``; ``passage`` is its row among all passages.

    -1 is the rest of the file outside functions; its definition spans the whole file.
    """

    row: int
    passage: int
    definition: Definition


class Functions:
    """The functions of some files with their signals, an array over ``blocks`` each.

    ``traced`` are the shares of (file, line) that the evidence about a traceback gives.
    """

    def __init__(
        self,
        scene: Scene,
        files: Sequence[int],
        shares: Sequence[float],
        traced: Mapping[tuple[str, int], float],
    ) -> None:
        self.scene = scene
        self.traced = traced
        self.blocks: list[Block] = []
        self.share: list[float] = []
        self.place: list[int] = []
        starts = np.cumsum([0] + [source.passages.rows for source in scene.sources])
        for place, (row, share) in enumerate(zip(files, shares, strict=True)):
            source = scene.sources[row]
            rest = Definition("", 1, 1, source.lines, False)
            own = [Block(row, int(starts[row]) + n, d) for n, d in enumerate(source.functions)]
            for block in (*own, Block(row, -1, rest)):
                self.blocks.append(block)
                self.share.append(share)
                self.place.append(place)

    @cached_property
    def signals(self) -> dict[str, Floats]:
        """Return every signal by name."""
        found = {
            "file.log_share": np.log(np.maximum(np.array(self.share), 1e-6)),
            "file.first": np.array([float(place == 0) for place in self.place]),
            "file.place": 1 / (1 + np.array(self.place, dtype=np.float64)),
            "rest": np.array([float(block.passage < 0) for block in self.blocks]),
            "lines": np.array([self._size(block) for block in self.blocks]),
            "test": np.array([float(self.scene.imports.tests[b.row]) for b in self.blocks]),
            "init": np.array([float(b.definition.name.endswith("__init__")) for b in self.blocks]),
        }
        told = self._retrieval() | self._names() | self._stack() | self._marked()
        return found | told | self._traced()

    def _size(self, block: Block) -> float:
        d = block.definition
        return math.log1p(d.end_line - d.first) / 5 if block.passage >= 0 else 0.0

    def _retrieval(self) -> dict[str, Floats]:
        found: dict[str, Floats] = {}
        passages: Ints = np.array([block.passage for block in self.blocks], dtype=np.int64)
        inside = passages >= 0
        for part in ("title", "lead", "main", "code", "trace", "messages", "all"):
            scores = self.scene.passage_matches.bm25(self.scene.weights[part])
            top = float(scores.max(initial=0.0)) or 1.0
            padded = np.append(scores, 0.0)
            found[f"bm25.{part}"] = np.where(inside, padded[passages] / top, 0.0)
        scores = self.scene.passage_matches.coverage(self.scene.weights["title"])
        found["coverage.title"] = np.where(inside, np.append(scores, 0.0)[passages], 0.0)
        own = found["bm25.main"]
        best = np.zeros(len(self.scene.files))
        rows = np.array([block.row for block in self.blocks], dtype=np.int64)
        np.maximum.at(best, rows, own)
        found["bm25.best_of_file"] = np.divide(
            own, best[rows], out=np.zeros(len(own)), where=best[rows] > 0
        )
        return found

    def _names(self) -> dict[str, Floats]:
        """Whether a part of the report names the function, or its class, or speaks its words."""
        found = {f"named.{part}": self._zeros() for part in _STRONG_PARTS}
        found["named.class"] = self._zeros()
        found["words.title"] = self._zeros()
        title = set(terms_of(self.scene.report.title))
        parts = {part: self.scene.identifiers[part] for part in _STRONG_PARTS}
        for index, block in enumerate(self.blocks):
            outer, _, name = block.definition.name.rpartition(".")
            if not name or (name.startswith("__") and name != "__getattr__"):
                bare = outer.rpartition(".")[2]
            else:
                bare = outer.rpartition(".")[2]
                for part in _STRONG_PARTS:
                    strong = parts[part].get(name)
                    found[f"named.{part}"][index] = 1.0 if strong else 0.3 * (strong is not None)
                words = [stem(word) for word in name.strip("_").lower().split("_") if word]
                if words:
                    found["words.title"][index] = sum(w in title for w in words) / len(words)
            if bare and any(parts[part].get(bare) is not None for part in _STRONG_PARTS):
                found["named.class"][index] = 1.0
        return found

    def _stack(self) -> dict[str, Floats]:
        """Whether frames stand in the function: by line and name, else by name alone."""
        kinds = ("innermost", "caller", "depth", "any", "name")
        found = {f"stack.{kind}": self._zeros() for kind in kinds}
        frames = self.frames
        for index, block in enumerate(self.blocks):
            name = block.definition.name.rpartition(".")[2]
            for depth, (row, line, function) in enumerate(frames):
                if row != block.row or block.passage < 0:
                    continue
                inside = block.definition.first <= line <= block.definition.end_line
                if name == function:
                    found["stack.name"][index] = 1.0
                if inside and name == function:
                    found["stack.any"][index] = 1.0
                    found["stack.depth"][index] = max(found["stack.depth"][index], 1 / (depth + 1))
                    found["stack.innermost"][index] += float(depth == 0)
                    found["stack.caller"][index] += float(depth == 1)
        return found

    def _traced(self) -> dict[str, Floats]:
        """Return the shares of the traceback's evidence that fall on a function's own lines."""
        total, best = self._zeros(), self._zeros()
        by_row: dict[int, list[int]] = {}
        for index, block in enumerate(self.blocks):
            by_row.setdefault(block.row, []).append(index)
        for (file, line), share in self.traced.items():
            row = self.scene.rows.get(file, -1)
            inside = [
                index
                for index in by_row.get(row, ())
                if self.blocks[index].definition.first
                <= line
                <= self.blocks[index].definition.end_line
            ]
            if inside:
                index = max(inside, key=lambda i: self.blocks[i].definition.first)
                total[index] += share
                best[index] = max(best[index], share)
        return {
            "traced.sum": total,
            "traced.best": best,
            "traced.any": np.where(total > 0, 1.0, 0.0),
        }

    @cached_property
    def frames(self) -> list[tuple[int, int, str]]:
        """(row, line, function) of the frames in the workspace, innermost first, lines re-found."""
        found: list[tuple[int, int, str]] = []
        for index, row in reversed(frame_rows(self.scene)):
            frame = self.scene.report.frames[index]
            place = self.scene.workspace.locate(
                self.scene.files[row], frame.line, frame.function, frame.source or None
            )
            line = place.line if place is not None else frame.line
            found.append((row, line, frame.function))
        return found[:60]

    def _marked(self) -> dict[str, Floats]:
        """Return how much of a link's lines a function holds."""
        linked = self._zeros()
        spans = self.linked
        for index, block in enumerate(self.blocks):
            d = block.definition
            if block.passage < 0:
                continue
            size = d.end_line - d.first + 1
            for row, first, last in spans:
                if row == block.row and first <= d.end_line and last >= d.first:
                    common = min(last, d.end_line) - max(first, d.first) + 1
                    linked[index] = max(linked[index], common / min(size, last - first + 1))
        return {"linked": linked}

    @cached_property
    def linked(self) -> list[tuple[int, int, int]]:
        """(row, first line, last line) of the links that tell lines."""
        found: list[tuple[int, int, int]] = []
        for link in self.scene.report.links:
            rows, shared = self.scene.paths.find(link.path)
            if link.first_line and len(rows) == 1 and (shared > 1 or "/" not in link.path):
                found.append((rows[0], link.first_line, link.last_line))
        return found

    def _zeros(self) -> Floats:
        return np.zeros(len(self.blocks))
