"""Lines unlike the code around them, by an n-gram language model of the project's own files.

Faulty lines are on average harder to predict than others (Ray et al., "On the naturalness of buggy
code", ICSE 2016), by a model of the files nearby, which knows their names (Tu, Su and Devanbu, "On
the localness of software", FSE 2014). Its tokens are the parts of identifiers, numbers, short texts
and operators; counts are smoothed as by Witten and Bell ("The zero-frequency problem", IEEE
Transactions on Information Theory 37(4), 1991). A line's own tokens are not counted.
"""

from __future__ import annotations

import math
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from statistics import fmean, pstdev

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.followed_run import FEW_MODULES, follow
from dl_bug_lsp.workspace import Workspace

ORDER = 4
"""Tokens of the longest n-gram."""
VOCABULARY = 50_000
"""Tokens that are taken to be equally likely where nothing is known."""
MOST_FILES = 30
LONGEST_FILE = 4_000
"""Lines."""
MOST_KEPT = 256
"""Files whose tokens are kept for the next failure."""
FEWEST_LINES = 8
"""Lines that are compared at least."""
FAR = 1.0
"""Standard deviations above the mean from which a line is said to be unlike others."""
UNLIKE = "this line is written unlike most of the code around it"
WIDEST = 2.0
"""Standard deviations from the mean up to which a line counts more or less."""
TOKEN = re.compile(
    r"""(?P<comment>\#.*)|(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
    r"|(?P<number>\d[\w.]*)|(?P<name>[^\W\d]\w*)|[^\s\w]"
)
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
SHORT_TEXT = re.compile(r"[\w./-]{1,24}")
Tokens = tuple[str, ...]


def find(case: Case) -> Iterator[Clue]:
    """Yield the lines of the slices, all of them, with how unlike the other code each is.

    Only in a workspace of many files: a small one says too little of how its lines are written. A
    line that is not unlike others has a clue without a sentence.
    """
    if len(case.workspace.python_files()) <= FEW_MODULES:
        return
    lines = dict.fromkeys(_compared(case))
    unlikeness = surprises(case.workspace, lines)
    if len(unlikeness) < FEWEST_LINES:
        return
    mean, deviation = fmean(unlikeness.values()), pstdev(unlikeness.values())
    for (file, line), bits in unlikeness.items():
        distance = (bits - mean) / deviation if deviation else 0.0
        score = (max(-WIDEST, min(distance, WIDEST)) + WIDEST) / (2 * WIDEST)
        if score > 0:
            yield Clue("naturalness.line", file, line, score, UNLIKE if distance > FAR else "")


def _compared(case: Case) -> Iterator[tuple[str, int]]:
    steps = (*case.raise_slice, *(step for steps in case.outer_slices for step in steps))
    yield from ((place.file, place.line) for place in case.places)
    yield from ((step.node.file, step.node.line) for step in steps)
    yield from follow(case).dynamic_slice if case.places else ()


def surprises(
    workspace: Workspace, lines: Iterable[tuple[str, int]]
) -> dict[tuple[str, int], float]:
    """Return for lines of Python files the bits of a token on average; those without are left out.

    The model is that of their files and of the others in the same folders.
    """
    wanted: defaultdict[str, list[int]] = defaultdict(list)
    for file, line in lines:
        if file.endswith(".py") and 0 < line <= min(len(workspace.lines(file)), LONGEST_FILE):
            wanted[file].append(line)
    folders = {posixpath.dirname(file) for file in wanted}
    near = (f for f in workspace.python_files() if posixpath.dirname(f) in folders)
    files = [*wanted, *(f for f in near if f not in wanted and f.endswith(".py"))][:MOST_FILES]
    texts = {file: _tokens_of_file(workspace, file) for file in files}
    grams = {
        (file, line): list(_grams(texts[file], line))
        for file, numbers in wanted.items()
        if file in texts
        for line in numbers
    }
    model = _Model({g[:-1] for found in grams.values() for gram in found for g in _ends(gram)})
    for tokens in texts.values():
        checkpoint()
        model.learn([token for line in tokens for token in line])
    return {
        place: fmean(-math.log2(model.probability(gram)) for gram in found)
        for place, found in grams.items()
        if found
    }


class _Model:
    """Counts of what follows some contexts, up to `ORDER` - 1 tokens each."""

    def __init__(self, contexts: set[Tokens]) -> None:
        self._counts: dict[Tokens, Counter[str]] = {context: Counter() for context in contexts}

    def learn(self, tokens: Sequence[str]) -> None:
        for at, token in enumerate(tokens):
            for length in range(min(ORDER, at + 1)):
                counts = self._counts.get(tuple(tokens[at - length : at]))
                if counts is None:
                    break  # The contexts hold the ends of each of them.
                counts[token] += 1

    def probability(self, gram: Tokens) -> float:
        """Return how likely the last token of an n-gram is after the others, but for this time."""
        likely = 1.0 / VOCABULARY
        for shorter in _ends(gram):
            counts = self._counts[shorter[:-1]]
            others = counts.total() - 1
            if others > 0:
                count = counts[gram[-1]] - 1
                kinds = len(counts) - (count == 0)
                likely = (count + kinds * likely) / (others + kinds)
        return likely


def _ends(gram: Tokens) -> Iterator[Tokens]:
    """Yield the ends of an n-gram, the shortest first."""
    return (gram[start:] for start in range(len(gram) - 1, -1, -1))


def _grams(lines: Sequence[Tokens], number: int) -> Iterator[Tokens]:
    """Yield the n-grams of which the last token stands in a 1-based line."""
    own = lines[number - 1][:-1]
    before: list[str] = []
    for line in reversed(lines[: number - 1]):
        before[:0] = line
        if len(before) >= ORDER:
            break
    tokens = (*before, *own)
    for end in range(len(before) + 1, len(tokens) + 1):
        yield tokens[max(0, end - ORDER) : end]


def _tokens_of_file(workspace: Workspace, file: str) -> tuple[Tokens, ...]:
    """Return the tokens of each line, with one for its end; a line without any has none."""

    def make() -> tuple[Tokens, ...]:
        return tuple(map(_tokens_of_line, workspace.lines(file)[:LONGEST_FILE]))

    return workspace.derived("naturalness.tokens", file, make, most=MOST_KEPT)


@lru_cache(maxsize=1 << 15)
def _tokens_of_line(line: str) -> Tokens:
    tokens: list[str] = []
    for match in TOKEN.finditer(line):
        kind, text = match.lastgroup, match.group()
        if kind == "name":
            parts = [part.lower() for part in PART.findall(text)] or ["_"]
            # What goes on is another token than what begins: `dim` and the end of `hidden_dim`.
            tokens += [parts[0], *("_" + part for part in parts[1:])]
        elif kind == "text":
            inside = text[1:-1]
            parts = PART.findall(inside.lower()) if SHORT_TEXT.fullmatch(inside) else ["..."]
            tokens += ['"', *parts, '"']
        elif kind != "comment":
            tokens.append(text)
    return (*tokens, "\n") if tokens else ()
