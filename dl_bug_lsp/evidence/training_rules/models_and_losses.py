"""Rules for models that cannot learn, and losses that do not fit them.

Losses that do not fit the model's last activation, also of Keras, or that cannot be learnt from;
one-unit softmax, squashed stacks, dead starts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword
from dl_bug_lsp.evidence.training_rules.program import (
    SIGNS,
    Training,
    argument,
    clue,
    names_in,
    text,
)
from dl_bug_lsp.provenance.scopes import Scope, called_name, dotted_name

SOFTMAX = ("softmax", "log_softmax", "Softmax", "LogSoftmax", "softmax2d", "Softmax2d")
SIGMOID = ("sigmoid", "Sigmoid")
FROM_LOGITS = (
    "CrossEntropyLoss",
    "cross_entropy",
    "softmax_cross_entropy",
    "softmax_cross_entropy_with_integer_labels",
    "softmax_cross_entropy_with_logits",
    "sparse_softmax_cross_entropy_with_logits",
)
FROM_BINARY_LOGITS = (
    "BCEWithLogitsLoss",
    "binary_cross_entropy_with_logits",
    "sigmoid_cross_entropy_with_logits",
    "sigmoid_binary_cross_entropy",
)
INNER = re.compile(
    r"att|entropy|nll|kl\b|kl_|divergence|score|weight|gate|alpha|mask|align|rout|mix|sample|predict|infer|generat|prob|eval|temperature"
    r"|teacher|distil|squeeze|excit|beta|policy|act\b|select|choose|export|serve|report|metric",
    re.IGNORECASE,
)
"""Names beside which a softmax or a sigmoid belongs where it is."""
MEASURES = re.compile(r"metric|update|append|print|\blog\b|log_dict|acc\b|auc|score", re.IGNORECASE)
"""Callees that measure or show what they are given."""
TARGETS = {
    *("y", "target", "targets", "label", "labels", "y_true", "truth", "gt", "ground_truth", "tgt"),
    *("true", "yb", "y_batch"),
}
OUTPUTS = {
    *("output", "outputs", "logits", "pred", "preds", "prediction", "predictions", "out"),
    *("y_pred", "y_hat", "yhat", "scores"),
}
DISCRETE = frozenset({"argmax", "round", "sign", "floor", "ceil", "argsort", "topk", "rint"})


def find_losses(training: Training) -> Iterator[Clue]:
    """Yield mismatches of loss and activation, and losses whose gradient is lost or reversed."""
    yield from _double(training, FROM_LOGITS, SOFTMAX, "softmax")
    yield from _double(training, FROM_BINARY_LOGITS, SIGMOID, "sigmoid")
    yield from _negative_log_likelihood(training)
    yield from _blank(training)
    for scope, call in _loss_calls(training):
        yield from _arguments(scope, call)


COUNTED_FROM_ZERO = re.compile(r"\{(\w+): (\w+) for \2, \1 in enumerate\([^,()]*\)")
ONE_MORE = re.compile(r"\blen\([\w.]+\) \+ 1\b")


def _blank(training: Training) -> Iterator[Clue]:
    """Find a CTC loss whose blank, 0 by default, is also the number of a symbol.

    The labels must not hold the blank (PyTorch, `torch.nn.CTCLoss`): where symbols are counted from
    0 and one label more is made for it, the blank is the last one.
    """
    texts = [(module.file, ast.unparse(module.node)) for module in training.modules]
    makes_room = any(ONE_MORE.search(text) for _, text in texts)
    counted = next((m for _, text in texts if (m := COUNTED_FROM_ZERO.search(text))), None)
    if not makes_room or counted is None:
        return
    for module in training.modules:
        for call in (c for s in module.walk() for c in s.calls):
            name = called_name(call)
            given = argument(call, 4 if name == "ctc_loss" else 0, "blank")
            if name in ("CTCLoss", "ctc_loss") and given is None:
                why = (
                    "the blank is label 0 here, by default, which is also that of the first symbol"
                )
                yield clue("strong", module.file, call.lineno, why)


def _double(
    training: Training, losses: tuple[str, ...], activations: tuple[str, ...], name: str
) -> Iterator[Clue]:
    own = {s.name.rpartition(".")[2] for s in training.functions}
    used = [
        (s, c)
        for s, c in training.named(*losses)
        if called_name(c) not in own and not _is_metric(s)
    ]
    if not used:
        return
    loss = called_name(used[0][1])
    for scope, call in training.named(*activations):
        if _belongs(training, scope, call) or all(
            _is_other_result(scope.node, call, user.node, taken) for user, taken in used
        ):
            continue
        why = f"`{loss}` applies its own {name}, so this one is the second"
        yield clue(
            "strong" if _is_last(training, scope, call) else "medium", scope.file, call.lineno, why
        )
        for other, used_call in used[:3]:
            why = f"`{loss}` wants raw scores, the model gives {name} outputs"
            yield clue("medium", other.file, used_call.lineno, why, 0.8)


def _is_other_result(made: ast.AST, call: ast.Call, user: ast.AST, loss: ast.Call) -> bool:
    """Whether one of several results goes into a loss, and a call makes another one.

    Positions tell: ``return heat, sigmoid(size)``, ``heat, size = net(x)`` and ``loss(heat)``.
    """
    results = [
        node.value
        for node in ast.walk(made)
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple)
    ]
    names = {n.id for given in loss.args for n in ast.walk(given) if isinstance(n, ast.Name)}
    kept = {
        node.targets[0].id
        for node in ast.walk(made)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and any(part is call for part in ast.walk(node.value))
    }
    for result in results:
        at = {
            number
            for number, item in enumerate(result.elts)
            if any(
                part is call or (isinstance(part, ast.Name) and part.id in kept)
                for part in ast.walk(item)
            )
        }
        for node in ast.walk(user) if at else ():
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            if not isinstance(target, ast.Tuple) or len(target.elts) != len(result.elts):
                continue
            bound = [item.id if isinstance(item, ast.Name) else "" for item in target.elts]
            if names & set(bound) and not names & {bound[number] for number in at}:
                return True
    return False


def _is_metric(scope: Scope) -> bool:
    return "metric" in scope.name.lower()


def _belongs(training: Training, scope: Scope, call: ast.Call) -> bool:
    """Whether an activation is an inner one (attention, gate) or stands outside training."""
    statement = training.statement(scope, call)
    targets = ""
    if isinstance(statement, ast.Assign):
        targets = " ".join(ast.unparse(t) for t in statement.targets)
    elif isinstance(statement, ast.AnnAssign):
        targets = ast.unparse(statement.target)
    owner = scope.owner.name if scope.owner is not None else ""
    words = f"{scope.name} {owner} {targets} {' '.join(sorted(names_in(call)))}"
    if INNER.search(words):
        return True
    for around in training.around(scope, call):
        if isinstance(around, ast.Call) and MEASURES.search(ast.unparse(around.func)):
            return True
        if isinstance(around, ast.With) and "no_grad" in ast.dump(around.items[0].context_expr):
            return True
    return any("no_grad" in d or "inference_mode" in d for d in scope.decorators())


def _is_last(training: Training, scope: Scope, call: ast.Call) -> bool:
    """Whether an activation is what a forward pass gives, or the last layer of a stack."""
    parent = training.parent(scope, call)
    if isinstance(parent, ast.Return):
        return True
    if isinstance(parent, ast.Call) and called_name(parent) in ("Sequential", "ModuleList"):
        return bool(parent.args) and parent.args[-1] is call
    if isinstance(parent, (ast.List, ast.Tuple)):
        return parent.elts[-1] is call
    if isinstance(parent, ast.Call) and called_name(parent) in ("append", "add"):
        return not training.loops(scope, call)
    statement = training.statement(scope, call)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        name = statement.targets[0].id
        given = {n for r in scope.returns for n in names_in(r)}
        later = [b for b in scope.bindings.get(name, []) if b.line > call.lineno]
        loss_argument = any(
            name in names_in(a)
            for s, c in training.named(*FROM_LOGITS)
            if s is scope
            for a in c.args
        )
        return (name in given and not later) or loss_argument
    return isinstance(parent, ast.Call) and called_name(parent) in FROM_LOGITS + FROM_BINARY_LOGITS


def _negative_log_likelihood(training: Training) -> Iterator[Clue]:
    used = list(training.named("NLLLoss", "nll_loss"))
    if not used or "log_softmax" in training.by_name or "LogSoftmax" in training.by_name:
        return
    for scope, call in training.named("softmax", "Softmax"):
        if not _belongs(training, scope, call):
            why = "the negative log likelihood wants log-probabilities"
            yield clue("strong", scope.file, call.lineno, why)
    for scope, call in used:
        why = "the negative log likelihood is given values that are no log-probabilities"
        yield clue("medium", scope.file, call.lineno, why)


def _loss_calls(training: Training) -> Iterator[tuple[Scope, ast.Call]]:
    pattern = re.compile(r"criterion|loss|cross_?entropy|kl_div|nll|mse", re.IGNORECASE)
    for scope, call in training.calls:
        if pattern.search(called_name(call)) and len(call.args) >= 2:
            yield scope, call


def _arguments(scope: Scope, call: ast.Call) -> Iterator[Clue]:
    first, second = call.args[0], call.args[1]
    if ast.dump(first) == ast.dump(second):
        why = f"{text(call)} compares a value with itself"
        yield clue("strong", scope.file, call.lineno, why)
    first_word, second_word = _last_word(first), _last_word(second)
    keras_like = called_name(call) in ("loss_fn", "compiled_loss", "compute_loss")
    if first_word in TARGETS and second_word in OUTPUTS and not keras_like and not _defines(scope):
        torch_like = called_name(call) in FROM_LOGITS + FROM_BINARY_LOGITS + ("kl_div", "nll_loss")
        why = f"{text(call)} has prediction and target in each other's place"
        yield clue("strong" if torch_like else "weak", scope.file, call.lineno, why)
    for inner in (n for n in ast.walk(first) if isinstance(n, ast.Call)):
        if called_name(inner) in DISCRETE:
            why = f"{text(inner)} has no gradient"
            yield clue("strong", scope.file, inner.lineno, why)
    for compare in (n for n in ast.walk(first) if isinstance(n, ast.Compare)):
        why = f"{text(compare)} has no gradient"
        yield clue("strong", scope.file, compare.lineno, why)


def _last_word(expr: ast.expr) -> str:
    if isinstance(expr, ast.Attribute):
        return expr.attr.lower()
    return expr.id.lower() if isinstance(expr, ast.Name) else ""


def _defines(scope: Scope) -> bool:
    """Whether the function takes (y_true, y_pred) as Keras' losses do."""
    return [p.arg for p in scope.parameters()][:2] == ["y_true", "y_pred"]


