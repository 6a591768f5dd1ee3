"""Rules for arrays where a number is meant: rewards, losses and scores that nothing reduces.

Arithmetic with an array of one element gives an array of one element. It goes a long way as if it
were a number, until something formats, compares or converts it.

Sources: Gymnasium's documentation of ``Env.step`` ("reward (SupportsFloat)"), NumPy's user guide,
"Broadcasting".
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword, near_scopes, source
from dl_bug_lsp.evidence.followed_run import follow, is_used
from dl_bug_lsp.provenance.scopes import Scope, called_name

SAID = re.compile(
    r"unsupported format string passed to (?:numpy\.ndarray|Tensor|Array\w*|Series)\.__format__"
    r"|only (?:length-1|0-dimensional|size-1|one element) (?:arrays|tensors)"
    r"|cannot be converted to Scalar|[Tt]ruth value of an array"
    r"|Boolean value of Tensor with more than one value"
    r"|can only convert an array of size 1|ndarray doesn't define __round__"
)
"""How libraries refuse an array of which a number is wanted."""
ENVIRONMENTS = re.compile(r"(?:\b|[a-z])(?:Env|Wrapper)$")
OF_REWARDS = re.compile(r"(?i)(?:^|_)reward(?:_|$)|^(?:get|compute|calc)_?rewards?")
OF_SCORES = re.compile(
    r"(?i)(?:^|_)(?:loss|score|metric|error|distance|accuracy|acc|mse|mae|rmse|mape|cost|penalty"
    r"|iou|dice|psnr|f1)(?:_|$)"
)
REDUCTIONS = frozenset(
    (
        *("sum", "mean", "max", "min", "norm", "dot", "item", "float", "int", "len", "any", "all"),
        *("prod", "std", "var", "median", "trace", "vdot", "inner", "bool", "nansum", "nanmean"),
        *("amax", "amin", "average", "quantile", "percentile", "argmax", "argmin", "count_nonzero"),
    )
)
"""Functions that make one number of an array, where no axis is given."""
ELEMENTWISE = frozenset(
    (
        *("abs", "absolute", "clip", "clamp", "exp", "square", "sqrt", "log", "log1p", "maximum"),
        *("minimum", "where", "tanh", "sin", "cos", "sign", "power", "pow", "asarray", "array"),
        *("astype", "numpy", "copy", "flatten", "ravel", "nan_to_num", "logical_and", "detach"),
        *("cpu", "float32", "float64", "double", "as_tensor", "tensor", "round", "subtract"),
    )
)
"""Functions whose result has an element for each element of what they get."""
AXES = ("axis", "dim", "keepdims", "keepdim")
NUMBERS = ("int", "float", "bool", "str")
MOST_HOPS = 8
MOST_SCOPES = 200
WAY, SCORE = 0.4, 0.7
"""What a line counts that only hands the array on, and the result of a function of scores."""


def find(case: Case) -> Iterator[Clue]:
    """Yield the arithmetic with an array whose result should be a number."""
    if not SAID.search(case.message):
        return
    for scope, meant, what in _of_numbers(case)[:MOST_SCOPES]:
        is_reward = what == "reward"
        lines = _Arrays(scope, is_reward).lines(meant)
        for order, (line, text, name) in enumerate(lines):
            why = f"the {what} should be a number; `{text}` computes with all of `{name}`"
            share = (1.0 if is_reward else SCORE) * (1.0 if order == 0 else WAY)
            yield Clue("rules.strong", scope.file, line, share, why)


def _of_numbers(case: Case) -> list[tuple[Scope, list[ast.expr], str]]:
    """Return the run's functions that should give a number, with what they return for it."""
    found: list[tuple[Scope, list[ast.expr], str]] = []
    near = {id(scope) for scope in near_scopes(case)}
    for file in dict.fromkeys((*case.code_files, *sorted(follow(case).modules))):
        module = case.engine.program.module(file) if is_used(case, file) else None
        for scope in module.walk() if module is not None else ():
            if not isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            name = scope.name.rpartition(".")[2]
            if name == "step" and _is_environment(scope.owner):
                meant = [e.elts[1] for e in scope.returns if _is_of_step(e)]
                found.append((scope, meant, "reward"))
            elif OF_REWARDS.search(name) and _is_environment(scope.owner):
                found.append((scope, scope.returns, "reward"))
            elif OF_SCORES.search(name) and id(scope) in near:
                found.append((scope, scope.returns, "result"))
    return found


