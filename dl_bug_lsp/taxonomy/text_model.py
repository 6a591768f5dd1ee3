"""The trained classifier for exceptions that no rule knows."""

from __future__ import annotations

from functools import cache

from dl_bug_lsp.taxonomy.linear_model import LinearModel, load_model, message_tokens

MODEL_FILE = "text_model.json"
"""Weights as `benchmarks/train_taxonomy.py` wrote them from `training.tsv`."""


@cache
def text_model() -> LinearModel:
    """Return the classifier of exceptions by category."""
    return load_model(MODEL_FILE)


def classify_text(class_name: str, message: str) -> tuple[str, float]:
    """Return the likeliest category of an exception with its probability (0 to 1)."""
    return text_model().best(message_tokens(class_name, message))
