"""Rules on data: what goes into a model and what it is compared with."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from dl_bug_lsp.monitoring.diagnosis_facts import (
    Finding,
    RunFacts,
    finite,
    loss_site,
    middle,
    shape_of,
    site,
    unique,
)


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
