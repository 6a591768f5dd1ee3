"""Which line leads where a value's type or a name's binding is complained of, not its content.

The messages are those of PyTorch 2, pandas 3 and CPython 3.11 for these programs.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import Options
from dl_bug_lsp.workspace import Workspace

SALES = "date,price,town\n" + "".join(
    f'2024-01-{day:02},"{day},50",{town}\n'
    for day, town in zip(range(1, 21), ["Ulm", "Bonn"] * 10, strict=True)
)


def first(root: Path, files: dict[str, str], failing: str, error: str, command: str = "") -> str:
    """Return the first line of the report where a line of ``main.py`` fails."""
    for name, text in files.items():
        (root / name).write_text(text)
    lines = files["main.py"].splitlines()
    number = next(n for n, text in enumerate(lines, 1) if failing in text)
    log = (
        f"$ python main.py {command}\nTraceback (most recent call last):\n"
        f'  File "main.py", line {number}, in <module>\n    {lines[number - 1]}\n{error}\n'
    )
    (report,) = localize(log, Workspace(root), Options()).failures
    line = report.suspects[0]
    return files[line.file].splitlines()[line.line - 1]


@pytest.mark.parametrize(
    ("failing", "error"),
    [
        (
            'days = sales["date"].dt.dayofweek',
            "AttributeError: Can only use .dt accessor with datetimelike values",
        ),
        ('dear = sales["price"] > 9', "TypeError: Invalid comparison between dtype=str and int"),
        (
            'later = sales["date"] - 3',
            "TypeError: operation 'sub' not supported for dtype 'str' with object of type "
            "<class 'int'>",
        ),
    ],
)
def test_the_reading_that_leaves_a_column_text_leads(
    tmp_path: Path, failing: str, error: str
) -> None:
    program = f'import pandas as pd\nsales = pd.read_csv("sales.csv")\n{failing}\n'
    files = {"main.py": program, "sales.csv": SALES}
    assert first(tmp_path, files, failing, error) == 'sales = pd.read_csv("sales.csv")'


def test_a_column_of_words_is_the_wrong_one_where_it_is_used(tmp_path: Path) -> None:
    failing = 'dear = sales["town"] > 9'
    program = f'import pandas as pd\nsales = pd.read_csv("sales.csv")\n{failing}\n'
    files = {"main.py": program, "sales.csv": "town,year\n" + "Ulm,1\nBonn,2\n" * 10}
    error = "TypeError: Invalid comparison between dtype=str and int"
    assert first(tmp_path, files, failing, error) == failing


def test_the_readings_of_the_keys_lead_where_a_join_finds_other_types(tmp_path: Path) -> None:
    failing = 'table = users.merge(visits, on="user")'
    reading = 'visits = pd.read_csv("visits.csv", dtype={"user": str})'
    files = {
        "main.py": f'import pandas as pd\nusers = pd.read_csv("users.csv")\n{reading}\n{failing}\n',
        "users.csv": "user,age\n" + "".join(f"{n},{n + 20}\n" for n in range(9)),
        "visits.csv": "user,day\n" + "".join(f"{n},{n}\n" for n in range(9)),
    }
    error = (
        "ValueError: You are trying to merge on int64 and str columns for key 'user'. If you wish "
        "to proceed you should use pd.concat"
    )
    assert "read_csv" in first(tmp_path, files, failing, error)


READS = {
    "argparse": (
        "import argparse\nparser = argparse.ArgumentParser()\n"
        'parser.add_argument("--size")\nsize = parser.parse_args().size\n',
        'parser.add_argument("--size")',
    ),
    "argv": ("import sys\nsize = sys.argv[2]\n", "size = sys.argv[2]"),
    "environ": ('import os\nsize = os.environ["SIZE"]\n', 'size = os.environ["SIZE"]'),
    "ini": (
        "import configparser\nini = configparser.ConfigParser()\n"
        'ini.read("run.ini")\nsize = ini.get("net", "size")\n',
        'size = ini.get("net", "size")',
    ),
}


@pytest.mark.parametrize("source", READS)
def test_what_reads_a_number_as_a_text_leads_and_not_what_was_read(
    tmp_path: Path, source: str
) -> None:
    reading, wanted = READS[source]
    failing = "for step in range(size + 1):"
    files = {
        "main.py": f"{reading}{failing}\n    print(step)\n",
        ".env": "SIZE=32\n",
        "run.ini": "[net]\nsize = 32\n",
    }
    error = 'TypeError: can only concatenate str (not "int") to str'
    command = "--size 32" if source in ("argparse", "argv") else ""
    assert first(tmp_path, files, failing, error, command) == wanted
