"""Which evidence holds beyond the programs that it was written on.

    python benchmarks/generality.py [--store .factory] [--label NAME] [--recorded FOLDER ...]
                                    [--json FILE] [--public]

For each kind of clue (each rule by its id), on the recorded failures that rules were written on and
on both halves of the failure factory: on how many failures, programs and sources it fires, how
often the line that it marks strongest is a cause, how often the first line is right where this kind
adds most to it, and what Top@1 loses when the kind is dropped. Needs the results that
``python -m factory score`` has stored under the label. Of the blind half only totals are told.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import scoring
from factory.score import label_of_package, results
from factory.storage import BLIND, SEEN, Store
from train_ranking import example_of

from dl_bug_lsp.ranking.fusion import Weights, shipped_weights

PROJECT = Path(__file__).resolve().parent.parent
RECORDED = (PROJECT / "fixtures", PROJECT.parent / "shared" / "gallery")
SETS = ("recorded", SEEN, BLIND)
FEW = 5
"""Fewer firings than this say nothing about a kind."""
SELDOM = 0.05
Row: TypeAlias = tuple[str, int, dict[str, float]]


@dataclass(frozen=True)
class Failure:
    """One failure's lines with the score of each kind of clue, and which lines are causes."""

    program: str
    source: str
    group: str
    rows: Sequence[Row]
    causes: frozenset[scoring.Line]
    is_public: bool


@dataclass
class Figures:
    """What one kind of clue does on one set of failures.

    ``right`` counts failures in which the line that the kind marks strongest is a cause, ``marks``
    and ``true_marks`` lines, ``first`` failures in which it adds most to the first line, and
    ``first_right`` those where that line is a cause. ``lost`` is how many more first lines are
    right with the kind than without it, ``lost_share`` the same in all failures of the set.
    """

    failures: int = 0
    programs: int = 0
    sources: int = 0
    right: int = 0
    marks: int = 0
    true_marks: int = 0
    first: int = 0
    first_right: int = 0
    lost: int = 0
    lost_share: float = 0.0

    @property
    def precision(self) -> float | None:
        """The share of its firings whose strongest mark is a cause, None without one."""
        return self.right / self.failures if self.failures else None


def from_results(rows: Iterable[dict[str, Any]]) -> list[Failure]:
    """Return the failures of stored results."""
    return [
        Failure(
            row["program"],
            row["source"],
            row["group"],
            [(file, line, kinds) for file, line, kinds in row["rows"]],
            frozenset((file, line) for file, line in row["causes"]),
            row["kind_of_source"] == "public",
        )
        for row in rows
    ]


def from_folders(tops: Iterable[Path]) -> list[Failure]:
    """Return the failures of recorded cases."""
    found = []
    for folder in scoring.case_folders(top for top in tops if top.is_dir()):
        example = example_of(folder)
        if example is None:
            continue
        places = zip(example.places, example.rows, strict=True)
        rows = [(file, line, kinds) for (file, line), kinds in places]
        truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
        causes = frozenset((r["file"], r["line"]) for r in truth["root_cause"])
        found.append(Failure(example.program, example.program, example.group, rows, causes, False))
    return found


def first_line(failure: Failure, weights: Weights, without: str = "") -> Row | None:
    """Return the line with the highest score, ties by place, with one kind left out."""
    best: tuple[float, str, int] | None = None
    row: Row | None = None
    for file, line, kinds in failure.rows:
        kept = [(k, s) for k, s in kinds.items() if k != without]
        if not kept:
            continue
        score = sum(weights.of(kind, failure.group) * s for kind, s in kept)
        key = (-round(score, 9), file, line)
        if best is None or key < best:
            best, row = key, (file, line, dict(kept))
    return row


def is_cause(failure: Failure, row: Row | None) -> bool:
    """Whether a line is one of a failure's causes."""
    return row is not None and (row[0], row[1]) in failure.causes


