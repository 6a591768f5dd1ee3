"""The models of pandas and scikit-learn: columns, rows, features, and what is refused.

The expectations are those of pandas 2 and scikit-learn 1, with which every row was run once.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from followed_programs import followed, shown

from dl_bug_lsp.interpretation.models import MODELS, Call
from dl_bug_lsp.interpretation.values import Array, Table, Value

FILES = {
    "d.csv": "a,b,y,t\n1,2.5,0,x\n2,3.5,1,y\n3,,2,x\n4,5.0,1,z\n",
    "odd.csv": "p,q\n1,2\n2,n.d.\n3,4\n",
    "wide.csv": "p,q\n1,2\n1,2,3\n4,5,6\n",
    "semi.csv": "p;q\n1;2\n",
    "comma.csv": "p;q;t\n1,5;1.200;a,b\n2,25;3.400;c\n",
}
HEAD = """
import numpy as np
import pandas as pd
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder, OneHotEncoder, StandardScaler
df = pd.read_csv("d.csv")
z = np.zeros((10, 3))
fitted = StandardScaler()
fitted.fit(z)
model = LogisticRegression()
"""
COLUMNS = {"a": "int64", "b": "float64", "y": "int64", "t": "object"}
EXPRESSIONS: dict[str, object] = {
    "df": (COLUMNS, 4),
    "pd.read_csv('odd.csv')": ({"p": "int64", "q": "object"}, 3),
    "pd.read_csv('semi.csv')": ({"p;q": "object"}, 1),
    "pd.read_csv('semi.csv', sep=';')": ({"p": "int64", "q": "int64"}, 1),
    "pd.read_csv('comma.csv', sep=';')": ({"p": "object", "q": "float64", "t": "object"}, 2),
    "pd.read_csv('comma.csv', sep=';', decimal=',')": (
        {"p": "float64", "q": "object", "t": "object"},
        2,
    ),
    "pd.read_csv('comma.csv', sep=';', decimal=',', thousands='.')": (
        {"p": "float64", "q": "int64", "t": "object"},
        2,
    ),
    "pd.read_csv('comma.csv', sep=';', decimal=',')['t'][0]": "a,b",
    "pd.read_csv('d.csv', usecols=['a', 't'])": ({"a": "int64", "t": "object"}, 4),
    "pd.read_csv('d.csv', index_col=0, nrows=2)": (
        {"b": "float64", "y": "int64", "t": "object"},
        2,
    ),
    "pd.read_csv('semi.csv', sep=';', header=None)": ({0: "object", 1: "object"}, 2),
    "df.drop(columns=['y', 't']).values": ((4, 2), "float64"),
    "df.drop('t', axis=1).shape": (4, 3),
    "df[['a', 't']].to_numpy()": ((4, 2), "object"),
    "df['y'].values": ((4,), "int64"),
    "len(df)": 4,
    "list(df.columns)": ["a", "b", "y", "t"],
    "df.dropna()": (COLUMNS, 3),
    "df.head(2)": (COLUMNS, 2),
    "df.sample(frac=0.5)": (COLUMNS, 2),
    "df.rename(columns={'a': 'A'}).columns[0]": "A",
    "df.select_dtypes(include='number')": ({"a": "int64", "b": "float64", "y": "int64"}, 4),
    "pd.concat([df, df])": (COLUMNS, 8),
    "pd.get_dummies(df.drop(columns=['b', 'y']))": (
        {"a": "int64", "t_x": "bool", "t_y": "bool", "t_z": "bool"},
        4,
    ),
    "pd.DataFrame({'u': [1, 2], 'v': ['a', 'b']})": ({"u": "int64", "v": "object"}, 2),
    "pd.DataFrame(z, columns=['p', 'q', 'r'])": (dict.fromkeys("pqr", "float64"), 10),
    "[row['t'] for _, row in df.iterrows()]": ["x", "y", "x", "z"],
    "[row.a for row in df.itertuples()]": [1, 2, 3, 4],
    "df.to_dict('records')[1]['t']": "y",
    "train_test_split(z, test_size=0.25)": [((7, 3), "float64"), ((3, 3), "float64")],
    "train_test_split(z, np.zeros(10), test_size=4)[2:]": [((6,), "float64"), ((4,), "float64")],
    "fitted.transform(np.zeros((2, 3)))": ((2, 3), "float64"),
    "OneHotEncoder(sparse_output=False).fit_transform(df.drop(columns=['a', 'b', 'y']))": (
        (4, 3),
        "float64",
    ),
    "LabelEncoder().fit_transform(['b', 'a', 'b'])": ((3,), "int64"),
    "load_iris(return_X_y=True)": (((150, 4), "float64"), ((150,), "int64")),
    "load_iris().data": ((150, 4), "float64"),
    "make_classification(60, 7, n_informative=4)[0]": ((60, 7), "float64"),
}
REFUSED = {
    "df['missing']": "key",
    "df[['a', 'missing']]": "key",
    "df.drop(columns=['missing'])": "key",
    "pd.read_csv('wide.csv', usecols=['none'])": "value",
    "df.merge(df, on='none')": "key",
    "df.astype({'t': float})": "value",
    "pd.DataFrame({'u': [1], 'v': [1, 2]})": "size",
    "pd.DataFrame(z, columns=['p', 'q'])": "size",
    "train_test_split(z, np.zeros(9))": "size",
    "fitted.transform(np.zeros((2, 4)))": "size",
    "fitted.fit(np.zeros(3))": "size",
    "StandardScaler().fit(df)": "type",
    "model.fit(z, np.zeros(9))": "size",
    "accuracy_score([1, 0], [1])": "size",
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


def test_an_odd_text_is_an_origin_of_its_column(tmp_path: Path) -> None:
    program = "import pandas as pd\ncolumn = pd.read_csv('odd.csv')['q']"
    _, names = followed(tmp_path, program, FILES)
    assert {("odd.csv", 1), ("odd.csv", 3)} <= names["column"].origins


def test_a_column_keeps_its_cells_until_it_is_assigned_to(tmp_path: Path) -> None:
    program = "import pandas as pd\ndf = pd.read_csv('d.csv')"
    interpreter, names = followed(tmp_path, program, FILES)
    table = names["df"]
    place = ("main.py", 2)

    def asked(kind: str, name: str, receiver: Value, *args: Value) -> Value:
        return MODELS.methods[kind, name](interpreter, Call(name, args, {}, place, receiver))

    column = asked("table", "__getitem__", table, Value("t"))
    assert asked("array", "nunique", column).data == 3
    cells = asked("array", "tolist", column).data
    assert isinstance(cells, list)
    assert cells[0].origins == {("d.csv", 2)}
    assert isinstance(table.data, Table)
    table.data.columns["t"] = "float64"
    number = asked("array", "nunique", asked("table", "__getitem__", table, Value("t")))
    assert not isinstance(number.data, int)


def test_what_adds_a_column_is_a_part_of_what_made_the_width(tmp_path: Path) -> None:
    program = """
