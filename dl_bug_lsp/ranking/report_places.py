"""The ranked lines and files of a bug report, with the reasons in words.

They come from the ranking of the report and, where it has one, from its traceback.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from dl_bug_lsp.bug_reports import BugReport
from dl_bug_lsp.evidence.case import Case
from dl_bug_lsp.evidence.reports.blocks import Block, TracedFrames
from dl_bug_lsp.evidence.reports.function_signals import strong_names
from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.ranking.fusion import Candidate
from dl_bug_lsp.ranking.report_ranking import Level, ReportRanking, ReportWeights
from dl_bug_lsp.report import Evidence, Options, Suspect, SuspectFile
from dl_bug_lsp.retrieval.corpus import Floats
from dl_bug_lsp.retrieval.terms import STOP_WORDS, words_of

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
    given = {(c.file, c.line): share for c, share in traced} if case.places else {}
    ranking = ReportRanking(
        ReportContext(report, case.workspace), weights, TracedFrames(case.located, given)
    )
    files = tuple(
        SuspectFile(rank, ranking.context.files[row], round(float(ranking.file_shares[row]), 4))
        for rank, row in enumerate(ranking.file_order[: options.top_files or None], 1)
    )
    lines = _lines(ranking, given)
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
    found = {
        (files[lines[index].row], lines[index].number): float(ranking.line_shares[index])
        for index in ranking.line_order
    }
    for place, share in traced.items():
        found.setdefault(place, TRACED_ALONE * share)
    return sorted(found.items(), key=lambda item: (-round(item[1], 9), item[0]))


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
        found = [
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
                said = {evidence.why for evidence in found}
                best = sorted(reasons.items(), key=lambda item: (-item[1], item[0][1]))
                rest = [item for item in best if item[0][1] not in said]
                found += [
                    Evidence(kind, round(part / total, 4), why) for (kind, why), part in rest[:most]
                ]
        return tuple(found[:MAX_EVIDENCE]) or (Evidence("vsm", 0.0, OF_FILES["file"]),)

    def _of_line(self, index: int) -> dict[tuple[str, str], float]:
        text = self._ranking.statements.texts[index]
        words = quoted(word for word in words_of(text) if word.lower() in self._words)
        parts = parts_of(self._ranking.line_signals, self._weights.lines, index, OF_LINES)
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
        parts = parts_of(functions.signals, self._weights.functions, at, OF_FUNCTIONS)
        if not names:
            parts.pop("used", None), parts.pop("rarest", None)
        texts = {g: OF_FUNCTIONS[g].format(it=it, owner=block.owner, names=names) for g in parts}
        return sentences_of_groups(parts, texts)

    def _of_file(self, row: int) -> dict[tuple[str, str], float]:
        ranking = self._ranking
        found: defaultdict[tuple[str, str], float] = defaultdict(float)
        signals = {**ranking.signals, **ranking.neighbours}
        for level in (self._weights.files, self._weights.neighbours):
            for name, weight in level.weights.items():
                group = name.partition(".")[0]
                if name in signals and weight > 0 and group in OF_FILES:
                    why = ranking.context.notes.get((name, row)) or OF_FILES[group]
                    found[_KINDS.get(group, "structure"), why] += weight * float(signals[name][row])
        return {reason: part for reason, part in found.items() if part > 0}

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
    signals: Mapping[str, Floats], level: Level, index: int, groups: Iterable[str]
) -> dict[str, float]:
    """Return by group of signals what speaks for a candidate: its positive part of the score."""
    found = dict.fromkeys(groups, 0.0)
    for name, weight in level.weights.items():
        group = name.removeprefix("with_stack.").partition(".")[0]
        if name in signals and group in found:
            found[group] += weight * float(signals[name][index])
    return {group: part for group, part in found.items() if part > 0}


def sentences_of_groups(
    parts: Mapping[str, float], texts: Mapping[str, str]
) -> dict[tuple[str, str], float]:
    """Return the kinds and sentences of groups; groups that say the same are added up."""
    found: defaultdict[tuple[str, str], float] = defaultdict(float)
    for group, part in parts.items():
        found[_KINDS.get(group, "structure"), texts[group]] += part
    return dict(found)


def quoted(words: Iterable[str]) -> str:
    """Return the first words, quoted, as part of a sentence; nothing for none."""
    return ", ".join(f"`{word}`" for word in list(dict.fromkeys(words))[:_MOST_NAMES])
