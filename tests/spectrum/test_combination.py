"""The combination: stacks, words, layout, order of examination, weights."""

from __future__ import annotations

import math

import pytest
from made_counts import counts_of

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.spectrum.combination import (
    DOUBT,
    FEATURES,
    REACH,
    CombinationWeights,
    FailureCues,
    Finder,
    candidates,
    combine,
    cues_of,
    examine,
    layout,
    rows_of,
    shipped_weights,
    stack_as_failing_run,
)
from dl_bug_lsp.spectrum.failing_runs import (
    best_named,
    captured_section,
    is_test_file,
    logged_failures,
    words,
    words_of_report,
    words_of_tests,
)
from dl_bug_lsp.spectrum.spectrum import Counts, Element
from dl_bug_lsp.tracebacks import Failure, read_failures

PYTEST = """\
=================================== FAILURES ===================================
______________________________ test_loads_header _______________________________

    def test_loads_header():
>       assert load_header("x") == {}

/home/me/project/tests/test_headers.py:7:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
/home/me/project/pack/headers.py:12: in load_header
    return parse(text)
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def parse(text):
>       key, value = text.split(":")
E       ValueError: not enough values to unpack (expected 2, got 1)

/home/me/project/pack/parsing.py:4: ValueError
=========================== short test summary info ============================
"""
FILES = ("pack/headers.py", "pack/parsing.py", "pack/records.py")


def failures_in(text: str) -> tuple[Failure, ...]:
    return read_failures(read_log(text)).failures


def counted(*rows: tuple[str, int, int, int], failing: int = 1, passing: int = 9) -> Counts:
    return counts_of([(Element(f, line), ef, ep) for f, line, ef, ep in rows], failing, passing)


def test_a_pytest_report_gives_stack_and_words() -> None:
    names = ["tests/test_more.py::TestRows::test_blank[a::b]", "tests.test_old.test_x"]
    signs = cues_of(failures_in(PYTEST), PYTEST, FILES, names)
    assert signs.stacks == ((("pack/parsing.py", 4), ("pack/headers.py", 12)),)
    assert signs.tests == {"headers", "more", "rows", "old"}
    assert {"load", "value", "unpack"} <= signs.report


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        ("/a/b/pack/headers.py", "pack/headers.py"),
        ("pack/headers.py", "pack/headers.py"),
        ("C:\\work\\pack\\headers.py", "pack/headers.py"),
        ("/a/mypack/headers.py", "headers.py"),
        ("/a/other.py", None),
        ("/v/lib/python3.12/site-packages/pack/headers.py", "pack/headers.py"),
        ("/v/lib/python3.12/site-packages/pack-1.0-py3.egg/pack/headers.py", "pack/headers.py"),
        ("/v/lib/python3.12/site-packages/click/headers.py", None),
        ("/usr/lib/python3.12/headers.py", None),
        ("", None),
    ],
)
def test_a_printed_path_is_the_longest_file_it_ends_in(printed: str, found: str | None) -> None:
    assert Finder(["pack/headers.py", "headers.py"]).file(printed) == found


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("tests/a.py", True),
        ("pack/test_a.py", True),
        ("pack/a_test.py", True),
        ("conftest.py", True),
        ("pack/testing/a.py", True),
        ("pack/contest.py", False),
        ("pack/latest.py", False),
        ("pack/attest/a.py", False),
    ],
)
def test_which_files_are_tests(path: str, is_test: bool) -> None:
    assert is_test_file(path) is is_test


def test_words_are_split_at_case_and_underscores() -> None:
    assert words("pack/HTTPServer_testsFoo2/x.py") == {"pack", "http", "server", "foo"}


def test_words_of_unittest_titles_and_of_nothing() -> None:
    for where in ("tests.test_table.TableTests", "tests.test_table.TableTests.test_join_rows"):
        assert words_of_tests([], f"FAIL: test_join_rows ({where})\n") == {"table"}
    assert words_of_tests([]) == frozenset()
    assert words_of_report("plain prose\n") == frozenset()


LISTED = """\
=============================== warnings summary ===============================
    import broken_thing
"""


def test_words_of_a_report_are_those_of_its_failures() -> None:
    assert words_of_report(LISTED + PYTEST + LISTED) == words_of_report(PYTEST)
    unittest = "FAIL: test_a (tests.test_b.C)\n    self.assertEqual(rows, None)\n"
    assert words_of_report(LISTED + unittest) == {"assert", "equal", "rows", "none"}


CAPTURED = """\
=================================== FAILURES ===================================
_________________________________ test_answer __________________________________

    def test_answer():
>       assert get("/rows") == 200
E       assert 500 == 200

/home/me/project/tests/test_rows.py:7: AssertionError
------------------------------ Captured log call -------------------------------
ERROR    app:serving.py:30 failed
Traceback (most recent call last):
  File "/home/me/project/pack/serving.py", line 28, in answer
    return handler()
  File "/home/me/project/pack/records.py", line 5, in rows
    return load()["x"]
KeyError: 'x'
INFO     app:serving.py:40 answered 500
=========================== short test summary info ============================
"""
SERVED = ("pack/records.py", "pack/serving.py", "tests/test_rows.py")


def test_what_a_program_logged_stands_in_for_a_stack_that_ends_in_the_test() -> None:
    logged = (("pack/records.py", 5), ("pack/serving.py", 28))
    own = (("tests/test_rows.py", 7),)
    assert cues_of(failures_in(CAPTURED), CAPTURED, SERVED).stacks == (own, logged)
    section = CAPTURED.partition("AssertionError\n")[2]
    both = PYTEST.partition("====== short")[0].rpartition("\n")[0] + "\n" + section
    reached = ("pack/parsing.py", 4), ("pack/headers.py", 12)
    assert cues_of(failures_in(both), both, (*FILES, *SERVED)).stacks == (reached,)


