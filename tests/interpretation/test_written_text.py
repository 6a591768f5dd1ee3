"""What a program writes to files of text is known where the program or a later one reads it."""

from __future__ import annotations

from pathlib import Path

import pytest
from followed_programs import followed, shown

from dl_bug_lsp.interpretation import arrays
from dl_bug_lsp.interpretation.earlier_runs import EarlierRuns
from dl_bug_lsp.interpretation.forecast import Forecast
from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.values import ModuleValue, Value
from dl_bug_lsp.workspace import Workspace

START = "import csv, json, yaml\nfrom pathlib import Path\nimport pandas as pd\n"
ROWS = """
with open("a.csv", "w", newline="") as file:
    writer = csv.DictWriter(file, fieldnames=["name", "label"])
    writer.writeheader()
    for label, name in enumerate(["cat", "dog"], start=1):
        writer.writerow({"label": label, "name": name})
"""
TABBED = """
with open("a.tsv", "w") as file:
    writer = csv.writer(file, delimiter="\\t")
    writer.writerows([["x", "y"], [1, "one, or"], [None, 2.5]])
"""
LINES = """
with open("a.txt", "w") as file:
    file.write("one")
    file.write(" two\\nthree\\n")
    print("four", 5, file=file)
    file.writelines(["six\\n", "7"])
with open("a.txt", "a") as file:
    print(8, sep="", file=file)
"""
RECORDS = """
with open("a.jsonl", "w") as file:
    for number in range(3):
        file.write(json.dumps({"id": number, "unknown": input()}) + "\\n")
with open("b.jsonl", "w") as file:
    for number in range(2):
        json.dump({"id": number}, file)
        file.write("\\n")
"""
SETTINGS = """
yaml.safe_dump({"sizes": [3, 4]}, open("a.yaml", "w"))
Path("b.json").write_text(json.dumps({"sizes": [5]}))
"""


@pytest.mark.parametrize(
    ("program", "expression", "expected"),
    [
        (ROWS, "pd.read_csv('a.csv')", ({"name": "object", "label": "int64"}, 2)),
        (ROWS, "pd.read_csv('a.csv')['label'].max()", 2),
        (ROWS, "[int(row['label']) for row in csv.DictReader(open('a.csv'))]", [1, 2]),
        (ROWS, "open('a.csv').read()", "name,label\ncat,1\ndog,2\n"),
        (TABBED, "list(csv.reader(open('a.tsv'), delimiter='\\t'))[1:]",
         [["1", "one, or"], ["", "2.5"]]),
        (LINES, "[line.strip() for line in open('a.txt')]",
         ["one two", "three", "four 5", "six", "78"]),
        (LINES, "Path('a.txt').read_text().split()[-1]", "78"),
        (RECORDS, "[json.loads(line)['id'] for line in open('a.jsonl')]", [0, 1, 2]),
        (RECORDS, "[json.loads(line)['id'] for line in open('b.jsonl')]", [0, 1]),
        (RECORDS, "pd.read_json('b.jsonl', lines=True)", ({"id": "int64"}, 2)),
        (SETTINGS, "yaml.safe_load(open('a.yaml'))", {"sizes": [3, 4]}),
        (SETTINGS, "json.load(open('b.json'))", {"sizes": [5]}),
    ],
)  # fmt: skip
def test_what_is_written_is_read(
    tmp_path: Path, program: str, expression: str, expected: object
) -> None:
    _, names = followed(tmp_path, f"{START}{program}\nvalue = {expression}", {})
    assert shown(names["value"]) == expected


def test_a_cell_comes_from_the_value_that_was_written(tmp_path: Path) -> None:
    program = f"{START}{ROWS}\nlabel = next(csv.DictReader(open('a.csv')))['label']"
    _, names = followed(tmp_path, program, {})
    # Besides the key that it is looked up with.
    assert names["label"].origins == {("main.py", 8), ("main.py", 11)}


@pytest.mark.parametrize(
    "change",
    [
        "shutil.copyfileobj(source, file)",
        "file.write(input())",
        "file.seek(0)",
        "writer = csv.writer(file, quoting=input())",
    ],
)
def test_what_else_is_written_leaves_a_file_unknown(tmp_path: Path, change: str) -> None:
    program = f"{START}import shutil\nfile = open('a.txt', 'w')\nfile.write('a\\n')\n{change}\n"
    _, names = followed(tmp_path, f"{program}\nvalue = open('a.txt').read()", {})
    assert not names["value"].known


OUTLINED = """
def rows():
    for label, name in enumerate(["a", "b", "c"], start=1):
        for path in sorted((Path("raw") / name).glob("*.npy")):
            yield {"file": path.name, "class": name, "label": label}

with open("a.csv", "w") as file:
    writer = csv.DictWriter(file, fieldnames=["file", "class", "label"])
    writer.writeheader()
    writer.writerows(rows())
"""
ADDED = """
kept = []
for label, name in enumerate(["a", "b", "c"], start=1):
    for path in Path("raw", name).glob("*.npy"):
        kept.append((path.name, name, label))
with open("a.csv", "w") as file:
    writer = csv.writer(file)
    writer.writerow(["file", "class", "label"])
    for row in kept:
        writer.writerow(row)
"""


