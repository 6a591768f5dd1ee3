"""Whatever the text: nothing raises, spans lie inside, one primary at most, and it ends."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from endings import CPU_SECONDS, ends
from hypothesis import given, settings
from hypothesis import strategies as st

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.tracebacks import Reading, read_failures

CASES = sorted(Path(__file__).with_name("cases").glob("*.txt"))
PIECES = [
    "Traceback (most recent call last):\n",
    '  File "a.py", line 3, in f\n',
    "    x = y\n",
    "    ^^^^^\n",
    "ValueError: bad\n",
    "\n",
    "During handling of the above exception, another exception occurred:\n",
    "RuntimeError: Caught KeyError in DataLoader worker process 0.\n",
    "Original Traceback (most recent call last):\n",
    "ValueError: in user code:\n",
    '    File "b.py", line 4, in g  *\n',
    "  + Exception Group Traceback (most recent call last):\n",
    "  | ExceptionGroup: x\n",
    "  +-+---------------- 1 ----------------\n",
    "╭──── Traceback (most recent call last) ────╮\n",
    "│ /a/b.py:3 in f                           │\n",
    "│ ❱ 3 x                                    │\n",
    "╰──────────────────────────────────────────╯\n",
    "KeyError        Traceback (most recent call last)\n",
    "Cell In[3], line 5\n",
    "----> 5 f()\n",
    "==== FAILURES ====\n",
    "____ test_x ____\n",
    ">       f()\n",
    "E       ValueError: x\n",
    "a.py:3: ValueError\n",
    "[rank1]: ",
    "0: ",
    '{"log": "ValueError: x\\n"}\n',
    "\x1b[31m",
    "\r",
    "train.py FAILED\n",
    "=" * 60 + "\n",
    "[0]:\n  rank      : 1 (local_rank: 1)\n  exitcode  : -9 (pid: 1)\n",
    "Fatal Python error: Aborted\n",
    "Current thread 0x0001 (most recent call first):\n",
    "Graph execution error:\n",
    "Detected at node 'x' defined at (most recent call last):\n",
    "tqdm  5%|▌ | 1/20",
    "multiprocessing.pool.RemoteTraceback: \n",
    '"""\n',
    "usage: a.py\n",
    "Exception has occurred: KeyError\n",
    "a.py: error: x\n",
    "Error executing job with overrides: []\n",
    "-- Process 1 terminated with the following error:\n",
    "epoch 1 loss 0.3\n",
]


def sound(text: str | bytes) -> Reading:
    log = read_log(text)
    raw = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    count = raw.count("\n") + 1
    reading = read_failures(log)
    assert sum(failure.primary for failure in reading.failures) <= 1
    starts = [failure.span.first_line for failure in reading.failures]
    assert starts == sorted(starts)
    for failure in reading.failures:
        spans = [failure.span, *(cause.span for cause in failure.causes)]
        assert all(1 <= span.first_line <= span.last_line <= count for span in spans)
        assert 0 <= failure.root < len(failure.causes)
        assert all(frame.line >= 0 for frame in failure.frames)
    assert read_failures(read_log(text)) == reading
    return reading


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_torn_dialects(text: str) -> None:
    sound(text)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300))
def test_any_text(text: str) -> None:
    sound(text)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    read_failures(read_log(data))


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_mutilated_cases(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    chance = random.Random(path.stem)
    for _ in range(4):
        start, end = sorted(chance.sample(range(len(lines) + 1), 2))
        sound("\n".join(lines[start:end]))
        sound("\n".join(line for line in lines if chance.random() < 0.8))
        sound(text[: chance.randrange(len(text) + 1)])


PASTED = [
    '  File "' + "a" * 40 + "\n",
    '  File "' + "a" * 40 + '", line 12\n',
    'Traceback (most recent call last):  File "a.py", line 3, in f    x ValueError: x\n',
    "100%|██| 10/10 [00:01<00:00, 9it/s]ValueError: x\n",
    "**`_>" * 40 + "ValueError: x**\n",
    'Traceback (most recent call last):\n  File "a.py", line 3, in f\nE0325 11:01:08.1 2 a:1] f\n',
    "KeyErrorTraceback (most recent call last)\n/a/b.py\n in f(x)\n",
    "&lt;module&gt; " * 60 + "\n",
    "it says RuntimeError: x " * 30 + "\n",
    "RuntimeError : x\n",
    "参照KeyError: x " * 20 + "\n",
    "# a.b.XError: " * 20 + "\n",
    '"message": "a.XError: x",\n',
    '\t"stack": "----\n\\"',
    "`INTERNAL: Failed to run x`\n",
    "#9 3.12 Dockerfile: x\n",
    "[E socket.cpp:12] [c10d] x\n",
    "Error downloading object: x\n",
    "x 1 requires y, but you have z\n",
    'Traceback (most recent call last):\n\n  File "a.py", line 3, in f\n\n    x\n\n',
]
"""What pages, chats and terminals make of tracebacks, over and over."""


@pytest.mark.parametrize(
    "unit", [*PIECES, *PASTED, "".join(PIECES), "a", " ", "Error: ", '"', "\x1b]", "[[{{"]
)
def test_hostile_texts_come_to_an_end(unit: str) -> None:
    """A square would take minutes for this length: a part of the guard's usual time is enough."""
    text = unit * (100_000 // len(unit))
    with ends(CPU_SECONDS / 4):
        reading = read_failures(read_log(text))
    assert sum(failure.primary for failure in reading.failures) <= 1


LONG = 60_000
STACK = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n'
BOX = (
    "╭──── Traceback (most recent call last) ────╮\n│ /a/b.py:3 in f                           │\n"
)
GROUP = "  + Exception Group Traceback (most recent call last):\n  | ExceptionGroup: x\n"
LONG_LINES = {
    "carets with a word among them": (STACK, "~" * (LONG // 2) + "x" + "~" * (LONG // 2)),
    "a function's name of blanks": (STACK, '  File "a.py", line 3, in f' + " " * LONG + "x"),
    "a rule that does not end": ("=== FAILURES ===\n___ test_x ___\n", "=" * 3_000 + "x"),
    "a panel's side that does not end": (BOX, "│ ╭" + "─" * LONG + "x"),
    "a group's rule that does not end": (GROUP, "  +" + "-" * LONG + "x"),
    "an assertion without a place": ("ValueError: device-side assert\n", "Assertion" + "x" * LONG),
    "a warning's name that does not end": ("", ("ERROR " + "x" * 3_900 + "\n") * (LONG // 3_900)),
}


@pytest.mark.parametrize("name", LONG_LINES)
def test_long_lines_come_to_an_end(name: str) -> None:
    """A few lines, each as long as the reader of logs leaves them: a square would take minutes."""
    before, line = LONG_LINES[name]
    text = before + (line + "\n") * 12 + "ValueError: bad\n"
    with ends(15):
        reading = read_failures(read_log(text))
    assert sum(failure.primary for failure in reading.failures) <= 1
