"""Operations that change the number of rows on the way to one of two things that belong together.

Features and labels, a table and its new column, two arrays that are stacked: where their numbers of
rows differ, an operation that drops or adds rows stands on the way to one of them and not on the
way to the other (a join that loses rows, a filter, a window, a slice).
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import source
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.slices import Step, backward_slice

UNEQUAL = re.compile(
    r"(?i)cardinality is ambiguous|inconsistent numbers of samples|length of values"
    r"|(?:same|equal|different|unequal|mismatch\w*) (?:lengths?"
    r"|number of (?:rows|samples|examples))"
    r"|lengths? (?:must|should|do not|don't) (?:match|be equal)|length mismatch"
    r"|same first dimension"
    r"|size mismatch between tensors|boolean index did not match|item wrong length"
    r"|(?:rows|samples|examples|lengths?|labels|targets)\b.{0,60}\b(?:match|differ|equal|agree)"
    r"|must have the same (?:first dimension|number)|unalignable boolean"
)
"""How messages say that two things have different numbers of rows."""
DROPPING = {
    *("merge", "join", "dropna", "drop_duplicates", "query", "sample", "head", "tail", "nlargest"),
    *(
        "nsmallest",
        "filter",
        "truncate",
        "between_time",
        "resample",
        "asfreq",
        "explode",
        "compress",
    ),
    *("unique", "concat", "append", "delete", "repeat", "sliding_window_view", "reindex", "isin"),
    *("take", "choice", "pivot", "pivot_table", "agg", "melt", "merge_asof", "merge_ordered"),
    *("timeseries_dataset_from_array", "vstack", "tile", "subsample", "resize", "drop"),
}
"""Calls that change how many rows a table or an array has."""
SIDES = {
    "x",
    "y",
    "data",
    "target",
    "targets",
    "labels",
    "label",
    "sample_weight",
    "validation_data",
}
"""Parameters that take what must have equally many rows, in lower case."""
SIDE_STEPS = 120
MOST_SIDES = 6
IN_ALL, BY_SLICE = 0.2, 0.7
"""What an operation counts that every side goes through, and one that cuts by positions."""


def find_row_counts(case: Case) -> Iterator[Clue]:
    """Yield the operations that change the number of rows of one side and not of the other."""
    if not UNEQUAL.search(case.message):
        return
    sides = [backward_slice([side], SIDE_STEPS) for side in _sides(case)]
    if len(sides) < 2:
        return
    changes = [_changes(steps) for steps in sides]
    places: dict[tuple[str, int], tuple[str, float, float]] = {}
    for own in changes:
        for place, (text, strength, distance) in own.items():
            through = sum(place in other for other in changes)
            alike = any(
                text == like
                for other in changes
                if place not in other
                for like, _, _ in other.values()
            )
            share = IN_ALL if through == len(sides) or alike else 1.0
            places.setdefault(place, (text, strength * share, distance))
    count = sum(strength >= BY_SLICE for _, strength, _ in places.values())
    for (file, line), (text, strength, distance) in places.items():
        if strength >= BY_SLICE:
            why = f"`{text}` may change the number of rows of one side alone"
            score = strength * math.exp(-distance / 20) / math.sqrt(max(count, 1))
            yield Clue("rules.rows_of_one_side", file, line, score, why)


def _sides(case: Case) -> list[Node]:
    """Return what must have equally many rows at the raise site."""
    sides: list[Node] = []
    for start in case.starts:
        for part in ast.walk(start.expr):
            exprs: list[ast.expr] = []
            if isinstance(part, ast.Compare):
                exprs = [part.left, *part.comparators]
            elif isinstance(part, ast.Call):
                named = [k.value for k in part.keywords if (k.arg or "").lower() in SIDES]
                exprs = [*part.args[:3], *named]
            for expr in exprs:
                inner = expr.elts if isinstance(expr, (ast.Tuple, ast.List)) else [expr]
                sides.extend(
                    start.engine.node(e, start.context)
                    for e in inner
                    if not isinstance(e, ast.Constant | ast.Starred)
                )
            if sides:
                return sides[:MOST_SIDES]
    return []


def _changes(steps: list[Step]) -> dict[tuple[str, int], tuple[str, float, float]]:
    """Return the operations on the way that change a number of rows: text, strength, distance."""
    changes: dict[tuple[str, int], tuple[str, float, float]] = {}
    for step in steps:
        node = step.node
        strength = _strength(node.expr)
        if strength and node.line > 0 and node.entry is None:
            changes.setdefault((node.file, node.line), (_text(node.expr), strength, step.distance))
    return changes


def _text(expr: ast.expr) -> str:
    """Return what an operation does, without that which it does it to where it cuts."""
    if isinstance(expr, ast.Subscript):
        return f"[{source(expr.slice)}]"
    return source(expr)


def _strength(expr: ast.expr) -> float:
    """Return how clearly an expression changes a number of rows, 0 where it does not."""
    if isinstance(expr, ast.Call):
        name = called_name(expr)
        by_columns = any(
            k.arg in ("columns", "items", "regex", "like")
            or (k.arg == "axis" and "1" in source(k.value))
            for k in expr.keywords
        )
        return 1.0 if name in DROPPING and not by_columns else 0.0
    if isinstance(expr, ast.Subscript):
        index = expr.slice.elts[0] if isinstance(expr.slice, ast.Tuple) else expr.slice
        if isinstance(index, ast.Slice):
            return BY_SLICE if index.lower or index.upper or index.step else 0.0
        return 1.0 if isinstance(index, ast.Compare | ast.BoolOp) else 0.0
    if isinstance(expr, ast.ListComp | ast.GeneratorExp):
        return 1.0 if any(generator.ifs for generator in expr.generators) else 0.0
    return 0.0


def find_kept_labels(case: Case) -> Iterator[Clue]:
    """Yield what leaves a table with gaps in its row labels, where a position is looked up.

    A filter and a part of a table keep the labels of their rows, and ``series[i]`` looks for the
    label ``i`` (pandas, "Indexing and selecting data").
    """
    if re.fullmatch(r"(?:np\.int64\()?\d+\)?", case.message.strip()) is None:
        return
    if not any("pandas" in frame.file for frame, _ in case.located):
        return
    seen: set[tuple[str, int]] = set()
    for step in case.stack_steps:
        node = step.node
        place = (node.file, node.line)
        if node.entry is not None or node.line <= 0 or place in seen:
            continue
        part = node.expr.slice if isinstance(node.expr, ast.Subscript) else None
        keeps = isinstance(part, ast.Constant) and isinstance(part.value, str)
        if _strength(node.expr) or keeps:
            seen.add(place)
            why = f"`{node.text}` keeps the labels of its rows, which are no positions"
            score = (0.8 if _strength(node.expr) else 1.0) * math.exp(-step.distance / 20)
            yield Clue("rules.row_labels", *place, score, why)
