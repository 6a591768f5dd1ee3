"""Bug type and origin as far as the files of the workspace speak for or against them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import FailureReport
from dl_bug_lsp.views import words
from dl_bug_lsp.workspace import Workspace


def reported(
    folder: Path, program: str, line: int, error: str, below: str = "", **files: str
) -> FailureReport:
    """The failure of a program of one file whose ``line`` raised ``error``."""
    (folder / "run.py").write_text(program, encoding="utf-8")
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(exist_ok=True)
        path.with_suffix(".py").write_text(text, encoding="utf-8")
    source = program.splitlines()[line - 1]
    log = (
        "Traceback (most recent call last):\n"
        f'  File "{folder}/run.py", line {line}, in <module>\n    {source}\n{below}{error}\n'
    )
    found = localize(log, Workspace(folder, cache=False)).primary
    assert found is not None
    return found


SHAPES = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"
LAYER = (
    '  File "/opt/lib/python3.11/site-packages/torch/nn/modules/linear.py", line 125, in forward\n'
    "    return F.linear(input, self.weight, self.bias)\n"
)


@pytest.mark.parametrize(
    ("program", "below", "is_told"),
    [
        (
            "import torch\nfrom torch import nn\na = torch.rand(2, 3) @ torch.rand(4, 5)\n",
            "",
            False,
        ),
        (
            "import torch\nfrom torch import nn\ny = nn.Linear(4, 5)(torch.rand(2, 3))\n",
            LAYER,
            True,
        ),
        ("import torch\nfrom torch import nn\ny = model(torch.rand(2, 3))\n", "", True),
    ],
)
def test_a_model_is_named_where_a_layer_takes_part(
    program: str, below: str, is_told: bool, tmp_path: Path
) -> None:
    found = reported(tmp_path, program, 3, SHAPES, below)
    assert found.bug_type.id == "model"
    assert (found.bug_type.confidence > 0.5) is is_told


def test_a_checkpoint_of_another_network_is_no_sure_fault_of_the_model(tmp_path: Path) -> None:
    program = "from torch import nn\nmodel = nn.Linear(2, 3)\nmodel.load_state_dict(weights)\n"
    error = (
        "RuntimeError: Error(s) in loading state_dict for Linear:\n"
        "\tsize mismatch for weight: copying a param with shape torch.Size([3, 4]) from "
        "checkpoint, the shape in current model is torch.Size([3, 2])."
    )
    found = reported(tmp_path, program, 3, error, LAYER)
    assert found.bug_type.confidence <= 0.5
    assert words.kind_of_bug(found.bug_type) == ""


OUTSIDE = "outside the versioned code"


@pytest.mark.parametrize(
    ("program", "line", "module", "files", "is_outside"),
    [
        ("import einops\n", 1, "einops", {}, True),
        # One letter differs from a package that everybody knows, or that this program imports.
        ("import statsmodel.api as sm\n", 1, "statsmodel", {}, False),
        ("import pandass as pd\n", 1, "pandass", {}, False),
        ("import einops\nimport einop\n", 2, "einop", {}, False),
        # A class of the program, and a folder of it.
        ("class Tower: ...\nfrom Tower import build\n", 2, "Tower", {}, False),
        ("import parts.deep\n", 1, "parts.deep", {"parts__wide": "x = 1\n"}, False),
        # Both are packages.
        ("import simpy\n", 1, "simpy", {}, True),
        ("import tensorboardX\n", 1, "tensorboardX", {}, True),
    ],
)
def test_an_import_of_the_programs_own_is_not_said_to_lie_outside(
    program: str, line: int, module: str, files: dict[str, str], is_outside: bool, tmp_path: Path
) -> None:
    error = f"ModuleNotFoundError: No module named '{module}'"
    found = reported(tmp_path, program, line, error, **files)
    assert (OUTSIDE in words.where_cause_lies(found.origin)) is is_outside


@pytest.mark.parametrize(
    ("program", "is_outside"),
    [
        ("project = 'my-lab-4711'\nclient = connect(project)\n", False),
        ("project = read_setting()\nclient = connect(project)\n", True),
    ],
)
def test_a_value_that_the_program_states_is_not_said_to_lie_outside(
    program: str, is_outside: bool, tmp_path: Path
) -> None:
    error = "Forbidden: 403 Access Denied: Project my-lab-4711: no right to create jobs"
    found = reported(tmp_path, program, 2, error)
    assert found.category.id == "permission_denied"
    assert (OUTSIDE in words.where_cause_lies(found.origin)) is is_outside
