"""Columns that a shell script leaves out of a table that the failing run reads.

``cut -d, -f2-4 events.csv > ratings.csv`` keeps the fields of a list (POSIX, "cut"). Where the
table that is read has the missing column, and the list does not, that command lost it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from dl_bug_lsp.evidence.case import Case, Clue

SCRIPTS = (".sh", ".bash", ".zsh", ".ksh", ".slurm", ".sbatch")
MOST_SCRIPTS = 40
MOST_LINES = 2_000
OF_WRITING = 0.4
"""What a command counts of which only is known that it writes the table."""
_ASSIGNMENT = re.compile(
    r"\s*(?:export\s+|readonly\s+|local\s+)?([A-Za-z_]\w*)=(\"[^\"$`]*\"|'[^']*'|[^\s\"'$`;]*)\s*(?:#.*)?"
)
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_REDIRECTION = re.compile(r"(?:>>?|\btee(?:\s+-a)?)\s*([^\s|;&<>]+)")
_CUT = re.compile(r"(?:^|[|;&(]\s*|\s)cut((?:\s+[^\s|;&<>]+)+)")
_SEPARATOR = re.compile(r";|&&|\|\|")
_FIELDS = re.compile(r"\s(?:-f\s*|--fields[= ])([\d,-]+)")
_DELIMITER = re.compile(r"\s(?:-d\s*|--delimiter[= ])(\S)")
_RANGE = re.compile(r"(\d*)(-?)(\d*)")


class _Command(NamedTuple):
    """A command of a script that may go on over several lines; variables are put in."""

    text: str
    parts: tuple[tuple[int, str], ...]

    def line_with(self, word: str) -> int:
        """Return the first line that holds a word, else the first one of all."""
        return next((n for n, text in self.parts if word in text), self.parts[0][0])


def find(
    case: Case, keys: Sequence[str], read: Collection[str], looked_up: Collection[str]
) -> Iterator[Clue]:
    """Yield the commands of shell scripts that wrote a table of ``read`` without a column.

    ``looked_up`` are the files of which it is known that the key was looked up in them.
    """
    lacking: dict[str, str] = {}
    for file in read:
        table = case.workspace.table(file)
        names = {column.name for column in table.columns} if table is not None else set()
        missing = next((key for key in keys if key not in names), None)
        if table is not None and table.header_line is not None and missing is not None:
            lacking[file] = missing
    scripts = [f for f in case.workspace.files() if f.endswith(SCRIPTS)] if lacking else []
    sure: list[tuple[str, int, str]] = []
    perhaps: list[tuple[str, int, str]] = []
    for script in scripts[:MOST_SCRIPTS]:
        for command, text in _parts(case.workspace.lines(script)[:MOST_LINES]):
            for target in _REDIRECTION.findall(text):
                written = _file(script, target, lacking)
                if written is None:
                    continue
                key = lacking[written]
                lost = _left_out(case, script, text, key)
                if lost is not None:
                    sure.append((script, command.line_with("cut"), lost))
                elif written in looked_up:
                    why = f"this command writes {written}, which has no column `{key}`"
                    perhaps.append((script, command.parts[0][0], why))
    # Commands that write the header and the rows leave the column out alike.
    for script, line, why in sure:
        yield Clue("data_files.explains", script, line, 1.0, why)
    for script, line, why in perhaps if not sure else ():
        yield Clue("data_files.explains", script, line, OF_WRITING / len(perhaps) ** 0.5, why)


def _commands(lines: Sequence[str]) -> Iterator[_Command]:
    """Yield the commands of a script, a line that ends with a backslash with the next one."""
    variables: dict[str, str] = {}
    parts: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        parts.append((number, line))
        if line.endswith("\\"):
            continue
        text = " ".join(part.removesuffix("\\") for _, part in parts)
        assigned = _ASSIGNMENT.fullmatch(text)
        if assigned is not None:
            variables[assigned[1]] = assigned[2].strip("\"'")
        elif not text.lstrip().startswith("#"):
            whole = _VARIABLE.sub(lambda m: variables.get(m[1] or m[2], m[0]), text)
            yield _Command(whole.replace('"', "").replace("'", ""), tuple(parts))
        parts = []


def _parts(lines: Sequence[str]) -> Iterator[tuple[_Command, str]]:
    """Yield the pipelines of each command of a script."""
    for command in _commands(lines):
        for text in _SEPARATOR.split(command.text):
            yield command, text


def _file(script: str, written: str, files: Collection[str]) -> str | None:
    """Return the file of some that a script names: from its own folder, or one around it."""
    name = posixpath.normpath(written)
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(script), written))
    for file in files:
        if file in (name, beside) or ("/" in name and file.endswith(f"/{name.lstrip('./')}")):
            return file
    return None


def _left_out(case: Case, script: str, command: str, key: str) -> str | None:
    """Say which column a ``cut`` leaves out of the table that it reads, None where none."""
    cut = _CUT.search(command)
    fields = _FIELDS.search(cut[1]) if cut is not None else None
    if cut is None or fields is None or "--complement" in cut[1]:
        return None
    given = _DELIMITER.search(cut[1])
    delimiter = given[1] if given is not None else "\t"
    for word in f"{command[: cut.start()]} {cut[1]}".split():
        file = _file(script, word, case.workspace.files()) if "." in word else None
        table = case.workspace.table(file) if file is not None else None
        if table is None or table.delimiter != delimiter:
            continue
        names = [column.name for column in table.columns]
        if key in names and not _holds(fields[1], names.index(key) + 1):
            number = names.index(key) + 1
            return f"`cut` keeps fields {fields[1]} of {file} and leaves out {number}, `{key}`"
    return None


def _holds(fields: str, number: int) -> bool:
    """Whether a list of fields (``1,3-5``, ``2-``) has the field of a number, counted from 1."""
    for part in fields.split(","):
        match = _RANGE.fullmatch(part)
        if match is None:
            return True
        low = int(match[1] or 1)
        high = low if not match[2] else int(match[3]) if match[3] else number
        if low <= number <= high:
            return True
    return False
