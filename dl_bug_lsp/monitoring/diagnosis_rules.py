"""The rules of diagnosis: what in a recorded run speaks for which fault, and where.

A rule measures: each `Finding` carries an amount, the larger the worse; `diagnosis` compares it with
the rule's threshold, which is data (``diagnosis_weights.json``), learned on clean and faulty runs.
Amounts of structural rules are 0 or 1. Sources: the paper or page on which a rule rests stands with
it in `RULES`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dl_bug_lsp.monitoring.diagnosis_facts import (
    NORMALISING,
    RECTIFYING,
    RECURRENT,
    SQUASHING,
    WEIGHTED,
    RunFacts,
    Site,
    activation_of,
    finite,
    middle,
    plain,
    settings_of,
    shape_of,
    site,
)
from dl_bug_lsp.monitoring.values import Layer, LossCall


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


Measure = Callable[[RunFacts], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its id, the kind of fault, the measure, its source; ``is_certain`` where it is exact."""

    id: str
    kind: str
    measure: Measure
    source: str
    is_certain: bool = False
    needs_harm: bool = False
    """Counts only where the run also shows that it has not learned."""


def _unique(*sites: Site | None) -> tuple[Site, ...]:
    return tuple(dict.fromkeys(s for s in sites if s is not None))


def _loss_site(facts: RunFacts) -> Site | None:
    call = facts.training_loss
    return site(call.file, call.line) if call is not None else None


def _loop_sites(facts: RunFacts) -> tuple[Site, ...]:
    return _unique(*facts.sites("backward"), _loss_site(facts), *facts.sites("step", "zero_grad"))


def _label(layer: Layer) -> str:
    return f"`{layer.name or layer.function or layer.type}`"


# ---------------------------------------------------------------------- the loop
def zero_grad_missing(facts: RunFacts) -> Iterator[Finding]:
    """Gradients are never set to zero, so that each step uses the sum of all before."""
    own = [o for o in facts.optimizers if facts.steps_of(o) > 3]
    if not facts.is_torch or facts.count("backward") < 4 or not own:
        return
    if not facts.count("zero_grad"):
        sites = _unique(*facts.sites("step"), *facts.sites("backward"), _loss_site(facts))
        yield Finding(
            "loop.zero_grad_missing", 1.0, "no `zero_grad` runs: gradients of all steps add up",
            0, "", sites, "zero_grad",
        )  # fmt: skip
        return
    for cycle in facts.run.cycles:
        words = cycle.text.split()
        many = (cycle.count or 0) > 0.6 * max(1, facts.count("step"))
        if many and "backward" in words and "step" in words:
            last = len(words) - 1 - words[::-1].index("backward")
            rest = words[last:]
            if "step" in rest and "zero_grad" in rest[: rest.index("step")]:
                yield Finding(
                    "loop.zero_grad_missing", 1.0,
                    "`zero_grad` runs between `backward` and `step`: the step has no gradients",
                    cycle.first_step or 0, "", facts.sites("zero_grad"), "zero_grad",
                )  # fmt: skip


def step_missing(facts: RunFacts) -> Iterator[Finding]:
    """Gradients are computed and no optimizer uses them."""
    if not facts.is_torch or facts.count("backward") < 2:
        return
    if facts.count("step") == 0 and not any(facts.steps_of(o) for o in facts.optimizers):
        yield Finding(
            "loop.step_missing", 1.0, "`backward` runs and no optimizer's `step` does", 0, "",
            _unique(*facts.sites("backward"), *facts.rate_sites), "step",
        )  # fmt: skip
        return
    busy = [o for o in facts.optimizers if facts.steps_of(o) > 2]
    for optimizer in facts.optimizers if busy else ():
        idle = facts.steps_of(optimizer) == 0 and (optimizer.tensors or 0) > 0
        if idle and any(
            p.optimizer == optimizer.optimizer and (p.gradients or 0) > 0
            for p in facts.run.parameters
        ):
            yield Finding(
                "loop.step_missing", 1.0,
                f"one of {len(facts.optimizers)} optimizers never steps, "
                "though its parameters have gradients",
                0, "", _unique(site(optimizer.file, optimizer.line), *facts.sites("backward")),
                "step",
            )  # fmt: skip


def backward_missing(facts: RunFacts) -> Iterator[Finding]:
    """The optimizer steps and nothing computes gradients."""
    steps = sum(facts.steps_of(o) for o in facts.optimizers)
    if facts.run.process.framework.startswith("torch") and steps > 1:
        if facts.count("backward") == 0 and not any(s.backwards for s in facts.steps):
            sites = _unique(*facts.sites("step"), _loss_site(facts), *facts.sites("zero_grad"))
            yield Finding(
                "loop.backward_missing", 1.0, "the optimizer steps and no `backward` runs", 0, "",
                sites, "backward",
            )  # fmt: skip


def graph_cut(facts: RunFacts) -> Iterator[Finding]:
    """Backward runs, and parameters before some point never get a gradient."""
    if facts.count("backward") < 2:
        return
    wanted = [
        p
        for p in facts.run.parameters
        if p.trainable and ((p.gradients or 0) + (p.without or 0)) > 1
    ]
    # Weights of an embedding may have no gradient in a step; those of layers that run always do.
    called = {x.layer for x in facts.layers}
    wanted = [p for p in wanted if p.layer in called and p.optimizer is not None]
    none = [p for p in wanted if not p.gradients]
    if not none:
        return
    share = len(none) / len(wanted)
    layers = {x.layer: x for x in facts.layers}
    last = max((layers[p.layer] for p in none if p.layer in layers), key=lambda x: x.position or 0)
    after = [x for x in facts.layers if (x.position or 0) > (last.position or 0)]
    sites = [*facts.sites("detach")]
    if share == 1.0:
        why = "no parameter gets a gradient: the graph from loss to model is cut"
        sites += [*facts.sites("backward"), *(_unique(_loss_site(facts)))]
    else:
        why = (
            f"{len(none)} of {len(wanted)} parameters never get a gradient, up to {_label(last)}: "
            "the graph is cut behind it"
        )
        calls = [facts.place(x) for x in (last, *after[:2])]
        sites += [s for s in calls if s is not None]
        sites += facts.sites("no_grad")
    yield Finding("gradients.graph_cut", share, why, 1, last.name, _unique(*sites), "detach")


