"""Placeholder."""

from __future__ import annotations


def classify_text(class_name: str, message: str) -> tuple[str, float]:
    """Nothing yet."""
    return "unclassified", 0.0
