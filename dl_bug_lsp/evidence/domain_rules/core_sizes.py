"""Rules for sizes that a kernel wants to be multiples of 8 or 16, as those of tensor cores do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data_files import numbers_of
from dl_bug_lsp.provenance.nodes import StepKind

WANTED = re.compile(
    r"(?i)(?:divisible by|multiples? of|aligned to|alignment of) (?P<number>4|8|16|32|64|128)\b"
)


def find_core_sizes(case: Case) -> Iterator[Clue]:
    """Yield the settings and constants that the message's sizes come from and that do not fit."""
    match = WANTED.search(case.message)
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