def frozen(facts: RunFacts) -> Iterator[Finding]:
    """Parameters need no gradient, and did not come from an earlier training of this process."""
    own = [p for p in facts.run.parameters if p.layer is not None and p.size]
    fixed = [p for p in own if p.trainable is False]
    total = sum(p.size or 0 for p in own)
    if not fixed or not total:
        return
    if any((p.moved or 0) > 0 for p in fixed):
        return
    layers = {x.layer: x for x in facts.run.layers}
    names = [layers[p.layer] for p in fixed if p.layer in layers]
    # A model that nobody trains (a teacher, a target) has no trainable parameter and no optimizer.
    models = {x.model for x in names}
    trained = {layers[p.layer].model for p in own if p.trainable and p.layer in layers}
    if not models & trained:
        return
    share = sum(p.size or 0 for p in fixed) / total
    sites = _unique(
        *facts.sites("requires_grad"), *facts.rate_sites[:1], *(facts.place(x) for x in names[:3])
    )
    yield Finding(
        "parameters.frozen", share,
        f"{share:.0%} of the parameters need no gradient and keep their first values "
        f"(`{names[0].name or names[0].type}` first)",
        0, names[0].name, sites, "requires_grad",
    )  # fmt: skip


def frozen_untrained(facts: RunFacts) -> Iterator[Finding]:
    """Layers are frozen whose weights are still those of the framework's own first draw."""
    for finding in frozen(facts):
        layers = {x.layer: x for x in facts.run.layers}
        fixed = [
            layers[p.layer]
            for p in facts.run.parameters
            if p.trainable is False and p.layer in layers and (p.size or 0) >= 64
            and len(shape_of(p.shape)) > 1
        ]  # fmt: skip
        judged = [(x, _is_first_draw(facts, x)) for x in dict.fromkeys(fixed)]
        known = [fresh for _, fresh in judged if fresh is not None]
        if known and all(known):
            yield Finding(
                "parameters.frozen_untrained", finding.amount,
                f"{finding.why}, which are random", 0, finding.layer, finding.sites, finding.hint,
            )  # fmt: skip


def _is_first_draw(facts: RunFacts, layer: Layer) -> bool | None:
    """Whether weights fill the uniform range that PyTorch or Keras draws from; None: not known."""
    rows = facts.of(layer, "weight")
    if not rows or rows[0].std is None or rows[0].least is None or rows[0].greatest is None:
        return None
    row = rows[0]
    fans = _fans(facts, layer, row.size or 0)
    if fans is None:
        return None
    fan_in, fan_out = fans
    bounds = [1 / math.sqrt(fan_in), math.sqrt(6 / (fan_in + fan_out))]
    if plain(layer.type) in RECURRENT:
        # PyTorch draws all of a recurrent layer by its hidden size, a gate's share of the rows.
        bounds += [math.sqrt(gates / fan_out) for gates in (1, 3, 4)]
    largest = max(abs(row.least or 0.0), abs(row.greatest or 0.0))
    return any(
        0.9 * bound <= largest <= 1.001 * bound
        and abs((row.std or 0.0) * math.sqrt(3) / bound - 1) < 0.12
        for bound in bounds
    )


def outside_optimizer(facts: RunFacts) -> Iterator[Finding]:
    """Parameters get gradients and are in no optimizer."""
    own = [p for p in facts.run.parameters if p.trainable and (p.gradients or 0) > 0 and p.size]
    outside = [p for p in own if p.optimizer is None]
    if not outside or not facts.optimizers:
        return
    if len(outside) == len(own) and not any(p.optimizer is not None for p in own):
        return
    layers = {x.layer: x for x in facts.run.layers}
    share = sum(p.size or 0 for p in outside) / sum(p.size or 0 for p in own)
    first = layers.get(outside[0].layer or -1)
    name = first.name if first is not None else outside[0].name
    yield Finding(
        "parameters.outside_optimizer", 1.0,
        f"{share:.0%} of what gets gradients is in no optimizer (`{name or outside[0].name}` first)",
        0, name, facts.rate_sites[:2], "params",
    )  # fmt: skip


def other_copy(facts: RunFacts) -> Iterator[Finding]:
    """An optimizer holds parameters of no model that runs."""
    for optimizer in facts.optimizers:
        if not optimizer.tensors or facts.steps_of(optimizer) < 2:
            continue
        share = (optimizer.foreign or 0) / optimizer.tensors
        held = [p for p in facts.run.parameters if p.optimizer == optimizer.optimizer]
        trained = [p for p in facts.run.parameters if p.optimizer is None and (p.gradients or 0)]
        if share > 0.5 and trained and not any(p.gradients for p in held):
            models = [site(m.file, m.line) for m in facts.run.models]
            copies = facts.sites("deepcopy")
            yield Finding(
                "parameters.other_copy", share,
                "the optimizer holds parameters of a model that never runs; "
                "the one that runs is in no optimizer",
                0, "", _unique(*copies, site(optimizer.file, optimizer.line), *models), "params",
            )  # fmt: skip


# ---------------------------------------------------------------------- modes
def evaluation_in_train_mode(facts: RunFacts) -> Iterator[Finding]:
    """Passes without gradient run while the model is in training mode."""
    if not facts.has_modes or not facts.steps:
        return
    models = {x.model for x in facts.has_modes}
    passes = [
        s
        for s in facts.eval_steps
        if s.gradient is False and (s.model in models or s.model is None)
    ]
    wrong = [s for s in passes if s.training]
    if not wrong or len(wrong) < 0.5 * len(passes):
        return
    layer = facts.has_modes[0]
    yield Finding(
        "modes.evaluation_in_train_mode", len(wrong) / len(passes),
        f"{len(wrong)} of {len(passes)} passes over held-out data ran in training mode, "
        f"with {_label(layer)} ({layer.type}) active",
        wrong[0].step, layer.name,
        _unique(*facts.sites("no_grad", "inference_mode"), *facts.sites("train"),
                *(site(x.file, x.line) for x in facts.run.loaders if x.phase == "eval")),
        "eval",
    )  # fmt: skip


def training_in_eval_mode(facts: RunFacts) -> Iterator[Finding]:
    """Steps of training run while the model is in evaluation mode."""
    if not facts.has_modes or facts.is_adversarial:
        return
    # Passes with gradients count where the model was never seen in training mode.
    seen = [s for s in facts.steps if s.training is not None]
    if not any(s.training for s in facts.run.steps) and facts.count("backward") > 3:
        seen += [s for s in facts.eval_steps if s.gradient and s.training is not None]
    wrong = [s for s in seen if s.training is False]
    if len(seen) < 4 or not wrong:
        return
    yield Finding(
        "modes.training_in_eval_mode", len(wrong) / len(seen),
        f"{len(wrong)} of {len(seen)} training steps ran in evaluation mode", wrong[0].step,
        facts.has_modes[0].name, _unique(*facts.sites("eval"), *facts.sites("backward")), "train",
    )  # fmt: skip


