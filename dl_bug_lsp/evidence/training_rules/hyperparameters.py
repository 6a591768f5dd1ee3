"""Rules for hyperparameters: learning rates, decay, momentum and clipping out of bounds."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import keyword
from dl_bug_lsp.evidence.training_rules.program import (
    BRANCHES,
    DICTS,
    Origin,
    Training,
    argument,
    clue,
    names_in,
    string,
    text,
)
from dl_bug_lsp.provenance.scopes import Scope, called_name

ADAPTIVE = frozenset(
    {
        "Adam", "AdamW", "Adamax", "NAdam", "Nadam", "RAdam", "RMSprop", "RMSProp", "SparseAdam",
        "adam", "adamw", "rmsprop", "lion", "Lion", "adamax", "nadam", "radam", "Ftrl", "Lamb",
        "lamb", "Adam8bit", "AdamW8bit", "FusedAdam", "amsgrad", "yogi", "adabelief", "novograd",
    }
)  # fmt: skip
PLAIN = frozenset(
    {"SGD", "sgd", "Adagrad", "adagrad", "ASGD", "Rprop", "noisy_sgd", "lars", "LARS"}
)
OPTIMIZERS = ADAPTIVE | PLAIN
RATE_NAME = re.compile(
    r"^(?:base_|init_|initial_|max_|peak_|start_|optimizer_|head_|backbone_|encoder_|decoder_)?"
    r"(?:lr|learning_?rate)(?:_?(?:g|d|gen|disc|actor|critic|base|init|max|head|backbone))?$",
    re.IGNORECASE,
)
# (strong below, medium below, medium from, strong from): an adaptive step is of the size of the
# rate itself, so at 0.1 a step is as large as most initial weights. Adadelta alone starts at 1.
ADAPTIVE_BOUNDS = (3e-8, 1e-6, 0.02, 0.1)
PLAIN_BOUNDS = (1e-7, 1e-5, 0.5, 1.0)
ANY_BOUNDS = (3e-8, 1e-6, 0.15, 1.0)

# name pattern -> (strong below, medium below, medium from, strong from), None where never.
Bounds = tuple[float, float, float, float]
BIG = 1e30
SETTINGS: tuple[tuple[re.Pattern[str], Bounds], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), bounds)
    for pattern, bounds in (
        (r"^(?:weight_?decay|wd|l2|l2_?(?:reg|penalty|lambda)|kernel_l2)$", (-BIG, -BIG, 0.3, 0.9)),
        (r"^(?:momentum|beta_?1|b1|rho|nesterov_momentum)$", (-BIG, -BIG, 0.9951, 0.9999)),
        (r"^(?:beta_?2|b2)$", (-BIG, -BIG, 0.999999, 1.0)),
        (r"^(?:p_?drop(?:out)?|dropout(?:_?(?:rate|p|prob))?|drop_rate|\w+_dropout|resid_pdrop)$",
         (-BIG, -BIG, 0.65, 0.85)),
        (r"^(?:(?:grad(?:ient)?_?)?clip(?:_?(?:norm|value|val|grad|grad_norm|gradients?))?|clipnorm"
         r"|clipvalue|global_clipnorm|max_(?:grad_)?norm|gradient_clip_val|max_gradient_norm)$",
         (2e-4, 0.02, BIG, BIG)),
        (r"^(?:label_?smoothing)$", (-BIG, -BIG, 0.5, 0.8)),
        (r"^(?:temperature|tau_?softmax|temp)$", (1e-3, 0.011, 50, 500)),
        (r"^(?:loss_scale|loss_weight|\w+_loss_weight|kl_weight|beta_kl|lambda_\w+)$",
         (1e-12, 1e-9, 300, 1e4)),
        (r"^(?:init_?(?:std|scale|range)|initializer_range|stddev)$", (1e-9, 1e-6, 0.9, 3)),
    )
)  # fmt: skip


def find_rates(training: Training) -> Iterator[Clue]:
    """Yield the lines that set a hyper-parameter out of bounds."""
    of_optimizers = [*_optimizers(training), *_trainers(training)]
    yield from of_optimizers
    told = {(found.file, found.line): found.why for found in of_optimizers}
    adadelta = "Adadelta" in training.by_name or "adadelta" in training.by_name
    for rate_clue in (*_by_name(training), *_entries(training)):
        # What was said for the optimizer is not said again of the setting.
        again = told.get((rate_clue.file, rate_clue.line), "").startswith(rate_clue.why)
        if not again and not (adadelta and "rate of 1 " in rate_clue.why):
            yield rate_clue


def _level(value: float, bounds: Bounds) -> str | None:
    low, rather_low, rather_high, high = bounds
    if value <= low or value >= high:
        return "strong"
    return "medium" if value <= rather_low or value >= rather_high else None


def _bounds_of(name: str) -> Bounds:
    if name in ADAPTIVE:
        return ADAPTIVE_BOUNDS
    return PLAIN_BOUNDS if name in PLAIN else ANY_BOUNDS


def rate_of(training: Training, call: ast.Call, name: str) -> ast.expr | None:
    """Return the learning rate that a call of an optimizer's constructor is given."""
    named = keyword(call, "lr") or keyword(call, "learning_rate")
    if named is not None:
        return named
    # torch takes the parameters first, Keras, optax and TensorFlow the rate.
    torch_like = bool(call.args) and any(
        word in names_in(call.args[0]) for word in ("parameters", "params", "param_groups")
    )
    return argument(call, 1 if torch_like else 0)


