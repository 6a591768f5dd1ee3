"""Rules for updates: which optimizer steps and is cleared when, in which mode.

Optimizers that never step or are never cleared, clipping and accumulation in the wrong order,
modes that are set once before loops, samplers that are not told the epoch, factors that integer
division makes zero, and training steps that give no loss.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, keyword
from dl_bug_lsp.evidence.training_rules.hyperparameters import OPTIMIZERS
from dl_bug_lsp.evidence.training_rules.program import (
    LOOPS,
    OPTIMIZER,
    Body,
    Training,
    argument,
    clue,
    names_in,
    on_optimizer,
    receiver,
    string,
    text,
)
from dl_bug_lsp.evidence.training_rules.schedulers import find_counted
from dl_bug_lsp.provenance.scopes import Scope, called_name, dotted_name

FALLING = re.compile(r"loss|err|mae|mse|rmse|wer|cer|perplexity|ppl|mape|fid|eer")
"""Words of metrics of which less is better."""
RISING = re.compile(
    r"acc|auc|auroc|f1|iou|map\b|m_?ap|bleu|rouge|dice|psnr|ssim|recall|precision|r2|score|reward"
    r"|return"
)
"""Words of metrics of which more is better."""
FOLLOWS = frozenset(
    ("ModelCheckpoint", "EarlyStopping", "ReduceLROnPlateau", "TrainingArguments",
     "Seq2SeqTrainingArguments")
)  # fmt: skip
"""What follows a metric that it is given by name."""
BEST = {"max": "highest", "min": "lowest"}
UNTRAINED = re.compile(r"val|dev|test|eval", re.I)
HELD_OUT = re.compile(r"val|test|eval")
LIGHTNING = frozenset(("lightning", "pytorch_lightning"))
TELL_EPOCH = frozenset(("lightning", "accelerate", "transformers"))
"""Libraries that tell samplers the epoch."""
UNNAMED_OPTIMIZERS = ("opt", "optim", "optimizer")
CLIPS = frozenset(("clip_grad_norm_", "clip_grad_value_"))
APPLIES = frozenset(("apply_gradients", "backward", "minimize"))
DIVIDED = re.compile(
    r"loss\w*\s*/|/=|/ *\w*(?:accum|steps|k\b)|\* *\(?1(?:\.0)? */|accelerator"
)  # fmt: skip
"""How a loss is divided by the number of rounds of one update, or who does it."""
STEPS = re.compile(
    r"\(?(?:float\()?(?:self\.)?(?:current_|global_)?(?:step|epoch|it|iteration|s)(?: \+ 1)?\)?"
)
WARM_UP = re.compile(r"warm", re.I)
PICTURE = re.compile(r"\bim|img|image|\bx\w*|pix|frame|pic|arr|photo|data")
LARGEST_PIXELS = (255, 127.5)
ADAPTED = {
    "TextVectorization": "vocabulary", "StringLookup": "vocabulary", "IntegerLookup": "vocabulary",
    "Normalization": "mean", "Discretization": "bin_boundaries",
}  # fmt: skip
"""Layers of Keras that learn from data by `adapt`, with the argument that says the same."""
KERAS = frozenset(("keras", "tensorflow"))
MADE = re.compile(
    r"^(?:torch|tf|keras\.ops|ops|jnp)\.(?:randn|rand|zeros|ones|empty|tensor|full"
    r"|random\.(?:normal|uniform))$"
)
"""Functions that make a tensor which no module and no layer takes for a weight."""
MODULES = re.compile(r"Module|Layer|Model$")
DRAWN = re.compile(r"rand|normal|uniform")
FILLED = re.compile(r"ones|zeros")
WEIGHTS = re.compile(
    r"weight|^w\d*$|bias|^b\d*$|gamma|beta|scale|query|quer|prompt|token|embed|param|alpha"
    r"|temperature|^s$|logit"
)
NO_WEIGHTS = re.compile(
    r"mask|pos|running|buffer|mean|std|var|anchor|grid|state|hidden|freq|class|loss|sample"
)
"""Words of attributes that are no weights: buffers, states, and weights of classes."""


def find(training: Training) -> Iterator[Clue]:
    """Yield what is wrong about when and how weights are updated."""
    yield from _each_optimizer(training)
    for body in training.bodies:
        yield from _by_function(body)
        yield from _same_parameters(body)
        yield from _accumulated(training, body)
        yield from _clipped(body)
        yield from _mode_once(training, body)
        yield from _gradient_switch(body)
        yield from _made_each_round(training, body)
        yield from _no_loss(training, body)
        yield from _zero_factors(body)
    yield from _epochs_of_sampler(training)
    yield from find_counted(training)
    yield from _directions(training)
    yield from _never_adapted(training)
    yield from _bare_weights(training)


def _plain(expr: ast.expr) -> str:
    """Return a name or attribute without ``self``, empty for other expressions."""
    return (dotted_name(expr) or "").removeprefix("self.")


def _each_optimizer(training: Training) -> Iterator[Clue]:
    """Find, where there are several optimizers, one that never steps or is never cleared."""
    made = {
        name.removeprefix("self.")
        for _, name, _, call in training.made
        if called_name(call) in OPTIMIZERS
    }
    if len(made) < 2 or "Trainer" in training.by_name or any("[" in name for name in made):
        return
    cleared = _called_on(training, "zero_grad")
    stepped = _called_on(training, "step")
    for scope, call in training.named("step"):
        # A scaler makes the steps of the optimizers that it is given.
        for given in call.args[:1]:
            stepped.setdefault(_plain(given), (scope, call))
    if not made & stepped.keys() or not made & cleared.keys():
        return
    for name in sorted(made & cleared.keys() - stepped.keys()):
        scope, call = cleared[name]
        why = f"`{name}` is cleared, and never makes a step"
        yield clue("strong", scope.file, call.lineno, why)
    if any(name not in made and not name.endswith(UNNAMED_OPTIMIZERS) for name in cleared):
        return  # A model is cleared, and with it the gradients of any optimizer.
    for name in sorted(made & stepped.keys() - cleared.keys()):
        scope, call = stepped[name]
        why = f"the gradients of `{name}` are never set back to zero and add up"
        yield clue("strong", scope.file, call.lineno, why)


def _called_on(training: Training, method: str) -> dict[str, tuple[Scope, ast.Call]]:
    """Return what a method is called on, with the first call."""
    found: dict[str, tuple[Scope, ast.Call]] = {}
    for scope, call in training.named(method):
        if isinstance(call.func, ast.Attribute):
            found.setdefault(_plain(call.func.value), (scope, call))
    return found


def _by_function(body: Body) -> Iterator[Clue]:
    """Judge the optimizers that one function clears and steps, however it got them."""
    cleared: dict[str, ast.Call] = {}
    stepped: dict[str, ast.Call] = {}
    zeros = 0
    for call in body.calls:
        name, owner = called_name(call), receiver(call)
        zeros += name == "zero_grad"
        if name == "zero_grad" and owner:
            cleared.setdefault(owner, call)
        elif name == "step" and "scaler" in owner:
            if call.args:
                stepped.setdefault(dotted_name(call.args[0]) or "", call)
        elif name == "step" and owner and not call.args and on_optimizer(call):
            # A step that is given the loss belongs to a wrapper, which clears by itself.
            stepped.setdefault(owner, call)
    if not cleared or not stepped or not all(OPTIMIZER.search(name.lower()) for name in cleared):
        return
    for name in sorted(cleared.keys() - stepped.keys()) if len(cleared) > 1 else ():
        why = f"`{name}` is cleared here, and never makes a step"
        yield clue("strong", body.file, cleared[name].lineno, why)
    for name in sorted(stepped.keys() - cleared.keys()) if len(stepped) > 1 else ():
        if zeros == len(cleared):
            why = f"the gradients of `{name}` are never set back to zero and add up"
            yield clue("strong", body.file, stepped[name].lineno, why)


def _same_parameters(body: Body) -> Iterator[Clue]:
    """Find two optimizers of one kind and one function that hold the same model."""
    held: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for name, bindings in body.scope.bindings.items():
        for binding in bindings:
            value = binding.value
            if not isinstance(value, ast.Call) or called_name(value) not in OPTIMIZERS:
                continue
            if value.args and ".parameters()" in (given := ast.unparse(value.args[0])):
                held.setdefault((called_name(value), given), []).append((binding.line, name))
    for (_, given), places in held.items():
        names = {name for _, name in places}
        if len(names) != 2 or len(places) != 2:
            continue
        for line, name in places:
            (other,) = names - {name}
            why = f"`{name}` and `{other}` both hold `{given}`"
            yield clue("strong", body.file, line, why)


def _accumulated(training: Training, body: Body) -> Iterator[Clue]:
    """Judge loops that make a step only every few rounds: what is cleared, and what is divided."""
    for branch in body.nodes:
        if not isinstance(branch, ast.If) or "%" not in body.source(branch.test):
            continue
        inside = [call for statement in branch.body for call in calls_in(statement)]
        if not any(_is_step(call) for call in inside):
            continue
        loops = training.loops(body.scope, branch)
        if not loops or not isinstance(loops[0], ast.For):
            continue
        within = {id(call) for call in inside}
        outside = [call for call in calls_in(loops[0]) if id(call) not in within]
        backwards = [c for c in (*outside, *inside) if called_name(c) == "backward"]
        if not backwards or any(_is_step(call) for call in outside):
            continue  # Another optimizer makes a step in each round.
        for call in outside:
            around = training.around(body.scope, call)
            if called_name(call) == "zero_grad" and not any(isinstance(n, ast.If) for n in around):
                why = (
                    f"{text(call)} runs in each round, so that only the last round's gradients"
                    " count"
                )
                yield clue("strong", body.file, call.lineno, why)
        if not any(DIVIDED.search(body.source(statement)) for statement in loops[0].body):
            why = "the loss of a round is not divided by the number of rounds of an update"
            yield clue("medium", body.file, backwards[0].lineno, why)


def _is_step(call: ast.Call) -> bool:
    return called_name(call) == "step" and on_optimizer(call)


def _clipped(body: Body) -> Iterator[Clue]:
    """Find gradients that are clipped before they are there, or while a scaler multiplies them."""
    clips = [call for call in body.calls if called_name(call) in CLIPS]
    backwards = [call for call in body.calls if called_name(call) == "backward"]
    if not clips or not backwards:
        return
    steps = [c for c in body.calls if called_name(c) == "step" and (on_optimizer(c) or c.args)]
    is_scaled = "scale(" in body.source(backwards[0].func)
    is_scaled = is_scaled and not any(called_name(call) == "unscale_" for call in body.calls)
    for clip in clips:
        if len(backwards) == 1 and clip.lineno < backwards[0].lineno:
            why = f"{text(clip)} runs before the gradients are computed"
            yield clue("strong", body.file, clip.lineno, why)
        if is_scaled and any(step.lineno > clip.lineno for step in steps):
            why = "the gradients are clipped while they are multiplied by the scaler's factor"
            yield clue("strong", body.file, clip.lineno, why)


def _mode_once(training: Training, body: Body) -> Iterator[Clue]:
    """Find training mode that is set once, where each round of the loop leaves it."""
    if "lightning" in training.imported:
        return
    for call in body.calls:
        if called_name(call) != "train" or call.args or not isinstance(call.func, ast.Attribute):
            continue
        if training.loops(body.scope, call):
            continue
        later = [n for n in body.nodes if isinstance(n, ast.For) and n.lineno > call.lineno]
        outermost = [loop for loop in later if not training.loops(body.scope, loop)]
        if any(_leaves_training(training, loop) for loop in outermost):
            why = (
                f"{text(call)} runs once: after the first evaluation in the loop, the model stays"
                " in evaluation mode"
            )
            yield clue("strong", body.file, call.lineno, why)


def _leaves_training(training: Training, loop: ast.For) -> bool:
    """Whether a loop trains and evaluates, and never goes back into training mode."""
    own = list(calls_in(loop))
    names = {called_name(call) for call in own}
    called = [c for name in names for f in training.methods.get(name, ()) for c in f.calls]
    every = names | {called_name(call) for call in called}
    leaves = "eval" in names or any(called_name(c) == "eval" and not c.args for c in called)
    return leaves and "backward" in every and "train" not in every


def _gradient_switch(body: Body) -> Iterator[Clue]:
    """Find gradients that are turned on for the phase that does not train."""
    for call in body.calls:
        test = call.args[0] if called_name(call) == "set_grad_enabled" and call.args else None
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            continue
        phase = string(test.comparators[0]) or string(test.left) or ""
        is_equal = isinstance(test.ops[0], ast.Eq)
        if (UNTRAINED.match(phase) and is_equal) or (phase == "train" and not is_equal):
            why = f"gradients are computed only where {text(test)}"
            yield clue("strong", body.file, call.lineno, why)


def _made_each_round(training: Training, body: Body) -> Iterator[Clue]:
    """Find optimizers that are made anew for each step."""
    for call in body.calls:
        if called_name(call) not in OPTIMIZERS:
            continue
        loops = training.loops(body.scope, call)
        round_: ast.AST | None = loops[0] if loops else None
        if round_ is None and "step" in body.name.lower() and not body.scope.is_module:
            round_ = body.scope.node
        if round_ is None or _goes_on(round_) or _is_of_round(call, round_):
            continue
        if any(called_name(inner) in APPLIES for inner in calls_in(round_)):
            why = (
                f"{text(call)} makes a new optimizer for each step, which has forgotten its moments"
            )
            yield clue("strong", body.file, call.lineno, why)


def _goes_on(round_: ast.AST) -> bool:
    """Whether there are loops inside of a round."""
    return any(isinstance(node, LOOPS) and node is not round_ for node in ast.walk(round_))


def _is_of_round(call: ast.Call, round_: ast.AST) -> bool:
    """Whether what an optimizer gets was made in the same round, as an attack's picture is."""
    given = {name for argument in call.args for name in names_in(argument)}
    stored = (node for node in ast.walk(round_) if isinstance(node, ast.Name))
    return any(isinstance(node.ctx, ast.Store) and node.id in given for node in stored)


