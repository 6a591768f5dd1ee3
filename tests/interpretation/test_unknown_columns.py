"""Tables of files that are gone: what is known of their parts is the number of axes."""

from __future__ import annotations

from pathlib import Path

import pytest
from followed_programs import followed, shown

from dl_bug_lsp.interpretation.forecast import Forecast
from dl_bug_lsp.interpretation.table_values import sizes_of_table
from dl_bug_lsp.interpretation.values import Raised, Value
from dl_bug_lsp.workspace import Workspace

HEAD = (
    "import pandas as pd\n"
    "from sklearn.model_selection import train_test_split\n"
    "df = pd.read_csv('gone.csv')\n"
)
SIZES = {
    "df.iloc[:, 1].values": ((None,), None),
    "df.iloc[:, 1:4].values": ((None, 3), None),
    "df[['x', 'y']].to_numpy()": ((None, 2), None),
    "df['x'].values.reshape(-1, 1)": ((None, 1), None),
    "df.x": ((None,), None),
    "df[df['x'] > 3]['y']": ((None,), None),
    "df.loc[df.x > 1, ['x', 'y', 'z']].values": ((None, 3), None),
    "df[['x', 'y']].iloc[0]": ((2,), None),
    "df.drop('y', axis=1).values": ((None, None), None),
    "df.isnull().sum()": ((None,), None),
    "train_test_split(df['x'].values)[0]": ((None,), None),
    "isinstance(df, pd.DataFrame)": True,
    "len(df)": ((), "int64"),
    "df.ndim": 2,
    "df.columns": "unknown",
    "df.groupby('x').mean()": "unknown",
    "pd.read_csv('gone.csv', chunksize=5)": "unknown",
    "pd.read_pickle('gone.pkl')": "unknown",
}


@pytest.mark.parametrize("expression", SIZES)
def test_what_is_known_of_a_part(expression: str, tmp_path: Path) -> None:
    _, names = followed(tmp_path, f"{HEAD}x = {expression}", {})
    assert shown(names["x"]) == SIZES[expression]


def _sizes(value: Value) -> tuple[object, object]:
    sizes = sizes_of_table(value)
    assert sizes is not None
    return shown(sizes[0]), shown(sizes[1])


def test_a_column_that_is_set_may_be_new(tmp_path: Path) -> None:
    program = (
        "two = df[['x', 'y']]\nkept = two.head()\ntwo['z'] = 1\n"
        "gone = df[['x', 'y', 'z']]\ngone.drop(columns=['x'], inplace=True)"
    )
    _, names = followed(tmp_path, HEAD + program, {})
    assert _sizes(names["kept"]) == ("unknown", 2)
    assert _sizes(names["two"]) == ("unknown", "unknown")
    assert _sizes(names["gone"]) == ("unknown", "unknown")


def test_a_single_column_is_refused_as_features(tmp_path: Path) -> None:
    program = (
        "from sklearn.linear_model import LinearRegression\n"
        "x = df.iloc[:, 1].values\ny = df['y']\nmodel = LinearRegression().fit(x, y)"
    )
    run, _ = followed(tmp_path, HEAD + program, {})
    assert (("main.py", 7), "size") in run.elsewhere


def test_a_forecast_still_says_that_the_file_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(HEAD, encoding="utf-8")
    prediction = Forecast(Workspace(tmp_path, cache=False), "main.py", []).predict()
    assert prediction is not None
    assert isinstance(prediction.raised, Raised)
    assert prediction.raised.what == "file"