def _rates_of_plain(training: Training) -> frozenset[tuple[str, int]]:
    """Return the lines that write rates which plain gradient steps take, with usual values."""
    found: set[tuple[str, int]] = set()
    for scope, call in training.named(*sorted(PLAIN)):
        rate = rate_of(training, call, called_name(call))
        for origin in training.origins(scope, rate) if rate is not None else ():
            # A rate of 1 is usual for recurrent networks with clipped gradients.
            if origin.line != call.lineno and PLAIN_BOUNDS[1] < origin.value <= PLAIN_BOUNDS[3]:
                found.add((origin.file, origin.line))
    return frozenset(found)


def _not_scaled(scope: Scope, call: ast.Call, rate: ast.expr, origin: Origin) -> Iterator[Clue]:
    """Yield an adaptive optimizer that takes a rate which fits the plain one of another branch."""
    level = _level(origin.value, ADAPTIVE_BOUNDS)
    if level is None or origin.value < ADAPTIVE_BOUNDS[2]:
        return
    name = called_name(call)
    what = f"a learning rate of {origin.value:g} is unusually high for `{name}`"
    why = f"{what}, and goes to plain gradient steps, too: `{name}` needs one of its own"
    yield clue(level, scope.file, rate.lineno, why)
    yield clue(level, origin.file, origin.line, f"{what}, which takes it from here", SHARED)


SHARED = 0.8
"""What a clue counts where a rate is written that is right for another optimizer."""


def _optimizers(training: Training) -> Iterator[Clue]:
    shared = _rates_of_plain(training)
    for scope, call in training.named(*sorted(OPTIMIZERS)):
        name = called_name(call)
        epsilon = keyword(call, "eps") or keyword(call, "epsilon")
        for origin in training.origins(scope, epsilon) if epsilon is not None else ():
            if origin.value >= 0.05:
                why = f"an epsilon of {origin.value:g} drowns the gradient's own size"
                yield clue("medium", origin.file, origin.line, why)
        for origin in training.spread(call, scope, RATES):
            if training.was_recorded(origin.value):
                yield from _rate(origin, _bounds_of(name), f"`{name}`")
        rate = rate_of(training, call, name)
        if rate is None:
            continue
        origins = training.origins(scope, rate)
        for origin in origins:
            if not training.was_recorded(origin.value):
                continue
            if name in ADAPTIVE and (origin.file, origin.line) in shared:
                yield from _not_scaled(scope, call, rate, origin)
                continue
            yield from _rate(origin, _bounds_of(name), f"`{name}`", len(origins))
            if _runs_away(training, name, origin.value):
                why = f"plain steps of {origin.value:g} run away on inputs that nothing scales"
                yield clue("medium", origin.file, origin.line, why)
            if origin.line != rate.lineno and _level(origin.value, _bounds_of(name)):
                why = f"{text(call)} takes its learning rate from elsewhere"
                yield clue("weak", scope.file, rate.lineno, why, 0.6)


