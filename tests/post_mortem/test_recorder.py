"""What is recorded of real processes that an exception ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dl_bug_lsp.post_mortem.records import (
    RecordedException,
    collect,
    environment,
    problems,
    read_exceptions,
    recording_folder,
)


def recorded(
    root: Path, program: str, *, code: int = 1, name: str = "train.py"
) -> tuple[RecordedException, ...]:
    """Run a program in its workspace with the recorder at work; return what was recorded."""
    (root / name).write_text(program)
    with recording_folder() as folder:
        variables = {**os.environ, **environment(folder, root, os.environ)}
        done = subprocess.run(
            [sys.executable, name],
            cwd=root,
            env=variables,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == code, done.stderr.decode()
        assert problems(folder) == ()
        return read_exceptions(collect(folder), root)


PROGRAM = """
import numpy as np

WIDTH = 3


class Net:
    def __init__(self, width):
        self.width = width
        self.weight = np.ones((width, 2))
        self.layers = [np.zeros(4), "relu"]

    def forward(self, batch):
        scale, label = 0.5, None
        return batch @ self.weight * WIDTH


def main():
    config = {"lr": 0.1, "sizes": (1, 2), "api_key": "abcdef"}
    token = "tiny"
    rows = list(range(100))
    labels = np.array([0, 4, 2])
    holes = np.array([1.0, float("nan")])
    Net(5).forward(np.zeros((8, 7), dtype="float32"))


main()
"""


def test_frames_with_what_their_variables_held(tmp_path: Path) -> None:
    (error,) = recorded(tmp_path, PROGRAM)
    assert (error.type, error.message[:6]) == ("ValueError", "matmul")
    assert [(f.file, f.line, f.function) for f in error.frames] == [
        ("train.py", 27, "<module>"),
        ("train.py", 24, "main"),
        ("train.py", 15, "forward"),
    ]
    main, forward = error.frames[1].names, error.frames[2].names
    assert forward["WIDTH"] == {"v": 3}
    assert forward["label"] == {"v": None}
    assert forward["batch"] == {
        "t": "numpy.ndarray",
        "shape": [8, 7],
        "dtype": "float32",
        "low": 0.0,
        "high": 0.0,
    }
    attributes = forward["self"]["attributes"]
    assert attributes["width"] == {"v": 5}
    assert attributes["weight"]["shape"] == [5, 2]
    assert attributes["layers"]["n"] == 2
    assert (main["labels"]["low"], main["labels"]["high"]) == (0, 4)
    assert main["holes"]["nan"] is True
    assert main["rows"]["n"] == 100
    assert len(main["rows"]["items"]) < 20
    assert dict(main["config"]["items"])["lr"] == {"v": 0.1}


def test_secrets_are_not_kept(tmp_path: Path) -> None:
    program = """
def login(password, token, tokens):
    address = "https://me:hunter2@example.org/x"
    key = "hf_AbCdEfGhIjKlMnOpQrStUvWx"
    config = {"api_key": "abcdef", "steps": 3}
    raise ValueError("no")

login("hunter2", "abcdef", [1, 2])
"""
    (error,) = recorded(tmp_path, program)
    names = error.frames[-1].names
    text = json.dumps(names)
    assert all(secret not in text for secret in ("hunter2", "abcdef", "hf_"))
    assert names["password"] == {"t": "str", "hidden": True}
    assert names["tokens"]["items"] == [{"v": 1}, {"v": 2}]
    assert dict(names["config"]["items"])["steps"] == {"v": 3}


def test_nothing_of_the_program_is_called(tmp_path: Path) -> None:
    program = """
class Loud:
    def __init__(self):
        self.size = 2

    def shout(self, *names):
        open("called", "w").close()

    __repr__ = __str__ = __len__ = __iter__ = __eq__ = __hash__ = __bool__ = shout
    __getattr__ = lambda self, name: self.shout()
    shape = __class__ = property(shout)


class Table(dict):
    items = __iter__ = __len__ = Loud.shout


class Failed(Exception):
    __repr__ = __eq__ = Loud.shout
    __hash__ = None


def step(loud, table):
    try:
        raise Failed(1)
    except Failed as error:
        raise KeyError("x") from error

