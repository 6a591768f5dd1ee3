"""A spectrum as a table, as JSON, and as a heat map.

The heat map shows executed files with their suspicious lines in one HTML file that needs nothing
else. Suspicion shows twice, as the depth of one colour (vermilion of Okabe and Ito's palette, which
all kinds of colour vision distinguish from the ground) and as the length of a bar.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape as html_escape
from importlib import resources
from typing import Any

from dl_bug_lsp.report import percent
from dl_bug_lsp.spectrum.formulas import COMBINED, Table, TableRow
from dl_bug_lsp.views.escape import escape, one_line, shorten
from dl_bug_lsp.views.layout import PLAIN, Lines, PathStyle, Style

OTHERS = 10


def tests_in_words(table: Table) -> str:
    """Return how many runs there are of each kind, and what is ranked how, of several failures."""
    runs = f"{table.failing} failing and {table.passing} passing {table.of}"
    ranked = "branches" if table.level == "branch" else f"{table.level}s"
    of = f", for the failure of {one_line(table.failure)}" if table.others and table.failure else ""
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
        return percent(row.score)
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
    file_lines = lines(row.element.file)
    at = row.element.line - 1
    return one_line(file_lines[at]) if 0 <= at < len(file_lines) else ""


OPEN = 3
"""Files that are unfolded at first."""
MOST_FILES = 100
GAP = 12
"""More lines than this that no test ran are left out between two that were."""
AROUND = 3
LONGEST = 300


@dataclass(frozen=True, slots=True)
class HeatFile:
    """A file: its suspicious lines (1 the most), and how many failing and passing runs ran each."""

    name: str
    lines: Sequence[str]
    heat: Mapping[int, float] = field(default_factory=dict)
    counts: Mapping[int, tuple[int, int]] = field(default_factory=dict)


def heat_map(
    title: str, table: Table, files: Sequence[HeatFile], lines: Lines, notes: Sequence[str] = ()
) -> str:
    """Return the page; ``files`` stand in the order given, the first few unfolded."""
    style = resources.files("dl_bug_lsp.views").joinpath("heat_map.css").read_text("utf-8")
    summary = tests_in_words(table)
    shown = files[:MOST_FILES]
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{_text(title)}</title>",
        f"<style>\n{style}</style></head><body>",
        f"<header><h1>{_text(title)}</h1><p>{_text(summary)}</p>",
        *(f'<p class="note">{_text(note)}</p>' for note in notes),
        '<p class="legend">suspicion: less '
        + "".join(f'<i class="h{step}"></i>' for step in range(1, 11, 3))
        + " more · <b>F</b> failing, <b>P</b> passing runs of a line;"
        " blue: run, not suspicious</p></header><main>",
        *_table(table, lines, {file.name: at for at, file in enumerate(shown)}),
        *_others(table),
        "<h2>Files</h2>",
    ]
    for at, file in enumerate(shown):
        parts.extend(_file(at, file, is_open=at < OPEN))
    if len(files) > len(shown):
        parts.append(f"<p>{len(files) - len(shown)} more files are left out.</p>")
    parts.append("</main></body></html>\n")
    return "\n".join(parts)


def _table(table: Table, lines: Lines, number: Mapping[str, int]) -> Iterator[str]:
    unit = "share" if table.formula == COMBINED else "score"
    yield f"<h2>Most suspicious</h2><table><thead><tr><th>rank<th>{unit}<th>F<th>P<th>place"
    yield "<th>code</tr></thead><tbody>"
    for row in table.rows:
        element = row.element
        place = f"{element.file}:{element.line}"
        shown = _text(place)
        if element.file in number:
            shown = f'<a href="#f{number[element.file]}l{element.line}">{shown}</a>'
        if element.target:
            shown += f" {_text(jump_of(row))}"
        if element.function:
            shown += f" <small>{_text(element.function)}</small>"
        failing, passing = ("–" if n is None else str(n) for n in (row.failing, row.passing))
        why = f' title="{_text(row.why)}"' if row.why else ""
        yield (
            f"<tr{why}><td>{ranks(row)}<td>{value(row, table)}<td>{failing}<td>{passing}"
            f"<td>{shown}<td><code>{_text(code_of(row, lines))}</code></tr>"
        )
    yield "</tbody></table>"


def _others(table: Table) -> Iterator[str]:
    if table.others:
        yield "<h2>Other failures</h2><ul>"
        yield from (f"<li>{_text(name)}: {_text(place)}</li>" for name, place in table.others)
        yield "</ul>"


def _file(at: int, file: HeatFile, *, is_open: bool) -> Iterator[str]:
    failing = sum(1 for ef, _ in file.counts.values() if ef)
    opened = " open" if is_open else ""
    yield f"<details{opened}><summary>{_text(file.name)} <small>{failing} lines run by failing"
    yield 'tests</small></summary><table class="code"><tbody>'
    last = 0
    for number in _shown(file):
        if number != last + 1:
            yield f'<tr class="gap"><td colspan="4">{number - last - 1} lines</tr>'
        yield _line(at, number, file)
        last = number
    if last < len(file.lines):
        yield f'<tr class="gap"><td colspan="4">{len(file.lines) - last} lines</tr>'
    yield "</tbody></table></details>"


def _shown(file: HeatFile) -> list[int]:
    """Return the lines that are shown: the executed ones, and short gaps between them."""
    marked = sorted(n for n in {*file.counts, *file.heat} if 1 <= n <= len(file.lines))
    shown: set[int] = set()
    for number, following in zip(
        marked, [*marked[1:], len(file.lines) + GAP + AROUND], strict=True
    ):
        shown.update(range(max(1, number - AROUND), number + AROUND + 1))
        if following - number <= GAP:
            shown.update(range(number, following))
    return sorted(n for n in shown if n <= len(file.lines))


def _line(at: int, number: int, file: HeatFile) -> str:
    warmth = file.heat.get(number, 0.0)
    step = min(10, max(1, round(10 * warmth**0.5))) if warmth > 0.001 else 0
    ef, ep = file.counts.get(number, (None, None))
    kind = f"h{step}" if step else "ran" if ef is not None else "idle"
    counted = "" if ef is None else f"{ef} F · {ep} P"
    bar = f'<i style="width:{max(1, round(100 * warmth))}%"></i>' if step else ""
    code = _text(shorten(file.lines[number - 1].rstrip("\n"), LONGEST))
    return (
        f'<tr id="f{at}l{number}" class="{kind}"><td class="bar">{bar}<td class="n">{number}'
        f'<td class="c">{counted}<td class="s"><code>{code}</code></tr>'
    )


def _text(text: str) -> str:
    return html_escape(escape(text))
