"""Failures of recorded tests: what the test's own run executes leads, with real suites."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dl_bug_lsp.localize import localize
from dl_bug_lsp.recording.session_folder import failing_text
from dl_bug_lsp.recording.spectra import Recorded, current_spectrum
from dl_bug_lsp.report import Report
from dl_bug_lsp.workspace import Workspace

CALC = """\
from limits import CAP

RATE = 3
SHIFT = 2


def scale(x, step=1):
    if x > 10:
        y = x * RATE
    else:
        y = x + RATE
    return y


def shifted(x):
    moved = x - SHIFT
    return moved


def capped(x):
    if x > 100:
        x = CAP
    return x


def stepped(x, step=5):
    total = x
    total += step
    return total


class Box:
    size = 7

    def room(self, used):
        left = self.size - used
        return left
"""
LIMITS = "LOW = 0\nCAP = 90\n"
TESTS = """\
import pytest
from calc import Box, capped, scale, shifted, stepped


@pytest.mark.parametrize("x", [1, 2, 11, 12])
def test_scale(x):
    assert scale(x) == x + 3


def test_more():
    assert scale(20) == 23


@pytest.mark.parametrize("x", [1, 2, 3])
def test_fine(x):
    assert scale(x) > 0


def test_shifted():
    assert shifted(5) == 4


@pytest.mark.parametrize("x", [1, 101])
def test_capped(x):
    assert capped(x) == min(x, 100)


def test_stepped():
    assert stepped(1) == 2


def test_box():
    assert Box().room(3) == 5
"""


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, Recorded]:
    root = tmp_path_factory.mktemp("calc")
    for name, text in (("calc.py", CALC), ("limits.py", LIMITS), ("tests/test_calc.py", TESTS)):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    (root / "conftest.py").write_text("")
    plugins = ("-pdl_bug_lsp.recording.pytest_plugin", "-pno:cacheprovider")
    command = [sys.executable, "-m", "pytest", "-q", *plugins, "--dl-bug"]
    environment = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)
    workspace = Workspace(root, cache=False)
    return workspace, current_spectrum(workspace)


def report_of(suite: tuple[Workspace, Recorded], test: str) -> Report:
    workspace, recorded = suite
    text = failing_text({n: t for n, t in recorded.texts.items() if n.endswith(f"::{test}")})
    assert text
    return localize(text, workspace, spectrum=recorded.spectrum)


@pytest.mark.parametrize(
    ("test", "cause", "within"),
    [
        ("test_scale[11]", ("calc.py", 9), 1),
        ("test_more", ("calc.py", 9), 1),
        ("test_shifted", ("calc.py", 4), 4),
        ("test_capped[101]", ("limits.py", 2), 4),
        ("test_stepped", ("calc.py", 26), 5),
        ("test_box", ("calc.py", 33), 4),
    ],
)
def test_the_cause_is_among_the_first_lines(
    suite: tuple[Workspace, Recorded], test: str, cause: tuple[str, int], within: int
) -> None:
    primary = report_of(suite, test).primary
    assert primary is not None
    assert cause in [(s.file, s.line) for s in primary.suspects[:within]]


def test_lines_of_functions_that_the_test_did_not_run_are_no_suspects(
    suite: tuple[Workspace, Recorded],
) -> None:
    primary = report_of(suite, "test_shifted").primary
    assert primary is not None
    inside = {s.line for s in primary.suspects if s.file == "calc.py"}
    assert inside.isdisjoint(range(8, 13)) and {16, 17} <= inside


def test_test_files_come_behind_all_code(suite: tuple[Workspace, Recorded]) -> None:
    workspace, recorded = suite
    report = localize(failing_text(recorded.texts), workspace, spectrum=recorded.spectrum)
    for failure in report.failures:
        is_test = [suspect.file.startswith("tests/") for suspect in failure.suspects]
        assert is_test == sorted(is_test) and not is_test[0]
        assert [s.score for s in failure.suspects] == sorted(
            (s.score for s in failure.suspects), reverse=True
        )


def test_tests_that_end_alike_are_one_failure(suite: tuple[Workspace, Recorded]) -> None:
    workspace, recorded = suite
    assert len(recorded.texts) == 7
    report = localize(failing_text(recorded.texts), workspace, spectrum=recorded.spectrum)
    assert len(report.failures) == 5
    assert report.primary is report.failures[0]
    assert report.primary.exception is not None
    assert report.primary.exception.message.startswith("assert 33 == (11 + 3)")
