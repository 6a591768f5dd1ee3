"""Links and failures of logs: every dialect's frames, nothing outside, no work without end."""

from __future__ import annotations

from pathlib import Path

import pytest
from endings import CPU_SECONDS, ends

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.server.log_documents import outline_of
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.workspace import Workspace

FIXTURES = Path(__file__).parents[2] / "fixtures"
DIALECTS = (
    "101-leaf-resnet-head",
    "123-gridet-lazy-attribute",
    "212-activity-idle-head",
    "304-keras-leaf-manifest",
    "313-keras-address-notebook",
    "320-knnlab-sweep",
    "422-ecg-losses-kept",
    "505-pairs-empty-caption",
    "525-meters-clean-script",
)
"""Plain, pytest, torchrun, container records, a notebook, rich, AutoGraph, JSON, a shell."""


@pytest.mark.parametrize("name", DIALECTS)
def test_every_frame_in_the_workspace_is_linked(name: str) -> None:
    text = (FIXTURES / name / "log.txt").read_text(encoding="utf-8", errors="replace")
    workspace = Workspace(FIXTURES / name / "workspace", cache=False)
    found = outline_of(text, workspace)
    frames = {
        (place.file, place.line)
        for failure in read_failures(read_log(text)).failures
        for cause in failure.causes
        for frame in cause.frames
        if frame.line > 0
        and (place := workspace.locate(frame.file, frame.line, frame.function, frame.source))
    }
    assert frames
    assert frames <= {(link.place.file, link.place.line) for link in found.links}
    for link in found.links:
        assert 0 <= link.start < link.end <= len(found.lines[link.line - 1])
        assert not link.place.file.startswith(("/", ".."))


def test_what_lies_outside_is_not_linked(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "secret.py").write_text("x = 1\n")
    text = (
        'Traceback (most recent call last):\n  File "../secret.py", line 1, in f\n    x = 1\nE: x\n'
    )
    assert outline_of(text, Workspace(tmp_path / "code", cache=False)).links == ()


@pytest.mark.parametrize(
    "line",
    [
        "a=" * 2_400,
        'File "' * 800,
        "a.py:" * 900,
        "/" * 4_800,
        "In [" * 1_000,
        "│ " * 2_000,
        "x" * 90_000,
    ],
)
def test_hostile_lines_take_no_time(line: str, tmp_path: Path) -> None:
    with ends(CPU_SECONDS / 4):
        outline_of("\n".join([line] * 25), Workspace(tmp_path, cache=False))
