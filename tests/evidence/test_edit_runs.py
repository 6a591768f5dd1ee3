"""Runs of edited programs end as soon as they fail where the unedited run did not."""

from __future__ import annotations

from pathlib import Path

import pytest

from dl_bug_lsp.evidence.repairs.edits import Recorder
from dl_bug_lsp.interpretation.interpreter import Outcome
from dl_bug_lsp.interpretation.values import Origin
from dl_bug_lsp.workspace import Workspace

PROGRAM = """\
import numpy as np
rows = np.zeros((4, 3))
first = rows @ np.zeros((5, 2))
between = 1
second = rows @ np.zeros((6, 2))
after = 2
print([][after])
"""
TARGET = ("main.py", 7)
IN_FUNCTION = """\
import numpy as np
def product(width):
    return np.zeros((4, 3)) @ np.zeros((width, 2))
def outer():
    made = product(5)
    return made
value = outer()
after = 2
print([][after])
"""


def follow(
    folder: Path,
    fitting: frozenset[tuple[Origin, str]] | None,
    program: str = PROGRAM,
    target: Origin = TARGET,
) -> tuple[set[int], Outcome]:
    """Return the lines of the statements that were followed, and what came of the run."""
    (folder / "main.py").write_text(program, encoding="utf-8")
    recorder = Recorder(Workspace(folder, cache=False), "main.py", target, [])
    recorder.fitting = fitting
    outcome = recorder.run()
    return {node.lineno for node in recorder.statements}, outcome


@pytest.fixture
def elsewhere(tmp_path: Path) -> frozenset[tuple[Origin, str]]:
    """What fails before the target in a run that nothing ends."""
    return follow(tmp_path, None)[1].elsewhere


def test_without_a_measure_the_run_goes_on_to_the_target(tmp_path: Path) -> None:
    lines, outcome = follow(tmp_path, None)
    assert lines == {1, 2, 3, 4, 5, 6, 7}
    assert outcome.reached
    assert outcome.raised is not None
    assert outcome.raised.what == "index"
    assert {place for place, _ in outcome.elsewhere} == {("main.py", 3), ("main.py", 5)}


def test_the_first_failure_that_is_new_ends_the_run(tmp_path: Path) -> None:
    lines, outcome = follow(tmp_path, frozenset())
    assert lines == {1, 2, 3}
    assert not outcome.complete
    assert not outcome.reached
    assert outcome.raised is None


def test_what_failed_before_does_not_end_it(
    tmp_path: Path, elsewhere: frozenset[tuple[Origin, str]]
) -> None:
    lines, outcome = follow(tmp_path, elsewhere)
    assert lines == {1, 2, 3, 4, 5, 6, 7}
    assert outcome.reached
    of_the_first = frozenset(item for item in elsewhere if item[0][1] == 3)
    lines, outcome = follow(tmp_path, of_the_first)
    assert lines == {1, 2, 3, 4, 5}
    assert not outcome.reached


def test_another_kind_of_failure_at_the_same_line_is_new(
    tmp_path: Path, elsewhere: frozenset[tuple[Origin, str]]
) -> None:
    other = frozenset((place, "key") for place, _ in elsewhere)
    assert follow(tmp_path, other)[0] == {1, 2, 3}


def test_a_failure_within_calls_ends_the_whole_run(tmp_path: Path) -> None:
    target = ("main.py", 9)
    lines, outcome = follow(tmp_path, frozenset(), IN_FUNCTION, target)
    assert lines == {1, 2, 3, 4, 5, 7}
    assert not outcome.reached
    lines, outcome = follow(tmp_path, None, IN_FUNCTION, target)
    assert {6, 8, 9} <= lines
    assert outcome.reached
