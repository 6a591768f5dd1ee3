"""`localize` with a spectrum recorded from a real suite run by pytest under coverage."""

from __future__ import annotations

import subprocess
import sys

import pytest
from coverage import CoverageData

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import Report
from dl_bug_lsp.spectrum.spectrum import Element, Outcome, Run, Spectrum, spectrum_of
from dl_bug_lsp.workspace import Workspace

SHOP = """\
def total(prices, discount=0):
    result = 0
    for price in prices:
        result += price
    if discount:
        result = result - discount * 2
    return result


def rows(text):
    found = []
    for line in text.splitlines():
        key, value = line.split("=")
        found.append((key, value))
    return found
"""
TESTS = """\
from shop import rows, total


def test_total():
    assert total([1, 2]) == 3


def test_empty():
    assert total([]) == 0


def test_discount():
    assert total([5], 1) == 4


def test_rows():
    assert rows("a=1") == [("a", "1")]


def test_blank():
    assert rows("a=1\\n\\n") == [("a", "1")]
"""
RUN = """\
import sys, coverage, pytest
names = sys.argv[1:]
for name in names:
    measured = coverage.Coverage(data_file=f".coverage.{name}", include=["shop.py"])
    measured.start()
    code = pytest.main(["-q", "-p", "no:cacheprovider", f"test_shop.py::test_{name}"])
    measured.stop()
    measured.save()
    print("ENDED", name, int(code))
    for module in ("shop", "test_shop"):
        sys.modules.pop(module, None)
"""
NAMES = ("total", "empty", "discount", "rows", "blank")
DEFINITIONS = (1, 10)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, dict[str, str]]:
    folder = tmp_path_factory.mktemp("shop")
    (folder / "shop.py").write_text(SHOP)
    (folder / "test_shop.py").write_text(TESTS)
    (folder / "run.py").write_text(RUN)
    done = subprocess.run(
        [sys.executable, "run.py", *NAMES],
        cwd=folder, capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    texts, start = {}, 0
    for name in NAMES:
        end = done.stdout.index(f"ENDED {name} ", start)
        texts[name] = done.stdout[start : end + len(f"ENDED {name} 0")]
        start = end
    return Workspace(folder, cache=False), texts


def recorded(suite: tuple[Workspace, dict[str, str]], names: tuple[str, ...]) -> Spectrum:
    workspace, texts = suite
    runs = []
    for name in names:
        data = CoverageData(str(workspace.root / f".coverage.{name}"))
        data.read()
        lines = data.lines(str(workspace.root / "shop.py")) or []
        outcome = Outcome.PASSED if texts[name].endswith(" 0") else Outcome.FAILED
        elements = [Element("shop.py", n) for n in lines if n not in DEFINITIONS]
        runs.append((Run(f"test_shop.py::test_{name}", outcome), elements))
    return spectrum_of(runs)


def first(report: Report) -> tuple[str, int]:
    assert report.primary is not None
    suspect = report.primary.suspects[0]
    return suspect.file, suspect.line


def test_failing_runs_alone_are_a_failure(suite: tuple[Workspace, dict[str, str]]) -> None:
    spectrum = recorded(suite, ("total", "empty", "discount", "rows"))
    report = localize("", suite[0], spectrum=spectrum)
    assert first(report) == ("shop.py", 6)
    assert report.primary is not None and report.primary.exception is not None
    assert report.primary.exception.message == "1 of 4 runs fail: test_shop.py::test_discount"
    whys = [e.why for e in report.primary.suspects[0].evidence]
    assert any(why.startswith("executed by 1 of 1 failing and 0 of 3 passing") for why in whys)


def test_of_a_failed_assertion_the_spectrum_says_what_ran(
    suite: tuple[Workspace, dict[str, str]],
) -> None:
    workspace, texts = suite
    spectrum = recorded(suite, ("total", "empty", "discount", "rows"))
    without = localize(texts["discount"], workspace).primary
    assert without is not None
    whys = [e.why for suspect in without.suspects for e in suspect.evidence]
    assert not any("failing and" in why for why in whys)
    report = localize(texts["discount"], workspace, spectrum=spectrum)
    assert first(report) == ("shop.py", 6)
    assert report.primary is not None
    whys = [e.why for e in report.primary.suspects[0].evidence]
    assert any(why.startswith("executed by 1 of 1 failing and 0 of 3 passing") for why in whys)


def test_the_stack_stands_for_a_failing_run_that_was_not_recorded(
    suite: tuple[Workspace, dict[str, str]],
) -> None:
    workspace, texts = suite
    spectrum = recorded(suite, ("total", "empty", "rows"))
    assert not spectrum.failing
    report = localize(texts["blank"], workspace, spectrum=spectrum)
    assert first(report) == ("shop.py", 13)
    assert report.primary is not None
    whys = [e.why for e in report.primary.suspects[0].evidence]
    assert any(why.startswith("on the way to the failure") for why in whys)


def test_nothing_fails_nothing_is_reported(suite: tuple[Workspace, dict[str, str]]) -> None:
    spectrum = recorded(suite, ("total", "empty", "rows"))
    assert localize("", suite[0], spectrum=spectrum).failures == ()
    assert localize("", suite[0], spectrum=spectrum_of([])).failures == ()


def test_the_same_spectrum_gives_the_same_report(suite: tuple[Workspace, dict[str, str]]) -> None:
    reports = [
        localize(suite[1]["blank"], suite[0], spectrum=recorded(suite, NAMES)) for _ in range(2)
    ]
    assert reports[0] == reports[1]


def test_a_spectrum_of_files_that_are_not_there_does_no_harm(
    suite: tuple[Workspace, dict[str, str]],
) -> None:
    runs = [(Run("t", Outcome.FAILED), [Element("gone.py", 3), Element("../up.py", -1)])]
    report = localize(suite[1]["blank"], suite[0], spectrum=spectrum_of(runs))
    assert report.primary is not None
    assert ("shop.py", 13) in {(s.file, s.line) for s in report.primary.suspects}
