"""Which interpreter a command's first word stands for."""

from __future__ import annotations

from pathlib import Path

import pytest

from dl_bug_lsp.environments.interpreters import environment_of


def program(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("variable", "local", "version"),
    [("", "", "3.11.7"), ("3.9.18", "3.12.1\n", "3.9.18"), ("", "3.12\n", "3.12.10")],
)
def test_behind_a_shim_of_pyenv_is_the_chosen_version(
    tmp_path: Path, variable: str, local: str, version: str
) -> None:
    root, project = tmp_path / "pyenv", tmp_path / "project"
    for name in ("3.9.18", "3.11.7", "3.12.1", "3.12.10"):
        program(root / "versions" / name / "bin" / "python")
    program(root / "shims" / "python")
    (root / "version").write_text("3.11.7\n")
    project.mkdir()
    if local:
        (project / ".python-version").write_text(local)
    found = environment_of(
        "python", project, {"PATH": str(root / "shims"), "PYENV_VERSION": variable}
    )
    assert found is not None
    assert found.interpreter == root / "versions" / version / "bin" / "python"
