"""Rules for numbers, element types and sizes that an operation cannot take.

Singular matrices, values beyond a dtype, settings that choose an element type, and sizes that are
no multiple of what a kernel wants (of 8 or 16, as tensor cores do).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data.data_files import numbers_of
from dl_bug_lsp.evidence.domain_rules.syntax import near_files
from dl_bug_lsp.evidence.nan_sources import cast, warned
from dl_bug_lsp.provenance.nodes import StepKind
from dl_bug_lsp.provenance.slices import Step

SINGULAR = re.compile(
    r"(?i)not positive.?definite|singular|ill-conditioned|not invertible|leading minor"
    r"|failed to converge|did not converge"
)
STEADIES = re.compile(
    r"(?i)(?:^|_)(?:noise|jitter|nugget|eps|epsilon|ridge|reg|regulari[sz]ation|lambda|damping|shrinkage"
    r"|tikhonov|diag|sigma|alpha|l2)(?:_|$)"
)
"""Names of what is added to the diagonal of a matrix."""
LEAST_ADDED = 1e-9
"""Less than this times a matrix's scale is lost in rounding: float32 has 24 bits."""
OVERFLOW = re.compile(r"cannot be converted to type .*Half without overflow")
WIDER = re.compile(r"finfo\((?:torch\.|np\.)?(?:float32|float64|bfloat16|float|double)\)")
LARGEST_HALF = 65504.0
"""The largest number of float16 (IEEE 754, binary16)."""


def find_numerics(case: Case) -> Iterator[Clue]:
    """Yield the constants and settings that make a matrix singular or a number too large."""
    if SINGULAR.search(f"{case.class_name}: {case.message}"):
        yield from _unsteadied(case)
    elif OVERFLOW.search(case.message):
        yield from _beyond_half(case)
        for step in case.raise_slice:
            for value in _numbers(step):
                if abs(value) > LARGEST_HALF:
                    why = f"{value:g} lies beyond the largest number of float16, 65504"
                    yield Clue("rules.strong", step.node.file, step.node.line, 1.0, why)


NOT_FINITE = re.compile(
    r"(?i)\bnans?\b|\binf(?:inity|inite)?\b|non-?finite|not finite|missing values"
)


def find_warned(case: Case) -> Iterator[Clue]:
    """Yield the operations that NumPy warned of: of casts, and where NaN or infinity failed."""
    for (file, line), score, why in cast(case):
        yield Clue("rules.strong", file, line, score, why)
    if NOT_FINITE.search(case.message):
        places = list(warned(case, near_files(case)))
        for (file, line), why in places:
            yield Clue("rules.strong", file, line, 1.0 / len(places) ** 0.5, why)


def _beyond_half(case: Case) -> Iterator[Clue]:
    """Find limits of wider types and settings that float16 cannot hold."""
    for step in case.raise_slice:
        node = step.node
        if node.entry is None and node.line > 0 and WIDER.search(node.text):
            why = f"`{node.text}` lies beyond the numbers of float16"
            yield Clue("rules.strong", node.file, node.line, 1.0, why)
    for entry in case.config_entries:
        value = entry.value
        plain = isinstance(value, (int, float)) and not isinstance(value, bool)
        if plain and abs(float(str(value))) > LARGEST_HALF:
            why = f"`{entry.key}: {entry.text}` lies beyond the largest number of float16, 65504"
            yield Clue("rules.medium", entry.file, entry.line, 1.0, why)


def _unsteadied(case: Case) -> Iterator[Clue]:
    on_way = {(s.node.file, s.node.line) for s in case.raise_slice}
    for entry in case.config_entries:
        value = entry.value
        plain = isinstance(value, (int, float)) and not isinstance(value, bool)
        if plain and STEADIES.search(entry.key) and abs(float(str(value))) < LEAST_ADDED:
            score = 1.0 if (entry.file, entry.line) in on_way else 0.7
            why = f"`{entry.key}: {entry.text}` changes nothing where it is added to a diagonal"
            yield Clue("rules.strong", entry.file, entry.line, score, why)
    for step in case.raise_slice:
        node = step.node
        named = step.roles[-1].removeprefix("argument ") if step.roles else ""
        if node.entry is not None or node.line <= 0 or not STEADIES.search(named):
            continue
        if any(abs(value) < LEAST_ADDED for value in _numbers(step)):
            why = f"`{named}` is {node.text} here: added to a diagonal, it changes nothing"
            yield Clue("rules.strong", node.file, node.line, 1.0, why)


def _numbers(step: Step) -> list[float]:
    """Return the number that a step's node is, none for anything computed."""
    node = step.node
    if node.line <= 0:
        return []
    is_plain = node.entry is not None or isinstance(node.expr, (ast.Constant, ast.UnaryOp))
    numbers = [c.value for c in node.constants] if is_plain else []
    return [float(v) for v in numbers if isinstance(v, (int, float)) and not isinstance(v, bool)]


ELEMENT_TYPES = re.compile(
    r"(?i)\bhalf\b|bfloat16|float16|float8|\bfp8\b|\bfp16\b|\bbf16\b|c10::|mixed precision"
    r"|HalfTensor|BFloat16|scalar type"
)
TYPE_SETTINGS = re.compile(r"(?i)precision|dtype|\bamp\b|fp16|bf16|fp8|half|autocast|quant")
TYPE_VALUES = re.compile(
    r"(?i)^(?:torch\.)?(?:float|fp|bf|bfloat|int|uint|e4m3|e5m2|half|16|8|32|true|double|4)[\w.-]*$"
)


def find_precision(case: Case) -> Iterator[Clue]:
    """Yield the settings by which a program chooses element types."""
    if not ELEMENT_TYPES.search(case.message):
        return
    for entry in case.config_entries:
        text = entry.text.strip("\"' ")
        if TYPE_SETTINGS.search(entry.key) and TYPE_VALUES.match(text) and len(text) < 24:
            why = f"`{entry.key}: {entry.text}` chooses an element type"
            yield Clue("rules.medium", entry.file, entry.line, 1.0, why)


MULTIPLE = re.compile(
    r"(?i)(?:divisible by|multiples? of|aligned to|alignment of) (?P<number>4|8|16|32|64|128)\b"
)


def find_core_sizes(case: Case) -> Iterator[Clue]:
    """Yield the settings and constants that the message's sizes come from and that do not fit."""
    match = MULTIPLE.search(case.message)
    if match is None:
        return
    wanted = int(match["number"])
    uneven = {n for n in numbers_of(case) if n > 1 and n % wanted}
    if not uneven:
        uneven = {int(n) for n in re.findall(r"(?<![\d.])\d+", case.message) if int(n) % wanted}
    for entry in case.config_entries:
        value = entry.value
        if isinstance(value, int) and not isinstance(value, bool) and value in uneven:
            why = f"`{entry.key}: {entry.text}` is no multiple of {wanted}"
            yield Clue("rules.strong", entry.file, entry.line, 1.0, why)
    for step in case.property_slice:
        node = step.node
        plain = node.entry is None and node.kind is StepKind.LITERAL
        numbers = {c.value for c in node.constants if isinstance(c.value, int)} if plain else set()
        for number in sorted(numbers & uneven):
            if node.line > 0:
                why = f"{number} is no multiple of {wanted}"
                yield Clue("rules.medium", node.file, node.line, 1.0, why)
