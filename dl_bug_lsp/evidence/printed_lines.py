"""Log and code together: printed lines and the templates that made them.

A line that the run printed before it failed is matched to the ``print``, logging call or f-string
whose literal parts it holds. What stands between the parts are values of the template's expressions
there: a value that the message names, or one that is empty, zero or None, leads to what made it.
The last template that matched says how far the run came.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import near_files, source
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.scopes import called_name
from dl_bug_lsp.provenance.slices import backward_slice

PRINTS = {"print", "info", "warning", "warn", "debug", "error", "write", "log", "echo"}
MOST_FILES = 30
MOST_TEMPLATES = 200
MOST_LINES = 200
MIN_LETTERS = 3
VALUE_STEPS = 40
SMALL = 2
ODD = {"0", "0.0", "None", "nan", "[]", "{}", "()", "inf", "-inf", "NaN", "''", "set()"}
EMPTY = ("zero", "empty", "None", "at least one", "num_samples=0", "too few", " 0 ")
"""Words of messages about a value that is zero, empty or none."""
PERCENT = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?[sdifgeExXr]")


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """A call that prints: its literal parts, and the expressions between them."""

    file: str
    line: int
    literals: tuple[str, ...]
    expressions: tuple[ast.expr, ...]
    pattern: re.Pattern[str]


def find(case: Case) -> Iterator[Clue]:
    """Yield what made printed values that the message names or that are odd, and the last print."""
    lines = _before(case)
    if not lines:
        return
    templates = list(_templates(case))
    values_told = _told(case)
    empty = any(word in case.message for word in EMPTY)
    last: Template | None = None
    seen: set[int] = set()
    for text in reversed(lines):
        for template, values in _matched(templates, text):
            last = last or template
            if id(template) in seen:
                continue
            seen.add(id(template))
            for expr, value in zip(template.expressions, values, strict=False):
                kind = "printed.value" if value in values_told else "printed.odd"
                if value in values_told or (value in ODD and empty):
                    yield from _origins(case, template, expr, value, kind)
    if last is not None and not case.places:
        why = "this is the last statement whose output the log shows"
        yield Clue("printed.last", last.file, last.line, 1.0, why)


def _before(case: Case) -> list[str]:
    """Return the last lines of the log before the failure; all of them where it has no place."""
    first = case.failure.span.first_line
    lines = [x.text.strip() for x in case.log.lines if x.number < first or not case.places]
    return [line for line in lines if line][-MOST_LINES:]


def _told(case: Case) -> set[str]:
    """Return the numbers and words of the message that are no common ones, as they are printed."""
    values: set[str] = set()
    kinds = (FactKind.SIZE, FactKind.INDEX, FactKind.BOUND, FactKind.COUNT, FactKind.NUMBER)
    for fact in case.facts.facts:
        if fact.kind in kinds and isinstance(fact.value, int) and abs(fact.value) > SMALL:
            values.update((str(fact.value), str(fact.value + 1)))
        elif fact.kind is FactKind.SHAPE and isinstance(fact.value, tuple):
            values.update(str(size) for size in fact.value if size > SMALL)
        elif fact.kind in (FactKind.KEY, FactKind.PATH, FactKind.LITERAL):
            values.add(str(fact.value))
    return values


def _matched(templates: list[Template], text: str) -> Iterator[tuple[Template, tuple[str, ...]]]:
    for template in templates:
        if max(template.literals, key=len).strip() in text:
            match = template.pattern.search(text)
            if match is not None:
                yield (
                    template,
                    tuple(group.strip(" ,:;()[]'\"") or group for group in match.groups()),
                )


def _templates(case: Case) -> Iterator[Template]:
    count = 0
    for file in near_files(case)[:MOST_FILES]:
        tree = case.workspace.tree(file)
        for node in ast.walk(tree) if tree is not None else ():
            if not isinstance(node, ast.Call) or called_name(node) not in PRINTS or not node.args:
                continue
            literals, expressions = _parts(node)
            if sum(c.isalpha() for text in literals for c in text) < MIN_LETTERS or not literals:
                continue
            count += 1
            if count > MOST_TEMPLATES:
                return
            pattern = _pattern(_sequence(node))
            yield Template(file, node.lineno, literals, expressions, pattern)


def _sequence(call: ast.Call) -> tuple[str | None, ...]:
    """Return the literal texts of a printed line in order, None for each expression between."""
    parts: list[str | None] = []
    rest = list(call.args)
    first = rest[0]
    if (
        isinstance(first, ast.Constant)
        and isinstance(first.value, str)
        and len(rest) > 1
        and PERCENT.search(first.value)
    ):
        return _percent(first.value)
    for index, argument in enumerate(rest):
        if index:
            parts.append(" ")
        parts.extend(_of(argument))
    return tuple(parts)


def _percent(text: str) -> tuple[str | None, ...]:
    parts: list[str | None] = []
    for index, part in enumerate(PERCENT.split(text)):
        if index:
            parts.append(None)
        parts.append(part)
    return tuple(parts)


def _of(expr: ast.expr) -> list[str | None]:
    if isinstance(expr, ast.Constant):
        return [str(expr.value)]
    if isinstance(expr, ast.JoinedStr):
        return [str(p.value) if isinstance(p, ast.Constant) else None for p in expr.values]
    if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.Mod):
        left = expr.left
        if isinstance(left, ast.Constant) and isinstance(left.value, str):
            return list(_percent(left.value))
    return [None]


def _parts(call: ast.Call) -> tuple[tuple[str, ...], tuple[ast.expr, ...]]:
    """Return the literal texts and the expressions of a printing call, each in order."""
    literals = tuple(part for part in _sequence(call) if part is not None and part.strip())
    expressions: list[ast.expr] = []
    first = call.args[0]
    formatted = isinstance(first, ast.Constant) and len(call.args) > 1
    if formatted and PERCENT.search(str(getattr(first, "value", ""))):
        return literals, tuple(call.args[1:])
    for argument in call.args:
        if isinstance(argument, ast.JoinedStr):
            expressions.extend(
                p.value for p in argument.values if isinstance(p, ast.FormattedValue)
            )
        elif isinstance(argument, ast.BinOp) and isinstance(argument.op, ast.Mod):
            right = argument.right
            expressions.extend(right.elts if isinstance(right, ast.Tuple) else [right])
        elif not isinstance(argument, ast.Constant):
            expressions.append(argument)
    return literals, tuple(expressions)


@lru_cache(maxsize=512)
def _pattern(parts: tuple[str | None, ...]) -> re.Pattern[str]:
    """Return the pattern of a printed line: literal parts, and short gaps between them."""
    text = "".join(
        r"(.{0,80}?)" if part is None else r"\s*".join(map(re.escape, part.split(" ")))
        for part in parts
    )
    return re.compile(text.rstrip() + r"\s*$")


def _origins(
    case: Case, template: Template, expr: ast.expr, value: str, kind: str
) -> Iterator[Clue]:
    scope = case.engine.program.scope_at(template.file, template.line)
    if scope is None:
        return
    context = case.context_of(scope)
    start: Node = case.engine.node(expr, context)
    near = {(s.node.file, s.node.line) for s in case.raise_slice}
    for step in backward_slice([start], VALUE_STEPS):
        node = step.node
        if (
            node.line <= 0
            or not step.decides
            or (node.file, node.line)
            == (
                template.file,
                template.line,
            )
        ):
            continue
        shared = (node.file, node.line) in near
        score = (1.0 if shared else 0.5) / (1 + step.distance / 3)
        why = f"the log shows `{source(expr)}` as {value}, which comes from here"
        yield Clue(kind, node.file, node.line, score, why)
