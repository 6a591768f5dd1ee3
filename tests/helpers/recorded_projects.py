"""A small project whose tests are recorded by the plugin in real pytest processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from dl_bug_lsp.data_folder import FOLDER
from dl_bug_lsp.recording.session import lines_of
from dl_bug_lsp.recording.store import NAME, Recording, read_recording

CODE = """\
RATE = 3

def scale(x):
    if x > 10:
        y = x * RATE
    else:
        y = x + RATE
    return y

def twice(x):
    return 2 * scale(x)
"""


def project(root: Path, tests: str) -> Path:
    (root / "calc.py").write_text(CODE)
    (root / "conftest.py").write_text("")
    (root / "tests").mkdir()
    (root / "tests" / "test_calc.py").write_text(tests)
    return root


def run_pytest(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # Only the plugins at hand are loaded: the others of this environment take seconds to import.
    plugins = ("dl_bug_lsp.recording.pytest_plugin", "xdist", "pytest_cov", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", "-q", *(f"-p{name}" for name in plugins), "--dl-bug"]
    environment = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    return subprocess.run(
        [*command, *arguments],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def recorded(root: Path) -> Recording:
    return read_recording(root / FOLDER / NAME)


def lines(recording: Recording, name: str, phase: str, file: str = "calc.py") -> list[int]:
    test = next(test for test in recording.tests if test.name == name)
    return [
        line
        for (of, where), hits in test.hits.items()
        if (of.value, where) == (phase, file)
        for line in lines_of(hits.lines)
    ]
