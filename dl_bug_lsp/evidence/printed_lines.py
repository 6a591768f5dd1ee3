"""Log and code together: printed lines, the templates that made them, what warnings name.

A line that the run printed before it failed is matched to the ``print``, logging call or f-string
whose literal parts it holds. What stands between the parts are values of the template's expressions
there: a value that the message names, or one that is empty, zero or None, leads to what made it.
The last template that matched says how far the run came.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.domain_rules.syntax import near_files, source
from dl_bug_lsp.messages import FactKind
from dl_bug_lsp.provenance.engine import Node
from dl_bug_lsp.provenance.printed_output import Template, templates_of
from dl_bug_lsp.provenance.slices import backward_slice

MOST_FILES = 30
MOST_TEMPLATES = 200
MOST_LINES = 200
VALUE_STEPS = 40
SMALL = 2
ODD = {"0", "0.0", "None", "nan", "[]", "{}", "()", "inf", "-inf", "NaN", "''", "set()"}
EMPTY = ("zero", "empty", "None", "at least one", "num_samples=0", "too few", " 0 ")
"""Words of messages about a value that is zero, empty or none."""


def find(case: Case) -> Iterator[Clue]:
    """Yield what made printed values that the message names or that are odd, and the last print."""
    yield from _refused_names(case)
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


REFUSED = (
    re.compile(r"Parameters: ?\{([^}]{1,300})\} (?:are|might) not (?:be )?used"),
    re.compile(r"\[Warning\] Unknown parameter: (\S{1,80})"),
    re.compile(
        r"[Kk]eyword arguments? \{?([^}.]{1,300})\}? (?:is|are|was|were) not (?:recognized|used)"
    ),
    re.compile(
        r"[Tt]he following [\w `]{1,40} are not (?:used|valid)[^:\[]{0,80}[:\[] ?([^\]]{1,300})"
    ),
    re.compile(r"[Uu]nused (?:kwargs|keyword arguments|parameters)[^:]{0,40}: ?([^.]{1,300})"),
    re.compile(r"[Ii]gnoring (?:unknown|unused|unrecognized) [\w ]{1,40}[ :]+['\"`]?(\w{2,80})"),
)
"""How XGBoost, LightGBM, transformers, diffusers and others say that they do not know a setting."""
MOST_LOG_LINES = 5_000
GIVES_SETTINGS = frozenset(("config_key", "keyword", "dict_key", "string"))
"""Roles of words that may give a setting its name."""


def _refused_names(case: Case) -> Iterator[Clue]:
    """Yield where settings are given of which a warning of the log says that they are not used."""
    lines = case.log.lines[:MOST_LOG_LINES]
    found = (
        m[1] for line in lines for pattern in REFUSED for m in [pattern.search(line.text)] if m
    )
    names = dict.fromkeys(name for text in found for name in _named(text))
    for name in islice(names, MOST_NAMES):
        words = [w for w in case.words.with_text((name,)) if w.role in GIVES_SETTINGS]
        for word in words:
            why = f"a warning of the log names `{name}`, which may not be used under this name"
            score = 1 / len({(w.file, w.line) for w in words}) ** 0.5
            yield Clue("rules.unused_setting", word.file, word.line, score, why)


MOST_NAMES = 12


def _named(text: str) -> list[str]:
    """Return the names of a list: what stands in quotation marks, else what stands by itself."""
    quoted = re.findall(r"['\"`]([A-Za-z_]\w+)['\"`]", text)
    return quoted or re.findall(r"(?:^|,)\s*([A-Za-z_]\w+)\s*(?=$|,)", text)


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
        values = template.values(text)
        if values is not None:
            yield template, values


def _templates(case: Case) -> Iterator[Template]:
    files = near_files(case)[:MOST_FILES]
    found = (t for file in files for t in templates_of(case.workspace, file))
    yield from islice(found, MOST_TEMPLATES)


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
        why = f"the log shows `{source(expr)}` as {value}; a value of this line goes into it"
        yield Clue(kind, node.file, node.line, score, why)
