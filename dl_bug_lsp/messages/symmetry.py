"""Messages of sizes that differ, which do not say which of them is right."""

from __future__ import annotations

import re

from dl_bug_lsp.messages.facts import MessageFacts

SYMMETRIC = {
    *("broadcast", "concat", "dot", "label_shape", "length", "matmul", "merge_shapes", "mv"),
    *("same_dimension", "shapes_incompatible", "stack"),
}
"""Families of messages that name sizes which differ, and do not say which of them is right."""
ASKS = re.compile(r"\b(?:expect|should|request|need|want)|\bdoesn't match\b|\b(?:in)?to shape\b")
"""What a message that asks for one of its sizes says."""


def is_symmetric(facts: MessageFacts, message: str) -> bool:
    """Whether a message names sizes that differ without saying which one was asked for."""
    family = (facts.family or "").rpartition(".")[2]
    if "equal size, but got" in message:
        return True
    return family in SYMMETRIC and not ASKS.search(message)
