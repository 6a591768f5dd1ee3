"""Learn which edits to try first, and how much one that passes says, from recorded failures.

    python benchmarks/train_repairs.py FOLDER... [--write] [--processes N] [--steps STEPS]

A FOLDER holds cases as ``fixtures/`` does. Each failure that the interpreter reproduces is followed
again with every small edit (`dl_bug_lsp.evidence.repairs`), up to STEPS steps of the interpreter.
Prints, for each kind of edit, how many were tried, passed, and passed at a line with the cause;
``--write`` stores the rates in ``rates.json``. A rate is smoothed with the kind's prior
(`edits.PRIORS`): of tried edits as if 300 more, of passing ones as if three more had been seen.
All cases take about 50 minutes of processor time.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import scoring

from dl_bug_lsp.evidence.repairs import counterfactuals
from dl_bug_lsp.evidence.repairs.counterfactuals import RATE_OF_PRIOR, SHARE_OF_PRIOR
from dl_bug_lsp.evidence.repairs.edits import PRIORS
from dl_bug_lsp.tracebacks import FailureKind
from dl_bug_lsp.workspace import Workspace

RATES = Path(counterfactuals.__file__).with_name("rates.json")
MOST_STEPS = 4_000_000
AS_IF_TRIED = 300.0
AS_IF_PASSED = 3.0
AS_IF_IN_GROUP = 20.0


class Trial(NamedTuple):
    """One edit: its kind and place, whether it passed, and whether its line holds the cause."""

    kind: str
    group: str
    place: tuple[str, int]
    passes: bool
    is_cause: bool


def trials_of(folder: Path, most_steps: int) -> list[Trial]:
    """Try all edits of one case; none where the failure is not reproduced."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    causes = {(root["file"], root["line"]) for root in truth["root_cause"]}
    workspace = Workspace(folder / "workspace", cache=False)
    case = scoring.primary_case((folder / "log.txt").read_bytes(), workspace)
    if case is None or case.failure.kind is not FailureKind.EXCEPTION or not case.places:
        return []
    search = counterfactuals.Search(case)
    found: list[Trial] = []
    candidates = [candidate for batch in search.batches for candidate in batch.edits]
    for candidate in sorted(candidates, key=counterfactuals.promise, reverse=True):
        if search.steps > most_steps:
            break
        place = (candidate.edit.file, candidate.edit.line)
        passes = search.effect(candidate.edit) is counterfactuals.Effect.PASSES
        found.append(Trial(candidate.edit.kind, candidate.group, place, passes, place in causes))
    return found


def rates(cases: list[list[Trial]]) -> dict[str, dict[str, float]]:
    """Return the content of ``rates.json``: by kind, by group, and of kinds that pass."""
    tried: defaultdict[str, float] = defaultdict(float)
    repaired: defaultdict[str, float] = defaultdict(float)
    passed: defaultdict[str, float] = defaultdict(float)
    causes: defaultdict[str, float] = defaultdict(float)
    for trials in cases:
        repairs = sum(trial.passes and trial.is_cause for trial in trials)
        for trial in trials:
            # The edits that repair one failure count together as one.
            weight = 1.0 / repairs if trial.passes and trial.is_cause else 0.0
            for key in (trial.kind, f"group {trial.group}", "all"):
                tried[key] += 1
                repaired[key] += weight
        for kind, _, is_cause in {(t.kind, t.place, t.is_cause) for t in trials if t.passes}:
            passed[kind] += 1
            causes[kind] += is_cause
    base = repaired["all"] / max(tried["all"], 1.0)
    kinds = {
        kind: (repaired[kind] + AS_IF_TRIED * RATE_OF_PRIOR * prior) / (tried[kind] + AS_IF_TRIED)
        for kind, prior in PRIORS.items()
    }
    groups = {
        key.removeprefix("group "): (repaired[key] / base + AS_IF_IN_GROUP)
        / (tried[key] + AS_IF_IN_GROUP)
        for key in tried
        if key.startswith("group ")
    }
    passing = {
        kind: (causes[kind] + AS_IF_PASSED * SHARE_OF_PRIOR * prior) / (passed[kind] + AS_IF_PASSED)
        for kind, prior in PRIORS.items()
    }
    tables = {"kinds": kinds, "groups": groups, "passing": passing}
    return {
        name: {key: float(f"{value:.3g}") for key, value in sorted(table.items())}
        for name, table in tables.items()
    }


def main() -> None:
    """Run the trials and print their table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--steps", type=int, default=MOST_STEPS)
    arguments = parser.parse_args()
    folders = [
        case
        for folder in arguments.folders
        for case in sorted(folder.iterdir())
        if (case / "truth.json").is_file()
    ]
    with ProcessPoolExecutor(arguments.processes) as executor:
        cases = list(executor.map(partial(trials_of, most_steps=arguments.steps), folders))
    repaired = sum(any(t.passes and t.is_cause for t in trials) for trials in cases)
    reproduced = sum(bool(trials) for trials in cases)
    print(f"{len(cases)} cases, {reproduced} reproduced, {repaired} repaired at the cause")
    print(f"{'kind':20} {'tried':>6} {'passed':>6} {'cause':>6}")
    for kind in sorted(PRIORS):
        own = [t for trials in cases for t in trials if t.kind == kind]
        causes = sum(t.passes and t.is_cause for t in own)
        print(f"{kind:20} {len(own):6} {sum(t.passes for t in own):6} {causes:6}")
    if arguments.write:
        RATES.write_text(json.dumps(rates(cases), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
