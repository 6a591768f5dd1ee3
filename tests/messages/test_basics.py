"""A message's facts: the ones that ranking leans on, and the promises for any text."""

from __future__ import annotations

import re

import pytest
from endings import ends
from hypothesis import given
from hypothesis import strategies as st

from dl_bug_lsp.logs.log import Span
from dl_bug_lsp.messages import FactKind, Role, extract_facts
from dl_bug_lsp.messages.extract import tables
from dl_bug_lsp.tracebacks.failures import Cause, Frame, Relation


def cause(kind: str, message: str, file: str = "", function: str = "") -> Cause:
    frames = (Frame(file, 1, function),) if file else ()
    return Cause(kind, message, frames, Relation.ROOT, Span(1, 1))


def test_a_product_of_matrices_names_both_sides() -> None:
    facts = extract_facts(
        cause("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (32x24 and 48x2)")
    )
    assert facts.family == "torch.matmul"
    assert [f.value for f in facts.of(FactKind.SHAPE, Role.ACTUAL)] == [(32, 24)]
    assert [f.value for f in facts.of(FactKind.SHAPE, Role.EXPECTED)] == [(48, 2)]
    assert [f.value for f in facts.of(FactKind.SIZE, Role.ACTUAL)] == [24]
    assert [f.value for f in facts.of(FactKind.SIZE, Role.EXPECTED)] == [48]


def test_the_listing_of_a_kernel_names_nothing() -> None:
    listing = "at 2:11:\ndef scale(rows_ptr, n_cols):\n    tl.load(rows_ptr)\n           ^\n"
    facts = extract_facts(cause("CompilationError", f"{listing}`mask_kind` is not defined"))
    assert {f.value for f in facts.of(FactKind.NAME)} == {"mask_kind"}


def test_every_row_is_well_formed() -> None:
    for framework, family in tables():
        assert framework.isidentifier()
        assert family.read("") is None or family.on
        assert len(min(family.needles, key=len)) >= 3 or family.on, family.template
        assert all(fact.value for fact in family.constants)


@given(st.text(max_size=2000), st.sampled_from(["KeyError", "a.b.RuntimeError", "", "bash"]))
def test_never_raises(message: str, kind: str) -> None:
    extract_facts(cause(kind, message))


TEMPLATES = sorted({family.template for _, family in tables()})
FILLED = st.tuples(st.sampled_from(TEMPLATES), st.text(max_size=40)).map(
    lambda pair: re.sub(r"\{[^{}]*\}", lambda _: pair[1], pair[0])
)


@given(st.lists(FILLED, max_size=5).map("\n".join), st.sampled_from(["KeyError", "ValueError"]))
def test_never_raises_near_a_family(message: str, kind: str) -> None:
    extract_facts(cause(kind, message))


def test_words_of_all_families_at_once_take_bounded_time() -> None:
    message = " ".join(needle for _, family in tables() for needle in family.needles) * 20
    with ends():
        assert extract_facts(cause("RuntimeError", message)).facts is not None


def test_terminal_codes_and_notes_are_read_through() -> None:
    plain = cause("ValueError", "\x1b[1mShapes (None, 3) and (None, 1) are incompatible\x1b[0m")
    noted = Cause("KeyError", "'a'", (), Relation.ROOT, Span(1, 1), notes=("Did you mean: 'b'?",))
    assert extract_facts(plain).family == "tensorflow.shapes_incompatible"
    assert [f.value for f in extract_facts(noted).of(FactKind.CANDIDATE)] == ["b"]


def test_an_unknown_message_shows_names_paths_shapes_and_numbers() -> None:
    facts = extract_facts(
        cause(
            "SomeError", "frob 'num_heads' of data/train.csv at (3, 4): 17 vs torch.float16 cuda:1"
        )
    )
    found = {(fact.kind, fact.value) for fact in facts.facts}
    assert facts.family is None
    assert {
        (FactKind.NAME, "num_heads"),
        (FactKind.PATH, "data/train.csv"),
        (FactKind.SHAPE, (3, 4)),
        (FactKind.NUMBER, 17),
        (FactKind.DTYPE, "float16"),
        (FactKind.DEVICE, "cuda:1"),
    } <= found


@pytest.mark.parametrize(
    "piece",
    ["[", "(1,", "1x", "'", "'a", "size mismatch for ", "a.b", "[[(", " \n", "\\", "{", "0", "/a"],
)
def test_a_long_hostile_message_takes_linear_time(piece: str) -> None:
    message = piece * (1_000_000 // len(piece))
    with ends():
        assert extract_facts(cause("RuntimeError", message)).facts is not None
