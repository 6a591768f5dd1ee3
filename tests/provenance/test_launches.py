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
        (("sample_rate",), "16000", 3),
    ]
    assert launch.written_at == {1: 6}
    assert not run_of(workspace, (), ("recipes/b/train.py",)).launches


def test_the_command_that_was_typed_goes_before_a_file_with_other_options(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print(1)\n")
    for name in ("deep", "wide"):
        (tmp_path / f"{name}.yaml").write_text("lr: 0.1\n")
    (tmp_path / "run.sh").write_text("python train.py --model deep --config deep.yaml --folds 4\n")
    workspace = Workspace(tmp_path, cache=False)
    typed = "$ python train.py --model wide --config wide.yaml"
    (launch,) = run_of(workspace, (typed,), ("train.py",)).launches
    assert launch.file == ""
    assert run_of(workspace, (typed,), ("train.py",)).configs == ("wide.yaml",)
    # A script may print what its variables were: it is the same command.
    printed = "+ python train.py --model deep --config deep.yaml --folds 4 --resume last.pt"
    (launch,) = run_of(workspace, (printed,), ("train.py",)).launches
    assert (launch.file, launch.line) == ("run.sh", 1)


def test_a_package_that_is_started_as_a_module_may_be_installed_as_a_program(
    tmp_path: Path,
) -> None:
    (tmp_path / "kit").mkdir()
    for name in ("__init__", "__main__", "cli"):
        (tmp_path / "kit" / f"{name}.py").write_text("print(1)\n")
    (tmp_path / "pyproject.toml").write_text('[project.scripts]\nkit = "kit.cli:main"\n')
    workspace = Workspace(tmp_path, cache=False)
    typed = "$ python -m kit start small.yaml"
    (launch,) = run_of(workspace, (typed,), ("kit/__main__.py", "kit/cli.py")).launches
    assert launch.texts == ("start", "small.yaml")
    (launch,) = run_of(workspace, ("$ kit start small.yaml",), ("kit/cli.py",)).launches
    assert launch.texts == ("start", "small.yaml")


def test_a_config_that_a_variable_leaves_open_is_the_one_that_fits(tmp_path: Path) -> None:
    for name in ("runs/wide/0", "runs/deep", "conf"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("runs/\n")
    (tmp_path / "runs/wide/0/config.yaml").write_text("lr: 0.1\n")
    (tmp_path / "runs/deep/config.yaml").write_text("lr: 0.1\n")
    for name in ("one", "two"):
        (tmp_path / f"conf/{name}.yaml").write_text("lr: 0.1\n")
    (tmp_path / "train.py").write_text("print(1)\n")
    script = tmp_path / "run.sh"
    script.write_text("python train.py --config runs/$1/0/config.yaml fit\n")
    run = run_of(Workspace(tmp_path, cache=False), (), ("train.py",))
    assert run.configs == ("runs/wide/0/config.yaml",)
    script.write_text("python train.py --config conf/${1:-one}.yaml fit\n")
    run = run_of(Workspace(tmp_path, cache=False), (), ("train.py",))
    assert (run.configs, run.guessed) == ((), ("conf/one.yaml", "conf/two.yaml"))


def test_the_word_that_names_a_function_may_stand_behind_options(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print(1)\n")
    (tmp_path / "run.sh").write_text(
        "python train.py --config a.yaml build\npython train.py --config a.yaml fit\n"
    )
    log = ('  File "/job/train.py", line 3, in fit',)
    (launch,) = run_of(Workspace(tmp_path, cache=False), log, ("train.py",)).launches
    assert launch.line == 2
