"""What is said about a failure: the classics by their messages, and nothing of other libraries."""

# ruff: noqa: E501  (one row a message: a table is read across)

from __future__ import annotations

import re

import pytest

from dl_bug_lsp.logs.log import Span
from dl_bug_lsp.report import CategoryVerdict
from dl_bug_lsp.taxonomy.advising import advice
from dl_bug_lsp.taxonomy.categories import Category, ConditionalAdvice, categories, classics
from dl_bug_lsp.taxonomy.classify import classify
from dl_bug_lsp.tracebacks import Cause, Failure, FailureKind, Frame, Relation

SPAN = Span(1, 1)
PATTERNS = (
    *("text", "but", "inside", "outside", "has", "lacks"),
    *("before", "after", "program", "nowhere", "key", "message"),
)
TORCH = "/opt/lib/python3.11/site-packages/torch/nn/functional.py"
KERAS = "/opt/lib/python3.11/site-packages/keras/src/losses/losses.py"
LIBRARY = re.compile(
    r"\b(?:torch|pytorch|tensorflow|keras|jax|xla|numpy|hf_|huggingface|nccl|gloo|deepspeed)\w*",
    re.IGNORECASE,
)


def failure(type_: str, message: str, file: str = "train.py") -> Failure:
    frames = (Frame("train.py", 3, "<module>"), Frame(file, 9, "call"))
    cause = Cause(type_, message, frames, Relation.ROOT, SPAN)
    return Failure(FailureKind.EXCEPTION, (cause,), 0, "cpython", SPAN, f"{type_}: {message}")


def said(type_: str, message: str, file: str = "train.py") -> tuple[str, ...]:
    one = failure(type_, message, file)
    return tuple(a.page for a in advice(one, classify(one)))


@pytest.mark.parametrize(
    ("type_", "message", "file", "page"),
    [
        ("IndexError", "Target 255 is out of bounds.", TORCH, "CrossEntropyLoss"),
        ("IndexError", "index out of range in self", TORCH, "Embedding"),
        ("ValueError", "Expected more than 1 value per channel when training, got input size torch.Size([1, 64])", TORCH, "data.html"),
        ("RuntimeError", "Trying to backward through the graph a second time (or directly access saved tensors)", TORCH, "detach"),
        ("RuntimeError", "input.size(-1) must be equal to input_size. Expected 8, got 4", TORCH, "LSTM"),
        ("RuntimeError", "expected scalar type Long but found Float", TORCH, "CrossEntropyLoss"),
        ("RuntimeError", "mat1 and mat2 must have the same dtype, but got Double and Float", TORCH, "from_numpy"),
        ("ValueError", "Tried to step 102 times. The total number of steps is 100", TORCH, "OneCycleLR"),
        ("ValueError", "Shapes (None, 1) and (None, 10) are incompatible", KERAS, "losses"),
        ("RuntimeError", "stack expects each tensor to be equal size, but got [3, 4] at entry 0 and [3, 5] at entry 1", TORCH, "pad_sequence"),
        ("KeyError", "'Net is not in the models registry'", "builder.py", "registry"),
    ],
)  # fmt: skip
def test_classics(type_: str, message: str, file: str, page: str) -> None:
    assert any(page in shown for shown in said(type_, message, file)[:2])


def test_another_library_is_not_spoken_of() -> None:
    oom = failure(
        "jaxlib.xla_extension.XlaRuntimeError",
        "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 3743729664 bytes.",
        "/opt/lib/python3.11/site-packages/jax/_src/api.py",
    )
    words = " ".join(f"{a.cause} {a.fix}" for a in advice(oom, classify(oom)))
    assert "torch" not in words.lower()
    assert "tensorflow" not in words.lower()
    assert "XLA_PYTHON_CLIENT" in words


@pytest.mark.parametrize("row", categories(), ids=lambda row: str(row.id))
def test_general_advice_names_no_library(row: Category) -> None:
    """What is said of every failure of a kind can not be about one framework."""
    said_always = [a for a in row.advice if not a.when and not a.only]
    assert said_always
    found = [
        m[0] for a in said_always for m in LIBRARY.finditer(f"{a.advice.cause} {a.advice.fix}")
    ]
    assert found == []


def test_numbers_are_spoken_of_where_there_are_some() -> None:
    verdict = CategoryVerdict("tensor_mismatch", "deep_learning_specific", 0.9, "", "x")
    assert "numbers of the message" not in str(advice(failure("E", "shapes differ"), verdict))
    assert "numbers of the message" in str(advice(failure("E", "got 3, expected 4"), verdict))


def test_short_words_are_not_looked_for_within_others() -> None:
    verdict = CategoryVerdict("loss_nan", "deep_learning_specific", 0.9, "", "x")
    assert "Half precision" not in str(advice(failure("E", "nan in a sample"), verdict))
    assert "Half precision" in str(advice(failure("E", "nan under amp"), verdict))


def test_an_assertion_that_demands_none_is_no_null_reference() -> None:
    for source, null in (("assert x is None", False), ("assert x is not None", True)):
        frame = Frame("train.py", 3, "<module>", source=source)
        cause = Cause("AssertionError", "", (frame,), Relation.ROOT, SPAN)
        one = Failure(FailureKind.EXCEPTION, (cause,), 0, "cpython", SPAN, "AssertionError")
        assert (classify(one).id == "null_reference") is null


def test_keys_of_a_printed_dictionary_are_no_words() -> None:
    one = failure("AssertionError", "{'id': 7, 'status': 'OPEN', 'shape': (2, 3)}")
    assert classify(one).id != "tensor_mismatch"


@pytest.mark.parametrize("row", classics(), ids=lambda row: str(row.when[0]))
def test_rows_of_classics(row: ConditionalAdvice) -> None:
    phrases = (*row.when, *row.only)
    assert row.when
    assert [p for p in phrases if p != p.lower()] == []
    assert row.advice.page.startswith("https://")
    assert row.advice.cause.endswith(".")


@pytest.mark.parametrize(
    "row", [row for row in classics() if row.places], ids=lambda row: str(row.when[0])
)
def test_places_of_classics(row: ConditionalAdvice) -> None:
    for place in row.places:
        assert place.call or place.text or place.key
        assert 0 < place.share <= 1
        for name in PATTERNS:
            re.compile(getattr(place, name))
        if "<1>" in place.text:
            assert re.compile(place.message).groups == 1


def test_phrases_of_classics_stand_once() -> None:
    phrases = [phrase for row in classics() for phrase in row.when]
    assert [phrase for phrase in set(phrases) if phrases.count(phrase) > 1] == []
