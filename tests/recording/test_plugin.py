"""The pytest plugin in real pytest processes: alone, with workers, beside pytest-cov, crashing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from recorded_projects import CODE, lines, project, recorded, run_pytest

from dl_bug_lsp.data_folder import FOLDER
from dl_bug_lsp.recording.session import lines_of
from dl_bug_lsp.recording.spectra import current_spectrum, ranked_now
from dl_bug_lsp.recording.store import NAME
from dl_bug_lsp.workspace import Workspace

TESTS = """\
import pytest
from calc import scale, twice

@pytest.fixture
def base():
    yield scale(1)
    scale(2)

@pytest.mark.parametrize("x", [1, 11])
def test_scale(x, base):
    assert scale(x) == x + 3

@pytest.mark.xfail
def test_expected():
    assert scale(1) == 9

@pytest.mark.xfail(strict=True)
def test_out_of_date():
    assert scale(1) == 4

@pytest.mark.skip
def test_skipped(): pass

@pytest.fixture
def broken():
    scale(20)
    raise ValueError("no")

def test_setup(broken): pass

@pytest.fixture
def late():
    yield
    twice(1)
    raise ValueError("late")

def test_teardown(late): pass
"""
SUBTESTS = """\
from calc import twice

def test_many(subtests):
    for i in (1, 12):
        with subtests.test("t", i=i):
            assert twice(i) == 2 * (i + 3)
"""
WAYS = {
    "alone": [],
    "workers": ["-n2"],
    "beside pytest-cov": ["--cov=."],
    "workers beside pytest-cov": ["-n2", "--cov=."],
    "branches": ["--dl-bug-branch"],
    "workers, warnings are errors": ["-n2", "-Werror"],
    "pytest-cov is there and off": ["--cov=.", "--no-cov"],
}
CALC = {
    "test_scale[1]": ("passed", [4, 7, 8], [4, 7, 8], [4, 7, 8]),
    "test_scale[11]": ("failed", [4, 7, 8], [4, 5, 8], [4, 7, 8]),
    "test_expected": ("xfailed", [], [4, 7, 8], []),
    "test_out_of_date": ("xpassed", [], [4, 7, 8], []),
    "test_skipped": ("skipped", [], [], []),
    "test_setup": ("error", [4, 5, 8], [], []),
    "test_teardown": ("error", [], [], [4, 7, 8, 11]),
}
"""Outcome, and the lines of calc.py that run in setup, call and teardown."""


Recorded = tuple[Path, subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def in_way(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Recorded]:
    """Return a project that was recorded once in one of the ways, and the session's process.

    Nobody may change it.
    """

    @cache
    def run(way: str) -> Recorded:
        root = project(tmp_path_factory.mktemp("recorded"), TESTS)
        return root, run_pytest(root, *WAYS[way])

    return run


@pytest.fixture
def recorded_alone(tmp_path: Path, in_way: Callable[[str], Recorded]) -> Path:
    """Return a recorded project of the test's own."""
    return shutil.copytree(in_way("alone")[0], tmp_path / "project")


@pytest.mark.parametrize("way", WAYS)
def test_outcomes_and_lines_by_phase(in_way: Callable[[str], Recorded], way: str) -> None:
    root, done = in_way(way)
    recording = recorded(root)
    found = {
        test.name.removeprefix("tests/test_calc.py::"): (
            test.outcome.value,
            *(lines(recording, test.name, phase) for phase in ("setup", "run", "teardown")),
        )
        for test in recording.tests
    }
    assert found == CALC
    assert "3 failing and 2 passing tests" in done.stdout
    assert lines_of(recording.sessions[0].imported["calc.py"].lines) == [1, 3, 10]
    assert recording.sessions[0].sources["calc.py"] == CODE
    assert list((root / FOLDER / "recording").iterdir()) == []


def test_branches_are_jumps_from_line_to_line(in_way: Callable[[str], Recorded]) -> None:
    root, _ = in_way("branches")
    test = next(t for t in recorded(root).tests if t.name.endswith("[11]"))
    jumps = {arc for (phase, file), h in test.hits.items() if file == "calc.py" for arc in h.arcs}
    assert (4, 5) in jumps
    assert recorded(root).sessions[0].branch


@pytest.mark.skipif(
    tuple(map(int, pytest.__version__.split(".")[:1])) < (9,), reason="subtests came with pytest 9"
)
def test_subtests_are_tests_of_their_own(tmp_path: Path) -> None:
    run_pytest(project(tmp_path, SUBTESTS))
    recording = recorded(tmp_path)
    name = "tests/test_calc.py::test_many"
    outcomes = {test.name: test.outcome.value for test in recording.tests}
    assert outcomes == {
        name: "passed",
        f"{name} [t] (i=1)": "passed",
        f"{name} [t] (i=12)": "failed",
    }
    assert lines(recording, f"{name} [t] (i=1)", "run") == [4, 7, 8, 11]
    assert lines(recording, f"{name} [t] (i=12)", "run") == [4, 5, 8, 11]


def test_failure_output_is_kept_for_the_ranking(in_way: Callable[[str], Recorded]) -> None:
    root, _ = in_way("alone")
    test = next(t for t in recorded(root).tests if t.name.endswith("[11]"))
    assert "assert 33 == (11 + 3)" in test.text
    assert "tests/test_calc.py:11: AssertionError" in test.text


