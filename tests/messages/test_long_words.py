"""What reads messages takes time that grows as they do, also where a word fills them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dl_bug_lsp.interpretation import matched_facts, matched_messages, run_state
from dl_bug_lsp.localize import localize
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.messages import extract_facts, readable
from dl_bug_lsp.messages.extract import named_places
from dl_bug_lsp.taxonomy.classify import classify
from dl_bug_lsp.tracebacks import Cause, read_failures
from dl_bug_lsp.workspace import Workspace

SHORT = 500
TIMES = 8
STEEPEST = 24.0
"""How much longer eight times the characters may take: as long as eight are, a square takes 64."""
LEAST = 0.02
"""Seconds of processor time; what takes less is not looked at."""
PIECES = (
    *("a", "A", "0", ".", " ", "\n", "\t", "_", "-", "/", "\\", "*", "#", "%", "<", ">", "é"),
    *("(", ")", "[", "]", "{", "}", "'", '"', "`", ",", ":", "=", "|", "a ", "a.", "0,", "0, "),
    *("()", "a()", "a(", "[a]", "(a)", "'a' ", "'a', ", "`a`", "[0, ", "(0, ", "a/", "a=0 "),
    *("Error: ", "aError", "torch.Size([", "got ", "expected ", "shape ", "KeyError: [", "a.Error"),
)


def seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def is_steep(work: Callable[[str], object], piece: str) -> bool:
    """Whether time grows far more than the text; the best of three tells more than one."""
    long = (piece * (TIMES * SHORT))[: TIMES * SHORT]
    if seconds(lambda: work(long)) < LEAST:
        return False
    short = long[:SHORT]
    longest = min(seconds(lambda: work(long)) for _ in range(3))
    return longest > LEAST and longest > STEEPEST * min(seconds(lambda: work(short)) for _ in "abc")


def patterns(module: object) -> Iterator[re.Pattern[str]]:
    """Yield what a module has compiled, in its tables too."""
    left = list(vars(module).values())
    while left:
        value = left.pop()
        if isinstance(value, re.Pattern):
            yield value
        elif isinstance(value, (tuple, list)):
            left.extend(value)


@pytest.mark.parametrize(
    "module", [matched_messages, matched_facts, run_state], ids=lambda module: module.__name__
)
def test_patterns_that_are_looked_for_in_messages(module: object) -> None:
    found = set(patterns(module))
    assert found
    assert [
        (pattern.pattern, piece)
        for pattern in found
        for piece in PIECES
        if is_steep(pattern.search, piece)
    ] == []


def read(text: str) -> None:
    log = read_log(f'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: {text}')
    for failure in read_failures(log).failures:
        if isinstance(failure.cause, Cause):
            named_places(failure.cause.message)
            classify(failure, extract_facts(failure.cause))


def test_readers_of_messages() -> None:
    assert [piece for piece in PIECES if is_steep(read, piece)] == []


SOURCE = """\
def load(x):
    if not x:
        raise ValueError("a")
    return check(x, key=3)
def check(x, key):
    return int(x)
load("a")
"""
LOG = """\
Traceback (most recent call last):
  File "train.py", line 7, in <module>
    load("a")
  File "train.py", line 4, in load
    return check(x, key=3)
  File "train.py", line 6, in check
    return int(x)
ValueError: """


@pytest.mark.parametrize("piece", ["a", "a.", "[", "0"])
def test_the_whole_way_from_a_log_to_its_places(tmp_path: Path, piece: str) -> None:
    (tmp_path / "train.py").write_text(SOURCE)
    workspace = Workspace(tmp_path, cache=False)
    localize(LOG + "a", workspace)
    assert not is_steep(lambda text: localize(LOG + text, workspace), piece)


def test_of_a_very_long_message_both_ends_are_looked_at() -> None:
    assert readable("a" * 20_000) == "a" * 20_000
    cut = readable("b" + "a" * 1_000_000 + "c")
    assert len(cut) < 30_000
    assert (cut[0], cut[-1]) == ("b", "c")
