"""Checks of paths: files that a command or a data table names and that are not there."""

from __future__ import annotations

import csv
import posixpath
from collections.abc import Iterator

from dl_bug_lsp.checks.entries import Entry
from dl_bug_lsp.checks.findings import Certainty, Check, Finding
from dl_bug_lsp.checks.program import CheckedProgram, finding
from dl_bug_lsp.checks.sources import CONFIGS
from dl_bug_lsp.fixes.fix_context import distance

ARGUMENT = Check(
    "missing-config-file",
    "path_not_found",
    Certainty.SURE,
    "A command names a config file that does not exist.",
    "Relative paths, from the working directory of the command, where the folder or a file of "
    "nearly that name exists. Options that name an output are left out. Without a near name a "
    "finding is likely.",
    "python train.py --config configs/bse.yaml",
)
ROW = Check(
    "missing-data-file",
    "path_not_found",
    Certainty.LIKELY,
    "A row of a data table names a file that does not exist, while nearly all others do.",
    "Columns of CSV and TSV files that the code or its configs name. A name that differs in "
    "upper and lower case only is reported as such.",
    "images/DSC_0123.PNG,healthy     # the file is DSC_0123.png",
)
CHECKS = (ARGUMENT, ROW)

OUTPUT = ("out", "save", "dump", "log", "result", "export", "write", "report", "to")
MOST_ROWS = 20_000
MOST_TABLES = 40
LEAST_ROWS = 5
LEAST_SHARE = 0.8


def find(program: CheckedProgram) -> Iterator[Finding]:
    """Yield files that are named and missing."""
    for entry in program.entries:
        if entry.folder is not None:
            yield from _arguments(program, entry)
    yield from _rows(program)


def _arguments(program: CheckedProgram, entry: Entry) -> Iterator[Finding]:
    workspace = program.workspace
    before = ""
    for word in entry.words:
        option, sign, value = word.text.partition("=")
        path = value if sign else word.text
        name = option if sign else before
        before = word.text if word.text.startswith("-") else ""
        if not path.endswith(CONFIGS) or "$" in path or path.startswith(("/", "~", "-", ".")):
            continue
        if any(part in name.lower().strip("-").replace("-", "_").split("_") for part in OUTPUT):
            continue
        if any(mark in path for mark in "*?{[:,"):
            continue
        stated = posixpath.normpath(posixpath.join(entry.folder or "", path))
        if stated.startswith("..") or workspace.existing_file(stated) is not None:
            continue
        folder, base = posixpath.split(stated)
        beside = [f for f in workspace.files() if posixpath.dirname(f) == folder]
        if not beside or (not folder and not name.startswith("-")):
            continue
        near = [f for f in beside if distance(posixpath.basename(f), base, 2) <= 2]
        hint = f" Did you mean '{near[0]}'?" if len(near) == 1 else ""
        yield finding(
            ARGUMENT, entry.file or entry.script, word.line or entry.line or 1,
            f"There is no file '{path}'.{hint}", f"The command is: {entry.shown[:160]}",
            certainty=Certainty.SURE if near else Certainty.LIKELY,
        )  # fmt: skip


def _rows(program: CheckedProgram) -> Iterator[Finding]:
    workspace = program.workspace
    text = "\n".join(workspace.text(file) or "" for file in program.files)
    settings = " ".join(
        str(entry.value) for entry in workspace.config_entries() if isinstance(entry.value, str)
    )
    tables = [f for f in workspace.files() if f.endswith((".csv", ".tsv"))]
    named = [f for f in tables if f.rpartition("/")[2] in text or f.rpartition("/")[2] in settings]
    folders = sorted({posixpath.dirname(file) for file in workspace.files()})
    for file in named[:MOST_TABLES]:
        yield from _table(program, file, folders)


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
    files = frozenset(workspace.files())
    for column in range(min(len(rows[0][1]), 30)):
        cells = [(n, row[column].strip()) for n, row in rows[1:] if column < len(row)]
        cells = [(n, c) for n, c in cells if c]
        paths = [c for _, c in cells[:50] if posixpath.splitext(c)[1] and " " not in c]
        if len(cells) < LEAST_ROWS or len(paths) < 0.9 * min(len(cells), 50):
            continue
        base = _base(files, folders, posixpath.dirname(file), [c for _, c in cells])
        if base is None:
            continue
        missing = [(n, c) for n, c in cells if _at(base, c) not in files
                   and workspace.existing_file(_at(base, c)) != _at(base, c)]  # fmt: skip
        if not missing or len(missing) > (1 - LEAST_SHARE) * len(cells):
            continue
        lower = {f.lower(): f for f in files}
        for number, cell in missing[:20]:
            other = lower.get(_at(base, cell).lower())
            said = f"The file is '{other}'." if other else f"The other rows' files lie in '{base}'."
            yield finding(ROW, file, number, f"There is no file '{cell[:120]}'.", said)


def _base(files: frozenset[str], folders: list[str], own: str, cells: list[str]) -> str | None:
    """Return the folder below which nearly all cells are files."""
    sample = cells[:: max(len(cells) // 40, 1)]
    for folder in dict.fromkeys((own, "", *folders)):
        hits = sum(_at(folder, cell) in files for cell in sample)
        if hits >= LEAST_SHARE * len(sample):
            return folder
    return None


def _at(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path))
