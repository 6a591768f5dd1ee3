"""Checks of data tables: cells that are no number, wide rows, missing files."""

from __future__ import annotations

import csv
import fnmatch
import posixpath
import re
from collections.abc import Iterator

from dl_bug_lsp.cancellation import checkpoint
from dl_bug_lsp.checks.findings import Certainty, Check, Finding
from dl_bug_lsp.checks.program import CheckedProgram, finding

ROW = Check(
    "missing-data-file",
    "path_not_found",
    Certainty.LIKELY,
    "A row of a data table names a file that does not exist, while nearly all others do.",
    "Columns of CSV and TSV files that the code or its configs name. A name that differs in "
    "upper and lower case only is reported as such.",
    "images/DSC_0123.PNG,healthy     # the file is DSC_0123.png",
)
CELL = Check(
    "data-value",
    "corrupt_data",
    Certainty.LIKELY,
    "A cell of a data table is no number, while all others of its column are.",
    "CSV and TSV files that the code or its configs name, columns of at least 20 numbers with at "
    "most two other values. Empty cells and the words that pandas reads as missing are left out, "
    "and programs that deal with such values: errors='coerce', na_values, thousands, converters, "
    "or the value itself as a text of the code.",
    "2023-04-02,1,204.50            # 1,204.50 of a column of amounts",
)
WIDTH = Check(
    "row-width",
    "corrupt_data",
    Certainty.LIKELY,
    "A row of a CSV file has more fields than its header.",
    "Where pandas reads the file, which refuses such a row, and at most three rows have more "
    "fields. on_bad_lines and error_bad_lines are left out.",
    "12,rain, wind,4                # a comma in a text without quotes",
)
CHECKS = (ROW, CELL, WIDTH)

MOST_ROWS = 20_000
MOST_TABLES = 40
LEAST_ROWS = 5
LEAST_SHARE = 0.8
LEAST_NUMBERS = 20
MOST_ODD = 2
MISSING = frozenset(
    ("", "na", "n/a", "nan", "null", "none", "<na>", "#n/a", "#na", "-nan", "#n/a n/a",
     "-1.#ind", "1.#ind", "1.#qnan", "-1.#qnan", "inf", "-inf", "true", "false")
)  # fmt: skip
"""Words that pandas reads as no value, or as a number, in lower case."""
TOLERANT = ("coerce", "na_values", "thousands=", "converters", "except ValueError", "genfromtxt",
            "decimal=", "invalid_raise", "isnumeric", "isdigit")  # fmt: skip
LISTING = ("glob(", "listdir(", "iterdir(", "scandir(", "os.walk(", "*.csv", "*.tsv")


def find(program: CheckedProgram) -> Iterator[Finding]:
    """Yield what is wrong in the tables that the runs read."""
    named = named_tables(program)
    if not named:
        return
    workspace = program.workspace
    text = program.source
    texts = program.texts
    folders = sorted({posixpath.dirname(file) for file in workspace.files()})
    for file in named[:MOST_TABLES]:
        checkpoint()
        yield from _table(program, file, folders)
        if not any(word in text for word in TOLERANT):
            yield from _cells(program, file, texts)
        if "read_csv(" in text and "bad_lines" not in text:
            yield from _widths(program, file)


def named_tables(program: CheckedProgram, ends: tuple[str, ...] = (".csv", ".tsv")) -> list[str]:
    """Return the tables that the code or its configs name, or read as a folder."""
    workspace = program.workspace
    tables = [f for f in workspace.files() if f.endswith(ends)]
    if not tables:
        return []
    text = program.source
    words = [word.text for entry in program.entries for word in entry.words]
    values = (str(e.value) for e in workspace.config_entries() if isinstance(e.value, str))
    settings = " ".join([*values, *words])
    lists = any(word in text for word in LISTING)
    texts = [*program.texts, *settings.split()]
    patterns = [p.rpartition("/")[2] for p in texts if "*" in p]
    patterns = [p for p in patterns if p.endswith(("csv", "tsv")) and len(p) > len("*.csv")]

    def is_named(file: str) -> bool:
        folder, name = posixpath.split(file)
        if name in text or name in settings:
            return True
        if any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            return True
        last = posixpath.basename(folder)
        return lists and bool(last) and (
            re.search(rf"['\"/]{re.escape(last)}['\"/]", text) is not None
            or f"{last} " in f"{settings} " or f"/{last}" in settings
        )  # fmt: skip

    return [file for file in tables if is_named(file)]


