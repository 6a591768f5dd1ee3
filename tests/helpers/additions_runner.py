"""Runs programs of ``tests/contributing`` with the package of a folder; see test_contributing.py.

The programs come as JSON by standard input; what each raised goes to ``results.json``.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
ROOT = Path(sys.argv[1])
PROGRAM = {"train.py": "def run():\n    raise error\n\n\nrun()\n"}
ISSUE = """# Training stops in the second epoch

When I train the model with my own rows, the job stops after the first epoch. I expected it to go
on. The rows are read from a table, and the model is the small one of the examples.
"""


def traceback_of(
    error: str, line: int = 2, source: str = "raise error", inside: str = "run"
) -> str:
    """Return a traceback with one frame in ``train.py``."""
    frame = f'  File "train.py", line {line}, in {inside}\n    {source}\n'
    return f"Traceback (most recent call last):\n{frame}{error}\n"


def write(files: Mapping[str, str]) -> None:
    """Write files into the working folder, which each program has for itself."""
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")


def workspace(files: Mapping[str, str]) -> Any:
    """Return the workspace of these files."""
    from dl_bug_lsp.workspace import Workspace

    write(files)
    return Workspace(Path.cwd(), cache=False)


def localized(text: str, files: Mapping[str, str] | None = None) -> Any:
    """Return the report's failure that ended the job."""
    from dl_bug_lsp.localize import localize

    return localize(text, workspace(files or {})).primary


def command(words: list[str]) -> tuple[int, str]:
    """Return the exit code of a command line and what it printed."""
    from dl_bug_lsp.cli.main import main

    shown = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(shown):
        try:
            code = main(words)
        except SystemExit as end:
            code = int(end.code or 0)
    shown.flush()
    return code, shown.buffer.getvalue().decode()


def run(name: str, program: str) -> str:
    """Run a program; return the traceback of what it raised."""
    names = {k: v for k, v in globals().items() if not k.startswith("_")}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            exec(compile(program, name, "exec"), names)
        except Exception:
            return traceback.format_exc()
        finally:
            os.chdir(ROOT)
    return ""


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    os.environ["PYTHONPATH"] = str(ROOT)
    found = {name: run(name, program) for name, program in json.load(sys.stdin).items()}
    import dl_bug_lsp

    assert Path(dl_bug_lsp.__file__).is_relative_to(ROOT), dl_bug_lsp.__file__
    (ROOT / "results.json").write_text(json.dumps(found))