KERAS_LOSSES = (
    "BinaryCrossentropy",
    "CategoricalCrossentropy",
    "SparseCategoricalCrossentropy",
    "binary_crossentropy",
    "categorical_crossentropy",
    "sparse_categorical_crossentropy",
)


PART = re.compile(
    r"block|attention|ffn|feed_?forward|encoder|backbone|stem|branch|embed|expert|squeeze|layer",
    re.IGNORECASE,
)
"""Names of parts of a model, whose last layer is not the model's."""


def find_keras(training: Training) -> Iterator[Clue]:
    """Yield losses and last layers that do not fit."""
    if not {"keras", "tensorflow", "tf_keras"} & training.imported:
        return
    last = list(_last_layers(training))
    # One layer that fits is the model's head; the others belong to parts of it.
    if any(activation in ("softmax", "sigmoid", "?") for _, _, activation in last):
        last = [layer for layer in last if layer[2] is not None]
    for file, line, name, logits in _keras_losses(training):
        for scope, call, activation in last:
            units = argument(call, 0, "units", "filters")
            sizes = training.numbers(scope, units) if units is not None else []
            for level, at_loss, why in _mismatch(name, logits, activation, sizes):
                if at_loss:
                    yield clue(level, file, line, why)
                else:
                    yield from _at_activation(training, scope, call, level, why)


