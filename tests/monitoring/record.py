"""Records the programs again: each journal that ``recorded/`` holds is one of a real run.

    PYTHONPATH=. python tests/monitoring/record.py --python VENV/bin/python [NAME ...]

``--python`` is an interpreter with the frameworks (``make fixtures`` makes one). The programs of
``trainings/`` are recorded by the real command; their databases are thinned.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from dl_bug_lsp.monitoring.store import begin, journals, read_journal

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


TRAININGS = ("plain_loop", "lightning", "transformers", "keras")
STATISTICS, STEPS = 5, 40
"""Closely recorded steps and other steps that stay of a training."""


def record_training(python: str, name: str) -> None:
    """Run a program of ``trainings/`` under ``run --monitor`` and keep its thinned database."""
    folder = HERE / "trainings" / name
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        shutil.copy(folder / "train.py", root)
        path = f"{Path(python).parent}{os.pathsep}{os.environ['PATH']}"
        command = ["-m", "dl_bug_lsp", "run", "--monitor", "--", "python", "train.py"]
        environment = {**os.environ, "PATH": path, "PYTHONPATH": str(HERE.parents[1])}
        subprocess.run([sys.executable, *command], cwd=root, env=environment, check=False)
        target = folder / "training.db"
        shutil.copy(root / ".dlbug" / "training.db", target)
    with contextlib.closing(sqlite3.connect(target, isolation_level=None)) as db:
        sampled = [step for (step,) in db.execute("select distinct step from statistic order by 1")]
        near = {*sampled[: STATISTICS - 2], *sampled[-2:]}
        marks = ", ".join(map(str, sorted(near)))
        db.execute(f"delete from statistic where step not in ({marks})")
        steps = [step for (step,) in db.execute("select distinct step from step order by 1")]
        every = max(1, len(steps) // STEPS)
        gone = [step for n, step in enumerate(steps) if n % every and n > 15 and step not in near]
        db.execute(f"delete from step where step in ({', '.join(map(str, gone)) or 0})")
        for (index,) in db.execute(
            "select name from sqlite_master where type = 'index' and sql is not null"
        ).fetchall():
            db.execute(f"drop index {index}")
        db.execute("pragma page_size = 512")
        db.execute("vacuum")
    print(name, round(target.stat().st_size / 1000), "KB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("names", nargs="*", default=(*NAMES, *TRAININGS))
    arguments = parser.parse_args()
    for each in arguments.names:
        if each in TRAININGS:
            record_training(arguments.python, each)
        if each in NAMES:
            record(arguments.python, each)
