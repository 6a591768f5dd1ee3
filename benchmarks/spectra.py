"""Score real bugs' spectra: published results reproduced, all formulas, and our combination.

    python benchmarks/spectra.py --spectra FILE [--json OUT] [--detail] [--localize]
    python benchmarks/spectra.py --speed

FILE maps bugs to statement spectra, faults and failure output (plain or gzipped JSON; what is
missing in an entry counts as empty). The row Combined ranks a bug with weights learned on the other
projects of FILE where the shipped weights know its project, else with the shipped ones. OUT gets a
list of ``{bug, technique, e_inspect}``. ``--localize`` adds a row for the whole way through
`localize`, as users go it, in a workspace without sources. ``--speed`` times a made-up spectrum of
a million pairs.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from array import array
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from statistics import median
from unittest.mock import patch

from spectra_data import TECHNIQUES, Bug, read_bugs

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import Options
from dl_bug_lsp.spectrum import combination
from dl_bug_lsp.spectrum.combination import (
    NO_CUES,
    CombinationWeights,
    combine,
    shipped_weights,
    stack_as_failing_run,
)
from dl_bug_lsp.spectrum.formulas import FORMULAS, score
from dl_bug_lsp.spectrum.spectrum import Element, Outcome, Run, Spectrum, count
from dl_bug_lsp.workspace import Workspace

CUTS = (1, 3, 5, 10)
TOLERANCE = 0.006
"""The published values are rounded to three digits."""
Results = dict[str, dict[str, float | None]]
"""E_inspect by technique and bug."""


def formula_results(bugs: list[Bug]) -> Results:
    """Return E_inspect of every formula on every bug."""
    return {
        name: {bug.name: bug.inspect(score(bug.counts, name).tolist()) for bug in bugs}
        for name in FORMULAS
    }


def weights_for(bugs: list[Bug]) -> Callable[[Bug], CombinationWeights]:
    """Return which weights rank a bug: never any that its own project helped to learn."""
    shipped = shipped_weights()
    known = [bug for bug in bugs if bug.project in shipped.trained_on]
    outside: dict[str, CombinationWeights] = {}
    if known:
        try:
            from train_spectrum import left_out
        except ImportError as problem:
            raise SystemExit(
                f"{problem}: weights of projects left out need the extra 'dev'"
            ) from problem
        outside = left_out(known)
    return lambda bug: replace(outside.get(bug.project, shipped), sharpness=shipped.sharpness)


def combined_results(bugs: list[Bug]) -> Results:
    """Return E_inspect of the combination, of its parts, and of stacks without failing runs."""
    weights = weights_for(bugs)
    found: Results = {"Combined": {}, "Combined, no text": {}, "Stack for failing test": {}}
    for bug in bugs:
        mine = weights(bug)
        alone = stack_as_failing_run(bug.counts, bug.signs.stacks)
        for name, counts, signs in (
            ("Combined", bug.counts, bug.signs),
            ("Combined, no text", bug.counts, NO_CUES),
            ("Stack for failing test", alone, bug.signs),
        ):
            listed = [s.element for s in combine(counts, signs, mine)]
            found[name][bug.name] = bug.inspect_list(listed)
    return found


def spectrum_of_counts(bug: Bug) -> Spectrum:
    """Return runs with a bug's counts: the first ef failing and ep passing ones run an element."""
    counts = bug.counts
    failing = [Run(f"failing {i}", Outcome.FAILED) for i in range(counts.failing)]
    passing = [Run(f"passing {i}", Outcome.PASSED) for i in range(counts.passing)]
    rows, columns = array("q"), array("q")
    for at, (ef, ep) in enumerate(zip(counts.ef, counts.ep, strict=True)):
        rows.extend(range(ef))
        rows.extend(range(counts.failing, counts.failing + ep))
        columns.extend([at] * (ef + ep))
    return Spectrum((*failing, *passing), counts.elements, rows, columns)


def localized_results(bugs: list[Bug]) -> dict[str, float | None]:
    """Return E_inspect of the primary failure's suspects in the report of `localize`."""
    weights = weights_for(bugs)
    found: dict[str, float | None] = {}
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder), cache=False)
        for bug in bugs:
            mine = weights(bug)
            with patch.object(combination, "shipped_weights", lambda mine=mine: mine):
                report = localize(bug.output, workspace, Options(0, 0), spectrum_of_counts(bug))
            known = {(e.file, e.line): e for e in bug.counts.elements}
            suspects = report.primary.suspects if report.primary is not None else ()
            places = [(s.file, s.line) for s in suspects]
            found[bug.name] = bug.inspect_list([known[p] for p in places if p in known])
    return found


def hits(values: Iterable[float | None]) -> list[int]:
    """Return how many values are at most 1, 3, 5, 10."""
    known = [value for value in values if value is not None]
    return [sum(1 for value in known if value <= cut) for cut in CUTS]


