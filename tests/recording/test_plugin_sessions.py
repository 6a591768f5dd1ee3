"""What sessions of tests leave for later ones: subsets, early ends, reruns, crashes, settings."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from recorded_projects import lines, project, recorded, run_pytest

from dl_bug_lsp.data_folder import FOLDER
from dl_bug_lsp.recording.session_folder import ABOUT, failing_text, merge_abandoned_sessions
from dl_bug_lsp.recording.session_folder import FOLDER as SESSIONS
from dl_bug_lsp.recording.spectra import combined_table, current_spectrum, ranked_now
from dl_bug_lsp.workspace import Workspace

MANY = """\
import pytest
from calc import scale

@pytest.mark.parametrize("x", [1, 11, 2])
def test_scale(x):
    assert scale(x) == x + 3

def test_other():
    assert scale(3) == 6
"""
ALL = {"test_scale[1]", "test_scale[11]", "test_scale[2]", "test_other"}
LATER = {
    "stopped early": (["-x"], "11", ALL),
    "some by name": (["-k", "other"], "11", ALL),
    "some by node": (["tests/test_calc.py::test_other"], "11", ALL),
    "those that failed": (["--lf", "-pcacheprovider"], "11", ALL),
    "one is gone": (["-k", "other"], "12", ALL - {"test_scale[11]"}),
    "one is gone, stopped early": (["-x"], "12", (ALL - {"test_scale[11]"}) | {"test_scale[12]"}),
    "one is gone, unknown": (["tests/test_calc.py::test_other"], "12", ALL),
}
"""Arguments of a second session, a parameter's new value, and the tests that are then known."""


def names(root: Path) -> set[str]:
    return {test.name.partition("::")[2] for test in recorded(root).tests}


@pytest.fixture(scope="module")
def first_session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with one session, which every case copies."""
    root = project(tmp_path_factory.mktemp("first"), MANY)
    run_pytest(root, "-pcacheprovider")
    assert names(root) == ALL
    return root


@pytest.mark.parametrize("case", LATER)
def test_a_later_session_drops_only_what_is_gone(
    tmp_path: Path, first_session: Path, case: str
) -> None:
    arguments, parameter, expected = LATER[case]
    root = shutil.copytree(first_session, tmp_path / "project")
    (root / "tests" / "test_calc.py").write_text(MANY.replace("11", parameter))
    run_pytest(root, *arguments)
    assert names(root) == expected


UNITTEST = """\
import unittest
from calc import scale

class T(unittest.TestCase):
    def test_many(self):
        for i in (1, 12):
            with self.subTest(i=i):
                assert scale(i) == i + 3

    def test_other(self): pass
"""


@pytest.mark.skipif(int(pytest.__version__.partition(".")[0]) < 9, reason="subtests are of 9")
def test_a_test_that_runs_again_takes_its_old_subtests_along(tmp_path: Path) -> None:
    run_pytest(project(tmp_path, UNITTEST))
    (tmp_path / "tests" / "test_calc.py").write_text(UNITTEST.replace("12", "2"))
    run_pytest(tmp_path, "tests/test_calc.py::T::test_many")
    kept = {re.sub("'", "", name) for name in names(tmp_path)}
    assert kept == {"T::test_many", "T::test_many (i=1)", "T::test_many (i=2)", "T::test_other"}


FLAKY = """\
from calc import scale

tries = []

def test_flaky():
    tries.append(1)
    assert scale(20 if len(tries) == 1 else 1) == 4
"""
RUNS_AGAIN = """\
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for attempt in range(2):
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        item._initrequest()
        for report in reports:
            if report.failed:
                report.outcome = "rerun"
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
"""


def test_of_a_test_that_is_run_again_the_last_attempt_counts(tmp_path: Path) -> None:
    project(tmp_path, FLAKY)
    (tmp_path / "conftest.py").write_text(RUNS_AGAIN)
    run_pytest(tmp_path)
    (test,) = recorded(tmp_path).tests
    assert test.outcome.is_passing
    assert lines(recorded(tmp_path), test.name, "run") == [4, 7, 8]


TWICE = """\
import pytest
from calc import scale

@pytest.fixture
def late():
    yield
    raise ValueError("late")

def test_both(late):
    assert scale(1) == 5

def test_late(late): pass
"""


def test_what_failed_in_a_test_comes_before_its_teardown(tmp_path: Path) -> None:
    run_pytest(project(tmp_path, TWICE))
    texts = {test.name: test.text for test in recorded(tmp_path).tests}
    titles = re.findall(r"^_+ (.*?) _+$", failing_text(texts), re.MULTILINE)
    assert titles == ["test_both", "ERROR at teardown of test_both", "test_late"]


DYING = """\
import os
from calc import scale

def test_before():
    assert scale(1) == 4

def test_dies():
    scale(12)
    os._exit(3)
"""


def test_a_session_that_crashes_takes_in_the_one_that_crashed_before(tmp_path: Path) -> None:
    run_pytest(project(tmp_path, DYING))
    run_pytest(tmp_path)
    assert names(tmp_path) == {"test_before", "test_dies"}
    assert lines(recorded(tmp_path), "tests/test_calc.py::test_before", "run") == [4, 7, 8]
    assert merge_abandoned_sessions(tmp_path)[0].startswith(
        "recorded 1 failing and 1 passing tests"
    )
    assert merge_abandoned_sessions(tmp_path) == ()


def test_a_crash_of_which_nothing_is_known_blames_no_line(tmp_path: Path) -> None:
    project(tmp_path, DYING)
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\ntestpaths = ["tests"]\n')
    run_pytest(tmp_path, "-n1")
    workspace = Workspace(tmp_path, cache=False)
    ranked = ranked_now(workspace, current_spectrum(workspace, recorded(tmp_path)))
    assert combined_table(ranked, "line").rows == ()


def test_a_folder_that_a_full_disk_left_empty_goes_with_the_next_session(tmp_path: Path) -> None:
    left = tmp_path / FOLDER / SESSIONS / "2026-01-01T000000Z-999999999"
    left.mkdir(parents=True)
    (left / ABOUT).write_text("")
    run_pytest(project(tmp_path, MANY))
    assert names(tmp_path) == ALL
    assert not left.exists()


def test_contexts_of_another_are_told_of(tmp_path: Path) -> None:
    project(tmp_path, MANY)
    (tmp_path / ".coveragerc").write_text("[run]\ndynamic_context = test_function\n")
    done = run_pytest(tmp_path, "--cov=.", "-pno:warnings")
    assert (
        "dl-bug: nothing was recorded: coverage.py's own setting `dynamic_context`" in done.stdout
    )
    assert not (tmp_path / FOLDER / "spectrum.db").exists()
