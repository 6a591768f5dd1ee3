"""Learn the thresholds and the classifier of `dl_bug_lsp.monitoring.diagnosis` from recorded runs.

    python benchmarks/train_monitoring.py [--write]

Reads the seen half of ``.factory/monitored`` (``monitored.recording`` makes it); the blind half is
never opened. A measured rule's threshold lies between the largest amount of clean runs and the
amounts of runs with its kind of fault (geometric mean for orders of magnitude); it is never below
what clean runs show. The classifier is a multinomial logistic regression with an L2 penalty;
figures are printed with each program left out in turn.
"""

from __future__ import annotations

import argparse
import json
import math
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from monitored.reading import Recorded, cases
from sklearn.linear_model import LogisticRegression

from dl_bug_lsp.monitoring.diagnosis import (
    EXACT,
    HEALTHY,
    KINDS,
    LOGARITHMIC,
    RULES,
    Diagnosis,
    Model,
    diagnose,
    features,
    measured,
    model_from,
)
from dl_bug_lsp.monitoring.diagnosis_facts import Finding, RunFacts
from dl_bug_lsp.monitoring.training_run import Run

ROOT = Path(__file__).resolve().parents[1]
STORE = ROOT / ".factory" / "monitored"
TARGET = ROOT / "dl_bug_lsp" / "monitoring" / "diagnosis_weights.json"
PENALTY = 0.25
PRIORS: dict[str, float] = {
    "rates.high": 0.1, "rates.low": 2.0, "rates.warm_up": 0.8,
    "loss.jumps": 4.0, "gradients.exploding": 20.0,
    "gradients.vanishing": 4.0, "layers.dying_relu": 0.75, "layers.saturated": 0.6,
    "layers.sigmoid_hidden": 2.0,
    "layers.large_weights": 6.0, "data.not_normalised": 8.0, "data.tiny_inputs": 2.0,
    "data.constant_inputs": 0.97, "data.constant_labels": 0.97, "data.not_shuffled": 0.6,
    "optimizer.weight_decay": 0.6, "layers.dropout": 0.75, "gradients.clipped_away": 2.5,
    "layers.activation_missing": 0.6, "parameters.frozen": 0.3, "parameters.frozen_untrained": 0.2,
    "data.leaking": 0.3,
    "layers.initialisation": 0.3, "modes.training_in_eval_mode": 0.6,
}  # fmt: skip
"""Thresholds where runs do not tell; from the rules' sources, rounded."""


class Example:
    """A recorded run with what the rules measured."""

    def __init__(self, case: Recorded, run: Run) -> None:
        self.case, self.run = case, run
        facts = RunFacts(run)
        self.findings: tuple[Finding, ...] = measured(facts)
        self.amounts = {f.rule: f.amount for f in self.findings}
        self.features = features(facts, self.findings)
        self.kind = case.kind or HEALTHY
        self.program: str = case.truth["program"]


def examples(store: Path, half: str) -> list[Example]:
    """Read the runs of a half; of several in one case the one with most steps."""
    found = []
    for case in cases(store, half):
        runs = case.runs()
        if runs:
            found.append(Example(case, max(runs, key=lambda r: r.process.steps or 0)))
    return found


def threshold(rule: str, kind: str, seen: list[Example]) -> float:
    """Return a rule's threshold between clean runs and runs with its kind of fault."""
    prior = PRIORS.get(rule)
    if prior is None:
        return 0.5
    clean = [e.amounts[rule] for e in seen if e.kind == HEALTHY and rule in e.amounts]
    faulty = sorted(e.amounts[rule] for e in seen if e.kind == kind and rule in e.amounts)
    highest = max(clean, default=0.0)
    above = [a for a in faulty if a > highest]
    if not above:
        return round(max(prior, highest * 1.2 if highest > 0 else prior), 4)
    lowest = above[0]
    if rule in LOGARITHMIC and highest > 0:
        middle = math.sqrt(highest * lowest)
    else:
        middle = (highest + lowest) / 2
    # Few runs leave a wide gap: the prior counts where it lies in it.
    return round(min(max(prior, highest + 0.25 * (lowest - highest)), middle if prior < middle else
                     max(middle, min(prior, lowest))), 4)  # fmt: skip


