"""What recording a training costs: the same training with and without the recorder, in turns.

    python benchmarks/monitor_overhead.py --python VENV/bin/python [--repetitions 7] [--seconds 4]

``--python`` is an interpreter that has PyTorch. Each training runs in a process of its own, on one
thread; the two states take turns, so that a machine's load falls on both. A repetition gives the
seconds of processor time (and of the clock) of a step, the first steps left out, and the peak of
the memory; shown are medians over the repetitions, and the median of the pairs' quotients. That
losses and weights are the same to the last bit is checked beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from dl_bug_lsp.monitoring.store import begin, read_recording

PROGRAM = """
import hashlib, json, resource, sys, time
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Convolutional(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(),
        )
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.features(x).mean((2, 3)))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(500, 64)
        layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, dropout=0.1)
        self.encoder = nn.TransformerEncoder(layer, 4)
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.encoder(self.embedding(x)).mean(1))


kind, seconds = sys.argv[1], float(sys.argv[2])
labels = torch.randint(0, 10, (2048,))
if kind == "mlp":
    data = torch.randn(2048, 64)
    model = nn.Sequential(
        nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10)
    )
elif kind == "cnn":
    data, model = torch.randn(2048, 3, 32, 32), Convolutional()
else:
    data, model = torch.randint(0, 500, (2048, 64)), Transformer()
loader = DataLoader(TensorDataset(data, labels), batch_size=32, shuffle=True)
optimizer = torch.optim.Adam(model.parameters(), 1e-3)
criterion = nn.CrossEntropyLoss()
digest = hashlib.sha256()
steps = 0
limit = int(sys.argv[3])
while steps < limit:
    for x, y in loader:
        if steps == 10:
            clock, processor = time.perf_counter(), time.process_time()
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        digest.update(loss.detach().numpy().tobytes() if steps % 50 == 0 else b"")
        steps += 1
        if steps >= limit:
            break
clock, processor = time.perf_counter() - clock, time.process_time() - processor
for parameter in model.parameters():
    digest.update(parameter.detach().numpy().tobytes())
print(json.dumps({
    "clock": clock / (steps - 10), "processor": processor / (steps - 10),
    "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    "digest": digest.hexdigest(),
}))
"""
KINDS = {"mlp": 0.0008, "cnn": 0.03, "transformer": 0.06}
"""The trainings, with about how many seconds a step of them takes."""


def main() -> None:
    """Measure and print one row a training."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=4.0, help="of a training, about")
    parser.add_argument("--kinds", nargs="*", default=list(KINDS))
    arguments = parser.parse_args()
    print(
        f"{'training':12} {'steps':>6} {'step off':>10} {'step on':>10} {'processor':>10} "
        f"{'clock':>8} {'memory':>8} {'sampled':>8} {'same bits':>10}"
    )
    for kind in arguments.kinds:
        steps = max(60, int(arguments.seconds / KINDS[kind]))
        pairs = []
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "train.py"
            program.write_text(PROGRAM)
            for turn in range(arguments.repetitions):
                order = (False, True) if turn % 2 else (True, False)
                pair = {on: measured(arguments.python, program, kind, steps, on) for on in order}
                pairs.append((pair[False], pair[True]))
            run = read_recording(Path(folder)).runs[-1]
        print(
            f"{kind:12} {steps:6} {1e3 * median(off['processor'] for off, _ in pairs):7.3f} ms "
            f"{1e3 * median(on['processor'] for _, on in pairs):7.3f} ms "
            f"{percent(pairs, 'processor'):>10} {percent(pairs, 'clock'):>8} "
            f"{median(on['memory'] - off['memory'] for off, on in pairs) / 2**20:5.1f} MB "
            f"{run.process.sampled:8} "
            f"{all(off['digest'] == on['digest'] for off, on in pairs)!s:>10}",
            flush=True,
        )


def percent(pairs: list[tuple[dict, dict]], what: str) -> str:
    """Return the median of the quotients as a share more than one."""
    return f"{100 * (median(on[what] / off[what] for off, on in pairs) - 1):+.1f} %"


def measured(python: str, program: Path, kind: str, steps: int, is_recorded: bool) -> dict:
    """Run the training once and return what it measured."""
    environment = dict(os.environ)
    command = [python, str(program), kind, "0", str(steps)]
    session = None
    if is_recorded:
        session = begin(program.parent)
        environment.update(session.environment(os.environ, command))
    done = subprocess.run(
        command, env=environment, cwd=program.parent, capture_output=True, text=True, check=True
    )
    if done.stderr.strip():
        print(done.stderr, file=sys.stderr)
    if session is not None:
        session.take_in()
    return json.loads(done.stdout)


if __name__ == "__main__":
    main()
