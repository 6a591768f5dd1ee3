"""The list of the training rules, with the categories that each explains."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.training_rules import (
    computed_metrics,
    data,
    evaluation,
    generative,
    hyperparameters,
    inputs_and_targets,
    jax,
    loop,
    loss_computation,
    lost_values,
    models_and_losses,
    numerics,
    optimizer_steps,
    optimizers,
    schedulers,
)
from dl_bug_lsp.evidence.training_rules.program import Training, TrainingRule, clues_of

LEARNS_NOTHING = frozenset({"loss_stagnation", "accuracy_at_chance", "dead_gradients"})
NUMERIC = frozenset({"loss_nan", "loss_divergence"})
OVERFITS = frozenset({"overfitting"})
SILENT = LEARNS_NOTHING | NUMERIC | OVERFITS

RULES: tuple[tuple[TrainingRule, frozenset[str]], ...] = (
    (hyperparameters.find_rates, LEARNS_NOTHING | NUMERIC),
    (schedulers.find_schedules, LEARNS_NOTHING | {"loss_divergence"}),
    (models_and_losses.find_losses, LEARNS_NOTHING | NUMERIC),
    (models_and_losses.find_keras, LEARNS_NOTHING | NUMERIC),
    (models_and_losses.find_models, LEARNS_NOTHING | NUMERIC),
    (optimizers.find, LEARNS_NOTHING | {"loss_divergence"}),
    (optimizers.find_unregistered, LEARNS_NOTHING | {"loss_divergence"}),
    (loop.find_loop, LEARNS_NOTHING | {"loss_divergence"}),
    (loop.find_accumulation, LEARNS_NOTHING | {"loss_divergence"}),
    (loop.find_gradients, LEARNS_NOTHING | {"loss_divergence"}),
    (jax.find, LEARNS_NOTHING | {"loss_divergence"}),
    (data.find_data, SILENT),
    (data.find_samples, SILENT),
    (inputs_and_targets.find, SILENT),
    (data.find_encoding, SILENT),
    (data.find_codes, SILENT),
    (data.find_shared_arrays, LEARNS_NOTHING | {"loss_divergence"}),
    (numerics.find_numerics, NUMERIC),
    (numerics.find_missing, NUMERIC),
    (evaluation.find_overfit, OVERFITS),
    (evaluation.find_splits, OVERFITS),
    (lost_values.find, SILENT),
    (optimizer_steps.find, SILENT),
    (loss_computation.find, SILENT),
    (generative.find, SILENT),
    (evaluation.find, SILENT),
    (computed_metrics.find, SILENT),
    (loop.find_warnings, SILENT),
)
"""Each group of rules with the categories that it explains; elsewhere its clues do not count."""


QUALITY = re.compile(
    r"(?i)\b(?:\w+_)?(?:acc(?:uracy)?|wer|cer|auc|auroc|f1|iou|m?ap|bleu|rouge|dice|psnr|r2|recall|precision"
    r"|score|reward|return|perplexity|ppl|(?:success|error|hit|win) ?_?rate|loss|mae|rmse|mse"
    r"|policy|agent|solve[sd]?|not (?:converge|learn)\w*|forecasts?|predictions?|skill)\b"
)
"""Words for how good a model is."""
FALLS_SHORT = re.compile(
    r"(?i)\d\S*\s*(?:<=?|>=?"
    r"|(?:is |was )?(?:above|below|under|over|less|more|lower|higher|worse)\b)"
    r"|\b(?:too (?:low|high|bad)|below|above|under|not (?:reached|good enough)|at least|only"
    r"|required?|expected|want(?:ed|s)?|needs?|target|worse)\b.{0,40}\d"
)
"""How a program says that a number of its own is on the wrong side of a bound."""


def fails_quality_check(case: Case) -> bool:
    """Say whether the program itself found that its model is not good enough.

    The failure is one of its own statements (``assert rate >= target``) and speaks of a metric:
    what keeps the model from learning is asked for then, as where no error was raised.
    """
    cause = case.failure.cause
    if cause is None or not case.places or not case.failure.frames:
        return False
    last = case.located[-1][1]
    if last is None:
        return False
    return bool(QUALITY.search(case.message) and FALLS_SHORT.search(case.message))


def find(case: Case) -> Iterator[Clue]:
    """Yield what may keep the model from learning, for categories that show in metrics alone."""
    # Where a recording shows what is wrong, `monitored` asks the rules that explain it.
    if case.diagnosis is not None:
        return
    category = case.category.id
    if category not in SILENT:
        if not fails_quality_check(case):
            return
        category = "accuracy_at_chance"
    training = Training(case).of_category(category)
    rules = [rule for rule, categories in RULES if category in categories]
    clues = [clue for rule in rules for clue in clues_of(rule, training)]
    warnings = {
        (clue.file, clue.line): clue.why for clue in clues if clue.why.startswith(loop.WARNED)
    }
    for clue in clues:
        # Of one kind of clue a line shows only one: what the log says must not be lost.
        warning = warnings.get((clue.file, clue.line), clue.why)
        yield clue if warning == clue.why else replace(clue, why=f"{clue.why}; {warning}")
