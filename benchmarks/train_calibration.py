"""Fit how sure the first place of a report is, on programs that no rule was written on.

    python benchmarks/train_calibration.py FOLDER... [--write]

A FOLDER holds cases as ``fixtures/`` does; what ships was fitted on ``benchmarks/held_out/blind``.
The share of the first line and the sources of evidence that speak for it are the features of a
logistic regression with an L2 penalty (`dl_bug_lsp.ranking.fusion.Calibration`). Prints totals
only: how often first places are right by what the report says of them, with the shipped
calibration and with one that was fitted on the other programs (blocks of `BLOCK` neighbouring
numbers, which mostly are of one writer, are left out in turn). ``--write`` stores that of all.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scoring
from sklearn.linear_model import LogisticRegression

from dl_bug_lsp import localize as middle
from dl_bug_lsp.ranking import fusion
from dl_bug_lsp.ranking.reporting import LIKELY_SHARE
from dl_bug_lsp.workspace import Workspace

WEIGHTS = Path(fusion.__file__).with_name("weights.json")
BLOCK = 60
STRENGTH = 1.0
"""The inverse of the L2 penalty."""
LEAST_CASES = 10
"""First places that a source has to speak for to get a weight."""


class First(NamedTuple):
    """A first place: its case's number, share, sources of evidence, and whether it is a cause."""

    number: int
    share: float
    sources: frozenset[str]
    is_cause: bool


def first_of(folder: Path) -> First | None:
    """Return the first place of one case, None where there is none or nothing beside it."""
    case = scoring.read_case(folder)
    workspace = Workspace(folder / "workspace", cache=False)
    failing = scoring.primary_case((folder / "log.txt").read_bytes(), workspace)
    if failing is None:
        return None
    in_notebook = bool(failing.places) and failing.places[-1].file.endswith(".ipynb")
    clues = middle.clues_of(failing)
    candidates = fusion.fuse(clues, failing.category.id, in_notebook=in_notebook)
    if len(candidates) < 2:
        return None
    scores = [candidate.score for candidate in candidates]
    share = fusion.softmax(scores, fusion.shipped_weights().sharpness)[0]
    first = candidates[0]
    number = int(folder.name.partition("-")[0])
    return First(number, share, first.sources, (first.file, first.line) in case.causes)


def fitted(rows: list[First]) -> fusion.Calibration:
    """Return the calibration that makes what happened in these cases most likely."""
    counts = {s: sum(s in row.sources for row in rows) for row in rows for s in row.sources}
    sources = sorted(s for s, count in counts.items() if count >= LEAST_CASES)
    features = [[_odds(row.share), *(float(s in row.sources) for s in sources)] for row in rows]
    model = LogisticRegression(C=STRENGTH, max_iter=1000)
    model.fit(np.array(features), [row.is_cause for row in rows])
    slope, *added = (round(float(weight), 3) for weight in model.coef_[0])
    weights = {s: w for s, w in zip(sources, added, strict=True) if w}
    return fusion.Calibration(slope, round(float(model.intercept_[0]), 3), weights)


def _odds(share: float) -> float:
    return float(np.log(max(share, 1e-9) / max(1.0 - share, 1e-9)))


def reliability(rows: list[First], said: list[float]) -> str:
    """Return how often first places are causes, by tenths of what is said, and the ECE.

    The expected calibration error: Guo et al., ICML 2017, with ten bins of equal width.
    """
    parts, error = [], 0.0
    for tenth in range(10):
        inside = [(row, p) for row, p in zip(rows, said, strict=True) if int(p * 10) == tenth]
        if inside:
            right = sum(row.is_cause for row, _ in inside)
            error += abs(right - sum(p for _, p in inside))
            parts.append(f"{tenth / 10:.1f}: {right}/{len(inside)}")
    likely = [row.is_cause for row, p in zip(rows, said, strict=True) if p >= LIKELY_SHARE]
    parts.append(f"from {LIKELY_SHARE} on: {sum(likely)}/{len(likely)}")
    return f"{', '.join(parts)}; expected calibration error {error / len(rows):.3f}"


def main() -> None:
    """Fit, print, and store when asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    found = [first_of(folder) for folder in scoring.case_folders(arguments.folders)]
    rows = sorted(row for row in found if row is not None)
    print(f"{len(found)} cases, {len(rows)} with a first place among several")
    shipped = fusion.shipped_weights().calibration
    print("shipped:", reliability(rows, [shipped.probability(r.share, r.sources) for r in rows]))
    said = dict.fromkeys(rows, 0.0)
    for block in sorted({row.number // BLOCK for row in rows}):
        rest = fitted([row for row in rows if row.number // BLOCK != block])
        for row in (row for row in rows if row.number // BLOCK == block):
            said[row] = rest.probability(row.share, row.sources)
    print("fitted on the others:", reliability(rows, [said[row] for row in rows]))
    whole = fitted(rows)
    print(whole)
    if arguments.write:
        data = json.loads(WEIGHTS.read_text(encoding="utf-8"))
        data["calibration"] = {
            "slope": whole.slope,
            "intercept": whole.intercept,
            "by_source": dict(whole.by_source),
        }
        WEIGHTS.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