# ---------------------------------------------------------------------- memory, schedules
def accumulated_graph(facts: RunFacts) -> Iterator[Finding]:
    """Losses keep their graphs, or each step's graph holds those of the steps before."""
    kept = next((s.value for s in facts.run.settings if s.key == "kept_losses"), "")
    if kept.isdigit() and int(kept) >= 8:
        yield Finding(
            "loop.accumulated_graph", 1.0,
            f"{kept} losses of earlier steps still hold their graph", 0, "",
            _unique(*facts.sites("backward"), *facts.sites("step"), _loss_site(facts)), "item",
        )  # fmt: skip
        return
    sizes = [(s.step, s.graph) for s in facts.steps if s.graph]
    if len(sizes) < 6:
        return
    first = middle(float(g) for _, g in sizes[:3]) or 1.0
    last = middle(float(g) for _, g in sizes[-3:]) or 0.0
    growing = sum(b > a for (_, a), (_, b) in zip(sizes, sizes[1:], strict=False))
    if last > 3 * first and growing > 0.7 * len(sizes):
        yield Finding(
            "loop.accumulated_graph", 1.0,
            f"the graph of a step's loss grows from {first:.0f} to {last:.0f} nodes",
            sizes[1][0], "", _unique(*facts.sites("backward"), _loss_site(facts)), "detach",
        )  # fmt: skip


PER_EPOCH = ("steplr", "multisteplr", "exponentiallr", "cosineannealinglr")


def scheduler_per_step(facts: RunFacts) -> Iterator[Finding]:
    """A schedule that counts epochs steps with each batch."""
    epochs = max((x.epochs or 0 for x in facts.run.loaders if x.phase != "eval"), default=0)
    calls = facts.count("scheduler_step")
    for optimizer in facts.optimizers:
        steps = facts.steps_of(optimizer)
        if plain(optimizer.scheduler) not in PER_EPOCH or not epochs or not steps:
            continue
        rates = facts.rates
        if calls > 0.8 * steps and calls > 3 * epochs and rates:
            gone = min(rates) / max(rates) if max(rates) else 1.0
            yield Finding(
                "rates.scheduler_per_step", 1.0 if gone < 0.05 else 0.0,
                f"`{optimizer.scheduler}` steps {calls} times in {epochs} epochs and brings the "
                f"rate from {max(rates):.3g} to {min(rates):.3g}",
                0, "", _unique(*facts.sites("scheduler_step"),
                               site(optimizer.scheduler_file, optimizer.scheduler_line)),
                "scheduler",
            )  # fmt: skip


# ---------------------------------------------------------------------- loss functions
def _kind(call: LossCall) -> str:
    return plain(call.kind)


def _from_logits(call: LossCall) -> bool | None:
    """Whether a loss takes logits; None where it is not one of probabilities."""
    kind = _kind(call)
    settings = settings_of(call.settings)
    if "from_logits" in settings:
        return bool(settings["from_logits"])
    if kind in ("crossentropy", "crossentropyloss", "bcewithlogitsloss",
                "binarycrossentropywithlogits"):  # fmt: skip
        return True
    if "crossentropy" in kind or kind in ("bceloss",):
        return False
    return None


def double_softmax(facts: RunFacts) -> Iterator[Finding]:
    """Probabilities go into a loss that expects logits."""
    call = facts.training_loss
    if call is None or not _from_logits(call):
        return
    before = plain(call.before)
    binary = "binary" in _kind(call) or "bce" in _kind(call)
    within = (call.input_least or -1.0) >= 0 and (call.input_greatest or 2.0) <= 1
    sums = (call.input_sums_to_one or 0.0) > 0.95 and not binary
    if before in ("softmax", "logsoftmax") or (before == "sigmoid") or (sums and within):
        word = before or "softmax"
        yield Finding(
            "loss.double_softmax", 1.0,
            f"`{call.kind}` expects logits and gets what {word} has made of them", 1, "",
            _unique(site(call.before_file, call.before_line), site(call.file, call.line),
                    _place_of(facts, call.before_layer), *facts.sites("compile")),
            "softmax",
        )  # fmt: skip


def _place_of(facts: RunFacts, number: int | None) -> Site | None:
    return facts.place(facts.run.layer(number))


RANGES = {"relu": (0.0, math.inf), "sigmoid": (0.0, 1.0), "tanh": (-1.0, 1.0), "relu6": (0.0, 6.0),
          "softmax": (0.0, 1.0), "softplus": (0.0, math.inf), "elu": (-1.0, math.inf)}  # fmt: skip


def output_activation(facts: RunFacts) -> Iterator[Finding]:
    """The last activation cannot give what the loss or the targets ask for."""
    call = facts.training_loss
    if call is None or (call.count or 0) < 1:
        return
    before, kind = plain(call.before), _kind(call)
    shape = shape_of(call.input_shape)
    sites = _unique(
        site(call.before_file, call.before_line), _place_of(facts, call.before_layer),
        site(call.file, call.line), *facts.sites("compile"),
    )  # fmt: skip

    def finding(why: str, amount: float = 1.0) -> Finding:
        return Finding("loss.output_activation", amount, why, 1, "", sites, "activation")

    if before == "softmax" and shape and shape[-1] == 1 and len(shape) > 1:
        yield finding("a softmax over one unit is always 1")
        return
    logits = _from_logits(call)
    if logits and before in ("relu", "tanh", "relu6"):
        yield finding(f"logits come from {before}, which cuts them off")
        return
    least, greatest = call.input_least, call.input_greatest
    if logits is False and before not in ("softmax", "sigmoid", "logsoftmax"):
        out = least is not None and greatest is not None and (least < -0.001 or greatest > 1.001)
        one = call.input_sums_to_one
        rows = "binary" not in kind and "bce" not in kind and one is not None and one < 0.5
        if out or rows or before in ("relu", "tanh"):
            shown = before or "what came before"
            yield finding(f"`{call.kind}` expects probabilities and gets the output of {shown}")
            return
    if logits is False and before == "softmax" and ("binary" in kind or kind == "bceloss"):
        yield finding(f"`{call.kind}` of a softmax: one class alone makes up the loss", 0.6)
        return
    if logits is None and before in RANGES and call.target_least is not None:
        low, high = RANGES[before]
        below, above = call.target_least, call.target_greatest or 0.0
        if below < low - 0.01 or above > high + 0.01:
            yield finding(
                f"targets lie between {below:.3g} and {above:.3g}, "
                f"which {before} cannot give ({low:g} to {high:g})"
            )


