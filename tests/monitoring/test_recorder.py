"""The recorder in the user's interpreter: nothing where nothing trains, and nothing disturbed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from dl_bug_lsp.monitoring.diagnosis import diagnose
from dl_bug_lsp.monitoring.recorder.recorder import Recorder
from dl_bug_lsp.monitoring.store import (
    begin,
    journals,
    monitored,
    read_recording,
    session_folders,
    take_in_left,
)

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
TORCH = os.environ.get("DL_BUG_TORCH_PYTHON") or (sys.executable if find_spec("torch") else "")
needs_torch = pytest.mark.skipif(not TORCH, reason="DL_BUG_TORCH_PYTHON names no interpreter")

TRAINS = """
import os, signal, sys
from dl_bug_lsp.monitoring.recorder.recorder import Recorder
recorder = Recorder(os.environ["DL_BUG_MONITOR"], os.getcwd(), "s", "[]")
for step in range(40):
    recorder.called("backward", depth=1)
    recorder.end_step(["step", recorder.step, "train", *[None] * 17])
if "kill" in sys.argv:
    recorder.journal.flush()
    os.kill(os.getpid(), signal.SIGKILL)
recorder.end()
"""


def run(folder: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def dl_bug_lsp(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run(folder, "-m", "dl_bug_lsp", *words, PYTHONPATH=str(ROOT))


def test_a_program_that_trains_nothing_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(
        "import random, sys\nrandom.seed(3)\n"
        "print(random.random(), 'torch' in sys.modules, type(sys.meta_path[0]).__name__)\n"
        "print([name for name in sys.modules if name.startswith('dl_bug_lsp.monitoring')])\n"
    )
    off = run(tmp_path, "plain.py")
    with monitored(tmp_path, ["python", "plain.py"]) as session:
        on = run(tmp_path, "plain.py")
        assert list(journals(session.folder)) == []
        assert session.problems() == ()
        assert session.take_in() == ()
    assert on.stdout.split()[0] == off.stdout.split()[0]
    assert "_Finder" in on.stdout
    assert "torch_training" not in on.stdout
    assert on.stderr == off.stderr == ""
    assert read_recording(tmp_path).runs == ()
    assert "DL_BUG_MONITOR" not in os.environ


def test_run_monitor_says_that_nothing_was_recorded(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("print('done')\n")
    done = dl_bug_lsp(tmp_path, "run", "--monitor", "--", sys.executable, "plain.py")
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert "monitor: nothing was recorded" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("share", ["0", "-1", "2", "much", "nan"])
def test_a_share_that_is_none_is_refused(tmp_path: Path, share: str) -> None:
    done = dl_bug_lsp(tmp_path, "run", "--monitor", f"--monitor-share={share}", "--", "true")
    assert done.returncode == 2
    assert "is no number above 0 and at most 1" in done.stderr


def test_a_killed_training_stays_readable(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAINS)
    with monitored(tmp_path, ["python"]) as session:
        run(tmp_path, "train.py", "kill", PYTHONPATH=str(ROOT))
        (live,) = read_recording(tmp_path).runs
        assert len(live.steps) == 40
        assert session.take_in() == (1,)
    (killed,) = read_recording(tmp_path).runs
    assert killed.process.outcome == "killed"
    (call,) = killed.calls
    assert (call.kind, call.file, call.line) == ("backward", "train.py", 6)


def test_sessions_of_which_all_were_killed_are_taken_in_later(tmp_path: Path) -> None:
    session = begin(tmp_path)
    left = session.folder.rename(session.folder.with_name("20260101T000000Z-999999999"))
    (left / "999999998.jsonl").write_text('["run","s","","","","","","","","",1.0,null,"running"')
    take_in_left(tmp_path)
    assert list(session_folders(tmp_path)) == []


def test_a_full_disk_ends_the_recording_and_not_the_training(tmp_path: Path) -> None:
    # Writes beyond the first bytes fail as they do on a full disk.
    limited = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))\n" + TRAINS
    guarded = limited.replace(
        "    recorder.end_step(",
        "    try:\n        recorder.journal._flushed = 0\n        recorder.end_step(",
    ).replace(
        "[None] * 17])\n",
        "[None] * 17])\n    except OSError as error:\n        recorder.fail(error)\n",
    )
    (tmp_path / "train.py").write_text(guarded + "print('trained')\n")
    with monitored(tmp_path, ["python"]) as session:
        done = run(tmp_path, "train.py", PYTHONPATH=str(ROOT))
        session.take_in()
    assert done.stdout == "trained\n"
    assert done.stderr.startswith("dl-bug-lsp: the training is no longer recorded (")
    assert len(done.stderr.splitlines()) == 1


def test_steps_are_looked_at_closely_as_often_as_time_allows(tmp_path: Path) -> None:
    recorder = Recorder(str(tmp_path), str(tmp_path), "s", "[]")
    recorder.start_clock()
    looked_at = 0
    began = time.perf_counter()
    for _ in range(300):
        until = time.perf_counter() + 0.001
        if recorder.sampling:
            looked_at += 1
            recorder.spent += 0.02
        while time.perf_counter() < until:
            pass
        recorder.end_step(None)
    passed = time.perf_counter() - began
    assert looked_at >= 3
    assert looked_at * 0.02 <= 0.2 + 0.05 * passed


@needs_torch
@pytest.mark.parametrize("name", ["edges", "plain", "faulty"])
def test_trainings_are_the_same_to_the_last_bit(tmp_path: Path, name: str) -> None:
    program = tmp_path / "train.py"
    program.write_bytes((HERE / "programs" / f"{name}.py").read_bytes())
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [TORCH, "train.py"]
    off = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)  # noqa: PLW1510
    with monitored(tmp_path, command, 1.0) as session:
        environment.update(session.environment(os.environ, command, 1.0))
        on = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)  # noqa: PLW1510
        session.take_in()
    assert on.stdout == off.stdout
    assert on.stderr == off.stderr
    (recorded,) = read_recording(tmp_path).runs
    assert recorded.process.outcome == "finished"
    assert recorded.statistics


@needs_torch
def test_each_rank_of_a_distributed_training_is_a_run_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_bytes((HERE / "programs" / "ranks.py").read_bytes())
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "train.py"]
    command = [TORCH, *launch]
    digests = []
    for name in ("off", "on"):
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "DIGESTS": str(tmp_path / name)}
        with monitored(tmp_path, command, 1.0) as session:
            if name == "on":
                environment.update(session.environment(os.environ, command, 1.0))
            ended = subprocess.run(  # noqa: PLW1510
                command, cwd=tmp_path, env=environment, capture_output=True, text=True
            )
            session.take_in()
        assert ended.returncode == 0, ended.stderr
        digests.append([(tmp_path / f"{name}.{rank}").read_text() for rank in (0, 1)])
    assert digests[0] == digests[1]
    runs = read_recording(tmp_path).runs
    assert sorted((run.process.rank, run.process.world) for run in runs) == [(0, 2), (1, 2)]
    for run in runs:
        assert run.process.steps == 16
        assert run.statistics
        assert [model.state for model in run.models] == ["wrapped"]


@needs_torch
def test_a_loop_that_never_steps_leaves_a_recording_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_bytes((HERE / "programs" / "stepless.py").read_bytes())
    command = [TORCH, "train.py"]
    with monitored(tmp_path, command) as session:
        environment = {**os.environ, **session.environment(os.environ, command, 0.1)}
        subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
        session.take_in()
    (recorded,) = read_recording(tmp_path).runs
    assert recorded.process.steps == 30
    assert {row.kind for row in recorded.statistics} >= {"weight", "gradient", "activation"}
    diagnosis = diagnose(recorded)
    assert diagnosis is not None
    assert diagnosis.kind == "step_missing"
    assert (diagnosis.sites[0].file, diagnosis.sites[0].line) == ("train.py", 19)


EXPLICIT = """
import torch
from dl_bug_lsp.monitoring.explicit import record

def train():
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(5):
        optimizer.zero_grad()
        model(torch.ones(2, 3)).sum().backward()
        optimizer.step()

step = torch.nn.functional.cross_entropy, torch.nn.Module.__init__, torch.Tensor.backward
with record():
    train()
assert step == (
    torch.nn.functional.cross_entropy, torch.nn.Module.__init__, torch.Tensor.backward
)
"""


@needs_torch
def test_a_context_records_and_leaves_the_framework_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(EXPLICIT)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([TORCH, "train.py"], cwd=tmp_path, env=environment, check=True)
    (recorded,) = read_recording(tmp_path).runs
    assert recorded.process.steps == 5
    assert [(model.type, model.line) for model in recorded.models] == [("Linear", 6)]
    assert [(one.type, one.line) for one in recorded.optimizers] == [("SGD", 7)]
