"""Words of code and config, and how near two of them are."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dl_bug_lsp.evidence.sources import gather
from dl_bug_lsp.evidence.word_index import near_texts, nearness, parts_of, sketch, words_of
from dl_bug_lsp.localize import case_of
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.report import Options
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.workspace import Workspace

NEAR = [
    ("hidden_dim", "hiden_dim"),
    ("hidden_dim", "hidden_dims"),
    ("batch_size", "batchSize"),
    ("num_classes", "n_classes"),
    ("learning_rate", "learning_rat"),
    ("numClasses", "num_classes"),
    ("encoder", "Encoder"),
    ("weights", "weihgts"),
    ("img_size", "image_size"),
]
FAR = [
    ("hidden_dim", "hidden_dim"),
    ("encoder", "optimizer"),
    ("lr", "seed"),
    ("x", "y"),
    ("", "a"),
    ("epochs", "labels"),
    ("a" * 200, "a" * 201),
]


@pytest.mark.parametrize(("one", "other"), NEAR)
def test_slips_and_other_spellings_are_near(one: str, other: str) -> None:
    assert 0.5 < nearness(one, other) < 1
    assert 0.5 < nearness(other, one) < 1


@pytest.mark.parametrize(("one", "other"), FAR)
def test_other_words_and_the_same_word_are_not(one: str, other: str) -> None:
    assert nearness(one, other) == 0


@given(st.text(max_size=90), st.text(max_size=90))
@settings(max_examples=150, deadline=None)
def test_nearness_is_a_share(one: str, other: str) -> None:
    assert 0 <= nearness(one, other) < 1
    assert nearness(one, one) == 0


WORDS = st.lists(st.sampled_from(["num", "Number", "class", "es", "_", "X2", "ß", "hid", "den"]))


@given(st.lists(WORDS.map("".join), max_size=30), WORDS.map("".join))
@settings(max_examples=300, deadline=None)
def test_sketches_hide_no_near_text(texts: list[str], word: str) -> None:
    expected = {text: near for text in texts if (near := nearness(word, text)) > 0}
    assert near_texts(word, {text: sketch(text) for text in texts}) == expected


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("hidden_dim", ["hidden", "dim"]),
        ("HTTPServer2", ["http", "server", "2"]),
        ("numClasses", ["num", "classes"]),
        ("data/train-v2.csv", ["data", "train", "v", "2", "csv"]),
        ("__init__", ["init"]),
        ("", []),
    ],
)
def test_parts(word: str, parts: list[str]) -> None:
    assert parts_of(word) == parts


def test_roles_of_words(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "import os as system\n"
        "def build(width, **rest):\n"
        "    self.net = make(depth=3)\n"
        "    table = {'key': 'value'}\n"
        "    return table['other'].shape\n",
        encoding="utf-8",
    )
    (tmp_path / "c.yaml").write_text("model:\n  name: vit\n", encoding="utf-8")
    workspace = Workspace(tmp_path, cache=False)
    found = {(w.text, w.line, w.role) for w in words_of(workspace, ("a.py", "absent.py"))}
    assert {
        ("system", 1, "import"),
        ("build", 2, "definition"),
        ("width", 2, "bound"),
        ("rest", 2, "bound"),
        ("net", 3, "bound"),
        ("depth", 3, "keyword"),
        ("make", 3, "name"),
        ("key", 4, "dict_key"),
        ("value", 4, "string"),
        ("other", 5, "subscript"),
        ("shape", 5, "attribute"),
        ("name", 2, "config_key"),
        ("vit", 2, "config_value"),
    } <= found
    named = words_of(workspace, ("a.py",)).with_text({"vit", "key", "nowhere"})
    assert [(w.text, w.file, w.line) for w in named] == [("key", "a.py", 4), ("vit", "c.yaml", 2)]
    assert words_of(workspace, ("a.py",)).texts({"keyword", "config_key"}) >= {"depth", "name"}


def test_a_series_of_names_is_no_flood_of_clues(tmp_path: Path) -> None:
    lines = ["x0 = 1", *(f"x{n} = x{n - 1} + 1" for n in range(1, 1000))]
    (tmp_path / "chain.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "main.py").write_text('import chain\n\nprint({"a": 1}["x5001"])\n', "utf-8")
    log = read_log(
        "Traceback (most recent call last):\n"
        '  File "main.py", line 3, in <module>\n    print({"a": 1}["x5001"])\n'
        "KeyError: 'x5001'\n"
    )
    failure = read_failures(log).failures[0]
    case = case_of(failure, log, Workspace(tmp_path, cache=False), Options())
    near = [clue for clue in gather(case) if clue.kind.startswith("names.near")]
    assert 0 < len(near) < 300
