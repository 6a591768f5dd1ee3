"""Rules on data, loss functions and learning rates: what goes in and what it is compared with."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise

from dl_bug_lsp.monitoring.diagnosis_facts import (
    Finding,
    RunFacts,
    Site,
    finite,
    loss_site,
    middle,
    plain,
    settings_of,
    shape_of,
    site,
    unique,
)
from dl_bug_lsp.monitoring.training_run import LossCall


def not_normalised(facts: RunFacts) -> Iterator[Finding]:
    """Measure mean and spread of inputs that nothing normalises."""
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
    """Measure how small inputs are."""
    sizes = [max(abs(r.least or 0.0), abs(r.greatest or 0.0)) for r in facts.model_inputs if r.std]
    level = middle(sizes)
    if level is not None and level > 0:
        yield Finding(
            "data.tiny_inputs", -math.log10(level), f"inputs reach only {level:.2g}", 1, "",
            facts.data_sites, "scaling",
        )  # fmt: skip


def bad_values(facts: RunFacts) -> Iterator[Finding]:
    """Find NaN or infinity in inputs or targets."""
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
    """Find that the loss is NaN from one step to the next, with sound weights."""
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
            step, "", unique(*facts.data_sites, loss_site(facts)), "nan",
        )  # fmt: skip


LABELS = re.compile(r"label|target|^y$", re.IGNORECASE)
REPEATED = 0.1
"""The share of equal rows in a batch from which on data repeat themselves."""
BESIDE = re.compile(r"mask|position|type_ids|length|cache", re.IGNORECASE)
"""Inputs that are often the same in every row: nothing is learned of them alone."""


def constant_inputs(facts: RunFacts) -> Iterator[Finding]:
    """Measure the share of rows or features of a batch that are equal, in the input that varies."""
    rows = [r for r in facts.run.inputs if r.source == "model" and r.phase in ("train", "")]
    rows = [r for r in rows if (shape_of(r.shape) or (0,))[0] > 2 and r.constant is not None]
    rows = [r for r in rows if not LABELS.search(r.name)]
    rows = [r for r in rows if not BESIDE.search(r.name)] or rows
    least: tuple[float, str] | None = None
    for name in dict.fromkeys(r.name for r in rows):
        own = [r for r in rows if r.name == name]
        level = middle(max(r.constant or 0.0, 0.0) for r in own) or 0.0
        same = middle(r.duplicated for r in own)
        is_whole = any("int" in r.dtype for r in own)
        amount = (level + (same or 0.0)) / 2 if is_whole else max(level, same or 0.0)
        shown = f"{level:.0%} of the features are the same in every row of a batch"
        if same is not None and same > level:
            shown = f"{same:.0%} of the rows of a batch equal another one"
        if least is None or amount < least[0]:
            least = amount, shown
    if least is not None:
        yield Finding("data.constant_inputs", least[0], least[1], 1, "", facts.data_sites, "data")


def constant_labels(facts: RunFacts) -> Iterator[Finding]:
    """Measure the share of the most frequent label."""
    if facts.is_adversarial:
        return
    rows = facts.target_input
    total = sum(facts.label_counts.values())
    share = facts.largest_class
    sites = unique(*facts.data_sites, loss_site(facts))
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
    """Measure how often the label of a row is that of the row before."""
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
    """Find that the training rows come in the same order in every epoch."""
    for loader in facts.run.loaders:
        if loader.phase == "train" and loader.same_order and (loader.epochs or 0) > 1:
            rows = loader.rows or 0
            if rows > 2 * (loader.batch or rows):
                yield Finding(
                    "data.same_order", 1.0, "training rows come in the same order in every epoch",
                    1, "", unique(site(loader.file, loader.line)), "shuffle",
                )  # fmt: skip


def leaking(facts: RunFacts) -> Iterator[Finding]:
    """Find that rows that are evaluated on were trained on."""
    by = {x.loader: x for x in facts.run.loaders}
    # Where rows of one batch repeat each other, held-out rows repeat those of training as well.
    rows = [r for r in facts.run.inputs if r.source in ("loader", "model") and r.phase != "eval"]
    repeated = middle(r.duplicated for r in rows if not LABELS.search(r.name))
    if repeated is not None and repeated > REPEATED:
        return
    for row in facts.run.overlaps:
        left, right = by.get(row.loader), by.get(row.other)
        if left is None or right is None or not row.compared or row.compared < 10:
            continue
        phases = {left.phase, right.phase}
        if phases == {"train", "eval"}:
            held = left if left.phase == "eval" else right
            yield Finding(
                "data.leaking", (row.shared or 0) / row.compared,
                f"{row.shared} of {row.compared} rows that are evaluated on were trained on", 1, "",
                unique(site(held.file, held.line), *facts.data_sites), "split",
            )  # fmt: skip


# ---------------------------------------------------------------------- losses and learning rates
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
    """Find that probabilities go into a loss that expects logits."""
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
            unique(site(call.before_file, call.before_line), site(call.file, call.line),
                    _place_of(facts, call.before_layer), *facts.sites("compile")),
            "softmax",
        )  # fmt: skip


def _place_of(facts: RunFacts, number: int | None) -> Site | None:
    return facts.place(facts.run.layer(number))


RANGES = {"relu": (0.0, math.inf), "sigmoid": (0.0, 1.0), "tanh": (-1.0, 1.0), "relu6": (0.0, 6.0),
          "softmax": (0.0, 1.0), "softplus": (0.0, math.inf), "elu": (-1.0, math.inf)}  # fmt: skip


def output_activation(facts: RunFacts) -> Iterator[Finding]:
    """Find that the last activation cannot give what the loss or the targets ask for."""
    call = facts.training_loss
    if call is None or (call.count or 0) < 1:
        return
    before, kind = plain(call.before), _kind(call)
    shape = shape_of(call.input_shape)
    sites = unique(
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
        sums_to_one = call.input_sums_to_one
        rows = (
            "binary" not in kind
            and "bce" not in kind
            and sums_to_one is not None
            and sums_to_one < 0.5
        )
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
    """Find that the loss function does not fit the targets."""
    call = facts.training_loss
    if call is None:
        return
    kind, before = _kind(call), plain(call.before)
    sites = unique(
        _loss_definition(facts, call), site(call.file, call.line), *facts.sites("compile")
    )
    whole = "int" in call.target_dtype or "long" in call.target_dtype
    least, greatest = call.target_least, call.target_greatest
    levels = call.target_levels or 0
    shape, target = shape_of(call.input_shape), shape_of(call.target_shape)

    def finding(why: str, amount: float = 1.0) -> Finding:
        return Finding("loss.wrong", amount, why, 1, "", sites, "loss")

    squares = kind in ("mse", "mseloss", "meansquarederror", "l1loss", "mae", "meanabsoluteerror",
                       "l1", "smoothl1", "smoothl1loss", "hinge", "squaredhinge", "poisson",
                       "poissonnllloss", "huberloss", "huber",
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
                f"`{call.kind}` needs targets from 0 to 1; "
                f"they go from {least:.3g} to {greatest:.3g}"
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
    """Find that the loss falls below zero though its function cannot."""
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
            first, "", unique(site(call.file, call.line), *facts.sites("backward")), "loss",
        )  # fmt: skip


def broadcast_shapes(facts: RunFacts) -> Iterator[Finding]:
    """Find that predictions and targets differ in shape and are stretched over each other."""
    for call in facts.run.loss_calls:
        output, target = shape_of(call.input_shape), shape_of(call.target_shape)
        kind = _kind(call)
        if not any(w in kind for w in ("mse", "l1", "huber", "meansquared", "mae", "meanabsolute")):
            continue
        column = len(output) == len(target) + 1 and output[-1] == 1 and output[:-1] == target
        row = len(target) == len(output) + 1 and target[-1] == 1 and target[:-1] == output
        if (column or row) and output and max(*output, *target) > 1:
            yield Finding(
                "loss.broadcast", 1.0,
                f"`{call.kind}` compares {call.input_shape} with {call.target_shape}: "
                "every prediction with every target",
                1, "",
                unique(site(call.before_file, call.before_line), site(call.file, call.line),
                        *facts.data_sites),
                "shape",
            )  # fmt: skip
            return


def rate_high(facts: RunFacts) -> Iterator[Finding]:
    """Measure the first updates by the weights that they change."""
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


def warm_up(facts: RunFacts) -> Iterator[Finding]:
    """Measure how far below its goal a rate ends that rises until the last step."""
    rates = facts.rates
    goals = [
        settings.get("initial_lr")
        for settings in facts.group_settings
        if isinstance(settings.get("initial_lr"), float)
    ]
    goal = max((g for g in goals if g), default=None)
    if goal is None or len(rates) < 10 or max(rates) <= 0:
        return
    rising = all(b >= a for a, b in pairwise(rates)) and rates[-1] > rates[0]
    if rising and rates[-1] < goal:
        count = len(facts.steps)
        yield Finding(
            "rates.warm_up", 1.0 - rates[-1] / goal,
            f"the learning rate rises through all {count} steps and reaches {rates[-1]:.2g} of "
            f"{goal:.2g}: its warm-up is longer than the training",
            1, "", facts.rate_sites, "warm_up",
        )  # fmt: skip


def rate_low(facts: RunFacts) -> Iterator[Finding]:
    """Measure how little all updates together move the weights."""
    numbers: list[float] = []
    for rows in facts.update_ratios.values():
        level = middle(r for _, r in rows)
        if level is not None:
            numbers.append(level)
    count = len(facts.steps)
    if not any(facts.steps_of(o) for o in facts.optimizers):
        return
    if numbers and count:
        total = max(numbers) * count
        amount = min(99.0, -math.log10(total)) if total > 0 else 99.0
        size = f"by about {total:.1g} of their norm" if total else "by nothing"
        yield Finding(
            "rates.low", amount,
            f"all {count} updates together move the weights {size}",
            1, "", facts.rate_sites, "lr",
        )  # fmt: skip


def loss_jumps(facts: RunFacts) -> Iterator[Finding]:
    """Measure how far the loss jumps above its beginning within the first steps."""
    factor = facts.first_factor
    if factor is not None:
        yield Finding(
            "loss.jumps", factor, f"within 12 steps the loss is {factor:.3g} times its first value",
            2, "", facts.rate_sites, "lr",
        )  # fmt: skip


def loss_not_a_number(facts: RunFacts) -> Iterator[Finding]:
    """Find that the loss stops being a number."""
    step = facts.first_bad_step
    if step is not None:
        events = [e for e in facts.run.events if e.kind in ("nan", "inf")]
        first = min(events, key=lambda e: (e.step or 0, e.event), default=None)
        where = ""
        if first is not None:
            where = f"; first in the {first.tensor} of `{first.name or 'the model'}`"
        sites = unique(site(first.file, first.line)) if first is not None else ()
        yield Finding(
            "loss.not_a_number", 1.0, f"the loss is no number from step {step} on{where}", step,
            first.name if first is not None else "", sites,
        )  # fmt: skip
