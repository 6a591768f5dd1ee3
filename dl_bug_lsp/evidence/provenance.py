"""Where the failing values come from: the steps of the backward slices from the raising frames."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.slice_words import VERB, relation, shown, stands_in, what
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.slices import Step
from dl_bug_lsp.tracebacks import FailureKind

DECAY = 4.0
"""Distance at which a step counts a factor e less; an argument handed on costs 0.8."""
OUTER_DISTANCE = 2.0

RAISES = "is the expression that failed"
STANDS = "stands at the line that failed"
LED = "is the call that led to the failure"
MAY_RAISE = "may be the expression that failed"
TRAINS = "is a part of the training, where the search begins"
"""What is said of the expression that a slice begins with."""


def find(case: Case) -> Iterator[Clue]:
    """Yield every step of the slices, scored by its distance from the raising expression."""
    followed = {id(step.node): step.decides for step in case.property_slice}
    begin = RAISES if len(case.starts) == 1 else STANDS
    if case.failure.kind is FailureKind.SILENT:
        begin = TRAINS
    elif case.supposed:
        begin = MAY_RAISE
    for step in case.raise_slice:
        yield from _clues(step, 0.0, "", begin, _share(step, followed))
        if case.category.id in INDIFFERENT and step.node.line > 0 and _bystander(step):
            why = f"`{step.node.text}` is handed over but hardly matters here"
            yield Clue("slice.bystander", step.node.file, step.node.line, 1.0, why)
    # Many messages are about an argument whose name they do not say.
    arguments = [str(fact.value) for fact in case.facts.of(FactKind.ARGUMENT)]
    is_named = any(stands_in(name, case.message) for name in arguments)
    verb = "names" if is_named else "is about"
    for step in case.focus_slice:
        if step.decides and step.node.line > 0:
            score = math.exp(-step.distance / DECAY)
            why = f"{_why(step, 'decides')}, the argument that the message {verb}"
            if step.before is None:
                why = f"`{shown(step.node)}` is given as the argument that the message {verb}"
            yield Clue("focus.decides", step.node.file, step.node.line, score, why)
    for depth, steps in enumerate(case.outer_slices, 1):
        for step in steps:
            yield from _clues(step, OUTER_DISTANCE * depth, "outer_", LED)


BYSTANDERS = {
    "seed",
    "random_state",
    "epochs",
    "max_epochs",
    "num_train_epochs",
    "n_epochs",
    "steps",
    "max_steps",
    "lr",
    "learning_rate",
    "weight_decay",
    "momentum",
    "betas",
    "warmup_steps",
    "verbose",
    "callbacks",
    "patience",
    "log_every",
    "log_every_n_steps",
    "logging_steps",
    "eval_every",
    "save_every",
    "output_dir",
    "out_dir",
    "run_name",
    "project",
    "save_strategy",
    "report_to",
    "disable_tqdm",
    "enable_progress_bar",
    "num_workers",
    "dropout",
    "shuffle",
    "validation_split",
    "validation_freq",
    "initial_epoch",
    "monitor",
    "min_delta",
    "restore_best_weights",
    "pin_memory",
    "persistent_workers",
    "prefetch_factor",
    "gradient_clip_val",
    "log_dir",
}
"""Settings that are on the way of nearly every value and decide about no shape, index or key."""
INDIFFERENT = {
    "tensor_mismatch",
    "illegal_index",
    "type_mismatch",
    "null_reference",
    "key_not_found",
    "attribute_not_found",
}


def _bystander(step: Step) -> bool:
    """Whether a step is only the value of a setting that decides about the run as a whole."""
    if step.node.entry is not None:
        return step.node.entry.key in BYSTANDERS
    last = step.roles[-1] if step.roles else ""
    return step.decides and last.removeprefix("argument ") in BYSTANDERS


OTHER_PROPERTY = 0.3
"""What a step counts that decides other properties of the value than the one that is wrong."""


def _share(step: Step, followed: dict[int, bool]) -> float:
    """Return what a step counts, by whether it makes the property that the message is about."""
    decides = followed.get(id(step.node))
    if decides is None or (step.decides and not decides):
        return OTHER_PROPERTY
    return 1.0


def _clues(
    step: Step, offset: float, prefix: str, begin: str = RAISES, share: float = 1.0
) -> Iterator[Clue]:
    node = step.node
    if node.line <= 0:
        return
    score = share * math.exp(-(step.distance + offset) / DECAY)
    if not step.decides:
        why = _why(step, "passes", begin)
        yield Clue(f"{prefix}slice.passes", node.file, node.line, score, why)
        return
    why = _why(step, "decides", begin)
    yield Clue(f"{prefix}slice.decides", node.file, node.line, score, why)
    if not prefix:
        yield Clue(f"slice.{node.kind.value}", node.file, node.line, score, why)
        side = next((role for role in step.roles if role != "definition"), "")
        if side in {"callee", "receiver"}:
            yield Clue("slice.callee_side", node.file, node.line, score, why)
        elif side.startswith("argument"):
            yield Clue("slice.argument_side", node.file, node.line, score, why)


def _why(step: Step, verb: str, begin: str = RAISES) -> str:
    text = shown(step.node)
    first = step.way()[0].node
    if step.before is None:
        return f"`{text}` {begin}"
    if verb == "passes":
        is_same_line = (first.file, first.line) == (step.node.file, step.node.line)
        if is_same_line and stands_in(step.node.text, first.text):
            return f"`{text}` stands in `{shown(first)}`"
        words = relation(step)
        handed = words.startswith(f"{VERB} `")
        return f"`{text}` hands the value on to `{shown(first)}`" if handed else f"`{text}` {words}"
    if isinstance(step.node.expr, ast.Call) and called_name(step.node.expr) == "add_argument":
        return f"the option that `{text}` adds {relation(step)}"
    return f"{what(step)} {relation(step)}"
