"""What is wrong with a recorded training that ended well: one kind of fault, with its findings.

A rule measures: each `Finding` carries an amount, the larger the worse; the rule's threshold says
whether it fires. Amounts of structural rules are 0 or 1. Sources: the paper or page on which a rule
rests stands with it in `RULES`.

Beside the rules stands a classifier over the same amounts and over what the loss did: a multinomial
logistic regression in the manner of DeepFD (Cao et al., ICSE 2022) and DEFault (Saha et al., 2025),
which names the fault from features of a run. Its weights and all thresholds are data
(``diagnosis_weights.json``), learned on clean and faulty runs by
``benchmarks/train_monitoring.py``. A rule that may be harmless counts only where the classifier,
too, does not take the run for a healthy one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from typing import Any

from dl_bug_lsp.monitoring import diagnosis_layers as layers
from dl_bug_lsp.monitoring import diagnosis_loop as loop
from dl_bug_lsp.monitoring import diagnosis_objectives as data
from dl_bug_lsp.monitoring import diagnosis_objectives as objectives
from dl_bug_lsp.monitoring.diagnosis_facts import Finding, RunFacts, Site, finite, middle, slope
from dl_bug_lsp.monitoring.diagnosis_invariants import Relation, Violation, violations
from dl_bug_lsp.monitoring.training_run import Recording, Run

Measure = Callable[[RunFacts], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its id, the kind of fault, the measure, its source; whether it is exact."""

    id: str
    kind: str
    measure: Measure
    source: str
    is_certain: bool = False
    needs_harm: bool = False
    """Counts only where the run also shows that it has not learned."""


