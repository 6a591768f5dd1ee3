"""What CI leaves becomes a session: coverage with contexts and a JUnit report."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from dl_bug_lsp.recording.importing import ImportingError, JUnitError, import_session, read_junit
from dl_bug_lsp.recording.session import CoverageDataError, Session, lines_of
from dl_bug_lsp.recording.session_folder import relative
from dl_bug_lsp.spectrum.failing_runs import logged_failures

CODE = "def scale(x):\n    if x > 10:\n        return x * 3\n    return x + 3\n"
TESTS = """\
import unittest
import pytest
from pack.calc import scale

@pytest.mark.parametrize("x", [1, 11])
def test_scale(x):
    assert scale(x) == x + 3

class TestMore:
    def test_small(self):
        assert scale(2) == 5

class TestOld(unittest.TestCase):
    def test_old(self):
        self.assertEqual(scale(12), 15)

@pytest.fixture
def broken():
    raise ValueError(scale(1))

def test_setup(broken): pass

@pytest.fixture
def late():
    yield
    raise ValueError("late")

def test_both(late):
    assert scale(1) == 5

@pytest.mark.xfail(strict=True)
def test_out_of_date():
    assert scale(1) == 4

class TestSkipped:
    @pytest.mark.skip
    def test_skipped(self): pass
"""
TEST_FILE = "tests/test_calc.py"
CONTEXTS = {
    "pytest-cov": ["--cov=.", "--cov-context=test"],
    "coverage.py": ["--cov=.", "--cov-config=contexts.cfg"],
}


@pytest.fixture(scope="module", params=CONTEXTS)
def left(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ci")
    (root / "tests").mkdir()
    (root / "pack").mkdir()
    (root / "pack" / "__init__.py").write_text("")
    (root / "pack" / "calc.py").write_text(CODE)
    (root / "conftest.py").write_text("")
    (root / "tests" / "test_calc.py").write_text(TESTS)
    (root / "contexts.cfg").write_text("[run]\ndynamic_context = test_function\n")
    pytest_command = [sys.executable, "-m", "pytest", "-q", "-ppytest_cov", "-pno:cacheprovider"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment.pop("PYTEST_ADDOPTS", None)
    subprocess.run(
        [*pytest_command, "--junit-xml=report.xml", *CONTEXTS[request.param]],
        cwd=root,
        env=environment,
        check=False,
        capture_output=True,
    )
    return root


def imported(root: Path) -> Session:
    return import_session(
        root / ".coverage",
        root / "report.xml",
        lambda path: relative(path, root),
        lambda file: (root / file).read_text(),
        "2026-01-01T00:00:00Z",
    )


def test_each_case_gets_its_outcome_and_its_lines(left: Path) -> None:
    session = imported(left)
    found = {
        test.name.replace("::", ".").rpartition(".")[2]: (
            test.outcome.value,
            sorted(
                {
                    line
                    for (_, file), hits in test.hits.items()
                    if file == "pack/calc.py"
                    for line in lines_of(hits.lines)
                }
            ),
        )
        for test in session.tests
    }
    both = [2, 3, 4]
    by_parameter = any("|" in name or "::" in name for name in (t.name for t in session.tests))
    assert found["test_scale[1]"] == ("passed", [2, 4] if by_parameter else both)
    assert found["test_scale[11]"] == ("failed", [2, 3] if by_parameter else both)
    assert found["test_small"] == ("passed", [2, 4])
    assert found["test_old"] == ("failed", [2, 3])
    assert found["test_setup"][0] == "error"
    assert found["test_both"] == ("failed", [2, 4])
    assert found["test_out_of_date"] == ("xpassed", [2, 4])
    assert session.sources["pack/calc.py"] == CODE
    failed = next(test for test in session.tests if test.name.endswith("test_scale[11]"))
    assert "assert 33 == (11 + 3)" in failed.text
    both = next(test for test in session.tests if test.name.endswith("test_both"))
    assert both.text.index("assert 4 == 5") < both.text.index("ERROR at teardown of test_both")
    if any("::" in test.name for test in session.tests):
        assert "tests/test_calc.py::TestSkipped::test_skipped" in session.collected[TEST_FILE]


def no_contexts(root: Path) -> None:
    with sqlite3.connect(root / ".coverage") as db:
        db.execute("update context set context = '' where id = 1")
        db.execute("delete from line_bits where context_id <> 1")
        db.execute("delete from context where id <> 1")
    db.close()


def newer_schema(root: Path) -> None:
    with sqlite3.connect(root / ".coverage") as db:
        db.execute("update coverage_schema set version = 99")
    db.close()


def other_run(root: Path) -> None:
    (root / "report.xml").write_text('<testsuite><testcase classname="a" name="b"/></testsuite>')


BAD = {
    "no coverage file": (
        lambda root: (root / ".coverage").unlink(),
        CoverageDataError,
        "is no file; coverage.py writes one named .coverage",
    ),
    "not a database": (
        lambda root: (root / ".coverage").write_bytes(b"!coverage.py: old JSON format, long ago"),
        CoverageDataError,
        "is not a readable coverage file",
    ),
    "cut": (
        lambda root: (root / ".coverage").write_bytes((root / ".coverage").read_bytes()[:9000]),
        CoverageDataError,
        "is not a readable coverage file",
    ),
    "newer schema": (newer_schema, CoverageDataError, "schema 99"),
    "no contexts": (no_contexts, ImportingError, "--cov-context=test"),
    "no report": (lambda root: (root / "report.xml").unlink(), JUnitError, "report.xml"),
    "report cut": (
        lambda root: (root / "report.xml").write_text("<testsuite><testcase"),
        JUnitError,
        "is not a readable JUnit report",
    ),
    "empty report": (
        lambda root: (root / "report.xml").write_text("<testsuite/>"),
        ImportingError,
        "contains no tests",
    ),
    "report of another run": (other_run, ImportingError, "are both of one run?"),
}


@pytest.mark.parametrize("what", BAD)
def test_unusable_files_are_one_clear_sentence(left: Path, tmp_path: Path, what: str) -> None:
    for name in (".coverage", "report.xml"):
        (tmp_path / name).write_bytes((left / name).read_bytes())
    spoil, error, words = BAD[what]
    spoil(tmp_path)
    with pytest.raises(error) as raised:
        import_session(
            tmp_path / ".coverage",
            tmp_path / "report.xml",
            lambda path: relative(path, left),
            lambda _file: None,
            "",
        )
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_traceback_captured_beside_a_failing_test_is_kept(tmp_path: Path) -> None:
    logged = (
        "Traceback (most recent call last):\n  File &quot;a.py&quot;, line 3, in f\nKeyError: 1\n"
    )
    (tmp_path / "report.xml").write_text(
        "<testsuite>"
        f"<testcase name='bad'><failure>E   assert</failure><system-err>{logged}</system-err>"
        "<system-out>progress</system-out></testcase>"
        f"<testcase name='good'><system-err>{logged}</system-err></testcase></testsuite>"
    )
    bad, good = read_junit(tmp_path / "report.xml")
    assert [f.cause.type for f in logged_failures(bad.text)] == ["KeyError"]
    assert "progress" not in bad.text
    assert good.text == ""
