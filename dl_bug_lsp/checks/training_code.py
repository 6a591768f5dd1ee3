"""Checks of training code: what lets a run end and its model learn nothing, or a job hang.

The rules are those that explain a silent failure (`evidence.training_rules`), asked before there is
one. There the failure speaks for them; here nothing does, so a finding is at most likely, and rules
that depend on a value alone (rates, bounds) are only worth a look.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.checks.findings import Certainty, Check, Finding
from dl_bug_lsp.checks.program import CheckedProgram, finding
from dl_bug_lsp.checks.tables import named_tables
from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.collectives import (
    POINT_TO_POINT,
    Collectives,
    calls_in,
    is_rank,
    last_name,
    leaves,
)
from dl_bug_lsp.evidence.training_rules import (
    computed_metrics,
    data,
    evaluation,
    generative,
    hyperparameters,
    inputs_and_targets,
    loop,
    loss_computation,
    lost_values,
    models_and_losses,
    numerics,
    optimizer_steps,
    optimizers,
    schedulers,
)
from dl_bug_lsp.evidence.training_rules.program import (
    FRAMEWORKS,
    Training,
    TrainingRule,
    clues_of,
)
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.logs.log import Span
from dl_bug_lsp.messages import MessageFacts
from dl_bug_lsp.report import CategoryVerdict
from dl_bug_lsp.tracebacks.failures import Failure, FailureKind
from dl_bug_lsp.workspace.elements import syntax_of

UNLEARNT = "Nothing fails: the model does not learn, or less than it could. "
STEP = Check(
    "training-step",
    "loss_stagnation",
    Certainty.LIKELY,
    "A training loop leaves out a step or does it in the wrong place.",
    f"{UNLEARNT}Gradients that nothing clears, or that no optimizer uses; updates whose condition "
    "never holds; a loss that is cut off from the weights.",
    "loss.backward()          # and optimizer.step() nowhere",
)
LOSS = Check(
    "loss-form",
    "loss_stagnation",
    Certainty.LIKELY,
    "A loss does not fit the last layer of its model or the form of its labels.",
    f"{UNLEARNT}Such as softmax in front of a loss that applies its own, scores without sigmoid in "
    "a loss of probabilities, softmax over one unit.",
    "nn.CrossEntropyLoss()(torch.softmax(logits, 1), labels)",
)
OPTIMIZER = Check(
    "optimizer-parameters",
    "loss_stagnation",
    Certainty.LIKELY,
    "An optimizer holds other weights than those that are trained.",
    f"{UNLEARNT}Weights that are frozen, copied or replaced after the optimizer was made.",
    "ema = copy.deepcopy(model); SGD(ema.parameters(), lr=0.1); model(x)",
)
OBJECTIVE = Check(
    "training-objective",
    "loss_stagnation",
    Certainty.LIKELY,
    "The loss, or a value that it is computed from, is not what is meant.",
    f"{UNLEARNT}A column and a flat array in one loss broadcast to a square; class weights that "
    "grow with the frequency; draws without a gradient; masks the wrong way round; results that "
    "nothing keeps; losses that are computed and never used; loops that return in their first "
    "round.",
    "F.mse_loss(pred.squeeze(), y.unsqueeze(1))",
)
MEASURED = Check(
    "measured-values",
    "overfitting",
    Certainty.LIKELY,
    "A metric, or the saved best model, does not mean what it seems to.",
    "Metrics that get predictions where they take the truth, areas under curves of decisions, "
    "labels compared with the largest scores and not with their positions, probabilities compared "
    "with logits, least values that begin with 0, best weights kept by "
    "reference, scalers fitted before the split, random changes of test data.",
    "best = model.state_dict()    # changes with every later step",
)
ORDER = Check(
    "data-order",
    "accuracy_at_chance",
    Certainty.LIKELY,
    "Samples and their labels are put into different orders, or a transformation is fitted anew "
    "for each part of the data.",
    f"{UNLEARNT}Also folders that are listed in another order than the rows of a table.",
    "rng.shuffle(images)      # and the labels stay",
)
VALUE = Check(
    "training-value",
    "loss_divergence",
    Certainty.LOOK,
    "A learning rate, a schedule or another setting of a training is far out of the usual.",
    "The bounds are those of the literature for each optimizer.",
    "torch.optim.Adam(model.parameters(), lr=5)",
)
DOMAIN = Check(
    "not-a-number",
    "loss_nan",
    Certainty.LOOK,
    "An expression is NaN or infinite, or has no derivative, for some possible values.",
    "Logarithms, roots and quotients at 0. A spread (x.std()) as divisor is reported where a data "
    "file of the program has a column that never changes.",
    "loss = -torch.log(torch.sigmoid(x)).mean()",
)
SPLIT = Check(
    "split",
    "overfitting",
    Certainty.LOOK,
    "Very little data is left for training, or a column that names each row is trained on.",
    "The split of the data then explains overfitting.",
    "train_test_split(x, y, test_size=0.95)",
)
RANKS = Check(
    "rank-condition",
    "communication_failure",
    Certainty.LIKELY,
    "A collective operation is called by some ranks only, depending on the rank.",
    "The job hangs: the other ranks wait for it, or for the next one. The criterion is that of "
    "PARCOACH (Saillard, Carribault and Barthou, 2014).",
    "if rank == 0: dist.barrier()",
)
WORKER = Check(
    "worker-pickle",
    "framework_api_misuse",
    Certainty.LIKELY,
    "Something that cannot be pickled is given to worker processes that are spawned.",
    "A lambda or a function defined inside of a function, given to a DataLoader whose "
    "multiprocessing_context is spawn or forkserver, or where set_start_method says so.",
    'DataLoader(data, num_workers=2, multiprocessing_context="spawn", collate_fn=lambda b: b)',
)
SEED = Check(
    "worker-seed",
    "accuracy_at_chance",
    Certainty.LOOK,
    "Workers of a DataLoader draw the same random numbers.",
    "A dataset draws from a generator that it made when it was constructed, and num_workers is not "
    "0: each worker gets a copy in the same state, again in each epoch. worker_init_fn gives each "
    "copy a seed of its own. The global generators of PyTorch, Python and (since PyTorch 1.9) "
    "NumPy are seeded for each worker ('Randomness in multi-process data loading').",
    "def __init__(self): self.rng = np.random.default_rng(0)",
)
EVALUATION = Check(
    "evaluation-mode",
    "accuracy_at_chance",
    Certainty.LOOK,
    "A model is evaluated without eval() or without no_grad().",
    "A function that is named after evaluation calls a model, and no file of the program ever "
    "calls eval(), though the model has dropout or batch normalization, or ever asks for "
    "no_grad().",
    "def validate(model, loader): return [model(x) for x, _ in loader]",
)
SCHEDULER = Check(
    "scheduler-step",
    "loss_stagnation",
    Certainty.LOOK,
    "A scheduler that counts epochs steps after every batch, or before its optimizer.",
    "StepLR, MultiStepLR, ExponentialLR and ReduceLROnPlateau count epochs as they are usually "
    "set. Since PyTorch 1.1 a scheduler that steps before its optimizer skips the first value of "
    "the schedule. This is found where both step in one loop, the optimizer perhaps in a loop "
    "inside it.",
    "for x, y in loader: ...; optimizer.step(); scheduler.step()    # StepLR(optimizer, 10)",
)
CHECKS = (
    STEP, LOSS, OPTIMIZER, OBJECTIVE, MEASURED, ORDER, VALUE, DOMAIN, SPLIT, RANKS, WORKER, SEED,
    EVALUATION, SCHEDULER,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Group:
    """Rules of silent failures that one check stands for, and which programs they are asked of."""

    check: Check
    rules: tuple[TrainingRule, ...]
    category: str = "loss_stagnation"
    any_library: bool = False
    """Whether the rules say nothing of layers, losses and optimizers of a framework."""
    level: str = "strong"
    """The level of the rules' clues that are findings."""


