"""Four trainings as users write them, recorded by the real command: each fault at its line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from dl_bug_lsp.localize import localize
from dl_bug_lsp.monitoring.store import read_recording
from dl_bug_lsp.report import Options
from dl_bug_lsp.workspace import Workspace

TRAININGS = Path(__file__).parent / "trainings"
NAMES = sorted(folder.name for folder in TRAININGS.iterdir() if folder.is_dir())


@pytest.mark.parametrize("name", NAMES)
def test_the_recorded_training_leads_to_its_fault(tmp_path: Path, name: str) -> None:
    truth = json.loads((TRAININGS / name / "truth.json").read_text())
    shutil.copy(TRAININGS / name / "train.py", tmp_path)
    (tmp_path / ".dlbug").mkdir()
    shutil.copy(TRAININGS / name / "training.db", tmp_path / ".dlbug")
    recording = read_recording(tmp_path)
    assert not recording.problems
    (run,) = recording.runs
    assert run.process.outcome == "finished"
    report = localize("", Workspace(tmp_path, cache=False), Options(), recording=recording)
    failure = report.primary
    assert failure is not None
    assert failure.category.rule == f"training.{truth['kind']}"
    first = failure.suspects[0]
    assert first.file == truth["file"]
    assert first.line in truth["lines"]
