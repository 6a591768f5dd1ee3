"""Learn the weights of the ranking for bug reports, and say what each source of evidence adds.

    python benchmarks/train_reports.py --bugs FILE --repositories DIR [--write] [--folds DIR]
                                       [--ablation] [--files-only]

Every figure is of projects left out: the weights that rank a bug never saw its project. ``--write``
stores the weights of all bugs in the package; ``--folds`` stores each project's left-out weights,
as ``denchmark.py --weights`` reads them.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from denchmark_bugs import read_bugs
from report_examples import file_examples, function_examples, line_examples, neighbour_examples
from report_learning import fit, left_out, reliability, sharpness, table

from dl_bug_lsp.ranking.report_weights import report_weights

WEIGHTS = Path(__file__).resolve().parent.parent / "dl_bug_lsp/ranking/report_weights.json"
ALL_RIGHT = {"neighbours": 0.5}
"""Where every right candidate counts, not the first alone: a fix changes tests too."""
STRENGTH = {"files": 5.0, "neighbours": 3.0, "functions": 5.0, "lines": 5.0}


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
    parser.add_argument("--ablation", action="store_true")
    parser.add_argument("--files-only", action="store_true")
    args = parser.parse_args()
    bugs, _ = read_bugs(args.bugs)
    data: dict[str, Any] = {}
    folds: dict[str, dict[str, Any]] = {}
    files = file_examples(bugs, args.repositories)
    if args.ablation:
        ablation(files)
    scores = learn("files", files, data, folds)
    near = neighbour_examples(files, scores)
    learn("neighbours", near, data, folds)
    if not args.files_only:
        empty = {"functions": {"weights": {}}, "lines": {"weights": {}}}
        models = {project: report_weights({**empty, **fold}) for project, fold in folds.items()}
        functions = function_examples(bugs, args.repositories, models)
        scores = learn("functions", functions, data, folds)
        lines = line_examples(functions, scores)
        learn("lines", lines, data, folds)
    if args.write:
        WEIGHTS.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    if args.folds:
        args.folds.mkdir(parents=True, exist_ok=True)
        for project, fold in folds.items():
            (args.folds / f"{project}.json").write_text(json.dumps({"reports": fold}), "utf-8")
    return 0


def learn(name: str, examples: Any, data: dict[str, Any], folds: dict[str, Any]) -> Any:
    """Learn a level, print what it reaches left out, and return the left-out scores."""
    names = list(examples[0].signals)
    by_project, scores = left_out(examples, names, STRENGTH[name], ALL_RIGHT.get(name, 0.0))
    sharp = sharpness(examples, scores)
    print(table(name, examples, scores))
    if any(e.has_traceback for e in examples):
        print(table(f"{name}, with a traceback", examples, scores, lambda e: e.has_traceback))
    print(f"  sharpness {sharp}; the first one: {reliability(examples, scores, sharp)}", flush=True)
    data[name] = level(fit(examples, names, STRENGTH[name], ALL_RIGHT.get(name, 0.0)), sharp)
    for project, weights in by_project.items():
        folds.setdefault(project, {})[name] = level(weights, sharp)
    return scores


def ablation(files: Any) -> None:
    """Print what the files' ranking reaches without each source of evidence."""
    names = list(files[0].signals)
    groups = sorted({name.partition(".")[0] for name in names})
    print(table("all signals", files, left_out(files, names, STRENGTH["files"])[1]))
    for group in groups:
        rest = [name for name in names if name.partition(".")[0] != group]
        print(
            table(f"without {group}", files, left_out(files, rest, STRENGTH["files"])[1]),
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
