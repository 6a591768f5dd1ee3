"""Recorded values in words; the descriptions were recorded of PyTorch 2.13 and pandas 3.1."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from dl_bug_lsp.post_mortem.wording import scalars, variables, worded

LINEAR = {
    "t": "torch.nn.modules.linear.Linear",
    "given": [["in_features", {"v": 30}], ["out_features", {"v": 64}], ["bias", {}]],
}
NET = {"t": "__main__.Net", "attributes": {"fc": LINEAR, "training": {"v": True}, "n": {"v": 30}}}
TENSOR = {"t": "torch.Tensor", "shape": [5], "dtype": "int64", "device": "cpu", "low": 0, "high": 4}
CONFIG = {"t": "dict", "n": 2, "is": "dict", "items": [["lr", {"v": 0.1}], ["net", {"t": "Net"}]]}
WORDS: list[tuple[dict[str, Any], str]] = [
    ({"v": None}, "None"),
    ({"v": "a\nb"}, r"'a\nb'"),
    ({"t": "float", "is": "nan"}, "nan"),
    ({"t": "str", "hidden": True}, "text (not kept)"),
    (TENSOR, "int64 tensor (5,), 0 to 4"),
    ({**TENSOR, "device": "cuda", "shape": [2, 3]}, "int64 tensor (2, 3) on cuda, 0 to 4"),
    ({"t": "numpy.ndarray", "shape": [2, 2], "dtype": "float64", "nan": True},
     "float64 array (2, 2), with NaN"),
    ({"t": "keras.src.KerasTensor", "shape": [None, 5], "dtype": "float32"},
     "float32 tensor (?, 5)"),
    ({"t": "pandas.DataFrame", "shape": [600, 2], "columns": [["a", "int64"], ["b", "str"]]},
     "DataFrame of 600 rows, 2 columns"),
    ({"t": "pandas.Series", "shape": [9], "dtype": "int64", "low": 1.0, "high": 1.0},
     "int64 Series of 9, all 1"),
    ({"t": "list", "n": 3, "is": "list", "items": [{"v": 1}, {"v": 2}, {"v": 3}]}, "[1, 2, 3]"),
    ({"t": "tuple", "n": 1, "is": "tuple", "items": [{"v": "a"}]}, "('a',)"),
    ({"t": "list", "n": 900, "is": "list", "items": [{"v": 1}]}, "list of 900"),
    (CONFIG, "dict of 2: lr, net"),
    (LINEAR, "Linear(in_features=30, out_features=64)"),
    (NET, "Net(n=30)"),
    ({"t": "functools.partial", "given": []}, "partial object"),
    ({"t": "weird", "cut": True}, ""),
    ({}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("description", "text"), WORDS, ids=[text for _, text in WORDS])
def test_words(description: dict[str, Any], text: str) -> None:
    assert worded(description) == text


def test_what_a_statement_reads_in_the_order_of_the_code() -> None:
    statement = ast.parse("h = self.fc(x) + self.missing * config['lr'] + helper.run(1)")
    names = {"self": NET, "x": TENSOR, "config": CONFIG, "h": {"v": 1}}
    assert variables([statement], names) == (
        ("self.fc", "Linear(in_features=30, out_features=64)"),
        ("x", "int64 tensor (5,), 0 to 4"),
        ("self", "Net(n=30)"),
        ("config", "dict of 2: lr, net"),
    )


def test_numbers_and_texts_by_the_way_to_them() -> None:
    names = {"self": NET, "config": CONFIG, "flag": {"v": True}, "name": {"v": "x"}}
    assert dict(scalars(names)) == {"self.n": 30, "config.lr": 0.1, "name": "x"}
