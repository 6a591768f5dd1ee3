"""Which modules a script uses, and what rules say of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from dl_bug_lsp.evidence.case import Case, Clue
from dl_bug_lsp.evidence.followed_run import FEW_MODULES, NOT_IMPORTED, part_in_run
from dl_bug_lsp.evidence.run_files import used_modules
from dl_bug_lsp.localize import case_of, failures_of, localize
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.report import Options
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.workspace import Workspace

FILES = {
    "train.py": (
        "from nets import Plain\nimport tools.clock as clock\nnet = Plain()\nclock.tick()\n"
    ),
    "nets/__init__.py": "from .plain import Plain\nfrom .odd import Odd\nfrom .many import *\n",
    "nets/plain.py": "from nets.blocks import block\nclass Plain: pass\n",
    "nets/blocks.py": "def block(): pass\n",
    "nets/odd.py": "class Odd: pass\n",
    "nets/many.py": "class Deep: pass\n",
    "tools/__init__.py": "from .other import *\n",
    "tools/clock.py": "def tick(): pass\n",
    "tools/other.py": "def other(): pass\n",
    "run.yaml": "net: Plain\n",
}
LOG = "$ python train.py --config run.yaml\n" + "".join(
    f"epoch {n} loss 2.3026 accuracy 0.10\n" for n in range(12)
)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def case_in(folder: Path) -> Case:
    log = read_log(LOG)
    workspace = Workspace(folder, cache=False)
    (failure,) = [f for f in failures_of(log, read_failures(log)) if f.primary]
    return case_of(failure, log, workspace, Options())


def test_names_are_followed_through_packages(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    used = used_modules(case_in(tmp_path), "train.py")
    assert used == {"train.py", "nets/plain.py", "nets/blocks.py", "tools/clock.py"}


def test_a_package_that_only_registers_is_used_with_its_entry_points(tmp_path: Path) -> None:
    registers = "from gymnasium import register\nregister('A-v0', entry_point='envs.arm:Arm')\n"
    files = {
        "train.py": "import envs\nimport gymnasium\nenv = gymnasium.make('A-v0')\n",
        "envs/__init__.py": registers,
        "envs/arm.py": "class Arm: pass\n",
        "envs/leg.py": "class Leg: pass\n",
        "run.yaml": "env: Arm\n",
    }
    write(tmp_path, files)
    used = used_modules(case_in(tmp_path), "train.py")
    assert used == {"train.py", "envs/__init__.py", "envs/arm.py"}


def test_what_a_star_hands_on_counts_where_it_is_said(tmp_path: Path) -> None:
    write(
        tmp_path, {**FILES, "train.py": "import nets\nnet = getattr(nets, 'Deep')()\nnets.Deep\n"}
    )
    assert used_modules(case_in(tmp_path), "train.py") == {"train.py", "nets/many.py"}


def test_all_files_count_where_modules_are_imported_by_texts(tmp_path: Path) -> None:
    dynamic = "import importlib\nnet = importlib.import_module('nets.odd').Odd()\n"
    write(tmp_path, {**FILES, "train.py": dynamic})
    python = {file for file in FILES if file.endswith(".py")}
    assert used_modules(case_in(tmp_path), "train.py") == python


@pytest.mark.parametrize("imported", [False, True])
def test_rules_are_silent_about_modules_that_the_script_does_not_use(
    tmp_path: Path, imported: bool
) -> None:
    frozen = (
        "import torch\n"
        "def fit(net, batches, loss_of):\n"
        "    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "    for x, y in batches:\n"
        "        loss = loss_of(net(x), y)\n"
        "        loss.backward()\n"
        "        optimizer.zero_grad()\n"
        "        optimizer.step()\n"
    )
    train = FILES["train.py"] + ("from nets.odd import fit\nfit(net, [], None)\n" * imported)
    others = {f"more/part{n}.py": f"VALUE = {n}\n" for n in range(FEW_MODULES)}
    write(tmp_path, {**FILES, **others, "train.py": train, "nets/odd.py": frozen})
    found = localize(LOG, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    wiping = [s for s in found.suspects if (s.file, s.line) == ("nets/odd.py", 7)]
    assert bool(wiping and wiping[0].rank == 1) == imported


def test_a_script_that_this_run_does_not_start_has_no_part_in_it(tmp_path: Path) -> None:
    script = 'from model import Model\n\nif __name__ == "__main__":\n    Model().fit({})\n'
    files = {
        "train.py": script.format("[0, 1]"),
        "other.py": script.format("[0, 3]"),
        "model.py": (
            "import torch.nn.functional as F\n\n\nclass Model:\n    def fit(self, y):\n"
            "        F.binary_cross_entropy(self.scores, y)\n"
        ),
        **{f"tools/part{number}.py": "size = 3\n" for number in range(FEW_MODULES)},
    }
    write(tmp_path, files)
    log = read_log(
        "Traceback (most recent call last):\n"
        '  File "train.py", line 4, in <module>\n    Model().fit([0, 1])\n'
        '  File "model.py", line 6, in fit\n    F.binary_cross_entropy(self.scores, y)\n'
        "RuntimeError: all elements of target should be between 0 and 1\n"
    )
    (failure,) = failures_of(log, read_failures(log))
    case = case_of(failure, log, Workspace(tmp_path, cache=False), Options())
    of_script = Clue("numbers.literal", "train.py", 4, 1.0, "a number")
    of_other = Clue("numbers.literal", "other.py", 4, 1.0, "a number")
    assert part_in_run(case, of_script) == 1.0
    assert part_in_run(case, of_other) == NOT_IMPORTED


def test_a_launch_script_of_another_run_has_no_part_in_it(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "train.py": (
                "import argparse\nimport torch\nparser = argparse.ArgumentParser()\n"
                "parser.add_argument('--width', type=int)\nargs = parser.parse_args()\n"
                "torch.nn.Linear(args.width, 2)(torch.zeros(3, 9))\n"
            ),
            "own.sh": "python train.py --width 8\n",
            "other.sh": "python train.py --width 9\n",
        },
    )
    log = read_log(
        "$ bash own.sh\nTraceback (most recent call last):\n"
        '  File "train.py", line 6, in <module>\n'
        "    torch.nn.Linear(args.width, 2)(torch.zeros(3, 9))\n"
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x9 and 8x2)\n"
    )
    (failure,) = failures_of(log, read_failures(log))
    case = case_of(failure, log, Workspace(tmp_path, cache=False), Options())
    assert part_in_run(case, Clue("numbers.literal", "own.sh", 1, 1.0, "8")) == 1.0
    assert part_in_run(case, Clue("numbers.literal", "other.sh", 1, 1.0, "9")) == NOT_IMPORTED


TRAINS = """
import importlib
import torch