def row(title: str, values: list[float | None]) -> str:
    """Return a line of the table."""
    counts = "".join(f"{h:6}" for h in hits(values))
    inverse = sum(1 / v for v in values if v) / (len(values) or 1)
    return f"{title:24}{len(values):5}{counts}{inverse:8.3f}"


def reproduction(bugs: list[Bug], results: Results) -> list[str]:
    """Return what agrees with the published values, and each bug that cannot or does not."""
    lines: list[str] = []
    held = [bug for bug in bugs if bug.faulty]
    for name in TECHNIQUES:
        compared = [bug for bug in held if name in bug.published]
        off = [
            bug
            for bug in compared
            if abs((results[name][bug.name] or 0.0) - bug.published[name]) > TOLERANCE
        ]
        lines.append(f"{name:10} {len(compared) - len(off)} of {len(compared)} as published")
        lines.extend(
            f"    {b.name}: {results[name][b.name]:.3f}, published {b.published[name]:.3f}"
            for b in off
        )
    others = [bug for bug in bugs if not bug.faulty]
    if others:
        lines.append(f"Not compared: {len(others)} bugs of which no failing test runs a faulty")
        lines.append("statement, so that the published value counts statements FILE does not hold:")
        lines.append("    " + ", ".join(bug.name for bug in others))
    unknown = [bug.name for bug in bugs if not bug.is_passing_known]
    if unknown:
        lines.append(f"Without passing tests: {len(unknown)} ({', '.join(unknown)})")
    return lines


def tables(bugs: list[Bug], results: Results) -> list[str]:
    """Return the tables: techniques over all bugs, and two of them by project."""
    head = f"{'':24}{'bugs':>5}" + "".join(f"{'@' + str(cut):>6}" for cut in CUTS) + f"{'MRR':>8}"
    lines = [head]
    lines.extend(row(name, list(values.values())) for name, values in results.items())
    traced = [bug.name for bug in bugs if bug.signs.stacks]
    lines.append(f"\nThe {len(traced)} bugs with a stack trace in the code")
    lines.extend(
        row("  " + name, [results[name][bug] for bug in traced])
        for name in ("Ochiai", "Combined", "Stack for failing test")
    )
    lines.append("\nBy project")
    for project in sorted({bug.project for bug in bugs}):
        names = [bug.name for bug in bugs if bug.project == project]
        lines.extend(
            row(f"  {project} {technique}", [results[technique][n] for n in names])
            for technique in ("Ochiai", "Combined")
        )
    return lines


def speed() -> str:
    """Return how long a million random (test, line) pairs take, the median of five."""
    import numpy as np

    pairs, tests, lines = 1_000_000, 1_000, 50_000
    random = np.random.default_rng(0)
    runs = tuple(Run(f"t{i}", Outcome.FAILED if i < 5 else Outcome.PASSED) for i in range(tests))
    elements = tuple(Element(f"f{i // 500}.py", i % 500 + 1) for i in range(lines))
    rows = array("q", random.integers(0, tests, pairs).tobytes())
    columns = array("q", random.integers(0, lines, pairs).tobytes())
    seconds: list[tuple[float, float, float]] = []
    for _ in range(5):
        spectrum = Spectrum(runs, elements, rows, columns)
        start = time.perf_counter()
        counts = count(spectrum)
        counted = time.perf_counter()
        for name in FORMULAS:
            score(counts, name)
        scored = time.perf_counter()
        combine(counts)
        seconds.append((counted - start, scored - counted, time.perf_counter() - scored))
    one, two, three = (median(column) for column in zip(*seconds, strict=True))
    said = f"{len(FORMULAS)} formulas {two:.3f} s, combination {three:.3f} s"
    return f"{pairs} pairs: counting {one:.3f} s, {said}"


def main() -> int:
    """Print the tables, and write the list when asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spectra", type=Path, help="the bugs' spectra")
    parser.add_argument("--json", type=Path, metavar="OUT", help="where to write the list")
    parser.add_argument("--detail", action="store_true", help="print each bug's E_inspect")
    parser.add_argument("--localize", action="store_true", help="add a row for whole reports")
    parser.add_argument("--speed", action="store_true", help="time a million pairs")
    args = parser.parse_args()
    if args.speed:
        print(speed())
        return 0
    if args.spectra is None:
        parser.error("give --spectra FILE or --speed")
    bugs = read_bugs(args.spectra)
    results = {**formula_results(bugs), **combined_results(bugs)}
    if args.localize:
        results["Localize"] = localized_results(bugs)
    print("\n".join(reproduction(bugs, results)), end="\n\n")
    print("\n".join(tables(bugs, results)))
    if args.detail:
        for bug in bugs:
            shown = ", ".join(
                f"{name} {value:.3f}" if (value := results[name][bug.name]) is not None else name
                for name in (*TECHNIQUES, "Combined")
            )
            print(f"{bug.name:18} {len(bug.counts):6} statements  {shown}")
    if args.json:
        listed = [
            {"bug": bug, "technique": name, "e_inspect": value}
            for name, values in results.items()
            for bug, value in values.items()
        ]
        args.json.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
