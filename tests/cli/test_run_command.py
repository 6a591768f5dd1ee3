"""``dl-bug-lsp run``: real commands on real pipes and real pseudo-terminals."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from waiting import SECONDS, wait_for

from dl_bug_lsp.runs.records import CappedLog

RUN = [sys.executable, "-m", "dl_bug_lsp", "run"]
PYTHON = sys.executable
HERE = f"PYTHONPATH={Path(__file__).parents[2]}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").touch()
    return tmp_path


def run(folder: Path, *command: str, **how: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*RUN, "--", *command], cwd=folder, capture_output=True, check=False, timeout=60, **how
    )


def python(folder: Path, code: str, **how: Any) -> subprocess.CompletedProcess[bytes]:
    return run(folder, PYTHON, "-c", code, **how)


def records(folder: Path) -> list[dict[str, Any]]:
    files = sorted((folder / ".dlbug" / "runs").glob("*.json"))
    return [json.loads(file.read_text()) for file in files]


def recorded(folder: Path) -> bytes:
    (log,) = (folder / ".dlbug" / "runs").glob("*.log")
    return log.read_bytes()


@pytest.mark.parametrize("code", [0, 1, 3, 255])
def test_the_exit_code_is_the_command_s(folder: Path, code: int) -> None:
    assert python(folder, f"raise SystemExit({code})").returncode == code
    (record,) = records(folder)
    assert record["exit_code"] == code
    assert record["ended"] is not None


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGINT])
def test_a_command_that_a_signal_ends_ends_us_by_it(folder: Path, number: signal.Signals) -> None:
    assert run(folder, "sh", "-c", f"kill -{number.value} $$").returncode == -number
    shell = ["sh", "-c", '"$@"; echo $?', "sh", *RUN, "--", "sh", "-c", f"kill -{number.value} $$"]
    seen = subprocess.run(shell, cwd=folder, capture_output=True, check=False, timeout=60)
    if number != signal.SIGINT:  # A shell breaks off with it.
        assert int(seen.stdout) == 128 + number


def test_output_is_handed_on_byte_for_byte_and_kept_apart(folder: Path) -> None:
    binary = bytes(range(256)) * 1000
    code = (
        "import os; b = bytes(range(256)) * 1000; os.write(1, b); os.write(2, b'to err\\r\\n\\xff')"
    )
    done = python(folder, code)
    assert done.stdout == binary
    assert done.stderr == b"to err\r\n\xff"
    kept = recorded(folder)
    assert len(kept) == len(binary) + len(b"to err\r\n\xff")
    assert b"to err\r\n\xff" in kept


def test_two_streams_with_one_reader_keep_their_order(folder: Path) -> None:
    code = "import os\nfor i in range(2000): os.write(1 + i % 2, b'%d\\n' % i)"
    with (folder / "both.txt").open("wb") as both:
        subprocess.run(
            [*RUN, "--", PYTHON, "-c", code],
            cwd=folder,
            stdout=both,
            stderr=both,
            timeout=60,
            check=True,
        )
    lines = (folder / "both.txt").read_text().split()
    assert lines == [str(number) for number in range(2000)]
    assert recorded(folder).decode().split() == lines


def test_environment_folder_arguments_input_and_open_files_are_the_command_s(folder: Path) -> None:
    reading, writing = os.pipe()
    code = (
        "import os, sys; print(os.getcwd(), sys.argv[1:], sys.stdin.read(),"
        f"os.read({reading}, 9));"
        "print(sorted(os.environ.items()))"
    )
    words = [PYTHON, "-c", code, "--top", "a b", "--", "", "*"]

    def seen(*before: str) -> bytes:
        os.write(writing, b"handed on")
        how: dict[str, Any] = {"input": b"typed", "pass_fds": [reading], "timeout": 60}
        return subprocess.check_output([*before, *words], cwd=folder, **how)

    try:
        through, direct = seen(*RUN, "--"), seen()
    finally:
        os.close(reading)
        os.close(writing)
    assert through == direct
    assert b"['--top', 'a b', '--', '', '*'] typed b'handed on'" in through


def test_signals_are_as_the_command_would_find_them(folder: Path) -> None:
    code = (
        "import signal; print(signal.pthread_sigmask(signal.SIG_BLOCK, []),"
        "signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGHUP))"
    )
    direct = subprocess.run([PYTHON, "-c", code], capture_output=True, timeout=60, check=True)
    assert python(folder, code).stdout == direct.stdout


def test_a_failure_is_reported_with_its_place(folder: Path) -> None:
    (folder / "train.py").write_text("def step(n):\n    return 1 / n\n\nstep(0)\n")
    done = run(folder, PYTHON, "train.py")
    assert done.returncode == 1
    assert b"Division by Zero" in done.stderr
    assert b"train.py:2" in done.stderr
    assert done.stdout == b""
    assert recorded(folder).endswith(b"ZeroDivisionError: division by zero\n")
    log = done.stderr.rstrip().rpartition(b" ")[2].decode()
    again = subprocess.run(
        [PYTHON, "-m", "dl_bug_lsp", "localize", log],
        cwd=folder,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert again.returncode == 0


FLAT = """for epoch in range(8):
    print(f"epoch {epoch} train_loss {2.3 + epoch % 3 / 1000:.4f}")
