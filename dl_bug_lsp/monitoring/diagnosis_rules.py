"""The rules of diagnosis: what in a recorded run speaks for which fault, and where.

A rule measures: each `Finding` carries an amount, the larger the worse; `diagnosis` compares it
with the rule's threshold, which is data (``diagnosis_weights.json``), learned on clean and faulty
runs. Amounts of structural rules are 0 or 1. Sources: the paper or page on which a rule rests
stands with it in `RULES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dl_bug_lsp.monitoring import diagnosis_data as data
from dl_bug_lsp.monitoring import diagnosis_layers as layers
from dl_bug_lsp.monitoring import diagnosis_loop as loop
from dl_bug_lsp.monitoring import diagnosis_objectives as objectives
from dl_bug_lsp.monitoring.diagnosis_facts import Finding, RunFacts

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