LOGGING = """\
import logging
from calc import twice

def test_answer():
    print("no part", "of it")
    status = 200
    try:
        twice(None)
    except TypeError:
        logging.exception("handled")
        status = 500
    assert status == 200
"""


def test_a_logged_traceback_is_kept_with_the_failure(tmp_path: Path) -> None:
    run_pytest(project(tmp_path, LOGGING))
    workspace = Workspace(tmp_path, cache=False)
    text = recorded(tmp_path).tests[0].text
    assert "Captured log call" in text
    assert "no part of it" not in text
    recording = current_spectrum(workspace, recorded(tmp_path))
    first = ranked_now(workspace, recording).report.failures[0].suspects[0]
    assert (first.file, first.line) == ("calc.py", 4)


def test_a_later_session_replaces_what_it_ran_again(recorded_alone: Path) -> None:
    (recorded_alone / "calc.py").write_text(CODE.replace("x * RATE", "x + RATE"))
    run_pytest(recorded_alone, "tests/test_calc.py::test_scale")
    outcomes = {
        test.name.partition("::")[2]: test.outcome.value for test in recorded(recorded_alone).tests
    }
    assert outcomes["test_scale[11]"] == "passed"
    assert outcomes["test_setup"] == "error"


def test_tests_that_are_gone_leave_with_the_next_whole_run(recorded_alone: Path) -> None:
    assert len(recorded(recorded_alone).tests) == len(CALC)
    (recorded_alone / "tests" / "test_calc.py").write_text("def test_new(): pass\n")
    run_pytest(recorded_alone)
    names = [test.name for test in recorded(recorded_alone).tests]
    assert names == ["tests/test_calc.py::test_new"]


DYING = """\
import os
from calc import scale

def test_before():
    assert scale(1) == 4

def test_dies():
    scale(12)
    os._exit(3)

def test_never(): pass
"""


def test_a_crash_loses_no_outcome_and_the_next_session_takes_it_in(tmp_path: Path) -> None:
    run_pytest(project(tmp_path, DYING))
    (tmp_path / "tests" / "test_other.py").write_text("def test_other(): pass\n")
    done = run_pytest(tmp_path, "tests/test_other.py")
    outcomes = {
        test.name.partition("::")[2]: test.outcome.value for test in recorded(tmp_path).tests
    }
    assert outcomes == {"test_before": "passed", "test_dies": "error", "test_other": "passed"}
    assert "an earlier session that was cut off" in done.stdout
    assert "the interpreter ended in tests/test_calc.py::test_dies" in done.stdout


def test_a_worker_that_crashes_is_one_failing_test(tmp_path: Path) -> None:
    done = run_pytest(project(tmp_path, DYING), "-n1")
    outcomes = {
        test.name.partition("::")[2]: test.outcome.value for test in recorded(tmp_path).tests
    }
    assert outcomes == {"test_before": "passed", "test_dies": "error", "test_never": "passed"}
    assert "the interpreter ended in tests/test_calc.py::test_dies" in done.stdout


def test_a_damaged_file_is_moved_aside(tmp_path: Path) -> None:
    project(tmp_path, TESTS)
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / NAME).write_bytes(b"no database at all, and long enough to be looked at")
    done = run_pytest(tmp_path)
    assert "spectrum.db was damaged; it is now spectrum.db.broken" in done.stdout
    assert len(recorded(tmp_path).tests) == len(CALC)


@pytest.mark.parametrize("in_the_way", [FOLDER, f"{FOLDER}/recording"])
def test_a_place_that_cannot_be_written_fails_no_test_run(tmp_path: Path, in_the_way: str) -> None:
    project(tmp_path, "def test_one(): pass\n")
    (tmp_path / in_the_way).parent.mkdir(exist_ok=True)
    (tmp_path / in_the_way).write_text("in the way")
    done = run_pytest(tmp_path)
    assert done.returncode == 0
    assert "dl-bug: the spectrum could not be recorded" in done.stdout


def test_without_the_option_nothing_is_recorded(tmp_path: Path) -> None:
    project(tmp_path, TESTS)
    # By the name under which pytest finds it, and without the others, which take long to import.
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-pdl-bug", "-pno:cacheprovider"],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        check=False,
    )
    assert done.returncode == 1
    assert not (tmp_path / FOLDER).exists()


LOCALS = """\
from calc import scale

def test_sum():
    rows = [1, 2, 3]
    width = scale(1)
    assert sum(rows) == width, "another width"

def test_fine():
    assert scale(1)
"""


@pytest.mark.parametrize("way", [[], ["-n2"]], ids=["alone", "workers"])
def test_local_variables_of_failing_tests_are_told(tmp_path: Path, way: list[str]) -> None:
    root = project(tmp_path, LOCALS)
    done = run_pytest(root, "--dl-bug-locals", *way)
    assert done.returncode == 1, done.stdout
    workspace = Workspace(root, cache=False)
    failure = ranked_now(workspace, current_spectrum(workspace, recorded(root))).report.primary
    assert failure is not None
    held = {v.name: v.value for frame in failure.frames for v in frame.variables}
    assert held == {"rows": "[1, 2, 3]", "width": "4"}

    # Values of an older session belong to none of the newer one's failures.
    run_pytest(root, *way)
    failure = ranked_now(workspace, current_spectrum(workspace, recorded(root))).report.primary
    assert failure is not None
    assert not any(frame.variables for frame in failure.frames)
    assert not list((root / FOLDER).glob("*/frames*"))
