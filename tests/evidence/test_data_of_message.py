"""What a message says of data: values, columns, separators and characters, found where they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import Suspect
from dl_bug_lsp.workspace import Workspace


def _first(root: Path, error: str, line: int) -> Suspect:
    """Return the first suspect of a failure that is raised at a line of ``train.py``."""
    return _suspects(root, error, line)[0]


def _suspects(root: Path, error: str, line: int) -> tuple[Suspect, ...]:
    file = "train.py"
    text = (root / file).read_text("utf-8").split("\n")[line - 1].strip()
    log = (
        "Traceback (most recent call last):\n"
        f'  File "{root / file}", line {line}, in <module>\n    {text}\n{error}\n'
    )
    return localize(log, Workspace(root, cache=False)).failures[-1].suspects


RAISING = """\
import csv

def parse(smiles, table):
    if smiles not in table:
        message = f"structure {smiles} is invalid! (the parser returned nothing)"
        raise RuntimeError(message)

for row in csv.DictReader(open("assays.csv")):
    parse(row["smiles"], {})
"""


def test_value_that_the_raising_statement_put_into_its_message_is_found(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(RAISING, "utf-8")
    rows = [f"C{'C' * n}O,{n}.5" for n in range(40)]
    rows[16] = "Clc1ccc(Cl)c(Clc1Cl,3.5"
    (tmp_path / "assays.csv").write_text("\n".join(["smiles,logS", *rows]) + "\n", "utf-8")
    error = "RuntimeError: structure Clc1ccc(Cl)c(Clc1Cl is invalid! (the parser returned nothing)"
    suspect = _first(tmp_path, error, 6)
    assert (suspect.file, suspect.line) == ("assays.csv", 18)


TABULAR = """\
import pandas as pd
import yaml

settings = yaml.safe_load(open("features.yaml"))
table = pd.read_csv("customers.csv")
columns = table[settings["numeric"]]
values = columns.to_numpy(dtype="float32")
"""
FEATURES = "numeric:\n  - tenure\n  - charge\n  - region\ntarget: churned\n"


def test_column_of_texts_is_suspected_where_it_is_named_and_not_in_its_rows(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TABULAR, "utf-8")
    (tmp_path / "features.yaml").write_text(FEATURES, "utf-8")
    rows = [f"{n},{n * 2}.25,{('north', 'south', 'west')[n % 3]},{n % 2}" for n in range(30)]
    text = "\n".join(["tenure,charge,region,churned", *rows])
    (tmp_path / "customers.csv").write_text(text + "\n", "utf-8")
    suspect = _first(tmp_path, "ValueError: could not convert string to float: 'north'", 7)
    assert (suspect.file, suspect.line) == ("features.yaml", 4)


GRAPH = """\
import numpy as np

def load(path):
    return np.array([line.rstrip().split("\\t") for line in open(path)])

for path in ("graph/train.tsv", "graph/valid.tsv", "graph/test.tsv"):
    triples = load(path)
    relations = np.unique(triples[:, 1])
"""


@pytest.mark.parametrize("ignored", [False, True])
def test_table_with_another_separator_than_its_siblings_is_suspected(
    tmp_path: Path, ignored: bool
) -> None:
    (tmp_path / "train.py").write_text(GRAPH, "utf-8")
    (tmp_path / "graph").mkdir()
    for name, mark in (("train", "\t"), ("valid", ","), ("test", "\t")):
        rows = [mark.join((f"person{n}", f"knows{n % 4}", f"person{n + 7}")) for n in range(40)]
        (tmp_path / "graph" / f"{name}.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    if ignored:
        (tmp_path / ".gitignore").write_text("graph/\n", "utf-8")
    error = "IndexError: index 1 is out of bounds for axis 1 with size 1"
    places = [(suspect.file, suspect.line) for suspect in _suspects(tmp_path, error, 8)]
    # Another column in the failing line would let the program pass as well.
    assert ("graph/valid.tsv", 1) in places[:2]


CORPUS = """\
text = open("corpus.txt", encoding="utf-8").read()
if not text.isascii():
    raise ValueError("The corpus is not ASCII.")
"""


def test_line_with_characters_beyond_ascii_is_suspected(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(CORPUS, "utf-8")
    lines = [f"line {n} of the corpus" for n in range(50)]
    lines[32] = "he said “no”"
    (tmp_path / "corpus.txt").write_text("\n".join(lines) + "\n", "utf-8")
    suspect = _first(tmp_path, "ValueError: The corpus is not ASCII.", 3)
    assert (suspect.file, suspect.line) == ("corpus.txt", 33)
    assert "U+201C" in " ".join(reason.why for reason in suspect.evidence)