def _activation(training: Training, scope: Scope, call: ast.Call) -> str | None:
    """Return the name of the activation that a layer is given, ``?`` where it is not known."""
    given = keyword(call, "activation")
    if given is None or (isinstance(given, ast.Constant) and given.value is None):
        return None
    written = training.written(scope, given)
    if written is not None:
        return written.value
    name = dotted_name(given) or ""
    # `tf.nn.softmax` names a function, `config.output` a setting of which nothing is known.
    return name.rpartition(".")[2] if name.rpartition(".")[2] in ACTIVATIONS else "?"


ACTIVATIONS = frozenset(
    ("softmax", "log_softmax", "sigmoid", "relu", "tanh", "linear", "elu", "gelu", "selu", "silu")
)
"""Names of functions that layers are given as their activation."""
SET_ELSEWHERE = 0.6
"""What a clue counts at the layer whose activation another line sets."""


def _at_activation(
    training: Training, scope: Scope, call: ast.Call, level: str, why: str
) -> Iterator[Clue]:
    """Yield a clue where a layer's activation is written, a weaker one at the layer."""
    given = keyword(call, "activation")
    here = (scope.file, (given or call).lineno)
    written = training.written(scope, given)
    if written is None or (written.file, written.line) == here:
        yield clue(level, *here, why)
        return
    yield clue(level, written.file, written.line, f"`{written.value}` is set here: {why}")
    yield clue(level, *here, why, SET_ELSEWHERE)