def _no_loss(training: Training, body: Body) -> Iterator[Clue]:
    """Find Lightning's training steps that give no loss."""
    node, owner = body.scope.node, body.scope.owner
    if owner is None or not isinstance(node, ast.FunctionDef) or node.name != "training_step":
        return
    calls = {called_name(call) for call in body.calls}
    if body.scope.returns or calls & {"manual_backward", "backward", "super"}:
        return
    last = node.body[-1]
    if len(node.body) < 2 or isinstance(last, (ast.Raise, ast.Pass)):
        return
    if "automatic_optimization = False" not in training.body(owner).text:
        why = f"`{node.name}` returns nothing, so that no batch is learnt from"
        yield clue("strong", body.file, node.lineno, why, 0.9)
        yield clue("strong", body.file, last.lineno, why)


def _zero_factors(body: Body) -> Iterator[Clue]:
    """Find factors of schedules, and pixels, that integer division makes zero."""
    for node in body.nodes:
        parts: Iterable[ast.AST] = ast.walk(node.body) if isinstance(node, ast.Lambda) else (node,)
        for part in parts:
            if not isinstance(part, ast.BinOp) or not isinstance(part.op, ast.FloorDiv):
                continue
            left, right = body.source(part.left).lower(), body.source(part.right)
            is_counter = isinstance(node, ast.Lambda) or STEPS.fullmatch(left)
            if is_counter and WARM_UP.search(right):
                why = f"{text(part)} is 0 until the warm-up ends"
                yield clue("strong", body.file, part.lineno, why)
            divisor = part.right.value if isinstance(part.right, ast.Constant) else None
            if divisor in LARGEST_PIXELS and PICTURE.search(left):
                why = f"{text(part)} leaves nothing between 0 and 1"
                yield clue("strong", body.file, part.lineno, why)


