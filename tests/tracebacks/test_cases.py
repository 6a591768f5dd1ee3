"""Every recorded or typical log is read as the expectation beside it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.tracebacks import Failure, FailureKind, Frame, is_library_path, read_failures

CASES = sorted(Path(__file__).with_name("cases").glob("*.json"))


def site(failure: Failure) -> Frame | None:
    """Return the innermost frame that may be the user's."""
    return next((f for f in reversed(failure.frames) if not is_library_path(f.file)), None)


def shown(frame: Frame | None) -> list[Any] | None:
    return [frame.file, frame.line, frame.function] if frame else None


def checks(failure: Failure, want: dict[str, Any]) -> list[tuple[str, object, object]]:
    cause = failure.cause
    assert cause is not None
    found: dict[str, object] = {
        "kind": failure.kind.value,
        "dialect": failure.dialect,
        "type": cause.type,
        "message": cause.message,
        "site": shown(site(failure)),
        "entry": [failure.frames[0].file, failure.frames[0].line] if failure.frames else None,
        "frames": len(failure.frames),
        "reliable": failure.reliable,
        "rank": failure.process.rank if failure.process else None,
        "causes": [c.type for c in failure.causes],
        "expression": cause.frames[-1].expression if cause.frames else None,
        "source": cause.frames[-1].source if cause.frames else None,
        "user_marked": [[f.file, f.line] for f in failure.frames if f.marked_user],
        "span": [failure.span.first_line, failure.span.last_line],
    }
    return [(key, found[key], want[key]) for key in found if key in want]


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_case(path: Path) -> None:
    want = json.loads(path.read_text(encoding="utf-8"))
    reading = read_failures(read_log(path.with_suffix(".txt").read_bytes()))
    primary = next((f for f in reading.failures if f.primary), None)
    if want.get("none"):
        assert reading.failures == ()
        return
    if "failures" in want:
        assert len(reading.failures) == want["failures"]
    if want.get("primary") is False:
        assert primary is None
        return
    assert primary is not None
    assert primary.cause is not None
    assert primary.kind is FailureKind(want.get("kind", "exception"))
    for key, found, wanted in checks(primary, want):
        assert found == wanted, key
    if "contains" in want:
        assert want["contains"] in primary.cause.message
    if "any_contains" in want:
        assert any(want["any_contains"] in f.cause.message for f in reading.failures if f.cause)
    if "evidence" in want:
        assert want["evidence"] in primary.evidence
    if "note" in want:
        assert any(want["note"] in note for note in primary.cause.notes)
    if "problem" in want:
        assert any(want["problem"] in problem for problem in reading.problems)


@pytest.mark.parametrize(
    ("path", "is_library"),
    [
        ("D:\\Anaconda\\lib\\queue.py", True),
        ("C:\\ProgramData\\Anaconda3\\envs\\tf\\lib\\threading.py", True),
        ("E:\\envs\\tf\\Lib\\threading.py", True),
        ("/home/u/miniforge3/lib/python3.11/queue.py", True),
        ("D:\\code\\project\\lib\\queue.py", False),
        ("/home/u/rl/envs/maze/lib/grid.py", False),
    ],
)
def test_whose_files(path: str, is_library: bool) -> None:
    assert is_library_path(path) == is_library
