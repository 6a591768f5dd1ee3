"""Lists of a table's columns that leave out fewer of them than the table that goes on does.

Positions and counts of such a list are those of other columns than the array has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword, near_files, source
from dl_bug_lsp.provenance.scopes import called_name

COUNTED = frozenset(("illegal_index", "tensor_mismatch", "illegal_argument", "corrupt_data"))
"""Categories of failures that a wrong position or number of columns has."""
MOST_FILES = 12
OF_OTHERS = 0.5
"""What a list counts of which nothing stands in a file of the stack."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An expression that leaves out columns of a table, by the names of the expressions for them.

    ``is_list`` says that it is a list of names, not the table itself.
    """

    file: str
    line: int
    text: str
    columns: frozenset[str]
    is_list: bool


def find_left_out_columns(case: Case) -> Iterator[Clue]:
    """Yield lists of columns and tables of which one leaves out what the other keeps."""
    if case.category.id not in COUNTED:
        return
    found: list[LeftOut] = []
    stack = {place.file for place in case.places}
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            columns = _left_out(node)
            if columns:
                assert isinstance(node, (ast.ListComp, ast.Call))
                is_list = isinstance(node, ast.ListComp)
                found.append(LeftOut(file, node.lineno, source(node), columns, is_list))
    for fewer in found:
        for more in found:
            if fewer.is_list != more.is_list and fewer.columns < more.columns:
                others = ", ".join(f"`{name}`" for name in sorted(more.columns - fewer.columns))
                why = (
                    f"`{fewer.text}` keeps {others}, which `{more.text}` leaves out "
                    f"({more.file}:{more.line})"
                )
                score = 1.0 if stack & {fewer.file, more.file} else OF_OTHERS
                yield Clue("rules.strong", fewer.file, fewer.line, score, why)
                break


def _left_out(node: ast.AST) -> frozenset[str]:
    """Return what an expression leaves out of a table's columns, empty if that is not written."""
    if isinstance(node, ast.ListComp) and len(node.generators) == 1:
        loop = node.generators[0]
        whole = isinstance(loop.target, ast.Name) and source(node.elt) == source(loop.target)
        if whole and "columns" in source(loop.iter):
            return _of_tests(source(loop.target), loop.ifs)
    if isinstance(node, ast.Call) and called_name(node) == "drop":
        given = keyword(node, "columns")
        axis = keyword(node, "axis")
        if given is None and isinstance(axis, ast.Constant) and axis.value in (1, "columns"):
            given = keyword(node, "labels") or (node.args[0] if node.args else None)
        return _names(given) if given is not None else frozenset()
    return frozenset()


def _of_tests(item: str, tests: list[ast.expr]) -> frozenset[str]:
    """Return what the tests of a comprehension leave out; empty where one asks something else."""
    left: set[str] = set()
    parts = [
        part
        for test in tests
        for part in (test.values if isinstance(test, ast.BoolOp) else [test])
        if not isinstance(test, ast.BoolOp) or isinstance(test.op, ast.And)
    ]
    for part in parts:
        if not isinstance(part, ast.Compare) or source(part.left) != item or len(part.ops) != 1:
            return frozenset()
        other = part.comparators[0]
        if not isinstance(part.ops[0], (ast.NotIn, ast.NotEq)) or not _names(other):
            return frozenset()
        left |= _names(other)
    return frozenset(left)


def _names(expr: ast.expr) -> frozenset[str]:
    """Return the names of columns that an expression stands for, as they are written."""
    if isinstance(expr, (ast.List, ast.Tuple, ast.Set)):
        parts = [_names(part) for part in expr.elts]
        return frozenset().union(*parts) if all(parts) else frozenset()
    if isinstance(expr, ast.Subscript) and isinstance(expr.slice, ast.Constant):
        return frozenset((str(expr.slice.value),))
    if isinstance(expr, ast.Attribute):
        return frozenset((expr.attr,))
    if isinstance(expr, ast.Constant) and isinstance(expr.value, str):
        return frozenset((expr.value,))
    return frozenset()
