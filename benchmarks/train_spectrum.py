"""Learn how spectrum, stack traces and words are combined, from recorded spectra of real bugs.

    python benchmarks/train_spectrum.py --spectra FILE [--strength L2] [--untuned] [--write]

FILE is what ``spectra.py`` reads. Prints how well bugs of each project are ranked with weights
learned on the other projects; ``--write`` stores the weights of all. ``--untuned`` starts from no
prior at all.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from spectra_data import Bug, read_bugs

from dl_bug_lsp.spectrum.combination import (
    FEATURES,
    CombinationWeights,
    candidates,
    combine,
    rows_of,
)

WEIGHTS = Path(__file__).resolve().parent.parent / "dl_bug_lsp" / "spectrum" / "weights.json"
STRENGTH = 4.0
PRIOR = {
    "suspiciousness": 2.0,
    "stretch": 1.0,
    "last_line": 0.3,
    "depth": 0.1,
    "frame": 2.0,
    "near_frame": 1.5,
    "frame_file": 1.0,
    "named_by_test": 1.0,
    "named_by_report": 1.0,
}
"""What a weight is before any bug speaks: the L2 penalty is on the distance from it. Frames weigh
twice what the bugs at hand, of which one in four has a frame in the code, would make of them:
defects are fixed in the top frames' functions in most reports that hold a stack trace (Schröter
et al., MSR 2010)."""
CUTS = (1, 3, 5, 10)

Example = tuple[np.ndarray, np.ndarray]
"""A bug's rows of features, and which of them are faulty."""


def example_of(bug: Bug) -> Example | None:
    """Return what a bug teaches, None where no failing test runs a faulty statement."""
    inside = candidates(bug.counts)
    faulty = {bug.counts.elements[i] for i in bug.faulty}
    positive = np.array([element in faulty for element in inside.elements])
    return (np.array(rows_of(inside, bug.signs)), positive) if positive.any() else None


def learn(
    bugs: Sequence[Bug],
    strength: float = STRENGTH,
    prior: dict[str, float] | None = None,
    without: str = "",
) -> CombinationWeights:
    """Maximise the probability that a faulty statement stands first; no weight below zero.

    The feature ``without`` gets none.
    """
    start = np.array([(PRIOR if prior is None else prior).get(name, 0.0) for name in FEATURES])
    examples = [example for bug in bugs if (example := example_of(bug)) is not None]

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        away = w - start
        total = 0.5 * strength * float(away @ away)
        gradient = strength * away
        for table, positive in examples:
            scores = table @ w
            shares = np.exp(scores - scores.max())
            inside = shares[positive].sum()
            total += float(np.log(shares.sum()) - np.log(inside))
            good = np.where(positive, shares / inside, 0.0)
            gradient += table.T @ (shares / shares.sum() - good)
        return total, gradient

    bounds = [(0.0, 0.0 if name == without else None) for name in FEATURES]
    start[[name == without for name in FEATURES]] = 0.0
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    weights = {name: round(float(w), 3) for name, w in zip(FEATURES, found.x, strict=True)}
    return CombinationWeights(weights, 1.0, tuple(sorted({bug.project for bug in bugs})))


def left_out(
    bugs: Sequence[Bug],
    strength: float = STRENGTH,
    prior: dict[str, float] | None = None,
    without: str = "",
) -> dict[str, CombinationWeights]:
    """Return, for each project, the weights learned on the bugs of all others."""
    return {
        project: learn([b for b in bugs if b.project != project], strength, prior, without)
        for project in sorted({bug.project for bug in bugs})
    }


def sharpness_of(bugs: Sequence[Bug], weights: dict[str, CombinationWeights]) -> float:
    """Return the factor on left-out scores that makes the faulty statements' shares most likely."""
    scored = []
    for bug in bugs:
        example = example_of(bug)
        if example is not None:
            of = weights[bug.project].of
            scored.append((example[0] @ np.array([of[name] for name in FEATURES]), example[1]))

    def loss(factor: float) -> float:
        total = 0.0
        for scores, positive in scored:
            powers = np.exp(factor * (scores - scores.max()))
            total -= float(np.log(powers[positive].sum() / powers.sum()))
        return total

    return round(float(minimize_scalar(loss, bounds=(0.1, 5.0), method="bounded").x), 3)


def calibration(bugs: Sequence[Bug], weights: dict[str, CombinationWeights]) -> str:
    """Return, for ranges of the first line's share, how often it is faulty."""
    rows = []
    for bug in bugs:
        listed = combine(bug.counts, bug.signs, weights[bug.project])
        if listed:
            faulty = {bug.counts.elements[i] for i in bug.faulty}
            rows.append((listed[0].share, listed[0].element in faulty))
    parts = []
    for low, high in ((0.0, 0.1), (0.1, 0.25), (0.25, 0.5), (0.5, 1.01)):
        inside = [hit for share, hit in rows if low <= share < high]
        if inside:
            parts.append(f"{low:.2f}-{min(high, 1):.2f}: {sum(inside)}/{len(inside)}")
    return ", ".join(parts)


def hits(bugs: Sequence[Bug], weights: dict[str, CombinationWeights]) -> list[int]:
    """Return how many bugs have a faulty statement among the first 1, 3, 5, 10."""
    ranks = []
    for bug in bugs:
        listed = combine(bug.counts, bug.signs, weights[bug.project])
        ranks.append(bug.inspect_list([s.element for s in listed]))
    return [sum(1 for rank in ranks if rank is not None and rank <= cut) for cut in CUTS]


def main() -> int:
    """Train, report, and store when asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spectra", type=Path, required=True)
    parser.add_argument("--strength", type=float, default=STRENGTH)
    parser.add_argument("--untuned", action="store_true", help="no prior")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    prior: dict[str, float] | None = {} if args.untuned else None
    bugs = read_bugs(args.spectra)
    outside = left_out(bugs, args.strength, prior)
    final = learn(bugs, args.strength, prior)
    factor = sharpness_of(bugs, outside)
    final = replace(final, sharpness=factor)
    outside = {project: replace(w, sharpness=factor) for project, w in outside.items()}
    print(f"{len(bugs)} bugs; @1/3/5/10 with their project left out: {hits(bugs, outside)}")
    print(f"in sample: {hits(bugs, dict.fromkeys(outside, final))}")
    print(f"sharpness {factor}; the first line is faulty, by its share (left out):")
    print(f"  {calibration(bugs, outside)}")
    for name in FEATURES:
        spread = [w.of[name] for w in outside.values()]
        print(f"  {name:16} {final.of[name]:6.3f}  left out {min(spread):.3f} to {max(spread):.3f}")
    if args.write:
        data = {
            "weights": final.of,
            "sharpness": final.sharpness,
            "trained_on": list(final.trained_on),
        }
        WEIGHTS.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
