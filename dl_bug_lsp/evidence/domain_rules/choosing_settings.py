"""Settings that choose an object where the object is of the wrong kind.

``if cfg["kind"] == "uniform": return Uniform()`` and ``KINDS[cfg["kind"]]()`` make what the setting
names. The setting does not go into the object, so that no slice of its value leads there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import calls_in, source
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.nodes import StepKind
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.slices import Step, backward_slice
from dl_bug_lsp.workspace.contents import ConfigEntry

OF_KINDS = frozenset(("type_mismatch", "attribute_not_found", "framework_api_misuse"))
"""Categories of failures that an object of another class has."""
MOST_STEPS = 60
OF_TEST = 12
"""Steps of the slice of what is compared."""


def find_choosing_settings(case: Case) -> Iterator[Clue]:
    """Yield the settings that chose an object which the failing expression refuses for its kind."""
    if not _is_about_kinds(case):
        return
    seen: set[tuple[str, int]] = set()
    for step in case.raise_slice[:MOST_STEPS]:
        node = step.node
        if node.entry is not None or not isinstance(node.expr, ast.Call) or node.line <= 0:
            continue
        for entry in _choosing(case, node):
            if (entry.file, entry.line) in seen or entry.file.endswith(".py"):
                continue
            seen.add((entry.file, entry.line))
            why = (
                f"`{entry.key}: {entry.text}` chooses `{source(node.expr)}` in {node.file}:"
                f"{node.line}, which goes into what fails"
            )
            yield Clue("config.handed_on", entry.file, entry.line, _closeness(step), why)


def _closeness(step: Step) -> float:
    return 1.0 / (1.0 + step.distance / 8.0)


def _is_about_kinds(case: Case) -> bool:
    """Whether an object's class is what fails, as far as the message or the statement tells."""
    statement = case.sites[-1].statement if case.sites else None
    if isinstance(statement, ast.Assert):
        return any(called_name(call) == "isinstance" for call in calls_in(statement.test))
    return case.category.id in OF_KINDS and statement is not None


def _choosing(case: Case, node: Node) -> Iterator[ConfigEntry]:
    """Yield the settings with which the tests around a call were true, or by which it is called."""
    scope = node.context.scope
    assert isinstance(node.expr, ast.Call)
    if isinstance(node.expr.func, ast.Subscript):
        yield from _settings_in(node, node.expr.func.slice, None)
    if scope.is_module or scope.is_class:
        return
    for part in ast.walk(scope.node):
        if isinstance(part, ast.If) and _holds_in(part.body, node.line):
            for test in ast.walk(part.test):
                if isinstance(test, ast.Compare) and len(test.ops) == 1:
                    yield from _of_comparison(node, test)


def _holds_in(body: list[ast.stmt], line: int) -> bool:
    return body[0].lineno <= line <= (body[-1].end_lineno or 0)


def _of_comparison(node: Node, test: ast.Compare) -> Iterator[ConfigEntry]:
    """Yield the setting that a comparison finds equal to a constant."""
    if not isinstance(test.ops[0], (ast.Eq, ast.In, ast.Is)):
        return
    sides = test.left, test.comparators[0]
    for own, other in (sides, sides[::-1]):
        held: set[object] = {
            part.value for part in ast.walk(other) if isinstance(part, ast.Constant)
        }
        yield from _settings_in(node, own, held)


def _settings_in(node: Node, expr: ast.expr, held: set[object] | None) -> Iterator[ConfigEntry]:
    """Yield the settings that an expression stands for, with one of the values held."""
    inner = node.engine.node(expr, node.context)
    for step in backward_slice([inner], OF_TEST):
        entry = step.node.entry
        if step.node.kind is not StepKind.CONFIG or entry is None or entry.length is not None:
            continue
        if held is None or entry.value in held:
            yield entry