def _epochs_of_sampler(training: Training) -> Iterator[Clue]:
    """Find samplers of several processes that shuffle alike in each epoch."""
    if "set_epoch" in training.by_name or training.imported & TELL_EPOCH:
        return
    for scope, call in training.named("DistributedSampler"):
        shuffles = keyword(call, "shuffle")
        if isinstance(shuffles, ast.Constant) and not shuffles.value:
            continue
        if HELD_OUT.search(ast.unparse(call).lower()):
            continue
        why = "nothing tells this sampler the epoch (`set_epoch`): each epoch has the same order"
        yield clue("strong", scope.file, call.lineno, why)
        for body in training.bodies:
            for loop in body.nodes:
                if isinstance(loop, ast.For) and "epoch" in body.source(loop.target):
                    yield clue("strong", body.file, loop.lineno, why, 0.9)


def _directions(training: Training) -> Iterator[Clue]:
    """Find metrics that are followed in the wrong direction."""
    for scope, call in training.named(*sorted(FOLLOWS)):
        given = {k.arg: k.value for k in call.keywords if k.arg is not None}
        metric = given.get("monitor") or given.get("metric_for_best_model")
        name = (string(metric or given.get("objective")) or "").lower()
        wanted = "min" if FALLING.search(name) else "max" if RISING.search(name) else ""
        said, line = _direction(call, given)
        if said == "" and wanted == "max":
            said = _default_direction(training, call, given, name)
        if wanted and said and wanted != said:
            why = (
                f"of `{name}` the {BEST[wanted]} value is the best, and this looks for the"
                f" {BEST[said]}"
            )
            yield clue("strong", scope.file, line, why)
            if line != call.lineno:
                yield clue("strong", scope.file, call.lineno, why, 0.8)


