"""Makes the picture of docs/monitoring.md from a recorded run; no arguments."""

from pathlib import Path

from dl_bug_lsp.monitoring.store import read_journal, run_of
from dl_bug_lsp.views.training_plot import panels, svg

ROOT = Path(__file__).resolve().parent.parent
RECORDED = ROOT / "tests/monitoring/recorded/faulty.jsonl"

if __name__ == "__main__":
    run = run_of(1, read_journal(RECORDED)[0])
    assert run is not None
    (Path(__file__).parent / "training.svg").write_text(svg(panels(run)) + "\n")