"""


def test_a_run_that_ends_well_and_learns_nothing_is_warned_of(folder: Path) -> None:
    (folder / "train.py").write_text(FLAT)
    done = run(folder, PYTHON, "train.py")
    assert done.returncode == 0
    assert b"ended without an error, but its metrics look wrong" in done.stderr
    assert b"Loss Stagnation" in done.stderr
    (folder / "train.py").write_text(FLAT.replace("epoch % 3 / 1000", "-epoch / 4"))
    learns = run(folder, PYTHON, "train.py")
    assert (learns.returncode, learns.stderr) == (0, b"")


NOT_A_NUMBER = """for epoch in range(4):
    print(f"epoch {epoch} loss: {float('nan'):.4f} val_loss: {float('nan'):.4f}")
"""


def test_a_run_that_ends_well_with_a_loss_that_is_no_number_is_warned_of(folder: Path) -> None:
    (folder / "train.py").write_text(NOT_A_NUMBER)
    done = run(folder, PYTHON, "train.py")
    assert done.returncode == 0
    assert b"ended without an error, but its metrics look wrong" in done.stderr
    assert b"Loss NaN" in done.stderr
    assert b"will most likely do the same again" in done.stderr
    log = done.stderr.rstrip().rpartition(b" ")[2].decode()
    again = subprocess.run(
        [PYTHON, "-m", "dl_bug_lsp", "localize", log, "--brief"],
        cwd=folder,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert b"Loss NaN" in again.stdout


RISES = """for epoch in range(8):
    loss, held = 1 / (epoch + 1), 0.5 + (epoch - 2) ** 2 / 50
    print(f"epoch {epoch} train_loss {loss:.4f} val_loss {held:.4f}")
