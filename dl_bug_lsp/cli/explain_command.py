"""``dl-bug-lsp explain``: the page of a failure category."""

from __future__ import annotations

import argparse
import sys
from difflib import get_close_matches

from dl_bug_lsp.assistants.explaining import SYNONYMS, category_named, meaning_of
from dl_bug_lsp.cli.errors import FOUND, UsageError, terminal_width, wants_colour, write_text
from dl_bug_lsp.taxonomy.categories import categories
from dl_bug_lsp.views.explain import explain_text, overview_text
from dl_bug_lsp.views.layout import Style, wrap

CUTOFF = 0.45
"""How near a misspelt category must be to be meant; a beginning alone is enough."""
SLOW = frozenset(("slow", "slower", "slowness", "slow_training", "speed", "performance"))
SHORT_WORD = 4
CUTOFF_OF_SHORT = 0.7
"""The same of words so short that any other shares letters with them."""


def run(arguments: argparse.Namespace) -> int:
    """Print one category's page, or all categories in one line each; return 0.

    Raises `UsageError` if no category is known for the word or message.
    """
    style = Style(wants_colour(arguments.color, sys.stdout))
    rows = {row.id: row for row in categories()}
    if arguments.category is None:
        write_text(overview_text(list(rows.values()), style))
        return FOUND
    wanted = category_named(arguments.category)
    if wanted in rows:
        write_text(explain_text(rows[wanted], terminal_width(), style))
        return FOUND
    meaning = meaning_of(arguments.category)
    if meaning is None:
        cutoff = CUTOFF if len(wanted) > SHORT_WORD else CUTOFF_OF_SHORT
        close = get_close_matches(wanted, [*rows, *SYNONYMS], 1, cutoff)
        hint = f"did you mean {close[0]}?" if close else "'dl-bug-lsp explain' lists them"
        if wanted in SLOW:
            hint = "'communication_failure' is about runs that stand still"
        raise UsageError(f"there is no category '{arguments.category}'; {hint}")
    width = terminal_width()
    write_text("\n".join(wrap(f"This message is read as {meaning.category.id}.", width)) + "\n")
    own = {(advice.cause, advice.fix) for advice in meaning.advice}
    usual = {(item.advice.cause, item.advice.fix) for item in meaning.category.advice}
    for cause, fix in sorted(own - usual):
        write_text(
            "\n".join([*wrap(cause, width, "  - ", "    "), *wrap(fix, width, "    → ", "      ")])
        )
        write_text("\n")
    write_text("\n" + explain_text(meaning.category, width, style))
    return FOUND
