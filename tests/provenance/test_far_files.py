"""In a big workspace code beside the failure is always read, code elsewhere up to a bound."""

from __future__ import annotations

from pathlib import Path

from dl_bug_lsp.evidence.case import Case
from dl_bug_lsp.evidence.training_rules.program import Training
from dl_bug_lsp.localize import case_of
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.provenance.program import CALL_SITE_FILES, FAR_LINES, Program
from dl_bug_lsp.report import Options
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.workspace import Workspace

LONG = FAR_LINES // 2 - 100


def _workspace(root: Path, files: int) -> Workspace:
    (root / "app" / "parts").mkdir(parents=True)
    (root / "lib").mkdir()
    for number in range(files):
        lines = LONG if number < 6 else 1
        (root / "lib" / f"m{number:03}.py").write_text("x = 1\n" * lines, "utf-8")
    for name in ("app/train.py", "app/parts/net.py"):
        (root / name).write_text("import torch\noptimizer = torch.optim.SGD([])\n" * 500, "utf-8")
    return Workspace(root, cache=False)


def _read(program: Program, files: int) -> list[str]:
    names = [f"lib/m{number:03}.py" for number in range(files)]
    names += ["app/train.py", "app/parts/net.py"]
    return [name for name in names if program.module(name) is not None]


def test_far_files_are_read_up_to_a_bound(tmp_path: Path) -> None:
    workspace = _workspace(tmp_path, CALL_SITE_FILES)
    program = Program(workspace)
    program.stay_near(["app/train.py"])
    found = _read(program, 6)
    assert found == ["lib/m000.py", "lib/m001.py", "app/train.py", "app/parts/net.py"]
    assert program.module("lib/m000.py") is not None


def test_small_workspaces_have_no_bound(tmp_path: Path) -> None:
    workspace = _workspace(tmp_path, 6)
    assert len(_read(Program(workspace), 6)) == 8


def _case(workspace: Workspace, text: str) -> Case:
    log = read_log(text)
    return case_of(read_failures(log).failures[0], log, workspace, Options())


def test_a_silent_failure_is_sought_where_something_is_trained(tmp_path: Path) -> None:
    workspace = _workspace(tmp_path, CALL_SITE_FILES)
    text = 'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\nValueError: nan'
    modules = Training(_case(workspace, text)).modules
    assert [module.file for module in modules] == ["app/parts/net.py", "app/train.py"]