def wrong_loss(facts: RunFacts) -> Iterator[Finding]:
    """The loss function does not fit the targets."""
    call = facts.training_loss
    if call is None:
        return
    kind, before = _kind(call), plain(call.before)
    sites = _unique(
        _loss_definition(facts, call), site(call.file, call.line), *facts.sites("compile")
    )
    whole = "int" in call.target_dtype or "long" in call.target_dtype
    least, greatest = call.target_least, call.target_greatest
    levels = call.target_levels or 0
    shape, target = shape_of(call.input_shape), shape_of(call.target_shape)

    def finding(why: str, amount: float = 1.0) -> Finding:
        return Finding("loss.wrong", amount, why, 1, "", sites, "loss")

    squares = kind in ("mse", "mseloss", "meansquarederror", "l1loss", "mae", "meanabsoluteerror",
                       "l1", "smoothl1", "smoothl1loss", "hinge", "squaredhinge", "poisson", "poissonnllloss", "huberloss", "huber",
                       "hingeembeddingloss", "softmarginloss")  # fmt: skip
    if squares and before == "softmax":
        yield finding(f"`{call.kind}` of a softmax: a loss for numbers, not for classes", 0.8)
    elif squares and whole and levels > 2 and len(shape) > 1 and shape[-1] > 1:
        yield finding(f"`{call.kind}` compares {shape[-1]} outputs with class numbers")
    elif kind in ("hinge", "squaredhinge", "poisson", "poissonnllloss", "multimarginloss",
                  "kldivloss", "kldivergence", "cosinesimilarity"):  # fmt: skip
        yield finding(f"`{call.kind}` is an unusual loss for these targets", 0.7)
    elif squares and levels == 2 and least == 0 and greatest == 1 and before != "sigmoid":
        yield finding(f"`{call.kind}` of labels that are 0 or 1", 0.6)
    if ("bce" in kind or "binarycrossentropy" in kind) and least is not None:
        if least < -0.001 or (greatest or 0) > 1.001:
            yield finding(
                f"`{call.kind}` needs targets from 0 to 1; they go from {least:.3g} to {greatest:.3g}"
            )
        elif len(shape) > 1 and shape[-1] > 1 and before == "softmax":
            yield finding(f"`{call.kind}` of a softmax over {shape[-1]} classes", 0.6)
    if "categoricalcrossentropy" in kind and shape and shape[-1] == 1:
        yield finding(f"`{call.kind}` over one output is always 0")
    if target and "sparse" not in kind and "categoricalcrossentropy" in kind and target[-1] == 1:
        yield finding(f"`{call.kind}` expects one column a class; targets have one")


def _loss_definition(facts: RunFacts, call: LossCall) -> Site | None:
    settings = settings_of(call.settings)
    file, line = settings.get("file"), settings.get("line")
    return site(file, line) if isinstance(file, str) and isinstance(line, int) else None


NEVER_NEGATIVE = ("crossentropy", "mse", "meansquarederror", "l1loss", "mae", "bce", "nllloss",
                  "smoothl1", "huber", "meanabsoluteerror", "hinge")  # fmt: skip


def loss_sign(facts: RunFacts) -> Iterator[Finding]:
    """The loss falls below zero though its function cannot."""
    call = facts.training_loss
    losses = finite(facts.losses)
    if call is None or len(losses) < 3:
        return
    kind = _kind(call)
    negative = sum(v < 0 for v in losses) / len(losses)
    by_step = {s.step: s.loss for s in facts.steps}
    pairs = [
        (p.value, by_step[p.step])
        for p in facts.run.loss_parts
        if p.loss_call == call.loss_call and p.step in by_step
    ]
    turned = [a > 0 > b for a, b in pairs if a is not None and b is not None]
    opposite = len(turned) > 2 and sum(turned) > 0.8 * len(turned)
    positive = any(word in kind for word in NEVER_NEGATIVE)
    if kind == "nllloss" and not opposite:
        positive = False
    if "bce" in kind or "binarycrossentropy" in kind:
        in_range = (call.target_least or 0) >= 0 and (call.target_greatest or 0) <= 1
        positive = positive and in_range
    if negative > 0.5 and (opposite or positive):
        first = next((s.step for s in facts.steps if s.loss is not None and s.loss < 0), 1)
        yield Finding(
            "loss.sign", negative,
            f"the loss that is minimised is negative (down to {min(losses):.3g}), "
            f"`{call.kind}` is not: its sign is turned",
            first, "", _unique(site(call.file, call.line), *facts.sites("backward")), "loss",
        )  # fmt: skip


def broadcast_shapes(facts: RunFacts) -> Iterator[Finding]:
    """Predictions and targets differ in shape and are stretched over each other."""
    for call in facts.run.loss_calls:
        one, other = shape_of(call.input_shape), shape_of(call.target_shape)
        kind = _kind(call)
        if not any(w in kind for w in ("mse", "l1", "huber", "meansquared", "mae", "meanabsolute")):
            continue
        column = len(one) == len(other) + 1 and one[-1] == 1 and one[:-1] == other
        row = len(other) == len(one) + 1 and other[-1] == 1 and other[:-1] == one
        if (column or row) and one and max(*one, *other) > 1:
            yield Finding(
                "loss.broadcast", 1.0,
                f"`{call.kind}` compares {call.input_shape} with {call.target_shape}: "
                "every prediction with every target",
                1, "",
                _unique(site(call.before_file, call.before_line), site(call.file, call.line),
                        *facts.data_sites),
                "shape",
            )  # fmt: skip
            return


