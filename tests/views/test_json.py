"""The JSON view keeps its contract."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
import sample_reports as samples
from hypothesis import given
from hypothesis import strategies as st

from dl_bug_lsp.report import Report
from dl_bug_lsp.views.escape import ascii_json
from dl_bug_lsp.views.json_view import to_json

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "report.schema.json").read_text(encoding="utf-8")
)


def errors(document: object) -> list[str]:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    return [error.message for error in validator.iter_errors(document)]


def test_the_schema_is_itself_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("report", samples.ALL.values(), ids=samples.ALL)
def test_every_report_fits_the_schema(report: Report) -> None:
    assert errors(to_json(report)) == []


@pytest.mark.parametrize("report", samples.ALL.values(), ids=samples.ALL)
def test_every_report_is_strict_json(report: Report) -> None:
    text = json.dumps(to_json(report), allow_nan=False, ensure_ascii=False)
    assert json.loads(text.encode("utf-8")) == to_json(report)


def test_the_contract_s_example() -> None:
    failure = to_json(samples.REPORT)["failures"][1]
    assert failure["category"] == {
        "id": "tensor_mismatch",
        "dimension": "deep_learning_specific",
        "confidence": 0.97,
        "evidence": "mat1 and mat2 shapes cannot be multiplied (64x512 and 256x10)",
    }
    assert failure["process"] == {"rank": 1, "host": None}
    assert failure["span"] == {"first_line": 10, "last_line": 42}
    assert failure["frames"][0] == {
        "file": "/home/maria/seg/train.py",
        "line": 5,
        "function": "<module>",
        "workspace_file": "train.py",
        "workspace_line": 3,
    }
    assert [suspect["rank"] for suspect in failure["suspects"]] == [1, 2]
    assert to_json(samples.SILENT)["failures"][0]["exception"] is None


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), 2),
        (("failures", 0, "extra"), 1),
        (("failures", 0, "primary"), True),
        (("failures", 1, "category", "confidence"), 1.5),
        (("failures", 1, "suspects", 0, "line"), 0),
        (("failures", 1, "suspects", 0, "file"), "/absolute.py"),
        (("failures", 1, "origin", "id"), "elsewhere"),
    ],
)
def test_the_schema_is_strict(path: tuple[str | int, ...], value: object) -> None:
    document = to_json(samples.REPORT)
    target: object = document
    for key in path[:-1]:
        target = target[key]  # type: ignore[index]
    target[path[-1]] = value  # type: ignore[index]
    assert errors(document)


TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def test_nothing_said_turns_around_what_an_editor_shows() -> None:
    document = to_json(samples.HOSTILE)
    assert TURNING.search(samples.HOSTILE_TEXT)
    assert not TURNING.search(json.dumps(document, ensure_ascii=False))
    assert "\\u202egnp" in document["failures"][0]["exception"]["message"]


@given(st.text())
def test_escaped_json_says_the_same(text: str) -> None:
    whole = json.dumps({"a": f"\u202e{text}\U000e0041"}, ensure_ascii=False)
    assert json.loads(ascii_json(whole)) == json.loads(whole)
    assert not TURNING.search(ascii_json(whole))
