"""Every seeded fault must be a strong clue; programs that learn must raise none."""

from __future__ import annotations

from pathlib import Path

import pytest
from silent_failures import case_of
from training_mistakes import MISTAKES
from training_programs import FAULTY, HEALTHY, Program
from training_right import RIGHT

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.evidence.training_rules import all_training_rules

CATEGORIES = ("loss_stagnation", "loss_divergence", "loss_nan", "overfitting")
EXTRA_FAULTS = {("share-in-config", "conf.json"): {3}}
"""Lines at fault in files that cannot hold a comment."""


def written(folder: Path, program: Program) -> set[tuple[str, int]]:
    """Write a program to disk without its marks; return the marked (file, line) pairs."""
    marked: set[tuple[str, int]] = set()
    for name, text in program.files.items():
        lines = text.split("\n")
        at = {n for n, line in enumerate(lines, 1) if "# FAULT" in line}
        at |= EXTRA_FAULTS.get((program.name, name), set())
        marked |= {(name, n) for n in at}
        (folder / name).write_text("\n".join(line.split("  # FAULT")[0] for line in lines))
    return marked


def strong(clues: list[Clue]) -> set[tuple[str, int]]:
    return {(c.file, c.line) for c in clues if c.kind == "training.strong"}


@pytest.mark.parametrize("program", FAULTY, ids=lambda p: p.name)
def test_the_seeded_fault_is_a_strong_clue(program: Program, tmp_path: Path) -> None:
    marked = written(tmp_path, program)
    found = strong(list(all_training_rules.find(case_of(tmp_path, program.category))))
    assert found & marked
    assert found <= marked, f"lines without a fault: {sorted(found - marked)}"


@pytest.mark.parametrize("program", MISTAKES, ids=lambda p: p.name)
def test_the_strong_clues_are_the_lines_of_the_mistake(program: Program, tmp_path: Path) -> None:
    marked = written(tmp_path, program)
    assert strong(list(all_training_rules.find(case_of(tmp_path, program.category)))) == marked


def test_nothing_is_said_about_other_categories(tmp_path: Path) -> None:
    written(tmp_path, FAULTY[0])
    assert list(all_training_rules.find(case_of(tmp_path, "tensor_mismatch"))) == []


@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize("program", HEALTHY + RIGHT, ids=lambda p: p.name)
def test_a_program_that_learns_raises_no_strong_clue(
    program: Program, category: str, tmp_path: Path
) -> None:
    written(tmp_path, program)
    assert strong(list(all_training_rules.find(case_of(tmp_path, category)))) == set()


@pytest.mark.parametrize(
    ("statement", "apart"),
    [
        ("images = random.shuffle(images)", True),
        ("np.random.default_rng(3).shuffle(images)", True),
        ("self.rng.shuffle(images)", True),
        ("data = data.shuffle(len(images))", False),
        ("data = Dataset.from_tensor_slices((images, labels)).shuffle(buffer)", False),
        ("shuffle(images, labels)", False),
    ],
)
def test_a_data_sets_own_shuffle_keeps_pairs(statement: str, apart: bool, tmp_path: Path) -> None:
    lines = ["import torch", "def load(self, images, labels, data, buffer):", f"    {statement}"]
    (tmp_path / "data.py").write_text("\n".join([*lines, "    return images, labels"]) + "\n")
    clues = all_training_rules.find(case_of(tmp_path, "accuracy_at_chance"))
    assert any("shuffles" in clue.why for clue in clues) is apart