SCALES = re.compile(
    r"scaler|scale\(|standardi|normali[sz]|BatchNorm|LayerNorm|GroupNorm|Normalize|ToTensor|/ 255"
    r"|\.std\(|clip_grad|clipnorm|clipvalue|clip_by|gradient_clip|zscore|ptp\(",
    re.IGNORECASE,
)
"""What keeps inputs, activations or gradients of the order of 1."""
PLAIN_STEP = 1e-3
"""From this rate on, squared errors of unscaled inputs (ages, areas, years) diverge."""


def _runs_away(training: Training, name: str, rate: float) -> bool:
    """Whether plain gradient steps may have diverged, with nothing in the program against it."""
    if name not in ("SGD", "sgd") or rate < PLAIN_STEP:
        return False
    if training.category not in ("loss_nan", "loss_divergence"):
        return False
    texts = (training.case.workspace.text(module.file) or "" for module in training.modules)
    return not any(SCALES.search(text) for text in texts)


ARGUMENTS_OF_TRAINERS = ("TrainingArguments", "Seq2SeqTrainingArguments")
"""Classes whose learning rate is that of AdamW where no other optimizer is named."""
RATES = ("lr", "learning_rate")


def _trainers(training: Training) -> Iterator[Clue]:
    """Yield learning rates that Hugging Face's trainer gives to its own optimizer."""
    for scope, call in training.named(*ARGUMENTS_OF_TRAINERS):
        if keyword(call, "optim") is not None or training.settings(call, scope, ("optim",)):
            continue
        rate = keyword(call, "learning_rate")
        origins = training.origins(scope, rate) if rate is not None else []
        found = origins or training.spread(call, scope, RATES)
        for origin in found:
            if training.was_recorded(origin.value):
                yield from _rate(
                    origin, ADAPTIVE_BOUNDS, "AdamW, the trainer's default", len(found)
                )


def _rate(origin: Origin, bounds: Bounds, name: str, possible: int = 1) -> Iterator[Clue]:
    """Yield that a rate is unusual; it is one of ``possible`` values that the code may give."""
    level = _level(origin.value, bounds)
    what = f"a learning rate of {origin.value:g}"
    if possible > 1:
        what += f", one of {possible} that may be given here,"
    if origin.value <= 0:
        yield clue("strong", origin.file, origin.line, what.rstrip(","))
    elif level is not None:
        size = "high" if origin.value >= bounds[2] else "low"
        why = f"{what} is unusually {size} for {name}"
        yield clue(level, origin.file, origin.line, why)


def _by_name(training: Training) -> Iterator[Clue]:
    """Yield settings written in code under a name that says what they are."""
    for scope in training.scopes:
        for name, bindings in scope.bindings.items():
            for binding in bindings:
                if not binding.mutates:
                    plain = name.rpartition(".")[2]
                    yield from _written(training, plain, binding.value, scope, len(bindings))
        for parameter in scope.parameters():
            default = scope.default_of(parameter.arg)
            if default is not None:
                yield from _written(training, parameter.arg, default, scope)
        for call in scope.calls:
            yield from _arguments(training, scope, call)
    for module in training.modules:
        yield from _in_dicts(training, module)


def _in_dicts(training: Training, module: Scope) -> Iterator[Clue]:
    """Yield settings in dicts of the code; rates only where no optimizer is seen to take any."""
    takes_rates = next(training.named(*sorted(OPTIMIZERS)), None) is not None
    for node in training.nodes(module, DICTS):
        pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
        for key, value in pairs:
            name = string(key)
            if name is not None and not (takes_rates and RATE_NAME.match(name)):
                yield from _written(training, name, value, module)


