"""The estimated memory of a training step beside the measured peak, for twelve models of PyTorch.

    python benchmarks/memory_estimate.py [--python PYTHON] [--device cuda] [--measured FILE]

Each program of ``memory_models.py`` is followed without being run (the estimate), and run by the
interpreter (the peak of all bytes that tensors hold, from PyTorch's profiler, on a GPU from its
allocator). ``--only-measure`` prints the peaks as JSON, ``--measured`` reads them.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = HERE / "memory_models.py"
NAMES = (
    "perceptron", "convolutions", "residual", "unet", "autoencoder", "variational", "lstm", "gru",
    "encoder", "gpt", "patches", "temporal",
)  # fmt: skip
MEASURE = """
import runpy, sys, torch
torch.manual_seed(0)
program, device = sys.argv[1], sys.argv[2]
sys.argv = [program, *sys.argv[3:]]
if device == "cpu":
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        runpy.run_path(program, run_name="__main__")
    now = most = 0
    events = [e for e in seen.profiler.kineto_results.events() if e.name() == "[memory]"]
    for event in sorted(events, key=lambda e: e.start_ns()):
        now += event.nbytes()
        most = max(most, now)
else:
    torch.set_default_device(device)
    runpy.run_path(program, run_name="__main__")
    most = torch.cuda.max_memory_allocated()
print("peak", most)
"""


def measured(name: str, python: str, device: str) -> int:
    """Return the peak of one model's training in bytes."""
    words = [python, "-c", MEASURE, str(PROGRAM), device, name]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    last = [line for line in done.stdout.splitlines() if line.startswith("peak ")]
    if not last:
        raise SystemExit(f"{name} did not run: {done.stderr[-400:]}")
    return int(last[-1].split()[1])


def estimated(name: str) -> int:
    """Return the estimate for one model in bytes; 0 where none can be made."""
    from dl_bug_lsp.interpretation.forecast import Forecast
    from dl_bug_lsp.interpretation.values import Value
    from dl_bug_lsp.workspace import Workspace

    with tempfile.TemporaryDirectory() as place:
        shutil.copy(PROGRAM, place)
        forecast = Forecast(Workspace(Path(place), cache=False), PROGRAM.name, [Value(name)])
        forecast.predict()
        return max((e.peak for e in forecast.memory.estimates), default=0)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default=str(HERE.parent / ".venv-fixtures" / "bin" / "python"))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only-measure", action="store_true")
    parser.add_argument("--measured", type=Path)
    arguments = parser.parse_args()
    if arguments.only_measure:
        peaks = {name: measured(name, arguments.python, arguments.device) for name in NAMES}
        print(json.dumps(peaks))
        return 0
    known = json.loads(arguments.measured.read_text()) if arguments.measured else {}
    errors = []
    print(f"{'model':14} {'measured':>10} {'estimated':>10}  error")
    for name in NAMES:
        peak = known.get(name) or measured(name, arguments.python, arguments.device)
        told = estimated(name)
        errors.append(abs(told - peak) / peak)
        print(f"{name:14} {peak / 1e6:8.1f} MB {told / 1e6:8.1f} MB {told / peak - 1:+6.0%}")
    print(f"median error {statistics.median(errors):.0%}, largest {max(errors):.0%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
