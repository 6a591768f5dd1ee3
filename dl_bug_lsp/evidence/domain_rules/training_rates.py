"""Hyper-parameters out of all bounds: learning rates, decay, momentum, clipping, schedules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.domain_rules.syntax import called_name, keyword
from dl_bug_lsp.evidence.domain_rules.training_program import Origin, Training
from dl_bug_lsp.evidence.domain_rules.training_syntax import argument, clue, names_in, text
from dl_bug_lsp.provenance.scopes import Scope

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


def find(training: Training) -> Iterator[Clue]:
    """Yield the lines that set a hyper-parameter out of bounds."""
    yield from _optimizers(training)
    adadelta = "Adadelta" in training.by_name or "adadelta" in training.by_name
    for found in (*_by_name(training), *_entries(training)):
        if not (adadelta and "rate of 1 " in found.why):
            yield found


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
    """Return the learning rate that a call of an optimiser's constructor is given."""
    named = keyword(call, "lr") or keyword(call, "learning_rate")
    if named is not None:
        return named
    # torch takes the parameters first, Keras, optax and TensorFlow the rate.
    torch_like = bool(call.args) and any(
        word in names_in(call.args[0]) for word in ("parameters", "params", "param_groups")
    )
    return argument(call, 1 if torch_like else 0)


def _optimizers(training: Training) -> Iterator[Clue]:
    for scope, call in training.named(*sorted(OPTIMIZERS)):
        name = called_name(call)
        epsilon = keyword(call, "eps") or keyword(call, "epsilon")
        for origin in training.origins(scope, epsilon) if epsilon is not None else ():
            if origin.value >= 0.05:
                why = f"an epsilon of {origin.value:g} drowns the gradient's own size"
                yield clue("medium", origin.file, origin.line, why)
        rate = rate_of(training, call, name)
        if rate is None:
            continue
        for origin in training.origins(scope, rate):
            yield from _rate(origin, _bounds_of(name), name)
            if origin.line != rate.lineno and _level(origin.value, _bounds_of(name)):
                why = f"{text(call)} takes its learning rate from elsewhere"
                yield clue("weak", scope.file, rate.lineno, why, 0.6)


def _rate(origin: Origin, bounds: Bounds, name: str) -> Iterator[Clue]:
    level = _level(origin.value, bounds)
    if origin.value <= 0:
        yield clue("strong", origin.file, origin.line, f"a learning rate of {origin.value:g}")
    elif level is not None:
        size = "high" if origin.value >= bounds[2] else "low"
        why = f"a learning rate of {origin.value:g} is far too {size} for {name or 'training'}"
        yield clue(level, origin.file, origin.line, why)


def _by_name(training: Training) -> Iterator[Clue]:
    """Yield settings written in code under a name that says what they are."""
    for scope in training.scopes:
        for name, bindings in scope.bindings.items():
            for binding in bindings:
                if not binding.mutates:
                    yield from _written(name.rpartition(".")[2], binding.value, scope)
        for parameter in scope.parameters():
            default = scope.default_of(parameter.arg)
            if default is not None:
                yield from _written(parameter.arg, default, scope)
        for call in scope.calls:
            yield from _arguments(training, scope, call)


def _arguments(training: Training, scope: Scope, call: ast.Call) -> Iterator[Clue]:
    for word in call.keywords:
        if word.arg is not None and not (
            RATE_NAME.match(word.arg) and called_name(call) in OPTIMIZERS
        ):
            yield from _written(word.arg, word.value, scope)
    option = call.args[0] if call.args else None
    if called_name(call) in ("add_argument", "option", "DEFINE_float") and isinstance(
        option, ast.Constant
    ):
        default = keyword(call, "default") or (
            argument(call, 1) if called_name(call) == "DEFINE_float" else None
        )
        if default is not None:
            name = str(option.value).lstrip("-").replace("-", "_")
            yield from _written(name, default, scope)
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
            if 0 <= origin.value <= 0.02 and "grad" in called_name(call) + ast.dump(call.func):
                level = "strong" if origin.value <= 2e-4 else "medium"
                why = f"gradients are cut to {origin.value:g}"
                yield clue(level, origin.file, origin.line, why)


def _written(name: str, value: ast.expr, scope: Scope) -> Iterator[Clue]:
    number = _literal(value)
    if number is not None:
        for found in judge(name, number):
            yield clue(found[0], scope.file, value.lineno, found[1])
    elif isinstance(value, (ast.Tuple, ast.List)) and name == "betas" and len(value.elts) == 2:
        for part, one in zip(value.elts, ("beta1", "beta2"), strict=True):
            yield from _written(one, part, scope)


def judge(name: str, value: float) -> Iterator[tuple[str, str]]:
    """Yield (level, reason) where a setting of this name is out of bounds."""
    if RATE_NAME.match(name):
        level = "strong" if value <= 0 else _level(value, ANY_BOUNDS)
        if level is not None:
            size = "high" if value >= ANY_BOUNDS[2] else "low"
            yield level, f"a learning rate of {value:g} is far too {size}"
        return
    for pattern, bounds in SETTINGS:
        if pattern.match(name):
            level = _level(value, bounds)
            # Zero switches most of these off, which is no fault.
            if level is not None and value != 0:
                yield level, f"`{name}` of {value:g} is out of the usual bounds"
            return


def _entries(training: Training) -> Iterator[Clue]:
    for key, value, entry in training.numbered_entries:
        for level, why in judge(key.replace("-", "_").lstrip("_"), float(value)):
            yield clue(level, entry.file, entry.line, why)


def _literal(expr: ast.expr) -> float | None:
    sign = 1.0
    if isinstance(expr, ast.UnaryOp) and isinstance(expr.op, ast.USub):
        sign, expr = -1.0, expr.operand
    value = expr.value if isinstance(expr, ast.Constant) else None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return sign * float(value)
    return None
