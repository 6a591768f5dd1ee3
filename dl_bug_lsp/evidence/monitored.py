"""The lines of a fault that the recording of a training shows: places, settings, data, definitions.

A diagnosis names lines (a layer's constructor, a call of the loop, the optimizer). From there the
value that is at fault is followed to where it is written, as any other value: a learning rate to
its literal, default or config entry, what a loader draws from to the statements that made it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.training_rules import (
    data,
    evaluation,
    hyperparameters,
    inputs_and_targets,
    loop,
    models_and_losses,
    optimizers,
    schedulers,
)
from dl_bug_lsp.evidence.training_rules.program import Origin, Training, argument, clues_of
from dl_bug_lsp.provenance.nodes import StepKind
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.slices import Step, backward_slice

if TYPE_CHECKING:
    from dl_bug_lsp.monitoring.diagnosis_facts import Finding, Site

Found = tuple[Scope, ast.Call]
ARGUMENTS: dict[str, tuple[int, tuple[str, ...]]] = {
    "lr": (1, ("lr", "learning_rate", "max_lr")),
    "warm_up": (
        -1,
        (
            "warmup_steps",
            "num_warmup_steps",
            "warmup_ratio",
            "warmup_epochs",
            "warmup",
            "num_warmup",
            "warmup_iters",
            "total_iters",
            "start_factor",
        ),
    ),
    "params": (0, ("params", "parameters")),
    "weight_decay": (-1, ("weight_decay",)),
    "p": (0, ("p", "rate")),
    "max_norm": (1, ("max_norm", "clip_value", "gradient_clip_val", "clipnorm")),
    "activation": (-1, ("activation",)),
    "init": (-1, ("kernel_initializer", "bias_initializer")),
    "loss": (-1, ("loss", "loss_fn")),
    "shuffle": (-1, ("shuffle", "sampler")),
    "softmax": (-1, ("loss", "activation", "from_logits")),
}
"""What argument of the recorded call a hint stands for: its position and names."""
RATES = {"lr", "warm_up", "weight_decay", "p", "max_norm"}
OF_DATA = {"scaling", "data", "labels", "split", "shuffle", "nan", "shape"}
DATA_STEPS = 60
FALLING = 0.82
"""What each further line of a finding counts, by the one before."""
WORDS: dict[str, re.Pattern[str]] = {
    "labels": re.compile(r"permut|shuffle|sample|sort|roll|flip|\b(?:y|labels?|targets?)\b", re.I),
    "scaling": re.compile(r"scal|norm|std|mean|/\s*\d|255|max|min", re.I),
    "shuffle": re.compile(r"sort|shuffle|perm|order", re.I),
    "split": re.compile(r"split|train|test|val|\[.*:.*\]", re.I),
    "nan": re.compile(r"nan|inf|/|log|div|missing|fill", re.I),
    "shape": re.compile(r"squeeze|view|reshape|\[:, ?0\]|\[:, ?None\]|tensor\(|from_numpy", re.I),
    "data": re.compile(r"\*|//|zeros|ones|\[0\]|expand|repeat|tile|full", re.I),
}
"""What a statement that makes data is likely to hold where it is at fault."""
RELATED = {
    "learning_rate_high": (hyperparameters.find_rates, schedulers.find_schedules),
    "learning_rate_low": (hyperparameters.find_rates, schedulers.find_schedules),
    "scheduler_per_step": (schedulers.find_schedules,),
    "regularisation_high": (hyperparameters.find_rates, evaluation.find_overfit),
    "gradients_clipped_away": (hyperparameters.find_rates,),
    "zero_grad_missing": (loop.find_loop, loop.find_accumulation),
    "step_missing": (loop.find_loop, loop.find_accumulation),
    "backward_missing": (loop.find_loop, loop.find_gradients),
    "graph_cut": (loop.find_gradients, models_and_losses.find_losses),
    "evaluation_in_train_mode": (loop.find_gradients,),
    "training_in_eval_mode": (loop.find_gradients,),
    "accumulated_graph": (loop.find_accumulation, loop.find_gradients),
    "frozen_layers": (optimizers.find,),
    "parameters_outside_optimizer": (optimizers.find,),
    "optimizer_of_other_copy": (optimizers.find,),
    "double_softmax": (
        models_and_losses.find_losses,
        models_and_losses.find_keras,
        models_and_losses.find_models,
    ),
    "output_activation": (
        models_and_losses.find_losses,
        models_and_losses.find_keras,
        models_and_losses.find_models,
    ),
    "wrong_loss": (models_and_losses.find_losses, models_and_losses.find_keras),
    "broadcast_shapes": (models_and_losses.find_losses, loop.find_warnings),
    "loss_sign": (loop.find_gradients, models_and_losses.find_losses),
    "bad_initialisation": (models_and_losses.find_models,),
    "vanishing_gradients": (models_and_losses.find_models,),
    "dying_relu": (models_and_losses.find_models, hyperparameters.find_rates),
    "hidden_activation_missing": (models_and_losses.find_models,),
    "inputs_not_normalised": (data.find_data, data.find_encoding),
    "not_shuffled": (data.find_data, data.find_samples, inputs_and_targets.find),
    "labels_misaligned": (inputs_and_targets.find, data.find_samples, data.find_data),
    "constant_inputs": (data.find_data, data.find_samples),
    "constant_labels": (data.find_samples, data.find_encoding),
    "leaking_data": (evaluation.find_splits, data.find_encoding),
}
"""The static rules whose clues explain a kind of fault."""


def find(case: Case) -> Iterator[Clue]:
    """Yield the lines of the diagnosis that the recording of a training led to."""
    diagnosis = case.diagnosis
    if diagnosis is None:
        return
    training = Training(case)
    for rule in RELATED.get(diagnosis.kind, ()):
        for rule_clue in clues_of(rule, training):
            level = rule_clue.kind.rpartition(".")[2]
            yield replace(rule_clue, kind=f"monitor.agrees_{level}")
    for number, finding in enumerate(diagnosis.findings[:MOST_FINDINGS]):
        clues = list(_of_finding(training, finding, 1.0 if number == 0 else AFTER))
        recorded = {(clue.file, clue.line) for clue in clues if clue.kind in OF_RECORDING}
        for clue in clues:
            is_recorded = (clue.file, clue.line) in recorded
            relation = RELATIONS.get(clue.kind) if clue.why == finding.why else None
            yield clue if is_recorded or relation is None else replace(clue, why=relation)


OF_RECORDING = ("monitor.place", "monitor.runner")
"""Kinds of the lines that the recording itself names; a runner only starts the training."""
RELATIONS = {
    "monitor.words": "reads like code that may have to do with what was recorded",
    "monitor.beside": "stands beside a line that the recording leads to",
    "monitor.made": "goes into what the recording leads to",
    "monitor.setting": "sets what the recording leads to",
    "monitor.data": "makes data of the recorded training",
    "monitor.data_step": "makes data of the recorded training",
}
"""What is said of lines that the recording itself does not name, by the clue's kind."""


