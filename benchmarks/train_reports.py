"""Learn the weights of the ranking for bug reports, and say what each source of evidence adds.

    python benchmarks/train_reports.py --bugs FILE --repositories DIR [--write] [--folds DIR]
                                       [--ablation [LEVEL,LEVEL]] [--files-only]

Every figure is of projects left out: the weights that rank a bug never saw its project. ``--write``
stores the weights of all bugs in the package, of the levels that were learned; ``--folds`` stores
each project's left-out weights, as ``denchmark.py --weights`` reads them; ``--ablation`` prints
what the levels (files, functions, lines) reach without each source of evidence.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from denchmark_bugs import read_bugs
from report_examples import (
    beside_examples,
    file_examples,
    function_examples,
    line_examples,
    neighbour_examples,
)
from report_learning import fit, left_out, reliability, sharpness, table

from dl_bug_lsp.ranking.bug_report_ranking import (
    best_line_first,
    is_function_clear,
    order_of,
    report_weights,
    shares,
)

WEIGHTS = Path(__file__).resolve().parent.parent / "dl_bug_lsp/ranking/report_weights.json"
ALL_RIGHT = {"neighbours": 0.5}
"""Where every right candidate counts, not the first alone: a fix changes tests too."""
ABLATED = ("files", "functions", "lines")
STRENGTH = {"files": 5.0, "neighbours": 3.0, "functions": 2.0, "beside": 1.0, "lines": 5.0}


def level(weights: dict[str, float], sharp: float) -> dict[str, Any]:
    """Return a level as the data file holds it."""
    kept = {n: round(w, 3) for n, w in sorted(weights.items()) if abs(w) >= 0.005}
    return {"sharpness": sharp, "weights": kept}


def main() -> int:
    """Train, report, and store when asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bugs", type=Path, required=True)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--folds", type=Path)
    parser.add_argument("--ablation", nargs="?", const=",".join(ABLATED), default="")
    parser.add_argument("--files-only", action="store_true")
    args = parser.parse_args()
    ablated = args.ablation.split(",")
    bugs, _ = read_bugs(args.bugs)
    data: dict[str, Any] = {}
    folds: dict[str, dict[str, Any]] = {}
    files = file_examples(bugs, args.repositories)
    if "files" in ablated:
        ablation("files", files)
    scores = learn("files", files, data, folds)
    near = neighbour_examples(files, scores)
    learn("neighbours", near, data, folds)
    if not args.files_only:
        empty = {name: {"weights": {}} for name in ("functions", "beside", "lines")}
        models = {project: report_weights({**empty, **fold}) for project, fold in folds.items()}
        functions = function_examples(bugs, args.repositories, models)
        if "functions" in ablated:
            ablation("functions", functions)
        scores = learn("functions", functions, data, folds)
        order = learn("beside", beside_examples(functions, scores), data, folds)
        lines = line_examples(functions, scores, order)
        if "lines" in ablated:
            ablation("lines", lines)
        shipped = partial(as_shipped, lines, functions, scores, order)
        learn("lines", lines, data, folds, shipped)
    if args.write:
        data = {**json.loads(WEIGHTS.read_text(encoding="utf-8")), **data}
        WEIGHTS.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    if args.folds:
        args.folds.mkdir(parents=True, exist_ok=True)
        for project, fold in folds.items():
            (args.folds / f"{project}.json").write_text(json.dumps({"reports": fold}), "utf-8")
    return 0


def as_shipped(lines: Any, functions: Any, scores: Any, orders: Any, kept: Any) -> Any:
    """Return lines' scores with the best function's line first where that is told apart well."""
    sharp = sharpness(functions, scores)
    found = []
    for example, function, score, order, own in zip(
        lines, functions, scores, orders, kept, strict=True
    ):
        blocks = np.array([line.block for line in example.source.lines], dtype=np.int64)
        stack = bool(function.source[0].frames.all)
        clear = is_function_clear(stack, shares(score, sharp))
        found.append(best_line_first(own, blocks, order_of(order)) if clear else own)
    return found


def learn(
    name: str,
    examples: Any,
    data: dict[str, Any],
    folds: dict[str, Any],
    shipped: Callable[[Any], Any] = lambda scores: scores,
) -> Any:
    """Learn a level, print what it reaches left out, and return the left-out scores."""
    names = list(examples[0].features)
    by_project, scores = left_out(examples, names, STRENGTH[name], ALL_RIGHT.get(name, 0.0))
    sharp = sharpness(examples, scores)
    scores = shipped(scores)
    print(table(name, examples, scores))
    if any(e.has_traceback for e in examples):
        print(table(f"{name}, with a traceback", examples, scores, lambda e: e.has_traceback))
    print(f"  sharpness {sharp}; the first one: {reliability(examples, scores, sharp)}", flush=True)
    data[name] = level(fit(examples, names, STRENGTH[name], ALL_RIGHT.get(name, 0.0)), sharp)
    for project, weights in by_project.items():
        folds.setdefault(project, {})[name] = level(weights, sharp)
    return scores


def ablation(name: str, examples: Any) -> None:
    """Print what a level reaches without each source of evidence."""
    names = list(examples[0].features)
    groups = sorted({source_of(feature) for feature in names})
    for group in ("", *groups):
        rest = [feature for feature in names if source_of(feature) != group]
        scores = left_out(examples, rest, STRENGTH[name])[1]
        title = f"{name} without {group}" if group else f"{name}, all features"
        print(table(title, examples, scores), flush=True)
        if any(e.has_traceback for e in examples):
            print(table("  with a traceback", examples, scores, lambda e: e.has_traceback))


def source_of(feature: str) -> str:
    """Return a feature's source of evidence, the first part of its name."""
    return feature.removeprefix("with_stack.").partition(".")[0]


if __name__ == "__main__":
    sys.exit(main())
