from __future__ import annotations

import dataclasses

import pytest

from dl_bug_lsp.taxonomy.bug_type_and_origin import BUG_TYPES
from dl_bug_lsp.taxonomy.categories import categories, category

PAPER = (
    "gpu_out_of_memory cpu_out_of_memory framework_api_misuse tensor_mismatch loss_nan "
    "path_not_found library_not_found permission_denied illegal_argument type_mismatch "
    "key_not_found null_reference attribute_not_found syntax_error illegal_index "
    "undefined_variable not_implemented division_by_zero corrupt_data unexpected_encoding"
)
PLATFORM = (
    "communication_failure device_unavailable hardware_failure storage_exhausted version_conflict "
    "process_killed"
)
SILENT = (
    "loss_stagnation loss_divergence accuracy_at_chance overfitting dead_gradients training_fault"
)


def test_all_categories_in_order() -> None:
    wanted = f"{PAPER} {PLATFORM} {SILENT} unclassified"
    assert [row.id for row in categories()] == wanted.split()


def test_only_the_categories_of_the_study_have_a_share() -> None:
    shares = {row.id: row.share for row in categories() if row.share is not None}
    assert list(shares) == PAPER.split()
    assert sum(shares.values()) == pytest.approx(99.9, abs=1.0)
    assert max(shares, key=lambda id: shares[id]) == "path_not_found"


def test_dimensions() -> None:
    assert {category(id).dimension for id in PLATFORM.split()} == {"platform"}
    assert {category(id).dimension for id in SILENT.split()} == {"silent"}
    assert category("loss_nan").dimension == "deep_learning_specific"


@pytest.mark.parametrize("row", categories(), ids=lambda row: row.id)
def test_rows_are_complete(row: object) -> None:
    assert dataclasses.is_dataclass(row)
    values = dataclasses.asdict(row)  # type: ignore[arg-type]
    assert values["origin"] in ("intrinsic", "extrinsic")
    assert values["bug_type"] in BUG_TYPES
    assert all(values[name].endswith(".") for name in ("definition", "shows", "search"))
    assert values["advice"]
    assert [item for item in values["advice"] if any(p != p.lower() for p in item["when"])] == []


def test_some_advice_applies_always() -> None:
    unless_told = [row.id for row in categories() if all(item.when for item in row.advice)]
    assert unless_told == []


def test_values_are_frozen_and_unknown_ids_are_refused() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        category("loss_nan").name = "other"  # type: ignore[misc]
    with pytest.raises(KeyError):
        category("no_such_category")


@pytest.mark.parametrize(
    ("id_", "words"),
    [
        ("key_not_found", ("dict", "set", "table", "config", "file", "element")),
        ("attribute_not_found", ("no attribute", "does not let it be set")),
        ("permission_denied", ("no right", "a folder as a file")),
        ("library_not_found", ("not found", "lacks the name that is imported")),
    ],
)
def test_a_definition_holds_for_all_that_the_category_takes(
    id_: str, words: tuple[str, ...]
) -> None:
    definition = category(id_).definition
    assert [word for word in words if word not in definition] == []
