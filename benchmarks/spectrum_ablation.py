"""What each part of the combination adds, and how much its constants were a lucky choice.

    python benchmarks/spectrum_ablation.py --spectra FILE

Every row is ranked with the bug's project left out. The constants of examination (doubt and reach)
are tried on a grid: its mean, and a nested choice, where the other projects choose the constants
for the one that is left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from spectra_data import Bug, read_bugs
from train_spectrum import CUTS, hits, left_out

from dl_bug_lsp.spectrum.combination import (
    FEATURES,
    CombinationWeights,
    candidates,
    examine,
    rows_of,
)
from dl_bug_lsp.spectrum.spectrum import Element

DOUBTS = (0.3, 0.5, 0.7, 0.9)
REACHES = (2.0, 3.0, 4.0, 6.0, 8.0)
Constants = tuple[float, float]
Scored = tuple[tuple[Element, ...], list[float], set[Element]]


def scored(bug: Bug, weights: CombinationWeights) -> Scored:
    """Return a bug's candidates, their scores, and the faulty ones."""
    inside = candidates(bug.counts)
    scores = [round(weights.sum(row), 9) for row in rows_of(inside, bug.signs)]
    return inside.elements, scores, {bug.counts.elements[i] for i in bug.faulty}


def inverse_rank(case: Scored, constants: Constants) -> float:
    """Return 1/rank of the first faulty candidate, 0 where there is none."""
    elements, scores, faulty = case
    for rank, (index, _) in enumerate(examine(elements, scores, *constants), 1):
        if elements[index] in faulty:
            return 1 / rank
    return 0.0


def at(inverse: Sequence[float]) -> list[int]:
    """Return how many of the ranks are at most 1, 3, 5, 10."""
    return [sum(1 for value in inverse if value >= 1 / cut) for cut in CUTS]


def constants_table(bugs: list[Bug]) -> list[str]:
    """Return hits of the grid of constants: mean, and chosen by the other projects."""
    grid = [(0.0, 1.0), *((doubt, reach) for doubt in DOUBTS for reach in REACHES)]
    outside = left_out(bugs)
    found: dict[Constants, dict[str, float]] = {constants: {} for constants in grid}
    nested: list[float] = []
    for project, weights in outside.items():
        cases = {bug.name: scored(bug, weights) for bug in bugs}
        own = [bug.name for bug in bugs if bug.project == project]
        others = [bug.name for bug in bugs if bug.project != project]
        tried = {c: {n: inverse_rank(case, c) for n, case in cases.items()} for c in grid}
        best = max(grid, key=lambda c: (sum(tried[c][name] for name in others), c))
        nested.extend(tried[best][name] for name in own)
        for constants in grid:
            found[constants].update({name: tried[constants][name] for name in own})
    rows = {c: at(list(values.values())) for c, values in found.items()}
    spread = [rows[c] for c in grid[1:]]
    mean = [round(sum(column) / len(spread), 1) for column in zip(*spread, strict=True)]
    lines = [f"without doubt          {rows[grid[0]]}"]
    lines.append(f"mean of {len(spread)} constants    {mean}")
    lines.append(f"constants chosen by the other projects {at(nested)}")
    lines.extend(f"  doubt {c[0]}, reach {c[1]}  {rows[c]}" for c in grid[1:])
    return lines


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spectra", type=Path, required=True)
    args = parser.parse_args()
    bugs = read_bugs(args.spectra)
    print(f"@1/3/5/10 of {len(bugs)} bugs, each with its project left out")
    print(f"all features           {hits(bugs, left_out(bugs))}")
    print(f"  without any prior    {hits(bugs, left_out(bugs, prior={}))}")
    for name in FEATURES:
        print(f"  - {name:18} {hits(bugs, left_out(bugs, without=name))}")
    print("\n".join(constants_table(bugs)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
