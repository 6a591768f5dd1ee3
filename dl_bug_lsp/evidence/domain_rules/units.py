"""Values whose name has another unit than what they are given to.

A number of epochs where steps are wanted, hours where rows are: names say what is counted. Where a
value is handed on as it is, and the two names count in different units, a conversion may be
missing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import near_scopes, source
from dl_bug_lsp.evidence.words import parts_of

UNITS: tuple[frozenset[str], ...] = (
    frozenset(("step", "steps", "iters", "iterations", "updates")),
    frozenset(("epoch", "epochs")),
    frozenset(("hour", "hours")),
    frozenset(("minute", "minutes")),
    frozenset(("second", "seconds", "secs")),
    frozenset(("ms", "millis", "milliseconds")),
    frozenset(("day", "days")),
    frozenset(("frames",)),
    frozenset(("samples",)),
    frozenset(("batches",)),
    frozenset(("tokens",)),
    frozenset(("words",)),
    frozenset(("chars", "characters")),
    frozenset(("percent", "pct")),
    frozenset(("hz",)),
    frozenset(("khz",)),
    frozenset(("px", "pixels")),
    frozenset(("patches",)),
    frozenset(("mb",)),
    frozenset(("gb",)),
)
RATES = frozenset(("per", "every", "of", "in", "to", "at", "by"))
"""Words of names that count one unit by another."""


def find_units(case: Case) -> Iterator[Clue]:
    """Yield where a value of one unit is handed on to a name of another one."""
    on_path = {(step.node.file, step.node.line) for step in case.stack_steps}
    seen: set[tuple[str, int]] = set()
    for scope in near_scopes(case):
        for node in ast.walk(scope.node):
            for target, value in _handed_on(node):
                wanted, given = unit_of(target), unit_of(_last_name(value))
                place = (scope.file, value.lineno)
                if wanted is None or given is None or wanted == given or place in seen:
                    continue
                seen.add(place)
                score = 1.0 if place in on_path else 0.4
                why = (
                    f"`{target}` gets `{source(value)}` as it is: the two names count in"
                    " different units"
                )
                yield Clue("rules.unit", *place, score, why)


def unit_of(name: str) -> int | None:
    """Return the number of the unit that a name counts in, None where it has none or several."""
    parts = parts_of(name)
    if RATES & set(parts):
        return None
    found = [i for i, words in enumerate(UNITS) if words & set(parts)]
    return found[0] if len(found) == 1 else None


def _handed_on(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield names with the values that they get unchanged: assignments and keywords."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        name = getattr(target, "attr", None) or getattr(target, "id", None)
        if isinstance(name, str):
            yield name, node.value
    elif isinstance(node, ast.Call):
        yield from ((word.arg, word.value) for word in node.keywords if word.arg is not None)


def _last_name(value: ast.expr) -> str:
    """Return the name under which a value is read, empty where it is computed."""
    if isinstance(value, ast.Name):
        return value.id
    if isinstance(value, ast.Attribute):
        return value.attr
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
        return str(value.slice.value)
    return ""
