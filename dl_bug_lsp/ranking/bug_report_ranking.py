"""The ranking for bug reports: files first, then functions of the best files, then their lines.

The weights are three linear models, one a level, learned by ``benchmarks/train_reports.py``
listwise (Cao et al., ICML 2007: the softmax of the scores is the probability of standing first)
and stored in ``report_weights.json``.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dl_bug_lsp.bug_reports import BugReport
from dl_bug_lsp.evidence.case import Case
from dl_bug_lsp.evidence.reports.blocks import Block, TracedFrames
from dl_bug_lsp.evidence.reports.changes import neighbours
from dl_bug_lsp.evidence.reports.file_features import features_of
from dl_bug_lsp.evidence.reports.function_features import (
    Functions,
    files_to_look_into,
    redundancy,
    strong_names,
)
from dl_bug_lsp.evidence.reports.line_features import Statements
from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.ranking.fusion import Candidate
from dl_bug_lsp.report import Evidence, Options, Suspect, SuspectFile
from dl_bug_lsp.retrieval import STOP_WORDS, Floats, words_of


# ---------------------------------------------------------------------- weights
@dataclass(frozen=True, slots=True)
class Level:
    """What a feature of 1 adds at a level; ``sharpness`` makes shares of scores honest."""

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
        self.features = relative(features_of(context))
        first = scores_of(self.features, weights.files)
        self.neighbours = neighbours(context, first)
        self.file_scores = first + scores_of(self.neighbours, weights.neighbours)
        self.file_shares = shares(self.file_scores, weights.neighbours.sharpness)
        spoken = has_evidence(self.features)
        self.file_order = [row for row in order_of(self.file_scores) if spoken[row]]
        best = files_to_look_into(context, self.file_order, traced)
        self.functions = Functions(
            context, best, [float(self.file_shares[row]) for row in best], traced
        )
        scores = scores_of(self.functions.features, weights.functions)
        self.block_shares = shares(scores, weights.functions.sharpness)
        beside = redundancy(self.functions.blocks, scores)
        self.block_order = order_of(scores + scores_of(beside, weights.beside))
        self.statements = Statements(self.functions, self.block_order[:BLOCKS_LOOKED_INTO])
        self.lines = self.statements.lines
        self.line_features = self.statements.features()
        blocks = np.array([line.block for line in self.lines], dtype=np.int64)
        share = self.block_shares[blocks]
        self.line_features["block.log_share"] = np.log(np.maximum(share, 1e-6))
        self.line_scores = scores_of(self.line_features, weights.lines)
        if is_function_clear(bool(self.functions.frames.all), self.block_shares):
            self.line_scores = best_line_first(self.line_scores, blocks, self.block_order)
        self.line_shares = shares(self.line_scores, weights.lines.sharpness)
        self.line_order = order_of(self.line_scores)


def relative(features: Mapping[str, Floats]) -> dict[str, Floats]:
    """Scale each feature by its greatest value; flags and shares stay as they are."""
    scaled: dict[str, Floats] = {}
    for name, values in features.items():
        top = float(values.max(initial=0.0))
        as_is = name.startswith(_AS_THEY_ARE) or top <= 0
        scaled[name] = values if as_is else values / top
    return scaled


def has_evidence(features: Mapping[str, Floats]) -> NDArray[np.bool_]:
    """Return which files the report says anything of; priors alone make no suspect."""
    total = sum(v for name, v in features.items() if not name.startswith(_PRIORS))
    return np.asarray(total) > 0


def scores_of(features: Mapping[str, Floats], level: Level) -> Floats:
    """Return the weighted sum of features; a feature without a weight adds nothing."""
    total: Floats = np.zeros(len(next(iter(features.values()))) if features else 0)
    for name, values in features.items():
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
    raised: Floats = scores.copy()
    raised[inside[np.argmax(scores[inside])]] = scores.max() + _AHEAD
    return raised


def shares(scores: Floats, sharpness: float) -> Floats:
    """Return the softmax of scores: each one's probability of holding the cause."""
    if not len(scores):
        return scores
    powers = np.exp(sharpness * (scores - scores.max()))
    total: Floats = powers / powers.sum()
    return total


def order_of(scores: Floats) -> Sequence[int]:
    """Return the indices in falling order of scores, equals in the order they stand in."""
    indices: list[int] = np.argsort(-np.round(scores, 9), kind="stable").tolist()
    return indices


# ---------------------------------------------------------------------- places of a report
TRACED_ALONE = 0.3
"""What a line keeps of its share by the traceback where the report's words do not lead to it."""