def _keras_losses(training: Training) -> Iterator[tuple[str, int, str, bool]]:
    """Yield the losses by file, line, lower-case name, and whether they take logits."""
    for scope, call in training.named("compile"):
        loss = keyword(call, "loss")
        for name in training.texts(scope, loss) if loss is not None else ():
            line = loss.lineno if loss is not None else 0
            yield scope.file, line, name.replace("_", ""), False

    for scope, call in training.named(*KERAS_LOSSES):
        flag = keyword(call, "from_logits")
        logits = isinstance(flag, ast.Constant) and flag.value is True
        line = flag.lineno if flag is not None else call.lineno
        if flag is None or isinstance(flag, ast.Constant):
            yield scope.file, line, called_name(call).lower().replace("_", ""), logits


def _last_layers(training: Training) -> Iterator[tuple[Scope, ast.Call, str | None]]:
    """Yield each function's last dense (or 1x1 convolution) layer with its activation."""
    for scope in training.functions:
        layers = [c for c in scope.calls if called_name(c) in ("Dense", "Conv2D", "Conv1D")]
        if not layers:
            continue
        owner = scope.owner.name if scope.owner is not None else ""
        if PART.search(f"{scope.name} {owner}"):
            continue
        dense = [c for c in layers if called_name(c) == "Dense"] or [
            c for c in layers if _is_pointwise(c)
        ]
        if not dense:
            continue
        call = max(dense, key=lambda c: c.lineno)
        if training.loops(scope, call):
            continue
        after = [
            c
            for c in scope.calls
            if c.lineno > call.lineno
            and called_name(c) in ("Activation", "Softmax", "softmax", "sigmoid")
        ]
        if not after or keyword(call, "activation") is not None:
            yield scope, call, _activation(training, scope, call)


def _is_pointwise(call: ast.Call) -> bool:
    size = argument(call, 1, "kernel_size")
    return size is not None and ast.unparse(size) in ("1", "(1, 1)")


def _mismatch(
    loss: str, logits: bool, activation: str | None, sizes: list[float]
) -> Iterator[tuple[str, bool, str]]:
    """Yield (level, whether at the loss, reason) for a loss and a last activation."""
    crossed = "crossentropy" in loss
    if crossed and logits and activation in ("sigmoid", "softmax"):
        yield "strong", True, f"the loss expects raw scores, the last layer gives {activation}"
        yield "strong", False, f"`{activation}` before a loss that applies it once more"
    if crossed and not logits and activation in (None, "linear", "relu", "tanh"):
        yield "strong", True, "the loss expects probabilities, the last layer gives raw scores"
        yield "strong", False, "raw scores go to a loss that expects probabilities"
    if loss.startswith("binary") and activation == "softmax":
        yield "medium", False, "softmax with a binary cross entropy"
        yield "medium", True, "a binary cross entropy over a softmax"
    if "categorical" in loss and sizes and max(sizes) == 1:
        yield "strong", True, "a categorical loss over one unit is always 0"
        yield "strong", False, "one unit cannot distinguish classes in a categorical loss"
    if "categorical" in loss and activation == "sigmoid":
        yield "medium", False, "sigmoid outputs do not sum to 1 as the loss assumes"
    if loss in ("mse", "meansquarederror", "mae") and activation in ("softmax", "relu"):
        yield "medium", False, f"`{activation}` bounds what a regression can give"


