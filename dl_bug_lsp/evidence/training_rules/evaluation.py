"""Rules for overfitting, for what is measured and kept, and for data of the test.

Metrics, thresholds and best weights explain numbers that are too good or too bad, and a kept model
that is not the best one. Models overfit where there is too little data, also after a split, where
they are too large, and where features identify each sample.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword
from dl_bug_lsp.evidence.training_rules.program import Body, Training, argument, clue, string, text
from dl_bug_lsp.provenance.scopes import Scope, called_name, dotted_name

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


# ---------------------------------------------------------------------- what is measured and kept
TRUTH_FIRST = frozenset(
    ("classification_report", "confusion_matrix", "precision_score", "recall_score", "f1_score",
     "r2_score", "roc_auc_score", "average_precision_score", "precision_recall_fscore_support",
     "log_loss", "fbeta_score", "roc_curve", "mean_absolute_percentage_error")
)  # fmt: skip
"""Metrics of scikit-learn that take the true values first and are not symmetric."""
OF_SCORES = frozenset(
    ("roc_auc_score", "average_precision_score", "roc_curve", "precision_recall_curve")
)
"""Metrics that need scores, and not decisions."""
PREDICTED = re.compile(r"pred|proba|score|y_?hat|y_p\b|prob|output", re.I)
TRUE = re.compile(
    r"^(?:y|true|gt|labels?|targets?|y_?test|y_?val\w*|y_?true|truth|actual\w*|ground\w*)", re.I
)
SCORES = re.compile(r"predict_proba|decision|\[:, |flatten|ravel|squeeze|verbose|batch_size")
FIRST_CLASS = re.compile(r"predict_proba\(.*\)\[:, 0\]")
GIVE_SCORES = frozenset(("keras", "tensorflow"))
"""Libraries whose `predict` gives scores."""
REGRESSORS = re.compile(r"Regressor$|^LinearRegression$|^Ridge|^Lasso|^SVR$|^DMatrix$|^Booster$")
OF_LOGITS = ("BCEWithLogitsLoss", "binary_cross_entropy_with_logits")
LOGITS = re.compile(r"logit", re.I)
RAW = re.compile(r"logit|out|pred|model\(|net\(", re.I)
SQUASHED = re.compile(r"sigmoid|prob|expit", re.I)
DECIDED = re.compile(r"pred|prob|out|model|y_", re.I)
RIGHT_ONES = re.compile(r"==.*\.sum\(\)|\.eq\(.*\.sum\(\)|sum\(.*==")
"""How the right answers of a batch are counted."""
LOSS_VALUE = re.compile(r"loss(?:_?\w+)?\.(?:item|detach|cpu)\(\)(?:\.\w+\(\))?")
BATCHES = re.compile(
    r"len\((?:self\.)?\w*(?:loader|dl|batches|dataloader|iter)\w*\)|(?:n|num)_batches|n_batch"
    r"|batches|steps"
)
SAMPLES = re.compile(r"len\(\w*loader\w*\.dataset\)|len\((?:\w*_)?(?:dataset|ds)\)")
LEAST = re.compile(r"0(?:\.0)?|-1|-1\.0|float\(['\"]-inf['\"]\)|-(?:math|np)\.inf")
MOST = re.compile(r"float\(['\"]inf['\"]\)|(?:math|np|torch)\.inf|1e\d+|1000000\w*")
EXTREMES = re.compile(r"best|min", re.I)
KEPT = re.compile(r"best|snap|backup|saved|init|keep|good", re.I)
TRAINS = re.compile(r"\.step\(|train\w*\(|fit\(")
HELD_OUT = re.compile(r"val|test|dev\b|eval|hold", re.I)
RANDOM = re.compile(
    r"Random|ColorJitter|Flip|Rotate|Cutout|Erasing|AutoAugment|TrivialAugment|MixUp|CutMix"
)
COMPOSES = ("Compose", "Sequential", "transforms")
TRANSFORM_ARGUMENTS = ("transform", "transforms", "tfm", "augment")
SAMPLERS = frozenset(("fit_resample", "fit_sample"))
CUTTERS = frozenset(
    ("train_test_split", "split", "cross_val_score", "cross_validate", "cross_val_predict")
)
FOLDS = re.compile(r"fold|kf", re.I)
FITTED = frozenset(("fit_transform", "fit_resample"))
LEAKS = re.compile(
    r"Scaler|scaler|PCA|pca|Imputer|imputer|SelectKBest|select|vectori[sz]er|Vectori[sz]er|tfidf"
    r"|SMOTE|smote|sampler|Encoder|poly|norm|Sampler|\bros\b|\brus\b|TruncatedSVD|svd|scale|sc\b",
)
"""What learns from the rows that it is fitted to."""
OF_TRAINING = re.compile(r"train|label|\by\b|target|classes", re.I)
DROPOUTS = frozenset(("dropout", "dropout1d", "dropout2d", "alpha_dropout"))
FUNCTIONAL = ("F.", "torch.nn.functional.", "nn.functional.", "torch.dropout")
PASSES = frozenset(("forward", "encode", "decode"))
BUILDS = frozenset(("call", "build_model", "make_model", "get_model", "create_model", "<module>"))
OWN_LAYER = re.compile(r"self\.\w+")
SHOWN = frozenset(("cvtColor", "imwrite", "imshow"))
TURNED = re.compile(
    r"COLOR_BGR2RGB|\[(?:\.\.\.|:, :), ::-1\]|\[:, :, ::-1\]|IMREAD_GRAYSCALE|, 0\)"
    r"|IMREAD_UNCHANGED|flip\("
)
"""How pictures of OpenCV come to be RGB, or have no colours."""
FOR_NETWORKS = re.compile(
    r"fromarray|ToTensor|preprocess_input|transform|permute|predict|normalize|ImageNet|0\.485"
)


def find(training: Training) -> Iterator[Clue]:
    """Yield what makes measured numbers say something else than they seem to."""
    has_one_output = _has_one_output(training)
    for body in training.bodies:
        yield from _exchanged(training, body)
        yield from _hard_scores(training, body)
        yield from _thresholds(training, body)
        yield from _decisions_of_one(body) if has_one_output else ()
        yield from _divisors(body)
        yield from _best_values(body)
        yield from _living_weights(body)
        yield from _fitted_before(training, body)
        yield from _always_random(training, body)
        yield from _other_colours(body)
        yield from _augmented_tests(body)


def _is_of_sklearn(training: Training, body: Body, call: ast.Call) -> bool:
    """Whether a function can be scikit-learn's: no other library and no module has it."""
    root = (dotted_name(call.func) or "").partition(".")[0]
    scope: Scope | None = body.scope
    while scope is not None and root not in scope.imports:
        scope = scope.parent
    if scope is not None:
        return scope.imports[root][0].partition(".")[0] == "sklearn"
    return called_name(call) not in training.methods


