"""The ranked table of a spectrum for people, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dl_bug_lsp.spectrum.table import COMBINED, Table, TableRow
from dl_bug_lsp.views import words
from dl_bug_lsp.views.code import Lines
from dl_bug_lsp.views.escape import one_line, shorten
from dl_bug_lsp.views.paths import PathStyle
from dl_bug_lsp.views.style import PLAIN, Style

OTHERS = 10


def tests_in_words(table: Table) -> str:
    """Return how many runs there are of each kind, and what is ranked how, of several failures."""
    runs = f"{table.failing} failing and {table.passing} passing runs"
    ranked = "branches" if table.level == "branch" else f"{table.level}s"
    of = f", for the failure of {one_line(table.failure)}" if table.others else ""
    return f"{runs}: {ranked} by {table.formula}{of}"


def table_text(
    table: Table,
    lines: Lines,
    notes: Sequence[str] = (),
    width: int = 100,
    style: Style = PLAIN,
    paths: PathStyle | None = None,
) -> str:
    """Return the table, one element in two lines: ranks and counts, then its code."""
    prefix = (paths or PathStyle()).prefix
    unit = "share" if table.formula == COMBINED else "score"
    out = [
        style.bold(f"Spectrum of {tests_in_words(table)}"),
        *(style.dim(one_line(note)) for note in notes),
        "",
        style.heading(f"{'rank':>7}  {unit:>6}  {'failing':>8}  {'passing':>8}  place"),
    ]
    for row in table.rows:
        head = f"{ranks(row):>7}  {value(row, table):>6}  {counts(row, table)}"
        place = style.place(f"{one_line(prefix + row.element.file)}:{row.element.line}")
        inside = f"  in {one_line(row.element.function)}" if row.element.function else ""
        jump = f" {jump_of(row)}" if row.element.target else ""
        out.append(f"{head}  {place}{jump}{style.dim(inside)}")
        code = code_of(row, lines)
        if code:
            out.append(" " * 37 + shorten(code, max(width - 37, 20)))
    if table.others:
        out += ["", style.heading("Other failures")]
        out += [f"  {one_line(name)}: {one_line(place)}" for name, place in table.others[:OTHERS]]
    return "\n".join(out) + "\n"


def table_json(table: Table, lines: Lines, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Return the table for programs; lines and ranks are 1-based (docs/spectrum.md)."""
    rows = []
    for row in table.rows:
        element = row.element
        shown: dict[str, Any] = {
            "rank": [row.best, row.worst],
            "score": round(row.score, 6),
            "file": element.file,
            "line": element.line,
            "function": element.function or None,
            "failing": row.failing,
            "passing": row.passing,
            "code": code_of(row, lines),
        }
        if element.target:
            shown["target"] = element.target
        if row.why:
            shown["why"] = row.why
        rows.append(shown)
    return {
        "version": 1,
        "formula": table.formula,
        "level": table.level,
        "failing": table.failing,
        "passing": table.passing,
        "failure": table.failure,
        "notes": list(notes),
        "rows": rows,
        "others": [{"test": test, "place": place} for test, place in table.others],
    }


def ranks(row: TableRow) -> str:
    """Return the rank, or the range of a tie."""
    return str(row.best) if row.best == row.worst else f"{row.best}-{row.worst}"


def value(row: TableRow, table: Table) -> str:
    """Return a share in per cent, a formula's score with three digits."""
    if table.formula == COMBINED:
        return words.percent(row.score)
    return f"{row.score:.3f}" if row.score < 1000 else f"{row.score:.0f}"


def counts(row: TableRow, table: Table) -> str:
    """Return the counts in two columns, dashes where no run can be seen."""
    pairs = ((row.failing, table.failing), (row.passing, table.passing))
    return "  ".join(f"{'-' if n is None else f'{n}/{total}':>8}" for n, total in pairs)


def jump_of(row: TableRow) -> str:
    """Return where a branch goes."""
    target = row.element.target
    return f"-> {target}" if target > 0 else "-> end of the function"


def code_of(row: TableRow, lines: Lines) -> str:
    """Return the line's code, empty where there is none."""
    found = lines(row.element.file)
    at = row.element.line - 1
    return one_line(found[at]) if 0 <= at < len(found) else ""
