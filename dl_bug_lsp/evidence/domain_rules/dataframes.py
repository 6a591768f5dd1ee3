"""Rules for tables: columns that a join renames, fitting anew, values that are not filled."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data_files import TABLES
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, keyword, near_files, source
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.scopes import called_name

MOST_FILES = 20
MOST_TABLES = 12
FILLS = {"fillna", "dropna", "interpolate", "ffill", "bfill", "nan_to_num"}
IMPUTERS = {"SimpleImputer", "KNNImputer", "IterativeImputer"}
LEAVES = {"shift", "rolling", "pct_change", "diff", "reindex", "unstack", "pivot", "pivot_table"}
MISSING = ("contains nan", "input contains nan", "nans are not allowed", "contains missing values")


def find(case: Case) -> Iterator[Clue]:
    """Yield the calls that prepare a table otherwise than its user expects."""
    if case.category.id == "key_not_found":
        yield from _joined(case)
    message = case.message.lower()
    if "feature names should match" in message:
        yield from _dummies(case)
    if any(words in message for words in MISSING):
        yield from _not_filled(case)
    if case.category.id in WIDTHS:
        yield from _fitted_anew(case)
        yield from _fitted_by_function(case)


def _calls(case: Case) -> Iterator[tuple[str, ast.Call]]:
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        yield from ((file, call) for call in calls_in(tree)) if tree is not None else ()


def _joined(case: Case) -> Iterator[Clue]:
    """Find joins of tables that both have the missing column: it gets a suffix there."""
    keys = {str(f.value) for f in case.facts.of(FactKind.KEY)}
    files = [f for f in case.workspace.files() if f.endswith(TABLES)][:MOST_TABLES]
    tables = [table for f in files if (table := case.workspace.table(f)) is not None]
    for key in sorted(keys):
        owners = [table.file for table in tables if table.column(key) is not None]
        if len(owners) < 2:
            continue
        for file, call in _calls(case):
            on = keyword(call, "on")
            named = {n.value for n in ast.walk(on) if isinstance(n, ast.Constant)} if on else set()
            if called_name(call) not in ("merge", "merge_asof") or on is None or key in named:
                continue
            why = f"`{key}` is a column of {owners[0]} and of {owners[1]}: joined, it gets a suffix"
            yield Clue("rules.strong", file, call.lineno, 1.0, why)


WIDTHS = {"tensor_mismatch", "illegal_argument"}
"""Categories in which the number of features may be what is wrong."""


def _fitted_anew(case: Case) -> Iterator[Clue]:
    """Find a transformer that is fitted to one table and then anew to another.

    What it was fitted to decides how many features it makes (scikit-learn, "Common pitfalls":
    inconsistent preprocessing).
    """
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        first: dict[str, ast.Call] = {}
        for call in sorted(calls_in(tree) if tree is not None else (), key=lambda c: c.lineno):
            if called_name(call) != "fit_transform" or not call.args:
                continue
            owner = source(call.func.value) if isinstance(call.func, ast.Attribute) else ""
            before = first.setdefault(owner, call)
            if before is not call and source(before.args[0]) != source(call.args[0]):
                why = (
                    f"`{owner}` is fitted anew here, to `{source(call.args[0])}`: it may make "
                    f"other features than for `{source(before.args[0])}` (`transform` keeps them)"
                )
                yield Clue("rules.strong", file, call.lineno, 1.0, why)


def _fitted_by_function(case: Case) -> Iterator[Clue]:
    """Find a function that fits a transformer that it is given, and is called more than once."""
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        if tree is None:
            continue
        uses = Counter(called_name(call) for call in calls_in(tree))
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef) or uses[function.name] < 2:
                continue
            parameters = {a.arg for a in function.args.args}
            for call in calls_in(function):
                owner = source(call.func.value) if isinstance(call.func, ast.Attribute) else ""
                if called_name(call) in ("fit_transform", "fit") and owner in parameters:
                    why = f"`{owner}` is fitted anew here with each call of `{function.name}`"
                    yield Clue("rules.strong", file, call.lineno, 1.0, why)


KEYS = (FactKind.KEY, FactKind.COLUMN, FactKind.NAME)


def _dummies(case: Case) -> Iterator[Clue]:
    """Find tables that each get columns for their own categories (``city_Oslo``)."""
    keys = [str(f.value) for kind in KEYS for f in case.facts.of(kind)]
    if keys and not any("_" in key for key in keys):
        return
    for file, call in _calls(case):
        if called_name(call) == "get_dummies":
            why = (
                "`get_dummies` makes columns of the categories that this table holds, and no others"
            )
            yield Clue("rules.strong", file, call.lineno, 1.0, why)


def _not_filled(case: Case) -> Iterator[Clue]:
    """Find what fills missing values, and what leaves some."""
    touched = {(step.node.file, step.node.line) for step in case.raise_slice}
    for file, call in _calls(case):
        name = called_name(call)
        if name in FILLS or name in IMPUTERS:
            why = f"`{name}` treats missing values, perhaps not in all columns"
            yield Clue("rules.medium", file, call.lineno, 1.0, why)
        elif name in LEAVES:
            level = "medium" if (file, call.lineno) in touched else "weak"
            why = f"`{name}` may leave missing values"
            yield Clue(f"rules.{level}", file, call.lineno, 1.0, why)
        elif name == "to_numeric" and keyword(call, "errors") is not None:
            why = "`to_numeric` makes missing values of what is no number"
            yield Clue("rules.weak", file, call.lineno, 1.0, why)
