"""Failures within modules of programs that derive from PyTorch's layers, or change what they hold.

The expectations are those of PyTorch 2.13; what such modules give is in ``results/``.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from followed_programs import followed, shown

from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.workspace import Workspace

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
FAILING = {
    "super_forward": (
        """class Twice(nn.Conv2d):
    def forward(self, x):
        return super().forward(x) * 2  # fails


Twice(4, 8, 3)(torch.zeros(2, 3, 16, 16))
""",
        "size",
        [3, 4],
    ),
    "own_weight": (
        """class Own(nn.Linear):
    def forward(self, x):
        return F.linear(x, self.weight, self.bias)  # fails


Own(5, 2)(torch.zeros(2, 3))
""",
        "size",
        [3, 5],
    ),
    "shared_weight": (
        """words = nn.Embedding(10, 6)
head = nn.Linear(5, 10, bias=False)
head.weight = words.weight
head(torch.zeros(2, 5))  # fails
""",
        "size",
        [5, 6],
    ),
    "part_by_name": (
        """class Block(nn.Sequential):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.add_module("second", nn.Linear(5, 2))


Block()(torch.zeros(1, 3))  # fails
""",
        "size",
        [4, 5],
    ),
    "other_sizes": (
        """small, big = nn.Linear(3, 4), nn.Linear(3, 8)
big.load_state_dict(small.state_dict())  # fails
""",
        "size",
        [8, 4],
    ),
    "fewer_samples_than_none": (
        """class Windows(torch.utils.data.Dataset):
    def __init__(self, rows, width):
        self.rows, self.width = rows, width

    def __len__(self):
        return len(self.rows) - self.width + 1

    def __getitem__(self, index):
        return self.rows[index : index + self.width]


import random

rows = torch.zeros(random.randint(500, 900), 3)
rows = rows[rows[:, 0] > random.random()]
last = rows[-10:]
for batch in torch.utils.data.DataLoader(Windows(last, 48)):  # fails
    pass
""",
        "value",
        [-37],
    ),
    "other_names": (
        """net = nn.Sequential(nn.Linear(3, 4))
net.load_state_dict({"module." + k: v for k, v in net.state_dict().items()})  # fails
""",
        "key",
        ["0.weight"],
    ),
    "hook": (
        """def narrow(module, given, output):
    return output[:, :2]


layer = nn.Linear(3, 4)
layer.register_forward_hook(narrow)
nn.Linear(4, 1)(layer(torch.zeros(2, 3)))  # fails
""",
        "size",
        [2, 4],
    ),
}


@pytest.mark.parametrize("name", FAILING)
def test_what_is_refused_within_modules_of_the_program(name: str, tmp_path: Path) -> None:
    program, what, sides = FAILING[name]
    text = HEAD + program
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    line = next(n for n, one in enumerate(text.splitlines(), 1) if one.endswith("# fails"))
    raised = (
        Interpreter(Workspace(tmp_path, cache=False), "main.py", ("main.py", line)).run().raised
    )
    assert raised is not None
    assert raised.what == what
    assert [side.data for side in raised.sides][: len(sides)] == sides


def test_a_schedule_asks_its_functions_for_every_epoch(tmp_path: Path) -> None:
    program = (
        "import torch\nfrom torch.optim.lr_scheduler import LambdaLR\nseen = []\n"
        "def factor(epoch):\n    seen.append(epoch)\n    return 1.0\n"
        "opt = torch.optim.SGD(torch.nn.Linear(2, 2).parameters(), lr=0.1)\n"
        "s = LambdaLR(opt, lr_lambda=[factor])\ns.step()\ns.step()\n"
        "LambdaLR(opt, lambda epoch:\n    1 / epoch)"
    )
    interpreter, names = followed(tmp_path, program, {})
    assert shown(names["seen"]) == [0, 1, 2]
    assert [kind for _, kind in interpreter.elsewhere] == ["value"]
