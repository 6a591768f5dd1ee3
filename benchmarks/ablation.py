"""What each part of the evidence adds: the ranking trained anew without its kinds of clue.

    python benchmarks/ablation.py TRAINED... --tried BLIND [--factory .factory --label NAME]

TRAINED and BLIND are folders of cases as ``fixtures/`` is. Each row leaves one part out of the
training and of what is ranked. TRAINED is told in five folds, by program, so that no program is
ranked by weights that saw it; BLIND never trains anything. Of the factory both halves train and are
told in five folds by source. Figures are first places and places within five, in percent.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from train_ranking import FOLDS, Example, Model, example_of, factory_examples

PARTS: dict[str, tuple[str, ...]] = {
    "provenance: slices": ("slice.", "outer_slice.", "focus."),
    "configuration": ("config.",),
    "data files": ("data_files.",),
    "sizes solved for their parts": ("shapes.",),
    "interpretation": ("interpretation.",),
    "repairs": ("repair.", "missing."),
    "facts: numbers, names, types, paths": (
        "numbers.", "names.", "types.", "dtypes.", "paths.", "place.",
    ),
    "contracts: domain and training rules": ("rules.", "training."),
    "log and code together": ("printed.",),
    "stack beyond the raise site": ("stack_trace.frame", "stack_trace.maker"),
}  # fmt: skip
"""The kinds of clue of each part, by how they begin."""
STRENGTH = 6.0


def without(example: Example, kinds: tuple[str, ...]) -> Example:
    """Return an example without some kinds of clue; lines that lose all of them stay, without."""
    rows = [
        {kind: score for kind, score in row.items() if not kind.startswith(kinds)}
        for row in example.rows
    ]
    return replace(example, rows=rows)


def folded(examples: list[Example], others: list[Example]) -> list[int | None]:
    """Return each example's rank by weights that no case of its program trained."""
    programs = sorted({e.program for e in examples})
    ranks: list[int | None] = []
    for fold in range(FOLDS):
        out = set(programs[fold::FOLDS])
        rest = [e for e in (*examples, *others) if e.program not in out]
        model = Model(rest, STRENGTH).fit(rest)
        ranks += [model.rank(e) for e in examples if e.program in out]
    return ranks


def told(ranks: list[int | None]) -> str:
    """Return first places and places within five, in percent."""
    count = max(len(ranks), 1)
    first, five = (100 * sum(1 for r in ranks if r and r <= cut) / count for cut in (1, 5))
    return f"{first:5.1f} {five:5.1f}"


def cases(folder: Path) -> list[Example]:
    """Return the examples of a folder of cases."""
    folders = [d for d in sorted(folder.iterdir()) if re.match(r"\d{3}-", d.name)]
    return [e for d in folders if (d / "log.txt").is_file() and (e := example_of(d)) is not None]


def rows(
    trained: list[Example], tried: list[Example], made: list[Example], say: Callable[[str], object]
) -> None:
    """Print the table, a row for each part that is left out."""
    say(f"{'left out':38} {f'blind {len(tried)}':>12} {f'trained {len(trained)}':>13}")
    for title, kinds in {"nothing": ("\0",), **PARTS}.items():
        own = [without(e, kinds) for e in trained]
        factory = [without(e, kinds) for e in made]
        model = Model([*own, *factory], STRENGTH).fit([*own, *factory])
        blind = [model.rank(without(e, kinds)) for e in tried]
        line = f"{title:38} {told(blind):>12} {told(folded(own, factory)):>13}"
        if factory:
            half = [e for e in factory if e.half == "blind"]
            seen = [e for e in factory if e.half != "blind"]
            line += f"  factory, blind half: {told(folded(half, [*own, *seen]))}"
        say(line)


def main() -> int:
    """Read the cases, train, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trained", nargs="+", type=Path)
    parser.add_argument("--tried", type=Path, required=True)
    parser.add_argument("--factory", type=Path)
    parser.add_argument("--label", default="")
    parser.add_argument("--most", type=int, default=8, help="factory failures a source, at most")
    args = parser.parse_args()
    trained = [example for folder in args.trained for example in cases(folder)]
    tried = cases(args.tried)
    made: list[Example] = []
    if args.factory is not None:
        made = factory_examples(args.factory, args.label, 0.2, len(trained), args.most)
    np.seterr(all="raise", under="ignore")
    rows(trained, tried, made, lambda text: print(text, flush=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