"""


def test_overfitting_is_told_in_one_line_with_where_there_is_more(folder: Path) -> None:
    (folder / "train.py").write_text(RISES)
    done = run(folder, PYTHON, "train.py")
    assert done.returncode == 0
    hint, more = done.stderr.decode().splitlines()
    assert "the command ended without an error; it may be Overfitting: `val_loss` rises" in hint
    (log,) = (folder / ".dlbug" / "runs").glob("*.log")
    assert more.endswith(f"more: dl-bug-lsp localize .dlbug/runs/{log.name}")


def test_a_format_for_machines_and_no_report_at_all(folder: Path) -> None:
    fails = ["--", PYTHON, "-c", "raise RuntimeError('x')"]
    quiet = subprocess.run(
        [*RUN, "--no-report", *fails], cwd=folder, capture_output=True, check=False, timeout=60
    )
    assert quiet.stderr.endswith(b"RuntimeError: x\n")
    asked = subprocess.run(
        [*RUN, "--format", "json", *fails], cwd=folder, capture_output=True, check=False, timeout=60
    )
    document = asked.stderr[asked.stderr.index(b"\n{") :]
    assert json.loads(document)["failures"][0]["exception"]["type"] == "RuntimeError"


@pytest.mark.parametrize(("name", "code"), [("no-such-command", 127), ("./data.txt", 126)])
def test_a_command_that_cannot_run_leaves_no_record(folder: Path, name: str, code: int) -> None:
    (folder / "data.txt").write_text("x")
    done = run(folder, name)
    assert done.returncode == code
    assert done.stderr.count(b"\n") == 1
    assert records(folder) == []


def test_no_command_is_wrong_use(folder: Path) -> None:
    done = run(folder)
    assert done.returncode == 2
    assert b"name the command" in done.stderr


def test_a_record_stands_in_the_project_s_folder(folder: Path) -> None:
    (folder / "src").mkdir()
    python(folder / "src", "print(1)")
    (record,) = records(folder)
    assert record["folder"] == "src"
    assert (folder / ".dlbug" / ".gitignore").read_text() == "*\n"


def test_a_folder_that_cannot_be_written_is_no_reason_to_fail(folder: Path) -> None:
    (folder / ".dlbug").write_text("in the way")
    done = python(folder, "print('here'); raise ValueError('x')")
    assert done.returncode == 1
    assert done.stdout == b"here\n"
    assert b"the run is not recorded" in done.stderr
    assert b"Most suspicious" in done.stderr or b"ValueError" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
def test_a_full_disk_is_no_reason_to_fail(tmp_path: Path) -> None:
    log = CappedLog(tmp_path / "x.log")
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, log._number)
    os.close(full)
    for _ in range(3):
        log.write(b"some output\n")
    assert log.problem is not None
    assert log.content() == b"some output\n" * 3


def test_old_runs_are_removed(folder: Path) -> None:
    runs = folder / ".dlbug" / "runs"
    runs.mkdir(parents=True)
    old = {"command": ["x"], "folder": ".", "pid": 1, "started": "s", "exit_code": 0}
    for number in range(60):
        (runs / f"20200101T0000{number:02}Z-1.json").write_text(json.dumps(old))
        (runs / f"20200101T0000{number:02}Z-1.log").write_text("x")
    python(folder, "print(1)")
    assert len(list(runs.glob("*.json"))) == len(list(runs.glob("*.log"))) == 50


def test_a_reader_that_goes_away_is_told_to_the_command(folder: Path) -> None:
    shell = f'{" ".join(RUN)} -- sh -c "yes; echo $? >&2" | head -1'
    done = subprocess.run(
        ["sh", "-c", shell], cwd=folder, capture_output=True, check=False, timeout=60
    )
    assert done.stdout == b"y\n"


def test_what_a_command_leaves_running_keeps_its_output(folder: Path) -> None:
    go = folder / "go"
    code = f"while [ ! -e {go} ]; do sleep 0.02; done; echo late"
    with (folder / "out.txt").open("wb") as out:
        done = subprocess.run(
            [*RUN, "--", "sh", "-c", f"echo early; ({code}) & exit 0"],
            cwd=folder, stdout=out, timeout=SECONDS, check=True,
        )  # fmt: skip
    assert done.returncode == 0
    assert (folder / "out.txt").read_text() == "early\n"
    go.touch()
    wait_for(lambda: (folder / "out.txt").read_text() == "early\nlate\n", "the late output")


TRAPS = (
    "import signal, sys\n"
    "got = []\n"
    "def take(number, frame): print('got', signal.Signals(number).name, flush=True)\n"
    "for n in (signal.SIGUSR1, signal.SIGHUP, signal.SIGTERM): signal.signal(n, take)\n"
    # Where the tests run in the background of a shell, it is ignored from the start.
    "signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
    "print('ready', flush=True)\n"
    "while True: signal.pause()\n"
)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGUSR1"])
def test_signals_reach_the_command(folder: Path, name: str) -> None:
    process = subprocess.Popen(
        [*RUN, "--no-report", "--", PYTHON, "-c", TRAPS], cwd=folder, stdout=subprocess.PIPE
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(getattr(signal, name))
        assert process.stdout.readline() == f"got {name}\n".encode()
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == -signal.SIGINT


class Terminal:
    """A real pseudo-terminal with our command in its foreground, as a shell would start it."""

    def __init__(self, folder: Path, *command: str) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 77, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.seen = b""

        def own_terminal() -> None:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            command, cwd=folder, stdin=slave, stdout=slave, stderr=slave,
            preexec_fn=own_terminal,  # noqa: PLW1509 - the tests have one thread here
        )  # fmt: skip
        os.set_blocking(self.master, False)

    def read(self) -> bytes:
        with suppress(BlockingIOError, OSError):
            while data := os.read(self.master, 65_536):
                self.seen += data
        return self.seen

    def expect(self, text: bytes) -> None:
        wait_for(lambda: text in self.read(), f"{text!r} (seen: {self.seen[-300:]!r})")

    def type(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def end(self) -> int:
        def ended() -> bool:
            self.read()
            return self.process.poll() is not None

        wait_for(ended, "the end of the command")
        self.read()
        return self.process.returncode


@contextmanager
def terminal(folder: Path, *command: str) -> Iterator[Terminal]:
    opened = Terminal(folder, *(command or RUN))
    try:
        yield opened
    finally:
        with suppress(ProcessLookupError):
            os.killpg(opened.process.pid, signal.SIGKILL)
        opened.process.wait(SECONDS)
        os.close(opened.master)
        os.close(opened.slave)


def at_terminal(folder: Path, code: str, *options: str) -> Any:
    return terminal(folder, *RUN, *options, "--", PYTHON, "-c", code)


def test_a_terminal_s_command_sees_a_terminal_of_its_size_and_colours(folder: Path) -> None:
    code = (
        "import os, sys; print([os.isatty(n) for n in range(3)], os.get_terminal_size(1),"
        "os.get_terminal_size(2)); print('\\x1b[31mred\\x1b[0m\\rbar'); open('/dev/tty').close()"
    )
    with at_terminal(folder, code) as opened:
        assert opened.end() == 0
        assert b"[True, True, True]" in opened.seen
        assert opened.seen.count(b"columns=77, lines=33") == 2
        assert b"\x1b[31mred\x1b[0m\rbar\r\n" in opened.seen
        assert termios.tcgetattr(opened.slave) == opened.before
    assert recorded(folder).endswith(b"\x1b[31mred\x1b[0m\rbar\n")


def test_at_a_terminal_the_same_bytes_appear_as_without_us(folder: Path) -> None:
    code = "import sys; print('a\\n\\tb\\r\\nc'); print('e', file=sys.stderr); print('\\x00\\xff')"
    with terminal(folder, PYTHON, "-c", code) as direct:
        direct.end()
    with at_terminal(folder, code) as through:
        through.end()
    assert through.seen == direct.seen


def test_prompts_take_what_is_typed(folder: Path) -> None:
    code = (
        "name = input('name? '); print('hello', name); import pdb; pdb.set_trace(); print('over')"
    )
    with at_terminal(folder, code) as opened:
        opened.expect(b"name? ")
        opened.type(b"you\r")
        opened.expect(b"hello you")
        opened.expect(b"(Pdb) ")
        opened.type(b"p name * 2\r")
        opened.expect(b"'youyou'")
        opened.type(b"c\r")
        assert opened.end() == 0
        assert termios.tcgetattr(opened.slave) == opened.before


def test_ctrl_c_reaches_the_command_once(folder: Path) -> None:
    code = (
        "import time\n"
        "try:\n    print('ready', flush=True); time.sleep(60)\n"
        "except KeyboardInterrupt:\n    time.sleep(0.3); print('saved')\n"
    )
    with at_terminal(folder, code) as opened:
        opened.expect(b"ready")
        opened.type(b"\x03")
        assert opened.end() == 0
        assert b"saved" in opened.seen
        assert b"Traceback" not in opened.seen


def test_a_run_that_ctrl_c_ends_is_no_failure(folder: Path) -> None:
    with at_terminal(folder, "print('ready', flush=True); input()") as opened:
        opened.expect(b"ready")
        opened.type(b"\x03")
        assert opened.end() == -signal.SIGINT
        assert b"Most suspicious" not in opened.seen


def test_a_new_size_reaches_the_command(folder: Path) -> None:
    code = (
        "import os, signal\n"
        "def tell(*_): print('now', os.get_terminal_size(1).columns, flush=True)\n"
        "signal.signal(signal.SIGWINCH, tell)\n"
        "print('ready', flush=True)\n"
        "while True: signal.pause()\n"
    )
    with at_terminal(folder, code) as opened:
        opened.expect(b"ready")
        fcntl.ioctl(opened.master, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 123, 0, 0))
        opened.expect(b"now 123")


def test_modes_that_a_full_screen_program_sets_hold_and_end_with_it(folder: Path) -> None:
    code = (
        "import sys, termios, tty\n"
        "tty.setcbreak(1)\n"
        "print('set', flush=True)\n"
        "print('key', repr(sys.stdin.read(1)), flush=True)\n"
    )
    with at_terminal(folder, code) as opened:
        opened.expect(b"set\r\n")
        opened.type(b"q")  # Without a line's end: nobody waits for one in this mode.
        opened.expect(b"key 'q'")
        assert opened.end() == 0
        assert termios.tcgetattr(opened.slave) == opened.before


def test_ctrl_z_stops_and_fg_goes_on(folder: Path) -> None:
    script = folder / "count.py"
    script.write_text(
        "import time\nprint('ready', flush=True)\n"
        "while True:\n    time.sleep(0.02)\n    print('.', end='', flush=True)\n"
    )
    prompt = {**os.environ, "PS1": "shell> ", "ENV": ""}
    command = " ".join([*RUN, "--", PYTHON, str(script)])
    with terminal(folder, "env", f"PS1={prompt['PS1']}", "ENV=", "bash", "--norc", "-i") as opened:
        opened.expect(b"shell> ")
        opened.type(f"{HERE} {command}\r".encode())
        opened.expect(b"ready")
        opened.expect(b"....")
        opened.type(b"\x1a")
        opened.expect(b"Stopped")
        opened.type(b"jobs; echo stopped-$((20 + 3))\r")
        opened.expect(b"stopped-23")
        at = len(opened.read())
        opened.type(b"fg\r")
        wait_for(lambda: b"...." in opened.read()[at:], "the command to go on")
        opened.type(b"\x03")
        opened.expect(b"KeyboardInterrupt")
        opened.type(b"echo code-$?\r")
        opened.expect(b"code-130")


def test_a_terminal_for_errors_only(folder: Path) -> None:
    (folder / "tell.py").write_text(
        "import os, sys; print(os.isatty(1), file=sys.stderr); print(os.isatty(2))"
    )
    piped = f"{HERE} {' '.join(RUN)} -- {PYTHON} tell.py | cat"
    with terminal(folder, "sh", "-c", piped) as opened:
        assert opened.end() == 0
        # The two streams come by two ways: a line of one may stand within one of the other.
        assert sorted(re.findall(rb"True|False", opened.seen)) == [b"False", b"True"]


def test_a_capped_log_keeps_the_beginning_and_the_end(tmp_path: Path) -> None:
    log = CappedLog(tmp_path / "x.log", head=1000, tail=4000)
    lines = [b"line %06d\n" % number for number in range(10_000)]
    for line in lines:
        log.write(line)
    log.close()
    kept = log.content()
    whole = b"".join(lines)
    before, note, after = kept.partition(b"\n[dl-bug-lsp left out ")
    assert note
    count, _, after = after.partition(b" bytes of output here]\n")
    assert before == whole[:1000]
    assert whole.endswith(after)
    assert len(after) >= 3900
    assert int(count) == log.left_out == len(whole) - len(before) - len(after)
    assert len(kept) < 1000 + 2 * 4000 + 100


def test_a_piece_that_is_larger_than_the_cap_is_cut(tmp_path: Path) -> None:
    log = CappedLog(tmp_path / "x.log", head=100, tail=400)
    log.write(bytes(range(97, 122)) * 1000)
    log.close()
    assert log.content().endswith((bytes(range(97, 122)) * 1000)[-400:])
    assert len(log.content()) < 1000


LAUNCH_FILES = {
    ".vscode/launch.json": '{"configurations": [{"name": "T", "program": "train.py"}]}\n',
    "Makefile": "train:\n\tpython train.py --lr 1\n",
    "run.sh": "set -e\npython train.py --lr 1\n",
    "train.py": "print('ok')\n",
}


@pytest.mark.parametrize("launch_file", [None, "bad.sh"])
def test_a_program_file_that_is_not_there_is_the_command_s_fault(
    folder: Path, launch_file: str | None
) -> None:
    for name, text in LAUNCH_FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    if launch_file is None:
        done = run(folder, PYTHON, "trian.py")
    else:
        (folder / launch_file).write_text(f"cd .\n{PYTHON} trian.py\n")
        done = run(folder, "sh", launch_file)
    told = " ".join(done.stderr.decode().split())
    start = "" if launch_file is None else "bad.sh:2: "
    assert f"Likely cause: {start}the command starts `trian.py`" in told
    assert "a file of nearly that name is `train.py`" in told
    assert not any(name in told for name in ("launch.json", "Makefile", "run.sh"))


HEADS = """import os

