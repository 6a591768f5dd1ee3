"""Rules for overfitting, and for splits that leave too little data to train on.

Too little data, too large a model, and features that identify each sample.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword
from dl_bug_lsp.evidence.training_rules.program import Training, argument, clue, string, text
from dl_bug_lsp.provenance.scopes import Scope, called_name

ID_NAME = re.compile(
    r"(?:^|_)(?:id|uuid|guid|uid|index|row|serial|ssn|email|phone|name|hash|timestamp|key|no|number)$|^(?:id|uuid)(?:_|$)",
    re.IGNORECASE,
)
TRAIN_SHARE = re.compile(
    r"^train(?:ing)?_?(?:share|frac(?:tion)?|ratio|split|size|part|pct|percent|portion)$",
    re.IGNORECASE,
)
HELD_SHARE = re.compile(
    r"^(?:val(?:id(?:ation)?)?|test|dev|eval|held_?out|hold_?out)_?(?:share|frac(?:tion)?|ratio|split|size|part|portion)$",
    re.IGNORECASE,
)
SAMPLE_LIMIT = re.compile(
    r"^(?:max_(?:train_)?(?:samples|rows|examples|items)|(?:n|num)_(?:train|samples|train_samples|rows)"
    r"|train_(?:samples|rows|subset|limit)|subset(?:_size)?|sample_size|limit(?:_train_batches|_train)?"
    r"|overfit_batches|nrows|n_train|debug_samples)$",
    re.IGNORECASE,
)
REGULARISERS = re.compile(
    r"^(?:weight_?decay|wd|dropout(?:_?(?:rate|p))?|drop_rate|l2|label_smoothing)$"
)
EPOCHS = re.compile(r"^(?:num_|n_|max_|train_)*epochs$|^num_train_epochs$")
WIDTHS = re.compile(
    r"^(?:hidden|hidden_(?:size|dim|units|sizes|dims)|units|width|widths|layers|filters|channels)$"
)
MANY_EPOCHS = 25
SMALL_SHARE = 0.25


def find_overfit(training: Training) -> Iterator[Clue]:
    """Yield what lets a model learn its training data by heart."""
    yield from _identities(training)
    yield from _settings(training)
    yield from _regularisation(training)


def _identities(training: Training) -> Iterator[Clue]:
    unique = _unique_columns(training)
    for scope in training.functions:
        for name, bindings in sorted(scope.bindings.items()):
            for binding in bindings:
                if isinstance(binding.value, (ast.List, ast.Tuple, ast.Set)):
                    yield from _listed(scope, name, binding.value, unique)
    for entry in training.entries:
        column = entry.value
        if not isinstance(column, str) or not (column in unique or ID_NAME.search(column)):
            continue
        way = " ".join(str(p) for p in entry.path[:-1]).lower()
        if not re.search(r"feature|column|categor|numeric|input|embed", way):
            continue
        if not re.search(r"drop|ignore|exclude|target|label|index_col", way):
            level = "strong" if column in unique else "medium"
            why = f"`{column}` names each row, it describes none"
            yield clue(level, entry.file, entry.line, why)


def _listed(scope: Scope, name: str, value: ast.expr, unique: set[str]) -> Iterator[Clue]:
    short = name.rpartition(".")[2].lower()
    if not re.search(r"feat|col|categ|numeric|input|continuous|embed|field|predictor|^x$", short):
        return
    if re.search(r"drop|ignore|exclude|skip|target|label|meta", short):
        return
    for item in getattr(value, "elts", []):
        column = string(item)
        if column is None:
            continue
        if column in unique or ID_NAME.search(column):
            level = "strong" if column in unique or column.lower().endswith("id") else "medium"
            why = f"`{column}` names each row, it describes none"
            yield clue(level, scope.file, item.lineno, why)


def _unique_columns(training: Training) -> set[str]:
    """Return the columns of the workspace's tables that look like names of their rows."""
    columns: set[str] = set()
    listed = training.tables if training.tables is not None else training.case.workspace.files()
    for file in [f for f in listed if f.endswith((".csv", ".tsv"))][:8]:
        table = training.case.workspace.table(file)
        for column in table.columns if table is not None and table.rows >= 20 else ():
            # Measurements are unique, too: a name is text, or a whole number that ends as one.
            every = column.distinct is None or column.distinct >= 0.95 * (
                table.rows if table else 0
            )
            is_text = column.numbers < 0.1 * max(1, column.filled)
            if every and (is_text or ID_NAME.search(column.name)) and (column.longest or 0) < 40:
                columns.add(column.name)
    return columns


