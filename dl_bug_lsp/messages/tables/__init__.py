"""The tables of message families, one module a framework, in the order of trial."""

from __future__ import annotations

from dl_bug_lsp.messages.families import Family
from dl_bug_lsp.messages.tables import (
    config,
    jax,
    keras,
    lightning,
    platform,
    python,
    scientific,
    tensorflow,
    torch,
    transformers,
)

TABLES: tuple[tuple[str, tuple[Family, ...]], ...] = (
    ("torch", torch.STATE),
    ("torch", torch.SHAPES),
    ("torch", torch.TRAINING),
    ("keras", keras.FAMILIES),
    ("tensorflow", tensorflow.FAMILIES),
    ("jax", jax.FAMILIES),
    ("transformers", transformers.FAMILIES),
    ("lightning", lightning.FAMILIES),
    ("numpy", scientific.NUMPY),
    ("pandas", scientific.PANDAS),
    ("sklearn", scientific.SKLEARN),
    ("platform", platform.FAMILIES),
    ("config", config.FILES),
    ("command", config.COMMAND_LINE),
    ("python", python.FAMILIES),
    ("python", python.CALLS),
)