MOST_FINDINGS = 3
AFTER = 0.3
"""What lines of a symptom count by those of the cause."""


def _of_finding(training: Training, finding: Finding, weight: float) -> Iterator[Clue]:
    """Yield the lines of one finding and what the values there were made of."""
    score = weight
    for number, site in enumerate(finding.sites[:8]):
        calls = _calls_at(training, site)
        settings = [
            clue
            for scope, call in calls
            for clue in _argument(training, finding, scope, call, score)
        ]
        if not settings and number == 0:
            # What a trainer makes by itself was given to it elsewhere.
            settings = list(_given_elsewhere(training, finding, score))
        elsewhere = bool(settings) and all(s.line != site.line for s in settings)
        part = RUNS_ONLY if elsewhere and any(_runs(call) for _, call in calls) else 1.0
        kind = "runner" if calls and all(_runs(call) for _, call in calls) else "place"
        yield Clue(f"monitor.{kind}", site.file, site.line, score * part, finding.why)
        yield from settings
        for scope, call in calls:
            yield from _beside(training, finding, scope, call, score)
        if finding.hint in OF_DATA:
            for scope, call in calls:
                yield from _data(training, finding, scope, call, score)
        score *= FALLING
    yield from _by_words(training, finding, weight)
    if finding.hint == "eval":
        yield from _evaluations(training, finding, weight)
    if finding.hint == "shape":
        yield from _returned(training, finding, weight)


def _returned(training: Training, finding: Finding, weight: float) -> Iterator[Clue]:
    """Yield what models return: a dimension too many is left or taken there."""
    for module in training.modules:
        for node in ast.walk(module.node):
            if isinstance(node, ast.FunctionDef) and node.name in ("forward", "call"):
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Return) and inner.value is not None:
                        place = (module.file, inner.value.lineno)
                        yield Clue("monitor.data", *place, 0.9 * weight, finding.why)


