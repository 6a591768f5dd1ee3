"""Schedulers that step before their optimizer, and programs that look alike and are right."""

from __future__ import annotations

from pathlib import Path

import pytest
from silent_failures import case_of

from dl_bug_lsp.evidence.training_rules import all_training_rules

MADE = """\
import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR, ReduceLROnPlateau, StepLR

model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = StepLR(optimizer, 30)
"""
OF_A_CLASS = """\
import torch
from torch.optim.lr_scheduler import CosineAnnealingLR


class Fitting:
    def __init__(self, net, epochs):
        self.net = net
        self.opt = torch.optim.Adam(net.parameters(), lr=1e-3)
        self.sched = CosineAnnealingLR(self.opt, epochs)
"""
OF_PAIRS = """\
import torch

opt_d = torch.optim.Adam(critic.parameters(), lr=1e-4)
opt_g = torch.optim.Adam(painter.parameters(), lr=1e-4)
sched_d = torch.optim.lr_scheduler.ExponentialLR(opt_d, 0.99)
sched_g = torch.optim.lr_scheduler.ExponentialLR(opt_g, 0.99)
"""
OF_STEPS = """\
import torch
from transformers import get_linear_schedule_with_warmup


def fit(model, loader, steps):
    optim = torch.optim.AdamW(model.parameters(), lr=2e-5)
    lr_scheduler = get_linear_schedule_with_warmup(optim, steps // 10, steps)
    scaler = torch.amp.GradScaler()
"""


def early(folder: Path, program: str) -> list[int]:
    """Return the lines of a program on which a scheduler is said to step early."""
    (folder / "train.py").write_text(program, encoding="utf-8")
    clues = list(all_training_rules.find(case_of(folder, "loss_stagnation")))
    found = [clue for clue in clues if "skips the first value" in clue.why]
    assert {clue.kind for clue in found} <= {"training.medium"}
    return [clue.line for clue in found]


@pytest.mark.parametrize(
    ("made", "loop", "line"),
    [
        # Once in each round.
        (
            MADE,
            "for x, y in loader:\n"
            "    optimizer.zero_grad()\n"
            "    loss = nn.functional.cross_entropy(model(x), y)\n"
            "    loss.backward()\n"
            "    scheduler.step()\n"
            "    optimizer.step()\n",
            12,
        ),
        # Once in each epoch, before the loop over batches; the place is the scheduler's.
        (
            MADE,
            "for epoch in range(90):\n"
            "    scheduler.step()\n"
            "    model.train()\n"
            "    for x, y in loader:\n"
            "        optimizer.zero_grad()\n"
            "        nn.functional.cross_entropy(model(x), y).backward()\n"
            "        optimizer.step()\n",
            9,
        ),
        # A condition in the inner loop decides how often the optimizer steps, not when first.
        (
            MADE,
            "for epoch in range(90):\n"
            "    scheduler.step()\n"
            "    for number, (x, y) in enumerate(loader):\n"
            "        nn.functional.cross_entropy(model(x), y).backward()\n"
            "        if number % 4 == 3:\n"
            "            optimizer.step()\n"
            "            optimizer.zero_grad()\n",
            9,
        ),
        # In a class, and with a block of `with` around the step.
        (
            OF_A_CLASS,
            "\n    def fit(self, loader):\n"
            "        while self.goes_on():\n"
            "            self.sched.step()\n"
            "            for x, y in loader:\n"
            "                with torch.enable_grad():\n"
            "                    self.error(x, y).backward()\n"
            "                    self.opt.step()\n",
            13,
        ),
        # Of two optimizers each scheduler counts for its own.
        (
            OF_PAIRS,
            "for real in loader:\n"
            "    loss_of(real).backward()\n"
            "    opt_d.step()\n"
            "    sched_d.step()\n"
            "    sched_g.step()\n"
            "    opt_g.step()\n",
            11,
        ),
        # A scaler makes the step of the optimizer that it is given.
        (
            OF_STEPS,
            "    for batch in loader:\n"
            "        scaler.scale(model(**batch).loss).backward()\n"
            "        lr_scheduler.step()\n"
            "        scaler.step(optim)\n"
            "        scaler.update()\n",
            11,
        ),
    ],
)
def test_a_scheduler_that_steps_first_is_found(
    made: str, loop: str, line: int, tmp_path: Path
) -> None:
    assert early(tmp_path, made + loop) == [line]


EPOCHS = (
    "for epoch in range(90):\n"
    "    scheduler.step()\n"
    "    for x, y in loader:\n"
    "        nn.functional.cross_entropy(model(x), y).backward()\n"
    "        optimizer.step()\n"
)


def test_the_program_that_the_right_ones_resemble_is_found(tmp_path: Path) -> None:
    assert early(tmp_path, MADE + EPOCHS) == [9]


@pytest.mark.parametrize(
    "program",
    [
        # The right order, in one loop and in two.
        MADE + "for x in loader:\n    optimizer.step()\n    scheduler.step()\n",
        MADE + EPOCHS.replace("    scheduler.step()\n", "") + "    scheduler.step()\n",
        # From the second epoch on.
        MADE + EPOCHS.replace("scheduler.step()", "if epoch:\n        scheduler.step()"),
        # The epoch is given, so that the first one has the first value.
        MADE + EPOCHS.replace("scheduler.step()", "scheduler.step(epoch)"),
        # A step is made before the loop, by itself, in a loop, or by a function.
        MADE + "optimizer.step()\n" + EPOCHS,
        MADE + "for x in first:\n    model(x).sum().backward()\n    optimizer.step()\n" + EPOCHS,
        MADE + "def begin(one):\n    one.step()\nbegin(optimizer)\n" + EPOCHS,
        MADE + "from engine import warm_up\nwarm_up(model, optimizer)\n" + EPOCHS,
        # What trains is called before the scheduler steps.
        MADE + EPOCHS.replace("    sch", "    one_pass(model, loader, optimizer)\n    sch"),
        MADE + EPOCHS.replace("    sch", "    engine.step()\n    sch"),
        # The optimizer steps nowhere after it, or only where a condition holds.
        MADE + "for epoch in range(90):\n    scheduler.step()\n    fit(model)\n",
        MADE + "for n, x in enumerate(loader):\n    scheduler.step()\n"
        "    if n % 4 == 3:\n        optimizer.step()\n",
        # Another optimizer.
        MADE + EPOCHS.replace("optimizer.step()", "other.step()"),
        # A scheduler that waits for a metric, and one of the program itself.
        MADE.replace("StepLR(optimizer, 30)", "ReduceLROnPlateau(optimizer)") + EPOCHS,
        "class StepLR:\n    def step(self):\n        pass\n\n\n"
        + MADE.replace(", StepLR", "")
        + EPOCHS,
        # The name stands for what a library wrapped.
        MADE + "model, optimizer, scheduler = accelerator.prepare(model, optimizer, scheduler)\n"
        + EPOCHS,
        # Another function of the file steps the optimizer and may run before.
        MADE + "def first(x):\n    model(x).sum().backward()\n    optimizer.step()\n\n\n"
        "def then():\n    for x in loader:\n        scheduler.step()\n        optimizer.step()\n",
        # Schedulers of other frameworks.
        MADE.replace("import torch\n", "import mine\n").replace("torch.optim", "mine.optim")
        .replace("from torch", "from mine") + EPOCHS,
    ],
)  # fmt: skip
def test_programs_in_which_the_first_value_is_used(program: str, tmp_path: Path) -> None:
    assert early(tmp_path, program) == []
