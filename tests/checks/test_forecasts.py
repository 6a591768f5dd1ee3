"""Runs that are followed before they start: failures that they come to, and silence where not sure.

PyTorch need not be installed: nothing is run, and its layers are models.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from dl_bug_lsp.checks.checking import CheckOptions, check
from dl_bug_lsp.checks.findings import CheckReport
from dl_bug_lsp.checks.resources import size_of
from dl_bug_lsp.environments.machine import is_listened_on
from dl_bug_lsp.workspace import Workspace

ROOT = Path(__file__).parent.parent.parent
FIXTURES = ROOT / "fixtures"
OTHER = ("missing-library", "missing-library-name", "undefined-name")
"""Checks that this file is not about: no environment is laid out here."""


def checked(
    folder: Path, files: dict[str, str], *command: str, gpu: int | None = None
) -> CheckReport:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="latin-1")
    options = CheckOptions(python=str(folder / "none"), ignore=OTHER, gpu=gpu)
    return check(Workspace(folder, cache=False), command, options)


def places(report: CheckReport) -> list[str]:
    return [f"{f.certainty.value} {f.id} {f.file}:{f.line}" for f in report.findings]


NET = (
    "import torch\nfrom torch import nn\n"
    "net = nn.Sequential(nn.Linear(20, {width}), nn.ReLU(), nn.Linear(32, 4))\n"
)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (NET.format(width=30) + "net(torch.randn(8, 20))\n", ["sure sizes train.py:3"]),
        (NET.format(width=32) + "net(torch.randn(8, 20))\n", []),
        (
            # What is added may have more axes.
            "import torch\n"
            "h = torch.load('batch.pt') + torch.zeros(12, 32)\n"
            "best = h[:, -1].topk(3).indices\nprint((best == 1).any(dim=1), h.sum(dim=2))\n",
            [],
        ),
        (
            "import random\n" + NET.format(width=30)
            + "if random.random() > 0.5:\n    net(torch.randn(8, 20))\n",
            [],
        ),
        (
            NET.format(width=30)
            + "try:\n    net(torch.randn(8, 20))\nexcept Exception:\n    pass\n",
            [],
        ),
        ("table = {'a': 1}\nprint(table['b'])\n", ["sure key-error train.py:1"]),
        ("table = {'a': 1}\nfor x in input():\n    table['b'] = 1\nprint(table['b'])\n", []),
        ("import lib\ntable = {'a': 1}\nlib.fill(table)\nprint(table['b'])\n", []),
        (
            "def make(rows, batch_size):\n    return rows\nmake([1], batch=3)\n",
            ["likely own-call train.py:3"],
        ),
        (
            "import click\n@click.command()\n@click.option('--n')\n"
            "def main(n):\n    pass\nmain()\n",
            [],
        ),
        (
            "class Net:\n    def __init__(self):\n        self.hidden = 3\n"
            "print(Net().hiden)\n",
            ["likely attribute-error train.py:4"],
        ),
        (
            "class Net:\n    def __init__(self, **k):\n        for n, v in k.items():\n"
            "            setattr(self, n, v)\nprint(Net(hiden=1).hiden)\n",
            [],
        ),
        (
            "class Net:\n    pass\nimport lib\nnet = Net()\nlib.prepare(net)\nprint(net.hidden)\n",
            [],
        ),
        ("rows = []\nprint(sum(rows) / len(rows))\n", ["sure bad-value train.py:2"]),
        ("rows = []\nwhile input():\n    rows.append(1)\nprint(1 / len(rows))\n", []),
        (
            "width, heads = 20, 3\nassert width % heads == 0, 'no'\n",
            ["likely own-error train.py:1"],
        ),
        ("a, b = (1, 2, 3)\n", ["likely own-call train.py:1"]),
        ("from os import *\nprint(getcwd(), unheard_of)\n", []),
    ],
)  # fmt: skip
def test_a_run_is_followed_to_its_failure(tmp_path: Path, code: str, expected: list[str]) -> None:
    report = checked(tmp_path, {"train.py": code}, "python", "train.py")
    assert [p for p in places(report) if "look" not in p] == expected


def test_settings_and_words_of_the_command_are_followed(tmp_path: Path) -> None:
    files = {
        "train.py": "import argparse, yaml\nfrom torch import nn\nimport torch\n"
        "p = argparse.ArgumentParser()\np.add_argument('--config')\n"
        "p.add_argument('--inputs', type=int, default=8)\na = p.parse_args()\n"
        "cfg = yaml.safe_load(open(a.config))\n"
        "net = nn.Linear(cfg['width'], 2)\nnet(torch.zeros(3, a.inputs))\n",
        "base.yaml": "width: 8\n",
        "wide.yaml": "# wider\nwidth: 9\n",
    }
    words = ("python", "train.py", "--config")
    assert places(checked(tmp_path, files, *words, "base.yaml")) == []
    report = checked(tmp_path, files, *words, "wide.yaml")
    assert [f.id for f in report.findings] == ["sizes"]
    finding = report.findings[0]
    assert "train.py, line 10" in finding.message
    named = " ".join((f"{finding.file}:{finding.line}", *finding.evidence))
    assert "wide.yaml:2" in named
    assert places(checked(tmp_path, files, *words, "wide.yaml", "--inputs", "9")) == []


def test_a_file_that_is_not_there_is_sure_only_beside_one_of_nearly_its_name(
    tmp_path: Path,
) -> None:
    files = {"train.py": "rows = open('data/labels.tsv').read()\n", "data/label.tsv": "a\n"}
    report = checked(tmp_path, files, "python", "train.py")
    assert places(report) == ["sure missing-file train.py:1"]
    assert "data/label.tsv" in report.findings[0].message
    (tmp_path / "data" / "label.tsv").unlink()
    report = checked(tmp_path, {"train.py": files["train.py"]}, "python", "train.py")
    assert places(report) == ["look missing-file train.py:1"]


def test_what_an_earlier_program_of_a_script_writes_is_there(tmp_path: Path) -> None:
    files = {
        "make.py": "open('rows.txt', 'w').write('a')\n",
        "train.py": "print(open('rows.txt').read())\n",
        "run.sh": "python make.py\npython train.py\n",
    }
    assert places(checked(tmp_path, files, "bash", "run.sh")) == []


def test_text_is_decoded_as_the_program_decodes_it(tmp_path: Path) -> None:
    files = {"train.py": "print(open('names.txt').read())\n", "names.txt": "Ana\nZoë\n"}
    report = checked(tmp_path, files, "python", "train.py")
    assert places(report) == ["sure text-encoding train.py:1"]
    assert report.findings[0].evidence == ("names.txt, line 2: not valid utf-8: byte 0xeb.",)
    files["train.py"] = "print(open('names.txt', encoding='latin-1').read())\n"
    assert places(checked(tmp_path, files, "python", "train.py")) == []


@pytest.mark.parametrize(
    ("case", "place"),
    [
        ("409-chess-drop-last", "bad-value"),
        ("412-pose-joint-count", "key-error"),
        ("504-ctc-upper-case", "key-error"),
        ("401-roadseg-skip-width", "sizes"),
    ],
)
def test_recorded_failures_are_found_before_the_run_and_gone_after_the_fix(
    case: str, place: str, tmp_path: Path
) -> None:
    folder = FIXTURES / case
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    words = truth["command"].split()
    words = words[: words.index("2>&1")] if "2>&1" in words else words
    words = words[words.index("python") :]
    options = CheckOptions(python=str(tmp_path / "none"), ignore=OTHER)
    before = check(Workspace(folder / "workspace", cache=False), words, options)
    assert place in [f.id for f in before.findings]
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", str(folder / "workspace"), str(copy)], check=True)
    patch = ["patch", "-p1", "-s", "-d", str(copy), "-i", str(folder / "fix.patch")]
    subprocess.run(patch, check=True)
    after = check(Workspace(copy, cache=False), words, options)
    assert [f for f in after.findings if f.certainty.value != "look"] == []


TRAINING = (
    "import torch\nfrom torch import nn\n"
    "net = nn.Linear(1000, 1000)\n"
    "optimizer = torch.optim.Adam(net.parameters())\n"
    "for step in range(3):\n"
    "    loss = net(torch.randn(64, 1000)).sum()\n"
    "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n"
)


def test_the_memory_of_a_step_is_told_against_a_card(tmp_path: Path) -> None:
    files = {"train.py": TRAINING}
    report = checked(tmp_path, files, "python", "train.py", gpu=size_of("24GB"))
    assert places(report) == ["look gpu-memory train.py:8"]
    # 1,001,000 weights of 4 bytes, as many gradients, twice as many states.
    assert (
        "Weights 4.0 MB, gradients 4.0 MB, states of Adam 8.0 MB" in report.findings[0].evidence[0]
    )
    assert size_of("24") is None
    small = checked(tmp_path, files, "python", "train.py", gpu=size_of("10 MB"))
    assert places(small) == ["likely gpu-memory train.py:8"]
    assert places(checked(tmp_path, files, "python", "train.py")) == []


@pytest.mark.parametrize(
    ("text", "size"),
    [("24GB", 24 * 10**9), ("40 GiB", 40 * 2**30), ("16g", 16 * 10**9), ("0", None), ("big", None)],
)
def test_sizes_of_memory_are_read(text: str, size: int | None) -> None:
    assert size_of(text) == size


SCHEDULED = """\
import torch
from torch import nn
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
for epoch in range(90):
{first}    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
{last}"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "import torch.distributed as dist\ndef f(rank):\n    if rank == 0:\n"
            "        dist.barrier()\n",
            "likely rank-condition train.py:4",
        ),
        (
            "import torch.distributed as dist\ndef f(rank):\n    if rank == 0:\n"
            "        dist.barrier()\n    else:\n        dist.barrier()\n",
            None,
        ),
        (
            "from torch.utils.data import DataLoader\nDataLoader([1], num_workers=2,\n"
            "    multiprocessing_context='spawn',\n    collate_fn=lambda rows: rows)\n",
            "likely worker-pickle train.py:4",
        ),
        (
            "from torch.utils.data import DataLoader\nDataLoader([1], num_workers=2,\n"
            "    collate_fn=lambda rows: rows)\n",
            None,
        ),
        (
            "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
            "    def __init__(self):\n        super().__init__()\n"
            "        self.head = nn.Linear(8, 3)\n    def forward(self, x):\n"
            "        return torch.softmax(self.head(x), dim=1)\nnet = Net()\n"
            "loss_fn = nn.CrossEntropyLoss()\n"
            "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
            "def step(x, y):\n    optimizer.zero_grad()\n"
            "    loss_fn(net(x), y).backward()\n    optimizer.step()\n",
            "likely loss-form train.py:8",
        ),
        (
            "import torch\nfrom torch.optim.lr_scheduler import StepLR\ns = StepLR(o, 10)\n"
            "for e in range(3):\n    for x in loader:\n        o.step()\n        s.step()\n",
            "look scheduler-step train.py:7",
        ),
        (
            SCHEDULED.format(first="    scheduler.step()\n", last=""),
            "look scheduler-step train.py:7",
        ),
        (SCHEDULED.format(first="", last="    scheduler.step()\n"), None),
    ],
)  # fmt: skip
def test_contracts_of_training(tmp_path: Path, code: str, expected: str | None) -> None:
    found = places(checked(tmp_path, {"train.py": code}, "python", "train.py"))
    contracts = [p for p in found if not p.split()[1].startswith(("key", "sizes", "value"))]
    assert contracts == ([expected] if expected else [])


