"""Missing values that a program makes itself of tables that have all of theirs.

``pandas.cut`` gives NaN for what lies outside of its bins, the lowest edge included unless it is
asked for, and ``Series.map`` for what a dictionary lacks (pandas reference). The columns of the
workspace's files tell whether either happens. A call that reads a file without an empty cell leaves
none.
"""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Iterator
from itertools import islice

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.data.data_files import NANS, files_read
from dl_bug_lsp.evidence.data.written_data import about_nan
from dl_bug_lsp.evidence.domain_rules.syntax import keyword, source
from dl_bug_lsp.evidence.nan_sources import paths_of
from dl_bug_lsp.provenance.nodes import Const, Items, Mapping, Node
from dl_bug_lsp.provenance.scopes import Scope, called_name
from dl_bug_lsp.provenance.written_files import fits
from dl_bug_lsp.workspace.contents import Column, Table

TABLES = (".csv", ".tsv")
READERS = frozenset({"read_csv", "read_table"})
MOST_TABLES = 12
MOST_CALLS = 200
MOST_ROWS = 50_000
OF_BINS = 0.9
"""What the line counts that writes the bins down, of the call that has them."""
OF_FILLED = 0.4
"""What counts where the program fills or drops missing values somewhere."""
FILLS = re.compile(r"\b(?:fillna|dropna|ffill|bfill|interpolate|nan_to_num|\w*Imputer)\b")


def find(case: Case) -> Iterator[Clue]:
    """Yield the calls that make missing values, as the files that the run reads show."""
    share = about_nan(case)
    if share < 1.0:
        return
    tables = _tables(case)
    if not tables:
        return
    for file in case.code_files:
        text = case.workspace.text(file) or ""
        module = case.engine.program.module(file) if "cut(" in text or "map(" in text else None
        part = share * (OF_FILLED if FILLS.search(text) else 1.0)
        for scope in module.walk() if module is not None else ():
            for call in islice(scope.calls, MOST_CALLS):
                if called_name(call) == "cut" and call.args:
                    yield from _of_bins(case, scope, call, tables, part)
                elif called_name(call) == "map" and isinstance(call.func, ast.Attribute):
                    yield from _of_mapping(case, scope, call, tables, part)


def clue_factor(case: Case, clue: Clue) -> float:
    """Return 0 for the usual suspicion of a call that reads a file, if no cell of it is missing."""
    if clue.kind != "classics.place" or about_nan(case) < 1.0:
        return 1.0
    module = case.engine.program.module(clue.file)
    for scope in module.walk() if module is not None else ():
        for call in scope.calls:
            if call.lineno == clue.line and called_name(call) in READERS and call.args:
                return 0.0 if _is_complete(case, scope, call) else 1.0
    return 1.0


def _is_complete(case: Case, scope: Scope, call: ast.Call) -> bool:
    """Whether every file that a call may read is known, and none has a missing cell."""
    written = [path for path in paths_of(case, scope, call.args[0]) if path.strip("*")]
    if not written or any("*" in path for path in written):
        return False
    for path in written:
        files = [f for f in _table_files(case) if fits(path, f) is not None]
        tables = [case.workspace.table(file) for file in files]
        if not tables or any(table is None or _has_gaps(case, table) for table in tables):
            return False
    return True


def _has_gaps(case: Case, table: Table) -> bool:
    """Whether cells of a table are empty or read as missing, or may be: not all of it was read."""
    if table.is_cut or table.problem is not None or table.ragged or table.rows > MOST_ROWS:
        return True
    if any(column.empty_lines or column.missing_lines for column in table.columns):
        return True
    return any(cell.strip().lower() in NANS for row in _rows(case, table) for cell in row)


def _rows(case: Case, table: Table) -> Iterator[list[str]]:
    """Yield the cells of a delimited table row by row, its header apart."""
    lines = case.workspace.lines(table.file)[table.header_line or 0 :]
    yield from islice(csv.reader(lines, delimiter=table.delimiter or ","), MOST_ROWS)


def _table_files(case: Case) -> list[str]:
    read = [file for file in files_read(case) if file.endswith(TABLES)]
    return list(dict.fromkeys([*read, *(f for f in case.workspace.files() if f.endswith(TABLES))]))


def _tables(case: Case) -> list[Table]:
    tables = (case.workspace.table(file) for file in _table_files(case)[:MOST_TABLES])
    return [table for table in tables if table is not None and table.delimiter]


def _column(case: Case, expr: ast.expr, tables: list[Table]) -> tuple[Table, Column] | None:
    """Return the column that an expression takes of a table, if one file alone has it.

    The program must not give it other values anywhere.
    """
    name = ""
    if isinstance(expr, ast.Subscript) and isinstance(expr.slice, ast.Constant):
        name = expr.slice.value if isinstance(expr.slice.value, str) else ""
    elif isinstance(expr, ast.Attribute):
        name = expr.attr
    found = [(t, c) for t in tables if (c := t.column(name)) is not None] if name else []
    given = re.compile(rf"\[['\"]{re.escape(name)}['\"]\]\s*=(?!=)|\b{re.escape(name)}\s*=(?!=)")
    if len(found) != 1 or any(given.search(case.workspace.text(f) or "") for f in case.code_files):
        return None
    return found[0]