def figures(failures: Sequence[Failure], weights: Weights) -> dict[str, Figures]:
    """Return what each kind of clue does on these failures."""
    found: dict[str, Figures] = defaultdict(Figures)
    programs: dict[str, set[str]] = defaultdict(set)
    sources: dict[str, set[str]] = defaultdict(set)
    for failure in failures:
        first = first_line(failure, weights)
        marked: dict[str, list[tuple[float, scoring.Line]]] = defaultdict(list)
        for file, line, kinds in failure.rows:
            for kind, score in kinds.items():
                marked[kind].append((-score, (file, line)))
        top = ""
        if first is not None:
            shares = {k: weights.of(k, failure.group) * s for k, s in first[2].items()}
            top = max(sorted(shares), key=lambda kind: shares[kind])
        for kind, marks in marked.items():
            told = found[kind]
            told.failures += 1
            programs[kind].add(failure.program)
            sources[kind].add(failure.source)
            told.right += min(marks)[1] in failure.causes
            told.marks += len(marks)
            told.true_marks += sum(line in failure.causes for _, line in marks)
            without = first_line(failure, weights, kind)
            told.lost += is_cause(failure, first) - is_cause(failure, without)
        if top:
            found[top].first += 1
            found[top].first_right += is_cause(failure, first)
    for kind, told in found.items():
        told.programs, told.sources = len(programs[kind]), len(sources[kind])
        told.lost_share = round(told.lost / (len(failures) or 1), 5)
    return dict(found)


def only_where_written(told: dict[str, dict[str, Figures]]) -> dict[str, list[str]]:
    """Return the kinds that are right on recorded failures and not in the factory.

    Those that never fire there (which may be because its operators make no such fault), and those
    that fire often enough and are hardly ever right.
    """
    never, wrong = [], []
    for kind, here in sorted(told["recorded"].items()):
        if not here.right:
            continue
        parts = [told[half].get(kind, Figures()) for half in (SEEN, BLIND)]
        fired, right = sum(p.failures for p in parts), sum(p.right for p in parts)
        if not fired:
            never.append(kind)
        elif fired >= FEW and right / fired < SELDOM:
            wrong.append(kind)
    return {"never fires in the factory": never, "fires there and is not right": wrong}


def lines(told: dict[str, dict[str, Figures]], counts: dict[str, int]) -> Iterable[str]:
    """Yield the table; shares in per cent."""
    yield " " * 34 + "".join(f"{f'{name} ({counts[name]})':^36}" for name in SETS) + "seen-blind"
    columns = ("n", "prog", "src", "right", "first", "right", "lost")
    yield f"{'kind of clue':34}" + "".join(f"{c:>5}" for c in columns) * len(SETS) + f"{'right':>9}"
    kinds = sorted({kind for part in told.values() for kind in part})
    for kind in kinds:
        text = f"{kind:34}"
        for name in SETS:
            f = told[name].get(kind, Figures())
            cells = [str(f.failures), str(f.programs), str(f.sources), _share(f.right, f.failures)]
            cells += [str(f.first), _share(f.first_right, f.first), str(f.lost)]
            text += "".join(f"{cell:>5}" for cell in cells) + " "
        seen, blind = (told[half].get(kind, Figures()).precision for half in (SEEN, BLIND))
        difference = "–" if seen is None or blind is None else f"{100 * (seen - blind):+.0f}"
        yield text + f"{difference:>6}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}" if whole else "–"


def main() -> int:
    """Tell the figures of each kind of evidence."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=Path, default=PROJECT / ".factory")
    parser.add_argument("--label", help="name of the results; by default of the package's git tree")
    parser.add_argument("--recorded", type=Path, nargs="*", default=RECORDED)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--public", action="store_true", help="of the factory public sources only")
    args = parser.parse_args()
    store = Store(args.store)
    label = args.label or label_of_package()
    parts = {"recorded": from_folders(args.recorded)}
    for half in (SEEN, BLIND):
        found = from_results(results(store, half, label))
        parts[half] = [f for f in found if f.is_public or not args.public]
    weights = shipped_weights()
    told = {name: figures(failures, weights) for name, failures in parts.items()}
    counts = {name: len(failures) for name, failures in parts.items()}
    for text in lines(told, counts):
        print(text)
    named = only_where_written(told)
    for title, kinds in named.items():
        print(f"\nright on recorded failures, {title} ({len(kinds)}):")
        print("  " + (", ".join(kinds) or "none"))
    if args.json:
        data = {name: {k: asdict(f) for k, f in part.items()} for name, part in told.items()}
        text = json.dumps({"label": label, "counts": counts, "kinds": data, **named}, indent=1)
        args.json.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
