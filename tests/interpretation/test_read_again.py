"""Tables that runs read again are parsed once, and always as the file and the call say."""

from __future__ import annotations

from pathlib import Path

import pytest
from followed_programs import followed, shown

from dl_bug_lsp.interpretation.libraries.pandas import reading as pandas_reading

TEXT = "a,b\n1,x\n2,y\n3,-\n"
READ = "import pandas as pd\nrows = pd.read_csv('d.csv'{options})"
WHOLE = ({"a": "int64", "b": "object"}, 3)


@pytest.fixture(autouse=True)
def _nothing_parsed() -> None:
    pandas_reading._first_rows.cache_clear()
    pandas_reading._typed.cache_clear()


def read(folder: Path, text: str, options: str = "", then: str = "") -> object:
    """Return the table that a program reads."""
    program = f"{READ.format(options=options)}\n{then}"
    return shown(followed(folder, program, {"d.csv": text})[1]["rows"])


def test_the_second_run_parses_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, TEXT) == WHOLE
    parsed = pandas_reading._first_rows.cache_info().misses
    columns = pandas_reading._typed.cache_info().misses
    assert (parsed, columns) == (1, 2)
    assert read(tmp_path, TEXT) == WHOLE
    assert pandas_reading._first_rows.cache_info().misses == parsed
    assert pandas_reading._typed.cache_info().misses == columns
    assert pandas_reading._first_rows.cache_info().hits == 1


def test_a_file_that_has_changed_is_parsed_anew(tmp_path: Path) -> None:
    assert read(tmp_path, TEXT) == WHOLE
    assert read(tmp_path, "a,b\n1.5,x\n") == ({"a": "float64", "b": "object"}, 1)
    assert read(tmp_path, TEXT) == WHOLE


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (", sep=';'", ({"a,b": "object"}, 3)),
        (", skiprows=1", ({"1": "int64", "x": "object"}, 2)),
        (", nrows=1", ({"a": "int64", "b": "object"}, 1)),
        (", header=None", ({0: "object", 1: "object"}, 4)),
        (", usecols=['a']", ({"a": "int64"}, 3)),
        (", na_values=['2']", ({"a": "float64", "b": "object"}, 3)),
        (", dtype={'a': 'float32'}", ({"a": "float32", "b": "object"}, 3)),
    ],
)
def test_each_call_has_its_own_options(tmp_path: Path, options: str, expected: object) -> None:
    assert read(tmp_path, TEXT) == WHOLE
    assert read(tmp_path, TEXT, options) == expected
    assert read(tmp_path, TEXT) == WHOLE


@pytest.mark.parametrize(
    "change",
    [
        "rows['c'] = 1",
        "rows['a'] = rows['a'] / 2",
        "rows.loc[0, 'a'] = 'word'",
        "rows.drop(columns=['a'], inplace=True)",
        "rows.rename(columns={'a': 'z'}, inplace=True)",
    ],
)
def test_what_a_program_does_to_its_table_stays_in_it(tmp_path: Path, change: str) -> None:
    program = f"{READ.format(options='')}\n{change}\nagain = pd.read_csv('d.csv')\n"
    program += "cells = list(again['a'])"
    names = followed(tmp_path, program, {"d.csv": TEXT})[1]
    assert shown(names["rows"]) != WHOLE or "loc" in change
    assert shown(names["again"]) == WHOLE
    assert shown(names["cells"]) == [1, 2, 3]


def test_texts_of_the_program_are_kept_apart_from_files(tmp_path: Path) -> None:
    program = (
        "import io\nimport pandas as pd\n"
        f"rows = pd.read_csv(io.StringIO({TEXT!r}))\nsame = pd.read_csv('d.csv')"
    )
    names = followed(tmp_path, program, {"d.csv": TEXT})[1]
    assert shown(names["rows"]) == shown(names["same"]) == WHOLE
    assert ("d.csv", 1) in names["same"].origins
    assert ("d.csv", 1) not in names["rows"].origins
