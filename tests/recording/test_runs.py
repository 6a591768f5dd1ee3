"""Runs with ``--spectrum``: real programs in real interpreters, their steps and signatures."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dl_bug_lsp.data_folder import FOLDER
from dl_bug_lsp.recording.recorded_runs import RecordedRun, environment, read_run, run_folder
from dl_bug_lsp.recording.spectra import spectrum_now
from dl_bug_lsp.recording.store import NAME, Recording, read_recording, write_session
from dl_bug_lsp.spectrum.spectrum import count

NET = """\
import numpy as np

class Net:
    def __init__(self, n_in, n_out):
        self.w = np.zeros((n_in, n_out))
        self.out = np.zeros((8, n_out))
    def forward(self, x):
        self.out[:] = x @ self.w
        return self.out.copy()
    def backward(self, gradient):
        pass
"""
LAST_BATCH = """\
import numpy as np
from net import Net

def batches(data, size):
    for i in range(0, len(data), size):
        yield data[i : i + size]

def main():
    net = Net(10, 3)
    for epoch in range(2):
        for x in batches(np.ones((67, 10)), 8):
            net.backward(net.forward(x))
        print("epoch", epoch)

main()
"""
RARE_BRANCH = """\
import sys

def clean(text):
    if text.startswith("#"):
        text = None
    return text

def step(words):
    return len(clean(words))

def main():
    total = 0
    with open(sys.argv[1]) as file:
        while True:
            line = file.readline()
            try:
                total += step(line)
            finally:
                line = ""
            if total > 99:
                return

try:
    main()
except TypeError as error:
    print("failed:", error)
    sys.exit(3)
"""
LATER_EXIT = """\
def guarded():
    try:
        main()
    except TypeError as error:
        print("failed:", error)
        return 3

sys.exit(guarded())
"""
CALLED_BACK = """\
from frame.work import fit

class Model:
    def training_step(self, batch):
        if batch == 4:
            batch = str(batch)
        return batch + 1

for fold in range(1):
    fit(Model(), range(6))
"""
FRAMEWORK = "def fit(model, data):\n    for x in data:\n        model.training_step(x)\n"


def run_program(
    root: Path, *command: str, passes: bool = False, **extra: str
) -> tuple[RecordedRun | None, subprocess.CompletedProcess[str]]:
    with run_folder(root) as folder:
        here = {**os.environ, **extra}
        done = subprocess.run(
            [sys.executable, *command],
            cwd=root,
            env={**here, **environment(folder, root, here)},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert passes == (done.returncode == 0), done.stderr
        source = "run:" + " ".join(command)
        return read_run(folder, root, source, "2026", not passes, done.stderr), done


def steps(run: RecordedRun) -> dict[str, int]:
    whole, *turns = run.session.tests
    return {turn.name.removeprefix(f"{whole.name}, "): turn.weight for turn in turns}


def counted(*runs: RecordedRun) -> dict[tuple[str, int], tuple[int, int]]:
    """Return (ef, ep) by line."""
    sessions = tuple(run.session for run in runs)
    texts = {file: text for one in sessions for file, text in one.sources.items()}
    found = spectrum_now(Recording(sessions), texts.get, lambda _file: ())
    counts = count(found.spectrum)
    return {(e.file, e.line): (counts.ef[i], counts.ep[i]) for i, e in enumerate(counts.elements)}


def test_the_last_smaller_batch_looks_otherwise_than_all_before(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "train.py").write_text(LAST_BATCH)
    run, _ = run_program(tmp_path, "train.py")
    assert run is not None
    assert run.loop is not None
    assert (run.loop.file, run.loop.first, run.loop.turn) == ("train.py", 11, 8)
    assert steps(run) == {"step 9": 1, "8 as step 1": 8}
    forward = [one for one in run.session.tests[0].signatures if one.function.endswith("forward")]
    assert [(one.text, one.passing, one.failing) for one in forward] == [
        ("float64(8, 10)", 8, 0),
        ("float64(3, 10)", 0, 1),
    ]
    assert {(one.file, one.line, one.call_file, one.call_line) for one in forward} == {
        ("net.py", 7, "train.py", 12)
    }
    lines = counted(run)
    assert lines["net.py", 8] == (1, 8)
    assert lines["net.py", 9] == (0, 8)
    assert lines["net.py", 5] == (1, 8), "what was set up counts for every step"


@pytest.mark.parametrize("end", ["in the handler", "later"])
def test_a_line_that_only_the_failing_step_runs_stands_out(tmp_path: Path, end: str) -> None:
    start = RARE_BRANCH.index("try:\n    main")
    program = RARE_BRANCH[:start] + LATER_EXIT if end == "later" else RARE_BRANCH
    (tmp_path / "main.py").write_text(program)
    (tmp_path / "words.txt").write_text("one\ntwo\nthree\n# four\nfive\n")
    run, done = run_program(tmp_path, "main.py", "words.txt")
    assert done.returncode == 3
    assert done.stdout == "failed: object of type 'NoneType' has no len()\n"
    assert run is not None
    assert run.loop is not None
    assert (run.loop.first, run.loop.turn) == (14, 3)
    lines = counted(run)
    alone = [place for place, (ef, ep) in lines.items() if ef and not ep]
    assert alone == [("main.py", 5)]


def test_calls_by_a_framework_that_holds_the_loop_are_turns(tmp_path: Path) -> None:
    library = tmp_path / "site-packages" / "frame"
    library.mkdir(parents=True)
    (library / "work.py").write_text(FRAMEWORK)
    (tmp_path / "train.py").write_text(CALLED_BACK)
    run, _ = run_program(tmp_path, "train.py", PYTHONPATH=str(library.parent))
    assert run is not None
    assert run.loop is not None
    assert (run.loop.is_loop, run.loop.first, run.loop.turn) == (False, 4, 4)
    assert counted(run)["train.py", 6] == (1, 0)


def test_runs_that_pass_stand_beside_the_next_that_fails(tmp_path: Path) -> None:
    program = "import os\n\nif os.environ.get('BAD'):\n    x = 1 / 0\n"
    (tmp_path / "a.py").write_text(program)
    store = tmp_path / FOLDER / NAME
    first, _ = run_program(tmp_path, "a.py", passes=True)
    second, _ = run_program(tmp_path, "a.py", BAD="1")
    assert first is not None
    assert second is not None
    write_session(store, first.session)
    write_session(store, second.session)
    assert [t.name for t in read_recording(store).tests] == [
        "run:a.py (passed)",
        "run:a.py (failed)",
    ]
    assert counted(first, second) == {
        ("a.py", 1): (1, 1),
        ("a.py", 3): (1, 1),
        ("a.py", 4): (1, 0),
    }
    write_session(store, first.session)
    assert [t.name for t in read_recording(store).tests] == ["run:a.py (passed)"]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "train.py").write_text(LAST_BATCH)
    run, _ = run_program(tmp_path, "train.py")
    assert run is not None
    write_session(tmp_path / FOLDER / NAME, run.session)
    (read,) = read_recording(tmp_path / FOLDER / NAME).sessions
    assert sorted(read.tests, key=lambda t: t.name) == sorted(
        run.session.tests, key=lambda t: t.name
    )


SHOWS = r"""
import os, sys, warnings
pattern = "\d"
warnings.warn("once")
if __name__ == "__main__":
    known = {"DL_BUG_SPECTRUM", "DL_BUG_ROOT", "PYTHONPATH"}
    print(sys.argv, sys.path, sys.flags, sys.excepthook, sys.getrecursionlimit())
    print(sorted(set(os.environ) - known), getattr(sys, "mine", None), __file__)
    sys.exit(int(sys.argv[1]))
