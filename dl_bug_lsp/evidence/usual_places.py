"""Code that usually holds the cause where a message is a well-known one.

The catalogue of the failures that forums repeat most (``taxonomy/classics.toml``) says of each what
the code with the cause looks like: a call without an option, a state that is saved from a wrapper.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, near_files, source, statements
from dl_bug_lsp.provenance.stack import header_expressions, unparsed
from dl_bug_lsp.taxonomy.advising import usual_places
from dl_bug_lsp.taxonomy.categories import UsualPlace

MOST_FILES = 30
BESIDE = 0.7
"""What a place counts that no value on the way to the failure comes from."""


def find(case: Case) -> Iterator[Clue]:
    """Yield the lines that look as the cause of such a failure usually does."""
    places = usual_places(case.failure)
    if not places:
        return
    files = near_files(case)[:MOST_FILES]
    near = {(step.node.file, step.node.line) for step in case.raise_slice}
    near.update((step.node.file, step.node.line) for steps in case.outer_slices for step in steps)
    near.update((place.file, place.line) for place in case.places)
    for place in places:
        if place.program and not any(_holds(case, file, place.program) for file in files):
            continue
        hits = [(file, node) for file in files for node in _matching(case, file, place)]
        on_way = [(file, node) for file, node in hits if _lines(file, node) & near]
        for file, node in on_way or hits:
            score = place.share * (1.0 if on_way else BESIDE) / len(on_way or hits) ** 0.5
            why = place.why.replace("{code}", source(node))
            yield Clue("classics.place", file, node.lineno, score, why)


def _holds(case: Case, file: str, pattern: str) -> bool:
    return any(re.search(pattern, line) for line in case.workspace.lines(file))


def _lines(file: str, node: ast.expr | ast.stmt) -> set[tuple[str, int]]:
    last = node.end_lineno or node.lineno
    return {(file, line) for line in range(node.lineno, min(last, node.lineno + 40) + 1)}


def _matching(case: Case, file: str, place: UsualPlace) -> Iterator[ast.expr | ast.stmt]:
    checkpoint()
    tree = case.workspace.tree(file)
    if tree is None:
        return
    if place.call:
        for call in calls_in(tree):
            callee = unparsed(call.func)
            named = any(callee == name or callee.endswith(f".{name}") for name in place.call)
            told = any(k.arg is None or k.arg in place.without for k in call.keywords)
            if named and not (place.without and told) and _reads(unparsed(call), place):
                yield call
        return
    for statement in statements(tree):
        heads = header_expressions(statement)
        text = unparsed(statement) if not hasattr(statement, "body") else _joined(heads)
        if text and _reads(text, place):
            yield statement


def _joined(heads: list[ast.expr]) -> str:
    return " ".join(map(unparsed, heads))


def _reads(text: str, place: UsualPlace) -> bool:
    if place.text and not re.search(place.text, text):
        return False
    return not (place.but and re.search(place.but, text))
