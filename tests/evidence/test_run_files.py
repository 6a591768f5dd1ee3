"""In a big workspace only files that have to do with the failing run are suspects."""

from __future__ import annotations

import json
from pathlib import Path

from dl_bug_lsp.evidence.run_files import FEW_FILES
from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import Suspect
from dl_bug_lsp.workspace import Workspace

TRAIN = """\
import json
import sys

class Settings:
    def __init__(self, path):
        self.held = open_settings(path)

    def __getitem__(self, key):
        return self.held[key]

def load(path):
    rows = json.load(open(path))
    return [row["answer"] for row in rows]

def check(config):
    steps = config["global_batch"] // config["micro_batch"]
    assert steps > 0

if __name__ == "__main__":
    check(Settings(sys.argv[1]))
    load(sys.argv[2])
"""


def _project(root: Path) -> None:
    (root / "train.py").write_text(TRAIN, "utf-8")
    (root / "configs").mkdir()
    for number in range(FEW_FILES):
        (root / "configs" / f"run_{number}.yaml").write_text("answer: 3e-4\nmicro_batch: 8\n")
    (root / "configs" / "mine.yaml").write_text("global_batch: 2\nmicro_batch: 4\n")
    (root / ".gitignore").write_text("data\n")
    (root / "data" / "support").mkdir(parents=True)
    rows = [{"question": f"q{n}", "answer" if n != 4 else "reply": f"a{n}"} for n in range(9)]
    text = json.dumps(rows, indent=1)
    (root / "data" / "support" / "train.json").write_text(text)


def _suspects(root: Path, command: str, lines: tuple[int, int], error: str) -> list[Suspect]:
    code = TRAIN.split("\n")
    frames = "".join(
        f'  File "/w/train.py", line {line}, in {name}\n    {code[line - 1].strip()}\n'
        for line, name in zip(lines, ("<module>", "f"), strict=True)
    )
    log = f"$ {command}\nTraceback (most recent call last):\n{frames}{error}\n"
    report = localize(log, Workspace(root, cache=False))
    return list(report.failures[-1].suspects)


def test_configs_of_other_runs_are_no_suspects(tmp_path: Path) -> None:
    _project(tmp_path)
    command = "python train.py configs/mine.yaml data/support"
    found = _suspects(tmp_path, command, (21, 13), "KeyError: 'answer'")
    assert found
    others = [s.file for s in found if s.file.startswith("configs/") and "mine" not in s.file]
    assert others == []


def test_data_that_git_ignores_is_read_where_its_folder_is_named(tmp_path: Path) -> None:
    _project(tmp_path)
    command = "python train.py configs/mine.yaml data/support"
    found = _suspects(tmp_path, command, (21, 13), "KeyError: 'answer'")
    file = tmp_path / "data" / "support" / "train.json"
    lines = file.read_text("utf-8").split("\n")
    odd = next(n for n, line in enumerate(lines, 1) if "reply" in line)
    assert (found[0].file, found[0].line) == ("data/support/train.json", odd)


def test_settings_are_found_by_the_name_that_is_read(tmp_path: Path) -> None:
    _project(tmp_path)
    command = "python train.py configs/mine.yaml data/support"
    found = _suspects(tmp_path, command, (20, 17), "AssertionError")
    places = {(s.file, s.line) for s in found}
    assert {("configs/mine.yaml", 1), ("configs/mine.yaml", 2)} <= places


def test_files_of_a_folder_are_listed_though_git_ignores_them(tmp_path: Path) -> None:
    _project(tmp_path)
    workspace = Workspace(tmp_path, cache=False)
    assert "data/support/train.json" not in workspace.files()
    assert workspace.folder_files("data/support") == ("data/support/train.json",)
    assert workspace.folder_files("../elsewhere") == ()
    assert workspace.folder_files("missing") == ()
