"""``dl-bug-lsp run --hang-after``: real processes that stop, and some that do not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dl_bug_lsp.runs.hangs import unsupported
from dl_bug_lsp.runs.records import read

pytestmark = pytest.mark.skipif(unsupported() is not None, reason=str(unsupported()))
RUN = [sys.executable, "-m", "dl_bug_lsp", "run"]
PARTED = """
import os, sys, threading

def exchange(rank):
    gate = threading.Lock()
    gate.acquire()
    if rank == 1:
        gate.acquire(timeout=float(sys.argv[1]))
    else:
        threading.Event().wait(float(sys.argv[1]))

exchange(int(os.environ["RANK"]))
print("through\\n", end="", flush=True)
"""
LAUNCHER = """
import os, subprocess, sys

ranks = [
    subprocess.Popen([sys.executable, "ranks.py", sys.argv[1]], env={**os.environ, "RANK": str(n)})
    for n in range(3)
]
print("started", flush=True)
sys.exit(max(rank.wait() for rank in ranks))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "ranks.py").write_text(PARTED)
    (tmp_path / "launch.py").write_text(LAUNCHER)
    return tmp_path


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*RUN, *words],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def recorded(folder: Path) -> str:
    (log,) = (folder / ".dlbug" / "runs").glob("*.log")
    return log.read_text()


def test_all_ranks_stacks_are_written_and_the_run_is_ended(folder: Path) -> None:
    done = run(
        folder, "--hang-after", "1.5", "--format", "json", "--", sys.executable, "launch.py", "50"
    )
    assert done.returncode == -signal.SIGTERM
    assert done.stdout == "started\n"
    log = recorded(folder)
    for rank in range(3):
        assert f'[rank{rank}]:   File "{folder}/ranks.py", line 1' in log
    assert "through" not in log
    report: dict[str, Any] = json.loads(done.stderr[done.stderr.index("{") :])
    (record,) = (folder / ".dlbug" / "runs").glob("*.json")
    assert read(record).hung  # type: ignore[union-attr]
    assert not read(record).was_broken_off  # type: ignore[union-attr]
    (failure,) = [one for one in report["failures"] if one["primary"]]
    assert failure["category"]["id"] == "communication_failure"
    assert not failure["retry_may_help"]
    assert [(g["ranks"], g["line"]) for g in failure["ranks"]["groups"]] == [([0, 2], 10), ([1], 8)]
    assert failure["ranks"]["size"] == 3


def test_a_run_that_is_left_alone_goes_on_and_ends_by_itself(folder: Path) -> None:
    done = run(
        folder,
        *("--hang-after", "1", "--hang-then", "leave", "--", sys.executable, "launch.py", "3.5"),
    )
    assert done.returncode == 0
    assert done.stdout == "started\n" + "through\n" * 3
    assert "nothing has moved for" in done.stderr
    assert "left alone" in done.stderr
    assert recorded(folder).count("[dl-bug-lsp] hang: ") == 1


WORKS = """
import time
began = time.monotonic()
while time.monotonic() - began < 3:
    sum(range(1000))
"""


def test_a_run_that_computes_or_prints_is_no_hang(folder: Path) -> None:
    (folder / "works.py").write_text(WORKS)
    (folder / "prints.py").write_text(
        "import time\nfor _ in range(12):\n    print(1, flush=True)\n    time.sleep(0.25)\n"
    )
    for script in ("works.py", "prints.py"):
        done = run(folder, "--hang-after", "1.2", "--", sys.executable, script)
        assert (done.returncode, done.stderr) == (0, ""), script


HANDLED = """
import signal, time
signals = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM, signal.SIGALRM)
assert all(signal.getsignal(number) is signal.SIG_DFL for number in signals)
for number in signals:
    signal.signal(number, lambda number, frame: print("got", number, flush=True))
time.sleep(2.5)
print("done", flush=True)
"""


def test_the_signals_that_programs_use_are_their_own(folder: Path) -> None:
    (folder / "handled.py").write_text(HANDLED)
    words = ("--hang-after", "1", "--hang-then", "leave", "--no-report", "--")
    done = run(folder, *words, sys.executable, "handled.py")
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert 'handled.py", line 7 in <module>' in recorded(folder)


def test_other_site_customizations_are_loaded_as_without_us(folder: Path) -> None:
    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text("import sys; sys.from_site = 1\n")
    code = "import sys; print(sys.from_site, any('bootstrap' in p for p in sys.path))"
    words = ("--hang-after", "5", "--", sys.executable, "-c", code)
    done = run(
        folder, *words, PYTHONPATH=f"{folder}/site{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    )
    assert done.stdout == "1 False\n"
    assert done.returncode == 0


def test_it_leaves_nothing_behind(folder: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    words = ("--hang-after", "1", "--no-report", "--", sys.executable, "launch.py", "50")
    done = run(folder, *words, TMPDIR=str(scratch))
    assert done.returncode == -signal.SIGTERM
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("given", ["0", "soon", "-3", "nan", "inf"])
def test_odd_times_are_refused_in_one_line(folder: Path, given: str) -> None:
    done = run(folder, f"--hang-after={given}", "--", "true")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "must be seconds" in done.stderr