PYTORCH = "PyTorch documentation"
RULES: tuple[Rule, ...] = (
    Rule("loop.zero_grad_missing", "zero_grad_missing", loop.zero_grad_missing,
         f"{PYTORCH}, Zeroing out gradients; UMLAUT (CHI 2021)", is_certain=True),
    Rule("loop.step_missing", "step_missing", loop.step_missing,
         f"{PYTORCH}, torch.optim; TrainCheck (OSDI 2025)", is_certain=True),
    Rule("loop.backward_missing", "backward_missing", loop.backward_missing,
         f"{PYTORCH}, Autograd mechanics", is_certain=True),
    Rule("gradients.graph_cut", "graph_cut", loop.graph_cut, f"{PYTORCH}, Tensor.detach",
         is_certain=True),
    Rule("parameters.frozen", "frozen_layers", loop.frozen, "DeepCrime (ISSTA 2021); PyTorch, "
         "Transfer learning tutorial", needs_harm=True),
    Rule("parameters.frozen_untrained", "frozen_layers", loop.frozen_untrained,
         "DeepCrime (ISSTA 2021); He et al. (ICCV 2015): first weights"),
    Rule("parameters.outside_optimizer", "parameters_outside_optimizer", loop.outside_optimizer,
         f"{PYTORCH}, torch.optim: Constructing it", is_certain=True),
    Rule("parameters.other_copy", "optimizer_of_other_copy", loop.other_copy,
         "TrainCheck (OSDI 2025)", is_certain=True),
    Rule("modes.evaluation_in_train_mode", "evaluation_in_train_mode",
         loop.evaluation_in_train_mode,
         f"{PYTORCH}, Module.eval", is_certain=True),
    Rule("modes.training_in_eval_mode", "training_in_eval_mode", loop.training_in_eval_mode,
         f"{PYTORCH}, Module.train"),
    Rule("loop.accumulated_graph", "accumulated_graph", loop.accumulated_graph,
         f"{PYTORCH}, FAQ: memory usage grows", is_certain=True),
    Rule("rates.scheduler_per_step", "scheduler_per_step", loop.scheduler_per_step,
         f"{PYTORCH}, How to adjust learning rate"),
    Rule("loss.double_softmax", "double_softmax", objectives.double_softmax,
         "Humbatova et al. (ICSE 2020); PyTorch, CrossEntropyLoss", is_certain=True),
    Rule("loss.output_activation", "output_activation", objectives.output_activation,
         "DeepDiagnosis (ICSE 2022): activation against loss"),
    Rule("loss.wrong", "wrong_loss", objectives.wrong_loss,
         "NeuraLint (TOSEM 2021); DeepFD (ICSE 2022)"),
    Rule("loss.sign", "loss_sign", objectives.loss_sign,
         "Zhang et al. (ISSTA 2018)", is_certain=True),
    Rule("loss.broadcast", "broadcast_shapes", objectives.broadcast_shapes,
         f"{PYTORCH}, mse_loss: broadcasting", is_certain=True),
    Rule("rates.high", "learning_rate_high", objectives.rate_high,
         "Karpathy, CS231n: ratio of updates to weights; AUTOTRAINER (ICSE 2021)",
         needs_harm=True),
    Rule("rates.low", "learning_rate_low", objectives.rate_low,
         "Karpathy, CS231n: ratio of updates to weights; AUTOTRAINER (ICSE 2021)",
         needs_harm=True),
    Rule("rates.warm_up", "learning_rate_low", objectives.warm_up,
         "Goyal et al., Accurate, Large Minibatch SGD (2017): gradual warm-up"),
    Rule("loss.jumps", "learning_rate_high", objectives.loss_jumps,
         "AUTOTRAINER (ICSE 2021): oscillating loss",
         needs_harm=True),
    Rule("loss.not_a_number", "", objectives.loss_not_a_number, "DeepLocalize (ICSE 2021)"),
    Rule("layers.initialisation", "bad_initialisation", layers.bad_initialisation,
         "Glorot and Bengio (AISTATS 2010); DeepCrime", needs_harm=True),
    Rule("layers.large_weights", "bad_initialisation", lambda facts: iter(()),
         "He et al. (ICCV 2015)", needs_harm=True),
    Rule("gradients.vanishing", "vanishing_gradients", layers.vanishing,
         "DeepDiagnosis (ICSE 2022); AUTOTRAINER (ICSE 2021)", needs_harm=True),
    Rule("gradients.exploding", "learning_rate_high", layers.exploding,
         "DeepDiagnosis (ICSE 2022); AUTOTRAINER (ICSE 2021)", needs_harm=True),
    Rule("layers.dying_relu", "dying_relu", layers.dying,
         "Lu et al. (2019); AUTOTRAINER (ICSE 2021)",
         needs_harm=True),
    Rule("layers.saturated", "vanishing_gradients", layers.saturated, "DeepDiagnosis (ICSE 2022)",
         needs_harm=True),
    Rule("layers.sigmoid_hidden", "vanishing_gradients", layers.sigmoid_hidden,
         "Glorot and Bengio (AISTATS 2010); NeuraLint (TOSEM 2021)", needs_harm=True),
    Rule("layers.activation_missing", "hidden_activation_missing", layers.activation_missing,
         "NeuraLint (TOSEM 2021); UMLAUT (CHI 2021): missing activations"),
    Rule("data.not_normalised", "inputs_not_normalised", data.not_normalised,
         "UMLAUT (CHI 2021): input not normalised; DeepDiagnosis", needs_harm=True),
    Rule("data.tiny_inputs", "inputs_not_normalised", data.tiny_inputs, "UMLAUT (CHI 2021)",
         needs_harm=True),
    Rule("data.bad_values", "bad_values_in_data", data.bad_values, "DeepLocalize (ICSE 2021)",
         is_certain=True),
    Rule("data.sudden_nan", "bad_values_in_data", data.sudden_nan, "DeepLocalize (ICSE 2021)"),
    Rule("data.constant_inputs", "constant_inputs", data.constant_inputs, "DeepCrime (ISSTA 2021)"),
    Rule("data.constant_labels", "constant_labels", data.constant_labels, "DeepCrime (ISSTA 2021)"),
    Rule("data.not_shuffled", "not_shuffled", data.not_shuffled, "UMLAUT (CHI 2021)"),
    Rule("data.same_order", "not_shuffled", data.same_order,
         f"{PYTORCH}, DataLoader", needs_harm=True),
    Rule("data.leaking", "leaking_data", data.leaking,
         "UMLAUT (CHI 2021); Kaufman et al. (KDD 2011)"),
    Rule("optimizer.weight_decay", "regularisation_high", layers.decay_high,
         "DeepCrime (ISSTA 2021)",
         needs_harm=True),
    Rule("layers.dropout", "regularisation_high", layers.dropout_high,
         "UMLAUT (CHI 2021): high dropout",
         needs_harm=True),
    Rule("gradients.clipped_away", "gradients_clipped_away", layers.clipped_away,
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


# ---------------------------------------------------------------------- the diagnosis
HEALTHY = "healthy"
KINDS: dict[str, tuple[str, str]] = {
    "zero_grad_missing": ("gradients are not set to zero", "training_fault"),
    "step_missing": ("the optimizer never steps", "training_fault"),
    "backward_missing": ("no gradients are computed", "training_fault"),
    "graph_cut": ("the graph is cut", "dead_gradients"),
    "frozen_layers": ("layers are frozen", "training_fault"),
    "parameters_outside_optimizer": ("parameters are in no optimizer", "training_fault"),
    "optimizer_of_other_copy": ("the optimizer holds another model", "training_fault"),
    "evaluation_in_train_mode": ("evaluation runs in training mode", "training_fault"),
    "training_in_eval_mode": ("training runs in evaluation mode", "training_fault"),
    "accumulated_graph": ("graphs of past steps are kept", "training_fault"),
    "scheduler_per_step": ("the schedule steps with each batch", "training_fault"),
    "double_softmax": ("softmax is applied twice", "training_fault"),
    "output_activation": ("the output's activation does not fit", "training_fault"),
    "wrong_loss": ("the loss function does not fit", "training_fault"),
    "loss_sign": ("the loss has the wrong sign", "loss_divergence"),
    "broadcast_shapes": ("predictions are compared with all targets", "training_fault"),
    "learning_rate_high": ("the learning rate is too high", "training_fault"),
    "learning_rate_low": ("the learning rate is too low", "loss_stagnation"),
    "bad_initialisation": ("first weights are unusable", "training_fault"),
    "vanishing_gradients": ("gradients vanish", "dead_gradients"),
    "dying_relu": ("rectified units are dead", "dead_gradients"),
    "hidden_activation_missing": ("hidden layers have no activation", "training_fault"),
    "inputs_not_normalised": ("inputs are not scaled", "training_fault"),
    "bad_values_in_data": ("the data hold NaN or infinity", "loss_nan"),
    "constant_inputs": ("inputs do not differ", "training_fault"),
    "constant_labels": ("labels do not differ", "training_fault"),
    "not_shuffled": ("rows come sorted", "training_fault"),
    "labels_misaligned": ("labels do not belong to their inputs", "accuracy_at_chance"),
    "leaking_data": ("evaluation uses rows that were trained on", "training_fault"),
    "regularisation_high": ("regularisation is too strong", "training_fault"),
    "gradients_clipped_away": ("clipping leaves no gradients", "training_fault"),
}
"""The kinds of fault: a few words, and the category of failures where the loss tells no other."""

FOLLOWS: dict[str, tuple[str, ...]] = {
    "loss.not_a_number": ("learning_rate_high", "bad_values_in_data", "inputs_not_normalised",
                          "bad_initialisation", "loss_sign", "wrong_loss", "zero_grad_missing"),
    "gradients.exploding": ("learning_rate_high", "inputs_not_normalised", "bad_initialisation",
                            "loss_sign", "zero_grad_missing", "broadcast_shapes"),
    "loss.jumps": ("learning_rate_high", "inputs_not_normalised", "zero_grad_missing", "loss_sign",
                   "bad_initialisation"),
    "layers.dying_relu": ("learning_rate_high", "inputs_not_normalised", "bad_initialisation",
                          "loss_sign", "zero_grad_missing", "constant_inputs", "wrong_loss"),
    "layers.saturated": ("learning_rate_high", "inputs_not_normalised", "bad_initialisation",
                         "loss_sign", "output_activation", "constant_labels"),
    "gradients.vanishing": ("bad_initialisation", "learning_rate_high", "constant_inputs",
                            "output_activation", "double_softmax", "constant_labels", "loss_sign",
                            "inputs_not_normalised", "dying_relu", "graph_cut",
                            "regularisation_high"),
    "rates.low": ("gradients_clipped_away", "vanishing_gradients", "graph_cut", "dying_relu",
                  "step_missing", "backward_missing", "frozen_layers", "scheduler_per_step",
                  "output_activation", "optimizer_of_other_copy", "bad_initialisation",
                  "constant_labels", "wrong_loss"),
    "rates.high": ("bad_initialisation", "zero_grad_missing"),
    # The first batches of sorted rows have one label.
    "data.constant_labels": ("not_shuffled",),
    # What runs in evaluation mode is looked at less closely.
    "layers.activation_missing": ("training_in_eval_mode",),
}  # fmt: skip
"""What a symptom may follow from: where one of these kinds is found, the symptom is no cause."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong with a run.

    ``kind`` is a key of `KINDS`, ``category`` an id of ``categories.toml``, ``confidence`` lies
    between 0 and 1. ``findings`` are what speaks for it, the cause first, then what follows from it
    in the order of steps. ``others`` are further kinds with their probability, likeliest first.
    ``rates`` are the learning rates that the recording saw; none where it saw no optimizer.
    """

    run: int
    kind: str
    category: str
    confidence: float
    why: str
    findings: tuple[Finding, ...]
    others: tuple[tuple[str, float], ...] = ()
    rates: frozenset[float] = frozenset()

    @property
    def sites(self) -> tuple[Site, ...]:
        """The lines of the cause, the likeliest first."""
        return self.findings[0].sites if self.findings else ()


# ---------------------------------------------------------------------- features
def _log(value: float | None, low: float = -12.0, high: float = 12.0) -> float | None:
    if value is None or math.isnan(value):
        return None
    if value <= 0:
        return low
    return max(low, min(high, math.log10(value))) if math.isfinite(value) else high


def _slope(losses: Sequence[float], level: float) -> float | None:
    """Return what losses rise by from first to last, by their level; between -1 and 1."""
    if level == 0 or len(losses) < 4:
        return None
    return max(-1.0, min(1.0, slope(losses) * len(losses) / level))


def features(facts: RunFacts, findings: Sequence[Finding]) -> dict[str, float]:
    """Return the features of a run by name; what is not known is left out."""
    amounts = {f.rule: f.amount for f in findings}
    losses = finite(facts.losses)
    half = losses[len(losses) // 2 :]
    level = abs(middle(half) or 0.0)
    steps = [abs(b - a) for a, b in pairwise(half)]
    rough = middle(steps)
    known: dict[str, float | None] = {
        "loss.bad": float(facts.first_bad_step is not None),
        "loss.drop": None if facts.drop is None else max(-3.0, min(1.0, facts.drop)),
        "loss.relative": None if facts.relative_loss is None else _log(facts.relative_loss, -4, 4),
        "loss.peak": _log(facts.peak, 0.0, 6.0),
        "loss.rough": None if not level or rough is None else min(2.0, rough / level),
        "loss.slope": _slope(half, level),
        "loss.negative": float(bool(losses) and sum(v < 0 for v in losses) > len(losses) / 2),
        "loss.end_zero": float(bool(losses) and level < 1e-6),
        "run.adversarial": float(facts.is_adversarial),
        "score.accuracy": facts.accuracy,
        "rate.end": _log(facts.rates[-1] if facts.rates else None, -9, 2),
    }  # fmt: skip
    if facts.accuracy is not None and facts.largest_class is not None:
        known["score.above_chance"] = facts.accuracy - facts.largest_class
    ratios = [middle(r for _, r in rows) for rows in facts.update_ratios.values()]
    known["updates.middle"] = _log(middle(ratios), -9, 2)
    gradients = [level for _, level in facts.gradient_levels]
    known["gradients.middle"] = _log(middle(gradients), -12, 4)
    zeros = [s.zeros for layer in facts.trained for s in facts.of(layer, "gradient")]
    known["gradients.zeros"] = middle(zeros)
    last = facts.layers[-1] if facts.layers else None
    if last is not None:
        spread = middle(s.std for s in facts.of(last, "activation"))
        known["output.spread"] = _log(spread, -6, 4)
    for rule in (*(r.id for r in RULES), "layers.large_weights"):
        if rule in amounts:
            amount = amounts[rule]
            wide = rule in LOGARITHMIC
            known[rule] = _log(amount, -6, 6) if wide else max(-10.0, min(10.0, amount))
    return {name: value for name, value in known.items() if value is not None}


LOGARITHMIC = frozenset(
    {"rates.high", "loss.jumps", "gradients.exploding", "data.not_normalised",
     "layers.large_weights", "optimizer.weight_decay"}
)  # fmt: skip
"""Amounts that are compared by their order of magnitude."""


# ---------------------------------------------------------------------- weights
@dataclass(frozen=True, slots=True)
class Model:
    """Thresholds of rules, their precision, and the classifier over features."""

    thresholds: Mapping[str, float]
    precision: Mapping[str, float]
    names: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    classes: tuple[str, ...]
    weights: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]
    least_fault: float = 0.5
    """The probability of a fault from which on the classifier alone is believed."""
    least_harm: float = 0.5
    """The same where a rule fires that may be harmless."""

    def probabilities(self, known: Mapping[str, float]) -> dict[str, float]:
        """Return the probability of each kind and of a healthy run."""
        if not self.classes:
            return {HEALTHY: 0.5}
        values = [
            (known[name] - mean) / scale if name in known else 0.0
            for name, mean, scale in zip(self.names, self.means, self.scales, strict=True)
        ]
        scores = [
            intercept + math.fsum(w * v for w, v in zip(row, values, strict=True))
            for row, intercept in zip(self.weights, self.intercepts, strict=True)
        ]
        top = max(scores)
        powers = [math.exp(s - top) for s in scores]
        total = math.fsum(powers)
        return {name: p / total for name, p in zip(self.classes, powers, strict=True)}


def model_from(data: Mapping[str, Any]) -> Model:
    """Make a model of the data file's content."""
    return Model(
        data["thresholds"],
        data["precision"],
        tuple(data["names"]),
        tuple(data["means"]),
        tuple(data["scales"]),
        tuple(data["classes"]),
        tuple(tuple(row) for row in data["weights"]),
        tuple(data["intercepts"]),
        data["least_fault"],
        data["least_harm"],
    )


@lru_cache(maxsize=1)
def shipped_model() -> Model:
    """Return the model that ships with the package."""
    file = resources.files("dl_bug_lsp.monitoring").joinpath("diagnosis_weights.json")
    return model_from(json.loads(file.read_text("utf-8")))


# ---------------------------------------------------------------------- the diagnosis
FEW_STEPS = 4
"""Of fewer steps nothing is said but what is certain."""
_RULES = {rule.id: rule for rule in RULES}
SURE = 0.97
UNKNOWN_PRECISION = 0.6


def diagnose(
    run: Run, model: Model | None = None, known_relations: Mapping[str, Relation] | None = None
) -> Diagnosis | None:
    """Say what is wrong with a run, or None where nothing is, or where too little is known.

    ``known_relations`` are the invariants of the program's clean runs. What the run breaks of them
    is a finding beside the others; alone it is no fault, as programs are changed on purpose.
    """
    model = model or shipped_model()
    facts = RunFacts(run)
    findings = measured(facts)
    known = features(facts, findings)
    chances = model.probabilities(known)
    fault = max(1.0 - chances.get(HEALTHY, 0.0), least_chance(facts))
    broken = violations(run, known_relations) if known_relations else ()
    if broken:
        fault = max(fault, DEVIATING)
    scores: dict[str, float] = {}
    fired: list[Finding] = []
    for finding in findings:
        rule = _RULES[finding.rule]
        if finding.amount < model.thresholds.get(rule.id, 0.5):
            continue
        if len(facts.steps) < FEW_STEPS and not rule.is_certain:
            continue
        if rule.needs_harm and (fault < model.least_harm or facts.is_adversarial):
            continue
        fired.append(finding)
        if not rule.kind:
            continue
        sure = SURE if rule.is_certain else model.precision.get(rule.id, UNKNOWN_PRECISION)
        scores[rule.kind] = max(scores.get(rule.kind, 0.0), sure)
    _lower_symptoms(scores, fired)
    alone = fault >= model.least_fault and len(facts.steps) >= FEW_STEPS
    alone = alone and not facts.is_adversarial
    if not scores and not alone:
        return None
    if not scores and all(k in EXACT or k == HEALTHY for k in chances):
        return None
    total = math.fsum(c for k, c in chances.items() if k != HEALTHY)
    for kind, chance in chances.items():
        if kind != HEALTHY and (kind in scores or (alone and kind not in EXACT)):
            before = scores.get(kind, 0.0)
            measured_only = kind in MEASURED and kind not in scores
            part = BESIDE * (UNFIRED if measured_only else 1.0)
            scores[kind] = before + (1.0 - before) * part * chance / (total or 1.0)
    ranked = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    kind, score = ranked[0]
    own = [f for f in findings if _RULES[f.rule].kind == kind]
    # Amounts of different rules do not compare; what is usually right leads.
    own.sort(key=lambda f: (f not in fired, -model.precision.get(f.rule, 0.0), -f.amount))
    cause = own[0] if own else _by_classifier(kind, facts)
    rest = [f for f in fired if f.rule in FOLLOWS or not _RULES[f.rule].kind]
    rest = sorted((f for f in rest if f is not cause), key=lambda f: (f.step, f.rule))
    rest += [_deviation(v) for v in broken[:MOST_DEVIATIONS]]
    confidence = round(min(SURE, score * (1.0 if cause in fired else fault)), 3)
    if cause not in fired:
        cause = replace(cause, why=f"the run behaves like one in which {KINDS[kind][0]}")
    return Diagnosis(
        run.number,
        kind,
        _category(kind, facts),
        confidence,
        _sentence(cause, rest),
        (cause, *rest),
        tuple((k, round(s, 3)) for k, s in ranked[1:4]),
        facts.all_rates,
    )


def _lower_symptoms(scores: dict[str, float], fired: Sequence[Finding]) -> None:
    """Let kinds whose symptom follows from another kind that was found count less than that one."""
    kinds = set(scores)
    for finding in fired:
        kind = _RULES[finding.rule].kind
        causes = [c for c in FOLLOWS.get(finding.rule, ()) if c in kinds and c != kind]
        if kind and causes:
            surest = max(scores[c] for c in causes)
            scores[kind] = min(FOLLOWING * scores[kind], BELOW * surest)


FOLLOWING, BELOW = 0.6, 0.95
NOTHING_LEARNT, HARDLY_LEARNT = 1.15, 0.97
"""Losses at the end, by that of a model that knows no inputs: worse than it, and as bad as it."""


def least_chance(facts: RunFacts) -> float:
    """Return the least probability of a fault, by what the loss alone says beyond doubt."""
    if facts.first_bad_step is not None:
        return 0.97
    if facts.is_adversarial or len(facts.losses) < 10:
        return 0.0
    relative, drop = facts.relative_loss, facts.drop
    if relative is not None and relative > NOTHING_LEARNT:
        return 0.95
    if drop is not None and drop < -RISEN and (facts.start or 0) > 0 and relative is not None:
        return 0.95
    if relative is not None and relative > HARDLY_LEARNT:
        return 0.9
    return 0.0


EXACT = frozenset(
    {rule.kind for rule in RULES if rule.is_certain} | {"scheduler_per_step", "frozen_layers"}
)
"""Kinds that a rule sees exactly: how a run behaves says nothing of them beyond the rule."""
BESIDE = 0.85
"""How far the classifier alone may lift a kind."""
UNFIRED = 0.6
"""The same for a kind that a rule measures and did not see."""
MEASURED = frozenset(rule.kind for rule in RULES if rule.kind)


DEVIATING = 0.6
"""The least probability of a fault in a run that breaks what held in the program's clean runs."""
MOST_DEVIATIONS = 3


def _deviation(violation: Violation) -> Finding:
    times = f"in {violation.runs} clean runs" if violation.runs > 1 else "in a clean run"
    why = f"{times} {violation.expected}; here: {violation.seen}"
    return Finding(f"invariant.{violation.key}", 1.0, why, 0, "", violation.sites)


def diagnose_recording(
    recording: Recording, known: Mapping[str, Mapping[str, Relation]] | None = None
) -> Diagnosis | None:
    """Return the surest diagnosis of the runs of a recording.

    ``known`` holds the invariants of programs (`diagnosis_invariants.read_invariants`).
    """
    diagnoses = []
    for run in recording.runs:
        own = (known or {}).get(run.process.program or run.process.command)
        diagnosis = diagnose(run, None, own)
        diagnoses.extend([diagnosis] if diagnosis is not None else [])
    return max(diagnoses, key=lambda d: d.confidence, default=None)


def _by_classifier(kind: str, facts: RunFacts) -> Finding:
    """Return a finding for a kind that no rule measures, with the lines that it concerns."""
    sites: tuple[Site, ...]
    if kind in ("labels_misaligned", "not_shuffled", "constant_inputs", "inputs_not_normalised"):
        sites, hint = facts.data_sites, "labels" if kind == "labels_misaligned" else "data"
    elif kind in ("learning_rate_high", "learning_rate_low", "regularisation_high"):
        sites, hint = facts.rate_sites, "lr"
    elif kind in ("wrong_loss", "output_activation", "loss_sign", "double_softmax"):
        call = facts.training_loss
        sites = (Site(call.file, call.line),) if call is not None and call.line else ()
        hint = "loss"
    else:
        places = (facts.place(x) for x in facts.weighted)
        sites, hint = tuple(dict.fromkeys(s for s in places if s is not None)), "init"
    return Finding(f"classifier.{kind}", 0.0, KINDS[kind][0], 0, "", sites, hint)


def _category(kind: str, facts: RunFacts) -> str:
    """Return the category of failures: what the loss shows, else what the kind stands for."""
    if facts.first_bad_step is not None:
        return "loss_nan"
    named = KINDS[kind][1]
    drop = facts.drop
    if named != "training_fault" or drop is None or facts.is_adversarial:
        return named
    if drop < -RISEN and (facts.start or 0) > 0:
        return "loss_divergence"
    if abs(drop) < STANDS:
        return "loss_stagnation"
    return named


RISEN = 0.3
"""A loss that ends a third above its start diverges, as in `signals.diagnosis`."""
STANDS = 0.05


def _sentence(cause: Finding, rest: Sequence[Finding]) -> str:
    after = [f.why for f in rest if f.rule in FOLLOWS][:1]
    return f"{cause.why}; then {after[0]}" if after else cause.why