# ---------------------------------------------------------------------- models
# callee -> position of the number of outputs.
OUTPUT_LAYERS = {
    "Dense": 0, "Linear": 1, "LazyLinear": 0, "Conv2D": 0, "Conv1D": 0, "Conv2d": 1, "Conv1d": 1,
    "Conv": 0, "DenseGeneral": 0,
}  # fmt: skip
SQUASHING = frozenset(
    {"sigmoid", "tanh", "Sigmoid", "Tanh", "hard_sigmoid", "Hardsigmoid", "softsign"}
)
INITIALIZERS = frozenset(
    {
        "kernel_initializer",
        "kernel_init",
        "embeddings_initializer",
        "recurrent_initializer",
        "depthwise_initializer",
        "w_init",
    }
)
DEEP = 4
"""With so many squashing layers in a row the gradient is below 1 % of what it was."""


def find_models(training: Training) -> Iterator[Clue]:
    """Yield layers, initial weights and axes that keep the gradient from flowing."""
    yield from _one_unit(training)
    yield from _squashed(training)
    yield from _starts(training)
    yield from _axes(training)
    yield from _normalisers(training)
    yield from _outputs(training)


def _sizes(training: Training, scope: Scope, call: ast.Call) -> list[float]:
    size = argument(
        call, OUTPUT_LAYERS[called_name(call)], "units", "filters", "features", "out_features"
    )
    return training.numbers(scope, size) if size is not None else []


def _one_unit(training: Training) -> Iterator[Clue]:
    """Find a softmax over a single unit is 1 whatever the weights are."""
    single = [
        (scope, call)
        for scope, call in training.named(*OUTPUT_LAYERS)
        if set(_sizes(training, scope, call)) == {1.0}
    ]
    why = "a softmax over one unit is always 1"
    for scope, call in single:
        if _activation(training, scope, call) in ("softmax", "log_softmax"):
            yield from _at_activation(training, scope, call, "strong", why)
    if not single:
        return
    owners = {id(scope.owner) for scope, _ in single}
    # A class with layers of its own, all of them wider, gives its softmax what these return.
    wider = {id(s.owner) for s, _ in training.named(*OUTPUT_LAYERS) if s.owner} - owners
    wide = any(
        min(_sizes(training, s, c), default=1) > 1 and not training.loops(s, c)
        for s, c in training.named(*OUTPUT_LAYERS)
        if INNER.search(s.name) is None
        and "head" in ast.dump(training.statement(s, c) or c).lower()
    )
    for scope, call in training.named("softmax", "log_softmax", "Softmax", "LogSoftmax"):
        words = f"{scope.name} {text(call)}"
        if re.search(r"att|gate|weight|alpha|mask|rout|mix", words, re.IGNORECASE):
            continue
        # Which of several models gives a softmax outside of them its scores is not known.
        is_open = bool(wider) and id(scope.owner) not in owners
        yield clue("medium" if wide or is_open else "strong", scope.file, call.lineno, why)


def _squashed(training: Training) -> Iterator[Clue]:
    for scope in training.functions:
        activated = _stacked(training, scope)
        # A sigmoid's slope is 1/4 at most, that of tanh 1.
        sigmoid = any("igmoid" in ast.unparse(e) for e in activated)
        if len(activated) >= DEEP - 1:
            level = "strong" if sigmoid or len(activated) > DEEP else "medium"
            for expr in dict.fromkeys(activated):
                why = "layer upon layer squashes its input, so gradients vanish"
                yield clue(level, scope.file, expr.lineno, why)
    for entry in training.entries:
        if entry.key in ("activation", "nonlinearity", "act") and str(entry.value).lower() in (
            "sigmoid", "tanh", "softmax", "linear", "none", "identity", "hard_sigmoid",
        ):  # fmt: skip
            why = f"`{entry.value}` as the activation of all layers"
            yield clue("medium", entry.file, entry.line, why)


