"""Of very many configs those near the failure are read; of few all."""

from __future__ import annotations

from pathlib import Path

from dl_bug_lsp.evidence.case import FEW_CONFIGS, near_configs
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.workspace import Workspace


def _files(root: Path, folder: str, count: int) -> None:
    (root / folder).mkdir(parents=True)
    for number in range(count):
        (root / folder / f"c{number:03}.yaml").write_text(f"lr: {number}\n", "utf-8")


def test_few_configs_are_all_read(tmp_path: Path) -> None:
    _files(tmp_path, "a", FEW_CONFIGS)
    workspace = Workspace(tmp_path, cache=False)
    found = near_configs(workspace, read_log("no name"), ())
    assert found == workspace.config_files()


def test_of_many_configs_the_nearest_and_those_of_the_log_are_read(tmp_path: Path) -> None:
    _files(tmp_path, "far/off", FEW_CONFIGS)
    _files(tmp_path, "model/configs", 20)
    workspace = Workspace(tmp_path, cache=False)
    log = read_log("using far/off/c119.yaml")
    files = near_configs(workspace, log, ("model/train.py",))
    assert len(files) == FEW_CONFIGS
    assert list(files) == sorted(files)
    assert files[0] == "far/off/c000.yaml"
    assert "far/off/c119.yaml" in files
    assert sum(file.startswith("model/") for file in files) == 20
