"""Job logs as tests make them."""

from __future__ import annotations

import random
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
TRACEBACK = (
    "Traceback (most recent call last):\n"
    '  File "{home}/train.py", line {line}, in <module>\n'
    "    main()\n"
    '  File "{home}/train.py", line 9, in main\n'
    "    loss = model(batch)\n"
    '  File "{python}/site-packages/torch/nn/modules/linear.py", line 125, in forward\n'
    "    return F.linear(input, self.weight, self.bias)\n"
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied ({rows}x784 and 512x10)\n"
)


def failing(**changes: object) -> str:
    known = {
        "home": "/home/ann/vision",
        "line": 31,
        "python": "/opt/venv/lib/python3.11",
        "rows": 8,
    }
    return TRACEBACK.format(**{**known, **changes})


def progress(lines: int, seed: int = 0) -> str:
    rng = random.Random(seed)
    return "".join(
        f"epoch {n // 100} step {n} loss {rng.random():.4f} acc {rng.random():.3f} lr 1.0e-04\n"
        for n in range(lines)
    )
