"""Bug type and origin of reports: the tokens, the shipped weights, and how they were made."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dl_bug_lsp.localize import localize
from dl_bug_lsp.taxonomy.bug_type_and_origin import BUG_TYPES
from dl_bug_lsp.taxonomy.text_models import (
    LONGEST_BODY,
    MOST_COUNTED,
    ORIGINS_FILE,
    TYPES_FILE,
    bug_type_of_report,
    load_model,
    model_from,
    origin_of_report,
    report_tokens,
)
from dl_bug_lsp.workspace import Workspace

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    pytest.importorskip("sklearn")
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return runpy.run_path(str(BENCHMARKS / "train_report_types.py"))
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", []),
        ("\n \n", []),
        ("Nothing", ["nothing", "title nothing"]),
        (
            "\nTrainer hangs\n\nSince 1.2 it is stuck.",
            [
                *["since", "it", "is", "stuck", "trainer", "hangs"],
                *["title trainer", "title hangs"],
                *["cue: upgrade", "cue in title: training", "cue in title: crash", "cue: crash"],
                "cue: version",
            ],
        ),
    ],
)
def test_tokens(text: str, wanted: list[str]) -> None:
    assert report_tokens(text) == wanted


def test_a_cue_that_a_log_repeats_counts_a_few_times() -> None:
    assert report_tokens("x\n" + "gpu " * 1000).count("cue: device") == MOST_COUNTED


@given(st.text(max_size=2000))
def test_any_text_has_a_type_and_an_origin(text: str) -> None:
    assert bug_type_of_report(text).id in BUG_TYPES
    assert 0 < origin_of_report(text).confidence <= 1


def test_hostile_texts_end() -> None:
    for piece in ("a", "a.", "1.", "_", "conv", "Aa", "test_"):
        assert report_tokens(piece * 500_000) is not None
    assert report_tokens("t\n" + "é" * LONGEST_BODY * 2) == []


@pytest.mark.parametrize("name", [TYPES_FILE, ORIGINS_FILE])
def test_shipped_weights_know_their_classes(name: str) -> None:
    classes = load_model(name).classes
    assert set(classes) == set(BUG_TYPES if name == TYPES_FILE else ("intrinsic", "extrinsic"))


def test_same_probabilities_as_the_trainer_s(script: dict[str, Any]) -> None:
    texts = [
        f"{word} fails in step {n}\nthe {word} is wrong since {n}.1"
        for n, word in enumerate(["loss", "gpu", "pip install", "layer"] * 8)
    ]
    labels = ["training", "gpu", "non_dl", "model"] * 8
    trained = script["ours"]().fit(texts, labels)
    model = model_from(script["data_of"](trained))
    for text, row in zip(texts, trained.predict_proba(texts), strict=True):
        found = model.probabilities(report_tokens(text))
        assert list(found.values()) == pytest.approx(list(row), abs=0.02)


def test_no_project_judges_itself(script: dict[str, Any]) -> None:
    # Two projects of one label each: what the other project teaches is always wrong.
    labelled = script["Labelled"]
    data = labelled(["a", "b"] * 10, [], [], ["one", "two"] * 10)
    assert script["majority"](data, ["x", "y"] * 10) == ["y", "x"] * 10


def test_the_report_of_a_report_says_type_and_origin(tmp_path: Path) -> None:
    text = (
        "Wheel for Ubuntu does not work after upgrading\n\n"
        "Since the new version our nightly pipeline in docker is stuck while it compiles, with "
        "gcc and cmake as they come with Ubuntu. Please build the wheel with the older compiler.\n"
    )
    failure = localize(text, Workspace(tmp_path, cache=False)).primary
    assert failure is not None
    assert failure.exception is None
    assert failure.origin == origin_of_report(text)
    assert failure.origin.id == "extrinsic"
    assert failure.bug_type == bug_type_of_report(text)