RUNS_ONLY = 0.4
"""What a line counts that only runs a trainer, by one that sets what is at fault."""
_RUNNERS = frozenset({"train", "fit", "fit_loop", "run"})


def _runs(call: ast.Call) -> bool:
    """Whether a call runs a training that a trainer's settings describe."""
    return called_name(call) in _RUNNERS


def _given_elsewhere(training: Training, finding: Finding, score: float) -> Iterator[Clue]:
    """Yield where an argument of the hint's names is given to whatever call of the program."""
    if finding.hint not in RATES:
        return
    _, names = ARGUMENTS[finding.hint]
    for scope, call in training.calls:
        origins = training.spread(call, scope, names)
        for given in call.keywords:
            if given.arg in names:
                origins += training.origins(scope, given.value)
        yield from _settings(training, finding, origins, score)


def _settings(
    training: Training, finding: Finding, origins: Iterable[Origin], score: float
) -> Iterator[Clue]:
    """Yield where a number that a finding speaks of is written; a rate that ran, where known."""
    for origin in origins:
        if finding.hint == "lr" and not training.was_recorded(origin.value):
            continue
        why = f"{finding.why}: {origin.value:g} is set here"
        yield Clue("monitor.setting", origin.file, origin.line, score, why)


def _evaluations(training: Training, finding: Finding, weight: float) -> Iterator[Clue]:
    """Yield where evaluation begins: a block or function without gradients, and what is beside."""
    for module in training.modules:
        for node in ast.walk(module.node):
            if isinstance(node, (ast.With, ast.AsyncWith)):
                marks = [item.context_expr for item in node.items]
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                marks = list(node.decorator_list)
            else:
                continue
            if not any(_stops_gradients(mark) for mark in marks):
                continue
            yield Clue("monitor.place", module.file, node.lineno, weight, finding.why)
            first = node.body[0].lineno
            yield Clue("monitor.beside", module.file, first, 0.9 * weight, finding.why)
            before = node.lineno - 1
            if before > 0 and isinstance(node, (ast.With, ast.AsyncWith)):
                yield Clue("monitor.beside", module.file, before, 0.7 * weight, finding.why)


def _stops_gradients(mark: ast.expr) -> bool:
    name = mark.func if isinstance(mark, ast.Call) else mark
    last = name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")
    return last in ("no_grad", "inference_mode")


def _calls_at(training: Training, site: Site) -> list[Found]:
    """Return the calls that begin at a line or span it, the outermost first."""
    calls: list[Found] = []
    for scope, call in training.calls:
        if scope.file == site.file and call.lineno <= site.line <= (call.end_lineno or 0):
            calls.append((scope, call))
    calls.sort(key=lambda pair: (pair[1].lineno != site.line, pair[1].lineno, pair[1].col_offset))
    return calls[:4]


def _argument(
    training: Training, finding: Finding, scope: Scope, call: ast.Call, score: float
) -> Iterator[Clue]:
    """Yield where the argument that a finding speaks of is written."""
    if finding.hint not in ARGUMENTS:
        return
    position, names = ARGUMENTS[finding.hint]
    own = called_name(call)
    expression = hyperparameters.rate_of(training, call, own) if finding.hint == "lr" else None
    expression = expression or argument(call, position, *names)
    if finding.hint in RATES:
        origins = training.spread(call, scope, names)
        if expression is not None:
            origins += training.origins(scope, expression)
        yield from _settings(training, finding, origins, score)
        return
    if expression is None:
        return
    yield Clue("monitor.setting", scope.file, expression.lineno, score, finding.why)
    node = training.engine.node(expression, training.engine.open_context(scope))
    for step in backward_slice([node], 20):
        if step.decides and step.node.line > 0 and step.node.file:
            part = score * max(0.2, 1.0 - 0.2 * step.distance)
            yield Clue("monitor.made", step.node.file, step.node.line, part, finding.why)


def _beside(
    training: Training, finding: Finding, scope: Scope, call: ast.Call, score: float
) -> Iterator[Clue]:
    """Yield the statements before and after one where something is missing or was put in."""
    if finding.hint not in ("zero_grad", "step", "backward", "detach", "loss", "item", "eval",
                            "requires_grad", "params", "init", "train"):  # fmt: skip
        return
    statement = training.statement(scope, call)
    if statement is None:
        return
    parent = training.parent(scope, statement)
    for field in ("body", "orelse", "finalbody"):
        body = getattr(parent, field, None)
        if isinstance(body, list) and statement in body:
            at = body.index(statement)
            for distance, beside in ((1, at - 1), (1, at + 1), (2, at - 2)):
                if 0 <= beside < len(body):
                    line = body[beside].lineno
                    part = score * (0.6 if distance == 1 else 0.3)
                    yield Clue("monitor.beside", scope.file, line, part, finding.why)


