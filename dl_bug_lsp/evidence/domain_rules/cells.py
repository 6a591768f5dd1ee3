"""Notebooks: a name that is made in a cell which had not run when another one needed it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.values import Case, Clue
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.workspace.notebooks import Cell


def find(case: Case) -> Iterator[Clue]:
    """Yield where other cells of the failing notebook make the undefined name."""
    if case.category.id != "undefined_variable" or not case.places:
        return
    names = {str(f.value) for f in case.facts.of(FactKind.NAME)}
    for file in sorted({place.file for place in case.places if place.file.endswith(".ipynb")}):
        cells = case.workspace.cells(file)
        own = max((p.line for p in case.places if p.file == file), default=0)
        failed = _cell_of(cells, own)
        tree = case.workspace.tree(file)
        for line, name in _made(tree, names) if tree is not None else ():
            cell = _cell_of(cells, line)
            why = _reason(cell, failed) if cell is not None and failed is not None else ""
            if why:
                yield Clue("rules.strong", file, line, 1.0, f"`{name}` is made here, {why}")


def _cell_of(cells: tuple[Cell, ...], line: int) -> Cell | None:
    return next((cell for cell in cells if line in cell.raw), None)


def _reason(cell: Cell, failed: Cell) -> str:
    """Return why a cell had not run before the failed one; empty where it had, or is the same."""
    if cell.number == failed.number:
        return ""
    if cell.execution_count is None and failed.execution_count is not None:
        return f"in code cell {cell.number}, which was not run"
    if cell.execution_count is not None and failed.execution_count is not None:
        is_later = cell.execution_count > failed.execution_count
        return f"in code cell {cell.number}, which ran only afterwards" if is_later else ""
    if cell.number < failed.number:
        return ""
    return f"in code cell {cell.number}, below the one that failed"


def _made(tree: ast.Module, names: set[str]) -> Iterator[tuple[int, str]]:
    """Yield the top-level statements that bind one of the names."""
    for statement in tree.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound = {statement.name}
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            bound = {(a.asname or a.name).partition(".")[0] for a in statement.names}
        else:
            bound = {
                node.id
                for node in ast.walk(statement)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
        yield from ((statement.lineno, name) for name in sorted(bound & names))
