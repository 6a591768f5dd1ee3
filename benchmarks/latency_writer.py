"""Lets many logs grow at once: ``latency_writer.py FOLDER BYTES_A_SECOND SECONDS``."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

STEPS = 4
"""Writes a second to each log."""


def main(folder: Path, rate: int, seconds: float) -> int:
    """Append to every log below the folder; 1 where that was slower than asked for."""
    files = [os.open(path, os.O_WRONLY | os.O_APPEND) for path in sorted(folder.rglob("*.log"))]
    line = b"2025-03-11 10:00:00,000 INFO step 187 loss=0.4312 lr=3.0e-04 tokens/s=41000\n"
    block = line * max(1, rate // STEPS // len(line))
    begin = time.perf_counter()
    steps = 0
    while time.perf_counter() - begin < seconds:
        for at, file in enumerate(files):
            due = begin + (steps + at / len(files)) / STEPS
            wait = due - time.perf_counter()
            if wait > 0.002:
                time.sleep(wait)
            os.write(file, block)
        steps += 1
    return 0 if steps >= 0.9 * seconds * STEPS else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