def _settings(training: Training) -> Iterator[Clue]:
    for key, value, entry in training.numbered_entries:
        problem = _judge(key.replace("-", "_"), value)
        if problem is not None:
            yield clue(problem[0], entry.file, entry.line, problem[1])
    for entry in training.entries:
        if entry.length and WIDTHS.match(entry.key):
            yield clue("weak", entry.file, entry.line, "the size of the model")
    for scope in training.scopes:
        for call in scope.calls:
            for word in call.keywords:
                if word.arg and isinstance(word.value, ast.Constant):
                    problem = _judge(word.arg, word.value.value)
                    if problem is not None:
                        yield clue(problem[0], scope.file, word.value.lineno, problem[1])
        for name, bindings in sorted(scope.bindings.items()):
            for binding in bindings:
                if isinstance(binding.value, ast.Constant):
                    problem = _judge(name.rpartition(".")[2].lower(), binding.value.value)
                    if problem is not None:
                        yield clue(problem[0], scope.file, binding.line, problem[1])


def _judge(name: str, value: object) -> tuple[str, str] | None:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    if TRAIN_SHARE.match(name) and 0 < value <= SMALL_SHARE:
        return "strong", f"only {value:.0%} of the samples are trained on"
    if HELD_SHARE.match(name) and 1 - SMALL_SHARE <= value < 1:
        return "strong", f"only {1 - value:.0%} of the samples are trained on"
    if SAMPLE_LIMIT.match(name) and 0 < value <= 300:
        return "medium", f"`{name}` leaves little to train on"
    if EPOCHS.match(name):
        why = f"{value:g} epochs go over the same samples"
        return ("medium" if value >= MANY_EPOCHS else "weak"), why
    if REGULARISERS.match(name) and value == 0:
        return "medium", f"`{name}` of 0 leaves the model free to learn by heart"
    if WIDTHS.match(name) and value >= 64:
        return "weak", "the size of the model"
    return None


def _regularisation(training: Training) -> Iterator[Clue]:
    regular = (
        "Dropout",
        "Dropout2d",
        "SpatialDropout1D",
        "l2",
        "L2",
        "EarlyStopping",
        "AdamW",
        "adamw",
    )
    if any(name in training.by_name for name in regular):
        return
    for scope, call in training.named("fit"):
        epochs = keyword(call, "epochs")
        if epochs is not None:
            why = "neither dropout, weight decay nor early stopping holds the model back"
            yield clue("weak", scope.file, epochs.lineno, why)


def find_splits(training: Training) -> Iterator[Clue]:
    """Yield the places that decide how few samples are trained on."""
    yield from _by_call(training)
    yield from _by_slice(training)


def _by_call(training: Training) -> Iterator[Clue]:
    for scope, call in training.named("train_test_split", "ShuffleSplit", "StratifiedShuffleSplit"):
        test, train = keyword(call, "test_size"), keyword(call, "train_size")
        for share, is_test in ((test, True), (train, False)):
            for origin in training.origins(scope, share) if share is not None else ():
                rest = 1 - origin.value if is_test else origin.value
                if 0 < origin.value < 1 and rest <= SMALL_SHARE:
                    why = f"only {rest:.0%} of the rows are left for training"
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
    count = argument(call, 1 if called_name(call) == "Subset" else 0, "n", "count", "frac")
    inner = count
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