GROUPS = (
    _Group(
        STEP, (loop.find_loop, loop.find_accumulation, loop.find_gradients, optimizer_steps.find)
    ),
    _Group(
        LOSS,
        (
            models_and_losses.find_losses,
            models_and_losses.find_keras,
            models_and_losses.find_models,
        ),
    ),
    _Group(OPTIMIZER, (optimizers.find,)),
    _Group(OBJECTIVE, (loss_computation.find, generative.find, lost_values.find)),
    _Group(MEASURED, (evaluation.find, computed_metrics.find), "overfitting", any_library=True),
    _Group(
        ORDER, (inputs_and_targets.find, data.find_encoding), "accuracy_at_chance", any_library=True
    ),
    _Group(VALUE, (hyperparameters.find_rates, schedulers.find_schedules)),
    _Group(DOMAIN, (numerics.find_numerics,), "loss_nan", any_library=True),
    _Group(
        SPLIT, (evaluation.find_overfit, evaluation.find_splits), "overfitting", any_library=True
    ),
    _Group(SCHEDULER, (schedulers.find_early_steps,), level="medium"),
)
TORCH = frozenset(
    ("torch", "torchvision", "torchaudio", "lightning", "pytorch_lightning", "accelerate")
)
LEARNING = frozenset(
    ("sklearn", "xgboost", "lightgbm", "catboost", "imblearn", "statsmodels", "cuml", "skorch")
)
"""Libraries that train models but have no layers, losses and optimizers of their own."""
GRADIENT = re.compile(r"(?i)d?_?grads?|grad(?:ient)?s?(?:_\w+)?|d[wb]\d?|\w+_grad(?:ient)?s?")
EPOCH_SCHEDULERS = {"StepLR", "MultiStepLR", "ExponentialLR", "ReduceLROnPlateau"}
MODELS = {"model", "net", "network", "encoder", "classifier", "backbone"}
LEAVING = ("lightning", "Trainer(", "accelerate", "set_grad_enabled", "fastai")
"""What does this for the program."""
EVALUATING = ("eval", "valid", "test", "infer")
MOST_FILES = 150
MOST_FILES_OF_RUNS = 400
"""Files of all runs together up to which each run is looked at alone."""
MOST_LIKELY_FILES = 4
"""Files of a program up to which a contract that is not kept is likely to matter."""


