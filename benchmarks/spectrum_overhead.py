"""Measures what recording costs: the plugin beside pytest-cov with contexts.

``python benchmarks/spectrum_overhead.py FOLDER`` makes an environment with a project of the Python
Package Index in FOLDER, runs its tests plainly, with ``--cov --cov-context=test`` and with
``--dl-bug`` in turn, and prints medians of processor time and their ratios.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

from pypi_projects import environment, sources, test_environment

PROJECT, VERSION = "marshmallow", "3.23.0"
BESIDE = ("pytest==8.3.4", "pytest-cov==6.0.0", "coverage==7.6.10", "simplejson", "pytz")
WAYS = {
    "plain": [],
    "cov": ["-ppytest_cov", "--cov=.", "--cov-context=test", "--cov-report="],
    "dl-bug": ["-pdl_bug_lsp.recording.pytest_plugin", "--dl-bug"],
}
TESTS_RUN = ("tests", "--deselect=tests/test_version_attributes.py")
"""The only failing test is left out: of a suite that fails, the plugin also ranks the lines."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    python = environment(arguments.folder, *BESIDE)
    project = sources(python, arguments.folder, PROJECT, VERSION)
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    for _ in range(arguments.rounds + 1):
        for way, options in WAYS.items():
            times[way].append(suite(python, project, options))
    # The first round compiles everything.
    medians = {way: statistics.median(found[1:]) for way, found in times.items()}
    for way, seconds in medians.items():
        print(f"{way:8} {seconds:7.2f} s of processor time")
    print(f"dl-bug / cov   {medians['dl-bug'] / medians['cov']:.3f}   (to reach: <= 1.15)")
    print(f"dl-bug / plain {medians['dl-bug'] / medians['plain']:.3f}")


def suite(python: Path, project: Path, options: list[str]) -> float:
    """Return the processor seconds of one run of the project's tests."""
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, *TESTS_RUN]
    before = os.times()
    done = subprocess.run(
        command, cwd=project, env=test_environment(project), capture_output=True, check=False
    )
    after = os.times()
    if b" passed" not in done.stdout:
        sys.exit(done.stdout.decode()[-2000:] + done.stderr.decode()[-2000:])
    return (after.children_user - before.children_user) + (
        after.children_system - before.children_system
    )


if __name__ == "__main__":
    main()
