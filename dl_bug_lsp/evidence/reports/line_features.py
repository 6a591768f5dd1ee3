"""Features of lines: inside the functions that rank first, which statements the report means."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dl_bug_lsp.evidence.reports.blocks import Block, names_read, set_by
from dl_bug_lsp.evidence.reports.documents import term_numbers
from dl_bug_lsp.evidence.reports.function_features import Functions
from dl_bug_lsp.evidence.reports.report_context import ReportContext
from dl_bug_lsp.retrieval import Floats, words_of

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("def", re.compile(r"\s*(?:async\s+)?(?:def|class)\b")),
    ("decorator", re.compile(r"\s*@")),
    ("raise", re.compile(r"\s*(?:raise|assert)\b|.*\bwarn\w*\(")),
    ("return", re.compile(r"\s*(?:return|yield)\b")),
    ("if", re.compile(r"\s*(?:if|elif|while)\b")),
    (
        "else",
        re.compile(r"\s*(?:except\b.*|(?:else|try|finally|pass|continue|break)\s*(?::\s*)?)$"),
    ),
    ("for", re.compile(r"\s*(?:async\s+)?(?:for|with)\b")),
    ("import", re.compile(r"\s*(?:import|from)\b")),
    ("comment", re.compile(r"\s*#")),
    ("closing", re.compile(r"\s*[)\]}]+,?\s*$")),
    ("assign", re.compile(r"\s*[\w.\[\]'\",][\w.\[\]'\", \t]*[-+*/]?=[^=]")),
    ("call", re.compile(r"\s*[\w.]+\(")),
)
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|#.*")
_MOST_LINES = 400
_NEAR = 3
_TELLING = 12
"""A quoted line of fewer characters may stand anywhere."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of code in a block (its index among the blocks); ``number`` is 1-based."""

    block: int
    row: int
    number: int