step(Loud(), Table(a=1))
"""
    cause, error = recorded(tmp_path, program)
    assert (cause.type, error.type) == ("Failed", "KeyError")
    names = error.frames[-1].names
    assert names["loud"]["attributes"] == {"size": {"v": 2}}
    assert names["table"]["items"] == [["a", {"v": 1}]]
    assert not (tmp_path / "called").exists()


ENDS = {
    "printed by a hook of the program's own": (
        "import sys\nsys.excepthook = lambda *given: None\nsize = 3\nsize / 0\n"
    ),
    "caught, and followed by an exit": (
        "import sys\nsize = 3\ntry:\n    size / 0\nexcept ZeroDivisionError as error:\n"
        "    print(error)\n    sys.exit(1)\n"
    ),
    "logged, and followed by an exit": (
        "import logging, os\nsize = 3\ntry:\n    size / 0\nexcept ZeroDivisionError:\n"
        "    logging.exception('failed')\n    os._exit(1)\n"
    ),
    "formatted by keywords": (
        "import os, traceback\nsize = 3\ntry:\n    size / 0\nexcept ZeroDivisionError as error:\n"
        "    made = traceback.TracebackException(exc_type=type(error), exc_value=error,\n"
        "        exc_traceback=error.__traceback__)\n    print(*made.format())\n    os._exit(1)\n"
    ),
    "in a process of its own": (
        "import multiprocessing, sys\n\ndef work(size):\n    return size / 0\n\n"
        "if __name__ == '__main__':\n    child = multiprocessing.Process(target=work, args=(3,))\n"
        "    child.start()\n    child.join()\n    sys.exit(child.exitcode)\n"
    ),
    "in a thread": (
        "import threading, sys\n\ndef work(size):\n    return size / 0\n\n"
        "thread = threading.Thread(target=work, args=(3,))\nthread.start()\nthread.join()\n"
        "sys.exit(1)\n"
    ),
    "the cause of another one": (
        "size = 3\ntry:\n    size / 0\nexcept ZeroDivisionError as error:\n"
        "    raise RuntimeError('no step') from error\n"
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_however_the_exception_ends_the_run(tmp_path: Path, name: str) -> None:
    errors = recorded(tmp_path, ENDS[name])
    error = next(error for error in errors if error.type == "ZeroDivisionError")
    assert error.frames[-1].names["size"] == {"v": 3}


def test_the_last_of_many_alike_is_recorded(tmp_path: Path) -> None:
    """Of objects that are gone, new ones mostly have the addresses."""
    program = """
import traceback

def work(size):
    return size / 0

for size in range(20):
    try:
        work(size)
    except ZeroDivisionError:
        traceback.format_exc()
work(99)
"""
    errors = recorded(tmp_path, program)
    assert errors[-1].frames[-1].names["size"] == {"v": 99}


WELL = {
    "no exception": "size = 3\nprint(size)\n",
    "an exception that is caught": "try:\n    1 / 0\nexcept ZeroDivisionError:\n    pass\n",
    "an exit": "import sys\nsize = 3\nsys.exit(0)\n",
}


@pytest.mark.parametrize("name", WELL)
def test_nothing_is_recorded_of_runs_that_go_well(tmp_path: Path, name: str) -> None:
    assert recorded(tmp_path, WELL[name], code=0) == ()


def test_large_deep_and_circular_values_are_cut(tmp_path: Path) -> None:
    program = """
import numpy as np

def step(table, text, deep, array):
    ring = []
    ring.append(ring)
    wide = [[list(range(50)) for _ in range(50)] for _ in range(50)]
    raise ValueError("x" * 100_000)

deep = None
for _ in range(10_000):
    deep = [deep]
step({n: [str(n)] * 9 for n in range(100_000)}, "y" * 1_000_000, deep, np.zeros((4000, 4000)))
"""
    (error,) = recorded(tmp_path, program)
    names = error.frames[-1].names
    assert len(json.dumps(names)) < 60_000
    assert len(error.message) < 5_000
    assert names["table"]["n"] == 100_000
    assert names["text"]["n"] == 1_000_000
    assert names["array"]["shape"] == [4000, 4000]


def test_installed_packages_are_not_looked_into(tmp_path: Path) -> None:
    package = tmp_path / ".venv" / "lib" / "python3.12" / "site-packages"
    package.mkdir(parents=True)
    (package / "helper.py").write_text("def work(inside):\n    return inside / 0\n")
    program = f"import sys\nsys.path.append({str(package)!r})\nimport helper\nhelper.work(3)\n"
    (error,) = recorded(tmp_path, program)
    own, library = error.frames
    assert (own.file, own.line) == ("train.py", 4)
    assert library.names == {}


def test_the_hooks_leave_the_output_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    outputs: list[Any] = []
    with recording_folder() as folder:
        for variables in ({}, environment(folder, tmp_path, os.environ)):
            done = subprocess.run(
                [sys.executable, "train.py"],
                cwd=tmp_path,
                env={**os.environ, **variables},
                capture_output=True,
                timeout=60,
                check=False,
            )
            outputs.append((done.returncode, done.stdout, done.stderr))
    assert outputs[0] == outputs[1]


TEXTS = {
    "test_Informer_custom_ftM_sl48_ll24_pl12_dm512_nh8": False,
    "runs/2026-11-30/experiment_12_learning_rate_0.001": False,
    "the quick brown fox jumps over 13 lazy dogs and sleeps": False,
    "3f786850e387550fdab836ed7e6dc881de23001b": True,
    "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789+/==": True,
    "sk-proj-AbCdEfGhIjKlMn": True,
}


@pytest.mark.parametrize("text", TEXTS)
def test_names_of_experiments_are_no_secrets(tmp_path: Path, text: str) -> None:
    (error,) = recorded(tmp_path, f"setting = {text!r}\nsetting + 1\n")
    assert error.frames[-1].names["setting"].get("hidden", False) is TEXTS[text]
