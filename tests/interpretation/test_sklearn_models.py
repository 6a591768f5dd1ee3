"""Encoders, splits and their widths by the data that they are fitted on.

The expectations are those of scikit-learn 1, with which every row was run once.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from followed_programs import followed, shown

from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.workspace import Workspace

ROWS = [
    f"{i},{'abcdefgh'[i * i % 8]},{'xy'[i % 3 == 0]},{'new york' if i % 2 else 'rome'}"
    for i in range(1, 31)
]
FILES = {"d.csv": "n,c,y,t\n" + "\n".join(ROWS) + "\n"}
HEAD = """
import numpy as np
import pandas as pd
import torch
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import det_curve
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import LabelEncoder, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC
d = pd.read_csv("d.csv")
train, test = train_test_split(d, test_size=0.3, random_state=5)
strata = train_test_split(d, test_size=0.3, random_state=1, stratify=d["y"])
few = d[d["n"] < 4]
numbers = Pipeline([("scale", StandardScaler())])
columns = ColumnTransformer([("a", numbers, ["n"]), ("b", OneHotEncoder(), ["c", "y"])])
wide = ColumnTransformer([("a", numbers, ["n"]), ("b", OneHotEncoder(), ["c"])], remainder="drop")
mixed = make_column_transformer((OneHotEncoder(), ["y"]), ("passthrough", ["n"]))
labels = LabelEncoder().fit(d["c"])
"""
EXPRESSIONS: dict[str, object] = {
    "test.n.tolist()": [12, 30, 24, 26, 19, 11, 3, 14, 27],
    "strata[0].n.tolist()[:6]": [29, 11, 10, 27, 16, 22],
    "strata[1].n.tolist()": [15, 13, 14, 17, 23, 8, 19, 12, 9],
    "train_test_split(d.n.values, d.y, test_size=7, random_state=3)[1][:4].tolist()": [
        16,
        6,
        23,
        27,
    ],
    "train_test_split(d, shuffle=False)[1].n.tolist()": [23, 24, 25, 26, 27, 28, 29, 30],
    "OneHotEncoder().fit_transform(d[['c', 'y']]).shape": (30, 5),
    "OneHotEncoder(sparse_output=False).fit_transform(few[['c', 'y']]).shape": (3, 4),
    "columns.fit_transform(d).shape": (30, 6),
    "columns.fit_transform(few).shape": (3, 5),
    "wide.fit(d).transform(few).shape": (3, 4),
    "labels.transform(few['c']).tolist()": [1, 2, 1],
    "len(labels.classes_)": 3,
    "OrdinalEncoder().fit_transform(d[['c', 'y']]).shape": (30, 2),
    "CountVectorizer().fit_transform(d['t']).shape": (30, 3),
    "CountVectorizer(max_features=2).fit_transform(d['t']).toarray().shape": (30, 2),
    "make_pipeline(OneHotEncoder(), StandardScaler(with_mean=False)).fit(d[['c']]) is None": False,
    "mixed.fit_transform(d).shape": (30, 3),
}
REFUSED = {
    "torch.tensor(OneHotEncoder().fit_transform(d[['c']]))": "type",
    "torch.from_numpy(CountVectorizer().fit_transform(d['t']))": "type",
    "len(OneHotEncoder().fit_transform(d[['c']]))": "type",
    "OneHotEncoder().fit(few[['c']]).transform(d[['c']])": "value",
    "LabelEncoder().fit(few['c']).transform(d['c'])": "value",
    "det_curve([0, 1, 0, 1], torch.rand(4, 2))": "size",
    "SVC().fit([[1.0], [2.0]], np.argmax([[0, 1], [1, 0]]))": "size",
}


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    lines = [f"v{i} = {text}" for i, text in enumerate(EXPRESSIONS)]
    folder = tmp_path_factory.mktemp("program")
    interpreter, names = followed(folder, HEAD + "\n".join(lines), FILES)
    assert not interpreter.elsewhere
    return {text: shown(names[f"v{i}"]) for i, text in enumerate(EXPRESSIONS)}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_an_expression_comes_to(values: dict[str, object], text: str) -> None:
    assert values[text] == EXPRESSIONS[text]


def test_what_the_libraries_refuse(tmp_path: Path) -> None:
    lines = [f"v{i} = {text}" for i, text in enumerate(REFUSED)]
    interpreter, _ = followed(tmp_path, HEAD + "\n".join(lines), FILES)
    found = {line: kind for (_, line), kind in interpreter.elsewhere}
    start = HEAD.count("\n") + 1
    assert {text: found.get(start + i) for i, text in enumerate(REFUSED)} == REFUSED


def test_the_fit_is_an_origin_of_a_width(tmp_path: Path) -> None:
    program = f"{HEAD}\nfirst = columns.fit_transform(d)\nsecond = columns.fit_transform(few)\n"
    _, names = followed(tmp_path, program, FILES)
    start = HEAD.count("\n") + 2
    for name, line in (("first", start), ("second", start + 1)):
        width = names[name].data.shape[1]  # type: ignore[union-attr]
        lines = {line for file, line in width.origins if file == "main.py"}
        assert line in lines and not lines & ({start, start + 1} - {line})


def test_an_encoder_that_refuses_a_category_is_one_of_the_sides(tmp_path: Path) -> None:
    text = (
        "import pandas as pd\nfrom sklearn.preprocessing import OneHotEncoder\n"
        "encoder = OneHotEncoder()\n"
        "encoder.fit(pd.DataFrame({'kind': ['a', 'b']}))\n"
        "encoder.transform(pd.DataFrame({'kind': ['c']}))\n"
    )
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    raised = Interpreter(Workspace(tmp_path, cache=False), "main.py", ("main.py", 5)).run().raised
    assert raised is not None
    assert [("main.py", 3) in side.origins for side in raised.sides] == [False, False, True]


OWN_STEPS = """import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import Lasso
from sklearn.pipeline import Pipeline
class Mapper(BaseEstimator, TransformerMixin):
    def __init__(self, grades):
        self.grades = grades
    def fit(self, X, y=None):
        self.rows = len(y)
        return self
    def transform(self, X):
        X = X.copy()
        X["grade"] = X["grade"].map(self.grades)
        return X
table = pd.DataFrame({"grade": ["Gd", "TA", "TA"], "size": [1.0, 2.0, 3.0]})
mapper = Mapper({"Gd": 2, "TA": 1})
fits = Pipeline([("m", mapper), ("l", Lasso())]).fit(table, [1, 2, 3]).predict(table)
rows = mapper.rows
Pipeline([("m", Mapper({"Gd": 2, "Ta": 1})), ("l", Lasso())]).fit(table, [1, 2, 3])"""


def test_steps_of_the_program_are_followed(tmp_path: Path) -> None:
    interpreter, names = followed(tmp_path, OWN_STEPS, {})
    assert (shown(names["fits"]), shown(names["rows"])) == (((3,), "float64"), 3)
    assert interpreter.elsewhere == {(("main.py", 19), "value")}
