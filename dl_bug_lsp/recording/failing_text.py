"""What the failing tests printed, as one text in pytest's form, for `localize`."""

from __future__ import annotations

from collections.abc import Mapping

MOST = 5
"""Tests whose output is told: of those that end in the same line only the first."""


def failing_text(texts: Mapping[str, str], most: int = MOST) -> str:
    """Return the outputs of failing tests under pytest's headings; ``texts`` are by test name."""
    told: dict[str, str] = {}
    for name in sorted(texts):
        text = texts[name].strip("\n")
        if text:
            told.setdefault(_ending(text), f"{_heading(name)}\n\n{text}\n")
    sections = list(told.values())[:most]
    if not sections:
        return ""
    title = " FAILURES ".center(_WIDTH, "=")
    return "\n".join([title, *sections])


_WIDTH = 80


def _heading(name: str) -> str:
    """Return pytest's heading of a test: its classes and name."""
    short = name.partition("::")[2].replace("::", ".") or name
    return f" {short} ".center(_WIDTH, "_")


def _ending(text: str) -> str:
    return text.rpartition("\n")[2]
