"""Time indexing, localizing and log reading, each measure in a process of its own.

    python benchmarks/speed.py [FOLDER ...] [--runs N] [--log-mb MB] [--part trees|logs]

Prints medians. A FOLDER is any folder of Python files; by default two workspaces of about 300 and
5,000 files are put together from the packages installed beside this program. Each gets a recorded
failing program (``--case``) as one of its projects, whose log is localized. Ratios are of processor
time, so that another job on the machine does not move them: for workspaces to one ``ast.parse`` of
each file, for logs to ``grep -c Traceback``.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from dl_bug_lsp.workspace import Workspace

CASE = Path(__file__).resolve().parent.parent / "fixtures" / "101-leaf-resnet-head"
CHUNK = 8 << 20
Figures = dict[str, float]


def main() -> int:
    """Print the machine and the medians of every measure."""
    options = _parse_arguments()
    if options.measure:
        print(json.dumps(_MEASURES[options.measure](options.tree[0], options.log)))
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
    parser.add_argument("--case", type=Path, default=CASE, help="the recorded failure")
    parser.add_argument("--part", choices=("trees", "logs"), help="only these measures")
    parser.add_argument("--measure", choices=sorted(_MEASURES), help=argparse.SUPPRESS)
    parser.add_argument("--log", type=Path, default=CASE / "log.txt", help=argparse.SUPPRESS)
    return parser.parse_args()


def _tell_trees(options: argparse.Namespace, folder: Path) -> None:
    from speed_inputs import assemble, default_sources

    given = [*options.folders, *options.tree]
    sources = [(f"the folder {f.name}", [f]) for f in given] or default_sources()
    for number, (label, paths) in enumerate(sources):
        tree = assemble(folder / f"workspace{number}", paths, options.case)
        medians = {m: _median(m, options.runs, tree, options.case / "log.txt") for m in _OF_TREES}
        files = int(medians["parse"]["files"])
        print(f"\n{label}: {files} Python files, {medians['parse']['mb']:.1f} MB of source")
        print(f"  {'':22}{'wall s':>9}{'cpu s':>9}{'x ast.parse':>13}{'peak MiB':>10}")
        parsing = medians["parse"]["cpu"]
        for measure, told in _OF_TREES.items():
            values = medians[measure]
            print(
                f"  {told:22}{values['seconds']:9.2f}{values['cpu']:9.2f}"
                f"{_ratio(values['cpu'], parsing):>13}{values['peak_mib']:10.0f}"
            )
        for one, other in (("warm", "cold"), ("localize_warm", "localize_cold")):
            share = _ratio(medians[one]["cpu"], medians[other]["cpu"])
            print(f"  {_OF_TREES[one]} / {_OF_TREES[other]}: {share}")


def _tell_logs(options: argparse.Namespace, folder: Path) -> None:
    from speed_inputs import write_log

    failure = (options.case / "log.txt").read_bytes()
    for kind, told in (("lines", "a line a step"), ("bars", "progress bars")):
        log = write_log(folder / f"{kind}.log", kind, options.log_mb * 1_000_000, failure)
        size = log.stat().st_size / 1e6
        print(f"\nlog of {size:.0f} MB, {told}, one traceback at its end")
        print(f"  {'':22}{'wall s':>9}{'cpu s':>9}{'x grep':>9}{'MB/s':>9}{'peak MiB':>10}")
        searching = _grep(log, options.runs)
        for measure, name in _OF_LOGS.items():
            values = _median(measure, options.runs, folder, log)
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


def _parse(tree: Path, log: Path) -> Figures:
    files = Workspace(tree, cache=False).python_files()
    sources = [file for file in files if file.endswith(".py")]
    warnings.simplefilter("ignore")

    def work() -> None:
        for file in sources:
            with contextlib.suppress(SyntaxError, ValueError):
                ast.parse((tree / file).read_bytes())

    size = sum((tree / file).stat().st_size for file in sources) / 1e6
    return {**_timed(work), "files": float(len(sources)), "mb": size}


def _cold(tree: Path, log: Path) -> Figures:
    _forget(tree)
    return _timed(lambda: Workspace(tree).index())


def _warm(tree: Path, log: Path) -> Figures:
    return _timed(lambda: Workspace(tree).index())


def _unpacked(tree: Path, log: Path) -> Figures:
    def work() -> None:
        workspace = Workspace(tree)
        for file in workspace.python_files():
            workspace.elements(file)

    return _timed(work)


def _localize_cold(tree: Path, log: Path) -> Figures:
    _forget(tree)
    return _localize_warm(tree, log)


def _localize_warm(tree: Path, log: Path) -> Figures:
    """Do what the command line does, the imports included."""
    text = log.read_bytes()

    def work() -> None:
        from dl_bug_lsp.localize import localize

        workspace = Workspace(tree)
        workspace.index()
        localize(text, workspace)

    return _timed(work)


def _localize_again(tree: Path, log: Path) -> Figures:
    """Localize a second time in one process, as the language server does."""
    from dl_bug_lsp.localize import localize

    text = log.read_bytes()
    workspace = Workspace(tree)
    workspace.index()
    localize(text, workspace)
    return _timed(lambda: localize(text, workspace))


def _read_bytes(tree: Path, log: Path) -> Figures:
    from dl_bug_lsp.logs import read_log
    from dl_bug_lsp.tracebacks import read_failures

    return _counting(lambda: len(read_failures(read_log(log.read_bytes())).failures))


def _read_stream(tree: Path, log: Path) -> Figures:
    from dl_bug_lsp.logs import read_log_chunks
    from dl_bug_lsp.tracebacks import read_failures

    return _counting(lambda: len(read_failures(read_log_chunks(_chunks(log))).failures))


def _counting(count: Callable[[], int]) -> Figures:
    found: list[int] = []
    figures = _timed(lambda: found.append(count()))
    return {**figures, "failures": float(found[0])}


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            yield chunk


def _timed(work: Callable[[], object]) -> Figures:
    start, start_cpu = time.perf_counter(), time.process_time()
    work()
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "seconds": seconds,
        "cpu": cpu,
        "peak_mib": peak / (1024 if sys.platform != "darwin" else 1 << 20),
    }


def _forget(tree: Path) -> None:
    path = Workspace(tree).cache_info().path
    if path is not None:
        path.unlink(missing_ok=True)


def _median(measure: str, runs: int, tree: Path, log: Path) -> Figures:
    command = [sys.executable, __file__, "--tree", str(tree), "--log", str(log)]
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


_MEASURES: dict[str, Callable[[Path, Path], Figures]] = {
    "parse": _parse,
    "cold": _cold,
    "warm": _warm,
    "unpacked": _unpacked,
    "localize_cold": _localize_cold,
    "localize_warm": _localize_warm,
    "localize_again": _localize_again,
    "read_bytes": _read_bytes,
    "read_stream": _read_stream,
}
_OF_TREES = {
    "parse": "ast.parse",
    "cold": "index, cold",
    "warm": "index, warm",
    "unpacked": "all elements, warm",
    "localize_cold": "localize, cold",
    "localize_warm": "localize, warm",
    "localize_again": "localize, same process",
}
_OF_LOGS = {"read_bytes": "read, from bytes", "read_stream": "read, from a stream"}


if __name__ == "__main__":
    raise SystemExit(main())
