"""What the installed libraries lack, as evidence of a failure; the environment is a folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import Options
from dl_bug_lsp.workspace import Workspace

PROGRAM = (
    "import netlib\n\n"
    "OPTIONS = {'units': 3}\n"
    "REDUCE = netlib.meen\n\n\n"
    "def build():\n"
    "    first = netlib.Dense(3)\n"
    "    return netlib.Dense(3, biass=False), first\n\n\n"
    "def start(make):\n"
    "    return make()\n\n\n"
    "start(build)\n"
)
LIBRARY = (
    "open(__file__ + '.ran', 'w')\n\n\n"
    "class Dense:\n    def __init__(self, units, *, bias=True):\n        pass\n\n\n"
    "def mean(values):\n    return values\n"
)


@pytest.fixture
def python(tmp_path: Path) -> str:
    """Lay out an environment as `venv` does; its interpreter is a file that cannot be run."""
    prefix = tmp_path / "environment"
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    home = Path(os.path.realpath(sys.executable)).parent
    site = prefix / "lib" / f"python{version}" / "site-packages"
    (prefix / "bin").mkdir(parents=True)
    (site / "netlib").mkdir(parents=True)
    (prefix / "bin" / "python").write_text("no program")
    (prefix / "pyvenv.cfg").write_text(f"home = {home}\nversion = {version}.0\n")
    (site / "netlib" / "__init__.py").write_text(LIBRARY)
    return str(prefix / "bin" / "python")


def reasons(folder: Path, message: str, line: int, python: str | None) -> dict[int, list[str]]:
    work = folder / "work"
    work.mkdir(exist_ok=True)
    (work / "train.py").write_text(PROGRAM)
    text = "Traceback (most recent call last):\n"
    text += f'  File "train.py", line {line}, in <module>\n{message}\n'
    options = Options(python=python)
    failure = localize(text, Workspace(work, cache=False), options).failures[0]
    return {s.line: [e.why for e in s.evidence] for s in failure.suspects}


def test_the_line_that_gives_an_argument_in_vain_is_named(tmp_path: Path, python: str) -> None:
    message = "TypeError: __init__() got an unexpected keyword argument 'biass'"
    found = reasons(tmp_path, message, 16, python)
    assert any("takes no `biass`" in why for why in found[9])
    assert not any("takes no" in why for why in found.get(8, []))
    assert not list(tmp_path.rglob("*.ran"))


def test_the_line_that_asks_for_a_missing_name_is_named(tmp_path: Path, python: str) -> None:
    message = "AttributeError: module 'netlib' has no attribute 'meen'"
    assert any("has no `meen`" in why for why in reasons(tmp_path, message, 16, python)[4])


def test_without_an_interpreter_no_library_is_read(tmp_path: Path, python: str) -> None:
    message = "AttributeError: module 'netlib' has no attribute 'meen'"
    told = [why for row in reasons(tmp_path, message, 16, None).values() for why in row]
    assert not any("installed" in why for why in told)