def report_places(
    case: Case,
    report: BugReport,
    weights: ReportWeights,
    traced: Sequence[tuple[Candidate, float]],
    options: Options,
) -> tuple[tuple[Suspect, ...], tuple[SuspectFile, ...]]:
    """Rank lines and files for a report; ``traced`` are the clues' lines with their shares."""
    traced_shares = {(c.file, c.line): share for c, share in traced} if case.places else {}
    ranking = ReportRanking(
        ReportContext(report, case.workspace), weights, TracedFrames(case.located, traced_shares)
    )
    files = tuple(
        SuspectFile(rank, ranking.context.files[row], round(float(ranking.file_shares[row]), 4))
        for rank, row in enumerate(ranking.file_order[: options.top_files or None], 1)
    )
    lines = _lines(ranking, traced_shares)
    because = Reasons(ranking, weights)
    known = {(c.file, c.line): c for c, _ in traced}
    suspects = tuple(
        Suspect(
            rank,
            file,
            line,
            line,
            case.workspace.enclosing_function(file, line),
            round(share, 4),
            because.of(file, line, known.get((file, line))),
        )
        for rank, ((file, line), share) in enumerate(lines[: options.top or None], 1)
    )
    return suspects, files


def _lines(
    ranking: ReportRanking, traced: Mapping[tuple[str, int], float]
) -> list[tuple[tuple[str, int], float]]:
    """Return the lines in falling order with their shares.

    Lines that only the traceback leads to (settings, files that the report's words do not find)
    keep a part of the share that they have there.
    """
    files, lines = ranking.context.files, ranking.lines
    share_by_place = {
        (files[lines[index].row], lines[index].number): float(ranking.line_shares[index])
        for index in ranking.line_order
    }
    for place, share in traced.items():
        share_by_place.setdefault(place, TRACED_ALONE * share)
    return sorted(share_by_place.items(), key=lambda item: (-round(item[1], 9), item[0]))


MAX_EVIDENCE = 4
OF_FILES: dict[str, str] = {
    "file": "the file shares words with the report",
    "function": "one of the file's functions shares words with the report",
    "rvsm": "the file shares words with the report",
    "classes": "the file's classes are named like the report's words",
    "functions": "the file's functions are named like the report's words",
    "variables": "the file's variables are named like the report's words",
    "path": "the file's path has words of the report",
    "stem": "the report names the file",
    "names": "the file defines names of the report",
    "paths": "the report names the file",
    "modules": "the report names the file",
    "links": "the report links to the file",
    "stack": "the file is on the stack",
    "changes": "the file changed often of late",
    "commits": "the file changed by commits that speak of the like",
    "near": "the file is near to other suspects: tests them, or is tested by them",
}
OF_FUNCTIONS: dict[str, str] = {
    "bm25": "{it} shares words with the report",
    "names": "{it} is named like words of the report",
    "words": "{it} is named like words of the report",
    "named": "the report names {it}",
    "owner": "the report names `{owner}`, the class of {it}",
    "used": "{it} has {names} of the report",
    "rarest": "{it} has {names} of the report",
    "linked": "the report links to lines of {it}",
    "frames": "{it} is on the stack, or near to what is",
}
OF_LINES: dict[str, str] = {
    "words": "the line has {words} of the report",
    "frame": "the line is on the stack, or right beside one that is",
    "sets": "the line sets what the failing one reads",
    "link": "the report links to the line",
    "quoted": "the report quotes the line",
}
_KINDS = dict.fromkeys(("stack", "frames", "frame", "sets"), "stack_trace")
_KINDS |= dict.fromkeys(("changes", "commits"), "change_history")
_KINDS |= dict.fromkeys(("file", "function", "rvsm", "bm25", "words"), "vsm")
_MOST_NAMES = 3
_SHORTEST = 3


