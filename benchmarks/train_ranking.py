"""Learn the ranking's weights from recorded failures with known causes.

    python benchmarks/train_ranking.py FOLDER... [--write] [--strength L2]
                                       [--factory .factory [--label NAME] [--factory-weight SHARE]]

A FOLDER holds cases as ``fixtures/`` does. Prints line hits in sample and with each program (the
cases that share code) left out in turn; ``--write`` stores the weights of all cases. The
calibration of the shares stays as it is; `train_calibration.py` fits it. ``--factory`` adds the
failures of a failure factory's store, as ``python -m factory score`` has located them: together
they count ``SHARE`` of what the recorded cases count, each source the same. What is printed of
recorded cases chooses between variants; of the factory only totals are printed.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import scoring
from scipy.optimize import minimize, minimize_scalar
from scipy.sparse import csr_matrix

from dl_bug_lsp.evidence.sources import gather
from dl_bug_lsp.ranking.fusion import EXPLAINED, GENERIC, GROUPS, RAISE_SITE, counted, features
from dl_bug_lsp.workspace import Workspace

WEIGHTS = Path(__file__).resolve().parent.parent / "dl_bug_lsp" / "ranking" / "weights.json"
MIN_CASES = 2
"""A kind of evidence needs clues in this many cases to get a weight of its own."""
GROUP_PENALTY = 10.0
"""How much dearer a weight for one category group is than a common one."""
PRIOR = Path(__file__).resolve().parent / "ranking_prior.json"
"""What a weight is before any case speaks: the L2 penalty is on the distance from it, so that kinds
of evidence that few cases show keep the weight that their rule's author gave them."""


@dataclass
class Example:
    """One failure: its lines' features and which lines are causes."""

    name: str
    program: str
    group: str
    places: list[tuple[str, int]]
    rows: list[dict[str, float]]
    positive: np.ndarray
    away: bool
    weight: float = 1.0
    half: str | None = None
    """Which half of the failure factory it is of, None for a recorded failure."""


def program_of(folder: Path, truth: dict[str, object]) -> str:
    """Return what cases of one program share: its base, or the first word of its slug."""
    if truth.get("base"):
        return str(truth["base"])
    return f"{folder.name[0]}-{folder.name.split('-')[1]}"