# ---------------------------------------------------------------------- rates
def rate_high(facts: RunFacts) -> Iterator[Finding]:
    """Updates are large by the weights that they change, from the first steps on."""
    ratios = [
        middle(r for _, r in rows[:8]) for rows in facts.update_ratios.values() if len(rows) > 1
    ]
    numbers = finite(ratios)
    if numbers:
        amount = sorted(numbers)[len(numbers) // 2]
        yield Finding(
            "rates.high", amount,
            f"each of the first updates moves the weights by {amount:.2g} of their norm",
            1, "", facts.rate_sites, "lr",
        )  # fmt: skip


def rate_low(facts: RunFacts) -> Iterator[Finding]:
    """Weights have hardly moved by all the updates together."""
    numbers: list[float] = []
    for rows in facts.update_ratios.values():
        level = middle(r for _, r in rows)
        if level is not None:
            numbers.append(level)
    count = len(facts.steps)
    if numbers and count:
        total = max(numbers) * count
        amount = min(99.0, -math.log10(total)) if total > 0 else 99.0
        yield Finding(
            "rates.low", amount,
            f"all {count} updates together move the weights by about {total:.1g} of their norm",
            1, "", facts.rate_sites, "lr",
        )  # fmt: skip


def loss_jumps(facts: RunFacts) -> Iterator[Finding]:
    """The loss jumps far above its beginning within the first steps."""
    factor = facts.first_factor
    if factor is not None:
        yield Finding(
            "loss.jumps", factor, f"within 12 steps the loss is {factor:.3g} times its first value",
            2, "", facts.rate_sites, "lr",
        )  # fmt: skip


def loss_not_a_number(facts: RunFacts) -> Iterator[Finding]:
    """The loss stops being a number."""
    step = facts.first_bad_step
    if step is not None:
        events = [e for e in facts.run.events if e.kind in ("nan", "inf")]
        first = min(events, key=lambda e: (e.step or 0, e.event), default=None)
        where = ""
        if first is not None:
            where = f"; first in the {first.tensor} of `{first.name or 'the model'}`"
        sites = _unique(site(first.file, first.line)) if first is not None else ()
        yield Finding(
            "loss.not_a_number", 1.0, f"the loss is no number from step {step} on{where}", step,
            first.name if first is not None else "", sites,
        )  # fmt: skip


# ---------------------------------------------------------------------- layers
def bad_initialisation(facts: RunFacts) -> Iterator[Finding]:
    """First weights of several layers are constant, or far larger than any usual scheme gives."""
    constant: list[Layer] = []
    factors: list[tuple[float, Layer]] = []
    for layer in facts.weighted:
        rows = [s for s in facts.of(layer, "weight") if s.step <= 2]
        if not rows or not rows[0].size or rows[0].size < 4:
            continue
        row = rows[0]
        level = max(abs(row.mean or 0.0), row.std or 0.0)
        if row.std is not None and row.std <= 1e-6 * max(level, 1e-12):
            constant.append(layer)
        fan = _fan_in(facts, layer, row.size)
        if fan and row.norm is not None and math.isfinite(row.norm):
            usual = math.sqrt(2.0 / fan)
            factors.append((row.norm / math.sqrt(row.size) / usual, layer))
    count = len(facts.weighted)
    if constant and (len(constant) > 1 or count <= 2):
        yield Finding(
            "layers.initialisation", len(constant) / count,
            f"all first weights of {_label(constant[0])} are equal: its units stay alike "
            f"({len(constant)} of {count} layers)",
            0, constant[0].name,
            _unique(*facts.sites("init"), *(facts.place(x) for x in constant)), "init",
        )  # fmt: skip
    if factors:
        factor, layer = max(factors, key=lambda pair: pair[0])
        yield Finding(
            "layers.large_weights", factor,
            f"the first weights of {_label(layer)} are {factor:.2g} times as large as usual",
            0, layer.name, _unique(*facts.sites("init"), facts.place(layer)), "init",
        )  # fmt: skip


def _fan_in(facts: RunFacts, layer: Layer, size: int) -> int:
    fans = _fans(facts, layer, size)
    return fans[0] if fans is not None else 0


def _fans(facts: RunFacts, layer: Layer, size: int) -> tuple[int, int] | None:
    """Return what comes into a unit of a layer and what goes out, by the shape of its weights."""
    for row in facts.parameters_by_layer.get(layer.layer, ()):
        shape = shape_of(row.shape)
        if row.size == size and len(shape) > 1:
            if (
                "keras" in facts.run.process.framework
                or "tensorflow" in facts.run.process.framework
            ):
                spread = math.prod(shape[:-2])
                return spread * shape[-2], spread * shape[-1]
            spread = math.prod(shape[2:])
            return spread * shape[1], spread * shape[0]
    return None


def vanishing(facts: RunFacts) -> Iterator[Finding]:
    """Gradients of the first layers are orders of magnitude below those of the last."""
    levels = facts.gradient_levels
    if len(levels) < 2:
        return
    (first, low), last = levels[0], levels[-1][1]
    if last <= 0 and low <= 0:
        return
    amount = min(40.0, math.log10(last / low)) if low > 0 and last > 0 else 40.0
    near = [x for x in facts.activations if activation_of(x) in SQUASHING]
    sites = _unique(*(facts.place(x) for x in near[:3]), facts.place(first))
    words = f", with {activation_of(near[0])} between them" if near else ""
    yield Finding(
        "gradients.vanishing", amount,
        f"gradients of {_label(first)} are 10^{amount:.1f} times smaller than those of the last "
        f"layer{words}",
        1, first.name, sites, "activation",
    )  # fmt: skip


def exploding(facts: RunFacts) -> Iterator[Finding]:
    """Gradients are very large, or grow by orders of magnitude."""
    rows = [
        (s.step, s.norm / math.sqrt(s.size), layer)
        for layer in facts.trained
        for s in facts.of(layer, "gradient")
        if s.norm is not None and s.size
    ]
    # A summed loss has gradients as many times larger as there are rows.
    numbers = [(step, level, layer) for step, level, layer in rows if math.isfinite(level)]
    if not numbers:
        return
    step, level, layer = max(numbers, key=lambda r: r[1])
    call = facts.training_loss
    by = (
        float(shape_of(call.input_shape)[0])
        if call and "sum" in call.reduction and shape_of(call.input_shape)
        else 1.0
    )
    yield Finding(
        "gradients.exploding", level / max(by, 1.0),
        f"gradients of {_label(layer)} reach {level:.2g} on average at step {step}", step,
        layer.name, _unique(*facts.rate_sites, facts.place(layer)), "lr",
    )  # fmt: skip


def dying(facts: RunFacts) -> Iterator[Finding]:
    """Rectified units that are zero for every row of a batch."""
    worst: tuple[float, int, Layer] | None = None
    for layer in facts.activations:
        if activation_of(layer) not in RECTIFYING:
            continue
        rows = [s for s in facts.of(layer, "activation") if s.dead is not None]
        late = middle(s.dead for s in rows[len(rows) // 2 :])
        if late is None:
            continue
        began = next((s.step for s in rows if (s.dead or 0) >= 0.9 * late), rows[0].step)
        if worst is None or late > worst[0]:
            worst = (late, began, layer)
    if worst is not None:
        share, step, layer = worst
        at = facts.layers.index(layer)
        makers = [facts.place(x) for x in facts.layers[max(0, at - 3) : at] if x in facts.weighted]
        early = step <= EARLY
        sites = _unique(*facts.sites("init"), *makers, facts.place(layer), *facts.rate_sites)
        yield Finding(
            "layers.dying_relu", share,
            f"{share:.0%} of the units of {_label(layer)} give 0 for every row from step {step} on",
            step, layer.name, sites, "init" if early else "activation",
        )  # fmt: skip


EARLY = 2
"""Units that are dead up to this step were so from their first weights and biases on."""


def sigmoid_hidden(facts: RunFacts) -> Iterator[Finding]:
    """Several hidden layers are squashed by sigmoids, whose slope is at most a quarter."""
    last = facts.weighted[-1].position if facts.weighted else None
    hidden = [
        x
        for x in facts.activations
        if activation_of(x) == "sigmoid" and last is not None and (x.position or 0) < last
    ]
    own = [x for x in facts.weighted[:-1] if activation_of(x) == "sigmoid"]
    layers = list(dict.fromkeys([*hidden, *own]))
    if len(layers) > 1:
        yield Finding(
            "layers.sigmoid_hidden", len(layers),
            f"{len(layers)} hidden layers end in a sigmoid, which takes at least three quarters of "
            "each gradient",
            0, layers[0].name, _unique(*(facts.place(x) for x in layers)), "activation",
        )  # fmt: skip


def saturated(facts: RunFacts) -> Iterator[Finding]:
    """Units of squashing activations sit at the ends of their range."""
    worst: tuple[float, int, Layer] | None = None
    last = facts.layers[-1].layer if facts.layers else -1
    for layer in facts.activations:
        if activation_of(layer) not in SQUASHING - {"softmax"} or layer.layer == last:
            continue
        rows = [s for s in facts.of(layer, "activation") if s.saturated is not None]
        level = middle(s.saturated for s in rows)
        if level is not None and (worst is None or level > worst[0]):
            began = next((s.step for s in rows if (s.saturated or 0) >= 0.9 * level), 1)
            worst = (level, began, layer)
    if worst is not None:
        share, step, layer = worst
        yield Finding(
            "layers.saturated", share,
            f"{share:.0%} of the outputs of {_label(layer)} lie at the ends of its range", step,
            layer.name, _unique(facts.place(layer)), "activation",
        )  # fmt: skip


def activation_missing(facts: RunFacts) -> Iterator[Finding]:
    """Layers with weights follow each other without anything nonlinear between them."""
    by_model: dict[int | None, list[Layer]] = {}
    parents = {x.parent for x in facts.layers}
    for layer in facts.layers:
        if layer.layer not in parents or layer.function:
            by_model.setdefault(layer.model, []).append(layer)
    for layers in by_model.values():
        pairs, linear = 0, []
        before: Layer | None = None
        for layer in layers:
            kind, own = plain(layer.type), activation_of(layer)
            if kind in WEIGHTED and not layer.function:
                if before is not None:
                    pairs += 1
                    linear.append(before) if not between else None
                before, between = layer, own not in ("", "linear", "identity")
            elif before is not None:
                harmless = kind.startswith(
                    (*NORMALISING, "dropout", "flatten", "identity", "reshape")
                )
                passing = kind in (
                    "avgpool2d",
                    "adaptiveavgpool2d",
                    "adaptiveavgpool1d",
                    "unflatten",
                )
                if (
                    not harmless
                    and not passing
                    and not (layer.function in ("", "linear") and own == "")
                ):
                    between = True
        if pairs and linear:
            yield Finding(
                "layers.activation_missing", len(linear) / pairs,
                f"{len(linear)} of {pairs} layers with weights go into the next one without an "
                f"activation ({_label(linear[0])} first)",
                0, linear[0].name, _unique(*(facts.place(x) for x in linear)), "activation",
            )  # fmt: skip


# ---------------------------------------------------------------------- data
def not_normalised(facts: RunFacts) -> Iterator[Finding]:
    """Inputs are far from zero mean and unit spread, or their columns differ by far in scale."""
    rows = facts.model_inputs
    if not rows or facts.is_normalised:
        return
    amounts = []
    for row in rows:
        size = max(abs(row.least or 0.0), abs(row.greatest or 0.0))
        if math.isfinite(size) and row.mean is not None:
            spread = row.std or 0.0
            amounts.append((max(abs(row.mean), spread), size, row))
    if not amounts:
        return
    amount = middle(a for a, _, _ in amounts) or 0.0
    size = max(s for _, s, _ in amounts)
    yield Finding(
        "data.not_normalised", amount,
        f"inputs reach {size:.3g} (their mean or spread is {amount:.3g}) and nothing scales them",
        1, "", facts.data_sites, "scaling",
    )  # fmt: skip


def tiny_inputs(facts: RunFacts) -> Iterator[Finding]:
    """Inputs are so small that nothing of them reaches the output."""
    sizes = [max(abs(r.least or 0.0), abs(r.greatest or 0.0)) for r in facts.model_inputs if r.std]
    level = middle(sizes)
    if level is not None and level > 0:
        yield Finding(
            "data.tiny_inputs", -math.log10(level), f"inputs reach only {level:.2g}", 1, "",
            facts.data_sites, "scaling",
        )  # fmt: skip


def bad_values(facts: RunFacts) -> Iterator[Finding]:
    """NaN or infinity in inputs or targets."""
    for row in facts.run.inputs:
        count = (row.nans or 0) + (row.infs or 0)
        if count and row.source in ("model", "target", "loader"):
            events = [e for e in facts.run.events if e.kind in ("nan", "inf")]
            first = min((e.step or 0 for e in events), default=row.step)
            # What a broken model hands on to another model is no data.
            if row.source == "loader" or row.step <= first or row.source == "target":
                yield Finding(
                    "data.bad_values", 1.0,
                    f"{count} values of {row.source} input `{row.name}` are no numbers", row.step,
                    "", facts.data_sites, "nan",
                )  # fmt: skip
                return


def sudden_nan(facts: RunFacts) -> Iterator[Finding]:
    """The loss is NaN from one step to the next, with sound weights and a usual loss before."""
    step = facts.first_bad_step
    if step is None:
        return
    before = finite(s.loss for s in facts.steps if s.step < step)[-5:]
    level, start = middle(before), middle(facts.losses[:3])
    weights = any(e.tensor == "weight" and (e.step or 0) <= step for e in facts.run.events) or any(
        (s.nans or s.infs) and s.kind == "weight" and s.step <= step for s in facts.run.statistics
    )
    calm = level is None or start is None or abs(level) <= 1.5 * abs(start) + 1e-6
    values = [r for r in facts.run.inputs if r.source in ("model", "loader") and r.step < step]
    known = any((r.nans or 0) + (r.infs or 0) for r in values)
    if calm and not weights and not known:
        shown = f"{level:.3g}" if level is not None else "nothing"
        yield Finding(
            "data.sudden_nan", 1.0,
            f"the loss is no number from step {step} on, after {shown} and with sound weights: "
            "a value of that batch, or what is computed of it",
            step, "", _unique(*facts.data_sites, _loss_site(facts)), "nan",
        )  # fmt: skip


def constant_inputs(facts: RunFacts) -> Iterator[Finding]:
    """All rows of the batches are equal."""
    rows = [r for r in facts.run.inputs if r.source == "model" and r.phase in ("train", "")]
    rows = [r for r in rows if (shape_of(r.shape) or (0,))[0] > 2 and r.constant is not None]
    level = middle(max(r.constant or 0.0, 0.0) for r in rows)
    same = middle(r.duplicated for r in rows)
    whole = [r for r in rows if "int" in r.dtype]
    if level is not None:
        amount = max(level, same or 0.0) if not whole else (level + (same or 0.0)) / 2
        shown = f"{level:.0%} of the features are the same in every row of a batch"
        if same is not None and same > level:
            shown = f"{same:.0%} of the rows of a batch equal another one"
        yield Finding("data.constant_inputs", amount, shown, 1, "", facts.data_sites, "data")


def constant_labels(facts: RunFacts) -> Iterator[Finding]:
    """One label for all rows, or nearly all."""
    if facts.is_adversarial:
        return
    rows = facts.target_input
    total = sum(facts.label_counts.values())
    share = facts.largest_class
    sites = _unique(*facts.data_sites, _loss_site(facts))
    if total >= 20 and share is not None and (len(facts.label_counts) > 1 or share == 1.0):
        yield Finding(
            "data.constant_labels", share,
            f"{share:.0%} of {total} labels are the same", 1, "", sites, "labels",
        )  # fmt: skip
        return
    spread = middle(r.std for r in rows)
    level = middle(r.levels for r in rows)
    if rows and spread is not None and (shape_of(rows[0].shape) or (0,))[0] > 2:
        amount = 1.0 if spread == 0 and (level is None or level == 1) else 0.0
        yield Finding(
            "data.constant_labels", amount, "all targets of a batch are the same", 1, "", sites,
            "labels",
        )  # fmt: skip


def not_shuffled(facts: RunFacts) -> Iterator[Finding]:
    """Rows come in the order of their labels."""
    rows = [r.neighbours for r in facts.target_input if r.neighbours is not None]
    share = facts.largest_class
    classes = len(facts.label_counts)
    level = middle(rows)
    if level is None or share is None or classes < 2:
        return
    expected = sum((c / sum(facts.label_counts.values())) ** 2 for c in facts.label_counts.values())
    if expected >= 0.95:
        return
    amount = (level - expected) / (1 - expected)
    yield Finding(
        "data.not_shuffled", amount,
        f"{level:.0%} of the rows have the label of the row before ({expected:.0%} by chance): "
        "they come sorted",
        1, "", facts.data_sites, "shuffle",
    )  # fmt: skip


def same_order(facts: RunFacts) -> Iterator[Finding]:
    """The training rows come in the same order in every epoch."""
    for loader in facts.run.loaders:
        if loader.phase == "train" and loader.same_order and (loader.epochs or 0) > 1:
            rows = loader.rows or 0
            if rows > 2 * (loader.batch or rows):
                yield Finding(
                    "data.same_order", 1.0, "training rows come in the same order in every epoch",
                    1, "", _unique(site(loader.file, loader.line)), "shuffle",
                )  # fmt: skip


def leaking(facts: RunFacts) -> Iterator[Finding]:
    """Rows that are evaluated on were trained on."""
    by = {x.loader: x for x in facts.run.loaders}
    for row in facts.run.overlaps:
        one, other = by.get(row.loader), by.get(row.other)
        if one is None or other is None or not row.compared or row.compared < 10:
            continue
        phases = {one.phase, other.phase}
        if phases == {"train", "eval"}:
            held = one if one.phase == "eval" else other
            yield Finding(
                "data.leaking", (row.shared or 0) / row.compared,
                f"{row.shared} of {row.compared} rows that are evaluated on were trained on", 1, "",
                _unique(site(held.file, held.line), *facts.data_sites), "split",
            )  # fmt: skip


# ---------------------------------------------------------------------- regularisation
def decay_high(facts: RunFacts) -> Iterator[Finding]:
    """Weight decay shrinks the weights faster than the loss can shape them."""
    worst = 0.0
    for settings in facts.group_settings:
        decay, rate = settings.get("weight_decay"), settings.get("lr")
        if isinstance(decay, (int, float)) and not isinstance(decay, bool):
            worst = max(worst, float(decay))
    if worst:
        yield Finding(
            "optimizer.weight_decay", worst, f"a weight decay of {worst:g}", 0, "",
            facts.rate_sites, "weight_decay",
        )  # fmt: skip


_SHARE = re.compile(r"\b(?:p|rate)=([\d.]+)")


def dropout_high(facts: RunFacts) -> Iterator[Finding]:
    """Nearly all activations are dropped."""
    for layer in facts.layers:
        if plain(layer.type).startswith(("dropout", "spatialdropout", "alphadropout")):
            match = _SHARE.search(layer.settings)
            share = settings_of(layer.settings).get("rate", match[1] if match else None)
            try:
                amount = float(share) if share is not None else None
            except (TypeError, ValueError):
                continue
            if amount:
                yield Finding(
                    "layers.dropout", amount, f"{_label(layer)} drops {amount:.0%} of its inputs",
                    0, layer.name, _unique(facts.place(layer)), "p",
                )  # fmt: skip


def clipped_away(facts: RunFacts) -> Iterator[Finding]:
    """Clipping leaves next to nothing of the gradients."""
    if not facts.count("clip") and not any(s.clipped is not None for s in facts.steps):
        return
    before = {s.step: s.clipped for s in facts.steps if s.clipped}
    after: dict[int, float] = {}
    for layer in facts.trained:
        for row in facts.of(layer, "gradient"):
            if row.norm is not None and math.isfinite(row.norm):
                after[row.step] = after.get(row.step, 0.0) + row.norm**2
    shares = [
        math.sqrt(after[s]) / v for s, v in before.items() if s in after and v and math.isfinite(v)
    ]
    level = middle(shares)
    if level is not None:
        amount = min(20.0, -math.log10(level)) if level > 0 else 20.0
        yield Finding(
            "gradients.clipped_away", amount,
            f"clipping leaves {level:.1g} of the gradients' norm", 1, "", facts.sites("clip"),
            "max_norm",
        )  # fmt: skip


PYTORCH = "PyTorch documentation"
RULES: tuple[Rule, ...] = (
    Rule("loop.zero_grad_missing", "zero_grad_missing", zero_grad_missing,
         f"{PYTORCH}, Zeroing out gradients; UMLAUT (CHI 2021)", is_certain=True),
    Rule("loop.step_missing", "step_missing", step_missing,
         f"{PYTORCH}, torch.optim; TrainCheck (OSDI 2025)", is_certain=True),
    Rule("loop.backward_missing", "backward_missing", backward_missing,
         f"{PYTORCH}, Autograd mechanics", is_certain=True),
    Rule("gradients.graph_cut", "graph_cut", graph_cut, f"{PYTORCH}, Tensor.detach",
         is_certain=True),
    Rule("parameters.frozen", "frozen_layers", frozen, "DeepCrime (ISSTA 2021); PyTorch, "
         "Transfer learning tutorial", needs_harm=True),
    Rule("parameters.frozen_untrained", "frozen_layers", frozen_untrained,
         "DeepCrime (ISSTA 2021); He et al. (ICCV 2015): first weights"),
    Rule("parameters.outside_optimizer", "parameters_outside_optimizer", outside_optimizer,
         f"{PYTORCH}, torch.optim: Constructing it", is_certain=True),
    Rule("parameters.other_copy", "optimizer_of_other_copy", other_copy,
         "TrainCheck (OSDI 2025)", is_certain=True),
    Rule("modes.evaluation_in_train_mode", "evaluation_in_train_mode", evaluation_in_train_mode,
         f"{PYTORCH}, Module.eval", is_certain=True),
    Rule("modes.training_in_eval_mode", "training_in_eval_mode", training_in_eval_mode,
         f"{PYTORCH}, Module.train"),
    Rule("loop.accumulated_graph", "accumulated_graph", accumulated_graph,
         f"{PYTORCH}, FAQ: memory usage grows", is_certain=True),
    Rule("rates.scheduler_per_step", "scheduler_per_step", scheduler_per_step,
         f"{PYTORCH}, How to adjust learning rate"),
    Rule("loss.double_softmax", "double_softmax", double_softmax,
         "Humbatova et al. (ICSE 2020); PyTorch, CrossEntropyLoss", is_certain=True),
    Rule("loss.output_activation", "output_activation", output_activation,
         "DeepDiagnosis (ICSE 2022): activation against loss"),
    Rule("loss.wrong", "wrong_loss", wrong_loss, "NeuraLint (TOSEM 2021); DeepFD (ICSE 2022)"),
    Rule("loss.sign", "loss_sign", loss_sign, "Zhang et al. (ISSTA 2018)", is_certain=True),
    Rule("loss.broadcast", "broadcast_shapes", broadcast_shapes,
         f"{PYTORCH}, mse_loss: broadcasting", is_certain=True),
    Rule("rates.high", "learning_rate_high", rate_high,
         "Karpathy, CS231n: ratio of updates to weights; AUTOTRAINER (ICSE 2021)",
         needs_harm=True),
    Rule("rates.low", "learning_rate_low", rate_low,
         "Karpathy, CS231n: ratio of updates to weights; AUTOTRAINER (ICSE 2021)",
         needs_harm=True),
    Rule("loss.jumps", "learning_rate_high", loss_jumps, "AUTOTRAINER (ICSE 2021): oscillating loss",
         needs_harm=True),
    Rule("loss.not_a_number", "", loss_not_a_number, "DeepLocalize (ICSE 2021)"),
    Rule("layers.initialisation", "bad_initialisation", bad_initialisation,
         "Glorot and Bengio (AISTATS 2010); DeepCrime", needs_harm=True),
    Rule("layers.large_weights", "bad_initialisation", lambda facts: iter(()),
         "He et al. (ICCV 2015)", needs_harm=True),
    Rule("gradients.vanishing", "vanishing_gradients", vanishing,
         "DeepDiagnosis (ICSE 2022); AUTOTRAINER (ICSE 2021)", needs_harm=True),
    Rule("gradients.exploding", "learning_rate_high", exploding,
         "DeepDiagnosis (ICSE 2022); AUTOTRAINER (ICSE 2021)", needs_harm=True),
    Rule("layers.dying_relu", "dying_relu", dying, "Lu et al. (2019); AUTOTRAINER (ICSE 2021)",
         needs_harm=True),
    Rule("layers.saturated", "vanishing_gradients", saturated, "DeepDiagnosis (ICSE 2022)",
         needs_harm=True),
    Rule("layers.sigmoid_hidden", "vanishing_gradients", sigmoid_hidden,
         "Glorot and Bengio (AISTATS 2010); NeuraLint (TOSEM 2021)", needs_harm=True),
    Rule("layers.activation_missing", "hidden_activation_missing", activation_missing,
         "NeuraLint (TOSEM 2021); UMLAUT (CHI 2021): missing activations"),
    Rule("data.not_normalised", "inputs_not_normalised", not_normalised,
         "UMLAUT (CHI 2021): input not normalised; DeepDiagnosis", needs_harm=True),
    Rule("data.tiny_inputs", "inputs_not_normalised", tiny_inputs, "UMLAUT (CHI 2021)",
         needs_harm=True),
    Rule("data.bad_values", "bad_values_in_data", bad_values, "DeepLocalize (ICSE 2021)",
         is_certain=True),
    Rule("data.sudden_nan", "bad_values_in_data", sudden_nan, "DeepLocalize (ICSE 2021)"),
    Rule("data.constant_inputs", "constant_inputs", constant_inputs, "DeepCrime (ISSTA 2021)"),
    Rule("data.constant_labels", "constant_labels", constant_labels, "DeepCrime (ISSTA 2021)"),
    Rule("data.not_shuffled", "not_shuffled", not_shuffled, "UMLAUT (CHI 2021)"),
    Rule("data.same_order", "not_shuffled", same_order, f"{PYTORCH}, DataLoader", needs_harm=True),
    Rule("data.leaking", "leaking_data", leaking, "UMLAUT (CHI 2021); Kaufman et al. (KDD 2011)"),
    Rule("optimizer.weight_decay", "regularisation_high", decay_high, "DeepCrime (ISSTA 2021)",
         needs_harm=True),
    Rule("layers.dropout", "regularisation_high", dropout_high, "UMLAUT (CHI 2021): high dropout",
         needs_harm=True),
    Rule("gradients.clipped_away", "gradients_clipped_away", clipped_away,
         "Pascanu et al. (ICML 2013)", needs_harm=True),
)  # fmt: skip
"""The rules in the order in which they are asked; `bad_initialisation` gives findings of two."""


def measured(facts: RunFacts) -> tuple[Finding, ...]:
    """Return what every rule measured; of each rule the largest amount."""
    best: dict[str, Finding] = {}
    for rule in RULES:
        for finding in rule.measure(facts):
            before = best.get(finding.rule)
            if before is None or finding.amount > before.amount:
                best[finding.rule] = finding
    return tuple(best.values())
