"""Runs that did not begin: the interpreter was given a program file that is not there.

Nothing of the workspace ran. The cause is the command: the line of a launch file that names the
file or, where no line does, what was typed.
"""

from __future__ import annotations

import re

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.workspace.similar_names import similarly_named

CANNOT_OPEN = re.compile(r"can't open file '([^'\n]{1,1000})': \[Errno 2\]")


def missing_program(case: Case) -> str | None:
    """Return the path of the program file that the interpreter could not find, as printed."""
    if case.failure.frames:
        return None
    match = CANNOT_OPEN.match(case.message)
    return match[1].replace("\\\\", "/").replace("\\", "/") if match else None


def part_in_start(case: Case, clue: Clue) -> float:
    """Return 0 for a line that does not name the program file that is missing, else 1."""
    path = missing_program(case)
    if path is None:
        return 1.0
    return 1.0 if _base(path) in case.workspace.source_line(clue.file, clue.line) else 0.0


def start_said(case: Case) -> str | None:
    """Return in one sentence which program file is missing, and the names nearest to it."""
    path = missing_program(case)
    if path is None:
        return None
    name = _base(path)
    root = str(case.workspace.root).replace("\\", "/").rstrip("/")
    inside = path[len(root) + 1 :] if path.startswith(f"{root}/") else name
    near = similarly_named(inside, case.workspace.files())
    text = f"the command starts `{name}`, and Python found no such file"
    if near:
        listed = " or ".join(f"`{file}`" for file in near)
        text += f"; a file of nearly that name is {listed}"
    return text


def _base(path: str) -> str:
    return path.rpartition("/")[2]
