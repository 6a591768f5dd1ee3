"""Try `localize` on recorded jobs whose ranks have parted (fixtures/hangs): rank and line.

    python benchmarks/hangs.py [--detail SLUG ...]

The blind half is only counted: nothing of what is said about its programs is printed.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dl_bug_lsp.divergence import joined
from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import FailureReport
from dl_bug_lsp.workspace import Workspace

HANGS = Path(__file__).resolve().parent.parent / "fixtures/hangs"
HALVES = ("blind", "seen")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was right about one recorded job; ``in_five`` is of the first five lines."""

    slug: str
    rank: bool
    line: bool
    in_five: bool
    innermost: bool
    category: bool
    no_retry: bool

    @property
    def both(self) -> bool:
        """Whether the rank and the line are right."""
        return self.rank and self.line


def text_of(folder: Path) -> bytes:
    """Return the log of a recorded job; several files as `localize` joins them."""
    files = sorted((folder / "logs").iterdir())
    if len(files) == 1 and files[0].name == "log.txt":
        return files[0].read_bytes()
    return joined([(file.name, file.read_bytes()) for file in files])


def judged(folder: Path) -> tuple[Outcome, FailureReport | None]:
    """Localize one recorded job and compare with its truth."""
    truth: dict[str, Any] = json.loads((folder / "truth.json").read_text("utf-8"))
    report = localize(text_of(folder), Workspace(folder / "workspace", cache=False))
    failure = report.primary
    causes = [(cause["file"], cause["line"]) for cause in truth["root_cause"]]
    if failure is None:
        return Outcome(folder.name, False, False, False, False, False, False), None
    places = [(suspect.file, suspect.line) for suspect in failure.suspects]
    apart = sorted(failure.ranks.apart) if failure.ranks is not None else None
    stack = [(f.workspace_file, f.workspace_line) for f in failure.frames if f.workspace_file]
    return Outcome(
        folder.name,
        apart in truth["apart"],
        places[:1] != [] and places[0] in causes,
        any(place in causes for place in places[:5]),
        stack[-1:] != [] and stack[-1] in causes,
        failure.category.id == "communication_failure",
        not failure.retry_may_help,
    ), failure


def main() -> None:
    """Print the table, the blind half first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--detail", nargs="*", metavar="SLUG", help="of the seen half")
    arguments = parser.parse_args()
    print(f"{'':8}{'jobs':>5}{'rank+line':>11}{'rank':>6}{'line':>6}{'in 5':>6}{'innermost':>11}"
          f"{'category':>10}{'no retry':>10}")  # fmt: skip
    everything: list[Outcome] = []
    for half in HALVES:
        outcomes = []
        for folder in sorted(logs.parent for logs in (HANGS / half).glob("*/logs")):
            outcome, failure = judged(folder)
            outcomes.append(outcome)
            shown = arguments.detail is not None and half == "seen"
            if shown and (not arguments.detail or outcome.slug in arguments.detail):
                tell(folder, outcome, failure)
        everything += outcomes
        print(row(half, outcomes))
    print(row("both", everything))


def row(name: str, outcomes: list[Outcome]) -> str:
    """Return one line of the table."""
    names = ("both", "rank", "line", "in_five", "innermost", "category", "no_retry")
    counts = [sum(getattr(outcome, name) for outcome in outcomes) for name in names]
    widths = (11, 6, 6, 6, 11, 10, 10)
    cells = "".join(f"{count:>{width}}" for count, width in zip(counts, widths, strict=True))
    return f"{name:8}{len(outcomes):>5}{cells}"


def tell(folder: Path, outcome: Outcome, failure: FailureReport | None) -> None:
    """Print what is said about one job of the seen half."""
    truth = json.loads((folder / "truth.json").read_text("utf-8"))
    print("\n==", outcome.slug, "rank", outcome.rank, "line", outcome.line, "in 5", outcome.in_five)
    print("  truth", truth["apart"], [(c["file"], c["line"]) for c in truth["root_cause"]])
    if failure is not None:
        print("  ", failure.ranks and (failure.ranks.apart, failure.ranks.is_certain))
        print("  ", failure.ranks and failure.ranks.summary)
        for suspect in failure.suspects[:6]:
            why = "; ".join(evidence.why for evidence in suspect.evidence[:2])
            print(f"   {suspect.file}:{suspect.line} {suspect.score:.2f} {why}")


if __name__ == "__main__":
    main()
