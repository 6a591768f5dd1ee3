"""The list of the training rules, with the categories that each explains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.training_rules import (
    alignment,
    data,
    hyperparameters,
    jax,
    loop,
    losses,
    models,
    numerics,
    optimizers,
    overfitting,
)
from dl_bug_lsp.evidence.training_rules.program import Training, TrainingRule, clues_of

LEARNS_NOTHING = frozenset({"loss_stagnation", "accuracy_at_chance", "dead_gradients"})
NUMERIC = frozenset({"loss_nan", "loss_divergence"})
OVERFITS = frozenset({"overfitting"})
SILENT = LEARNS_NOTHING | NUMERIC | OVERFITS

RULES: tuple[tuple[TrainingRule, frozenset[str]], ...] = (
    (hyperparameters.find_rates, LEARNS_NOTHING | NUMERIC),
    (hyperparameters.find_schedules, LEARNS_NOTHING | {"loss_divergence"}),
    (losses.find_losses, LEARNS_NOTHING | NUMERIC),
    (losses.find_keras, LEARNS_NOTHING | NUMERIC),
    (models.find, LEARNS_NOTHING | NUMERIC),
    (optimizers.find, LEARNS_NOTHING | {"loss_divergence"}),
    (loop.find_loop, LEARNS_NOTHING | {"loss_divergence"}),
    (loop.find_accumulation, LEARNS_NOTHING | {"loss_divergence"}),
    (loop.find_gradients, LEARNS_NOTHING | {"loss_divergence"}),
    (jax.find, LEARNS_NOTHING | {"loss_divergence"}),
    (data.find_data, SILENT),
    (data.find_samples, SILENT),
    (alignment.find, SILENT),
    (data.find_encoding, SILENT),
    (data.find_codes, SILENT),
    (numerics.find_numerics, NUMERIC),
    (numerics.find_missing, NUMERIC),
    (overfitting.find_overfit, OVERFITS),
    (overfitting.find_splits, OVERFITS),
    (loop.find_warnings, SILENT),
)
"""Each group of rules with the categories that it explains; elsewhere its clues do not count."""


def find(case: Case) -> Iterator[Clue]:
    """Yield what may keep the model from learning, for categories that show in metrics alone."""
    # Where a recording shows what is wrong, `monitored` asks the rules that explain it.
    if case.category.id not in SILENT or case.diagnosis is not None:
        return
    training = Training(case)
    rules = [rule for rule, categories in RULES if case.category.id in categories]
    clues = [clue for rule in rules for clue in clues_of(rule, training)]
    warnings = {
        (clue.file, clue.line): clue.why for clue in clues if clue.why.startswith(loop.WARNED)
    }
    for clue in clues:
        # Of one kind of clue a line shows only one: what the log says must not be lost.
        warning = warnings.get((clue.file, clue.line), clue.why)
        yield clue if warning == clue.why else replace(clue, why=f"{clue.why}; {warning}")