def learn(seen: list[Example]) -> dict[str, Any]:
    """Return the data of a model."""
    thresholds = {r.id: threshold(r.id, r.kind, seen) for r in RULES}
    precision = {}
    for rule in RULES:
        fired = [e for e in seen if e.amounts.get(rule.id, -9e9) >= thresholds[rule.id]]
        right = sum(e.kind == rule.kind for e in fired)
        precision[rule.id] = round(min(0.95, (right + 1.0) / (len(fired) + 1.6)), 3)
    seen = [e for e in seen if e.kind not in EXACT]
    names = sorted({name for e in seen for name in e.features})
    means, scales = {}, {}
    for name in names:
        values = [e.features[name] for e in seen if name in e.features]
        means[name] = float(np.mean(values))
        scales[name] = float(max(np.std(values), 1e-3))
    matrix = np.array(
        [
            [(e.features[n] - means[n]) / scales[n] if n in e.features else 0.0 for n in names]
            for e in seen
        ]
    )
    kinds = np.array([e.kind for e in seen])
    counts = Counter(kinds)
    # Half of the weight is healthy, so that a kind with few runs is not drowned.
    roots = math.fsum(math.sqrt(c) for kind, c in counts.items() if kind != HEALTHY)
    half = 0.5 * len(kinds)
    weight = np.array(
        [half / counts[k] if k == HEALTHY else half / (math.sqrt(counts[k]) * roots) for k in kinds]
    )
    model = LogisticRegression(C=PENALTY, max_iter=3000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(matrix, kinds, sample_weight=weight)
    return {
        "thresholds": thresholds,
        "precision": precision,
        "names": names,
        "means": [round(means[n], 5) for n in names],
        "scales": [round(scales[n], 5) for n in names],
        "classes": [str(c) for c in model.classes_],
        "weights": [[round(float(w), 4) for w in row] for row in model.coef_],
        "intercepts": [round(float(w), 4) for w in model.intercept_],
        "least_fault": LEAST_FAULT,
        "least_harm": LEAST_HARM,
    }


LEAST_FAULT, LEAST_HARM = 0.9, 0.5


def judged(seen: list[Example], model: Model) -> list[tuple[Example, Diagnosis | None]]:
    """Return what a model says of runs."""
    return [(e, diagnose(e.run, model)) for e in seen]


def left_out(seen: list[Example]) -> list[tuple[Example, Diagnosis | None]]:
    """Return what models say of the programs that they were not trained on."""
    found = []
    for program in sorted({e.program for e in seen}):
        model = model_from(learn([e for e in seen if e.program != program]))
        found.extend(judged([e for e in seen if e.program == program], model))
    return found


def table(results: list[tuple[Example, Diagnosis | None]]) -> str:
    """Return the figures of results: faults found, kinds right, false alarms."""
    faulty = [(e, d) for e, d in results if e.kind != HEALTHY]
    clean = [(e, d) for e, d in results if e.kind == HEALTHY]
    found = sum(d is not None for _, d in faulty)
    right = sum(d is not None and d.kind == e.kind for e, d in faulty)
    alarms = sum(d is not None for _, d in clean)
    return (
        f"{len(faulty)} faulty: found {found / max(1, len(faulty)):.2f}, "
        f"kind {right / max(1, len(faulty)):.2f}; {len(clean)} clean: {alarms} false alarms"
    )


def main() -> None:
    """Print figures and, with ``--write``, store the weights."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--store", type=Path, default=STORE)
    parser.add_argument("--misses", action="store_true")
    chosen = parser.parse_args()
    seen = examples(chosen.store, "seen")
    unknown = sorted({e.kind for e in seen} - {*KINDS, HEALTHY})
    assert not unknown, unknown
    data = learn(seen)
    print("in sample:     ", table(judged(seen, model_from(data))))
    out = left_out(seen)
    print("program left out:", table(out))
    if chosen.misses:
        for example, diagnosis in out:
            said = diagnosis.kind if diagnosis is not None else None
            if said != (None if example.kind == HEALTHY else example.kind):
                shown = (
                    f"{diagnosis.confidence} {diagnosis.others} {diagnosis.why[:90]}"
                    if diagnosis
                    else ""
                )
                print(f"  {example.case.folder.name}: {example.kind} -> {said} {shown}")
    if chosen.write:
        TARGET.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
