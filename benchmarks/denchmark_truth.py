"""What a bug's fix says was wrong: files at the version, functions and lines before the fix."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from denchmark_metrics import Score, score

from dl_bug_lsp.techniques.scores import Ranked, RankedFunction, RankedLines
from dl_bug_lsp.workspace import Workspace

_TEST = re.compile(r"(?:^|/)(?:tests?|testing)/|(?:^|/)(?:test_[^/]*|[^/]*_tests?|conftest)\.py$")


def is_test(file: str) -> bool:
    """Tell by its name whether a file is a test."""
    return _TEST.search(file) is not None


def file_scores(
    ranked: Ranked, buggy: Collection[str], workspace: Workspace
) -> tuple[Score | None, Score | None]:
    """Judge a ranking of files, all of them and those that are no tests; None where none is buggy.

    Only ``.py`` files count in the ranks, as in the study; buggy files that the version does not
    have are not asked for.
    """
    exist = {file for file in workspace.files() if file.endswith(".py")}
    order = list(dict.fromkeys(file for file, _ in ranked.files if file in exist))
    truth = exist.intersection(buggy)
    sources = {file for file in truth if not is_test(file)}
    return (
        _score_files(order, truth),
        _score_files([file for file in order if not is_test(file)], sources),
    )


def _score_files(order: Sequence[str], truth: Collection[str]) -> Score | None:
    hits = [(file,) if file in truth else () for file in order]
    return score(hits, truth) if truth else None


class ChangedCode:
    """The lines that a fix changed, and the functions that hold them, in the files before it."""

    def __init__(self, workspace: Workspace, changed: Mapping[str, Collection[int]]) -> None:
        files = set(workspace.files())
        self.lines = {
            (file, line) for file, lines in changed.items() if file in files for line in lines
        }
        blocks = {file: _blocks(workspace, file) for file in {file for file, _ in self.lines}}
        innermost = ((file, _innermost(blocks[file], line)) for file, line in sorted(self.lines))
        self.functions = {(file, name) for file, name in innermost if name is not None}

    def score_functions(self, ranked: Sequence[RankedFunction]) -> Score | None:
        """Judge a ranking of functions; None where the fix touched none.

        Meant is the innermost function, method or class around a changed line, decorators counted
        in; what stands around that is no hit.
        """
        names = dict.fromkeys((function.file, function.name) for function in ranked)
        hits = [(name,) if name in self.functions else () for name in names]
        return score(hits, self.functions) if self.functions else None

    def score_lines(self, ranked: Sequence[RankedLines]) -> Score | None:
        """Judge ranges of lines: one is a hit that touches a changed line; None without truth."""
        spans = dict.fromkeys((r.file, r.line, r.end_line) for r in ranked)
        hits = [
            [line for line in self.lines if line[0] == file and first <= line[1] <= last]
            for file, first, last in spans
        ]
        return score(hits, self.lines) if self.lines else None


@dataclass(frozen=True)
class Block:
    """A function or class; ``first`` is its first decorator's line (1-based)."""

    name: str
    first: int
    end_line: int


def _blocks(workspace: Workspace, file: str) -> list[Block]:
    tree = workspace.tree(file)
    decorated = {
        node.lineno: node.decorator_list[0].lineno
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        and node.decorator_list
    }
    functions = workspace.elements(file).functions
    return [Block(f.name, decorated.get(f.line, f.line), f.end_line) for f in functions]


def _innermost(blocks: Sequence[Block], line: int) -> str | None:
    around = [block for block in blocks if block.first <= line <= block.end_line]
    return max(around, key=lambda b: (b.first, -b.end_line)).name if around else None
