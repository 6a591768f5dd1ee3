"""Values that are no number from the start, and values that outgrow their type."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import called_name, keyword
from dl_bug_lsp.evidence.domain_rules.training_numerics import columns_of
from dl_bug_lsp.evidence.domain_rules.training_program import Training
from dl_bug_lsp.evidence.domain_rules.training_syntax import clue, string, text
from dl_bug_lsp.workspace.values import Column

MAKES_NAN = {
    "shift": "the first rows have no value",
    "pct_change": "the first row has no value, a former zero gives infinity",
    "diff": "the first row has no value",
    "rolling": "the first windows are not full",
    "merge": "rows without a partner get no value",
    "join": "rows without a partner get no value",
    "reindex": "new rows get no value",
    "resample": "empty intervals get no value",
    "pivot": "combinations that never occur get no value",
    "pivot_table": "combinations that never occur get no value",
    "asfreq": "missing times get no value",
}


FILLS_NAN = ("fillna", "dropna", "ffill", "bfill", "interpolate", "nan_to_num", "SimpleImputer",
             "KNNImputer", "nanmean", "nanstd", "backfill", "pad")  # fmt: skip


def find(training: Training) -> Iterator[Clue]:
    """Yield where NaN and infinity come into the data or into the sums."""
    yield from _overflow(training)
    yield from _missing_values(training, columns_of(training))


def _overflow(training: Training) -> Iterator[Clue]:
    for scope, call in training.named("exp", "expm1", "cosh", "sinh"):
        inner = ast.unparse(call)
        if isinstance(call.func, ast.Attribute) and not re.search(
            r"math|clamp|clip|max|minimum|\(-", inner
        ):
            level = (
                "medium" if re.search(r"logit|x\b|score|logvar|log_var|out|pred", inner) else "weak"
            )
            yield clue(level, scope.file, call.lineno, f"{text(call)} has no upper bound")
    scaled = any(n in training.by_name for n in ("GradScaler", "LossScaleOptimizer"))
    if not scaled:
        for scope, call in training.named("half", "set_global_policy", "autocast"):
            words = ast.unparse(call)
            if called_name(call) == "half" or ("float16" in words and "bfloat16" not in words):
                why = f"{text(call)}: beyond 65504 half precision holds no number"
                yield clue("medium", scope.file, call.lineno, why)
    for scope, call in training.named("masked_fill", "masked_fill_", "full"):
        if re.search(
            r"-\s?(?:float\(['\"]inf|(?:np|torch|jnp|math)\.inf)|'-inf'", ast.unparse(call)
        ):
            why = "a row that is masked altogether has no softmax"
            yield clue("medium", scope.file, call.lineno, why)
    clipped = any("clip" in n for n in training.by_name) or any(
        k.arg and "clip" in k.arg for _, c in training.calls for k in c.keywords
    )
    if not clipped:
        for scope, call in training.named("LSTM", "GRU", "RNN", "SimpleRNN"):
            yield clue("weak", scope.file, call.lineno, "nothing bounds the gradients through time")
    for scope, call in training.named(*("Adam", "AdamW", "RMSprop")):
        eps = keyword(call, "eps") or keyword(call, "epsilon")
        for origin in training.origins(scope, eps) if eps is not None else ():
            if origin.value < 1e-12:
                yield clue("strong", origin.file, origin.line, "nothing keeps the quotient off 0")


def _missing_values(
    training: Training, columns: dict[str, list[tuple[str, Column]]]
) -> Iterator[Clue]:
    filled = [n for n in FILLS_NAN if n in training.by_name]
    holes = [(f, c) for held in columns.values() for f, c in held if c.empty_lines or c.odd]
    tabular = bool({"pandas", "polars"} & training.imported)
    for scope, call in training.named(*MAKES_NAN):
        if not isinstance(call.func, ast.Attribute) or isinstance(call.func.value, ast.Constant):
            continue
        inner = keyword(call, "how")
        if called_name(call) in ("merge", "join") and string(inner) in (None, "inner"):
            continue
        if called_name(call) == "join" and ("path" in ast.unparse(call) or inner is None):
            continue
        if tabular and not re.search(r"torch|random|index", ast.unparse(call.func)):
            level = "weak" if filled else "medium"
            why = f"{text(call)}: {MAKES_NAN[called_name(call)]}"
            yield clue(level, scope.file, call.lineno, why)
    for scope, call in training.named("to_numeric", "to_datetime"):
        if string(keyword(call, "errors")) == "coerce":
            why = f"{text(call)} turns what it cannot read into NaN"
            yield clue("weak" if filled else "strong", scope.file, call.lineno, why)
    for scope, call in training.named("map"):
        mapping = call.args[0] if call.args and isinstance(call.func, ast.Attribute) else None
        written = isinstance(mapping, (ast.Name, ast.Attribute, ast.Dict))
        if tabular and written and not filled:
            why = f"{text(call)} gives NaN for what the mapping lacks"
            yield clue("weak", scope.file, call.lineno, why)
    if holes and not filled:
        for scope, call in training.named("read_csv", "genfromtxt", "read_table", "loadtxt"):
            why = f"`{holes[0][1].name}` has rows without a number, and nothing fills them"
            as_text = ast.unparse(keyword(call, "dtype") or call.func) == "str"
            yield clue("weak" if as_text else "strong", scope.file, call.lineno, why)
        for file, column in holes[:6]:
            line = column.empty_lines[0] if column.empty_lines else column.odd[0][0]
            yield clue("medium", file, line, f"`{column.name}` holds no number here")