def _cells(program: CheckedProgram, file: str, texts: frozenset[str]) -> Iterator[Finding]:
    """Yield cells that are no number in a column of numbers."""
    table = program.workspace.table(file)
    for column in table.columns if table is not None else ():
        odd = [(line, cell) for line, cell in column.odd if cell.strip().lower() not in MISSING]
        others = column.filled - column.numbers
        if not odd or column.numbers < LEAST_NUMBERS or others > MOST_ODD:
            continue
        for line, cell in odd:
            marks = re.sub(r"[\w\s]", "", cell)
            if cell.strip() in texts or (marks and marks in texts):
                continue
            where = f"column '{column.name[:60]}'"
            if table is not None and table.header_line is None and column.name.isdecimal():
                where = f"field {int(column.name) + 1}"
            message = f"'{cell[:60]}' in {where} is no number."
            reason = f"The other {column.numbers} values of the column are."
            yield finding(CELL, file, line, message, reason)


def _widths(program: CheckedProgram, file: str) -> Iterator[Finding]:
    """Yield rows that have more fields than the header."""
    table = program.workspace.table(file)
    if table is None or table.header_line is None or not table.delimiter:
        return
    width = len(table.columns)
    wide = [(line, fields) for line, fields in table.ragged if fields > width]
    if not wide or len(wide) > 3 or table.rows < LEAST_NUMBERS:
        return
    for line, fields in wide:
        message = f"This row has {fields} fields, and the header has {width}."
        yield finding(WIDTH, file, line, message, "pandas does not read a file with such a row.")


def _table(program: CheckedProgram, file: str, folders: list[str]) -> Iterator[Finding]:
    workspace = program.workspace
    lines = workspace.lines(file)[:MOST_ROWS]
    delimiter = "\t" if file.endswith(".tsv") else ","
    try:
        reader = csv.reader(lines, delimiter=delimiter)
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error:
        return
    if len(rows) <= LEAST_ROWS:
        return
    for column in range(min(len(rows[0][1]), 30)):
        cells = [(n, row[column].strip()) for n, row in rows[1:] if column < len(row)]
        cells = [(n, c) for n, c in cells if c]
        paths = [c for _, c in cells[:50] if posixpath.splitext(c)[1] and " " not in c]
        if len(cells) < LEAST_ROWS or len(paths) < 0.9 * min(len(cells), 50):
            continue
        base = _base(program, folders, posixpath.dirname(file), [c for _, c in cells])
        if base is None:
            continue
        missing = [(n, c) for n, c in cells if not _is_there(program, _at(base, c))]
        if not missing or len(missing) > (1 - LEAST_SHARE) * len(cells):
            continue
        for number, cell in missing[:20]:
            other = _other_case(program, _at(base, cell))
            reason = (
                f"The file is '{other}'." if other else f"The other rows' files lie in '{base}'."
            )
            yield finding(ROW, file, number, f"There is no file '{cell[:120]}'.", reason)


def _base(program: CheckedProgram, folders: list[str], own: str, cells: list[str]) -> str | None:
    """Return the folder below which nearly all cells are files."""
    sample = cells[:: max(len(cells) // 40, 1)]
    for folder in dict.fromkeys((own, "", *folders)):
        if not _is_there(program, _at(folder, sample[0])) and len(sample) > 1 and (
            not _is_there(program, _at(folder, sample[1]))
        ):  # fmt: skip
            continue
        hits = sum(_is_there(program, _at(folder, cell)) for cell in sample)
        if hits >= LEAST_SHARE * len(sample):
            return folder
    return None


def _is_there(program: CheckedProgram, path: str) -> bool:
    """Whether a path below the workspace is a file; pictures and sounds are not listed."""
    return program.workspace.existing_file(path) == path


def _other_case(program: CheckedProgram, path: str) -> str | None:
    """Return the file whose name differs from a path in the case of its ending only."""
    stem, ending = posixpath.splitext(path)
    for other in (ending.lower(), ending.upper(), ending.capitalize()):
        if other != ending and _is_there(program, f"{stem}{other}"):
            return f"{stem}{other}"
    return None


def _at(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path))
