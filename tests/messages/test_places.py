"""Places that messages print are read, whatever stands around them, and lead."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dl_bug_lsp.localize import localize
from dl_bug_lsp.messages.extract import NamedPlace, named_places, text_offset
from dl_bug_lsp.workspace import Workspace

MESSAGES = [
    (
        'mapping values are not allowed here\n  in "conf/base.yaml", line 25, column 3',
        [NamedPlace("conf/base.yaml", 25, 3)],
    ),
    (
        'while scanning a simple key\n  in "a.yml", line 3, column 1\n'
        "could not find expected ':'\n"
        '  in "a.yml", line 4, column 1',
        [NamedPlace("a.yml", 3, 1), NamedPlace("a.yml", 4, 1)],
    ),
    ("bad value at config.json:17", [NamedPlace("config.json", 17)]),
    ("C:\\runs\\x.toml:4:9: expected '='", [NamedPlace("\\runs\\x.toml", 4, 9)]),
    ("settings.ini (line 8): no section", [NamedPlace("settings.ini", 8)]),
    ("error on line 12 of train.cfg", [NamedPlace("train.cfg", 12)]),
    ("10.0.0.7:29500 refused", []),
    ('in "<unicode string>", line 34, column 1', []),
]


@pytest.mark.parametrize(("message", "places"), MESSAGES)
def test_named_places(message: str, places: list[NamedPlace]) -> None:
    assert list(named_places(message)) == places


@given(st.text(st.sampled_from('a.yml", line 12:/\\<>()json '), max_size=300))
def test_any_message(message: str) -> None:
    assert all(place.line > 0 for place in named_places(message))
    text_offset(message)


def read(root: Path, message: str) -> tuple[str, int]:
    text = (
        'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n'
        f"    config = read(PATH)\n{message}\n"
    )
    found = localize(text, Workspace(root, cache=False)).primary
    assert found is not None
    return found.suspects[0].file, found.suspects[0].line


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text("from read import read\nPATH = 'c'\nconfig = read(PATH)\n")
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "base.yaml").write_text("a: 1\nb: 2\nc: d: 3\n")
    for name, size in (("net.json", 3), ("data.json", 30)):
        body = json.dumps({"size": size, "layers": [1, 2], "name": name}, indent=1)
        (tmp_path / name).write_text(body.replace('"layers"', "'layers'"))
    return tmp_path


def test_a_named_place_leads(root: Path) -> None:
    message = (
        "yaml.scanner.ScannerError: mapping values are not allowed here\n"
        '  in "conf/base.yaml", line 3, column 5'
    )
    assert read(root, message) == ("conf/base.yaml", 3)


def test_an_offset_tells_the_file(root: Path) -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads((root / "data.json").read_text())
    assert read(root, f"json.decoder.JSONDecodeError: {caught.value}") == ("data.json", 3)
