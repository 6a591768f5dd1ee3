"""The tables of message families, one module a framework, in the order of trial."""

from __future__ import annotations

from dl_bug_lsp.messages.families import Family
from dl_bug_lsp.messages.tables import (
    config,
    data,
    jax,
    keras,
    lightning,
    numpy,
    platform,
    python,
    python_calls,
    tensorflow,
    torch_shapes,
    torch_state,
    torch_training,
    transformers,
)

TABLES: tuple[tuple[str, tuple[Family, ...]], ...] = (
    ("torch", torch_state.FAMILIES),
    ("torch", torch_shapes.FAMILIES),
    ("torch", torch_training.FAMILIES),
    ("keras", keras.FAMILIES),
    ("tensorflow", tensorflow.FAMILIES),
    ("jax", jax.FAMILIES),
    ("transformers", transformers.FAMILIES),
    ("lightning", lightning.FAMILIES),
    ("numpy", numpy.FAMILIES),
    ("pandas", data.PANDAS),
    ("sklearn", data.SKLEARN),
    ("platform", platform.FAMILIES),
    ("config", config.FILES),
    ("command", config.COMMAND_LINE),
    ("python", python.FAMILIES),
    ("python", python_calls.FAMILIES),
)