def _direction(call: ast.Call, given: dict[str, ast.expr]) -> tuple[str, int]:
    """Return the direction that a call is told, empty where it is told none, and the line."""
    greater, mode = given.get("greater_is_better"), given.get("mode")
    if isinstance(greater, ast.Constant) and isinstance(greater.value, bool):
        return "max" if greater.value else "min", greater.lineno
    said = string(mode)
    return (said, mode.lineno) if mode is not None and said in BEST else ("", call.lineno)


def _default_direction(
    training: Training, call: ast.Call, given: dict[str, ast.expr], metric: str
) -> str:
    """Return the direction that a call takes by itself, empty where it fits the metric.

    PyTorch's and Lightning's own default is the least; Keras guesses from the name.
    """
    if "mode" in given or called_name(call).endswith("TrainingArguments"):
        return ""
    is_guessed = "acc" in metric or "auc" in metric
    return "min" if training.imported & LIGHTNING or not is_guessed else ""


def _never_adapted(training: Training) -> Iterator[Clue]:
    """Find layers that learn from data, and were never shown any."""
    if not training.imported & KERAS or "set_vocabulary" in training.by_name:
        return
    adapted = set(_called_on(training, "adapt"))
    layers: dict[str, tuple[Scope, ast.Call]] = {}
    for scope, call in training.named(*ADAPTED):
        given = argument(call, -1, ADAPTED[called_name(call)], "mean", "variance", "vocabulary")
        statement = training.statement(scope, call)
        if given is not None or not isinstance(statement, ast.Assign):
            continue
        if call.args and called_name(call) == "Discretization":
            continue
        layers[_plain(statement.targets[0])] = (scope, call)
    if adapted - layers.keys():
        return  # Some layer is adapted under another name.
    for name, (scope, call) in layers.items():
        if name and name not in adapted:
            why = (
                f"`{name}` is never adapted to data: it knows no words, or leaves values as they"
                " are"
            )
            yield clue("strong", scope.file, call.lineno, why)