def find(program: CheckedProgram) -> Iterator[Finding]:
    """Yield what keeps a training from learning, and a job from going on.

    Each run is looked at with the files that it imports: a loss of one script says nothing of the
    model of another one.
    """
    seen: set[tuple[str, int, str]] = set()
    for files in _files_of_runs(program):
        for found in _of_run(program, files):
            key = (found.file, found.line, found.id)
            if key not in seen:
                seen.add(key)
                yield found


def _files_of_runs(program: CheckedProgram) -> list[tuple[str, ...]]:
    """Return the Python files of each run; of runs that share many, the files of all of them."""
    runs = {
        tuple(f for f in program.reached(entry.script) if f.endswith(".py"))[:MOST_FILES]: None
        for entry in program.entries
    }
    if not runs or sum(map(len, runs)) > MOST_FILES_OF_RUNS:
        return [tuple(f for f in program.files if f.endswith(".py"))[:MOST_FILES]]
    return list(runs)


def _of_run(program: CheckedProgram, files: tuple[str, ...]) -> Iterator[Finding]:
    texts = {file: program.workspace.text(file) or "" for file in files}
    imported = {file: program.libraries(file) for file in files}
    libraries = frozenset[str]().union(*imported.values())
    deep = bool(libraries & FRAMEWORKS)
    if not deep and not libraries & LEARNING and not _trains_by_hand(program, files, libraries):
        return
    yield from _silent(program, files, [group for group in GROUPS if deep or group.any_library])
    if not deep:
        return
    yield from _ranks(program, files, texts)
    yield from _evaluation(program, files, texts)
    for file in files:
        tree = program.workspace.tree(file)
        if tree is not None and imported[file] & TORCH:
            checkpoint()
            yield from _workers(program, file, tree, texts)
            yield from _schedulers(file, tree)


def _trains_by_hand(
    program: CheckedProgram, files: tuple[str, ...], libraries: frozenset[str]
) -> bool:
    """Whether a loop of a program with NumPy alone changes an array by a product of arrays.

    As in ``w -= rate * x.T @ (p - y)`` or ``w = w - rate * gradient``.
    """
    if "numpy" not in libraries:
        return False
    trees = (program.workspace.tree(file) for file in files)
    return any(
        _is_update(statement)
        for tree in trees
        for loop in (ast.walk(tree) if tree is not None else ())
        if isinstance(loop, (ast.For, ast.While))
        for statement in ast.walk(loop)
    )


def _is_update(statement: ast.AST) -> bool:
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Sub):
        change: ast.expr = statement.value
    elif (
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.BinOp)
        and isinstance(statement.value.op, ast.Sub)
        and ast.unparse(statement.value.left) == ast.unparse(statement.targets[0])
    ):
        change = statement.value.right
    else:
        return False
    parts = list(ast.walk(change))
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    names |= {part.attr for part in parts if isinstance(part, ast.Attribute)}
    is_product = any(isinstance(part, ast.MatMult) for part in parts) or bool(names & {"dot"})
    is_step = any(isinstance(part, ast.Mult) for part in parts) and any(
        GRADIENT.fullmatch(name) for name in names
    )
    return is_product or is_step