def _exchanged(training: Training, body: Body) -> Iterator[Clue]:
    """Find metrics that get predictions where they take the truth."""
    for call in body.calls:
        if called_name(call) not in TRUTH_FIRST or len(call.args) < 2:
            continue
        first, second = (body.source(argument) for argument in call.args[:2])
        is_crossed = PREDICTED.search(first) and not PREDICTED.search(second)
        if is_crossed and TRUE.search(second) and _is_of_sklearn(training, body, call):
            why = f"`{called_name(call)}` takes the true values first"
            yield clue("strong", body.file, call.lineno, why)


def _hard_scores(training: Training, body: Body) -> Iterator[Clue]:
    """Find areas under curves of decisions, or of the other class's probability."""
    for call in body.calls:
        if called_name(call) not in OF_SCORES or len(call.args) < 2:
            continue
        value, line = body.value(call.args[1], call.lineno) or (call.args[1], call.lineno)
        if _gives_classes(training, value) and not SCORES.search(body.source(value)):
            why = f"{text(call)} needs scores, and gets classes"
            yield clue("strong", body.file, line, why)
            if line != call.lineno:
                yield clue("strong", body.file, call.lineno, why, 0.9)
        elif FIRST_CLASS.search(body.source(value)):
            why = "column 0 holds the probabilities of the first, the negative class"
            yield clue("strong", body.file, line, why)


def _gives_classes(training: Training, value: ast.expr) -> bool:
    """Whether a value is what a classifier of scikit-learn's kind predicts."""
    if training.imported & GIVE_SCORES or "predict" in training.methods:
        return False
    if any(REGRESSORS.search(name) for name in training.by_name):
        return False
    return any(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "predict"
        and len(call.args) == 1
        and not call.keywords
        for call in ast.walk(value)
    )


def _thresholds(training: Training, body: Body) -> Iterator[Clue]:
    """Find logits that are compared with a probability."""
    if not any(name in training.by_name for name in OF_LOGITS):
        return
    for node in body.nodes:
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            continue
        right = node.comparators[0]
        is_half = isinstance(right, ast.Constant) and right.value == 0.5
        if not is_half or not isinstance(node.ops[0], (ast.Gt, ast.GtE)):
            continue
        words = body.source(node.left)
        made = body.value(node.left, node.lineno) if isinstance(node.left, ast.Name) else None
        value = made[0] if made is not None else None
        if SQUASHED.search(f"{words} {body.source(value) if value is not None else ''}"):
            continue
        is_given = isinstance(value, ast.Call) and called_name(value) not in training.methods
        if (RAW.search(words) and is_given) or "model(" in words or LOGITS.search(words):
            why = f"{text(node)} compares logits, of which 0 is the middle, with a probability"
            yield clue("strong", body.file, node.lineno, why)


