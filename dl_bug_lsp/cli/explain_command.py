"""``dl-bug-lsp explain``: the page of a failure category."""

from __future__ import annotations

import argparse
import sys
from difflib import get_close_matches

from dl_bug_lsp.cli.errors import FOUND, UsageError
from dl_bug_lsp.cli.terminal import terminal_width, wants_colour, write_text
from dl_bug_lsp.taxonomy.categories import categories
from dl_bug_lsp.views.explain import explain_text, overview_text
from dl_bug_lsp.views.style import Style

CUTOFF = 0.45
"""How near a misspelt category must be to be meant; a beginning alone is enough."""


def run(arguments: argparse.Namespace) -> int:
    """Print one category's page, or all categories in one line each; return 0."""
    style = Style(wants_colour(arguments.color, sys.stdout))
    rows = {row.id: row for row in categories()}
    if arguments.category is None:
        write_text(overview_text(list(rows.values()), style))
        return FOUND
    wanted = arguments.category.strip().lower().replace("-", "_").replace(" ", "_")
    if wanted not in rows:
        close = get_close_matches(wanted, rows, 1, CUTOFF)
        hint = f"did you mean {close[0]}?" if close else "'dl-bug-lsp explain' lists them"
        raise UsageError(f"there is no category '{arguments.category}'; {hint}")
    write_text(explain_text(rows[wanted], terminal_width(), style))
    return FOUND
