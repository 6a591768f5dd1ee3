"""The bounds of an array's numbers are not those of one of its columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.workspace import Workspace

PROGRAM = """\
import torch
from torch import nn

pairs = torch.tensor([[59, 3], [0, 39]])
user, item = nn.Embedding(60, 4), nn.Embedding(40, 4)
{columns}
print(user(u), item(pos))
"""
COLUMNS = (
    "u, pos = pairs.unbind(1)",
    "u, pos = pairs.T",
    "u, pos = pairs[..., 0], pairs[..., 1]",
    "u, pos = pairs.select(1, 0), pairs.select(1, 1)",
    "u, pos = (part.squeeze(1) for part in pairs.split(1, dim=1))",
    "u, pos = pairs[:, :1].squeeze(1), pairs[:, 1:].squeeze(1)",
    "u, pos = pairs[:, [0]].squeeze(1), pairs[:, [1]].squeeze(1)",
    "u, pos = pairs[:, 0], pairs.min(dim=1).values",
    "t = pairs.t(); u, pos = t[0], t[1]",
    "u, pos = pairs.T[0], pairs.transpose(0, 1)[1]",
    "u, pos = pairs.permute(1, 0)[0], pairs.movedim(1, 0)[1]",
    "u, pos = pairs.mT.select(0, 0), pairs.mT.select(0, 1)",
    "u, pos = [column for column in pairs.T]",
    "arrays = pairs.numpy().T; u, pos = map(torch.from_numpy, (arrays[0], arrays[1]))",
)


def raised(folder: Path, columns: str) -> object:
    (folder / "a.py").write_text(PROGRAM.format(columns=columns), encoding="utf-8")
    return Interpreter(Workspace(folder, cache=False), "a.py", ("a.py", 7)).run().raised


@pytest.mark.parametrize("columns", COLUMNS)
def test_a_column_has_numbers_of_its_own(tmp_path: Path, columns: str) -> None:
    assert raised(tmp_path, columns) is None


def test_all_numbers_have_the_bounds_of_the_array(tmp_path: Path) -> None:
    assert raised(tmp_path, "u, pos = pairs[:, 0], pairs.flatten()") is not None


def test_rows_of_a_moved_axis_in_front_have_the_bounds_of_the_array(tmp_path: Path) -> None:
    columns = "u, pos = pairs[:, 0], pairs.unsqueeze(0).transpose(1, 2)[0].flatten()"
    assert raised(tmp_path, columns) is not None
