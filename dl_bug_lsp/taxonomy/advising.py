"""What usually causes a failure of this kind and what fixes it."""

from __future__ import annotations

import re

from dl_bug_lsp.report import Advice, CategoryVerdict
from dl_bug_lsp.taxonomy.categories import ConditionalAdvice, category
from dl_bug_lsp.taxonomy.scene import Scene, find_phrase
from dl_bug_lsp.tracebacks.values import Failure

MOST = 3
"""Pieces of advice that are given at most."""
IN_NOTEBOOK = "in a notebook's cell"
"""What a row's ``when`` says to be given for failures of notebooks only."""
_CELL = re.compile(r"\bIn ?\[ ?\d+ ?\]|ipython-input-|ipykernel_\d|\.ipynb\b|vscode-notebook-cell:")


def advice(
    failure: Failure, verdict: CategoryVerdict, ran_in_order: bool = False
) -> tuple[Advice, ...]:
    """Return usual causes with their fixes: first those that the message itself points at.

    ``ran_in_order`` says that a notebook's cells are known to have run once, from the top.
    """
    text = Scene(failure, failure.cause).text if failure.cause is not None else ""
    text = f"{text} {failure.evidence.lower()}"
    if not ran_in_order and any(_CELL.search(frame.file) for frame in failure.frames):
        text += f" {IN_NOTEBOOK}"
    rows = category(verdict.id).advice
    pointed = [row.advice for row in rows if row.when and _applies(row, text)]
    general = [row.advice for row in rows if not row.when]
    return tuple((*pointed, *general)[:MOST])


def _applies(row: ConditionalAdvice, text: str) -> bool:
    return any(find_phrase(text, phrase) for phrase in row.when)
