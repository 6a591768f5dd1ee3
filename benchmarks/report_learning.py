"""Listwise learning of linear weights, left out project by project, and what it reaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from report_examples import Example
from scipy.optimize import minimize, minimize_scalar

Weights = dict[str, float]
_FREE = ("kind.", "file.log", "block.", "beside.", "position", "frames.", "with_stack.")


def balance(examples: Sequence[Example]) -> np.ndarray:
    """Weigh bugs so that a project counts as the root of its size: none outweighs the others."""
    sizes = Counter(e.project for e in examples)
    raw = np.array([sizes[e.project] ** -0.5 for e in examples])
    return raw / raw.mean()


def bounds(name: str) -> tuple[float | None, float | None]:
    """Return what a weight may be: evidence speaks for a place, only priors may speak against."""
    free = name.startswith(_FREE)
    return (None, None) if free else (0.0, None)


def penalties(names: Sequence[str], strength: float) -> np.ndarray:
    """Return the L2 penalty of each weight: few reports have a stack, and it tells most there."""
    return np.array([strength / 2 if n.startswith("frames.") else strength for n in names])


def matrix(example: Example, names: Sequence[str]) -> np.ndarray:
    """Return a row a candidate, a column a feature."""
    return np.stack([example.features[name] for name in names], axis=1)


def fit(
    examples: Sequence[Example], names: Sequence[str], strength: float, all_right: float = 0.0
) -> Weights:
    """Maximise the probability that a right candidate stands first; L2 of ``strength``.

    With the weight ``all_right`` (0 to 1), each right candidate's probability counts instead.
    """
    usable = [e for e in examples if e.right.any()]
    weights = balance(usable)
    penalty = penalties(names, strength)
    table = np.concatenate([matrix(e, names) for e in usable])
    right = np.concatenate([e.right for e in usable])
    sizes = np.array([len(e.right) for e in usable])
    offset = np.concatenate(
        [e.offset if e.offset is not None else np.zeros(len(e.right)) for e in usable]
    )
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    bug = np.repeat(np.arange(len(usable)), sizes)
    all_share = right / np.add.reduceat(right.astype(float), starts)[bug]

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        scores = table @ w + offset
        scores -= np.maximum.reduceat(scores, starts)[bug]
        powers = np.exp(scores)
        whole = np.add.reduceat(powers, starts)
        any_share = np.where(right, powers, 0.0)
        inside = np.add.reduceat(any_share, starts) + 1e-300
        each = np.add.reduceat(all_share * scores, starts)
        reached = (1 - all_right) * np.log(inside) + all_right * each
        wanted = (1 - all_right) * any_share / inside[bug] + all_right * all_share
        total = 0.5 * float((penalty * w) @ w) + float(weights @ (np.log(whole) - reached))
        share = powers / whole[bug] - wanted
        return total, penalty * w + table.T @ (weights[bug] * share)

    found = minimize(
        loss,
        np.zeros(len(names)),
        jac=True,
        method="L-BFGS-B",
        bounds=[bounds(name) for name in names],
        options={"maxiter": 200},
    )
    return dict(zip(names, map(float, found.x), strict=True))


def scores_by(example: Example, weights: Weights) -> np.ndarray:
    """Return the scores of an example's candidates."""
    names = list(weights)
    offset = example.offset if example.offset is not None else 0.0
    return np.asarray(matrix(example, names) @ np.array([weights[n] for n in names]) + offset)


def left_out(
    examples: Sequence[Example], names: Sequence[str], strength: float, all_right: float = 0.0
) -> tuple[dict[str, Weights], list[np.ndarray]]:
    """Return each project's weights, learned on the others, and all scores by them."""
    projects = sorted({e.project for e in examples})
    folds = {
        p: fit([e for e in examples if e.project != p], names, strength, all_right)
        for p in projects
    }
    return folds, [scores_by(e, folds[e.project]) for e in examples]


def sharpness(examples: Sequence[Example], scores: Sequence[np.ndarray]) -> float:
    """Return the factor on left-out scores that makes right candidates' shares most likely."""

    def loss(factor: float) -> float:
        total = 0.0
        for example, score in zip(examples, scores, strict=True):
            if example.right.any():
                powers = np.exp(factor * (score - score.max()))
                total -= float(np.log(powers[example.right].sum() / powers.sum()))
        return total

    return round(float(minimize_scalar(loss, bounds=(0.1, 5.0), method="bounded").x), 3)


def first_and_precision(example: Example, score: np.ndarray) -> tuple[int | None, float]:
    """Return the rank of the first right candidate and the average precision."""
    order = np.argsort(-np.round(score, 9), kind="stable")
    places = np.flatnonzero(example.right[order]) + 1
    if not len(places):
        return None, 0.0
    return int(places[0]), float((np.arange(1, len(places) + 1) / places).sum() / example.truths)


def row_of(results: Sequence[tuple[int | None, float]]) -> np.ndarray:
    """Return Top@1, Top@5, Top@10, MRR and MAP."""
    first = np.array([r[0] or 10**9 for r in results])
    precision = np.array([r[1] for r in results])
    return np.array(
        [(first <= k).mean() for k in (1, 5, 10)] + [(1 / first).mean(), precision.mean()]
    )


def table(
    title: str,
    examples: Sequence[Example],
    scores: Sequence[np.ndarray],
    keep: Callable[[Example], bool] = lambda _: True,
) -> str:
    """Return one line of figures: over bugs, over projects, over the smaller projects' bugs."""
    results = [
        (e.project, first_and_precision(e, s))
        for e, s in zip(examples, scores, strict=True)
        if keep(e)
    ]
    projects = sorted({p for p, _ in results})
    by_bug = row_of([r for _, r in results])
    by_project = np.mean([row_of([r for p, r in results if p == q]) for q in projects], axis=0)
    parts = [" ".join(f"{x:.3f}" for x in row) for row in (by_bug, by_project)]
    return f"{title:30} n={len(results):3} bugs {parts[0]} | projects {parts[1]}"


def reliability(examples: Sequence[Example], scores: Sequence[np.ndarray], factor: float) -> str:
    """Return, for ranges of the first candidate's share, how often it is right."""
    rows = []
    for example, score in zip(examples, scores, strict=True):
        powers = np.exp(factor * (score - score.max()))
        first = int(np.argmax(score))
        rows.append((float(powers[first] / powers.sum()), bool(example.right[first])))
    parts = []
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = [r for r in rows if low <= r[0] < low + 0.2 + (low == 0.8)]
        if inside:
            said = np.mean([r[0] for r in inside])
            parts.append(
                f"says {said:.2f} is {np.mean([r[1] for r in inside]):.2f} ({len(inside)})"
            )
    return ", ".join(parts)