def example_of(folder: Path) -> Example | None:
    """Gather the clues of one case's primary failure."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    workspace = Workspace(folder / "workspace", cache=False)
    case = scoring.primary_case((folder / "log.txt").read_bytes(), workspace)
    if case is None:
        return None
    lines = counted(features(gather(case)))
    roots = {(r["file"], r["line"]) for r in truth["root_cause"]}
    site = truth["raise_site"]
    return Example(
        folder.name,
        program_of(folder, truth),
        GROUPS[case.category.id],
        list(lines),
        [{kind: clue.score for kind, clue in kinds.items()} for kinds in lines.values()],
        np.array([place in roots for place in lines]),
        bool(site) and (site["file"], site["line"]) not in roots,
    )


def factory_examples(store: Path, label: str, share: float, real: int, most: int) -> list[Example]:
    """Return the failure factory's examples, both halves, at most ``most`` a source.

    All of them weigh ``share`` times ``real``, each source the same. The program of an example is
    its source, for a source of ours the name that `program_of` gives the fixtures.
    """
    from factory.score import chosen, results
    from factory.storage import BLIND, SEEN, Store

    found: list[Example] = []
    for half in (SEEN, BLIND):
        rows = results(Store(store), half, label)
        for row in chosen([{**r, "key": r["case"][-12:]} for r in rows], most):
            causes = {(file, line) for file, line in row["causes"]}
            places = [(file, line) for file, line, _ in row["rows"]]
            found.append(
                Example(
                    row["case"],
                    row["source"].removeprefix("ours-"),
                    row["group"],
                    places,
                    [kinds for _, _, kinds in row["rows"]],
                    np.array([place in causes for place in places], dtype=bool),
                    row["elsewhere"],
                    half=half,
                )
            )
    usable = Counter(e.program for e in found if e.positive.any())
    for example in found:
        inside = usable[example.program]
        example.weight = share * real / len(usable) / inside if inside else 0.0
    return found


def known_kinds(made: list[Example], examples: list[Example]) -> list[Example]:
    """Return examples without kinds of evidence that are gone, which older results still hold."""
    known = json.loads(PRIOR.read_text(encoding="utf-8")).keys()
    known |= {kind for e in examples for row in e.rows for kind in row}
    for example in made:
        example.rows = [{k: v for k, v in row.items() if k in known} for row in example.rows]
    return made


class Model:
    """Weights as one vector: a common one for each kind, then one for each kind and group."""

    def __init__(self, examples: list[Example], strength: float) -> None:
        seen: dict[str, set[str]] = defaultdict(set)
        for example in examples:
            for row in example.rows:
                for kind in row:
                    seen[kind].add(example.name)
        prior = json.loads(PRIOR.read_text(encoding="utf-8"))
        often = {k for k, names in seen.items() if len(names) >= MIN_CASES}
        self.kinds = sorted(often | prior.keys())
        self.groups = sorted({e.group for e in examples})
        self.index = {kind: i for i, kind in enumerate(self.kinds)}
        self.strength = strength
        self.sharpness = 1.0
        self.vector = np.zeros(len(self.kinds) * (1 + len(self.groups)))
        self.vector[: len(self.kinds)] = [prior.get(kind, 0.0) for kind in self.kinds]
        self.prior = self.vector.copy()

    def fit(self, examples: list[Example]) -> Model:
        """Maximise the probability that a cause stands first (listwise, L2)."""
        usable = [e for e in examples if e.positive.any()]
        table = self.stacked(usable)
        across = table.T.tocsr()
        sizes = [len(e.rows) for e in usable]
        starts = np.cumsum([0, *sizes[:-1]])
        owner = np.repeat(np.arange(len(usable)), sizes)
        positive = np.concatenate([e.positive for e in usable])
        importance = np.array([e.weight for e in usable])
        width = len(self.kinds)
        penalty = np.full(len(self.vector), self.strength * GROUP_PENALTY)
        penalty[:width] = self.strength

        def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
            away = w - self.prior
            total = 0.5 * float(penalty @ (away * away))
            gradient = penalty * away
            scores = table @ w
            shares = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
            whole = np.add.reduceat(shares, starts)
            good = np.where(positive, shares, 0.0)
            inside = np.add.reduceat(good, starts)
            total += float(importance @ (np.log(whole) - np.log(inside)))
            wrong = importance[owner] * (shares / whole[owner] - good / inside[owner])
            gradient += across @ wrong
            return total, gradient

        found = minimize(loss, self.vector, jac=True, method="L-BFGS-B", options={"maxiter": 400})
        self.vector = found.x
        return self

    def stacked(self, examples: list[Example]) -> csr_matrix:
        """Return the lines of all examples as rows of one sparse table over the weights' vector."""
        width = len(self.kinds)
        values: list[float] = []
        columns: list[int] = []
        ends = [0]
        for example in examples:
            offset = None
            if example.group in self.groups:
                offset = width * (1 + self.groups.index(example.group))
            for row in example.rows:
                for kind, score in row.items():
                    column = self.index.get(kind)
                    if column is None:
                        continue
                    values.append(score)
                    columns.append(column)
                    if offset is not None:
                        values.append(score)
                        columns.append(offset + column)
                ends.append(len(values))
        return csr_matrix((values, columns, ends), shape=(len(ends) - 1, len(self.vector)))

    def rank(self, example: Example) -> int | None:
        """Return the rank of the first cause among the example's lines (1-based)."""
        if not example.positive.any():
            return None
        scores = self.scores(example)
        keys = [(-round(s, 9), *place) for s, place in zip(scores, example.places, strict=True)]
        order = sorted(range(len(keys)), key=lambda i: keys[i])
        return next(r for r, i in enumerate(order, 1) if example.positive[i])

    def scores(self, example: Example) -> np.ndarray:
        """Return the scores of the lines, the raise site's explained away as fusion does it."""
        scores = np.asarray(self.stacked([example]) @ self.vector)
        generic = [
            {kind: score for kind, score in row.items() if kind.startswith(GENERIC)}
            for row in example.rows
        ]
        specific = scores - self.stacked([replace(example, rows=generic)]) @ self.vector
        raising = np.array([RAISE_SITE in row for row in example.rows], dtype=bool)
        best = max(specific[~raising], default=0.0)
        scores[raising] -= EXPLAINED * np.maximum(0.0, best - specific[raising])
        return scores

    def data(self) -> dict[str, object]:
        """Return the weights as the data file holds them."""
        width = len(self.kinds)
        groups = {}
        for number, group in enumerate(self.groups, 1):
            part = self.vector[number * width : (number + 1) * width]
            weights = {
                k: round(float(w), 3)
                for k, w in zip(self.kinds, part, strict=True)
                if abs(w) > 0.02
            }
            if weights:
                groups[group] = weights
        common = {
            k: round(float(w), 3) for k, w in zip(self.kinds, self.vector[:width], strict=True)
        }
        return {
            "common": common,
            "by_group": groups,
            "unknown": 0.0,
            "sharpness": self.sharpness,
            "calibration": json.loads(WEIGHTS.read_text(encoding="utf-8"))["calibration"],
        }