def _silent(
    program: CheckedProgram, files: tuple[str, ...], groups: list[_Group]
) -> Iterator[Finding]:
    """Yield what the rules of silent failures say of the files that a run imports."""
    reached = set(files)
    tables = named_tables(program, (".csv", ".tsv", ".jsonl"))
    training = Training(_case(program), files, tables)
    for group in groups:
        training = training.of_category(group.category)
        for rule in group.rules:
            checkpoint()
            for clue in clues_of(rule, training):
                is_config = not clue.file.endswith((".py", ".ipynb"))
                if clue.kind != f"training.{group.level}":
                    continue
                if clue.file not in reached and not is_config:
                    continue
                message = clue.why[:1].upper() + clue.why[1:]
                level = group.check.certainty
                if len(files) > MOST_LIKELY_FILES:
                    # A big program may do the same in ways that the rules do not know.
                    level = Certainty.LOOK
                if "stands outside the loop" in message or (
                    "over one unit" in message and "Dense" not in _source(program, clue)
                ):
                    # Attention weighs a sequence that may be longer.
                    level = Certainty.LOOK
                yield finding(group.check, clue.file, clue.line, f"{message}.", certainty=level)


def _source(program: CheckedProgram, clue: Clue) -> str:
    return program.workspace.source_line(clue.file, clue.line)


def _case(program: CheckedProgram) -> Case:
    """Return a silent failure of the run, as if it had been seen to learn nothing."""
    commands = "\n".join(entry.shown for entry in program.entries[:3] if entry.is_typed)
    failure = Failure(FailureKind.SILENT, (), 0, "none", Span(1, 1), "")
    verdict = CategoryVerdict("loss_stagnation", "", 1.0, "", "")
    return Case(failure, MessageFacts(None, ()), verdict, (), program.workspace, read_log(commands))


def _ranks(
    program: CheckedProgram, files: tuple[str, ...], texts: dict[str, str]
) -> Iterator[Finding]:
    """Yield collectives below a condition on the rank that the other branch does not make."""
    if not any("rank" in text.lower() for text in texts.values()):
        return
    collectives = Collectives(program.modules, files)
    for scope in collectives.scopes:
        if scope.is_class:
            continue
        for node in ast.walk(scope.node):
            if not isinstance(node, ast.If) or not _asks_rank(node.test, collectives.ranks):
                continue
            for body, other in ((node.body, node.orelse), (node.orelse, node.body)):
                calls = [call for call in calls_in(body) if collectives.is_collective(call)]
                names = {last_name(call.func) for call in calls_in(other)}
                for call in calls:
                    name = last_name(call.func) or ""
                    if name in POINT_TO_POINT or name in names or _sets_up(name) or leaves(other):
                        continue
                    if _pairs(scope.node, node, name):
                        continue
                    where = f"Line {node.lineno} decides by the rank who calls it."
                    message = f"'{name}' needs all ranks, and only some come to it."
                    yield finding(RANKS, scope.file, call.lineno, message, where)


def _asks_rank(test: ast.expr, names: frozenset[str]) -> bool:
    """Whether a condition is decided by the rank, and by nothing else."""
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    for part in parts:
        inner = part.operand if isinstance(part, ast.UnaryOp) else part
        sides = [inner.left, *inner.comparators] if isinstance(inner, ast.Compare) else [inner]
        if not any(is_rank(side, names) for side in sides):
            return False
        if any(isinstance(side, ast.UnaryOp) for side in sides):
            # -1 stands for a run of one process.
            return False
    return True


def _sets_up(name: str) -> bool:
    return name in ("init_process_group", "destroy_process_group", "init_device_mesh", "new_group")


def _pairs(scope: ast.AST, branch: ast.If, name: str) -> bool:
    """Whether another branch of the function makes the same call for the other ranks."""
    for node in ast.walk(scope):
        if (
            isinstance(node, ast.If)
            and node is not branch
            and any(last_name(call.func) == name for call in calls_in([*node.body, *node.orelse]))
        ):
            return True
    return False


