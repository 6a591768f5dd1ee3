"""Records the programs again: each journal that ``recorded/`` holds is one of a real run.

    PYTHONPATH=. python tests/monitoring/record.py --python VENV/bin/python [NAME ...]

``--python`` is an interpreter with the frameworks (``make fixtures`` makes one).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from dl_bug_lsp.monitoring.sessions import begin
from dl_bug_lsp.monitoring.store import journals, read_journal

HERE = Path(__file__).parent
NAMES = ("plain", "faulty", "lightning_module", "transformers_trainer", "keras_fit", "keras_tape")

SHARES = {"transformers_trainer": 0.005}
"""Of the time for recording, where a usual one would leave too much to keep."""


def record(python: str, name: str) -> None:
    """Run a program and keep its journal, with the program's name."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        program = shutil.copy(HERE / "programs" / f"{name}.py", root)
        session = begin(root)
        command = ["python", f"{name}.py"]
        environment = {
            **os.environ,
            **session.environment(os.environ, command, SHARES.get(name, 0.1)),
        }
        subprocess.run([python, program], cwd=root, env=environment, check=True)
        (journal,) = journals(session.folder)
        rows, problem = read_journal(journal)
        assert problem is None, problem
        # Rows that a later one has replaced are left out.
        lines = [json.dumps([table, *row]) for table, kept in rows.items() for row in kept]
        (HERE / "recorded" / f"{name}.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("names", nargs="*", default=NAMES)
    arguments = parser.parse_args()
    for each in arguments.names:
        record(arguments.python, each)