def main(args):
    net = importlib.import_module(f"nets.{args.net}").Net()
    if args.opt == "adam":
        optimizer = torch.optim.Adam(net.parameters(), lr=1.0)
    else:
        optimizer = torch.optim.SGD(net.parameters(), lr=5.0)
    print("{name} starts with", args.net)
    print("{name} is done")

if __name__ == "__main__":
    main(parse())
"""


@pytest.mark.parametrize("count", [0, FEW_MODULES])
def test_another_program_and_a_branch_not_taken_have_no_part(tmp_path: Path, count: int) -> None:
    files = {f"{name}.py": TRAINS.replace("{name}", name).lstrip() for name in ("text", "image")}
    write(tmp_path, {**files, **{f"nets/n{n}.py": "class Net: pass\n" for n in range(count)}})
    log = read_log(
        "Namespace(opt='adam', net='n1')\ntext starts with n1\n"
        "epoch 1 loss nan\nepoch 2 loss nan\ntext is done\n"
    )
    (failure,) = [f for f in failures_of(log, read_failures(log)) if f.primary]
    case = case_of(failure, log, Workspace(tmp_path, cache=False), Options())
    assert case.engine.run.script == "text.py"
    parts = {
        (file, line): part_in_run(case, Clue("training.strong", file, line, 1.0, "high"))
        for file in ("text.py", "image.py")
        for line in (7, 9)
    }
    assert parts == {("text.py", 7): 1, ("text.py", 9): 0, ("image.py", 7): 0, ("image.py", 9): 0}