def _is_environment(cls: Scope | None) -> bool:
    bases = cls.node.bases if cls is not None and isinstance(cls.node, ast.ClassDef) else []
    return any(ENVIRONMENTS.search(source(base)) for base in bases)


def _is_of_step(returned: ast.expr) -> TypeGuard[ast.Tuple]:
    """Whether what ``step`` returns is written out: four items before Gym 0.26, now five."""
    return isinstance(returned, ast.Tuple) and len(returned.elts) in (4, 5)


class _Arrays:
    """The way from a function's result back to the parameters that may be arrays."""

    def __init__(self, scope: Scope, is_reward: bool) -> None:
        self._scope = scope
        parameters = [
            p.arg
            for p in scope.parameters()
            if p.arg not in ("self", "cls") and scope.default_of(p.arg) is None
            if p.annotation is None or not source(p.annotation).startswith(NUMBERS)
        ]
        # An environment's step gets the action alone.
        self._parameters = frozenset(
            p for p in parameters if not is_reward or len(parameters) == 1 or "act" in p
        )
        self._known: dict[int, str | None] = {}
        self._found: list[tuple[int, str, str]] = []

    def lines(self, meant: list[ast.expr]) -> list[tuple[int, str, str]]:
        """Return the line, text and array of each computation, those next to the result first."""
        for expr in meant:
            name = self._array_in(expr, expr.lineno, MOST_HOPS)
            if name is not None and not isinstance(expr, ast.Name):
                self._found.append((expr.lineno, source(expr), name))
        return self._found[::-1]

    def _array_in(self, expr: ast.expr, line: int, hops: int) -> str | None:
        """Return the array with all of whose elements an expression of a line is computed."""
        if isinstance(expr, ast.Name):
            return self._named(expr.id, line, hops)
        found = (self._array_in(part, line, hops) for part in _elementwise_parts(expr))
        return next((name for name in found if name is not None), None)

    def _named(self, name: str, line: int, hops: int) -> str | None:
        """Return a name if it stands for an array in a line: what last bound it says so."""
        before = [b for b in self._scope.definitions(name)[0] if b.line < line]
        if not before:
            return name if name in self._parameters else None
        array = None
        for binding in reversed(before) if hops > 0 else ():
            if id(binding) in self._known:
                inner = self._known[id(binding)]
            else:
                inner = self._array_in(binding.value, binding.line, hops - 1)
                self._known[id(binding)] = inner
                if inner is not None:
                    self._found.append((binding.line, source(binding.value), inner))
            array = array or (name if inner is not None else None)
            if not binding.blocks:
                # What stands in no branch replaces what was bound before.
                break
        return array


def _elementwise_parts(expr: ast.expr) -> list[ast.expr]:
    """Return the parts of which an expression is computed element by element."""
    if isinstance(expr, ast.BinOp):
        return [] if isinstance(expr.op, ast.MatMult) else [expr.left, expr.right]
    if isinstance(expr, ast.UnaryOp):
        return [expr.operand]
    if isinstance(expr, ast.IfExp):
        return [expr.body, expr.orelse]
    if isinstance(expr, ast.Subscript):
        return [expr.value] if isinstance(expr.slice, ast.Slice) else []
    if isinstance(expr, ast.Call):
        name = called_name(expr)
        keeps = name in REDUCTIONS and any(keyword(expr, axis) is not None for axis in AXES)
        if name in ELEMENTWISE or keeps:
            receiver = [expr.func.value] if isinstance(expr.func, ast.Attribute) else []
            return [*receiver, *expr.args]
    return []