def test_a_port_that_nobody_listens_on_is_free(tmp_path: Path) -> None:
    assert not is_listened_on(1)
    files = {"train.py": "print(1)\n"}
    words = ("torchrun", "--master-port", "1", "train.py")
    assert places(checked(tmp_path, files, *words)) == []


def test_the_words_of_a_program_that_was_merely_found_are_not_known(tmp_path: Path) -> None:
    text = "import sys\n\nif __name__ == '__main__':\n    print(sys.argv[1])\n"
    (tmp_path / "count.py").write_text(text)
    workspace = Workspace(tmp_path, cache=False)
    assert check(workspace, ()).findings == ()
    assert [f.line for f in check(workspace, ("python", "count.py")).findings] == [4]


def test_only_what_goes_into_the_values_is_named_beside_the_place(tmp_path: Path) -> None:
    files = {
        "config.yaml": "sensors: [vib_x, vib_y, vib_z, temp, rpm]\nchannels: 4\nkernel: 5\n",
        "train.py": "import torch\nimport yaml\nfrom torch import nn\n\n"
        "config = yaml.safe_load(open('config.yaml'))\n"
        "layer = nn.Conv1d(config['channels'], 8, config['kernel'])\n"
        "layer(torch.zeros(2, len(config['sensors']), 32))\n",
    }
    (found,) = checked(tmp_path, files, "python", "train.py").findings
    assert (found.file, found.line) == ("config.yaml", 2)
    (others,) = [e for e in found.evidence if " to it." in e]
    assert "config.yaml:1" in others
    assert "config.yaml:3" not in others


@pytest.mark.parametrize(
    ("there", "is_near"), [("s4.npy", True), ("S4b.npy", True), ("S5.npy", False)]
)
def test_a_name_that_lies_there_in_other_letters_is_told(
    tmp_path: Path, there: str, is_near: bool
) -> None:
    (tmp_path / "img").mkdir()
    (tmp_path / "img" / there).write_bytes(b"\x93NUMPY")
    files = {"train.py": "import numpy as np\n\nname = 'img/S4.npy'\nprint(np.load(name))\n"}
    (found,) = checked(tmp_path, files, "python", "train.py").findings
    told = " ".join((found.message, *found.evidence))
    assert (f"There is 'img/{there}'" in told) == is_near
    assert ("Nothing in its folder is called nearly so" in told) != is_near


def test_a_card_is_named_and_no_step_can_be_estimated(tmp_path: Path) -> None:
    report = checked(tmp_path, {"a.py": "print(1)\n"}, "python", "a.py", gpu=size_of("24GB"))
    assert any("no training step was found" in problem for problem in report.problems)
    report = checked(tmp_path, {"a.py": "print(1)\n"}, "python", "a.py")
    assert not any("--gpu" in problem for problem in report.problems)
