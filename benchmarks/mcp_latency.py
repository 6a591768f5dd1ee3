"""How long assistants wait: `python benchmarks/mcp_latency.py [--files 5000] [--rounds 7]`.

A recorded program among so many small modules; the official SDK's client over standard input and
output. Start is from the process's start to the list of tools; of the calls, the first and the
median of the others, in milliseconds of the wall clock.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters, stdio_client

FIXTURE = Path(__file__).resolve().parent.parent / "fixtures" / "104-charlm-context-length"
CALLS = (
    ("localize", {"log_path": "train.log"}),
    ("why", {"file": "charlm/model.py", "line": 36}),
    ("explain", {"about": "oom"}),
    ("latest_failures", {}),
)
PER_FOLDER = 100


def workspace(top: Path, files: int) -> Path:
    """Make the workspace below a folder and return it."""
    root = top / "job"
    shutil.copytree(FIXTURE / "workspace", root)
    shutil.copy(FIXTURE / "log.txt", root / "train.log")
    for number in range(files):
        folder = root / "library" / f"part{number // PER_FOLDER:03}"
        folder.mkdir(parents=True, exist_ok=True)
        text = (
            f"SIZE = {number}\n\n\ndef scale_{number}(values, by=SIZE):\n    return values * by\n"
        )
        (folder / f"module_{number:05}.py").write_text(text * 6, encoding="utf-8")
    return root


async def measure(root: Path, rounds: int) -> None:
    """Print the times."""
    words = ["-m", "dl_bug_lsp", "mcp", "--workspace", str(root)]
    start = time.perf_counter()
    parameters = StdioServerParameters(command=sys.executable, args=words)
    async with Client(stdio_client(parameters)) as client:
        await client.list_tools()
        print(f"{'start':16} {1000 * (time.perf_counter() - start):8.0f}")
        for name, given in CALLS:
            times = []
            for _ in range(rounds):
                begin = time.perf_counter()
                await client.call_tool(name, given)
                times.append(1000 * (time.perf_counter() - begin))
            print(f"{name:16} {times[0]:8.0f} {statistics.median(times[1:]):8.0f}", flush=True)


def main() -> None:
    """Measure in a temporary folder."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = workspace(Path(folder), arguments.files)
        anyio.run(measure, root, arguments.rounds)


if __name__ == "__main__":
    main()
