"""An index past the end: the range that it runs over, or the length that was promised."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue, Suggestion
from dl_bug_lsp.evidence.domain_rules.syntax import source
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance import names, objects
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.scopes import ElementOf, called_name

ITEM_METHODS = ("__getitem__", "__getitems__")
FAR = 0.5


def find(case: Case) -> Iterator[Clue]:
    """Yield what gives an index its range, where an index is just past the end."""
    if case.class_name != "IndexError" or not case.sites:
        return
    index = [f.value for f in case.facts.of(FactKind.INDEX) if isinstance(f.value, int)]
    bound = [f.value for f in case.facts.of(FactKind.BOUND) if isinstance(f.value, int)]
    close = 1.0
    if index and bound:
        close = 1.0 if 0 <= index[0] - bound[0] <= 1 else FAR
    for start in case.starts:
        for expr in ast.walk(start.expr):
            if isinstance(expr, ast.Subscript):
                yield from _ranges(start, expr.slice, close)
                if index and bound:
                    yield from _shifted(start, expr.slice, index[0], bound[0])
    for site in reversed(case.sites):
        scope = site.context.scope
        if scope.name.rpartition(".")[2] not in ITEM_METHODS or scope.owner is None:
            continue
        length = objects.find_method(case.engine, scope.owner, "__len__")
        for returned in length.returns if length is not None else ():
            why = f"`__len__` promises `{source(returned)}` items, and one of them is not there"
            assert length is not None
            shifts = any(isinstance(n, ast.BinOp) for n in ast.walk(returned))
            score = close * (1.0 if shifts else 0.6)
            yield Clue("repair.bound", length.file, returned.lineno, score, why)
        break


def _shifted(start: Node, index: ast.expr, value: int, size: int) -> Iterator[Clue]:
    """Yield the failing line where its index would fit without the constant that it adds."""
    for part in ast.walk(index):
        if not isinstance(part, ast.BinOp) or not isinstance(part.op, ast.Add):
            continue
        added = part.right.value if isinstance(part.right, ast.Constant) else None
        if type(added) is int and added > 0 and value - added < size <= value:
            why = f"`{source(part)}` adds {added}: without it index {value} would be below {size}"
            edit = Suggestion(start.file, part.lineno, source(part), source(part.left))
            yield Clue("repair.bound", start.file, part.lineno, 1.0, why, edit)


def _ranges(start: Node, index: ast.expr, close: float) -> Iterator[Clue]:
    """Yield the loops over a ``range`` whose variable goes into an index."""
    read = {n.id for n in ast.walk(index) if isinstance(n, ast.Name)}
    for name in sorted(read):
        for child in names.lookup(start.engine, name, start.context, start.line)[:3]:
            over = child.expr.value if isinstance(child.expr, ElementOf) else None
            if not isinstance(over, ast.Call) or called_name(over) != "range" or child.line <= 0:
                continue
            stop = over.args[1] if len(over.args) > 1 else over.args[0] if over.args else None
            grown = isinstance(stop, ast.BinOp) and isinstance(stop.op, ast.Add)
            score = close * (1.0 if grown else 0.7 if isinstance(stop, ast.BinOp) else 0.4)
            why = f"`{name}` runs over `{source(over)}`, past the end"
            edit = None
            if grown and isinstance(stop, ast.BinOp):
                edit = Suggestion(child.file, child.line, source(stop), source(stop.left))
            yield Clue("repair.bound", child.file, child.line, score, why, edit)
