"""Texts that stand where a list is gone through: a loop over a text gives its letters."""

from __future__ import annotations

from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.followed_run import follow
from dl_bug_lsp.messages import FactKind


def find_single_items(case: Case) -> Iterator[Clue]:
    """Yield the settings that are a text whose first letter is the key that is missing.

    The failing expression uses what was made of the setting.
    """
    keys = {str(fact.value) for fact in case.facts.of(FactKind.KEY)}
    letters = {key for key in keys if len(key) == 1 and key.isalpha()}
    if not letters or not case.places:
        return
    outcome = follow(case)
    raised = outcome.raised
    origins = {
        (file, abs(line))
        for value in (*outcome.operands, *(raised.sides if raised is not None else ()))
        for file, line in value.origins
        if not file.endswith(".py")
    }
    for file, line in sorted(origins):
        for entry in case.workspace.config_entries(file):
            text = entry.value
            if entry.line == line and isinstance(text, str) and text[:1] in letters and text[1:]:
                why = (
                    f"`{entry.key}` is the text `{text}`, which begins with the missing key "
                    f"`{text[0]}`: a loop over a text gives its letters, one over a list its items"
                )
                yield Clue("rules.strong", file, line, 1.0, why)
