"""Settings that a script of the workspace writes, and that the failing run reads.

A file of settings that a preparing script writes (the size of a vocabulary, a list of classes) is
written again with its next run: what is wrong there is wrong in the statement that makes the
setting. Clues on the setting count mostly for that statement.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data.written_data import MOST_STEPS, is_made_at, writers_of
from dl_bug_lsp.evidence.interpreted_values import IN_DATA, IS_SIDE
from dl_bug_lsp.interpretation.values import Origin
from dl_bug_lsp.provenance.slices import backward_slice
from dl_bug_lsp.workspace.contents import ConfigEntry

WRITTEN = (".json", ".yaml", ".yml", ".toml")
OF_SETTING = 0.35
"""What a clue on a setting counts where the statement that makes it is known."""
MOST_ENTRIES = 2_000
"""Entries of a file beyond which it holds data."""


_MOVED = re.compile(r"makes `[^`]+` of [^`]{1,300}: ")


def is_moved(why: str) -> bool:
    """Whether a sentence is on a statement of a script that wrote a setting of the run."""
    return _MOVED.match(why) is not None


@dataclass(frozen=True, slots=True)
class _Maker:
    """The statement of a script that makes a setting, and the setting's key and file."""

    place: Origin
    key: str
    file: str


def moved(case: Case, clue: Clue) -> Iterator[Clue]:
    """Yield a clue, and where a script wrote the setting that it is on, what makes the setting."""
    maker = _maker(case, clue) if clue.file.endswith(WRITTEN) else None
    if maker is None:
        yield clue
        return
    yield replace(clue, score=clue.score * OF_SETTING)
    why = OWN_SETTING.sub("it is", clue.why.replace(IN_DATA, "it goes into"))
    said = f"makes `{maker.key}` of {maker.file}: {why}"
    yield replace(clue, file=maker.place[0], line=maker.place[1], why=said, suggestion=None)


OWN_SETTING = re.compile(rf"^{IS_SIDE} \(`[^`]*`\) is")
_MAKERS: WeakKeyDictionary[Case, dict[tuple[str, str], Origin | None]] = WeakKeyDictionary()


def _maker(case: Case, clue: Clue) -> _Maker | None:
    """Return what makes the one setting that a clue is about, None where it is not known."""
    entries = case.workspace.config_entries(clue.file)
    if len(entries) > MOST_ENTRIES:
        return None
    on_line = [e for e in entries if e.line == clue.line and isinstance(e.value, (int, float, str))]
    named = [e for e in on_line if re.search(rf"\b{re.escape(e.key)}\b", clue.why)]
    valued = [e for e in on_line if _speaks_of(clue.why, e)]
    chosen = next((found for found in (named, valued, on_line) if len(found) == 1), None)
    if chosen is None:
        return None
    known = _MAKERS.setdefault(case, {})
    key = chosen[0].key
    if (clue.file, key) not in known:
        known[clue.file, key] = _made(case, clue.file, key)
    place = known[clue.file, key]
    return _Maker(place, key, clue.file) if place is not None else None


def _speaks_of(why: str, entry: ConfigEntry) -> bool:
    """Whether a sentence has the value of a setting as a word of its own."""
    return re.search(rf"(?<![\w.]){re.escape(entry.text)}(?![\w.])", why) is not None


def _made(case: Case, file: str, key: str) -> Origin | None:
    """Return the one line that gives a setting its value in what a script writes into a file."""
    ran = {place.file for place in case.places}
    found: set[Origin] = set()
    for writing in writers_of(case, file):
        if not writing.sure or writing.file in ran:
            return None
        for step in backward_slice([writing.value], MOST_STEPS):
            node = step.node
            if node.entry is not None or node.line <= 0 or node.file != writing.file:
                continue
            if _holds_key(node.expr) and (line := _line_of(case, node.expr, node.file, key)):
                found.add((node.file, line))
    return found.pop() if len(found) == 1 else None


def _holds_key(expr: ast.expr) -> bool:
    return isinstance(expr, (ast.Dict, ast.Subscript, ast.Call))


def _line_of(case: Case, expr: ast.expr, file: str, key: str) -> int:
    """Return the line of an expression at which a key gets its value, 0 for none."""
    lines = range(expr.lineno, (expr.end_lineno or expr.lineno) + 1)
    return next((line for line in lines if is_made_at(case, file, line, key)), 0)
