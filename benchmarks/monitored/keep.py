"""Keeps recorded cases of the seen half as small test cases.

    python -m monitored.keep CASE...

Of a recording stay all rows of calls, objects and data, the first and last sampled steps of layers,
and every so often a loss; numbers have five digits. The program lies beside it.
"""

from __future__ import annotations

import json
import math
import shutil
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
for folder in (ROOT, HERE.parent):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from dl_bug_lsp.monitoring.tables import columns  # noqa: E402
from dl_bug_lsp.monitoring.training_run import FIELDS, Run  # noqa: E402
from monitored.reading import Recorded  # noqa: E402

TARGET = ROOT / "tests" / "monitoring" / "cases"
STEPS = 45
SAMPLED = 3
EDGES = 2


def kept(run: Run) -> list[list[Any]]:
    """Return the rows of a run as a journal holds them, thinned."""
    rows = [["run", *_values("run", run.process)]]
    sampled = sorted({s.step for s in run.statistics})
    near = (
        set(sampled[:SAMPLED]) | set(sampled[-EDGES:]) | set(sampled[:: max(1, len(sampled) // 3)])
    )
    every = max(1, len(run.steps) // STEPS)
    for table, field in FIELDS.items():
        for number, row in enumerate(getattr(run, field)):
            if table == "statistic" and row.step not in near:
                continue
            if table in ("input", "loss_part", "rate") and row.step not in near and number > 16:
                continue
            odd = table == "step" and row.loss is not None and not math.isfinite(row.loss)
            # The first step whose loss is no number matters more than all after it.
            if (
                table == "step"
                and number % every
                and number > 15
                and not odd
                and row.phase == "train"
            ):
                continue
            if table == "epoch_order" and number > 8:
                continue
            rows.append([table, *_values(table, row)])
    return rows


def _values(table: str, row: Any) -> list[Any]:
    return [_short(getattr(row, name)) for name, _ in columns(table)]


def _short(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.5g}") if math.isfinite(value) else str(value)
    return value[:300] if isinstance(value, str) else value


def main() -> None:
    """Keep the cases that the command names."""
    store = ROOT / ".factory" / "monitored" / "seen"
    for name in sys.argv[1:]:
        folder = store / name
        case = Recorded(folder, json.loads((folder / "truth.json").read_text()))
        run = max(case.runs(), key=lambda r: r.process.steps or 0)
        target = TARGET / name
        shutil.rmtree(target, ignore_errors=True)
        ignored = shutil.ignore_patterns("out", "__pycache__", ".dlbug", "lightning_logs")
        shutil.copytree(folder / "work", target / "workspace", ignore=ignored)
        lines = [json.dumps(row, separators=(",", ":")) for row in kept(run)]
        (target / "recording.jsonl").write_text("\n".join(lines) + "\n")
        truth = {key: case.truth[key] for key in ("kind", "file", "lines")}
        (target / "truth.json").write_text(json.dumps(truth, indent=1) + "\n")
        print(name, round((target / "recording.jsonl").stat().st_size / 1000), "KB")


if __name__ == "__main__":
    main()
