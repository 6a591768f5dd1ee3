"""The tables of message families, one module a framework, in the order of trial."""

from __future__ import annotations

from dl_bug_lsp.messages.families import Family
from dl_bug_lsp.messages.tables import (
    python,
    python_calls,
    tensorflow,
    torch_shapes,
    torch_state,
    torch_training,
)

TABLES: tuple[tuple[str, tuple[Family, ...]], ...] = (
    ("torch", torch_state.FAMILIES),
    ("torch", torch_shapes.FAMILIES),
    ("torch", torch_training.FAMILIES),
    ("tensorflow", tensorflow.FAMILIES),
    ("python", python.FAMILIES),
    ("python", python_calls.FAMILIES),
)
