"""Measures that the benchmarks share: recorded cases, what is right about an answer, hits at k."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from dl_bug_lsp import localize as middle
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.report import Options
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.workspace import Workspace

if TYPE_CHECKING:
    from dl_bug_lsp.evidence.case import Case as FailingCase

LINE_CUTS = (1, 3, 5, 10)
FUNCTION_CUTS = (1, 5)
Line: TypeAlias = tuple[str, int]
"""A file relative to the workspace with ``/``, and a 1-based line."""
Unit: TypeAlias = tuple[str, str]
"""A file and the innermost function or class in it; see `Case.unit`."""


@dataclass(frozen=True)
class Case:
    """One recorded failure with its known cause (the shape is told in ``fixtures/README.md``)."""

    folder: Path
    category: str | None
    alternatives: frozenset[str]
    bug_type: str | None
    origin: str
    framework: str
    format: str
    silent: bool
    causes: tuple[Line, ...]
    raise_site: Line | None

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def is_raised_elsewhere(self) -> bool:
        """Whether a line of the workspace raises that is none of the causes."""
        return self.raise_site is not None and self.raise_site not in self.causes

    @property
    def is_outside_python(self) -> bool:
        """Whether the best cause stands in a file that is neither a module nor a notebook."""
        return not self.causes[0][0].endswith((".py", ".ipynb"))

    @cached_property
    def _blocks(self) -> dict[str, list[tuple[int, int, str]]]:
        return {}

    def unit(self, line: Line) -> Unit:
        """Return the innermost function or class around a line, decorators counted in.

        Lines of a module outside all of them are one unit; so is a file that is no Python module
        or that does not parse.
        """
        file, number = line
        if file not in self._blocks:
            self._blocks[file] = blocks_of(self.folder / "workspace" / file)
        around = [b for b in self._blocks[file] if b[0] <= number <= b[1]]
        return file, max(around, key=lambda b: (b[0], -b[1]))[2] if around else ""


def blocks_of(path: Path) -> list[tuple[int, int, str]]:
    """Return first line, last line and dotted name of each function and class of a module."""
    if path.suffix != ".py":
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return []
    return list(_blocks_below(tree, ""))


def _blocks_below(node: ast.AST, prefix: str) -> Iterator[tuple[int, int, str]]:
    for child in ast.iter_child_nodes(node):
        name = prefix
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = f"{prefix}.{child.name}" if prefix else child.name
            first = min([child.lineno, *(d.lineno for d in child.decorator_list)])
            # The first line tells apart functions of one name.
            yield first, child.end_lineno or first, f"{name}:{first}"
        yield from _blocks_below(child, name)


def read_case(folder: Path) -> Case:
    """Read a case's truth; the bug type may go by ``bug_type`` or ``dl_type``."""
    truth: dict[str, Any] = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    site = truth.get("raise_site")
    return Case(
        folder=folder,
        category=truth["category"],
        alternatives=frozenset(truth.get("category_alt") or ()),
        bug_type=truth["bug_type"] if "bug_type" in truth else truth["dl_type"],
        origin="extrinsic" if truth["extrinsic"] else "intrinsic",
        framework=truth["framework"],
        format=truth["format"],
        silent=truth["silent"],
        causes=tuple((root["file"], root["line"]) for root in truth["root_cause"]),
        raise_site=(site["file"], site["line"]) if site else None,
    )


def primary_case(text: str | bytes, workspace: Workspace) -> FailingCase | None:
    """Return what the sources of evidence ask of the failure that ended a job, None without one."""
    log = read_log(text)
    failures = middle.failures_of(log, read_failures(log))
    primary = next((failure for failure in failures if failure.primary), None)
    return None if primary is None else middle.case_of(primary, log, workspace, Options())


def case_folders(tops: Iterable[Path]) -> list[Path]:
    """Return the folders of cases directly below ``tops``, by name within each."""
    return [
        folder
        for top in tops
        for folder in sorted(top.iterdir())
        if re.match(r"\d+-", folder.name) and (folder / "truth.json").is_file()
    ]


@dataclass(frozen=True)
class Answer:
    """What a method says of a case; None for what it does not speak about."""

    lines: tuple[Line, ...]
    category: str | None = None
    bug_type: str | None = None
    origin: str | None = None


@dataclass(frozen=True)
class Score:
    """What is right about an answer; ranks are 1-based, None where the cause was not named.

    The verdicts are None for a method that gives none.
    """

    category: bool | None
    category_or_alternative: bool | None
    bug_type: bool | None
    origin: bool | None
    line_rank: int | None
    function_rank: int | None


def score(case: Case, answer: Answer, speaks: Collection[str]) -> Score:
    """Judge an answer; ``speaks`` names the verdicts that its method gives at all."""
    units = list(dict.fromkeys(case.unit(line) for line in answer.lines))

    def verdict(name: str, right: Collection[str | None]) -> bool | None:
        if name not in speaks or None in right:
            return None
        return getattr(answer, name) in right

    return Score(
        category=verdict("category", {case.category}),
        category_or_alternative=verdict("category", {case.category, *case.alternatives}),
        bug_type=verdict("bug_type", {case.bug_type}),
        origin=verdict("origin", {case.origin}),
        line_rank=first_rank(list(dict.fromkeys(answer.lines)), case.causes),
        function_rank=first_rank(units, [case.unit(line) for line in case.causes]),
    )


def first_rank(ranking: Sequence[object], wanted: Collection[object]) -> int | None:
    """Return the 1-based rank of the first element that is wanted."""
    return next((rank for rank, found in enumerate(ranking, 1) if found in wanted), None)


def hits(ranks: Sequence[int | None], cut: int) -> float:
    """Return the share of ranks up to ``cut`` (0 to 1)."""
    return sum(rank is not None and rank <= cut for rank in ranks) / (len(ranks) or 1)


def mean_reciprocal_rank(ranks: Sequence[int | None]) -> float:
    """Return the mean of 1/rank, 0 where the cause was not named."""
    return sum(1 / rank for rank in ranks if rank) / (len(ranks) or 1)


def accuracy(verdicts: Sequence[bool | None]) -> float | None:
    """Return the share of right verdicts (0 to 1), None for a method that gives none."""
    given = [verdict for verdict in verdicts if verdict is not None]
    return sum(given) / len(given) if given else None


def row(scores: Sequence[Score]) -> list[str]:
    """Return the figures of one method over cases, in the order of `COLUMNS`; all in per cent.

    Except the mean reciprocal rank of the first cause.
    """
    lines = [s.line_rank for s in scores]
    functions = [s.function_rank for s in scores]
    return [
        _percent(accuracy([s.category for s in scores])),
        _percent(accuracy([s.category_or_alternative for s in scores])),
        _percent(accuracy([s.bug_type for s in scores])),
        _percent(accuracy([s.origin for s in scores])),
        *(_percent(hits(lines, cut)) for cut in LINE_CUTS),
        *(_percent(hits(functions, cut)) for cut in FUNCTION_CUTS),
        f"{mean_reciprocal_rank(lines):.3f}",
    ]


COLUMNS = (
    "category",
    "or alt",
    "type",
    "origin",
    *(f"line@{cut}" for cut in LINE_CUTS),
    *(f"func@{cut}" for cut in FUNCTION_CUTS),
    "MRR",
)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"