def _has_one_output(training: Training) -> bool:
    """Whether the last layer of the program's Keras models has one unit with a sigmoid."""
    denses = [call for _, call in training.named("Dense")]
    if not denses or any("softmax" in ast.unparse(call) for call in denses):
        return False
    last = max(denses, key=lambda call: call.lineno)
    units = last.args[0] if last.args else keyword(last, "units")
    return isinstance(units, ast.Constant) and units.value == 1 and "sigmoid" in ast.unparse(last)


def _decisions_of_one(body: Body) -> Iterator[Clue]:
    """Find the largest of one column."""
    for call in body.calls:
        if called_name(call) != "argmax":
            continue
        last = call.args[-1] if call.args else None
        axis = keyword(call, "axis") or keyword(call, "dim") or last
        if axis is None or body.source(axis) not in ("1", "-1"):
            continue
        if DECIDED.search(body.source(call)):
            why = f"{text(call)} is always 0: the model gives one column"
            yield clue("strong", body.file, call.lineno, why)


def _divisors(body: Body) -> Iterator[Clue]:
    """Find counts of samples that are divided by the number of batches, and the reverse."""
    counts: set[str] = set()
    means: set[str] = set()
    for node in body.nodes:
        if not isinstance(node, ast.AugAssign) or not isinstance(node.op, ast.Add):
            continue
        name, words = dotted_name(node.target), body.source(node.value)
        if name is None:
            continue
        if RIGHT_ONES.search(words) and "/" not in words and "mean" not in words:
            counts.add(name)
        elif LOSS_VALUE.fullmatch(words):
            means.add(name)
    for node in body.nodes if counts or means else ():
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
            continue
        left, right = _divided(node.left), body.source(node.right)
        if left in counts and BATCHES.fullmatch(right):
            why = f"`{left}` counts samples, and {text(node.right)} counts batches"
            yield clue("strong", body.file, node.lineno, why)
        if left in means and SAMPLES.fullmatch(right):
            why = f"`{left}` adds means of batches, and {text(node.right)} counts samples"
            yield clue("medium", body.file, node.lineno, why)


def _divided(expr: ast.expr) -> str | None:
    """Return the name that is divided, alone or times something."""
    parts = (expr.left, expr.right) if isinstance(expr, ast.BinOp) else (expr,)
    return next((name for name in map(dotted_name, parts) if name), None)


def _best_values(body: Body) -> Iterator[Clue]:
    """Find best values that nothing can beat: a least loss that starts with 0."""
    branches = [node for node in body.nodes if isinstance(node, ast.If)]
    for name, statements in body.assigned.items():
        for node in statements if EXTREMES.search(name) else ():
            start = body.source(node.value)
            is_least, is_most = LEAST.fullmatch(start), MOST.fullmatch(start)
            if not is_least and not is_most:
                continue
            for branch in branches:
                if branch.lineno < node.lineno or not _sets(branch, name):
                    continue
                if any(
                    (wants == "less" and is_least) or (wants == "more" and is_most)
                    for wants in _wanted(body, branch.test, name)
                ):
                    why = f"`{name}` begins with {start}, which no later value betters"
                    yield clue("strong", body.file, node.lineno, why)


def _sets(branch: ast.If, name: str) -> bool:
    """Whether a branch gives a name a new value where its test is true."""
    return any(
        isinstance(node, ast.Assign) and dotted_name(node.targets[0]) == name
        for statement in branch.body
        for node in ast.walk(statement)
    )


