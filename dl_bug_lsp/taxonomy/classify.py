"""From a failure to its category: ordered rules, the text classifier, then ``unclassified``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from dl_bug_lsp.messages.values import MessageFacts
from dl_bug_lsp.report import CategoryVerdict
from dl_bug_lsp.taxonomy.categories import category
from dl_bug_lsp.taxonomy.rules import LAST, TABLES
from dl_bug_lsp.taxonomy.rules.rule import Rule
from dl_bug_lsp.taxonomy.scene import Scene
from dl_bug_lsp.taxonomy.text_model import classify_text
from dl_bug_lsp.tracebacks.values import Cause, Failure, FailureKind

UNCLASSIFIED = "unclassified"
OTHER_CAUSE_DISCOUNT = 0.8
"""What a verdict keeps of its confidence when a neighbour of the root cause gave it."""
TEXT_THRESHOLD = 0.45
"""The least probability at which the text classifier's word is taken."""

_EMBEDDED = re.compile(
    r"(?m)^\W{0,12}((?:[A-Za-z_]\w*\.){0,6}[A-Z]\w*(?:Error|Exception|Interrupt)): +(\S[^\n]*)"
)
_EMBEDDED_REPR = re.compile(r"\b([A-Z]\w*(?:Error|Exception))\((['\"])")


def classify(
    failure: Failure,
    facts: MessageFacts | None = None,
    *,
    workspace_module: Callable[[str], bool] | None = None,
) -> CategoryVerdict:
    """Say which category a failure belongs to, with the rule and the words that showed it.

    ``workspace_module`` tells whether a dotted module name is the user's own. Nothing is raised;
    what no rule and no classifier knows is ``unclassified`` with the evidence shown. A silent
    failure is unclassified here: its metrics decide elsewhere. Categories: Zhang et al., ICSE 2020,
    Table 1, and the dimensions ``platform`` and ``silent``.
    """
    cause = failure.cause
    if failure.kind is FailureKind.SILENT or cause is None:
        return _verdict(UNCLASSIFIED, 0.0, failure.evidence, "silent")
    for other, discount in _by_relevance(failure, cause):
        for seen in _with_embedded(other):
            found = _by_rules(Scene(failure, seen, workspace_module), discount)
            if found is not None:
                return found
    scene = Scene(failure, cause, workspace_module)
    guess, probability = classify_text(scene.class_name, scene.message)
    if probability >= TEXT_THRESHOLD:
        return _verdict(guess, min(probability, 0.9), scene.evidence_for(None), "text")
    for last in LAST:
        fired = last.fires(scene)
        if fired is not None:
            return _verdict(last.category, last.confidence, scene.evidence_for(fired[0]), last.id)
    return _verdict(UNCLASSIFIED, max(0.0, 1 - probability) / 2, scene.evidence_for(None), "none")


def _by_relevance(failure: Failure, cause: Cause) -> Iterator[tuple[Cause, float]]:
    """Yield the root cause, then the others from the nearest to the farthest, older ones first."""
    yield cause, 1.0
    order = sorted(
        (abs(i - failure.root), i) for i in range(len(failure.causes)) if i != failure.root
    )
    for _, index in order:
        yield failure.causes[index], OTHER_CAUSE_DISCOUNT


def _with_embedded(cause: Cause) -> Iterator[Cause]:
    """Yield the exception itself, then the one that its message quotes (launchers, hydra, ray)."""
    yield cause
    quoted = list(_EMBEDDED.finditer(cause.message[-16_000:]))
    if quoted:
        yield replace(cause, type=quoted[-1].group(1), message=quoted[-1].group(2))
        return
    shown = _EMBEDDED_REPR.search(cause.message[:16_000])
    if shown is not None:
        rest = cause.message[shown.end() :]
        yield replace(cause, type=shown.group(1), message=rest.split(shown.group(2))[0] or rest)


def _by_rules(scene: Scene, discount: float) -> CategoryVerdict | None:
    for table in TABLES:
        if not table.concerns(scene):
            continue
        for candidate in table.rules:
            verdict = _fire(candidate, scene, discount)
            if verdict is not None:
                return verdict
    return None


def _fire(candidate: Rule, scene: Scene, discount: float) -> CategoryVerdict | None:
    fired = candidate.fires(scene)
    if fired is None or candidate.category == UNCLASSIFIED:
        return None
    confidence = candidate.confidence * discount
    return _verdict(candidate.category, confidence, scene.evidence_for(fired[0]), candidate.id)


def _verdict(id: str, confidence: float, evidence: str, rule: str) -> CategoryVerdict:
    return CategoryVerdict(id, category(id).dimension, round(confidence, 3), evidence, rule)