def _stacked(training: Training, scope: Scope) -> list[ast.expr]:
    """Return the activations of a function that squash one after the other.

    One that a loop over layers repeats counts three times. Outputs side by side, and those of one
    batch after the other, are squashed once each.
    """
    containers: dict[int, list[ast.expr]] = {}
    applied: dict[ast.Call, ast.expr] = {}
    for call in scope.calls:
        inner = keyword(call, "activation")
        is_squashing = _activation(training, scope, call) in SQUASHING
        if called_name(call) in OUTPUT_LAYERS and inner is not None and is_squashing:
            shown = inner
        elif called_name(call) in SQUASHING and _in_stack(training, scope, call):
            shown = call
        else:
            continue
        around = training.parent(scope, call)
        if isinstance(around, ast.Call) and around.func is call:
            applied[around] = shown
        elif called_name(call)[:1].isupper():
            is_held = isinstance(around, (ast.List, ast.Tuple)) or (
                isinstance(around, ast.Call) and called_name(around) == "Sequential"
            )
            repeated = 3 if training.loops(scope, call) else 1
            containers.setdefault(id(around) * is_held, []).extend([shown] * repeated)
        else:
            applied[call] = shown
    found = max(containers.values(), key=len, default=[])
    for call in _chained(training, scope, list(applied)):
        repeated = 3 if _goes_over_layers(training, scope, call) else 1
        found.extend([applied[call]] * repeated)
    return found


def _chained(training: Training, scope: Scope, calls: list[ast.Call]) -> list[ast.Call]:
    """Return the calls of which one takes what another gives.

    Gates are multiplied with what they let through.
    """
    chained: set[ast.Call] = set()
    assigned = [n for n in training.nodes(scope, SIGNS) if isinstance(n, ast.Assign)]
    bound = [
        (set[str]().union(*map(names_in, a.targets)) - {"self"}, a.value)
        for a in (assigned if calls else ())
        if not _multiplies(a.value)
    ]
    for call in calls:
        inner = set(ast.walk(call))
        given: set[str] = set()
        for names, value in [*bound, *bound]:
            if given & names_in(value) or call in set(ast.walk(value)):
                given |= names
        fed = [c for c in calls if c is not call and (c in inner or _takes(c, given))]
        if fed or (_goes_over_layers(training, scope, call) and _takes(call, given)):
            chained.update((call, *fed))
    return [call for call in calls if call in chained]


def _multiplies(node: ast.expr) -> bool:
    parts = (part for part in ast.walk(node) if isinstance(part, ast.BinOp))
    return any(isinstance(part.op, ast.Mult) for part in parts)


def _takes(call: ast.Call, names: set[str]) -> bool:
    return any(names & names_in(arg) and not _multiplies(arg) for arg in call.args)


def _goes_over_layers(training: Training, scope: Scope, call: ast.Call) -> bool:
    """Whether each round of a loop calls another layer within a call."""
    targets = (
        names_in(loop.target) for loop in training.loops(scope, call) if isinstance(loop, ast.For)
    )
    called = {called_name(c) for c in ast.walk(call) if isinstance(c, ast.Call)}
    layers = set[str]().union(*targets)
    made = isinstance(call.func, ast.Call) and bool(training.loops(scope, call))
    return made or bool(layers & called)


def _in_stack(training: Training, scope: Scope, call: ast.Call) -> bool:
    """Whether an activation belongs to a stack of layers, not to a gate or an output."""
    statement = training.statement(scope, call)
    words = ast.unparse(statement) if isinstance(statement, ast.Assign) else ""
    return re.search(r"gate|att|forget|reset|update", words, re.IGNORECASE) is None


