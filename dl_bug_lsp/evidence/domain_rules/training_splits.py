"""Splits that leave too little to train on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import called_name, keyword
from dl_bug_lsp.evidence.domain_rules.training_overfit import SMALL_SHARE
from dl_bug_lsp.evidence.domain_rules.training_program import Training
from dl_bug_lsp.evidence.domain_rules.training_syntax import argument, clue, text
from dl_bug_lsp.provenance.scopes import Scope


def find(training: Training) -> Iterator[Clue]:
    """Yield the places that decide how few samples are trained on."""
    yield from _by_call(training)
    yield from _by_slice(training)


def _by_call(training: Training) -> Iterator[Clue]:
    for scope, call in training.named("train_test_split", "ShuffleSplit", "StratifiedShuffleSplit"):
        test, train = keyword(call, "test_size"), keyword(call, "train_size")
        for share, is_test in ((test, True), (train, False)):
            for origin in training.origins(scope, share) if share is not None else ():
                left = 1 - origin.value if is_test else origin.value
                if 0 < origin.value < 1 and left <= SMALL_SHARE:
                    why = f"only {left:.0%} of the rows are left for training"
                    yield clue("strong", origin.file, origin.line, why)
    for scope, call in training.named("fit"):
        share = keyword(call, "validation_split")
        for origin in training.origins(scope, share) if share is not None else ():
            if 1 - SMALL_SHARE <= origin.value < 1:
                why = f"only {1 - origin.value:.0%} of the rows are left for training"
                yield clue("strong", origin.file, origin.line, why)


def _by_slice(training: Training) -> Iterator[Clue]:
    for scope in training.functions:
        for name, bindings in sorted(scope.bindings.items()):
            for binding in bindings:
                yield from _cut(training, scope, name, binding.value, binding.line)
    for scope, call in training.named("take", "head", "select", "Subset", "sample"):
        for count in _counts(training, scope, call):
            statement = training.statement(scope, call)
            words = ast.unparse(statement) if statement is not None else ""
            if 1 < count <= 200 and re.search(r"train|ds|data", words) and "val" not in words:
                why = f"{text(call)} leaves {count:g} samples to train on"
                yield clue("medium", scope.file, call.lineno, why)


def _counts(training: Training, scope: Scope, call: ast.Call) -> list[float]:
    which = argument(call, 1 if called_name(call) == "Subset" else 0, "n", "count", "frac")
    inner = which
    if isinstance(inner, ast.Call) and called_name(inner) == "range" and inner.args:
        inner = inner.args[-1]
    return training.numbers(scope, inner) if inner is not None else []


def _cut(training: Training, scope: Scope, name: str, value: ast.expr, line: int) -> Iterator[Clue]:
    """``n = int(len(x) * 0.05)``, used as the end of the training part."""
    for product in (n for n in ast.walk(value) if isinstance(n, ast.BinOp)):
        if not isinstance(product.op, ast.Mult) or (
            "len(" not in ast.unparse(product) + " " and ("shape" not in ast.unparse(product))
        ):
            continue
        for side in (product.left, product.right):
            for origin in training.origins(scope, side):
                held = re.search(r"val|test|dev|hold|held", name.lower()) is not None
                share = 1 - origin.value if held else origin.value
                if (
                    0 < origin.value < 1
                    and share <= SMALL_SHARE
                    and (held or _ends_training(scope, name))
                ):
                    why = f"only {share:.0%} of the samples are left for training"
                    yield clue("strong", scope.file, line, why)
                    if origin.is_config:
                        yield clue("strong", origin.file, origin.line, why)
    if (
        isinstance(value, ast.Subscript)
        and isinstance(value.slice, ast.Slice)
        and "train" in name.lower()
    ):
        end = value.slice.upper
        for number in training.numbers(scope, end) if end is not None else ():
            if value.slice.lower is None and 1 < number <= 200:
                why = f"only the first {number:g} samples are trained on"
                yield clue("medium", scope.file, line, why)


def _ends_training(scope: Scope, name: str) -> bool:
    """Whether a name is the end of a slice from the beginning, not only the start of one."""
    ends = [
        n
        for n in ast.walk(scope.node)
        if isinstance(n, ast.Slice) and n.lower is None and isinstance(n.upper, ast.Name)
    ]
    return "train" in name.lower() or any(
        e.upper.id == name for e in ends if isinstance(e.upper, ast.Name)
    )