def _workers(
    program: CheckedProgram, file: str, tree: ast.Module, texts: dict[str, str]
) -> Iterator[Finding]:
    """Yield loaders whose workers cannot be started, or draw the same numbers."""
    spawning = any(
        f"set_start_method({quote}{kind}" in text
        for text in texts.values()
        for kind in ("spawn", "forkserver")
        for quote in ("'", '"')
    )
    lambdas = {
        target.id: node
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    inner = _inner_functions(tree)
    drawing = _draws(texts)
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or last_name(call.func) != "DataLoader":
            continue
        keywords = {k.arg: k.value for k in call.keywords if k.arg is not None}
        count = keywords.get("num_workers")
        none = count is None or (isinstance(count, ast.Constant) and not count.value)
        if none:
            continue
        context = keywords.get("multiprocessing_context")
        kind = context.value if isinstance(context, ast.Constant) else None
        if kind in ("spawn", "forkserver") or (spawning and context is None):
            for name in ("collate_fn", "worker_init_fn"):
                value = keywords.get(name)
                named = value.id if isinstance(value, ast.Name) else None
                if isinstance(value, ast.Lambda) or named in lambdas or named in inner:
                    assert value is not None
                    message = f"Spawned workers cannot be given this {name}: it is not pickled."
                    advice = "Define it as a function of a module."
                    yield finding(WORKER, file, value.lineno, message, advice)
        if "worker_init_fn" not in keywords and drawing and "seed_worker" not in texts[file]:
            where = f"{drawing[0]}, line {drawing[1]}, draws from it."
            message = "Each worker of this loader draws from a copy of the dataset's generator."
            yield finding(SEED, file, call.lineno, message, where)


def _evaluation(
    program: CheckedProgram, files: tuple[str, ...], texts: dict[str, str]
) -> Iterator[Finding]:
    """Yield functions that evaluate a model in a program which never says so to PyTorch."""
    text = "\n".join(texts.values())
    if "backward()" not in text or any(word in text for word in LEAVING):
        return
    lacks_eval = ".eval()" not in text and ".train(False)" not in text
    lacks_eval = lacks_eval and any(word in text for word in ("Dropout", "BatchNorm"))
    lacks_grad = "no_grad" not in text and "inference_mode" not in text
    if not lacks_eval and not lacks_grad:
        return
    for file in files:
        tree = program.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if not isinstance(node, ast.FunctionDef) or "backward" in ast.unparse(node):
                continue
            if not any(word in node.name.lower() for word in EVALUATING):
                continue
            calls = [c for c in calls_in(node.body) if last_name(c.func) in MODELS]
            if calls:
                lacking = "eval()" if lacks_eval else "no_grad()"
                message = f"'{node.name}' calls the model, and nothing here ever calls {lacking}."
                yield finding(EVALUATION, file, calls[-1].lineno, message)


def _inner_functions(tree: ast.Module) -> set[str]:
    return {
        part.name
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for part in ast.walk(node)
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) and part is not node
    } - {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


GENERATORS = ("default_rng", "RandomState", "Generator", "Random")
"""Generators that are copied with the object that holds them."""


def _draws(texts: dict[str, str]) -> tuple[str, int] | None:
    """Return where a dataset draws from a generator that its constructor made."""
    for file, text in texts.items():
        if "__getitem__" not in text or not any(name in text for name in GENERATORS):
            continue
        try:
            tree = syntax_of(text)
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                line = _drawing_line(node)
                if line is not None:
                    return file, line
    return None


def _drawing_line(node: ast.ClassDef) -> int | None:
    """Return the line of ``__getitem__`` that calls a method of a generator of the object."""
    methods = {part.name: part for part in node.body if isinstance(part, ast.FunctionDef)}
    start, access = methods.get("__init__"), methods.get("__getitem__")
    if start is None or access is None:
        return None
    held = {
        ast.unparse(target)
        for part in ast.walk(start)
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Call)
        if last_name(part.value.func) in GENERATORS
        for target in part.targets
        if isinstance(target, ast.Attribute)
    }
    for call in calls_in(access.body):
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) in held:
            return call.lineno
    return None


def _schedulers(file: str, tree: ast.Module) -> Iterator[Finding]:
    """Yield schedulers of epochs that are advanced with every batch."""
    schedulers: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            name = last_name(node.value.func)
            if name in EPOCH_SCHEDULERS:
                schedulers.update({ast.unparse(target): name for target in node.targets})
    if not schedulers:
        return
    for outer in ast.walk(tree):
        if not isinstance(outer, ast.For):
            continue
        for inner in ast.walk(outer):
            if not isinstance(inner, ast.For) or inner is outer:
                continue
            for call in calls_in(inner.body):
                if last_name(call.func) != "step" or not isinstance(call.func, ast.Attribute):
                    continue
                kind = schedulers.get(ast.unparse(call.func.value))
                if kind is not None:
                    message = f"{kind} counts epochs as it is usually set, and is advanced for "
                    message += "every round of the inner loop."
                    yield finding(SCHEDULER, file, call.lineno, message)
