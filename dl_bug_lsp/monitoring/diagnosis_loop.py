"""Rules on the loop: calls that are missing, parameters that nothing trains, modes, schedules."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from dl_bug_lsp.monitoring.diagnosis_facts import (
    RECURRENT,
    Finding,
    RunFacts,
    label,
    loss_site,
    middle,
    plain,
    shape_of,
    site,
    unique,
)
from dl_bug_lsp.monitoring.diagnosis_layers import layer_fans
from dl_bug_lsp.monitoring.training_run import Cycle, Layer


def zero_grad_missing(facts: RunFacts) -> Iterator[Finding]:
    """Find that gradients are never set to zero, so that each step uses the sum of all before."""
    own = [o for o in facts.optimizers if facts.steps_of(o) > 3]
    if not facts.is_torch or facts.count("backward") < 4 or not own:
        return
    if not facts.count("zero_grad"):
        # Gradients may be set to None by hand: what steps began with tells.
        if not facts.keeps_gradients:
            return
        sites = unique(*facts.sites("step"), *facts.sites("backward"), loss_site(facts))
        yield Finding(
            "loop.zero_grad_missing", 1.0, "no `zero_grad` runs: gradients of all steps add up",
            0, "", sites, "zero_grad",
        )  # fmt: skip
        return
    clearing = _cycles_that_clear(facts)
    if clearing:
        yield Finding(
            "loop.zero_grad_missing", 1.0,
            "`zero_grad` runs between `backward` and `step`: the step has no gradients",
            clearing[0].first_step or 0, "", facts.sites("zero_grad"), "zero_grad",
        )  # fmt: skip


CLEARING = 0.6
"""The share of steps from which on it is their rule that gradients are cleared before the step."""


def _cycles_that_clear(facts: RunFacts) -> list[Cycle]:
    """Return the cycles in which `zero_grad` stands between `backward` and `step`.

    Nothing is returned where only few steps are so.
    """
    found: list[Cycle] = []
    for cycle in facts.run.cycles:
        words = cycle.text.split()
        if "backward" in words and "step" in words:
            last = len(words) - 1 - words[::-1].index("backward")
            rest = words[last:]
            if "step" in rest and "zero_grad" in rest[: rest.index("step")]:
                found.append(cycle)
    count = sum(cycle.count or 0 for cycle in found)
    return found if count > CLEARING * max(1, facts.count("step")) else []


def step_missing(facts: RunFacts) -> Iterator[Finding]:
    """Find that gradients are computed and no optimizer uses them."""
    if not facts.is_torch or facts.count("backward") < 2:
        return
    if not any(facts.steps_of(o) for o in facts.optimizers):
        # A program without an optimizer, or whose weights move, updates them by itself or not at
        # all: gradients of inputs, for one, need no optimizer.
        moved = any(p.moved for p in facts.run.parameters)
        if moved or not facts.optimizers or not any(o.tensors for o in facts.optimizers):
            return
        yield Finding(
            "loop.step_missing", 1.0, "`backward` runs and no optimizer's `step` does", 0, "",
            unique(*facts.sites("backward"), *facts.rate_sites), "step",
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
                0, "", unique(site(optimizer.file, optimizer.line), *facts.sites("backward")),
                "step",
            )  # fmt: skip


def backward_missing(facts: RunFacts) -> Iterator[Finding]:
    """Find that the optimizer steps and nothing computes gradients."""
    steps = sum(facts.steps_of(o) for o in facts.optimizers)
    own_loop = facts.is_torch and steps > 1
    if own_loop and not facts.count("backward") and not any(s.backwards for s in facts.steps):
        sites = unique(*facts.sites("step"), loss_site(facts), *facts.sites("zero_grad"))
        yield Finding(
            "loop.backward_missing", 1.0, "the optimizer steps and no `backward` runs", 0, "",
            sites, "backward",
        )  # fmt: skip


def graph_cut(facts: RunFacts) -> Iterator[Finding]:
    """Find that backward runs, and parameters before some point never get a gradient."""
    # What steps without gradients that were cleared just before tells nothing of the graph.
    if facts.count("backward") < 2 or _cycles_that_clear(facts):
        return
    parameters = [
        p
        for p in facts.run.parameters
        if p.trainable and ((p.gradients or 0) + (p.without or 0)) > 1
    ]
    # Weights of an embedding may have no gradient in a step; those of layers that run always do.
    called = {x.layer for x in facts.layers}
    parameters = [p for p in parameters if p.layer in called and p.optimizer is not None]
    none = [p for p in parameters if not p.gradients]
    if not none:
        return
    share = len(none) / len(parameters)
    layers = {x.layer: x for x in facts.layers}
    last = max((layers[p.layer] for p in none if p.layer in layers), key=lambda x: x.position or 0)
    after = [x for x in facts.layers if (x.position or 0) > (last.position or 0)]
    sites = [*facts.sites("detach")]
    if share == 1.0:
        why = (
            "no parameter has a gradient when the optimizer steps: the graph from loss to model is "
            "cut, or the gradients are cleared before the step"
        )
        sites += [*facts.sites("backward"), *(unique(loss_site(facts))), *facts.sites("zero_grad")]
    else:
        why = (
            f"{len(none)} of {len(parameters)} parameters never get a gradient, "
            f"up to {label(last)}: the graph is cut behind it"
        )
        calls = [facts.place(x) for x in (last, *after[:2])]
        sites += [s for s in calls if s is not None]
        sites += facts.sites("no_grad")
    yield Finding("gradients.graph_cut", share, why, 1, last.name, unique(*sites), "detach")


def frozen(facts: RunFacts) -> Iterator[Finding]:
    """Find that parameters need no gradient and were not trained before in this process."""
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
    sites = unique(
        *facts.sites("requires_grad"), *facts.rate_sites[:1], *(facts.place(x) for x in names[:3])
    )
    yield Finding(
        "parameters.frozen", share,
        f"{share:.0%} of the parameters need no gradient and keep their first values "
        f"(`{names[0].name or names[0].type}` first)",
        0, names[0].name, sites, "requires_grad",
    )  # fmt: skip


def frozen_untrained(facts: RunFacts) -> Iterator[Finding]:
    """Find that layers are frozen whose weights are still the framework's own first draw."""
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
    fans = layer_fans(facts, layer, row.size or 0)
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
    """Find that parameters get gradients and are in no optimizer."""
    own = [p for p in facts.run.parameters if p.trainable and (p.gradients or 0) > 0 and p.size]
    outside = [p for p in own if p.optimizer is None]
    busy = [o for o in facts.optimizers if facts.steps_of(o) > 1]
    if not outside or not busy:
        return
    if len(outside) == len(own):
        # An optimizer that holds nothing of the model is that of another copy.
        if all((o.foreign or 0) > 0.5 * (o.tensors or 0) for o in busy):
            return
        if any((p.moved or 0) > 0 for p in outside):
            return
    layers = {x.layer: x for x in facts.run.layers}
    share = sum(p.size or 0 for p in outside) / sum(p.size or 0 for p in own)
    first = layers.get(outside[0].layer or -1)
    name = first.name if first is not None else outside[0].name
    of_which = name or outside[0].name
    why = f"no weight that gets gradients is in an optimizer; the first is of `{of_which}`"
    if len(outside) < len(own):
        part = f"{share:.0%} of the weights that get gradients"
        why = f"{part} are in no optimizer; the first is of `{of_which}`"
    yield Finding(
        "parameters.outside_optimizer", 1.0, why,
        0, name, unique(*facts.rate_sites[:2], facts.place(first)), "params",
    )  # fmt: skip


