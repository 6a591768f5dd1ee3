"""Commands of launch files: which script they start, and where their words come from."""

from __future__ import annotations

from pathlib import Path

from dl_bug_lsp.provenance.launches import run_of
from dl_bug_lsp.workspace import Workspace

RECIPE = """#!/bin/bash
python_path=python
sample_rate=16000
tag=first
$python_path train.py --out runs/$tag \\
  --sample_rate $sample_rate
"""


def test_a_launch_file_starts_the_script_beside_it(tmp_path: Path) -> None:
    for name in ("a", "b"):
        folder = tmp_path / "recipes" / name
        folder.mkdir(parents=True)
        (folder / "train.py").write_text("print(1)\n")
    (tmp_path / "recipes" / "a" / "run.sh").write_text(RECIPE)
    workspace = Workspace(tmp_path, cache=False)
    (launch,) = run_of(workspace, (), ("recipes/a/train.py",)).launches
    assert [(word.path, word.text, word.line) for word in launch.words] == [
        (("out",), "runs/first", 5),
        (("sample_rate",), "16000", 6),
    ]
    assert launch.from_variables == {1: 3}
    assert not run_of(workspace, (), ("recipes/b/train.py",)).launches
