"""What watching costs: many logs that grow, idle ones, and the time from a failure to its notice.

    python benchmarks/watching.py [--logs 1000] [--rate 10000] [--seconds 10] [--polling]

Prints the share of a processor that the watcher takes (user and system time of this process; the
writer is another) and the milliseconds from the append of a failure to its hand-over.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from dl_bug_lsp.watching.followed import LogFailure, SourceChanges, WatchStatus
from dl_bug_lsp.watching.watcher import Watcher

AGE = 7200
"""Seconds for which the idle logs have not grown."""
LINE = (
    b"epoch 3 step %08d loss 0.1234 acc 0.9876 lr 1.0e-04 time 0.123 s/it eta 01:23:45 mem 12.3G\n"
)
FAILURE = b"""Traceback (most recent call last):
  File "train.py", line 5, in <module>
    main()
  File "train.py", line 3, in main
    loss = model(batch)
RuntimeError: mat1 and mat2 shapes cannot be multiplied (%dx216 and 864x3)
"""
WRITER = """
import os, sys, time
folder, logs, rate, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
line = sys.stdin.buffer.read()
files = [os.open(f"{folder}/job-{n}.log", os.O_WRONLY | os.O_APPEND) for n in range(logs)]
per_round, begun, rounds = max(1, int(rate / len(line) / 10)), time.monotonic(), 0
while (now := time.monotonic()) < begun + seconds:
    for number in files:
        for _ in range(per_round):
            os.write(number, line)
    rounds += 1
    time.sleep(max(0.0, begun + rounds / 10 - time.monotonic()))
print(rounds * per_round * logs / (time.monotonic() - begun))
"""


class Heard:
    """Counts what the watcher tells."""

    def __init__(self) -> None:
        self.failures: list[str] = []
        self.came = threading.Event()
        self.ready = threading.Event()

    def failed(self, failure: LogFailure) -> None:
        """Count a failure."""
        self.failures.append(failure.source)
        self.came.set()

    def recovered(self, source: str) -> None:
        """Nothing recovers here."""

    def sources_changed(self, changes: SourceChanges) -> None:
        """No sources change here."""

    def watching(self, status: WatchStatus) -> None:
        """Show how the folder is watched."""
        print(f"watched by {status.means}: {status.logs} logs")
        self.ready.set()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--logs", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=10_000, help="bytes a second and log")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--polling", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(chosen.logs):
            log = Path(folder, f"job-{number}.log")
            log.write_bytes(LINE % 0)
            os.utime(log, (time.time() - AGE,) * 2)
        heard = Heard()
        watcher = Watcher(folder, heard, polling=chosen.polling)
        watcher.start()
        heard.ready.wait()
        print(f"idle: {100 * share(chosen.seconds):.2f} % of a core")
        delays(folder, heard, "idle")
        end = str(2 * chosen.seconds + 15)
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, folder, str(chosen.logs), str(chosen.rate), end],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert writer.stdin is not None
        writer.stdin.write(LINE % 1)
        writer.stdin.close()
        time.sleep(2)
        print(f"growing: {100 * share(chosen.seconds):.1f} % of a core")
        delays(folder, heard, "growing")
        writer.wait()
        assert writer.stdout is not None
        print(f"the writer wrote {float(writer.stdout.read()):,.0f} lines a second")
        watcher.stop()
        watcher.join(5)


def share(seconds: float) -> float:
    """Return the share of a processor that this process takes for a while."""
    before, begun = time.process_time(), time.monotonic()
    time.sleep(seconds)
    return (time.process_time() - before) / (time.monotonic() - begun)


def delays(folder: str, heard: Heard, when: str) -> None:
    """Append failures to one log after the other and print how long each took to be told."""
    found = []
    for number in range(20):
        heard.came.clear()
        begun = time.perf_counter()
        with Path(folder, f"job-{number}.log").open("ab") as log:
            log.write(FAILURE % (len(heard.failures) + 1))
        if heard.came.wait(10):
            found.append(1000 * (time.perf_counter() - begun))
    found.sort()
    if found:
        median, late = statistics.median(found), found[int(0.95 * (len(found) - 1))]
        print(
            f"{when}: {len(found)} of 20 failures told, median {median:.0f} ms, p95 {late:.0f} ms"
        )
    else:
        print(f"{when}: no failure was told")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
