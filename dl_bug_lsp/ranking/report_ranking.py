"""The ranking for bug reports: files first, then functions of the best files, then their lines.

The weights are three linear models, one a level, learned by ``benchmarks/train_reports.py``
listwise (Cao et al., ICML 2007: the softmax of the scores is the probability of standing first)
and stored in ``report_weights.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dl_bug_lsp.evidence.reports.blocks import TracedFrames
from dl_bug_lsp.evidence.reports.changes import neighbours
from dl_bug_lsp.evidence.reports.file_signals import signals_of
from dl_bug_lsp.evidence.reports.function_signals import Functions, files_to_look_into, redundancy
from dl_bug_lsp.evidence.reports.line_signals import Statements
from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.retrieval.corpus import Floats


# ---------------------------------------------------------------------- weights
@dataclass(frozen=True, slots=True)
class Level:
    """What a signal of 1 adds at a level; ``sharpness`` makes shares of scores honest."""

    weights: Mapping[str, float]
    sharpness: float


@dataclass(frozen=True, slots=True)
class ReportWeights:
    """The models of all levels.

    ``neighbours`` adds to the files' what their neighbours tell; ``beside`` changes the functions'
    order, not their shares, by what stands above them.
    """

    files: Level
    neighbours: Level
    functions: Level
    beside: Level
    lines: Level


def report_weights(data: Mapping[str, Any]) -> ReportWeights:
    """Read the weights of a data file; raises KeyError or TypeError on other data."""
    levels = {
        name: Level(dict(data[name]["weights"]), float(data[name].get("sharpness", 1.0)))
        for name in ("files", "neighbours", "functions", "beside", "lines")
    }
    return ReportWeights(**levels)


@lru_cache(maxsize=1)
def shipped_report_weights() -> ReportWeights:
    """Return the weights that ship with the package."""
    text = resources.files("dl_bug_lsp.ranking").joinpath("report_weights.json").read_text("utf-8")
    return report_weights(json.loads(text))


# ---------------------------------------------------------------------- ranking
BLOCKS_LOOKED_INTO = 25
_AS_THEY_ARE = (
    "kind.",
    "stack.depth",
    "stack.innermost",
    "links.",
    "stem.",
    "cosine.",
    "file.coverage",
    "path.coverage",
    "changes.recent",
)
_PRIORS = ("kind.", "changes.", "commits.")
_AHEAD = 1e-3
_TOLD_APART = 0.4
"""From this share of its best on, functions are told apart though the report has no stack."""


class ReportRanking:
    """One report's ranking; every level is made when it is first asked for."""

    def __init__(
        self, context: ReportContext, weights: ReportWeights, traced: TracedFrames
    ) -> None:
        self.context = context
        self.signals = relative(signals_of(context))
        first = scores_of(self.signals, weights.files)
        self.neighbours = neighbours(context, first)
        self.file_scores = first + scores_of(self.neighbours, weights.neighbours)
        self.file_shares = shares(self.file_scores, weights.neighbours.sharpness)
        spoken = has_evidence(self.signals)
        self.file_order = [row for row in order_of(self.file_scores) if spoken[row]]
        best = files_to_look_into(context, self.file_order, traced)
        self.functions = Functions(
            context, best, [float(self.file_shares[row]) for row in best], traced
        )
        scores = scores_of(self.functions.signals, weights.functions)
        self.block_shares = shares(scores, weights.functions.sharpness)
        beside = redundancy(self.functions.blocks, scores)
        self.block_order = order_of(scores + scores_of(beside, weights.beside))
        self.statements = Statements(self.functions, self.block_order[:BLOCKS_LOOKED_INTO])
        self.lines = self.statements.lines
        self.line_signals = self.statements.signals()
        blocks = np.array([line.block for line in self.lines], dtype=np.int64)
        share = self.block_shares[blocks]
        self.line_signals["block.log_share"] = np.log(np.maximum(share, 1e-6))
        self.line_scores = scores_of(self.line_signals, weights.lines)
        if is_function_clear(bool(self.functions.frames.all), self.block_shares):
            self.line_scores = best_line_first(self.line_scores, blocks, self.block_order)
        self.line_shares = shares(self.line_scores, weights.lines.sharpness)
        self.line_order = order_of(self.line_scores)


def relative(signals: Mapping[str, Floats]) -> dict[str, Floats]:
    """Scale each signal by its greatest value; flags and shares stay as they are."""
    found: dict[str, Floats] = {}
    for name, values in signals.items():
        top = float(values.max(initial=0.0))
        as_is = name.startswith(_AS_THEY_ARE) or top <= 0
        found[name] = values if as_is else values / top
    return found


def has_evidence(signals: Mapping[str, Floats]) -> NDArray[np.bool_]:
    """Return which files the report says anything of; priors alone make no suspect."""
    total = sum(v for name, v in signals.items() if not name.startswith(_PRIORS))
    return np.asarray(total) > 0


def scores_of(signals: Mapping[str, Floats], level: Level) -> Floats:
    """Return the weighted sum of signals; a signal without a weight adds nothing."""
    total: Floats = np.zeros(len(next(iter(signals.values()))) if signals else 0)
    for name, values in signals.items():
        weight = level.weights.get(name, 0.0)
        if weight:
            total = total + weight * values
    return total


def is_function_clear(has_stack: bool, shares: Floats) -> bool:
    """Tell whether a report says more clearly in which function the cause is than on which line."""
    return has_stack or float(shares.max(initial=0.0)) >= _TOLD_APART


def best_line_first(scores: Floats, blocks: NDArray[np.int64], order: Sequence[int]) -> Floats:
    """Raise the best line of the best block (of those in ``order``) to just above all others.

    Where the function is told apart well, its lines are less so, which each hold a little.
    """
    inside = next((np.flatnonzero(blocks == block) for block in order if block in blocks), None)
    if inside is None:
        return scores
    found: Floats = scores.copy()
    found[inside[np.argmax(scores[inside])]] = scores.max() + _AHEAD
    return found


def shares(scores: Floats, sharpness: float) -> Floats:
    """Return the softmax of scores: each one's probability of holding the cause."""
    if not len(scores):
        return scores
    powers = np.exp(sharpness * (scores - scores.max()))
    total: Floats = powers / powers.sum()
    return total


def order_of(scores: Floats) -> Sequence[int]:
    """Return the indices in falling order of scores, equals in the order they stand in."""
    found: list[int] = np.argsort(-np.round(scores, 9), kind="stable").tolist()
    return found
