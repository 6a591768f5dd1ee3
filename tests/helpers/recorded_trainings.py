"""Recorded trainings of ``tests/monitoring/cases``."""

from __future__ import annotations

from pathlib import Path

from dl_bug_lsp.monitoring.store import read_journal, run_of
from dl_bug_lsp.monitoring.training_run import Run

CASES = Path(__file__).parents[1] / "monitoring" / "cases"


def recorded(name: str) -> Run:
    rows, problem = read_journal(CASES / name / "recording.jsonl")
    assert problem is None
    run = run_of(1, rows)
    assert run is not None
    return run