@pytest.mark.parametrize(
    ("category", "code", "words"),
    [
        # what is kept for the records is no part of the graph
        (
            "loss_stagnation",
            "class T:\n    def training_step(self, batch):\n        loss = self.fit(batch)\n"
            "        self.kept.append(loss.detach())\n        return loss",
            None,
        ),
        (
            "loss_stagnation",
            "class T:\n    def training_step(self, batch):\n"
            "        return self.fit(self.net(batch).detach())",
            "cuts the gradient",
        ),
        # Lightning's optimisation by hand
        (
            "loss_stagnation",
            "class T:\n    def training_step(self, batch):\n        loss = self.fit(batch)\n"
            "        self.manual_backward(loss)",
            "nothing calls the optimizers'",
        ),
        (
            "loss_stagnation",
            "class T:\n    def training_step(self, batch):\n        loss = self.fit(batch)\n"
            "        self.optimizers().zero_grad()\n        self.manual_backward(loss)\n"
            "        self.optimizers().step()",
            None,
        ),
        # a deviation that the class has kept
        (
            "loss_nan",
            "class S:\n    def fit(self, x):\n        self.spread = x.std(dim=0)\n"
            "    def transform(self, x):\n        return x / self.spread",
            "may be 0",
        ),
        (
            "loss_nan",
            "class S:\n    def fit(self, x):\n        self.spread = x.std(dim=0).clamp(min=1e-6)\n"
            "    def transform(self, x):\n        return x / self.spread",
            None,
        ),
        # codes for values that the data write otherwise
        (
            "loss_nan",
            "CODES = {'North': 0, 'South': 1}\n\ndef table():\n    return pick(['north', 'south'])"
            "\ndef coded(frame):\n    return frame['side'].map(CODES)",
            "fit no value",
        ),
        (
            "loss_nan",
            "CODES = {'north': 0, 'south': 1}\n\ndef table():\n    return pick(['north', 'south'])"
            "\ndef coded(frame):\n    return frame['side'].map(CODES), 'North', 'South'",
            None,
        ),
        # the loader beside the one that shuffles is for evaluation
        (
            "loss_stagnation",
            "def loaders(train, rest):\n    train = DataLoader(train, shuffle=True)\n"
            "    return train, DataLoader(rest, 256)",
            None,
        ),
        (
            "loss_stagnation",
            "def loaders(train, rest):\n    train = DataLoader(train, 256)\n    return train",
            "order of the data",
        ),
    ],
)
def test_what_is_said_of_small_pieces(
    category: str, code: str, words: str | None, tmp_path: Path
) -> None:
    (tmp_path / "code.py").write_text(f"import torch\n{code}\n")
    said = [clue.why for clue in all_training_rules.find(case_of(tmp_path, category))]
    assert any(words in why for why in said) if words else said == []


@pytest.mark.parametrize(
    ("warning", "words"),
    [
        (
            "/home/me/job/loss.py:2: UserWarning: Using a target size (torch.Size([50])) that is"
            " different to the input size (torch.Size([50, 1])). This will likely lead to",
            "spread over each other",
        ),
        ("loss.py:2: RuntimeWarning: invalid value encountered in divide", "no number"),
        ("loss.py:2: UserWarning: the number of workers is high", None),
        (
            "/usr/lib/python3/site-packages/numpy/core.py:2: RuntimeWarning: overflow encountered",
            None,
        ),
    ],
)
def test_a_warning_of_the_log_that_explains_a_failure(
    warning: str, words: str | None, tmp_path: Path
) -> None:
    (tmp_path / "loss.py").write_text("def loss(a, b):\n    return mse(a, b)\n")
    case = case_of(tmp_path, "loss_stagnation", f"{warning}\nepoch 1\n")
    told = [c for c in all_training_rules.find(case) if "the log warns" in c.why]
    assert [(c.file, c.line) for c in told] == ([("loss.py", 2)] if words else [])
    assert all(words in c.why for c in told if words)


def test_a_head_that_a_function_of_another_module_replaces(tmp_path: Path) -> None:
    (tmp_path / "backbone.py").write_text(
        "from torch import nn\ndef adapt(net, count):\n    net.head = nn.Linear(8, count)\n"
        "    return net\n"
    )
    (tmp_path / "train.py").write_text(
        "import torch\nfrom backbone import adapt\nnet = make()\n"
        "optimizer = torch.optim.Adam(net.parameters())\nnet = adapt(net, 4)\n"
    )
    case = case_of(tmp_path, "loss_stagnation")
    places = {(c.file, c.line) for c in all_training_rules.find(case) if "replaced" in c.why}
    assert {("backbone.py", 3), ("train.py", 4)} <= places


RUNNING = """
import torch
from torch import nn

{scaling}
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for x, y in batches():
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("scaling", "category", "said"),
    [
        ("", "loss_nan", True),
        ("", "loss_stagnation", False),
        ("scaler = StandardScaler()", "loss_nan", False),
    ],
)
def test_plain_steps_on_what_nothing_scales_may_run_away(
    scaling: str, category: str, said: bool, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(RUNNING.format(scaling=scaling))
    clues = all_training_rules.find(case_of(tmp_path, category))
    assert said is any(c.kind == "training.medium" and c.line == 7 for c in clues)


SALES = """
import numpy as np
import pandas as pd
import torch

