"""Clues at statements that a real failed run did not come to any more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from dl_bug_lsp.evidence import execution
from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.localize import case_of, failures_of
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.report import Options
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.workspace import Workspace

PROGRAM = """\
def read(rows):
    total = 0
    for row in rows:
        total += row["size"]
        kept = total
    return kept


def main():
    rows = [{"size": 1}, {"length": 2}]
    try:
        found = read(rows)
    finally:
        print("read")
    size = found + 1
    if size > 1:
        print(size)


main()
length = 3
"""


def case_of_run(folder: Path, program: str) -> Case:
    """Run a program that fails and return its failure's case."""
    (folder / "main.py").write_text(program, "utf-8")
    run = [sys.executable, "main.py"]
    text = subprocess.run(run, cwd=folder, capture_output=True, check=False).stderr
    log = read_log(text)
    failure, *_ = failures_of(log, read_failures(log))
    return case_of(failure, log, Workspace(folder, cache=False), Options())


def kept_from_running(case: Case, program: str) -> set[int]:
    lines = range(1, len(program.splitlines()) + 1)
    clues = [Clue("names.near_made", "main.py", line, 1.0, "") for line in lines]
    return {clue.line for clue in clues if execution.clue_factor(case, clue) < 1}


def test_statements_after_the_failing_ones_up_to_the_first_loop(tmp_path: Path) -> None:
    case = case_of_run(tmp_path, PROGRAM)
    # In `read` the loop's later statements may have run in an earlier round; its return has not.
    assert kept_from_running(case, PROGRAM) == {6, 15, 16, 17, 21}
    assert execution.clue_factor(case, Clue("missing.call", "main.py", 21, 1.0, "")) == 1.0


def test_functions_that_are_called_in_a_loop_may_have_run(tmp_path: Path) -> None:
    program = PROGRAM.replace("main()\nlength", "for _ in range(2):\n    main()\nlength")
    case = case_of_run(tmp_path, program)
    assert kept_from_running(case, program) == {22}


def test_a_handler_may_go_on(tmp_path: Path) -> None:
    program = PROGRAM.replace("finally:", "except IndexError:")
    case = case_of_run(tmp_path, program)
    assert kept_from_running(case, program) == set()
