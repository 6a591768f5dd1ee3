from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dl_bug_lsp.retrieval import LONGEST_WORD, count_terms, stem, terms_of, words_of

# The examples that Porter's paper gives for its rules, each passed through all steps.
PORTER = {
    "caresses": "caress",
    "ponies": "poni",
    "ties": "ti",
    "cats": "cat",
    "feed": "feed",
    "agreed": "agre",
    "plastered": "plaster",
    "bled": "bled",
    "motoring": "motor",
    "sing": "sing",
    "conflated": "conflat",
    "troubled": "troubl",
    "sized": "size",
    "hopping": "hop",
    "tanned": "tan",
    "falling": "fall",
    "hissing": "hiss",
    "fizzed": "fizz",
    "failing": "fail",
    "filing": "file",
    "happy": "happi",
    "sky": "sky",
    "relational": "relat",
    "conditional": "condit",
    "rational": "ration",
    "valenci": "valenc",
    "digitizer": "digit",
    "conformabli": "conform",
    "radicalli": "radic",
    "vietnamization": "vietnam",
    "operator": "oper",
    "feudalism": "feudal",
    "decisiveness": "decis",
    "hopefulness": "hope",
    "sensitiviti": "sensit",
    "sensibiliti": "sensibl",
    "triplicate": "triplic",
    "formative": "form",
    "electrical": "electr",
    "goodness": "good",
    "revival": "reviv",
    "allowance": "allow",
    "airliner": "airlin",
    "adjustable": "adjust",
    "irritant": "irrit",
    "replacement": "replac",
    "adoption": "adopt",
    "communism": "commun",
    "effective": "effect",
    "probate": "probat",
    "rate": "rate",
    "cease": "ceas",
    "controll": "control",
    "roll": "roll",
    "generalizations": "gener",
    "oscillators": "oscil",
}


@pytest.mark.parametrize(("word", "wanted"), PORTER.items())
def test_stems_are_those_of_the_paper(word: str, wanted: str) -> None:
    assert stem(word) == wanted


@pytest.mark.parametrize("word", ["", "a", "is", "größe", "x1", "学習", "_"])
def test_other_words_stay(word: str) -> None:
    assert stem(word) == word


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("readBatch", ["read", "batch", "readbatch"]),
        ("_train_step_fn", ["train", "step", "fn", "train_step_fn"]),
        ("HTTPServer2", ["http", "server", "httpserver2"]),
        ("Conv2d", ["conv", "conv2d"]),
        ("running the losses", ["run", "loss"]),
        ("for self in class: return None", []),
        ("the_the", ["the_the"]),
        ("die Größe", ["die", "größe"]),
        ("学習率が下がらない", ["学習率が下がらない"]),
        ("1e-3 0x10 3.14", []),
        ("", []),
        ("x" * (LONGEST_WORD + 1), []),
    ],
)
def test_terms(text: str, wanted: list[str]) -> None:
    assert terms_of(text) == wanted


@given(st.text(max_size=300))
def test_counting_is_the_same_as_listing(text: str) -> None:
    listed = terms_of(text)
    counted = count_terms(words_of(text))
    assert counted == {term: listed.count(term) for term in sorted(set(listed))}


@given(st.text(alphabet="abcdeilmnorstuyz", max_size=30))
def test_a_stem_is_never_longer_than_its_word_but_by_an_e(word: str) -> None:
    assert len(stem(word)) <= len(word) + 1