def test_only_captured_text_with_a_traceback_is_kept() -> None:
    section = CAPTURED.partition("INFO")[0].partition("call -------------------------------\n")[2]
    kept = captured_section("Captured log call", section)
    assert kept.splitlines()[0] == " Captured log call ".center(80, "-")
    assert [f.cause.type for f in logged_failures(kept)] == ["KeyError"]
    assert captured_section("Captured stdout call", "all is well\n") == ""
    assert logged_failures(PYTEST) == ()


def test_a_package_does_not_hide_the_name_of_its_module() -> None:
    files = ["pack/pack.py", "pack/rows.py", "pack/types.py"]
    assert best_named(files, frozenset(["pack"])) == {"pack/pack.py"}


def test_the_best_named_files_are_those_with_most_of_their_weight_said() -> None:
    files = ["pack/rules/git_push.py", "pack/rules/git_add.py", "pack/types.py"]
    assert best_named(files, frozenset(["git", "push"])) == {"pack/rules/git_push.py"}
    assert best_named(files, frozenset(["git"])) == {files[0], files[1]}
    assert best_named(files, frozenset(["pack"])) == frozenset()
    assert best_named([], frozenset(["git"])) == frozenset()


def test_layout_parts_stretches_at_gaps_and_blocks_at_counts() -> None:
    counts = counted(
        ("a.py", 1, 1, 3),
        ("a.py", 2, 1, 3),
        ("a.py", 4, 1, 0),
        ("a.py", 13, 1, 0),
        ("b.py", 1, 1, 0),
    )
    around = layout(counts)
    assert around.position == [0, 1, 2, 3, 4]
    assert around.stretch == [0, 0, 0, 1, 2]
    assert around.is_last == [False, False, True, True, True]
    assert around.depth == [0.0, 0.5, 0.0, 0.5, 0.0]


def test_features_of_frames_fall_with_rank_and_distance() -> None:
    counts = counted(*(("a.py", line, 1, 0) for line in (1, 2, 3, 40)), ("b.py", 9, 1, 0))
    signs = FailureCues(((("a.py", 2), ("b.py", 8)),))
    rows = [dict(zip(FEATURES, row, strict=True)) for row in rows_of(counts, signs)]
    assert [row["frame"] for row in rows] == [0, 1, 0, 0, 0]
    # b.py:8 is no executed line and of rank 2: one step away, 1/2 · 1/2
    assert [row["near_frame"] for row in rows] == [1 / 2, 1, 1 / 2, 1 / 3, 1 / 4]
    assert [row["frame_file"] for row in rows] == [1, 1, 1, 1, 1 / 2]


def test_examined_neighbours_are_believed_less() -> None:
    elements = tuple(Element("a.py", line) for line in (1, 2, 3, 50))
    order = examine(elements, [1.0, 1.0, 1.0, 1.0])
    assert [elements[i].line for i, _ in order] == [1, 50, 3, 2]
    assert order[2][1] == pytest.approx(1 + math.log(1 - DOUBT * math.exp(-2 / REACH)))
    assert examine(elements, [0.0, 9.0, 0.0, 0.0])[0] == (1, 9.0)
    assert examine((), []) == []


def test_what_fails_alone_comes_first_and_a_frame_moves_it() -> None:
    counts = counted(("a.py", 1, 1, 9), ("a.py", 20, 1, 0), ("b.py", 1, 1, 3), ("b.py", 30, 0, 5))
    plain = combine(counts)
    assert (plain[0].element.file, plain[0].element.line) == ("a.py", 20)
    assert {s.element.line for s in plain if s.element.file == "b.py"} == {1}
    assert sum(s.share for s in plain) == pytest.approx(1)
    assert [s.score for s in plain] == sorted((s.score for s in plain), reverse=True)
    traced = combine(counts, FailureCues(((("b.py", 1),),)))
    assert traced[0].element.file == "b.py"


def test_tests_are_no_candidates_unless_nothing_else_ran() -> None:
    both = counted(("tests/test_a.py", 1, 1, 0), ("a.py", 1, 1, 9))
    assert [e.file for e in candidates(both).elements] == ["a.py"]
    alone = counted(("tests/test_a.py", 1, 1, 0))
    assert [e.file for e in candidates(alone).elements] == ["tests/test_a.py"]
    assert combine(counted()) == []


def test_a_stack_stands_for_the_failing_run() -> None:
    counts = counted(
        ("a.py", 1, 0, 9), ("a.py", 2, 0, 1), ("a.py", 3, 0, 0), ("a.py", 40, 0, 0), failing=0
    )
    alone = stack_as_failing_run(counts, ((("a.py", 2),),))
    assert (list(alone.ef), alone.failing) == ([1, 1, 0, 0], 1)
    assert combine(alone, FailureCues(((("a.py", 2),),)))[0].element.line == 2
    assert sum(stack_as_failing_run(counts, ()).ef) == 0


def test_shipped_weights_know_every_feature_and_speak_for_it() -> None:
    weights = shipped_weights()
    assert weights.of.keys() == set(FEATURES)
    assert all(value >= 0 for value in weights.of.values())
    assert CombinationWeights({"frame": 2.0}, 1.0).sum((0, 0, 0, 0, 0.5, 0, 0, 0, 0)) == 1.0
