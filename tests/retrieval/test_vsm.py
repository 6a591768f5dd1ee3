from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dl_bug_lsp.retrieval import Corpus, cosines, document, document_of, length_scores, rvsm

LN2 = math.log(2)


def corpus(*texts: str) -> Corpus:
    return Corpus([document_of(text) for text in texts])


def test_cosine_by_hand() -> None:
    # n = 2; df: tensor 2, crop 1, loss 1. idf: tensor ln(2/2) = 0, crop = loss = ln 2.
    # First: tensor 1, crop 2 -> vector (crop (1 + ln 2) ln 2), its norm the same number.
    # Second: tensor 1, loss 1 -> vector (loss ln 2).
    # Query: crop 1, loss 1 -> (ln 2, ln 2), norm sqrt(2) ln 2.
    # cos(first) = (1 + ln 2) ln2 * ln2 / ((1 + ln 2) ln 2 * sqrt(2) ln 2) = 1 / sqrt(2); same for
    # the second.
    found = cosines(corpus("tensor crop crop", "tensor loss"), document_of("crop loss"))
    assert found == pytest.approx([1 / math.sqrt(2), 1 / math.sqrt(2)])


def test_cosine_of_terms_in_every_document_is_nothing() -> None:
    assert list(cosines(corpus("tensor", "tensor"), document_of("tensor"))) == [0.0, 0.0]


def test_cosine_weighs_terms() -> None:
    # n = 3; crop in 2 (idf ln 1.5), loss in 1 (idf ln 3); third document is of other words.
    # First: crop, loss: (ln 1.5, ln 3). Query loss: (0, ln 3) -> ln 3 / sqrt(ln1.5^2 + ln3^2).
    found = cosines(corpus("crop loss", "crop", "zebra"), document_of("loss"))
    wanted = math.log(3) / math.hypot(math.log(1.5), math.log(3))
    assert found == pytest.approx([wanted, 0.0, 0.0])


def test_length_scores_by_hand() -> None:
    # Lengths 10, 20, 30: N = 0, 1/2, 1; g = 1 / (1 + e^-N).
    found = length_scores(np.array([10.0, 20.0, 30.0]))
    wanted = [0.5, 1 / (1 + math.exp(-0.5)), 1 / (1 + math.exp(-1))]
    assert found == pytest.approx(wanted)
    steep = length_scores(np.array([10.0, 20.0, 30.0]), 50)
    assert steep == pytest.approx([0.5, 1 / (1 + math.exp(-25)), 1 / (1 + math.exp(-50))])


def test_documents_of_one_length_score_the_same() -> None:
    assert list(length_scores(np.array([7.0, 7.0]))) == [0.5, 0.5]
    assert list(length_scores(np.array([]))) == []


def test_rvsm_prefers_the_longer_of_two_equal_cosines() -> None:
    # Cosines are 1 / sqrt(2) each (above); lengths 3 and 2 terms: g = 1 / (1 + e^-1) and 1/2.
    found = rvsm(corpus("tensor crop crop", "tensor loss"), document_of("crop loss"))
    wanted = [1 / (1 + math.exp(-1)) / math.sqrt(2), 0.5 / math.sqrt(2)]
    assert found == pytest.approx(wanted)


@pytest.mark.parametrize("texts", [[], [""], ["", "the"], ["tensor crop"]])
@pytest.mark.parametrize("query", ["", "the of", "unheard", "tensor"])
def test_empty_things_score_zero(texts: list[str], query: str) -> None:
    assert list(rvsm(corpus(*texts), document_of(query))) == [0.0] * len(texts)


words = st.sampled_from(["tensor", "crop", "loss", "batch", "trainer", "fit", "epoch", "model"])
texts = st.lists(st.lists(words, max_size=12).map(" ".join), min_size=1, max_size=8)


@given(texts, st.lists(words, max_size=6).map(" ".join), st.randoms(use_true_random=False))
def test_the_order_of_documents_changes_no_score(
    given_texts: list[str], query: str, random: object
) -> None:
    order = list(range(len(given_texts)))
    random.shuffle(order)  # type: ignore[attr-defined]
    before = rvsm(corpus(*given_texts), document_of(query))
    after = rvsm(corpus(*[given_texts[i] for i in order]), document_of(query))
    assert after == pytest.approx(before[order])


@given(texts)
def test_a_document_is_nearest_to_itself(given_texts: list[str]) -> None:
    everything = corpus(*given_texts)
    for row, text in enumerate(given_texts):
        found = cosines(everything, document_of(text))
        assert np.all(found <= 1 + 1e-9)
        assert found[row] == pytest.approx(float(found.max()), abs=1e-9)


def test_a_document_keeps_its_counts() -> None:
    made = document({"crop": 2, "loss": 1})
    assert made.length == 3
    assert len(made.tokens()) == 3
    assert len(set(made.tokens())) == 2