def other_copy(facts: RunFacts) -> Iterator[Finding]:
    """Find that an optimizer holds parameters of no model that runs."""
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
                0, "", unique(*copies, site(optimizer.file, optimizer.line), *models), "params",
            )  # fmt: skip


def evaluation_in_train_mode(facts: RunFacts) -> Iterator[Finding]:
    """Find that passes without gradient run while the model is in training mode."""
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
        f"with {label(layer)} ({layer.type}) active",
        wrong[0].step, layer.name,
        unique(*facts.sites("no_grad", "inference_mode"), *facts.sites("train"),
                *(site(x.file, x.line) for x in facts.run.loaders if x.phase == "eval")),
        "eval",
    )  # fmt: skip


def training_in_eval_mode(facts: RunFacts) -> Iterator[Finding]:
    """Find that steps of training run while the model is in evaluation mode."""
    if not facts.has_modes or facts.is_adversarial:
        return
    # Passes with gradients count where the model was never seen in training mode.
    seen = [s for s in facts.steps if s.training is not None]
    if not any(s.training for s in facts.run.steps) and facts.count("backward") > 3:
        seen += [s for s in facts.eval_steps if s.gradient and s.training is not None]
    wrong = [s for s in seen if s.training is False]
    if len(seen) < 2 or not wrong:
        return
    yield Finding(
        "modes.training_in_eval_mode", len(wrong) / len(seen),
        f"{len(wrong)} of {len(seen)} training steps ran in evaluation mode", wrong[0].step,
        facts.has_modes[0].name, unique(*facts.sites("eval"), *facts.sites("backward")), "train",
    )  # fmt: skip


def accumulated_graph(facts: RunFacts) -> Iterator[Finding]:
    """Find that losses keep their graphs, or each step's graph holds those of the steps before."""
    alive = facts.setting("kept_graphs")
    if alive.isdigit() and int(alive) >= MANY_GRAPHS:
        yield Finding(
            "loop.accumulated_graph", 1.0,
            f"graphs of {alive} earlier steps were alive at once", 0, "",
            unique(*facts.sites("backward"), *facts.sites("step"), loss_site(facts)), "item",
        )  # fmt: skip
        return
    sizes = [(s.step, s.graph) for s in facts.steps if s.graph]
    if len(sizes) < 6:
        return
    first = middle(float(g) for _, g in sizes[:3]) or 1.0
    last = middle(float(g) for _, g in sizes[-3:]) or 0.0
    growing = sum(b > a for (_, a), (_, b) in pairwise(sizes))
    if last > 3 * first and growing > 0.7 * len(sizes):
        yield Finding(
            "loop.accumulated_graph", 1.0,
            f"the graph of a step's loss grows from {first:.0f} to {last:.0f} nodes",
            sizes[1][0], "", unique(*facts.sites("backward"), loss_site(facts)), "detach",
        )  # fmt: skip


MANY_GRAPHS = 4
"""A loop holds the graph of its last loss, one with two networks those of two."""
PER_EPOCH = ("steplr", "multisteplr", "exponentiallr", "cosineannealinglr")


def scheduler_per_step(facts: RunFacts) -> Iterator[Finding]:
    """Find that a schedule that counts epochs steps with each batch."""
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
                0, "", unique(*facts.sites("scheduler_step"),
                               site(optimizer.scheduler_file, optimizer.scheduler_line)),
                "scheduler",
            )  # fmt: skip
