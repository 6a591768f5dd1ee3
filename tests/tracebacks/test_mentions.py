"""Failures that a text names without a stack: what is a candidate, and which one is taken."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dl_bug_lsp.logs import read_log
from dl_bug_lsp.tracebacks.mentions import exception_in, mentions, probability, read_mention
from dl_bug_lsp.tracebacks.stream import Stream


def stream(text: str) -> Stream:
    return Stream(read_log(text).lines)


@pytest.mark.parametrize(
    ("line", "type", "message"),
    [
        ("I get ‘KeyError: 'image'’ at the first batch.", "KeyError", "'image'"),
        ("it says **_TypeError: f() takes no arguments_** here", "TypeError", "f() takes no"),
        ("训练时报错ValueError：shapes do not match，怎么办", "ValueError", "shapes do not match"),
        ("Runtime Error: expected scalar type Half", "RuntimeError", "expected scalar type Half"),
        ("got KeyError = 'masks' while training", "KeyError", "'masks'"),
        ("label = self.cat2label[name] KeyError: 'w'", "KeyError", "'w'"),
        ("cv2.error: OpenCV(4.3.0) a.cpp:1: error: empty", "cv2.error", "OpenCV(4.3.0)"),
        ("Exception: 'jax.TracerError(\"called on a tracer\")'", "jax.TracerError", "called on a"),
        ('a.b.HostError: "ValueError : (2,) and (3,)"', "ValueError", "(2,) and (3,)"),
    ],
)
def test_exceptions_within_lines(line: str, type: str, message: str) -> None:
    found = exception_in(line)
    assert found is not None
    assert found[0] == type
    assert found[1].startswith(message)


@pytest.mark.parametrize(
    "line", ["no exception here", "class MyError(Exception):", "see the Error page", ""]
)
def test_lines_without_an_exception(line: str) -> None:
    assert exception_in(line) is None


def test_the_message_rather_than_the_sentences_around_it() -> None:
    block = read_mention(
        stream(
            "Hello, I want to train the model on my own images.\n\n"
            "But the script stops with `index 7 is out of bounds for dimension 0 with size 7`\n\n"
            "Could you please help me?\n"
        )
    )
    assert block is not None
    assert block.causes[0].message.startswith("index 7 is out of bounds")


def test_lines_that_are_known_already_are_left_out() -> None:
    text = stream("ValueError: the labels are wrong\n")
    assert read_mention(text) is not None
    assert read_mention(text, {1}) is None


def test_a_run_that_goes_on_names_nothing_above_its_last_line() -> None:
    steps = "epoch 1 loss 0.9\nepoch 2 loss 0.7\n"
    said = "caught ValueError: the labels are wrong\n"
    assert read_mention(stream(said + steps)) is None


def test_metrics_in_quotation_marks_show_a_run_that_goes_on() -> None:
    text = (
        "[transformers] Model config: bos_token_id must be `None` or an integer within the "
        "vocabulary (between 0 and 23), got 50256. This may result in unexpected behavior.\n"
        "{'loss': '2.888', 'grad_norm': '1.059', 'epoch': '0.4'}\n"
        "{'loss': '2.176', 'grad_norm': '0.749', 'epoch': '0.8'}\n"
    )
    assert read_mention(stream(text)) is None


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400))
@example("`" * 5000)
@example("Error: " * 3000)
@example("a." * 4000 + "Error: x")
@example("“" * 4000)
def test_any_text(text: str) -> None:
    lines = stream(text)
    for mention in mentions(lines):
        assert 0 <= mention.at < len(lines)
        assert 0.0 <= probability(mention) <= 1.0
    read_mention(lines)