def _starts(training: Training) -> Iterator[Clue]:
    """Weights that all start alike stay alike; huge ones saturate what follows."""
    for scope, call in training.named("zeros_", "ones_", "constant_"):
        target = ast.unparse(call.args[0]) if call.args else ""
        if "init" not in ast.dump(call.func) or "bias" in target or re.search(r"norm|bn", target):
            continue
        why = f"{text(call)} makes all units alike, and they stay so"
        yield clue("strong" if "weight" in target else "medium", scope.file, call.lineno, why)
    for scope, call in training.calls:
        for word in call.keywords:
            if word.arg in INITIALIZERS:
                written = training.written(scope, word.value)
                name = written.value if written is not None else ast.unparse(word.value)
                if re.search(r"zeros|ones\b|[Cc]onstant|Zeros|Ones", name):
                    why = f"weights that start as `{name[:40]}` all learn the same"
                    around = training.statement(scope, call)
                    words = ast.unparse(around).partition("(")[0] if around is not None else ""
                    # A last layer and what adds to a residual may start at 0 (its inputs differ).
                    last = re.search(r"head|out|final|last|proj|bias|gate", words) is not None
                    level = "weak" if word.arg == "embeddings_initializer" else "strong"
                    level = "medium" if last else level
                    here = (scope.file, word.value.lineno)
                    is_here = written is None or (written.file, written.line) == here
                    yield clue(level, *here, why, 1.0 if is_here else SET_ELSEWHERE)
                    if written is not None and not is_here:
                        yield clue(level, written.file, written.line, why)
    for scope, call in training.named(
        "normal_", "uniform_", "RandomNormal", "RandomUniform", "normal"
    ):
        width = keyword(call, "std") or keyword(call, "stddev") or keyword(call, "maxval")
        if width is None and called_name(call) == "normal_":
            width = argument(call, 2)
        for origin in training.origins(scope, width) if width is not None else ():
            if origin.value >= 1.5 and called_name(call) != "normal":
                why = f"weights that start with a spread of {origin.value:g} saturate the network"
                yield clue("strong", origin.file, origin.line, why)
    for scope, call in training.named("fill_", "zero_"):
        target = ast.unparse(call.func)
        if ".weight" in target and ".grad" not in target and "norm" not in target:
            why = f"{text(call)} makes all units alike"
            yield clue("medium", scope.file, call.lineno, why)


def _axes(training: Training) -> Iterator[Clue]:
    for scope, call in training.named("softmax", "log_softmax", "Softmax", "LogSoftmax", "argmax"):
        axis = keyword(call, "dim") or keyword(call, "axis")
        if axis is None and called_name(call) in ("Softmax", "LogSoftmax", "argmax"):
            method = isinstance(call.func, ast.Attribute) and len(call.args) == 1
            axis = argument(call, 0) if method else argument(call, 1)
        if isinstance(axis, ast.Constant) and axis.value == 0 and type(axis.value) is int:
            why = f"{text(call)} runs over axis 0, the samples of the batch"
            level = "medium" if called_name(call) == "argmax" else "strong"
            yield clue(level, scope.file, axis.lineno, why)


def _normalisers(training: Training) -> Iterator[Clue]:
    torch = "torch" in training.imported
    for scope, call in training.named(
        "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "BatchNormalization"
    ):
        momentum = keyword(call, "momentum")
        for origin in training.origins(scope, momentum) if momentum is not None else ():
            # torch weighs the new statistics with the momentum, Keras the old ones.
            is_torch = called_name(call) != "BatchNormalization" and torch
            if (is_torch and origin.value >= 0.9) or (not is_torch and origin.value <= 0.1):
                why = "the running statistics follow a single batch"
                yield clue("medium", origin.file, origin.line, why)
            elif is_torch and origin.value == 0:
                yield clue("strong", origin.file, origin.line, "the running statistics never move")


def _outputs(training: Training) -> Iterator[Clue]:
    """Find a rectifier as the last word of a model: no negative values, no gradient at 0."""
    for scope in training.functions:
        short = scope.name.rpartition(".")[2]
        for call in scope.calls:
            if called_name(call) not in ("relu", "ReLU", "relu_"):
                continue
            parent = training.parent(scope, call)
            if short in ("forward", "call", "__call__") and isinstance(parent, ast.Return):
                owner = scope.owner.name if scope.owner is not None else ""
                if not re.search(r"block|layer|encoder|conv|down|up|res", owner, re.IGNORECASE):
                    why = "the model's output is cut off at 0, where it has no gradient"
                    yield clue("medium", scope.file, call.lineno, why)
            elif isinstance(parent, ast.Call) and called_name(parent) == "Sequential":
                around = ast.unparse(training.statement(scope, call) or call)
                words = around.partition("=")[0] + scope.name
                part = r"block|layer|encoder|conv|down|up|feature|backbone|trunk|stem"
                last = bool(parent.args) and parent.args[-1] is call
                if last and not re.search(part, words, re.IGNORECASE):
                    yield clue("weak", scope.file, call.lineno, "a rectifier as the last layer")
