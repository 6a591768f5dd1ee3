"""Programs that no evaluation can follow to the end: it stops, and says what it knows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from absurd_programs import GENERATED, LARGE, RE_EXPORTS
from endings import ends
from marked_programs import Program, lines_of, programs

from dl_bug_lsp.localize import localize
from dl_bug_lsp.provenance.engine import Engine
from dl_bug_lsp.provenance.nodes import MAX_ALTERNATIVES, MAX_NODES
from dl_bug_lsp.provenance.slices import MAX_STEPS, backward_slice
from dl_bug_lsp.provenance.stack import StackPlace, walk_stack

CASES = Path(__file__).parent / "cases"
ABSURD = [
    *programs(CASES / "circles.txt"),
    *(Program(name, {"main.py": text}) for name, text in LARGE.items()),
    Program("a chain of re-exports", RE_EXPORTS),
]
PARAMETERS = [pytest.param(program, id=program.name.replace(" ", "-")) for program in ABSURD]


@pytest.mark.parametrize("program", PARAMETERS)
def test_the_evaluation_ends(program: Program, tmp_path: Path) -> None:
    engine = Engine(program.write(tmp_path))
    text = program.files["main.py"]
    lines = [n for n, line in enumerate(text.split("\n"), 1) if "probe(" in line]
    assert lines
    with ends():
        for line in lines:
            for site in walk_stack(engine, (StackPlace("main.py", line, None, None),)):
                for step in backward_slice(list(site.nodes)):
                    assert len(step.node.values) <= MAX_ALTERNATIVES
    # What one question asks for beyond the budget is bounded by the other limits.
    assert len(engine.nodes) <= 2 * MAX_NODES


@pytest.mark.parametrize("program", PARAMETERS)
def test_localize_ends(program: Program, tmp_path: Path) -> None:
    workspace = program.write(tmp_path)
    lines = program.files["main.py"].rstrip("\n").split("\n")
    log = (
        "Traceback (most recent call last):\n"
        f'  File "/job/main.py", line {len(lines)}, in <module>\n    {lines[-1].strip()}\n'
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x216 and 864x3)\n"
    )
    with ends():
        report = localize(log, workspace)
    assert report.primary is not None
    assert report.primary.frames[0].workspace_file == "main.py"


def test_generated_code_still_leads_to_the_near_steps(tmp_path: Path) -> None:
    main = "from gen import op_8\nSIZE = 3\ndef run():\n    check(op_8(SIZE))\nrun()\n"
    engine = Engine(Program("", {"gen.py": GENERATED, "main.py": main}).write(tmp_path))
    (site,) = walk_stack(engine, (StackPlace("main.py", 4, "run", None),))
    order = lines_of(backward_slice(list(site.nodes)))
    assert ("main.py", 2) in order and len(order) <= MAX_STEPS


PROGRAM = """\
import torch
from torch import nn
SIZES = {"in": 64, "hidden": 128, "out": 10}
class Net(nn.Module):
    def __init__(self, sizes, extra=256):
        super().__init__()
        self.layers = {name: nn.Linear(size, extra) for name, size in sizes.items()}
        self.head = nn.Linear(sizes["hidden"], sizes["out"])
    def forward(self, x):
        return self.head(x)
net = Net(SIZES, extra=512)
net(torch.zeros(4, 512))
"""
LOG = """\
Traceback (most recent call last):
  File "/job/main.py", line 12, in <module>
    net(torch.zeros(4, 512))
  File "/usr/lib/python3/site-packages/torch/nn/modules/module.py", line 1511, in _call_impl
    return forward_call(*args, **kwargs)
  File "/job/main.py", line 10, in forward
    return self.head(x)
RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x512 and 128x10)
"""
SHOW = """\
import json, sys
from pathlib import Path
from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import Options
from dl_bug_lsp.views.json_view import to_json
from dl_bug_lsp.workspace import Workspace
report = localize(sys.stdin.read(), Workspace(Path(sys.argv[1]), cache=False), Options(0, 0))
print(json.dumps(to_json(report)))
"""


def test_two_processes_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "conf.yaml").write_text("sizes:\n  in: 64\n  hidden: 512\n", encoding="utf-8")
    said = []
    for seed in ("0", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", SHOW, str(tmp_path)],
            input=LOG,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
            timeout=120,
        )
        said.append(done.stdout)
    assert said[0] == said[1]
    suspects = json.loads(said[0])["failures"][0]["suspects"]
    assert len(suspects) > 3
