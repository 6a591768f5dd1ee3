"""Measures what `dl-bug-lsp run --spectrum` costs, and whether the estimate that it prints holds.

``python benchmarks/run_spectrum.py [--python PYTHON] [-- COMMAND …]`` runs a command (by default a
small training program on NumPy) in turn plainly and recorded, and prints medians of processor time
and of the clock, their ratios, and the ratio that the recorded runs said at their end.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = """\
import numpy as np

class Net:
    def __init__(self, sizes):
        rng = np.random.default_rng(0)
        self.weights = [rng.normal(size=pair) * 0.1 for pair in zip(sizes, sizes[1:])]
    def forward(self, x):
        self.seen = [x]
        for w in self.weights:
            x = np.maximum(x @ w, 0)
            self.seen.append(x)
        return x
    def backward(self, gradient, rate=0.001):
        for i in reversed(range(len(self.weights))):
            gradient = gradient * (self.seen[i + 1] > 0)
            step = self.seen[i].T @ gradient
            gradient = gradient @ self.weights[i].T
            self.weights[i] -= rate * step

def batches(x, y, size):
    for start in range(0, len(x), size):
        yield x[start : start + size], y[start : start + size]

def train(epochs):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(4096, 256))
    y = np.maximum(x[:, :16], 0)
    net = Net([256, 256, 256, 16])
    for epoch in range(epochs):
        for a, b in batches(x, y, 64):
            net.backward(net.forward(a) - b)

train(12)
"""
_SAID = re.compile(rb"recording took about .* \(x ([\d.]+)\)")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="for the default program")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "pyproject.toml").touch()
        Path(folder, "train.py").write_text(PROGRAM)
        given = [word for word in arguments.command if word != "--"]
        command = given or [arguments.python, "train.py"]
        measure(command, Path.cwd() if given else Path(folder), arguments.rounds)


def measure(command: list[str], folder: Path, rounds: int) -> None:
    """Print medians and ratios for a command."""
    recorder = [sys.executable, "-m", "dl_bug_lsp", "run", "--no-report"]
    ways = {
        "alone": command,
        "run": [*recorder, "--", *command],
        "run --spectrum": [*recorder, "--spectrum", "--", *command],
    }
    times: dict[str, list[float]] = {way: [] for way in ways}
    clock: dict[str, list[float]] = {way: [] for way in ways}
    said: list[float] = []
    for _ in range(rounds):
        for way, words in ways.items():
            began = time.perf_counter()
            seconds, output = processor_time(words, folder)
            clock[way].append(time.perf_counter() - began)
            times[way].append(seconds)
            said += [float(found[1]) for found in [_SAID.search(output)] if found]
    for kind, found in (("of processor time", times), ("on the clock", clock)):
        medians = {way: statistics.median(seconds) for way, seconds in found.items()}
        shown = ", ".join(f"{way} {seconds:.2f} s" for way, seconds in medians.items())
        spent = medians["run --spectrum"] - medians["run"]
        print(f"{kind}: {shown}")
        print(f"    recording: x {1 + spent / medians['alone']:.3f} of the program alone")
    print(f"estimated at the end of the runs, of processor time: x {statistics.median(said):.2f}")


def processor_time(command: list[str], folder: Path) -> tuple[float, bytes]:
    """Run a command and return its processor seconds and standard error."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    before = os.times()
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        check=False,
    )
    after = os.times()
    seconds = after.children_user - before.children_user
    return seconds + after.children_system - before.children_system, done.stderr


if __name__ == "__main__":
    main()
