"""Time the index of a folder: cold, warm, and ``ast.parse`` beside it, each in a fresh process."""

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
from collections.abc import Callable
from pathlib import Path

from dl_bug_lsp.workspace import Workspace


def main() -> int:
    """Print the machine and the medians of every measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", type=Path, required=True, help="any folder of Python files")
    parser.add_argument("--runs", type=int, default=3, help="runs of each measure (median told)")
    parser.add_argument("--measure", choices=sorted(_MEASURES), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(_MEASURES[options.measure](options.tree)))
        return 0
    print(f"machine    {_machine()}")
    with tempfile.TemporaryDirectory() as cache:
        # A tree that is read-only has its cache in the user's folder: not in the real one.
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        medians = {m: _median(m, options.tree, options.runs, environment) for m in _ORDER}
    # Ratios are of processor time: another job on the machine does not move them.
    parsing = medians["parse"]["cpu"]
    print(f"files      {int(medians['parse']['files'])}")
    for measure, values in medians.items():
        ratio = values["cpu"] / parsing if parsing else 0.0
        print(
            f"{measure:<10} {values['seconds']:8.2f} s  cpu {values['cpu']:8.2f} s"
            f"  {ratio:5.2f} x ast.parse"
            f"  peak {values['peak_mib']:6.0f} MiB"
        )
    print(f"warm/cold  {medians['warm']['cpu'] / medians['cold']['cpu']:8.2f}")
    return 0


def _parse(tree: Path) -> dict[str, float]:
    files = Workspace(tree, cache=False).python_files()
    sources = [file for file in files if file.endswith(".py")]
    warnings.simplefilter("ignore")

    def work() -> None:
        for file in sources:
            with contextlib.suppress(SyntaxError, ValueError):
                ast.parse((tree / file).read_bytes())

    return {**_timed(work), "files": float(len(sources))}


def _cold(tree: Path) -> dict[str, float]:
    for path in _cache_files(tree):
        path.unlink(missing_ok=True)
    return _timed(lambda: Workspace(tree).index())


def _warm(tree: Path) -> dict[str, float]:
    return _timed(lambda: Workspace(tree).index())


def _unpacked(tree: Path) -> dict[str, float]:
    def work() -> None:
        workspace = Workspace(tree)
        for file in workspace.python_files():
            workspace.elements(file)

    return _timed(work)


def _timed(work: Callable[[], object]) -> dict[str, float]:
    start, start_cpu = time.perf_counter(), time.process_time()
    work()
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "seconds": seconds,
        "cpu": cpu,
        "peak_mib": peak / (1024 if sys.platform != "darwin" else 1 << 20),
    }


def _cache_files(tree: Path) -> list[Path]:
    path = Workspace(tree).cache_info().path
    return [path] if path is not None else []


def _median(measure: str, tree: Path, runs: int, environment: dict[str, str]) -> dict[str, float]:
    command = [sys.executable, __file__, "--tree", str(tree), "--measure", measure]
    results: list[dict[str, float]] = []
    for _ in range(runs):
        output = subprocess.run(command, env=environment, check=True, capture_output=True)
        results.append(json.loads(output.stdout))
    return {key: statistics.median(result[key] for result in results) for key in results[0]}


def _machine() -> str:
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


_MEASURES: dict[str, Callable[[Path], dict[str, float]]] = {
    "parse": _parse,
    "cold": _cold,
    "warm": _warm,
    "unpacked": _unpacked,
}
_ORDER = ("parse", "cold", "warm", "unpacked")


if __name__ == "__main__":
    raise SystemExit(main())
