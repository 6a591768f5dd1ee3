"""Fusion: order, ties, weights; and the data file that ships."""

from __future__ import annotations

import itertools
import json
import math
from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dl_bug_lsp.evidence.case import Clue
from dl_bug_lsp.ranking.fusion import (
    GROUPS,
    RAISE_SITE,
    Calibration,
    Weights,
    calibrated_shares,
    features,
    fuse,
    shipped_weights,
    softmax,
    weights_from,
)
from dl_bug_lsp.taxonomy.categories import categories

KINDS = sorted(shipped_weights().common)
WEIGHTS = Weights({"a.x": 2.0, "a.y": 1.0, "b.z": -0.5}, {"shape": {"a.y": 3.0}}, 0.25)

clues = st.builds(
    Clue,
    kind=st.sampled_from([*KINDS, "unheard.of"]),
    file=st.sampled_from(["a.py", "b.py", "c/d.yaml"]),
    line=st.integers(1, 9),
    score=st.floats(0, 1),
    why=st.just("it is so"),
)
CATEGORIES = [category.id for category in categories()]


@given(st.lists(clues, max_size=40), st.randoms(), st.sampled_from(CATEGORIES))
@settings(max_examples=60, deadline=None)
def test_the_order_of_the_clues_does_not_matter(
    found: list[Clue], random: object, category: str
) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    places = [(c.file, c.line, c.score) for c in fuse(found, category)]
    assert places == [(c.file, c.line, c.score) for c in fuse(shuffled, category)]


@given(st.lists(clues, max_size=40), st.sampled_from(CATEGORIES))
@settings(max_examples=60, deadline=None)
def test_candidates_fall_and_ties_go_by_place(found: list[Clue], category: str) -> None:
    candidates = fuse(found, category)
    keys = [(-c.score, c.file, c.line) for c in candidates]
    assert keys == sorted(keys)
    assert {(c.file, c.line) for c in candidates} == {(c.file, c.line) for c in found}
    for candidate in candidates:
        assert math.isfinite(candidate.score)
        parts = [part for _, part in candidate.clues]
        assert parts == sorted(parts, reverse=True)
        explained = any(clue.kind == RAISE_SITE for clue, _ in candidate.clues)
        assert candidate.score == math.fsum(parts) or (
            explained and candidate.score < math.fsum(parts)
        )
        kinds = [clue.kind for clue, _ in candidate.clues]
        assert len(set(kinds)) == len(kinds)


def test_the_strongest_clue_of_a_kind_counts() -> None:
    weak, strong = Clue("a.x", "f", 1, 0.2, "weak"), Clue("a.x", "f", 1, 0.9, "strong")
    assert features([weak, strong, weak]) == {("f", 1): {"a.x": strong}}


@pytest.mark.parametrize(
    ("kind", "category", "weight"),
    [
        ("a.x", "tensor_mismatch", 2.0),
        ("a.y", "tensor_mismatch", 4.0),
        ("a.y", "key_not_found", 1.0),
        ("b.z", "tensor_mismatch", -0.5),
        ("new", "tensor_mismatch", 0.25),
        ("new", "no_such_category", 0.25),
    ],
)
def test_weights_by_kind_and_category(kind: str, category: str, weight: float) -> None:
    (candidate,) = fuse([Clue(kind, "f", 1, 0.5, "why")], category, WEIGHTS)
    assert candidate.score == 0.5 * weight


def test_nothing_gives_nothing() -> None:
    assert fuse([], "tensor_mismatch") == []


def test_the_shipped_weights_are_numbers_for_known_groups() -> None:
    text = resources.files("dl_bug_lsp.ranking").joinpath("weights.json").read_text("utf-8")
    data = json.loads(text)
    assert data.keys() >= {"common", "by_group", "unknown"}
    assert data["by_group"].keys() <= set(GROUPS.values())
    calibration = data["calibration"]
    numbers = [calibration["slope"], calibration["intercept"], *calibration["by_source"].values()]
    numbers.extend((data["sharpness"], data["unknown"]))
    numbers.extend(data["common"].values())
    numbers.extend(w for part in data["by_group"].values() for w in part.values())
    assert all(isinstance(n, (int, float)) and math.isfinite(n) and abs(n) < 20 for n in numbers)
    assert weights_from(data) == shipped_weights()
    assert shipped_weights().sharpness > 0
    for part in data["by_group"].values():
        assert part.keys() <= data["common"].keys()


def test_every_category_has_a_group_and_no_other_name_has() -> None:
    assert GROUPS.keys() == set(CATEGORIES)


def test_a_line_with_specific_evidence_explains_the_raise_site_away() -> None:
    weights = Weights({"stack_trace.raise_site": 1.0, "numbers.expected": 2.0}, {}, 0.0)
    site = Clue("stack_trace.raise_site", "net.py", 9, 1.0, "the error was raised here")
    alone = fuse([site], "tensor_mismatch", weights)
    other = Clue("numbers.expected", "net.py", 3, 1.0, "10 is the size that was expected")
    first, second = fuse([site, other], "tensor_mismatch", weights)
    assert (first.line, second.line) == (3, 9)
    assert second.score < alone[0].score
    own = Clue("numbers.expected", "net.py", 9, 1.0, "10 is the size that was expected")
    guilty = next(c for c in fuse([site, own, other], "tensor_mismatch", weights) if c.line == 9)
    assert guilty.score == 3.0


CALIBRATED = Weights({}, {}, 0.0, 1.2, Calibration(0.4, -0.1, {"domain_rules": 0.8}))


@given(st.lists(st.floats(-5, 20), min_size=2, max_size=40))
def test_calibrated_shares_are_shares_in_the_order_of_scores(scores: list[float]) -> None:
    ordered = sorted(scores, reverse=True)
    shares = calibrated_shares(ordered, CALIBRATED)
    assert math.fsum(shares) == pytest.approx(1.0)
    assert all(a >= b for a, b in itertools.pairwise(shares))


@pytest.mark.parametrize("lead", [0.2, 1.0, 3.0])
def test_the_first_share_follows_the_calibration(lead: float) -> None:
    scores = [lead, 0.0, -0.5, -0.5]
    share = softmax(scores, CALIBRATED.sharpness)[0]
    wanted = 0.4 * math.log(share / (1 - share)) - 0.1
    first = calibrated_shares(scores, CALIBRATED)[0]
    assert math.log(first / (1 - first)) == pytest.approx(wanted, abs=1e-6)
    surer = calibrated_shares(scores, CALIBRATED, ["domain_rules", "unheard"])[0]
    assert math.log(surer / (1 - surer)) == pytest.approx(wanted + 0.8, abs=1e-6)


def test_equal_scores_share_alike_and_a_lone_line_has_all() -> None:
    assert calibrated_shares([2.0, 2.0], CALIBRATED) == pytest.approx([0.5, 0.5])
    assert calibrated_shares([2.0], CALIBRATED) == [1.0]
    assert calibrated_shares([], CALIBRATED) == []