"""


@pytest.mark.parametrize("code", ["0", "5"])
def test_the_program_sees_and_prints_what_it_would_without_us(tmp_path: Path, code: str) -> None:
    (tmp_path / "show.py").write_text(SHOWS)
    own = tmp_path / "site"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import sys\nsys.mine = 'loaded'\n")
    extra = {"PYTHONPATH": str(own), "PYTHONDONTWRITEBYTECODE": "1"}
    _, with_us = run_program(tmp_path, "show.py", code, "x", passes=code == "0", **extra)
    plain = subprocess.run(
        [sys.executable, "show.py", code, "x"],
        cwd=tmp_path,
        env={**os.environ, **extra},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "loaded" in plain.stdout
    assert "warn" in plain.stderr
    assert (with_us.returncode, with_us.stdout, with_us.stderr) == (
        plain.returncode,
        plain.stdout,
        plain.stderr,
    )


TRACED = "import sys\nsys.settrace(lambda *_: None)\n"
PROCESSES = """\
import multiprocessing as mp, sys

def square(x):
    y = x * x
    return y

def main(way):
    with mp.get_context(way).Pool(1) as pool:
        pool.map(square, [1, 2])
        pool.close()
        pool.join()

if __name__ == "__main__":
    main(sys.argv[1])
"""


def test_beside_another_tracer_it_stands_aside(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    hook = tmp_path / "site" / "usercustomize.py"
    hook.write_text(TRACED)
    (tmp_path / "a.py").write_text("import usercustomize\n\ndef f():\n    return 1\n\nf()\n")
    run, _ = run_program(tmp_path, "a.py", passes=True, PYTHONPATH=str(tmp_path / "site"))
    if sys.version_info < (3, 12):
        assert run is not None
        assert run.problems == ("another tracer took over while it ran; the record is not whole",)


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_worker_processes_are_recorded(tmp_path: Path, way: str) -> None:
    (tmp_path / "work.py").write_text(PROCESSES)
    run, done = run_program(tmp_path, "work.py", way, passes=True)
    assert done.stderr == ""
    assert run is not None
    assert ("work.py", 4) in counted(run)


def test_the_command_line_tells_of_steps_and_shapes(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "train.py").write_text(LAST_BATCH)
    command = ["-m", "dl_bug_lsp", "run", "--spectrum", "--", sys.executable, "train.py"]
    done = subprocess.run(
        [sys.executable, *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "step 9 of the loop at train.py:11 failed, 8 passed" in done.stderr
    got = "Net.forward() in net.py:7 got x = float64(3, 10), before float64(8, 10)"
    assert got in done.stderr
    assert "recording took about" in done.stderr
    assert "net.py:8" in done.stderr
    assert list((tmp_path / FOLDER / "recording").iterdir()) == []


def test_a_spectrum_without_a_step_that_passed_changes_no_report(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "train.py").write_text(LAST_BATCH.replace("67, 10", "3, 10"))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent.parent)}

    def told(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "dl_bug_lsp", *words],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        lines = (done.stdout + done.stderr).splitlines()
        return next(line for line in lines if line.startswith(("Likely", "Not ")))

    of_run = told("run", "--spectrum", "--", sys.executable, "train.py")
    (log,) = (tmp_path / FOLDER / "runs").glob("*.log")
    assert of_run == told("localize", str(log))