import numpy as np

WIDTH = 6


def load():
    size = int(os.popen("echo 7").read())
    return np.ones((4, size))


def forward(batch, weight):
    return batch @ weight


weight = np.zeros((WIDTH, 2))
forward(load(), weight)
"""


def run_with(folder: Path, *options: str) -> dict[str, Any]:
    (folder / "train.py").write_text(HEADS)
    words = [*RUN, *options, "--format", "json", "--", PYTHON, "train.py"]
    done = subprocess.run(words, cwd=folder, capture_output=True, check=False, timeout=60)
    assert done.returncode == 1
    document = done.stderr[done.stderr.index(b"\n{") :]
    report: dict[str, Any] = json.loads(document[: document.rindex(b"}") + 1])
    return report


def test_locals_are_recorded_where_that_is_asked_for_and_told(folder: Path) -> None:
    report = run_with(folder, "--locals")
    frames = report["failures"][0]["frames"]
    held = {v["name"]: v["value"] for v in frames[-1]["variables"]}
    assert held == {
        "batch": "float64 array (4, 7), all 1",
        "weight": "float64 array (6, 2), all 0",
    }
    # What the program computed by means that are not followed is known from the run.
    conflict = report["failures"][0]["conflict"]
    assert [(side["value"], side["places"]) for side in conflict["values"]] == [
        ("7", [{"file": "train.py", "line": 9}]),
        ("6", [{"file": "train.py", "line": 5}]),
    ]

    (log,) = (folder / ".dlbug" / "runs").glob("*.log")
    assert log.with_suffix(".frames.json").exists()
    words = [sys.executable, "-m", "dl_bug_lsp", "localize", str(log), "--format", "json"]
    again = subprocess.run(words, cwd=folder, capture_output=True, check=True, timeout=60)
    assert json.loads(again.stdout)["failures"][0]["frames"] == frames


def test_locals_are_not_recorded_unless_asked_for(folder: Path) -> None:
    report = run_with(folder)
    assert all("variables" not in frame for frame in report["failures"][0]["frames"])
    assert "conflict" not in report["failures"][0]
    assert not list((folder / ".dlbug" / "runs").glob("*.frames.json"))


def test_of_runs_that_go_well_no_locals_are_kept(folder: Path) -> None:
    words = [*RUN, "--locals", "--", PYTHON, "-c", "size = 3"]
    subprocess.run(words, cwd=folder, check=True, timeout=60)
    assert not list((folder / ".dlbug" / "runs").glob("*.frames.json"))


SETTINGS = """import os
from types import SimpleNamespace