def _data(
    training: Training, finding: Finding, scope: Scope, call: ast.Call, score: float
) -> Iterator[Clue]:
    """Yield the statements that made what a loader draws from, or what a model is fitted on."""
    starts = [
        training.engine.node(given, training.engine.open_context(scope))
        for given in call.args[:3]
        if not isinstance(given, ast.Starred)
    ]
    words = WORDS.get(finding.hint)
    for step in backward_slice(starts, DATA_STEPS) if starts else ():
        if step.node.line <= 0 or step.node.entry is not None:
            continue
        shown = _statement_text(training, step)
        if shown and words is not None and words.search(shown):
            part = score * max(0.3, 1.0 - 0.1 * step.distance)
            yield Clue("monitor.data", step.node.file, step.node.line, part, finding.why)
        elif step.decides and step.node.kind is not StepKind.LITERAL:
            part = score * max(0.1, 0.5 - 0.06 * step.distance)
            yield Clue("monitor.data_step", step.node.file, step.node.line, part, finding.why)


def _statement_text(training: Training, step: Step) -> str:
    lines = training.case.workspace.lines(step.node.file)
    return lines[step.node.line - 1] if 0 < step.node.line <= len(lines) else ""


KEYWORDS: dict[str, re.Pattern[str]] = {
    "warm_up": re.compile(r"warm_?up"),
    "init": re.compile(
        r"\binit\.|initializer|\.fill_\(|bias\.data|weight\.data|(?:zeros|ones|normal|constant|uniform)_\("
        r"|endswith\(['\"]bias|in \w+\.(?:named_)?parameters\(\)"
    ),
    "requires_grad": re.compile(r"requires_grad|\.trainable\b|freeze"),
    "params": re.compile(r"deepcopy|\.parameters\(\)|load_state_dict"),
    "detach": re.compile(r"\.detach\(|no_grad|\.item\(\)|\.numpy\(|\.data\b|torch\.tensor\("),
    "labels": re.compile(
        r"\b(?:y|Y|labels?|targets?)\w*\s*=.*(?:perm|shuffle|\*|\[0\]|sort|roll)|shuffle\((?:y|labels)"
    ),
    "data": re.compile(
        r"\b(?:x|X|images|features|inputs?)\w*(?:\[.*\])?\s*=.*(?:\*|//|\[0\]|zeros|ones)"
    ),
    "nan": re.compile(r"\bnan\b|\binf\b|np\.log|/ 0"),
    "scaling": re.compile(
        r"\b(?:x|X|images|features|signal)\w*\s*=\s*.*(?:load_|astype|tensor|from_numpy|reshape|split)"
    ),
    "item": re.compile(r"\+=\s*\w*loss\b(?!\.)|append\(\w*loss\)"),
    "eval": re.compile(r"no_grad|inference_mode"),
    "train": re.compile(r"\.eval\(\)|train\(False\)"),
    "loss": re.compile(r"\bloss\s*=|[Ll]oss\(|loss="),
    "softmax": re.compile(r"softmax|sigmoid|from_logits"),
    "activation": re.compile(r"activation|softmax|sigmoid|tanh|relu|ReLU|Sigmoid|Tanh"),
    "split": re.compile(r"train\w*\s*,?.*=.*(?:test|data|X\b)|split"),
    "shuffle": re.compile(r"argsort|sort_values|sorted\(|shuffle\s*=\s*False"),
}
"""Code that does what a finding speaks of, wherever the recorded place lies."""


def _by_words(training: Training, finding: Finding, weight: float) -> Iterator[Clue]:
    """Yield lines of the program that do what the finding speaks of."""
    pattern = KEYWORDS.get(finding.hint)
    if pattern is None:
        return
    near = {site.file for site in finding.sites}
    for module in training.modules:
        for number, line in enumerate(training.case.workspace.lines(module.file), 1):
            code = line.partition("#")[0]
            if code.lstrip().startswith(("import ", "from ", "def ", "class ")):
                continue
            if pattern.search(code):
                part = weight * (1.0 if not near or module.file in near else 0.6)
                yield Clue("monitor.words", module.file, number, part, finding.why)
