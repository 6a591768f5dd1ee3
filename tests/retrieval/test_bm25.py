from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dl_bug_lsp import retrieval as module
from dl_bug_lsp.retrieval import (
    Corpus,
    bm25,
    bm25_by_library,
    bm25_by_matrix,
    bm25_scores,
    document_of,
)

WAYS = (bm25, bm25_by_library, bm25_by_matrix, bm25_scores)


def corpus(*texts: str) -> Corpus:
    return Corpus([document_of(text) for text in texts])


@pytest.mark.parametrize("way", WAYS)
def test_by_hand(way: object) -> None:
    # Three documents of 2, 1 and 3 terms: mean length 2. "loss" stands in the first (once) and in
    # no other: idf = ln(3 - 1 + 0.5) - ln(1.5) = ln(5/3).
    # Length part of the first: 1 - 0.75 + 0.75 * 2/2 = 1, so its score is
    # ln(5/3) * 1 * 2.5 / (1 + 1.5 * 1) = ln(5/3).
    found = way(corpus("crop loss", "crop", "zebra zebra lion"), document_of("loss"))  # type: ignore[operator]
    assert found == pytest.approx([math.log(5 / 3), 0.0, 0.0])


@pytest.mark.parametrize("way", WAYS)
def test_repeats_and_length_by_hand(way: object) -> None:
    # "zebra" twice in the third (length 3): idf ln(5/3); length part 0.25 + 0.75 * 3/2 = 1.375;
    # 2 * 2.5 / (2 + 1.5 * 1.375) = 5 / 4.0625. Asked twice, it counts twice.
    found = way(corpus("crop loss", "crop", "zebra zebra lion"), document_of("zebra zebra"))  # type: ignore[operator]
    assert found == pytest.approx([0.0, 0.0, 2 * math.log(5 / 3) * 5 / 4.0625])


@pytest.mark.parametrize("way", WAYS)
def test_frequent_terms_get_a_small_part_of_the_mean_idf(way: object) -> None:
    # "crop" in 2 of 3: ln(1.5) - ln(2.5) < 0, so 0.25 times the mean idf of the four terms:
    # loss, zebra, lion ln(5/3) each, crop -ln(5/3): mean ln(5/3) / 2.
    # First: length part 1 -> 1 * 2.5 / 2.5 = 1. Second: 0.25 + 0.375 = 0.625 ->
    # 2.5 / (1 + 0.9375).
    found = way(corpus("crop loss", "crop", "zebra zebra lion"), document_of("crop"))  # type: ignore[operator]
    idf = 0.25 * math.log(5 / 3) / 2
    assert found == pytest.approx([idf, idf * 2.5 / 1.9375, 0.0])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("texts", [[], [""], ["", "the"], ["tensor crop"]])
@pytest.mark.parametrize("query", ["", "the of", "unheard"])
def test_empty_things_score_zero(way: object, texts: list[str], query: str) -> None:
    assert list(way(corpus(*texts), document_of(query))) == [0.0] * len(texts)  # type: ignore[operator]


words = st.sampled_from(
    ["tensor", "crop", "loss", "batch", "trainer", "fit", "epoch", "model", "optimizer", "step"]
)
texts = st.lists(st.lists(words, max_size=15).map(" ".join), min_size=1, max_size=10)
queries = st.lists(words, max_size=8).map(" ".join)


def ranking(scores: np.ndarray) -> list[int]:
    return sorted(range(len(scores)), key=lambda row: (-round(float(scores[row]), 9), row))


@given(texts, queries)
def test_all_ways_give_the_same_scores_and_ranking(given_texts: list[str], query: str) -> None:
    everything, wanted = corpus(*given_texts), document_of(query)
    first, *others = (way(everything, wanted) for way in WAYS)
    for other in others:
        assert other == pytest.approx(first, abs=1e-9)
        assert ranking(other) == ranking(first)


@given(texts, queries, st.randoms(use_true_random=False))
def test_the_order_of_documents_changes_no_score(
    given_texts: list[str], query: str, random: object
) -> None:
    order = list(range(len(given_texts)))
    random.shuffle(order)  # type: ignore[attr-defined]
    before = bm25(corpus(*given_texts), document_of(query))
    after = bm25(corpus(*[given_texts[i] for i in order]), document_of(query))
    assert after == pytest.approx(before[order])


def test_many_documents_take_the_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = corpus(*[f"crop loss{'x' * i} batch" for i in range(12)])
    few = bm25_scores(everything, document_of("crop lossxx"))
    monkeypatch.setattr(module, "FEW", 3)
    many = bm25_scores(everything, document_of("crop lossxx"))
    assert many == pytest.approx(few)
    assert ranking(many)[0] == 2
