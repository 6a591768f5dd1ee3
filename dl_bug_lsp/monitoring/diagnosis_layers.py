"""Rules on layers: first weights, gradients, activations, dropout, clipping, weight decay."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from dl_bug_lsp.monitoring.diagnosis_facts import (
    NORMALISING,
    RECTIFYING,
    SQUASHING,
    WEIGHTED,
    Finding,
    RunFacts,
    activation_of,
    label,
    middle,
    plain,
    settings_of,
    shape_of,
    unique,
)
from dl_bug_lsp.monitoring.training_run import Layer


def bad_initialisation(facts: RunFacts) -> Iterator[Finding]:
    """Measure first weights: all equal, or larger than any usual scheme gives."""
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
        fan = _fan_in(facts, layer, row.size or 0)
        if fan and row.size and row.norm is not None and math.isfinite(row.norm):
            usual = math.sqrt(2.0 / fan)
            # The first values that are recorded may be those after the first update.
            moved = [s.norm for s in facts.of(layer, "update") if s.step == row.step]
            norm = max(0.0, row.norm - sum(n for n in moved if n is not None))
            factors.append((norm / math.sqrt(row.size) / usual, layer))
    count = len(facts.weighted)
    if constant and (len(constant) > 1 or count <= 2):
        yield Finding(
            "layers.initialisation", len(constant) / count,
            f"all first weights of {label(constant[0])} are equal: its units stay alike "
            f"({len(constant)} of {count} layers)",
            0, constant[0].name,
            unique(*facts.sites("init"), *(facts.place(x) for x in constant)), "init",
        )  # fmt: skip
    if factors:
        factor, layer = max(factors, key=lambda pair: pair[0])
        yield Finding(
            "layers.large_weights", factor,
            f"the first weights of {label(layer)} are {factor:.2g} times as large as usual",
            0, layer.name, unique(*facts.sites("init"), facts.place(layer)), "init",
        )  # fmt: skip


def _fan_in(facts: RunFacts, layer: Layer, size: int) -> int:
    fans = layer_fans(facts, layer, size)
    return fans[0] if fans is not None else 0


def layer_fans(facts: RunFacts, layer: Layer, size: int) -> tuple[int, int] | None:
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
    """Measure by how much gradients of the first layer are below those of the last."""
    levels = facts.gradient_levels
    if len(levels) < 2:
        return
    # Of the first third the largest: queries and keys of attention begin with small gradients,
    # and what passes around a layer is not lost.
    (first, low) = max(levels[: max(1, len(levels) // 3)], key=lambda pair: pair[1])
    last = levels[-1][1]
    if last <= 0 and low <= 0:
        return
    amount = min(40.0, math.log10(last / low)) if low > 0 and last > 0 else 40.0
    near = [x for x in facts.activations if activation_of(x) in SQUASHING]
    sites = unique(*(facts.place(x) for x in near[:3]), facts.place(first))
    words = f", with {activation_of(near[0])} between them" if near else ""
    yield Finding(
        "gradients.vanishing", amount,
        f"gradients of {label(first)} are 10^{amount:.1f} times smaller than those of the last "
        f"layer{words}",
        1, first.name, sites, "activation",
    )  # fmt: skip


def exploding(facts: RunFacts) -> Iterator[Finding]:
    """Measure the largest gradients."""
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
        f"gradients of {label(layer)} reach {level:.2g} on average at step {step}", step,
        layer.name, unique(*facts.rate_sites, facts.place(layer)), "lr",
    )  # fmt: skip


def dying(facts: RunFacts) -> Iterator[Finding]:
    """Measure the share of rectified units that are zero for every row of a batch."""
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
        sites = unique(*facts.sites("init"), *makers, facts.place(layer), *facts.rate_sites)
        yield Finding(
            "layers.dying_relu", share,
            f"{share:.0%} of the units of {label(layer)} give 0 for every row from step {step} on",
            step, layer.name, sites, "init" if early else "activation",
        )  # fmt: skip


EARLY = 2
"""Units that are dead up to this step were so from their first weights and biases on."""


def sigmoid_hidden(facts: RunFacts) -> Iterator[Finding]:
    """Count hidden layers that are squashed by sigmoids, whose slope is at most a quarter."""
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
            0, layers[0].name, unique(*(facts.place(x) for x in layers)), "activation",
        )  # fmt: skip


def saturated(facts: RunFacts) -> Iterator[Finding]:
    """Measure the share of squashed units that sit at the ends of their range."""
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
            f"{share:.0%} of the outputs of {label(layer)} lie at the ends of its range", step,
            layer.name, unique(facts.place(layer)), "activation",
        )  # fmt: skip


def activation_missing(facts: RunFacts) -> Iterator[Finding]:
    """Measure the share of layers with weights that follow each other without an activation."""
    by_model: dict[int | None, list[Layer]] = {}
    parents = {x.parent for x in facts.layers}
    for layer in facts.layers:
        if layer.layer not in parents or layer.function:
            by_model.setdefault(layer.model, []).append(layer)
    for layers in by_model.values():
        pairs, linear = 0, []
        before: Layer | None = None
        between = False
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
                f"activation ({label(linear[0])} first)",
                0, linear[0].name, unique(*(facts.place(x) for x in linear)), "activation",
            )  # fmt: skip


def decay_high(facts: RunFacts) -> Iterator[Finding]:
    """Measure weight decay: it may shrink weights faster than the loss shapes them."""
    worst = 0.0
    for settings in facts.group_settings:
        decay = settings.get("weight_decay")
        if isinstance(decay, (int, float)) and not isinstance(decay, bool):
            worst = max(worst, float(decay))
    if worst:
        yield Finding(
            "optimizer.weight_decay", worst, f"a weight decay of {worst:g}", 0, "",
            facts.rate_sites, "weight_decay",
        )  # fmt: skip


_SHARE = re.compile(r"\b(?:p|rate)=([\d.]+)")


def dropout_high(facts: RunFacts) -> Iterator[Finding]:
    """Measure the share of activations that dropout takes."""
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
                    "layers.dropout", amount, f"{label(layer)} drops {amount:.0%} of its inputs",
                    0, layer.name, unique(facts.place(layer)), "p",
                )  # fmt: skip


def clipped_away(facts: RunFacts) -> Iterator[Finding]:
    """Measure what clipping leaves of the gradients."""
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
