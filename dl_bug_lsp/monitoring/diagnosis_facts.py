"""What the rules of diagnosis ask of a recorded run: series, levels to compare with, places.

Nothing here judges; every answer is None or empty where the recording does not tell.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any

from dl_bug_lsp.monitoring.training_run import (
    Call,
    Input,
    Layer,
    LossCall,
    Optimizer,
    Parameter,
    Run,
    Statistic,
    Step,
)

SQUASHING = frozenset({"sigmoid", "tanh", "softmax", "hardsigmoid", "hardtanh", "softsign"})
"""Activations whose slope goes to zero at both ends of their range."""
RECTIFYING = frozenset({"relu", "relu6"})
NONLINEAR = (
    SQUASHING
    | RECTIFYING
    | {
        *(
            "gelu",
            "elu",
            "selu",
            "silu",
            "swish",
            "leakyrelu",
            "leaky_relu",
            "prelu",
            "mish",
            "celu",
        ),
        *("softplus", "logsoftmax", "log_softmax", "hardswish", "glu", "logsigmoid", "maxpool"),
    }
)
WEIGHTED = (
    *("linear", "dense", "conv1d", "conv2d", "conv3d", "bilinear", "convtranspose2d", "lazylinear"),
    *("conv2dtranspose", "conv1dtranspose", "separableconv2d", "depthwiseconv2d"),
)
RECURRENT = ("lstm", "gru", "rnn", "simplernn", "lstmcell", "grucell", "rnncell")
NORMALISING = ("batchnorm", "layernorm", "groupnorm", "instancenorm", "rmsnorm", "normalization")
STOCHASTIC = ("dropout", "batchnorm", "batchnormalization", "spatialdropout", "gaussiannoise")


def plain(name: str) -> str:
    """Return the name of a type or function in lower case, without module and underscores."""
    return name.rpartition(".")[2].lower().replace("_", "")


@dataclass(frozen=True, slots=True)
class Site:
    """A line of the workspace (1-based), or of none where ``line`` is 0."""

    file: str
    line: int


def site(file: str, line: int | None) -> Site | None:
    """Return a place where the recording knows one."""
    return Site(file, line) if file and line else None


def finite(values: Iterable[float | None]) -> list[float]:
    """Return the values that are numbers."""
    return [v for v in values if v is not None and math.isfinite(v)]


def middle(values: Iterable[float | None]) -> float | None:
    """Return the median of the values that are numbers."""
    numbers = finite(values)
    return median(numbers) if numbers else None


def settings_of(text: str) -> dict[str, Any]:
    """Return settings that were recorded as JSON; empty where they are none."""
    try:
        settings = json.loads(text) if text else {}
    except ValueError:
        return {}
    return settings if isinstance(settings, dict) else {}


def shape_of(text: str) -> tuple[int, ...]:
    """Return the sizes of a recorded shape."""
    numbers = "".join(c if c.isdigit() or c == "-" else " " for c in text).split()
    return tuple(int(n) for n in numbers if n.lstrip("-").isdigit())


class RunFacts:
    """One run; everything is computed when first asked for."""

    def __init__(self, run: Run) -> None:
        self.run = run

    # ------------------------------------------------------------------ steps and loss
    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps of training."""
        return self.run.train_steps

    @cached_property
    def eval_steps(self) -> tuple[Step, ...]:
        """The passes over data without a backward."""
        return tuple(s for s in self.run.steps if s.phase == "eval")

    @cached_property
    def losses(self) -> list[float]:
        """The training losses in order, those of the optimizer that steps most often."""
        by: dict[int | None, list[float]] = {}
        for step in self.steps:
            if step.loss is not None:
                by.setdefault(step.optimizer, []).append(step.loss)
        own = max(by.values(), key=len, default=[])
        if own:
            return own
        logged = [r.value for r in self.run.logged if plain(r.key) in ("loss", "trainloss")]
        return [v for v in logged if v is not None]

    @cached_property
    def is_adversarial(self) -> bool:
        """Whether several optimizers step: their losses need not fall."""
        return sum(1 for o in self.run.optimizers if self.steps_of(o) > 1) > 1

    @cached_property
    def first_bad_step(self) -> int | None:
        """The first step whose loss is NaN or infinite."""
        for step in self.steps:
            if step.loss is not None and not math.isfinite(step.loss):
                return step.step
        events = [e.step for e in self.run.events if e.kind in ("loss_nan", "loss_inf") and e.step]
        return min(events, default=None)

    @cached_property
    def window(self) -> int:
        """How many losses make the beginning and the end."""
        return max(1, min(len(self.losses) // 10, 50))

    @cached_property
    def start(self) -> float | None:
        """The loss at the beginning: the median of the first tenth."""
        return middle(self.losses[: self.window])

    @cached_property
    def end(self) -> float | None:
        """The loss at the end: the median of the last tenth."""
        return middle(self.losses[-self.window :])

    @cached_property
    def drop(self) -> float | None:
        """The share of its first value that the loss has lost; negative where it has grown."""
        if self.start is None or self.end is None or self.start == 0:
            return None
        return (self.start - self.end) / abs(self.start)

    @cached_property
    def peak(self) -> float | None:
        """The largest loss by the first one."""
        numbers = finite(self.losses)
        if not numbers or not self.start or self.start <= 0:
            return None
        return max(numbers) / self.start

    @cached_property
    def first_factor(self) -> float | None:
        """The largest of the losses 2 to 12 by the very first one."""
        numbers = finite(self.losses)
        if len(numbers) < 3 or numbers[0] <= 0:
            return None
        return max(numbers[1:12]) / numbers[0]

    # ------------------------------------------------------------------ levels to compare with
    @cached_property
    def training_loss(self) -> LossCall | None:
        """The loss function that is trained with: the call with a backward that is made most."""
        calls = [c for c in self.run.loss_calls if c.backward or c.phase == "train"]
        calls = calls or list(self.run.loss_calls)
        return max(calls, key=lambda c: (bool(c.backward), c.count or 0), default=None)

    @cached_property
    def is_cross_entropy(self) -> bool:
        """Whether the training loss is one of class probabilities."""
        call = self.training_loss
        if call is None:
            return False
        kind = plain(call.kind)
        return "crossentropy" in kind or kind in ("nllloss", "bceloss", "bcewithlogitsloss")

    @cached_property
    def label_counts(self) -> dict[int, int]:
        """How often each label was seen in training."""
        call = self.training_loss
        counts: dict[int, int] = {}
        for row in self.run.labels:
            own = call is None or row.loss_call == call.loss_call
            if own and row.phase in ("train", "") and row.count:
                counts[row.label] = counts.get(row.label, 0) + row.count
        return counts

    @cached_property
    def target_input(self) -> tuple[Input, ...]:
        """The rows on targets of the training loss."""
        return tuple(
            r for r in self.run.inputs if r.source == "target" and r.phase in ("train", "")
        )

    @cached_property
    def naive_loss(self) -> float | None:
        """The loss of a model that knows no inputs: the labels' entropy, the targets' variance."""
        call = self.training_loss
        if call is None or "sum" in call.reduction:
            return None
        kind = plain(call.kind)
        counts = self.label_counts
        total = sum(counts.values())
        if total and self.is_cross_entropy and len(counts) > 1:
            return -sum(c / total * math.log(c / total) for c in counts.values() if c)
        stds = middle(r.std for r in self.target_input)
        means = middle(r.mean for r in self.target_input)
        if (
            self.is_cross_entropy
            and means is not None
            and "binary" in kind + "bce"
            and 0 < means < 1
        ):
            levels = {r.levels for r in self.target_input}
            if levels <= {1, 2}:
                return -means * math.log(means) - (1 - means) * math.log(1 - means)
        if stds is not None and stds > 0:
            if kind in ("mse", "mseloss", "meansquarederror"):
                return stds * stds
            if kind in ("l1loss", "mae", "meanabsoluteerror"):
                return 0.8 * stds
        return None

    @cached_property
    def relative_loss(self) -> float | None:
        """The loss at the end by that of a model that knows no inputs."""
        if self.naive_loss is None or self.end is None or self.naive_loss <= 0:
            return None
        return self.end / self.naive_loss

    @cached_property
    def accuracy(self) -> float | None:
        """The last accuracy that a trainer logs, on held-out data where there is one."""
        best: dict[str, float] = {}
        for row in self.run.logged:
            key = plain(row.key)
            if row.value is not None and "acc" in key:
                best[key] = row.value
        held = [v for k, v in best.items() if "val" in k or "eval" in k]
        return held[0] if held else next(iter(best.values()), None)

    @cached_property
    def largest_class(self) -> float | None:
        """The share of the most frequent label in training."""
        total = sum(self.label_counts.values())
        return max(self.label_counts.values()) / total if total else None

    # ------------------------------------------------------------------ layers
    @cached_property
    def by_layer(self) -> dict[tuple[int, str], list[Statistic]]:
        """The statistics of each (layer, kind), those of weights and gradients without biases."""
        rows: dict[tuple[int, str], list[Statistic]] = {}
        for row in self.run.statistics:
            is_weight = "bias" not in row.name
            if row.kind in ("weight", "gradient", "update") and not is_weight:
                continue
            rows.setdefault((row.layer, row.kind), []).append(row)
        return rows

    def of(self, layer: Layer, kind: str) -> list[Statistic]:
        """Return the statistics of one kind of a layer, by step."""
        return self.by_layer.get((layer.layer, kind), [])

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """The layers in the order in which they were first called, without those never called."""
        called = [x for x in self.run.layers if x.position is not None]
        return tuple(sorted(called, key=lambda x: (x.model or 0, x.position or 0)))

    @cached_property
    def weighted(self) -> tuple[Layer, ...]:
        """The called layers with a matrix of weights."""
        return tuple(x for x in self.layers if plain(x.type) in WEIGHTED)

    @cached_property
    def trained(self) -> tuple[Layer, ...]:
        """The weighted layers with gradients in the recording."""
        return tuple(x for x in self.weighted if self.of(x, "gradient"))

    @cached_property
    def activations(self) -> tuple[Layer, ...]:
        """The called layers and functions that are nonlinear."""
        return tuple(x for x in self.layers if activation_of(x) in NONLINEAR)

    @cached_property
    def parameters_by_layer(self) -> dict[int, list[Parameter]]:
        """The parameters of each layer."""
        parameters: dict[int, list[Parameter]] = {}
        for row in self.run.parameters:
            if row.layer is not None:
                parameters.setdefault(row.layer, []).append(row)
        return parameters

    @cached_property
    def is_normalised(self) -> bool:
        """Whether a layer that normalises stands before the second layer with weights."""
        seen = 0
        for layer in self.layers:
            if plain(layer.type).startswith(NORMALISING):
                return seen <= 1
            seen += plain(layer.type) in WEIGHTED
        return False

    @cached_property
    def has_modes(self) -> tuple[Layer, ...]:
        """The layers that behave differently in training and evaluation."""
        return tuple(
            x
            for x in self.run.layers
            if plain(x.type).startswith(STOCHASTIC) and "p=0.0" not in x.settings
        )

    def place(self, layer: Layer | None) -> Site | None:
        """Return where a layer is constructed (a function: called); else its nearest parent."""
        numbers = {x.layer: x for x in self.run.layers}
        for _ in range(20):
            if layer is None:
                return None
            if layer.file and layer.line:
                return Site(layer.file, layer.line)
            layer = numbers.get(layer.parent) if layer.parent is not None else None
        return None

    # ------------------------------------------------------------------ loop and optimizers
    @cached_property
    def calls(self) -> dict[str, list[Call]]:
        """The call sites by kind."""
        by_kind: dict[str, list[Call]] = {}
        for call in self.run.calls:
            by_kind.setdefault(call.kind, []).append(call)
        return by_kind

    def count(self, kind: str) -> int:
        """Return how often a part of the loop was called."""
        return sum(c.count or 0 for c in self.calls.get(kind, ()))

    def sites(self, *kinds: str) -> tuple[Site, ...]:
        """Return the call sites of these kinds in the workspace, the most frequent first."""
        calls = [c for kind in kinds for c in self.calls.get(kind, ())]
        calls.sort(key=lambda c: -(c.count or 0))
        sites = (site(c.file, c.line) for c in calls)
        return tuple(dict.fromkeys(s for s in sites if s is not None))

    @cached_property
    def is_torch(self) -> bool:
        """Whether the loop's own calls are recorded."""
        is_loaded = '"torch"' in self.run.process.versions and not self.calls.get("fit")
        return is_loaded or bool(self.calls.get("backward"))

    def setting(self, key: str) -> str:
        """Return a recorded setting, empty where it is not known."""
        return next((s.value for s in self.run.settings if s.key == key), "")

    @cached_property
    def keeps_gradients(self) -> bool:
        """Whether most steps begin with gradients of earlier ones; True where it is not known."""
        with_earlier, _, steps = self.setting("kept_gradients").partition("/")
        if not with_earlier.isdigit() or not steps.isdigit():
            return True
        return int(steps) > 2 and int(with_earlier) >= 0.6 * (int(steps) - 1)

    def steps_of(self, optimizer: Optimizer) -> int:
        """Return how often an optimizer stepped."""
        own = sum(1 for s in self.steps if s.optimizer == optimizer.optimizer)
        return max(optimizer.steps or 0, own)

    @cached_property
    def optimizers(self) -> tuple[Optimizer, ...]:
        """The optimizers, the one that steps most first."""
        return tuple(sorted(self.run.optimizers, key=lambda o: -self.steps_of(o)))

    @cached_property
    def rate_sites(self) -> tuple[Site, ...]:
        """Where learning rates are handed over: the constructors of optimizers, then schedulers."""
        sites = [site(o.file, o.line) for o in self.optimizers]
        sites += [site(o.scheduler_file, o.scheduler_line) for o in self.optimizers]
        sites += list(self.sites("compile"))
        return tuple(dict.fromkeys(s for s in sites if s is not None))

    @cached_property
    def rates(self) -> list[float]:
        """The learning rates of the main optimizer's first group, by step."""
        if not self.optimizers:
            return []
        own = self.optimizers[0].optimizer
        return finite(
            r.rate for r in self.run.rates if r.optimizer == own and not r.parameter_group
        )

    @cached_property
    def all_rates(self) -> frozenset[float]:
        """Every learning rate that an optimizer began with or had at a recorded step."""
        settings = [settings_of(o.settings) for o in self.optimizers] + self.group_settings
        names = ("lr", "learning_rate", "initial_lr")
        begun = [s.get(name) for s in settings for name in names]
        rates = [float(v) for v in begun if isinstance(v, (int, float)) and not isinstance(v, bool)]
        return frozenset(finite([*rates, *(r.rate for r in self.run.rates)]))

    @cached_property
    def group_settings(self) -> list[dict[str, Any]]:
        """The settings of all groups of optimizers."""
        return [settings_of(g.settings) for g in self.run.optimizer_groups]

    @cached_property
    def update_ratios(self) -> dict[int, list[tuple[int, float]]]:
        """The norm of updates by that of weights, as (step, ratio), of each layer with weights."""
        ratios: dict[int, list[tuple[int, float]]] = {}
        for layer in self.weighted:
            norms = {s.step: s.norm for s in self.of(layer, "weight")}
            for row in self.of(layer, "update"):
                weight = norms.get(row.step)
                if weight and row.norm is not None and math.isfinite(row.norm) and weight > 0:
                    ratios.setdefault(layer.layer, []).append((row.step, row.norm / weight))
        return ratios

    @cached_property
    def gradient_levels(self) -> list[tuple[Layer, float]]:
        """The root mean square of early gradients of each trained layer, in order of the calls."""
        by_layer: list[tuple[Layer, float]] = []
        for layer in self.trained:
            rows = self.of(layer, "gradient")
            early = rows[: max(3, len(rows) // 3)]
            levels = [r.norm / math.sqrt(r.size) for r in early if r.norm is not None and r.size]
            level = middle(levels)
            if level is not None:
                by_layer.append((layer, level))
        return by_layer

    # ------------------------------------------------------------------ inputs
    @cached_property
    def model_inputs(self) -> tuple[Input, ...]:
        """The floating arrays that went into a model in training."""
        rows = [r for r in self.run.inputs if r.source == "model" and r.phase in ("train", "")]
        return tuple(r for r in rows if "float" in r.dtype or "double" in r.dtype)

    @cached_property
    def data_sites(self) -> tuple[Site, ...]:
        """Where loaders of training are made, else where the model is fitted."""
        sites = [site(x.file, x.line) for x in self.run.loaders if x.phase != "eval"]
        sites += list(self.sites("fit"))
        return tuple(dict.fromkeys(s for s in sites if s is not None))


def activation_of(layer: Layer) -> str:
    """Return the activation that a layer applies: its own, a function's, a Keras layer's option."""
    if layer.function:
        return layer.function.lower().rpartition(".")[2]
    kind = plain(layer.type)
    if kind == "activation" or kind in WEIGHTED or kind in RECURRENT:
        settings = settings_of(layer.settings)
        word = settings.get("activation")
        if isinstance(word, str):
            return plain(word)
        text = layer.settings.lower()
        for name in sorted(NONLINEAR, key=len, reverse=True):
            if f"activation={name}" in text.replace("'", "").replace('"', ""):
                return name
        return ""
    return kind


def slope(values: Sequence[float]) -> float:
    """Return the least-squares slope of values by their index."""
    count = len(values)
    if count < 2:
        return 0.0
    mean_x, mean_y = (count - 1) / 2, math.fsum(values) / count
    above = math.fsum((x - mean_x) * (y - mean_y) for x, y in enumerate(values))
    return above / math.fsum((x - mean_x) ** 2 for x in range(count))


# ---------------------------------------------------------------------- what rules find
@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule measured.

    ``amount`` is compared with the rule's threshold; ``step`` is where it began (0: before the
    first), ``layer`` the dotted name of the layer, ``why`` a sentence for people, ``sites`` the
    lines, the likeliest first, ``hint`` what to look for there (an argument's name, or empty).
    """

    rule: str
    amount: float
    why: str
    step: int = 0
    layer: str = ""
    sites: tuple[Site, ...] = ()
    hint: str = ""


def unique(*sites: Site | None) -> tuple[Site, ...]:
    """Return the places that are known, each once."""
    return tuple(dict.fromkeys(s for s in sites if s is not None))


def loss_site(facts: RunFacts) -> Site | None:
    """Return the line that calls the training's loss function."""
    call = facts.training_loss
    return site(call.file, call.line) if call is not None else None


def label(layer: Layer) -> str:
    """Return a layer's name for a sentence."""
    return f"`{layer.name or layer.function or layer.type}`"
