"""Failures of one log that repeat one another share their places."""

from __future__ import annotations

from pathlib import Path

import pytest

from dl_bug_lsp.localize import MOST_RANKED, localize
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.tracebacks.primary import stand_ins
from dl_bug_lsp.workspace import Workspace

TRACEBACK = """Traceback (most recent call last):
  File "train.py", line {line}, in step
    total = count + {count}
{error}: sample {count} is broken
"""
FIRST = TRACEBACK.format(line=2, count=0, error="ValueError")
AGAIN = TRACEBACK.format(line=2, count=0, error="ValueError").replace("sample 0", "sample 27")
OTHER_LINE = TRACEBACK.format(line=3, count=1, error="ValueError")
OTHER_ERROR = TRACEBACK.format(line=2, count=0, error="KeyError")
LATER = OTHER_ERROR.replace("sample 0", "sample 3")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([FIRST, AGAIN], (1, 1)),
        ([FIRST, OTHER_LINE, AGAIN], (2, 1, 2)),
        ([FIRST, OTHER_ERROR, AGAIN, LATER], (0, 3, 0, 3)),
    ],
)
def test_the_one_that_ended_the_job_stands_for_its_repetitions(
    texts: list[str], expected: tuple[int, ...]
) -> None:
    failures = read_failures(read_log("\n".join(texts))).failures
    assert failures[-1].primary
    assert stand_ins(failures) == expected


@pytest.fixture
def program(tmp_path: Path) -> Workspace:
    (tmp_path / "train.py").write_text(
        "def step(count):\n" + "".join(f"    total = count + {n}\n" for n in range(100))
    )
    return Workspace(tmp_path, cache=False)


def _suspects(text: str, workspace: Workspace) -> list[list[tuple[str, int]]]:
    report = localize(text, workspace)
    return [[(s.file, s.line) for s in failure.suspects] for failure in report.failures]


def test_repetitions_share_their_suspects(program: Workspace) -> None:
    first, other, again = _suspects("\n".join([FIRST, OTHER_LINE, AGAIN]), program)
    assert first == again
    assert first[0] == ("train.py", 2)
    assert other[0] == ("train.py", 3)


def test_of_very_many_failures_the_last_have_suspects(program: Workspace) -> None:
    texts = [TRACEBACK.format(line=n + 2, count=n, error="ValueError") for n in range(60)]
    found = _suspects("\n".join(texts), program)
    assert [bool(suspects) for suspects in found] == [n >= 60 - MOST_RANKED for n in range(60)]
    assert found[-1][0] == ("train.py", 61)


def test_a_message_without_frames_repeats_the_failure_that_has_its_stack() -> None:
    message = "Sizes of tensors must match: 9 and 10"
    log = (
        f"2026-01-01 10:00:00,000 - ERROR - Exception: {message}\n"
        f'Traceback (most recent call last):\n  File "t.py", line 1, in f\n    g()\n'
        f"RuntimeError: {message}\n"
    )
    failures = read_failures(read_log(log)).failures
    assert [bool(failure.frames) for failure in failures] == [False, True]
    assert stand_ins(failures) == (1, 1)


def test_each_thread_of_a_kernel_prints_one_assertion() -> None:
    threads = [
        f"/aten/Loss.cu:90: operator(): block: [{n % 7},0,0], thread: [{n},0,0] "
        "Assertion `input_val >= zero && input_val <= one` failed."
        for n in range(600)
    ]
    error = FIRST.replace("ValueError: sample 0 is broken", "RuntimeError: CUDA error: device-side")
    lines = [*threads[:300], *error.splitlines(), *threads[300:]]
    failures = read_failures(read_log("\n".join(lines))).failures
    assert [len(failure.frames) for failure in failures] == [0, 1]
    assert failures[-1].primary