def sharpness_of(outside: list[tuple[np.ndarray, np.ndarray]]) -> float:
    """Return the factor on left-out scores that makes the causes' shares most likely."""
    usable = [(scores, positive) for scores, positive in outside if positive.any()]

    def loss(factor: float) -> float:
        total = 0.0
        for scores, positive in usable:
            powers = np.exp(factor * (scores - scores.max()))
            total -= float(np.log(powers[positive].sum() / powers.sum()))
        return total

    found = minimize_scalar(loss, bounds=(0.1, 10.0), method="bounded")
    return round(float(found.x), 3)


FOLDS = 5


def left_out_of_factory(
    examples: list[Example],
    made: list[Example],
    strength: float,
) -> dict[str, list[tuple[int | None, np.ndarray, np.ndarray]]]:
    """Return the ranks, scores and causes of the factory's failures, by half.

    A fifth of the sources is left out of the training at a time.
    """
    found: dict[str, list[tuple[int | None, np.ndarray, np.ndarray]]] = {}
    programs = sorted({e.program for e in made})
    for fold in range(FOLDS):
        out = set(programs[fold::FOLDS])
        rest = [e for e in (*examples, *made) if e.program not in out]
        tried = [e for e in made if e.program in out]
        if tried:
            model = Model(rest, strength).fit(rest)
            for example in tried:
                row = (model.rank(example), model.scores(example), example.positive)
                found.setdefault(example.half or "", []).append(row)
    return found


def table(title: str, ranks: list[int | None]) -> str:
    """Return one line of hits."""
    n = len(ranks) or 1
    hit = [100 * sum(1 for r in ranks if r and r <= k) / n for k in (1, 3, 5, 10)]
    mrr = sum(1 / r for r in ranks if r) / n
    hits = "  ".join(f"@{k} {h:5.1f}" for k, h in zip((1, 3, 5, 10), hit, strict=True))
    return f"{title:32} n={len(ranks):3}  {hits}  MRR {mrr:.3f}"


def arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--strength", type=float, default=6.0)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--show", action="store_true", help="print each case's rank")
    parser.add_argument("--factory", type=Path, help="a failure factory's store")
    parser.add_argument("--label", help="name of its results; by default of the package's git tree")
    parser.add_argument("--factory-weight", type=float, default=0.5, metavar="SHARE")
    parser.add_argument("--most", type=int, default=60, help="factory failures a source, at most")
    return parser.parse_args()


def main() -> int:
    """Train, report, and store when asked."""
    args = arguments()
    folders = [
        d
        for top in args.folders
        for d in sorted(top.iterdir())
        if re.match(r"\d{3,}-", d.name) and (d / "log.txt").is_file()
    ]
    examples = [e for d in folders if (e := example_of(d)) is not None]
    print(f"{len(folders)} cases, {len(folders) - len(examples)} without a failure in the log")
    reach = sum(bool(e.positive.any()) for e in examples)
    print(f"the cause is among the candidates in {reach}")
    made: list[Example] = []
    if args.factory is not None:
        from factory.score import label_of_package

        label = args.label or label_of_package()
        made = known_kinds(
            factory_examples(args.factory, label, args.factory_weight, len(examples), args.most),
            examples,
        )
        print(f"{len(made)} failures of the factory, {len({e.program for e in made})} sources")
    final = Model([*examples, *made], args.strength).fit([*examples, *made])
    out: dict[str, int | None] = {}
    outside: list[tuple[np.ndarray, np.ndarray]] = []
    for program in sorted({e.program for e in examples}):
        rest = [e for e in (*examples, *made) if e.program != program]
        model = Model(rest, args.strength).fit(rest)
        for example in (e for e in examples if e.program == program):
            out[example.name] = model.rank(example)
            outside.append((model.scores(example), example.positive))
    by_half = left_out_of_factory(examples, made, args.strength)
    elsewhere = [(scores, positive) for part in by_half.values() for _, scores, positive in part]
    final.sharpness = sharpness_of([*outside, *elsewhere])
    missing = [None] * (len(folders) - len(examples))
    print(table("in sample", [*(final.rank(e) for e in examples), *missing]))
    print(table("program left out", [*out.values(), *missing]))
    away = [out[e.name] for e in examples if e.away]
    print(table("  raise site is not the cause", away))
    for top in args.folders:
        names = {d.name for d in top.iterdir()}
        print(table(f"  {top.name}", [r for name, r in out.items() if name in names]))
    for half, part in by_half.items():
        print(table(f"factory, {half} half, sources left out", [rank for rank, _, _ in part]))
    print(f"sharpness {final.sharpness}")
    if args.show:
        for example in examples:
            print(f"{example.name:40} {example.group:9} {out[example.name]}")
    if args.write:
        WEIGHTS.write_text(json.dumps(final.data(), indent=1, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
