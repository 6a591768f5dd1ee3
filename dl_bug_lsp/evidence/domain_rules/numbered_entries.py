"""Files that give each name a number, where the numbers do not begin at 0 or leave some out.

A table with a row for each name has rows from 0 on: the highest number is beyond its end.
"""

from __future__ import annotations

from collections.abc import Iterator

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.followed_run import follow
from dl_bug_lsp.evidence.interpretation import origins_of
from dl_bug_lsp.workspace.contents import ConfigEntry

FEWEST_NAMES = 2
OF_LOWEST = 0.6
"""What the lowest number counts, from which the others may have been counted on."""


def find_numbered_entries(case: Case) -> Iterator[Clue]:
    """Yield the highest and the lowest number of a file whose numbers reach beyond their count.

    The failing index was made of them.
    """
    raised = follow(case).raised if case.places and case.category.id == "illegal_index" else None
    if raised is None or raised.weight < 1.0:
        return
    origins = {(file, abs(line)) for side in raised.sides for file, line in origins_of(side)}
    for file in sorted({file for file, _ in origins if not file.endswith(".py")}):
        for entries in _numbered(case, file):
            count, numbers = len(entries), [entry.value for entry in entries]
            lowest, highest = min(entries, key=_number), max(entries, key=_number)
            is_part = any((file, entry.line) in origins for entry in entries)
            is_short = _number(highest) >= count and _number(highest) <= 2 * count
            if not is_part or not is_short or len(set(numbers)) < count or _number(lowest) < 0:
                continue
            begins = f"the {count} numbers here begin at {_number(lowest)}"
            beyond = f"a table with {count} rows ends with row {count - 1}"
            why = f"`{highest.key}` is {_number(highest)}: {begins}, and {beyond}"
            yield Clue("data_files.explains", file, highest.line, 1.0, why)
            if _number(lowest) > 0:
                why = f"{begins}, and {beyond}"
                yield Clue("data_files.explains", file, lowest.line, OF_LOWEST, why)


def _number(entry: ConfigEntry) -> int:
    return entry.value if type(entry.value) is int else 0


def _numbered(case: Case, file: str) -> Iterator[list[ConfigEntry]]:
    """Yield the tables of a file that give each of their keys a whole number."""
    tables: dict[tuple[str | int, ...], list[ConfigEntry]] = {}
    for entry in case.workspace.config_entries(file):
        if entry.path and entry.length is None:
            tables.setdefault(entry.path[:-1], []).append(entry)
    for entries in tables.values():
        named = all(isinstance(entry.path[-1], str) for entry in entries)
        if named and len(entries) >= FEWEST_NAMES and all(type(e.value) is int for e in entries):
            yield entries
