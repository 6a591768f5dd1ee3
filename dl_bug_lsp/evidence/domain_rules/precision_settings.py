"""Rules for settings that choose an element type, where a message complains of element types."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue

OF_TYPES = re.compile(
    r"(?i)\bhalf\b|bfloat16|float16|float8|\bfp8\b|\bfp16\b|\bbf16\b|c10::|mixed precision"
    r"|HalfTensor|BFloat16|scalar type"
)
NAMES = re.compile(r"(?i)precision|dtype|\bamp\b|fp16|bf16|fp8|half|autocast|quant")
VALUES = re.compile(
    r"(?i)^(?:torch\.)?(?:float|fp|bf|bfloat|int|uint|e4m3|e5m2|half|16|8|32|true|double|4)[\w.-]*$"
)


def find_precision(case: Case) -> Iterator[Clue]:
    """Yield the settings by which a program chooses element types."""
    if not OF_TYPES.search(case.message):
        return
    for entry in case.config_entries:
        text = entry.text.strip("\"' ")
        if NAMES.search(entry.key) and VALUES.match(text) and len(text) < 24:
            why = f"`{entry.key}: {entry.text}` chooses an element type"
            yield Clue("rules.medium", entry.file, entry.line, 1.0, why)