class Statements:
    """The lines of some blocks with their features, an array over ``lines`` each."""

    def __init__(self, functions: Functions, chosen: Sequence[int]) -> None:
        self.functions = functions
        self.context: ReportContext = functions.context
        self.lines: list[Line] = []
        self.texts: list[str] = []
        for index in chosen:
            self._take(index, functions.blocks[index])

    def _take(self, index: int, block: Block) -> None:
        """Add a block's lines: no blank ones, no docstrings, none of a block inside it."""
        file = self.context.files[block.row]
        own = self.functions.files[block.row]
        d = block.definition
        skip = docstring_lines(self.context, file)
        texts = self.context.workspace.lines(file)
        count = 0
        for number in range(d.first, min(d.end_line, len(texts)) + 1):
            text = texts[number - 1]
            if number in skip or not text.strip() or own.at(number) != index:
                continue
            if count >= _MOST_LINES:
                continue
            count += 1
            self.lines.append(Line(index, block.row, number))
            self.texts.append(text)

    def features(self) -> dict[str, Floats]:
        """Return every feature by name."""
        features = self._kinds() | self._words() | self._framed() | self._told()
        return features | {"position": self._positions(), "kind.continued": self._continued()}

    def _kinds(self) -> dict[str, Floats]:
        features = {f"kind.{name}": np.zeros(len(self.lines)) for name, _ in _KINDS}
        features["kind.other"] = np.zeros(len(self.lines))
        for index, text in enumerate(self.texts):
            kind = next((name for name, shape in _KINDS if shape.match(text)), "other")
            features[f"kind.{kind}"][index] = 1.0
        return features

    def _words(self) -> dict[str, Floats]:
        """Return the idf of the report's terms and identifiers on a line and on its neighbours."""
        context = self.context
        idf = context.passage_matches.idf
        features = {name: np.zeros(len(self.lines)) for name in ("title", "main", "all", "names")}
        weights = {part: context.weights[part] > 0 for part in ("title", "main", "all")}
        strong = {
            n
            for names in context.identifiers.values()
            for n, is_strong in names.items()
            if is_strong
        }
        for index, text in enumerate(self.texts):
            words = set(words_of(text))
            numbers = {number for word in words for number in term_numbers(word)}
            columns = context.query.columns(np.array(sorted(numbers), dtype=np.int64))
            columns = columns[columns >= 0]
            for part, asked in weights.items():
                features[part][index] = float((idf[columns] * asked[columns]).sum())
            features["names"][index] = float(len(words & strong))
        result: dict[str, Floats] = {}
        for name, values in features.items():
            top = float(values.max(initial=0.0)) or 1.0
            if name != "title":
                result[f"words.{name}"] = values / top
            result[f"near.{name}"] = self._near(values / top)
        return result

    def _near(self, values: Floats) -> Floats:
        """Return the mean of the lines right above and below in the same block."""
        near = np.zeros(len(values))
        for index in range(len(values)):
            for other in (index - 1, index + 1):
                if 0 <= other < len(values) and self.lines[other].block == self.lines[index].block:
                    near[index] += values[other] / 2
        return near

    def _framed(self) -> dict[str, Floats]:
        """Return frames at and near a line, and whether it sets what they read."""
        names = ("traced", "frame.at", "frame.innermost", "frame.near", "sets")
        features = {name: np.zeros(len(self.lines)) for name in names}
        frames = self.functions.frames
        at: dict[int, list[int]] = {}
        for frame in frames.all:
            at.setdefault(frame.row, []).append(frame.line)
        first = [(frame.row, frame.line) for frame in frames.all[:1]]
        read = names_read(frames)
        for index, line in enumerate(self.lines):
            place = (self.context.files[line.row], line.number)
            known = at.get(line.row, ())
            features["traced"][index] = self.functions.traced.shares.get(place, 0.0)
            features["frame.at"][index] = float(line.number in known)
            features["frame.innermost"][index] = float((line.row, line.number) in first)
            near = any(0 < abs(other - line.number) <= _NEAR for other in known)
            features["frame.near"][index] = float(near)
            name = set_by(self.texts[index])
            if name is not None and line.number not in known:
                features["sets"][index] = read.get(name, 0.0)
        return features

    def _told(self) -> dict[str, Floats]:
        """Return whether the report links to a line or quotes it."""
        features = {name: np.zeros(len(self.lines)) for name in ("link", "quoted")}
        quoted = {_bare(line) for line in (*self.context.report.code, *self.context.report.trace)}
        for index, line in enumerate(self.lines):
            for row, first, last in self.functions.linked:
                if row == line.row and first <= line.number <= last:
                    features["link"][index] = 1.0
            bare = _bare(self.texts[index])
            features["quoted"][index] = float(len(bare) > _TELLING and bare in quoted)
        return features

    def _continued(self) -> Floats:
        """Return which lines stand inside brackets that a line above them in the block opened."""
        scores = np.zeros(len(self.lines))
        depth = 0
        for index, text in enumerate(self.texts):
            if index and self.lines[index - 1].block != self.lines[index].block:
                depth = 0
            scores[index] = float(depth > 0)
            code = _QUOTED.sub("", text)
            opened = sum(code.count(sign) for sign in "([{")
            depth = max(0, depth + opened - sum(code.count(sign) for sign in ")]}"))
        return scores

    def _positions(self) -> Floats:
        """Return how far down its block a line stands, from 0 to 1."""
        scores = np.zeros(len(self.lines))
        for index, line in enumerate(self.lines):
            d = self.functions.blocks[line.block].definition
            scores[index] = (line.number - d.first) / max(1, d.end_line - d.first)
        return scores


def _bare(text: str) -> str:
    return re.sub(r"\s+", "", text.partition("#")[0])


def docstring_lines(context: ReportContext, file: str) -> set[int]:
    """Return the lines (1-based) that strings standing alone as statements cover."""
    tree = context.workspace.tree(file)
    lines: set[int] = set()
    stack: list[ast.AST] = [tree] if tree is not None else []
    while stack:
        node = stack.pop()
        body = getattr(node, "body", None)
        for child in body if isinstance(body, list) else ():
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                if isinstance(child.value.value, str):
                    lines.update(range(child.lineno, (child.end_lineno or child.lineno) + 1))
            elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                stack.append(child)
    return lines