def _arguments(training: Training, scope: Scope, call: ast.Call) -> Iterator[Clue]:
    for word in call.keywords:
        if word.arg is not None and not (
            RATE_NAME.match(word.arg) and called_name(call) in OPTIMIZERS
        ):
            yield from _written(training, word.arg, word.value, scope)
    option = call.args[0] if call.args else None
    if called_name(call) in ("add_argument", "option", "DEFINE_float") and isinstance(
        option, ast.Constant
    ):
        default = keyword(call, "default") or (
            argument(call, 1) if called_name(call) == "DEFINE_float" else None
        )
        if default is not None:
            name = str(option.value).lstrip("-").replace("-", "_")
            yield from _written(training, name, default, scope)
    if called_name(call) in ("Dropout", "SpatialDropout1D", "Dropout2d", "AlphaDropout"):
        rate = argument(call, 0, "p", "rate")
        for origin in training.origins(scope, rate) if rate is not None else ():
            level = _level(origin.value, (-BIG, -BIG, 0.65, 0.85))
            if level is not None:
                why = f"{origin.value:.0%} of the activations are dropped"
                yield clue(level, origin.file, origin.line, why)
    if called_name(call) in ("clip_grad_norm_", "clip_grad_value_", "clip_by_global_norm", "clip"):
        limit = argument(
            call, 1 if called_name(call).endswith("_") else 0, "max_norm", "clip_value"
        )
        for origin in training.origins(scope, limit) if limit is not None else ():
            if origin.value == 0 and limit is not None and _is_asked(training, scope, call, limit):
                continue
            if 0 <= origin.value <= 0.02 and "grad" in called_name(call) + ast.dump(call.func):
                level = "strong" if origin.value <= 2e-4 else "medium"
                why = f"gradients are cut to {origin.value:g}"
                yield clue(level, origin.file, origin.line, why)


def _is_asked(training: Training, scope: Scope, call: ast.Call, limit: ast.expr) -> bool:
    """Whether a condition around a call asks for its limit: 0 then means that nothing is cut."""
    names = names_in(limit)
    return any(
        isinstance(node, ast.If)
        and node.lineno <= call.lineno <= (node.end_lineno or node.lineno)
        and names & names_in(node.test)
        for node in training.nodes(scope, BRANCHES)
    )


def _written(
    training: Training, name: str, value: ast.expr, scope: Scope, possible: int = 1
) -> Iterator[Clue]:
    """Yield that a number is unusual under its name, which gets ``possible`` values in the code."""
    number = _literal(value)
    if number is not None and RATE_NAME.match(name) and not training.was_recorded(number):
        return
    if number is not None:
        for level, why in judge(name, number):
            said = f"{why}; `{name}` may be another value, too" if possible > 1 else why
            yield clue(level, scope.file, value.lineno, said)
    elif isinstance(value, (ast.Tuple, ast.List)) and name == "betas" and len(value.elts) == 2:
        for part, beta in zip(value.elts, ("beta1", "beta2"), strict=True):
            yield from _written(training, beta, part, scope)


BASE_OF_POSITIONS = ("temperature", 10_000)
"""What DETR and others call the base of sinusoidal positions (Vaswani et al., 2017)."""


def judge(name: str, value: float) -> Iterator[tuple[str, str]]:
    """Yield (level, reason) where a setting of this name is out of bounds."""
    if RATE_NAME.match(name):
        level = "strong" if value <= 0 else _level(value, ANY_BOUNDS)
        if level is not None:
            size = "high" if value >= ANY_BOUNDS[2] else "low"
            yield level, f"a learning rate of {value:g} is unusually {size}"
        return
    for pattern, bounds in SETTINGS:
        if pattern.match(name):
            level = _level(value, bounds)
            # Zero switches most of these off, which is no fault.
            if level is not None and value != 0 and (name, value) != BASE_OF_POSITIONS:
                yield level, f"`{name}` of {value:g} is out of the usual bounds"
            return


def _entries(training: Training) -> Iterator[Clue]:
    for key, value, entry in training.numbered_entries:
        name = key.replace("-", "_").lstrip("_")
        if RATE_NAME.match(name) and not training.was_recorded(float(value)):
            continue
        for level, why in judge(name, float(value)):
            yield clue(level, entry.file, entry.line, why)


def _literal(expr: ast.expr) -> float | None:
    sign = 1.0
    if isinstance(expr, ast.UnaryOp) and isinstance(expr.op, ast.USub):
        sign, expr = -1.0, expr.operand
    value = expr.value if isinstance(expr, ast.Constant) else None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return sign * float(value)
    return None
