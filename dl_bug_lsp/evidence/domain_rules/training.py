"""Why a model does not learn: static rules for silent failures and losses that are no number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules import (
    training_accumulation,
    training_alignment,
    training_data,
    training_encoding,
    training_gradients,
    training_jax,
    training_keras,
    training_loop,
    training_losses,
    training_missing,
    training_models,
    training_numerics,
    training_optimizers,
    training_overfit,
    training_rates,
    training_samples,
    training_schedules,
    training_splits,
    training_warnings,
)
from dl_bug_lsp.evidence.domain_rules.training_program import Training

LEARNS_NOTHING = frozenset({"loss_stagnation", "accuracy_at_chance", "dead_gradients"})
NUMERIC = frozenset({"loss_nan", "loss_divergence"})
OVERFITS = frozenset({"overfitting"})
SILENT = LEARNS_NOTHING | NUMERIC | OVERFITS

TrainingRule = Callable[[Training], Iterator[Clue]]
RULES: tuple[tuple[TrainingRule, frozenset[str]], ...] = (
    (training_rates.find, LEARNS_NOTHING | NUMERIC),
    (training_schedules.find, LEARNS_NOTHING | {"loss_divergence"}),
    (training_losses.find, LEARNS_NOTHING | NUMERIC),
    (training_keras.find, LEARNS_NOTHING | NUMERIC),
    (training_models.find, LEARNS_NOTHING | NUMERIC),
    (training_optimizers.find, LEARNS_NOTHING | {"loss_divergence"}),
    (training_loop.find, LEARNS_NOTHING | {"loss_divergence"}),
    (training_accumulation.find, LEARNS_NOTHING | {"loss_divergence"}),
    (training_gradients.find, LEARNS_NOTHING | {"loss_divergence"}),
    (training_jax.find, LEARNS_NOTHING | {"loss_divergence"}),
    (training_data.find, SILENT),
    (training_samples.find, SILENT),
    (training_alignment.find, SILENT),
    (training_encoding.find, SILENT),
    (training_numerics.find, NUMERIC),
    (training_missing.find, NUMERIC),
    (training_overfit.find, OVERFITS),
    (training_splits.find, OVERFITS),
    (training_warnings.find, SILENT),
)
"""Each group of rules with the categories that it explains; elsewhere its clues count little."""


def find(case: Case) -> Iterator[Clue]:
    """Yield what may keep the model from learning, for categories that show in metrics alone."""
    if case.category.id not in SILENT:
        return
    training = Training(case)
    for rule, categories in RULES:
        for found in _clues(rule, training):
            if case.category.id in categories:
                yield found
            elif found.kind == "training.strong":
                yield replace(found, kind="training.weak")


def _clues(rule: TrainingRule, training: Training) -> Iterator[Clue]:
    """Yield a rule's clues; an expression nested too deep ends the rule, not the run."""
    try:
        yield from rule(training)
    except RecursionError:
        return