import pandas as pd
df = pd.read_csv("d.csv").drop(columns="t")
df["sum"] = df["a"] + df["b"]
matrix = df.to_numpy()
"""
    _, names = followed(tmp_path, program, FILES)
    shape = names["matrix"].data.shape
    assert shape is not None
    assert shape[1].data == 4
    assert ("main.py", 4) in shape[1].origins
    assert ("main.py", 4) not in shape[0].origins


@pytest.mark.parametrize(
    "rows",
    [
        "df[df['b'] > limit]",
        "df.query('b > @limit')",
        "df.sample(frac=0.5)",
        "df.drop(index=[limit])",
        "df.loc[[limit]]",
        "df.sort_index(key=limit).dropna(subset=limit).reset_index(drop=True)",
    ],
)
def test_some_rows_lie_between_the_bounds_of_all(tmp_path: Path, rows: str) -> None:
    program = (
        "import os\nimport pandas as pd\nlimit = float(os.environ['LIMIT'])\n"
        f"df = pd.read_csv('d.csv')\nsome = {rows}\nlabels = some['y'].to_numpy()\n"
        "some['y'] = limit\nafter = some['y'].to_numpy()\n"
    )
    _, names = followed(tmp_path, program, FILES)

    labels, after = names["labels"].data, names["after"].data
    assert isinstance(labels, Array)
    assert (labels.lowest, labels.highest, labels.attained) == (0, 2, False)
    assert not isinstance(after, Array) or after.highest is None


def test_rows_are_dropped_by_their_labels(tmp_path: Path) -> None:
    program = """
import pandas as pd
df = pd.read_csv("d.csv").sort_values("b")
last = df.groupby("t").tail(1).index
result = [df.drop(last)["a"].tolist(), df.loc[last]["a"].tolist(), df.drop(0)["a"].tolist()]
"""
    _, names = followed(tmp_path, program, FILES)

    assert shown(names["result"]) == [[1], [2, 4, 3], [2, 4, 3]]
