"""Inputs of absurd size: a log of 1 GB, a workspace of 100,000 files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from endings import ends

from dl_bug_lsp.localize import localize
from dl_bug_lsp.logs import read_log_chunks
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.workspace import Workspace

STEP = b"2026-11-21 10:00:00 INFO shard 12345 of the corpus is read, 81 files are left to go\n"
STACK = (
    b"Traceback (most recent call last):\n"
    b'  File "/job/train.py", line 3, in <module>\n'
    b"    total = sum(sizes) / count\n"
    b"ZeroDivisionError: division by zero\n"
)
GIGABYTE = 1_000_000_000
FILES = 100_000


def gigabyte() -> Iterator[bytes]:
    part = STEP * (8_000_000 // len(STEP))
    for _ in range(GIGABYTE // len(part) + 1):
        yield part
    yield STACK


def test_a_log_of_a_gigabyte_is_read_as_a_stream_and_keeps_its_line_numbers() -> None:
    with ends(120):
        log = read_log_chunks(gigabyte())
        (failure,) = read_failures(log).failures
    assert failure.cause is not None
    assert failure.cause.type == "ZeroDivisionError"
    assert failure.span.last_line in (log.total_lines, log.total_lines - 1)
    assert log.total_lines > GIGABYTE // len(STEP)
    assert len(log.lines) < 100_000
    assert any("large" in problem for problem in log.problems)


def test_a_workspace_of_a_hundred_thousand_files(tmp_path: Path) -> None:
    for number in range(100):
        folder = tmp_path / f"shard{number:02}"
        folder.mkdir()
        for item in range(FILES // 100):
            (folder / f"{item:04}.txt").touch()
    (tmp_path / "train.py").write_text("sizes = []\ncount = 0\ntotal = sum(sizes) / count\n")
    workspace = Workspace(tmp_path, cache=False)
    with ends(120):
        report = localize(STACK, workspace)
    assert len(workspace.files()) == FILES + 1
    assert report.primary is not None
    assert {suspect.file for suspect in report.primary.suspects} == {"train.py"}
    assert report.primary.suspects[0].line in (2, 3)
