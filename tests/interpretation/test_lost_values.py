"""What is known though a part is not: caches that are not there, lists that are filled up."""

from __future__ import annotations

from pathlib import Path

import pytest
from followed_programs import followed, shown

CACHED = """
import os, pickle
import numpy as np
if {test}:
    {loads}
else:
    {makes}
n = len(rows)
"""


@pytest.mark.parametrize(
    ("test", "swapped"),
    [
        ("os.path.exists('rows.pkl')", False),
        ("os.path.isfile('cache/rows.npy') and True", False),
        ("not os.path.exists('rows.pkl')", True),
    ],
)
def test_what_a_cache_would_hold_is_made(tmp_path: Path, test: str, swapped: bool) -> None:
    parts = ["rows = pickle.load(open('rows.pkl', 'rb'))", "rows = np.zeros((7, 3))"]
    loads, makes = reversed(parts) if swapped else parts
    text = CACHED.format(test=test, loads=loads, makes=makes)
    assert shown(followed(tmp_path, text, {})[1]["n"]) == 7


def test_a_program_that_ends_without_a_file_had_it(tmp_path: Path) -> None:
    text = """
import os, sys
if not os.path.exists("corpus.txt"):
    sys.exit("no corpus")
n = 3
"""
    assert shown(followed(tmp_path, text, {})[1]["n"]) == 3


FILLED = """
words = list(eval(input()))
cut = words[-20:]
rows = {rows}
n = len(rows)
"""


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("[0] * (20 - len(cut)) + cut", 20),
        ("cut + [0] * (25 - len(cut))", 25),
        ("[1] * len(cut) + [0] * (20 - len(cut))", 20),
        ("[5] + cut + [6] + [0] * (22 - len([5] + cut + [6]))", None),
        ("[0] * (10 - len(words)) + words", 10),
        ("[0] * (20 - len(cut)) + words", None),
        ("[0, 0] * (20 - len(cut)) + cut", None),
    ],
)
def test_a_list_that_is_filled_up(tmp_path: Path, rows: str, expected: int | None) -> None:
    names = followed(tmp_path, FILLED.format(rows=rows), {})[1]
    number = names["n"].data
    assert (number if isinstance(number, int) else None) == expected


def test_what_is_empty_keeps_where_it_comes_from(tmp_path: Path) -> None:
    text = """
import numpy as np
held_out = 500
order = np.random.permutation(300)[: -2 * held_out]
rows = {n: [n] for n in order}
kept = {n: row for n, row in rows.items() if row}
parts = []
for row in kept.values():
    parts.append(np.array(row))
"""
    names = followed(tmp_path, text, {})[1]
    assert names["parts"].data == []
    assert ("main.py", 3) in names["parts"].origins


def test_classes_of_arrays(tmp_path: Path) -> None:
    text = """
import numpy as np
import torch
from torch import nn
a = type(torch.zeros(2)) is torch.Tensor
b = type(3) is torch.Tensor
c = type(np.zeros(2)) == np.ndarray
d = "Linear" in str(type(nn.Linear(2, 3)))
class Own(nn.Module):
    pass
e = str(type(Own()))
"""
    names = followed(tmp_path, text, {})[1]
    assert [names[n].data for n in "abcd"] == [True, False, True, True]
    assert names["e"].data == "<class '__main__.Own'>"


def test_a_separator_of_several_characters(tmp_path: Path) -> None:
    text = """
import pandas as pd
t = pd.read_csv("r.dat", sep="::", header=None, engine="python")
n = t[0].max()
"""
    names = followed(tmp_path, text, {"r.dat": "1::5::3\n4::6::2\n"})[1]
    assert shown(names["t"]) == ({0: "int64", 1: "int64", 2: "int64"}, 2)


def test_a_value_that_may_be_returned_is_not_taken_for_none(tmp_path: Path) -> None:
    text = """
def found(words):
    for word in words:
        if word.endswith("x"):
            return word.strip()

def told(words):
    for word in words:
        word.strip()

a = found(input().split())
b = told(input().split())
"""
    names = followed(tmp_path, text, {})[1]
    assert not names["a"].known
    assert names["b"].known and names["b"].data is None


def test_one_of_several_texts_is_not_told(tmp_path: Path) -> None:
    text = """
names = ["shirt", "ankle boot", "bag"]
a = names[int(input())]
b = ["x", "x"][int(input())]
"""
    names = followed(tmp_path, text, {})[1]
    assert not names["a"].known
    assert names["b"].data == "x"


def test_a_version_that_is_not_known_is_unknown(tmp_path: Path) -> None:
    names = followed(tmp_path, "import rarely_used\na = rarely_used.__version__\n", {})[1]
    assert not names["a"].known


def test_a_loop_that_may_end_early_leaves_no_certain_length(tmp_path: Path) -> None:
    program = (
        "import random\nkept = []\nfor _ in range(7):\n    drawn = random.random()\n"
        "    if drawn > 0.5:\n        break\n    kept.append(drawn)\n"
        "whole = []\nfor _ in range(7):\n    whole.append(random.random())"
    )
    _, names = followed(tmp_path, program, {})
    assert shown(names["kept"]) == ("lazy", ((), "float64"), "unknown")
    assert len(names["whole"].data) == 7  # type: ignore[arg-type]


def test_an_array_that_grows_in_a_loop_has_no_certain_size_after_some_rounds(
    tmp_path: Path,
) -> None:
    program = (
        "import torch\nkept = torch.zeros(3, 2)\nother = torch.zeros(3, 2)\n"
        "for x in torch.utils.data.DataLoader(list(range(1000)), batch_size=10):\n"
        "    kept = torch.cat([kept, torch.zeros(1, 2)])\n    other = other + 1"
    )
    _, names = followed(tmp_path, program, {})
    assert shown(names["kept"]) == ((None, 2), "float32")
    assert shown(names["other"]) == ((3, 2), "float32")
