"""What `dl-bug-lsp run` costs: a command that prints 100 MB, alone, recorded, and under `script`.

    python benchmarks/run_overhead.py [--megabytes 100] [--times 5]

Prints medians in seconds, each to a file and to a pseudo-terminal that is read at once.
"""

from __future__ import annotations

import argparse
import os
import pty
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

PRINTS = "import os\nfor _ in range({count}): os.write(1, b'epoch 1 step 1 loss 0.123\\n' * 2520)"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--times", type=int, default=5)
    chosen = parser.parse_args()
    code = PRINTS.format(count=chosen.megabytes * 2**20 // 65_520)
    plain = [sys.executable, "-c", code]
    run = [sys.executable, "-m", "dl_bug_lsp", "run", "--", *plain]
    ways = {"alone": plain, "dl-bug-lsp run": run}
    if shutil.which("script"):
        ways["script"] = ["script", "-qec", subprocess.list2cmdline(plain), "typescript"]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, ".dlbug").mkdir()
        for where, time_of in (("file", to_file), ("terminal", to_terminal)):
            found: dict[str, list[float]] = {name: [] for name in ways}
            for _ in range(chosen.times):
                for name, command in ways.items():
                    found[name].append(time_of(command, folder))
            for name, times in found.items():
                print(f"to a {where}, {name}: {statistics.median(times):.2f} s")
        nothing = [sys.executable, "-c", ""]
        small = {"alone": nothing, "dl-bug-lsp run": [*run[:5], *nothing]}
        for name, command in small.items():
            times = [to_file(command, folder) for _ in range(chosen.times)]
            print(f"a command that does nothing, {name}: {statistics.median(times):.3f} s")


def to_file(command: Sequence[str], folder: str) -> float:
    """Return the seconds that a command takes with its output in a file."""
    with Path(folder, "out").open("wb") as out:
        begun = time.perf_counter()
        subprocess.run(command, cwd=folder, stdout=out, check=True, env=environment())
        return time.perf_counter() - begun


def to_terminal(command: Sequence[str], folder: str) -> float:
    """Return the seconds that a command takes at a terminal."""
    master, slave = pty.openpty()

    def read() -> None:
        with suppress(OSError):
            while os.read(master, 65_536):
                pass

    reader = threading.Thread(target=read)
    reader.start()
    begun = time.perf_counter()
    subprocess.run(
        command, cwd=folder, stdin=slave, stdout=slave, stderr=slave, check=True, env=environment()
    )
    taken = time.perf_counter() - begun
    os.close(slave)
    reader.join()
    os.close(master)
    return taken


def environment() -> dict[str, str]:
    """Return ours, with this checkout's package."""
    return {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}


if __name__ == "__main__":
    main()