pairs = [line.split(":") for line in os.popen("cat config.yaml").read().splitlines()]
config = SimpleNamespace(**{key: int(value) for key, value in pairs})


def build(config):
    assert config.width % config.heads == 0, "no whole number of columns"


build(config)
"""


def test_settings_that_the_failing_frames_held_are_named(folder: Path) -> None:
    (folder / "config.yaml").write_text("seed: 3\nwidth: 90\nheads: 4\nlayers: 2\n")
    (folder / "train.py").write_text(SETTINGS)
    words = [*RUN, "--locals", "--format", "json", "--", PYTHON, "train.py"]
    done = subprocess.run(words, cwd=folder, capture_output=True, check=False, timeout=60)
    document = done.stderr[done.stderr.index(b"\n{") :]
    failure = json.loads(document[: document.rindex(b"}") + 1])["failures"][0]
    reasons = {
        suspect["line"]: " ".join(evidence["why"] for evidence in suspect["evidence"])
        for suspect in failure["suspects"]
        if suspect["file"] == "config.yaml"
    }
    assert "the run held `width: 90` as `config.width` at train.py:9" in reasons[2]
    assert "the run held `heads: 4` as `config.heads` at train.py:9" in reasons[3]
    assert 1 not in reasons
    assert 4 not in reasons