class Reasons:
    """The strongest evidence of each line, with its part of what speaks for it at all."""

    def __init__(self, ranking: ReportRanking, weights: ReportWeights) -> None:
        self._ranking = ranking
        self._weights = weights
        self._index = {(line.row, line.number): i for i, line in enumerate(ranking.lines)}

    def of(self, file: str, line: int, candidate: Candidate | None) -> tuple[Evidence, ...]:
        """Return the reasons for a 1-based line, those of the traceback's clues first.

        The best of the line and of its function come before the file's: they tell more.
        """
        reasons_of_line = [
            Evidence(clue.kind.partition(".")[0], round(min(1.0, max(0.0, part)), 4), clue.why)
            for clue, part in (candidate.clues if candidate is not None else ())
        ]
        row = self._ranking.context.rows.get(file)
        if row is not None:
            index = self._index.get((row, line))
            of_line = {} if index is None else self._of_line(index)
            of_function = {} if index is None else self._of_function(index)
            of_file = self._of_file(row)
            total = math.fsum((*of_line.values(), *of_function.values(), *of_file.values()))
            for reasons, most in ((of_line, 2), (of_function, 2), (of_file, MAX_EVIDENCE)):
                sentences = {evidence.why for evidence in reasons_of_line}
                best = sorted(reasons.items(), key=lambda item: (-item[1], item[0][1]))
                rest = [item for item in best if item[0][1] not in sentences]
                reasons_of_line += [
                    Evidence(kind, round(part / total, 4), why) for (kind, why), part in rest[:most]
                ]
        return tuple(reasons_of_line[:MAX_EVIDENCE]) or (Evidence("vsm", 0.0, OF_FILES["file"]),)

    def _of_line(self, index: int) -> dict[tuple[str, str], float]:
        text = self._ranking.statements.texts[index]
        words = quoted(word for word in words_of(text) if word.lower() in self._words)
        parts = parts_of(self._ranking.line_features, self._weights.lines, index, OF_LINES)
        if not words:
            parts.pop("words", None)
        return sentences_of_groups(
            parts, {group: OF_LINES[group].format(words=words) for group in parts}
        )

    def _of_function(self, index: int) -> dict[tuple[str, str], float]:
        functions = self._ranking.functions
        at = self._ranking.lines[index].block
        block = functions.blocks[at]
        held = (self._names & block.words.keys()) - {block.name, block.owner}
        names = quoted(sorted(held, key=self._rarity))
        it = f"`{block.definition.name}`" if block.name else "this part of the file"
        parts = parts_of(functions.features, self._weights.functions, at, OF_FUNCTIONS)
        if not names:
            parts.pop("used", None), parts.pop("rarest", None)
        texts = {g: OF_FUNCTIONS[g].format(it=it, owner=block.owner, names=names) for g in parts}
        return sentences_of_groups(parts, texts)

    def _of_file(self, row: int) -> dict[tuple[str, str], float]:
        ranking = self._ranking
        parts: defaultdict[tuple[str, str], float] = defaultdict(float)
        features = {**ranking.features, **ranking.neighbours}
        for level in (self._weights.files, self._weights.neighbours):
            for name, weight in level.weights.items():
                group = name.partition(".")[0]
                if name in features and weight > 0 and group in OF_FILES:
                    why = ranking.context.notes.get((name, row)) or OF_FILES[group]
                    parts[_KINDS.get(group, "structure"), why] += weight * float(
                        features[name][row]
                    )
        return {reason: part for reason, part in parts.items() if part > 0}

    @cached_property
    def _words(self) -> frozenset[str]:
        lines = self._ranking.context.everything
        words = {word.lower() for line in lines for word in words_of(line)}
        return frozenset(word for word in words - STOP_WORDS if len(word) >= _SHORTEST)

    @cached_property
    def _names(self) -> frozenset[str]:
        names = frozenset[str]().union(*strong_names(self._ranking.context).values())
        return frozenset(name for name in names if name.lower() not in STOP_WORDS)

    @cached_property
    def _holders(self) -> Counter[str]:
        blocks: Sequence[Block] = self._ranking.functions.blocks
        return Counter(name for block in blocks for name in self._names & block.words.keys())

    def _rarity(self, name: str) -> tuple[int, str]:
        return self._holders[name], name


def parts_of(
    features: Mapping[str, Floats], level: Level, index: int, groups: Iterable[str]
) -> dict[str, float]:
    """Return by group of features what speaks for a candidate: its positive part of the score."""
    positive = dict.fromkeys(groups, 0.0)
    for name, weight in level.weights.items():
        group = name.removeprefix("with_stack.").partition(".")[0]
        if name in features and group in positive:
            positive[group] += weight * float(features[name][index])
    return {group: part for group, part in positive.items() if part > 0}


def sentences_of_groups(
    parts: Mapping[str, float], texts: Mapping[str, str]
) -> dict[tuple[str, str], float]:
    """Return the kinds and sentences of groups; groups that say the same are added up."""
    sums: defaultdict[tuple[str, str], float] = defaultdict(float)
    for group, part in parts.items():
        sums[_KINDS.get(group, "structure"), texts[group]] += part
    return dict(sums)


def quoted(words: Iterable[str]) -> str:
    """Return the first words, quoted, as part of a sentence; nothing for none."""
    return ", ".join(f"`{word}`" for word in list(dict.fromkeys(words))[:_MOST_NAMES])
