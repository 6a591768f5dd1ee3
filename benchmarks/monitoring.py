"""Recorded trainings with seeded silent faults: found, named, placed; and clean runs, left alone.

    python benchmarks/monitoring.py [--half seen|blind|factory-seen|factory-blind] [--cases]
        [--framework torch|lightning|transformers|keras]

Reads ``.factory/monitored`` (``python -m monitored.recording`` from ``benchmarks/`` makes it; see
``benchmarks/monitored/README.md``). Of the blind half only totals are printed. Beside it
stands what the log alone gives, without the recording.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from monitored.reading import Recorded, cases
from monitored.recording import framework_of

from dl_bug_lsp.localize import localize
from dl_bug_lsp.monitoring.training_run import Recording
from dl_bug_lsp.report import FailureReport, Options
from dl_bug_lsp.workspace import Workspace

ROOT = Path(__file__).resolve().parents[1]
STORE = ROOT / ".factory" / "monitored"
TOPS = (1, 5, 10)
HALVES = ("seen", "blind", "factory-seen", "factory-blind")


@dataclass
class Judged:
    """What was said of a case: a fault found or not, its kind, the rank of its first true line."""

    case: Recorded
    is_found: bool
    kind: str = ""
    rank: int = 0


def judge(case: Recorded, recorded: bool) -> Judged:
    """Localize a case's log, with its recording or without."""
    text = (case.folder / "log.txt").read_bytes()
    workspace = Workspace(case.folder / "work", cache=False)
    recording = Recording(tuple(case.runs())) if recorded else None
    report = localize(text, workspace, Options(top=10), recording=recording)
    failure = report.primary
    if failure is None:
        return Judged(case, False)
    kind = failure.category.rule.partition(".")[2] if recorded else ""
    return Judged(case, True, kind, rank_of(failure, case))


def rank_of(failure: FailureReport, case: Recorded) -> int:
    """Return the rank of the first place that holds a true line, 0 where none of ten does."""
    for suspect in failure.suspects:
        lines = range(suspect.line, suspect.end_line + 1)
        if any((suspect.file, line) in case.lines for line in lines):
            return suspect.rank
    return 0


def row(name: str, results: Iterable[Judged]) -> str:
    """Return a row of the table."""
    results = list(results)
    faulty = [r for r in results if r.case.kind is not None]
    clean = [r for r in results if r.case.kind is None]
    count = max(1, len(faulty))
    found = sum(r.is_found for r in faulty) / count
    kind = sum(r.kind in r.case.kinds for r in faulty) / count
    ranks = " | ".join(f"{sum(0 < r.rank <= top for r in faulty) / count:.2f}" for top in TOPS)
    alarms = sum(r.is_found for r in clean)
    named = f"{kind:.2f}" if any(r.kind for r in faulty) else ""
    return f"| {name} | {found:.2f} | {named} | {ranks} | {alarms} of {len(clean)} |"


def framework(case: Recorded) -> str:
    """Return the framework of a case's program."""
    program = case.folder / "work" / str(case.truth["program"])
    return framework_of(program.read_text()) if program.is_file() else "torch"


NAMES = {"torch": "PyTorch", "lightning": "Lightning", "transformers": "transformers",
         "keras": "Keras"}  # fmt: skip


def main() -> None:
    """Print the table of a half."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--half", default="seen", choices=HALVES)
    parser.add_argument("--cases", action="store_true", help="each case of the seen half")
    parser.add_argument("--framework", default="", choices=("", *NAMES))
    parser.add_argument("--store", type=Path, default=STORE)
    chosen = parser.parse_args()
    every = list(cases(chosen.store, chosen.half))
    if chosen.framework:
        every = [case for case in every if framework(case) == chosen.framework]
    with_recording = [judge(case, True) for case in every]
    alone = [judge(case, False) for case in every]
    faulty = sum(case.kind is not None for case in every)
    print(f"{chosen.half}: {faulty} faulty runs, {len(every) - faulty} clean ones\n")
    print("| | fault found | its kind | line first | in 5 | in 10 | false alarms |")
    print("|---|---|---|---|---|---|---|")
    print(row("recording and log", with_recording))
    print(row("log alone", alone))
    if not chosen.framework and not chosen.half.startswith("factory"):
        for name, shown in NAMES.items():
            own = [result for result in with_recording if framework(result.case) == name]
            if own:
                print(row(f"{shown} ({sum(r.case.kind is not None for r in own)} faulty)", own))
    if chosen.cases and "blind" not in chosen.half:
        for result in with_recording:
            if result.case.kind is not None or result.is_found:
                print(
                    result.case.folder.name, "|", result.case.kind, "->", result.kind, result.rank
                )


if __name__ == "__main__":
    main()