def _wanted(body: Body, test: ast.expr, name: str) -> Iterator[str]:
    """Yield whether a test is true for less or for more than a name's value."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return  # What else is tested may let the first value in.
    for node in ast.walk(test):
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            continue
        is_less = isinstance(node.ops[0], (ast.Lt, ast.LtE))
        if not is_less and not isinstance(node.ops[0], (ast.Gt, ast.GtE)):
            continue
        if body.source(node.comparators[0]) == name:
            yield "less" if is_less else "more"
        elif body.source(node.left) == name:
            yield "more" if is_less else "less"


def _living_weights(body: Body) -> Iterator[Clue]:
    """Find best weights that are kept by reference and go on changing."""
    for name, statements in body.assigned.items():
        for node in statements if KEPT.search(name) else ():
            call = node.value
            if not isinstance(call, ast.Call) or called_name(call) != "state_dict":
                continue
            model = body.source(call.func).removesuffix(".state_dict")
            is_loaded = f"{model}.load_state_dict({name}" in body.text
            if is_loaded and TRAINS.search(body.text):
                why = (
                    f"`{name}` refers to the weights that training goes on changing; a copy is"
                    " needed"
                )
                yield clue("strong", body.file, node.lineno, why)


def _fitted_before(training: Training, body: Body) -> Iterator[Clue]:
    """Find what is fitted to, or drawn from, all rows before the rows are split."""
    first = next((call for call in body.calls if _cuts(body, call)), None)
    if first is None:
        return
    used = {word for argument in first.args for word in re.findall(r"\w+", body.source(argument))}
    for call in body.calls:
        name = called_name(call)
        if call.lineno >= first.lineno or name not in FITTED or not call.args:
            continue
        owner = body.source(call.func.value) if isinstance(call.func, ast.Attribute) else ""
        if not LEAKS.search(owner) or "label" in owner.lower():
            continue
        if OF_TRAINING.search(body.source(call.args[0])):
            continue
        statement = training.statement(body.scope, call)
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        parts = (node for target in targets for node in ast.walk(target))
        if used & {node.id for node in parts if isinstance(node, ast.Name)}:
            what = "drawn from" if name in SAMPLERS else "fitted to"
            why = (
                f"{text(call)} is {what} all rows before they are split: the test rows are known"
                " to it"
            )
            yield clue("strong", body.file, call.lineno, why)


def _cuts(body: Body, call: ast.Call) -> bool:
    """Whether a call splits rows into those for training and those for a test."""
    name = called_name(call)
    return name in CUTTERS and (name != "split" or FOLDS.search(body.source(call)) is not None)


def _always_random(training: Training, body: Body) -> Iterator[Clue]:
    """Find dropout that evaluation mode does not turn off."""
    for call in body.calls:
        if called_name(call) in DROPOUTS and body.name in PASSES:
            is_functional = body.source(call.func).startswith(FUNCTIONAL)
            is_told = keyword(call, "training") is not None or len(call.args) >= 3
            if is_functional and not is_told and not _asks_mode(training, body, call):
                why = (
                    f"{text(call)} is active in evaluation, too: `training=self.training` is"
                    " missing"
                )
                yield clue("strong", body.file, call.lineno, why)
        flag = keyword(call, "training")
        if body.name not in BUILDS or not isinstance(flag, ast.Constant) or flag.value is not True:
            continue
        if isinstance(call.func, ast.Call) or OWN_LAYER.match(body.source(call.func)):
            why = f"{text(call)} stays in training mode for ever"
            yield clue("medium", body.file, call.lineno, why)


def _asks_mode(training: Training, body: Body, call: ast.Call) -> bool:
    """Whether what runs a call is tested for training mode."""
    return any(
        isinstance(node, (ast.If, ast.IfExp)) and "training" in body.source(node.test)
        for node in training.around(body.scope, call)
    )


def _other_colours(body: Body) -> Iterator[Clue]:
    """Find pictures of OpenCV, in BGR, that a network trained on RGB gets."""
    names = {called_name(call) for call in body.calls}
    if "imread" not in names or names & SHOWN or TURNED.search(body.text):
        return
    for call in body.calls if FOR_NETWORKS.search(body.text) else ():
        if called_name(call) == "imread" and body.source(call.func).startswith("cv2"):
            why = "OpenCV reads pictures as BGR, and nothing turns this one into RGB"
            yield clue("medium", body.file, call.lineno, why)


def _augmented_tests(body: Body) -> Iterator[Clue]:
    """Find test data that get the random transforms of training."""
    for node in body.assigns:
        target, call = body.source(node.targets[0]), node.value
        if not isinstance(call, ast.Call) or not HELD_OUT.search(target):
            continue
        named = [k.value for k in call.keywords if k.arg in TRANSFORM_ARGUMENTS]
        for given in (*call.args, *named) if "train" not in target.lower() else ():
            name = dotted_name(given) or ""
            if not HELD_OUT.search(name.rpartition(".")[2]) and _is_random(body.scope, name):
                why = f"`{target}` gets `{name.rpartition('.')[2]}`, the random changes of training"
                yield clue("strong", body.file, node.lineno, why)


def _is_random(scope: Scope, name: str) -> bool:
    """Whether a name stands for a chain of random transforms, wherever it gets a value."""
    owner = scope.owner
    at: Scope | None = scope
    while at is not None and name not in at.bindings:
        at = at.parent
    places = [at] if at is not None else list(owner.functions.values()) if owner is not None else []
    values = [binding.value for place in places for binding in place.bindings.get(name, ())]
    return bool(values) and all(
        isinstance(value, ast.Call)
        and called_name(value) in COMPOSES
        and RANDOM.search(ast.unparse(value))
        for value in values
    )
