"""Time indexing, localizing and log reading, each measure in a process of its own.

    python benchmarks/speed.py [FOLDER ...] [--runs N] [--log-mb MB] [--part trees|logs]

Prints medians. A FOLDER is any folder of Python files; by default two workspaces of about 300 and
5,000 files are put together from the packages installed beside this program. Each gets recorded
failing programs (``--case``) as its projects, whose logs are localized: the first one cold and
warm, as the command line does; all of them one after another in one process, as the language
server does. Ratios are of processor time, so that another job on the machine does not move them:
for workspaces to one ``ast.parse`` of each file, for logs to ``grep -c Traceback``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from speed_inputs import assemble, default_sources, write_log
from speed_measures import MEASURES, Figures

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
CASES = [
    FIXTURES / name
    for name in (
        "101-leaf-resnet-head",
        "114-churn-fold-columns",
        "124-ddpm-launch-script",
        "202-churn-checkpoint-monitor",
        "212-activity-idle-head",
        "223-loans-rows-appended",
        "305-keras-vibration-nan",
        "313-keras-address-notebook",
    )
]


def main() -> int:
    """Print the machine and the medians of every measure."""
    options = _parse_arguments()
    if options.measure:
        print(json.dumps(MEASURES[options.measure](options.tree[0], options.log)))
        return 0
    print(f"machine    {_machine()}")
    print(f"medians of {options.runs} run{'s' * (options.runs > 1)}, each a fresh process")
    with tempfile.TemporaryDirectory() as folder:
        if options.part in (None, "trees"):
            _tell_trees(options, Path(folder))
        if options.part in (None, "logs"):
            _tell_logs(options, Path(folder))
    return 0


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path, help="workspaces to measure")
    parser.add_argument("--tree", type=Path, action="append", default=[], help="another workspace")
    parser.add_argument("--runs", type=int, default=3, help="runs of each measure (median told)")
    parser.add_argument("--log-mb", type=int, default=200, help="size of the generated logs")
    parser.add_argument("--case", type=Path, action="append", help="a recorded failure")
    parser.add_argument("--part", choices=("trees", "logs"), help="only these measures")
    parser.add_argument("--measure", choices=sorted(MEASURES), help=argparse.SUPPRESS)
    parser.add_argument("--log", type=Path, action="append", default=[], help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.case = options.case or CASES
    return options


def _tell_trees(options: argparse.Namespace, folder: Path) -> None:
    given = [*options.folders, *options.tree]
    sources = [(f"the folder {f.name}", [f]) for f in given] or default_sources()
    for number, (label, paths) in enumerate(sources):
        tree = assemble(folder / f"workspace{number}", paths, options.case)
        logs = [case / "log.txt" for case in options.case]
        medians = {m: _median(m, options.runs, tree, logs) for m in _OF_TREES}
        files = int(medians["parse"]["files"])
        print(f"\n{label}: {files} Python files, {medians['parse']['mb']:.1f} MB of source")
        print(f"  {'':22}{'wall s':>9}{'cpu s':>9}{'x ast.parse':>13}{'peak MiB':>10}")
        parsing = medians["parse"]["cpu"]
        for measure, told in _OF_TREES.items():
            _tell_row(told, medians[measure], parsing)
        for told, values in _of_each(medians["localize_each"]):
            _tell_row(told, values, parsing)
        for one, other in (("warm", "cold"), ("localize_warm", "localize_cold")):
            share = _ratio(medians[one]["cpu"], medians[other]["cpu"])
            print(f"  {_OF_TREES[one]} / {_OF_TREES[other]}: {share}")


def _tell_row(told: str, values: Figures, parsing: float) -> None:
    ratio = _ratio(values["cpu"], parsing)
    peak = f"{values['peak_mib']:10.0f}" if "peak_mib" in values else ""
    print(f"  {told:22}{values['seconds']:9.2f}{values['cpu']:9.2f}{ratio:>13}{peak}")


def _of_each(figures: Figures) -> list[tuple[str, Figures]]:
    """Return the median and the slowest of the cases that were localized in one process."""
    found = {
        key.removesuffix("/cpu"): {"seconds": figures[key[:-3] + "seconds"], "cpu": cpu}
        for key, cpu in figures.items()
        if key.endswith("/cpu")
    }
    slowest = max(found, key=lambda name: (found[name]["cpu"], name))
    middle = {k: statistics.median(v[k] for v in found.values()) for k in ("seconds", "cpu")}
    return [("  median of them", middle), (f"  slowest ({slowest.split('-')[0]})", found[slowest])]


def _tell_logs(options: argparse.Namespace, folder: Path) -> None:
    failure = (options.case[0] / "log.txt").read_bytes()
    for kind, told in (("lines", "a line a step"), ("bars", "progress bars")):
        log = write_log(folder / f"{kind}.log", kind, options.log_mb * 1_000_000, failure)
        size = log.stat().st_size / 1e6
        print(f"\nlog of {size:.0f} MB, {told}, one traceback at its end")
        print(f"  {'':22}{'wall s':>9}{'cpu s':>9}{'x grep':>9}{'MB/s':>9}{'peak MiB':>10}")
        searching = _grep(log, options.runs)
        for measure, name in _OF_LOGS.items():
            values = _median(measure, options.runs, folder, [log])
            print(
                f"  {name:22}{values['seconds']:9.2f}{values['cpu']:9.2f}"
                f"{_ratio(values['cpu'], searching['cpu']):>9}"
                f"{size / values['seconds']:9.0f}{values['peak_mib']:10.0f}"
            )
            if values["failures"] != 1:
                print(f"    WRONG: {values['failures']:.0f} failures were read, not 1")
        if searching["seconds"]:
            print(
                f"  {'grep -c Traceback':22}{searching['seconds']:9.2f}{searching['cpu']:9.2f}"
                f"{'1.00':>9}{size / searching['seconds']:9.0f}"
            )
        log.unlink()


def _median(measure: str, runs: int, tree: Path, logs: list[Path]) -> Figures:
    command = [sys.executable, __file__, "--tree", str(tree)]
    command += [f"--log={log}" for log in logs]
    # A tree that is read-only has its cache in the user's folder: not in the real one.
    environment = {**os.environ, "XDG_CACHE_HOME": str(tree.parent / "cache")}
    results: list[Figures] = []
    for _ in range(runs):
        child = subprocess.run(
            [*command, "--measure", measure], env=environment, check=True, stdout=subprocess.PIPE
        )
        results.append(json.loads(child.stdout))
    return {key: statistics.median(result[key] for result in results) for key in results[0]}


def _grep(log: Path, runs: int) -> Figures:
    """Time grep on the same file; zeros where there is none."""
    results: list[Figures] = []
    for _ in range(runs):
        start = time.perf_counter()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            subprocess.run(["grep", "-c", "Traceback", log], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return {"seconds": 0.0, "cpu": 0.0}
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        results.append({"seconds": time.perf_counter() - start, "cpu": cpu})
    return {key: statistics.median(result[key] for result in results) for key in results[0]}


def _ratio(part: float, whole: float) -> str:
    return f"{part / whole:.2f}" if whole else "–"


def _machine() -> str:
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{platform.system()} {platform.release()}"
    )


_OF_TREES = {
    "parse": "ast.parse",
    "cold": "index, cold",
    "warm": "index, warm",
    "unpacked": "all elements, warm",
    "localize_cold": "localize, cold",
    "localize_warm": "localize, warm",
    "localize_each": "all cases, one process",
}
_OF_LOGS = {"read_bytes": "read, from bytes", "read_stream": "read, from a stream"}


if __name__ == "__main__":
    raise SystemExit(main())
