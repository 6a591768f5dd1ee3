"""Sources that somebody wrote to be slow, large or deep: time stays linear, and no process ends."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dl_bug_lsp.localize import localize
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.configs import reader_for
from dl_bug_lsp.workspace.elements import MOST_SIGNS, parse


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Bound the processor time, many times what it takes: a square of the size takes far more."""
    began = time.process_time()
    yield
    assert time.process_time() - began < seconds


def failing(place: Path, source: str, log: str) -> str:
    (place / "train.py").write_text(source)
    report = localize(log, Workspace(place, cache=False))
    return report.failures[0].suspects[0].file


def raised_at(line: int) -> str:
    frame = f'  File "train.py", line {line}, in <module>\n    raise ValueError(x)\n'
    return f"Traceback (most recent call last):\n{frame}ValueError: bad value 7\n"


@pytest.mark.parametrize(
    "source",
    [
        "x = 7\n" + "".join(f"x{n} = x{n - 1} + 1\n" for n in range(1, 3_000)),
        "x = " + " == ".join(["a"] * 6_000) + "\n",
        "x = " + " and ".join(["a"] * 6_000) + "\n",
        "x = {" + ", ".join(f"'k{n}': {n}" for n in range(4_000)) + "}\n",
        "x = []\n" + "x.append(7)\n" * 3_000,
    ],
    ids=["chain", "comparison", "condition", "dictionary", "changes"],
)
def test_long_sources_take_linear_time(tmp_path: Path, source: str) -> None:
    lines = source.count("\n")
    with within(30):
        failing(tmp_path, source + "raise ValueError(x)\n", raised_at(lines + 1))


def test_a_stack_of_very_many_frames_takes_linear_time(tmp_path: Path) -> None:
    frames = "".join(f'  File "train.py", line {n}, in f{n}\n    x = 1\n' for n in range(1, 2_000))
    log = f"Traceback (most recent call last):\n{frames}ValueError: bad value 7\n"
    with within(15):
        assert failing(tmp_path, "x = 1\n" * 2_000, log) == "train.py"


@pytest.mark.parametrize(
    "text", ["x = 1;" * 200_000, "x = " + "[" * 150_000 + "]" * 150_000, "x = 1\n" * 200_000]
)
def test_what_would_take_all_memory_is_not_parsed(text: str) -> None:
    assert len(text) > MOST_SIGNS
    with within(5):
        assert (parse(text).problem or "").startswith("too large to be parsed")


@pytest.mark.parametrize("levels", [3, 100, 5_000, 100_000])
@pytest.mark.parametrize(
    ("name", "opened", "closed"),
    [
        ("a.yaml", "[", "]"),
        ("a.yaml", "{a: ", "}"),
        ("a.yaml", "- ", "x"),
        ("a.yaml", "? ", "x"),
        ("a.json", "[", "]"),
        ("a.json", '{"a":', "}"),
        ("a.toml", "a.", "b = 1"),
        ("a.toml", "a = [", "]"),
        ("a.jsonl", "[", "]"),
        ("Dockerfile", "RUN [", "]"),
        ("a.sh", "$(", ")"),
        ("a.ini", "[", "]"),
    ],
)
def test_no_depth_is_too_much(name: str, opened: str, closed: str, levels: int) -> None:
    reader = reader_for(name)
    assert reader is not None
    with within(20):
        reader(name, opened * levels + closed * (levels if len(closed) == 1 else 1))


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "x" + ".a" * 100_000,
        "x" + "()" * 60_000,
        "-" * 200_000 + "1",
        "not " * 200_000 + "x",
        "x = " + "lambda: " * 100_000 + "1",
        "".join(" " * n + "if x:\n" for n in range(500)) + " " * 500 + "pass",
        "1 + " * 100_000 + "1",
        "a if b else " * 50_000 + "c",
        "f'" + "{f'" * 500,
        "@a\n" * 100_000 + "def f(): pass",
    ],
    ids=range(11),
)
def test_no_python_ends_the_process(text: str) -> None:
    """In a process and a thread of its own, as the server parses: its stack is a small one."""
    code = (
        "import sys, threading\n"
        "from dl_bug_lsp.workspace.elements import parse\n"
        "text = sys.stdin.read()\n"
        "thread = threading.Thread(target=parse, args=(text,))\n"
        "thread.start(); thread.join(); print('alive')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=text, capture_output=True, text=True, check=False
    )
    assert (done.stdout.strip(), done.returncode) == ("alive", 0), done.stderr


@pytest.mark.parametrize(
    "log",
    [
        "".join(f"metric{n}: {n}.5\n" for n in range(10_000)),
        " ".join(f"metric{n}: {n}.5" for n in range(10_000)),
        "".join(f'{{"k{n}": {n}, "loss": 0.5}}\n' for n in range(5_000)),
        "{" + ", ".join(f'"k{n}": {n}' for n in range(25_000)) + "}",
        "".join(f"| m{n} | {n} | 0.5 |\n" for n in range(10_000)),
        "".join(f"KeyError: 'a{n}'\n" for n in range(5_000)),
        "\x1b[31m\x1b[A\r" * 25_000,
        "```python\nx = 1\n```\n" * 5_000,
    ],
    ids=["names", "one line", "records", "dictionary", "table", "errors", "codes", "fences"],
)
def test_long_logs_take_linear_time(tmp_path: Path, log: str) -> None:
    (tmp_path / "train.py").write_text("x = 1\n")
    with within(15):
        localize(log, Workspace(tmp_path, cache=False))


def test_arrays_that_lie_in_each_other_are_read_a_few_times() -> None:
    inner = "1, " * 50_000
    reader = reader_for("a.toml")
    assert reader is not None
    with within(20):
        reader("a.toml", "a = " + "[" * 60 + inner + "]" * 60 + "\n")


def test_a_key_of_the_project_s_settings_may_be_deep(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.dl-bug-lsp]\n" + "a." * 50_000 + "b = 1\n")
    with within(5):
        assert Workspace(tmp_path).config_entries("pyproject.toml") == ()