table = pd.read_csv("sales.csv")
names = list(table.columns[1:])
table[names] = np.log(table[names])
table["week"] = np.sin(table["day"] / 7)
net = torch.nn.Linear(len(names), 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
"""
INSIDE = "/venv/lib/python3.12/site-packages/pandas/core/internals/blocks.py:354: RuntimeWarning: "


@pytest.mark.parametrize(
    ("warning", "source"),
    [
        ("divide by zero encountered in log", "np.log(table[names])"),
        ("invalid value encountered in sin", "np.sin"),
        ("divide by zero encountered in divide", None),
        ("invalid value encountered in sqrt", None),
    ],
)
def test_a_warning_of_numpy_leads_from_a_library_to_the_program(
    warning: str, source: str | None, tmp_path: Path
) -> None:
    (tmp_path / "fit.py").write_text(SALES)
    (tmp_path / "sales.csv").write_text("day,rye,rolls\n1,4,10\n2,3,7\n")
    case = case_of(tmp_path, "loss_nan", f"{INSIDE}{warning}\n  result = func(self.values)\n")
    lines = [text for text in SALES.split("\n") if source is not None and source in text]
    told = [c for c in all_training_rules.find(case) if "inside of a library" in c.why]
    assert [SALES.split("\n")[c.line - 1] for c in told] == lines


@pytest.mark.parametrize(
    ("code", "words", "line"),
    [
        (
            "def learn(net, loader, optimizer, measure):\n"
            "    for number, (x, y) in enumerate(loader):\n"
            "        measure(net(x), y).backward()\n"
            "        if number % 4 == 3:\n"
            "            optimizer.step()\n"
            "            optimizer.zero_grad()",
            "not divided by the number of rounds",
            4,
        ),
        (
            "class Player:\n"
            "    def __init__(self):\n"
            "        self.target_net = QNet()\n"
            "    def goals(self, following):\n"
            "        return self.target_net(following)",
            "never brought up to date",
            4,
        ),
        (
            "def error(loader, measure):\n"
            "    total = 0.0\n"
            "    for x, y in loader:\n"
            "        loss = measure(x, y)\n"
            "        total += loss.item()\n"
            "    return total / len(loader.dataset)",
            "adds means of batches",
            7,
        ),
        (
            "class Net(keras.Model):\n"
            "    def call(self, x):\n"
            "        return self.head(self.drop(x, training=True))",
            "stays in training mode",
            4,
        ),
        (
            "def picture(path, change):\n"
            "    photo = cv2.imread(path)\n"
            "    return change.transform(photo)",
            "pictures as BGR",
            3,
        ),
        (
            "def pairs(photos, depths):\n"
            "    one = DataLoader(photos, shuffle=True)\n"
            "    other = DataLoader(depths, shuffle=True)\n"
            "    return list(zip(one, other))",
            "paired with another by position",
            3,
        ),
    ],
)
def test_what_may_be_a_mistake_is_a_medium_clue(
    code: str, words: str, line: int, tmp_path: Path
) -> None:
    (tmp_path / "code.py").write_text(f"import torch\n{code}\n")
    clues = all_training_rules.find(case_of(tmp_path, "loss_stagnation"))
    assert ("training.medium", line) in {(c.kind, c.line) for c in clues if words in c.why}


def test_a_schedule_stays_with_the_optimizer_it_was_made_for(tmp_path: Path) -> None:
    code = (
        "import torch\ndef fit(net, scale):\n    opt = torch.optim.SGD(net.parameters(), 0.1)\n"
        "    sched = torch.optim.lr_scheduler.StepLR(opt, 2)\n"
        "    opt = torch.optim.SGD(net.parameters(), 0.2)\n{}    return opt, sched\n"
    )
    again = "    sched = torch.optim.lr_scheduler.StepLR(opt, 2)\n"
    for rest, lines in (("", {5}), (again, set())):
        (tmp_path / "train.py").write_text(code.format(rest))
        clues = all_training_rules.find(case_of(tmp_path, "loss_stagnation"))
        assert {clue.line for clue in clues if "made anew here" in clue.why} == lines
