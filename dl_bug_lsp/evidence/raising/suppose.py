"""The statements of the workspace that can have raised a message without a traceback."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.evidence.raising.operations import Asked
from dl_bug_lsp.evidence.raising.own_messages import EXACT, of_statement
from dl_bug_lsp.evidence.raising.questions import matchers
from dl_bug_lsp.evidence.raising.scan import FileNodes, Within, file_nodes
from dl_bug_lsp.messages import FactKind, MessageFacts
from dl_bug_lsp.tracebacks import Cause
from dl_bug_lsp.workspace import Workspace

MOST_FILES = 400
MOST_PLACES = 8
LEAST = 0.05
ASIDE = 0.4
"""What a place in tests, examples or documentation counts beside one in the program."""
FOREIGN = 0.1
FRAMEWORKS = {
    "torch": {"torch", "torchvision", "pytorch_lightning", "lightning"},
    "tensorflow": {"tensorflow", "keras", "tf_keras"},
    "keras": {"tensorflow", "keras", "tf_keras"},
    "jax": {"jax", "flax", "optax", "haiku", "equinox"},
}
_ASIDE = re.compile(r"(?:^|/)(?:tests?|examples?|docs?|benchmarks?|scripts_old|third_party)/|test_")
_WORD = re.compile(r"[A-Za-z_]{4,}")


@dataclass(frozen=True, slots=True)
class Supposed:
    """A statement that can have raised a message: ``weight`` (0 to 1) says how surely."""

    file: str
    line: int
    function: str | None
    expression: str | None
    weight: float
    why: str


def supposed_places(
    workspace: Workspace, cause: Cause, facts: MessageFacts
) -> tuple[Supposed, ...]:
    """Return the likeliest statements that can have raised a message, the likeliest first.

    Where many are alike, each counts less.
    """
    files = _files(workspace, facts)
    read = [file_nodes(workspace, file) for file in files]
    made: dict[str, set[str]] = {}
    bases: dict[str, list[str]] = {}
    for nodes in read:
        for name, makers in nodes.made.items():
            made.setdefault(name, set()).update(makers)
        bases.update(nodes.classes)
    parameters = {name: p for nodes in read for name, p in nodes.parameters.items()}
    asked = Asked(facts, cause.class_name, cause.message, made, bases, parameters)
    other = _other_framework(facts)
    questions = matchers(asked)
    found: dict[tuple[str, int], Supposed] = {}
    for nodes in read:
        checkpoint()
        aside = ASIDE if _ASIDE.search(nodes.file) else 1.0
        if other and nodes.imports & other[1] and not nodes.imports & other[0]:
            aside *= FOREIGN
        for node, within in nodes.nodes:
            answers = list(of_statement(node, within, cause.class_name, cause.message))
            for question in questions:
                answers.extend(question(node, within, nodes))
            for weight, why in answers:
                place = _supposed(node, within, weight * aside, why)
                before = found.get((place.file, place.line))
                if before is None or place.weight > before.weight:
                    found[place.file, place.line] = place
    return _likeliest(found.values())


def _other_framework(facts: MessageFacts) -> tuple[set[str], set[str]] | None:
    """Return the modules of the framework that speaks, and those of all others."""
    name = (facts.family or "").partition(".")[0]
    if name not in FRAMEWORKS:
        return None
    others = set().union(*(m for n, m in FRAMEWORKS.items() if not m & FRAMEWORKS[name]))
    return FRAMEWORKS[name], others


def _likeliest(found: Iterable[Supposed]) -> tuple[Supposed, ...]:
    places = list(found)
    if any(place.weight >= EXACT for place in places):
        places = [place for place in places if place.weight >= EXACT / 2]
    alike = Counter(round(place.weight, 2) for place in places)
    ordered = sorted(places, key=lambda p: (-p.weight, p.file, p.line))
    told: list[Supposed] = []
    for place in ordered:
        weight = place.weight / (1 + math.log(alike[round(place.weight, 2)]))
        if weight >= LEAST and len(told) < MOST_PLACES:
            told.append(replace(place, weight=weight))
    return tuple(told)


def _supposed(node: ast.AST, within: Within, weight: float, why: str) -> Supposed:
    line = getattr(node, "lineno", 1)
    expression = None
    if isinstance(node, ast.expr):
        try:
            expression = ast.unparse(node)
        except (ValueError, RecursionError):
            expression = None
        line = node.lineno
        if isinstance(node, ast.Attribute):
            line = node.end_lineno or line
    return Supposed(within.file, line, within.function or None, expression, weight, why)


def _files(workspace: Workspace, facts: MessageFacts) -> list[str]:
    """Return the Python files to look through, those with the message's names first."""
    files = list(workspace.python_files())
    if len(files) <= MOST_FILES:
        return files
    kinds = (FactKind.ATTRIBUTE, FactKind.KEY, FactKind.NAME, FactKind.ARGUMENT, FactKind.FUNCTION)
    words = {str(fact.value).rpartition(".")[2] for fact in facts.facts if fact.kind in kinds} - {
        ""
    }
    holding = [f for f in files if any(word in (workspace.text(f) or "") for word in words)]
    return list(dict.fromkeys([*holding, *files]))[:MOST_FILES]


__all__ = ["FileNodes", "Supposed", "supposed_places"]
