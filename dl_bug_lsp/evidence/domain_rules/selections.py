"""Rules for what is left over too little: conditions that select few of many items."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import near_scopes, own_nodes, source
from dl_bug_lsp.evidence.followed_run import follow, how_known
from dl_bug_lsp.provenance.scopes import called_name

TOO_FEW = re.compile(
    r"(?i)larger (?:sample )?than (?:the )?population|\bempty\b|\b0 sample|num_samples=0"
    r"|n_samples=0|at least (?:one|two|\d+) (?:array|sample|element|row|example|item|member)"
    r"|zero-size array|only 1 member|members? in each class|least populated class"
    r"|population must be|greater than the number of (?:samples|members)"
    r"|n_samples=\d+ should be >= n_clusters|size 0\b|(?:division|divide|modulo) by zero"
    r"|ran out of data|received no (?:data|input)"
    r"|Expected n_neighbors <= n_samples|No (?:data|samples|examples|rows)|with 0 (?:rows|samples)"
)
"""How messages say that there are fewer items than are wanted."""
FEW_ERRORS = ("StopIteration", "StatisticsError")
FEW = 0.4
"""The share of items up to which a condition selects few: most filters are there to drop some."""
MANY = 8
"""Items from which on the share tells something."""
ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.NotEq, ast.In, ast.NotIn, ast.Eq)


def find_selections(case: Case) -> Iterator[Clue]:
    """Yield conditions that kept few of the items that the followed run asked them of."""
    cause = case.failure.cause
    if not TOO_FEW.search(case.message) and (cause is None or cause.type not in FEW_ERRORS):
        return
    for (file, line), (taken, asked) in follow(case).selected.items():
        found = _condition(case, file, line) if asked >= MANY else None
        if found is None:
            continue
        test, keeps = found
        kept = taken if keeps else asked - taken
        share = kept / asked
        if share < FEW and (kept == 0 or not _looks_for_one(test)):
            why = f"`{source(test)}` keeps {kept} of {asked} items {how_known(case)}"
            yield Clue("rules.strong", file, line, 1 - share / FEW, why)


ONCE = frozenset(
    ("filter", "map", "zip", "iter", "parameters", "named_parameters", "reader", "DictReader")
)
"""Functions and methods whose result can be iterated over once."""


def find_used_up(case: Case) -> Iterator[Clue]:
    """Yield an iterator that a line uses up, where a later one finds nothing left in it."""
    cause = case.failure.cause
    if not TOO_FEW.search(case.message) and (cause is None or cause.type not in FEW_ERRORS):
        return
    for scope in near_scopes(case):
        if scope.is_class:
            continue
        nodes = list(own_nodes(scope.node))
        for made in nodes:
            if not isinstance(made, ast.Assign) or not isinstance(made.targets[0], ast.Name):
                continue
            if not _is_once(made.value):
                continue
            name = made.targets[0].id
            reads = sorted(_reads(scope.node, name, made.lineno), key=lambda n: n.lineno)
            again = [n.lineno for n in reads if n.lineno > reads[0].lineno]
            if again and _is_used_up_in(scope.node, reads[0]):
                why = f"`{name}` can be iterated over once: line {reads[0].lineno} uses it up"
                yield Clue("rules.strong", scope.file, reads[0].lineno, 1.0, why)
                yield Clue("rules.strong", scope.file, made.lineno, 0.9, why)


def _is_once(value: ast.expr) -> bool:
    return isinstance(value, ast.GeneratorExp) or (
        isinstance(value, ast.Call) and called_name(value) in ONCE
    )


def _reads(node: ast.AST, name: str, after: int) -> Iterator[ast.Name]:
    names = (inner for inner in ast.walk(node) if isinstance(inner, ast.Name))
    for read in names:
        if read.id == name and read.lineno > after and isinstance(read.ctx, ast.Load):
            yield read


def _is_used_up_in(node: ast.AST, read: ast.Name) -> bool:
    """Whether a name is iterated over where it is read: by a loop, or by a function like `sum`."""
    for inner in ast.walk(node):
        if isinstance(inner, (ast.For, ast.comprehension)) and inner.iter is read:
            return True
        if isinstance(inner, ast.Call) and any(arg is read for arg in inner.args):
            return called_name(inner) in WHOLE
    return False


WHOLE = frozenset(
    ("sum", "list", "tuple", "set", "sorted", "max", "min", "any", "all", "dict", "join")
)
"""Functions that go through the whole of what they are given."""


def _condition(case: Case, file: str, line: int) -> tuple[ast.expr, bool] | None:
    """Return the condition on a line that compares, and whether it keeps that of which it is true.

    What is raised, tried or done instead selects nothing.
    """
    tree = case.workspace.tree(file)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.If) and node.test.lineno == line:
            kept = _keeps(node)
            return (node.test, kept) if kept is not None and _compares(node.test) else None
        if isinstance(node, ast.comprehension):
            for test in node.ifs:
                if test.lineno == line and _compares(test):
                    return test, True
        if isinstance(node, ast.Subscript) and node.lineno == line and _compares(node.slice):
            return node.slice, True
    return None


def _keeps(node: ast.If) -> bool | None:
    """Return whether an item goes on where a condition is true, None where either does."""
    if node.orelse:
        return None
    if isinstance(node.body[-1], ast.Continue):
        return False
    adds = any(
        isinstance(part, (ast.Yield, ast.YieldFrom))
        or (isinstance(part, ast.Attribute) and part.attr in ("append", "add", "extend"))
        for statement in node.body
        for part in ast.walk(statement)
    )
    return True if adds else None


def _looks_for_one(test: ast.expr) -> bool:
    """Whether a condition is made to hold of few: it asks for a value, or one of some."""
    compares = [part for part in ast.walk(test) if isinstance(part, ast.Compare)]
    return any(isinstance(part.ops[0], (ast.Eq, ast.In)) for part in compares)


def _compares(test: ast.expr) -> bool:
    return any(
        (isinstance(part, ast.Compare) and isinstance(part.ops[0], ORDERS))
        or (isinstance(part, ast.UnaryOp) and isinstance(part.op, (ast.Not, ast.Invert)))
        for part in ast.walk(test)
    )
