"""Rules for metrics that are computed wrongly: the model learns, its accuracy says otherwise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.training_rules.program import (
    Body,
    Training,
    argument,
    clue,
    names_in,
    text,
)
from dl_bug_lsp.provenance.printed_output import Template, templates_of
from dl_bug_lsp.provenance.scopes import called_name, dotted_name
from dl_bug_lsp.provenance.slices import backward_slice
from dl_bug_lsp.signals.diagnosis import COMPUTED_WRONGLY

PAIRS = frozenset({"max", "topk"})
"""Functions of PyTorch that give values and their positions where an axis is named."""
LARGEST = frozenset({"max", "amax", "reduce_max"})
"""Functions of arrays that give values alone."""
ARRAYS = frozenset({"np", "numpy", "jnp", "tf", "ops", "K"})
UNCHANGED = frozenset(
    {"view", "view_as", "reshape", "squeeze", "flatten", "t", "cpu", "detach", "numpy", "to", "int",
     "long", "float", "item", "tolist", "eq", "astype", "contiguous", "clone"}
)  # fmt: skip
"""Methods after which values are still those of the array."""
LABELS = re.compile(
    r"(?i)(?:^|[._])(?:y|ys|y_\w+|\w*labels?|\w*targets?|gt|truth|classes)(?:$|[._\[(])"
)
COMPARED = frozenset(
    {"eq", "equal", "accuracy_score", "f1_score", "balanced_accuracy_score", "isclose"}
)
METRIC_STEPS = 80
MOST_COMPARED = 4
ZERO = re.compile(r"0?\.0+%?|0%")


def find(training: Training) -> Iterator[Clue]:
    """Yield comparisons of a metric that cannot mean what they compare."""
    for body in training.bodies:
        yield from _largest_scores(body)
    if COMPUTED_WRONGLY in training.case.category.evidence:
        yield from _of_metric(training)


def _largest_scores(body: Body) -> Iterator[Clue]:
    """Find labels that are compared with the largest scores, not with their positions."""
    for node in body.nodes:
        for side, other in _compared(node):
            found = _largest(body, side, side.lineno)
            if found is None:
                continue
            call, line = found
            if not LABELS.search(ast.unparse(other)) or names_in(other) & names_in(call):
                continue
            why = f"the largest scores that {text(call)} gives are compared with {text(other)}"
            why = f"{why}; the classes are their positions (`argmax`)"
            yield clue("strong", body.file, line, why)


def _compared(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield both sides of a test for equality, each with the other one."""
    sides: tuple[ast.expr, ...] = ()
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
        sides = node.left, node.comparators[0]
    elif isinstance(node, ast.Call) and called_name(node) in ("eq", "equal"):
        given = [part for part in node.args if not isinstance(part, ast.Starred)]
        sides = tuple(given[:2])
        if isinstance(node.func, ast.Attribute) and len(given) == 1:
            sides = node.func.value, given[0]
    if len(sides) == 2:
        yield sides[0], sides[1]
        yield sides[1], sides[0]


def _largest(body: Body, side: ast.expr, line: int) -> tuple[ast.Call, int] | None:
    """Return the call whose largest values a side holds, and the line that takes them."""
    side = _base(side)
    if isinstance(side, ast.Name):
        for assign in reversed(body.assigns):
            if assign.lineno > line or not isinstance(assign.value, ast.Call):
                continue
            for target in assign.targets:
                first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target
                names = [n.id for n in ast.walk(target) if isinstance(n, ast.Name)]
                if side.id not in names:
                    continue
                is_first = isinstance(first, ast.Name) and first.id == side.id
                is_pair = isinstance(target, ast.Tuple)
                fits = _gives_pair(assign.value) if is_pair else _gives_largest(assign.value)
                return (assign.value, assign.lineno) if is_first and fits else None
        return None
    inner = _values_of(side)
    if isinstance(inner, ast.Call) and _gives_pair(inner):
        return inner, side.lineno
    if isinstance(side, ast.Call) and _gives_largest(side):
        return side, side.lineno
    return None


def _values_of(side: ast.expr) -> ast.expr | None:
    """Return of what a side takes the values, and not the positions: ``pair[0]``."""
    if isinstance(side, ast.Attribute) and side.attr == "values":
        return side.value
    if isinstance(side, ast.Subscript) and isinstance(side.slice, ast.Constant):
        return side.value if side.slice.value == 0 else None
    return None


def _base(expr: ast.expr) -> ast.expr:
    """Return what a chain of methods that keep the values begins with."""
    while (
        isinstance(expr, ast.Call)
        and isinstance(expr.func, ast.Attribute)
        and expr.func.attr in UNCHANGED
    ):
        expr = expr.func.value
    return expr


def _gives_pair(call: ast.Call) -> bool:
    """Whether a call gives values and positions: PyTorch's, along an axis."""
    if called_name(call) not in PAIRS or _root(call) in ARRAYS:
        return False
    is_function = _root(call) == "torch"
    return argument(call, 1 if is_function else 0, "dim", "axis", "k") is not None


def _gives_largest(call: ast.Call) -> bool:
    """Whether a call gives the largest values along an axis, and these alone."""
    if called_name(call) not in LARGEST:
        return False
    is_own = _root(call) in ARRAYS or (_root(call) == "torch" and called_name(call) == "amax")
    return is_own and argument(call, 1, "dim", "axis") is not None


def _root(call: ast.Call) -> str:
    return (dotted_name(call.func) or "").partition(".")[0]


# ---------------------------------------------------------------------- the metric of the log
def _of_metric(training: Training) -> Iterator[Clue]:
    """Yield the comparisons that make a metric of which the loss shows that it is wrong."""
    line = training.case.failure.evidence
    count = 0
    for module in training.modules:
        for template in templates_of(training.case.workspace, module.file):
            for expr, value in _zeros(template, line):
                scope = training.engine.program.scope_at(template.file, template.line)
                if scope is None:
                    continue
                node = training.engine.node(expr, training.case.context_of(scope))
                for step in backward_slice([node], METRIC_STEPS):
                    compares = step.node.entry is None and _compares(step.node.expr)
                    if not compares or step.node.line <= 0 or count >= MOST_COMPARED:
                        continue
                    count += 1
                    why = (
                        f"compares what {text(expr)} is computed from, which was printed as {value}"
                    )
                    yield clue("strong", step.node.file, step.node.line, why, 0.8)


def _zeros(template: Template, line: str) -> Iterator[tuple[ast.expr, str]]:
    """Yield what a printing call showed as zero, a share with its point or sign."""
    for expr, value in zip(template.expressions, template.values(line) or (), strict=False):
        if ZERO.fullmatch(value):
            yield expr, value


def _compares(expr: ast.expr | None) -> bool:
    if isinstance(expr, ast.Compare):
        return len(expr.ops) == 1 and isinstance(expr.ops[0], ast.Eq)
    return isinstance(expr, ast.Call) and called_name(expr) in COMPARED