def _bare_weights(training: Training) -> Iterator[Clue]:
    """Find weights of a module that are plain tensors: no optimizer gets them."""
    if "equinox" in training.imported:
        return  # There all arrays of a module are weights.
    for scope in training.scopes:
        cls = scope.node
        if not isinstance(cls, ast.ClassDef) or cls.name.endswith("Loss"):
            continue
        if not any(MODULES.search(ast.unparse(base)) for base in cls.bases):
            continue
        for node in ast.walk(cls):
            if not isinstance(node, ast.Assign):
                continue
            name = _own_attribute(node.targets[0])
            if name and _is_bare(node.value, name, training.body(scope).text):
                why = f"`self.{name}` is a plain tensor: no optimizer gets it as a weight"
                yield clue("strong", scope.file, node.lineno, why)


def _own_attribute(target: ast.expr) -> str:
    """Return the attribute of ``self`` that a target is, empty for others."""
    is_own = isinstance(target, ast.Attribute) and dotted_name(target.value) == "self"
    return (dotted_name(target) or "").removeprefix("self.") if is_own else ""


def _is_bare(value: ast.expr, name: str, code: str) -> bool:
    """Whether a value is a tensor that should be a weight, by how it is made and named."""
    while (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and isinstance(value.func.value, ast.Call)
    ):
        value = value.func.value  # What `.to(device)` is called on.
    made = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
    if not isinstance(value, ast.Call) or not MADE.match(made):
        return False
    if NO_WEIGHTS.search(name) or f"register_buffer('{name}'" in code:
        return False
    if len(re.findall(rf"self\.{name}(?:\[[^\]]*\])? *(?:[-+*/]?=)", code)) > 1:
        return False  # It is rewritten, so it is a state.
    is_weight = WEIGHTS.search(name) is not None
    return keyword(value, "requires_grad") is not None or (
        is_weight and (DRAWN.search(made) or FILLED.search(made)) is not None
    )
