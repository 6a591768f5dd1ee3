"""Suspiciousness of units: formulas over activations of failing and passing inputs."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from dl_bug_lsp.monitoring.units import SHOWN, picture, suspicious_units, table

FAILED = [True] * 20 + [False] * 80


def activations() -> dict[str, np.ndarray]:
    draw = np.random.default_rng(3)
    hidden = draw.normal(size=(100, 12))
    # Unit 7 is active for what fails, unit 2 never changes.
    hidden[:, 7] = np.where(FAILED, 1.0, -1.0) + 0.1 * draw.normal(size=100)
    hidden[:, 2] = 0.25
    return {"hidden": hidden, "maps": draw.normal(size=(100, 6, 4, 4))}


@pytest.mark.parametrize("formula", SHOWN)
def test_the_unit_that_is_active_for_errors_comes_first(formula: str) -> None:
    found = suspicious_units(activations(), FAILED, formula)
    assert (found.units[0].layer, found.units[0].unit) == ("hidden", 7)
    assert (found.units[0].failing, found.units[0].passing) == (20, 0)
    assert found.layers[0][0] == "hidden"
    assert (found.failing, found.passing) == (20, 80)


def test_values_of_the_formulas() -> None:
    values = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    found = {f: suspicious_units({"a": values}, [True, True, False, False], f) for f in SHOWN}
    by_unit = {f: {u.unit: u.score for u in s.units} for f, s in found.items()}
    assert by_unit["Tarantula"] == {0: 1.0, 1: 0.5}
    assert by_unit["Ochiai"] == {0: 1.0, 1: 0.5}
    assert by_unit["DStar"][1] == pytest.approx(0.5)


def test_a_unit_that_never_changes_is_never_active() -> None:
    found = suspicious_units(activations(), FAILED)
    constant = next(u for u in found.units if (u.layer, u.unit) == ("hidden", 2))
    assert (constant.failing, constant.passing, constant.score) == (0, 0, 0.0)


def test_channels_of_maps_are_units() -> None:
    found = suspicious_units(activations(), FAILED)
    assert sum(u.layer == "maps" for u in found.units) == 6


def test_without_errors_nothing_is_suspicious() -> None:
    found = suspicious_units(activations(), [False] * 100)
    assert {u.score for u in found.units} == {0.0}


def test_rows_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="hidden"):
        suspicious_units(activations(), FAILED[:50])


def test_the_table_and_the_picture() -> None:
    found = suspicious_units({"a<b>": activations()["hidden"]}, FAILED)
    assert "| `a<b>` | 7 |" in table(found)
    drawn = ET.fromstring(picture(found))
    cells = [e for e in drawn.iter() if e.tag.endswith("rect")]
    assert len(cells) == 12