# ---------------------------------------------------------------------- bins
def _of_bins(
    case: Case, scope: Scope, call: ast.Call, tables: list[Table], share: float
) -> Iterator[Clue]:
    bins = keyword(call, "bins") or (call.args[1] if len(call.args) > 1 else None)
    held = _column(case, call.args[0], tables)
    if bins is None or held is None:
        return
    node = case.engine.node(bins, case.engine.open_context(scope))
    edges, place = _edges(node)
    table, column = held
    if len(edges) < 2 or column.minimum is None or column.maximum is None:
        return
    right, lowest = keyword(call, "right"), keyword(call, "include_lowest")
    is_right = not (isinstance(right, ast.Constant) and right.value is False)
    has_lowest = not is_right or (isinstance(lowest, ast.Constant) and lowest.value is True)
    if lowest is not None and not isinstance(lowest, ast.Constant):
        return
    low, high = min(edges), max(edges)
    said = ""
    if column.minimum < low or (column.minimum == low and not has_lowest):
        said = f"begins at {column.minimum:g} (line {column.minimum_line})"
        said = f"{said}, the first bin {'at' if has_lowest else 'above'} {low:g}"
    elif column.maximum > high or (column.maximum == high and not is_right):
        said = f"ends at {column.maximum:g} (line {column.maximum_line})"
        said = f"{said}, the last bin {'at' if is_right else 'below'} {high:g}"
    if not said:
        return
    why = f"gives NaN outside of its bins: `{column.name}` of {table.file} {said}"
    yield Clue("data_files.explains", scope.file, call.lineno, share, f"`{source(call)}` {why}")
    if place is not None and place != (scope.file, call.lineno):
        why = f"these are the bins of line {call.lineno}, whose call {why}"
        yield Clue("data_files.explains", *place, share * OF_BINS, why)


def _edges(node: Node) -> tuple[list[float], tuple[str, int] | None]:
    """Return the edges of bins that are written down, and where; none where any is not known."""
    lists = [value for value in node.values if isinstance(value, Items)]
    if len(lists) != 1 or not lists[0].complete or len(node.values) != 1:
        return [], None
    edges: list[float] = []
    for item in lists[0].items:
        text = item.text.replace(" ", "").lower()
        if re.fullmatch(
            r"[-+]?(?:(?:np|numpy|math)\.inf|float\(['\"][-+]?inf(?:inity)?['\"]\))", text
        ):
            edges.append(float("-inf") if "-" in text else float("inf"))
            continue
        numbers = [c.value for c in item.constants if isinstance(c.value, (int, float))]
        if len(numbers) != 1:
            return [], None
        edges.append(float(numbers[0]))
    first = lists[0].items[0]
    return edges, (first.file, first.line)


# ---------------------------------------------------------------------- mappings
def _of_mapping(
    case: Case, scope: Scope, call: ast.Call, tables: list[Table], share: float
) -> Iterator[Clue]:
    assert isinstance(call.func, ast.Attribute)
    held = _column(case, call.func.value, tables)
    if held is None or len(call.args) != 1:
        return
    node = case.engine.node(call.args[0], case.engine.open_context(scope))
    mappings = [value for value in node.values if isinstance(value, Mapping)]
    if len(mappings) != 1 or len(node.values) != 1 or not mappings[0].complete:
        return
    keys: set[str] = set()
    for key, _ in mappings[0].pairs:
        constants = key.constants if key is not None else ()
        if len(constants) != 1:
            return
        keys.add(_as_cell(constants[0]))
    table, column = held
    at = next(i for i, other in enumerate(table.columns) if other is column)
    for number, row in enumerate(_rows(case, table), (table.header_line or 0) + 1):
        cell = row[at].strip() if at < len(row) else ""
        if cell and cell not in keys and _as_cell(Const(_number(cell))) not in keys:
            why = f"gives NaN for `{cell}` of `{column.name}` ({table.file}, line {number})"
            why = f"`{source(call)}` {why}: the mapping has no such key"
            yield Clue("data_files.explains", scope.file, call.lineno, share, why)
            places = {(value.file, value.line) for _, value in mappings[0].pairs}
            for file, line in sorted(places)[:1]:
                if (file, line) != (scope.file, call.lineno):
                    missing = f"the mapping has no key `{cell}`, which `{column.name}` holds"
                    missing = f"{missing} ({table.file}, line {number})"
                    yield Clue("data_files.explains", file, line, share * OF_BINS, missing)
            return


def _number(cell: str) -> str | float:
    try:
        return float(cell)
    except ValueError:
        return cell


def _as_cell(constant: Const) -> str:
    value = constant.value
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return f"{float(value):g}" if is_number else str(value)  # type: ignore[arg-type]