@pytest.mark.parametrize(("program", "line"), [(OUTLINED, 6), (ADDED, 6)])
def test_columns_of_rows_that_are_not_all_known(tmp_path: Path, program: str, line: int) -> None:
    reading = (
        "table = pd.read_csv('a.csv')\nlabels = table['label']\nlabel = int(table.iloc[0]['label'])"
    )
    _, names = followed(tmp_path, f"{START}{program}\n{reading}", {})
    columns = {"file": None, "class": "object", "label": "int64"}
    assert shown(names["table"]) == (columns, "unknown")
    assert arrays.bounds_of(names["labels"]) == (1, 3)
    assert arrays.bounds_of(names["label"]) == (1, 3)
    assert ("main.py", line) in names["label"].origins


@pytest.mark.parametrize(
    ("loop", "bounds"),
    [
        ("for at, path in enumerate(Path('raw').glob('*'), start=2):", (2, None)),
        ("for at, path in enumerate(open('none.txt')):", (0, None)),
    ],
)
def test_numbers_of_items_that_are_not_known(
    tmp_path: Path, loop: str, bounds: tuple[int, int | None]
) -> None:
    _, names = followed(tmp_path, f"{START}{loop}\n    number = at", {})
    assert arrays.bounds_of(names["number"]) == bounds


MAKING = """
import argparse, sys
from pathlib import Path
import numpy as np
KINDS = {"oak": 1, "elm": 2, "ash": 3}
out = Path(sys.argv[1])
for name, value in KINDS.items():
    folder = out / name
    folder.mkdir(parents=True)
    for number in range(ROUNDS):
        array = np.zeros((4, 4))
        array = array + value
        array = array * 2 - 1 + number
        np.save(folder / f"{number}.npy", array)
MORE
"""
LISTING = """
import os
from pathlib import Path
raw = Path("raw")
kinds = sorted(d.name for d in raw.iterdir() if d.is_dir())
files = sorted(path.name for path in (raw / "elm").glob("*.npy"))
listed = sorted(os.listdir("raw"))
"""


def after(folder: Path, making: str, reading: str) -> dict[str, Value]:
    """Return the names of a program that ran after another one."""
    (folder / "make.py").write_text(making, encoding="utf-8")
    (folder / "main.py").write_text(reading, encoding="utf-8")
    workspace = Workspace(folder, cache=False)
    run = Interpreter(workspace, "main.py", ("main.py", reading.count("\n") + 1))
    words = [Value("raw", frozenset({("run.sh", 1)}))]
    run.earlier = EarlierRuns(workspace, [("make.py", words)], "main.py")
    run.run()
    module = run.modules["main.py"].data
    assert isinstance(module, ModuleValue)
    return module.environment.names


@pytest.mark.parametrize(
    ("rounds", "more", "kinds", "files"),
    [
        (2, "", ["ash", "elm", "oak"], ["0.npy", "1.npy"]),
        # Of many rounds the folders are known still, but not all files in them.
        (300, "", ["ash", "elm", "oak"], None),
        (2, "(out / input()).mkdir()", None, None),
        (2, "(out / 'oak').rmdir()", None, None),
    ],
)
def test_folders_that_a_command_before_made(
    tmp_path: Path, rounds: int, more: str, kinds: list[str] | None, files: list[str] | None
) -> None:
    making = MAKING.replace("ROUNDS", str(rounds)).replace("MORE", more)
    names = after(tmp_path, making, LISTING)
    unknown = ("lazy", "unknown", "unknown")
    assert shown(names["kinds"]) == (kinds or unknown)
    assert shown(names["files"]) == (files or unknown)
    assert shown(names["listed"]) == (kinds or unknown)
    if kinds:
        assert ("make.py", 5) in names["kinds"].data[0].origins  # type: ignore[index]


def test_a_forecast_knows_no_line_that_may_not_be_written(tmp_path: Path) -> None:
    program = (
        "import sys\nwith open('a.txt', 'w') as file:\n    file.write('a\\n')\n"
        "    if len(sys.argv) > 1:\n        file.write('b\\n')\n"
        "value = open('a.txt').read()\n"
        "with open('b.txt', 'w') as file:\n"
        "    for word in sys.argv:\n        print(word, file=file)\n"
        "other = open('b.txt').readlines()\n"
    )
    (tmp_path / "main.py").write_text(program, encoding="utf-8")
    forecast = Forecast(Workspace(tmp_path, cache=False), "main.py", None)
    assert forecast.predict() is None
    module = forecast.modules["main.py"].data
    assert isinstance(module, ModuleValue)
    names = module.environment.names
    assert not names["value"].known
    assert not names["other"].known
