"""A failure's own runs: named by titles, leading over other failing runs."""

from __future__ import annotations

import pytest

from dl_bug_lsp.recording.session_folder import failing_text
from dl_bug_lsp.spectrum.combination import combine
from dl_bug_lsp.spectrum.failing_runs import FailureSpectrum, own_runs, title_of
from dl_bug_lsp.spectrum.spectrum import Element, Outcome, Run, spectrum_of

NAMES = (
    "tests/test_a.py::test_x",
    "tests/test_b.py::test_x",
    "tests/test_a.py::TestY::test_x[1.5/a::b]",
    "tests/test_a.py::TestY::test_x[2]",
    "tests.test_c.TestZ.test_old",
    "tests/test_a.py::test_xx",
)
TITLES = {
    "____ test_x ____": (0, 1),
    "____ TestY.test_x[2] ____": (3,),
    "____ TestY.test_x[1.5/a::b] ____": (2,),
    "____ ERROR at setup of test_xx ____": (5,),
    "____ ERROR at teardown of TestY.test_x[2] ____": (3,),
    "FAIL: test_old (tests.test_c.TestZ)": (4,),
    "ERROR: test_old (tests.test_c.TestZ.test_old)": (4,),
    "____ tests.test_c.TestZ.test_old ____": (4,),
    "____ ERROR collecting tests/test_q.py ____": (),
    "Traceback (most recent call last):": (),
    "________": (),
    "": (),
}


@pytest.mark.parametrize("line", TITLES)
def test_titles_name_runs(line: str) -> None:
    runs = [Run(name, Outcome.FAILED) for name in NAMES]
    assert tuple(sorted(own_runs(title_of(line), (), runs))) == TITLES[line]


def test_frames_tell_tests_of_one_name_apart_and_passing_runs_are_nobody_s() -> None:
    runs = [Run(name, Outcome.FAILED) for name in NAMES]
    assert own_runs("test_x", ("/home/me/tests/test_b.py", "x.py"), runs) == {1}
    runs[1] = Run(NAMES[1], Outcome.PASSED)
    assert own_runs("test_x", ("/home/me/tests/test_b.py",), runs) == {0}


def executed(*lines: int) -> list[Element]:
    return [Element("a.py", line) for line in lines]


def test_what_only_other_failing_runs_execute_is_no_candidate() -> None:
    spectrum = spectrum_of(
        [
            (Run("mine", Outcome.FAILED), executed(1, 20)),
            (Run("other", Outcome.FAILED), executed(1, 40)),
            (Run("good", Outcome.PASSED), executed(1)),
        ]
    )
    mine = FailureSpectrum(spectrum, frozenset({0}))
    assert mine.names == ("mine",)
    assert mine.executed == {"a.py": {1, 20}}
    assert {one.element.line for one in combine(mine.weighted)} == {1, 20}
    assert list(mine.counts.ef) == [2, 1, 1]
    everybody = FailureSpectrum(spectrum)
    assert {one.element.line for one in combine(everybody.weighted)} == {1, 20, 40}


def test_many_failures_of_another_fault_do_not_outvote_the_own_run() -> None:
    runs = [(Run("mine", Outcome.FAILED), executed(1, 20))]
    runs += [(Run(f"other{i}", Outcome.FAILED), executed(1, 40)) for i in range(50)]
    runs += [(Run(f"good{i}", Outcome.PASSED), executed(1)) for i in range(50)]
    mine = FailureSpectrum(spectrum_of(runs), frozenset({0}))
    assert combine(mine.weighted)[0].element.line == 20
    assert FailureSpectrum(mine.spectrum).counts is not mine.counts


def test_weights_of_one_count_as_before() -> None:
    runs = [
        (Run("mine", Outcome.FAILED), executed(1, 20)),
        (Run("good", Outcome.PASSED, weight=7), executed(1)),
    ]
    only = FailureSpectrum(spectrum_of(runs), frozenset({0}))
    assert only.weighted == only.counts and list(only.counts.ep) == [7, 0]


def test_groups_of_failing_tests_are_told_largest_first() -> None:
    ending = "tests/t.py:{}: ValueError"
    texts = {
        f"tests/t.py::test_{i}": f"E   ValueError: {i}\n\n{ending.format(7)}" for i in range(3)
    }
    texts["tests/t.py::test_a"] = f"E   ValueError: a\n\n{ending.format(3)}"
    texts["tests/t.py::test_b"] = f"E   KeyError: b\n\n{ending.format(7)}"
    texts["tests/t.py::test_c"] = "  \n"
    titles = [title_of(line) for line in failing_text(texts).splitlines() if title_of(line)]
    assert titles == ["test_0", "test_a", "test_b"]
    assert failing_text(texts, 1).count("test_") == 1
    assert failing_text({}) == ""
