"""Known cells of tables: what masks, indexers, new columns and counts make of them.

The expectations are those of pandas 2, with which every row was run once.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from followed_programs import followed, shown

from dl_bug_lsp.interpretation.table_values import Draws

FILES = {
    "s.csv": "id,split,label,text\n3,train,cat,a b\n7,train,dog,c\n9,val,bird,d e\n9,train,cat,\n",
    "odd.csv": "p,q\n1,2\n2,n.d.\n3,4\n",
    "r.jsonl": '{"x": 1, "y": "a"}\n{"x": 5, "y": "b"}\n{"x": 3, "y": "a"}\n',
}
HEAD = """
import numpy as np
import pandas as pd
s = pd.read_csv("s.csv")
tr = s[s["split"] == "train"]
va = s[s["split"] == "valid"]
new = s.copy()
new["twice"] = new["id"] * 2
new["code"] = new["label"].map({"cat": 0, "dog": 1})
new["one"] = 1
made = pd.DataFrame({"k": ["a", "b", "a"], "v": [1, 2, 4]})
names = pd.DataFrame([{"label": "cat", "code": 5}, {"label": "dog", "code": 6}])
joined = s.merge(names, on="label")
by_key = made.set_index("k", drop=False)
lines = pd.read_json("r.jsonl", lines=True)
"""
EXPRESSIONS: dict[str, object] = {
    "len(tr)": 3,
    "len(va)": 0,
    "va.empty": True,
    "tr['id'].max()": 9,
    "tr['id'].nunique()": 3,
    "tr.reset_index(drop=True)['label'][2]": "cat",
    "tr['id'].values[2]": 9,
    "tr.loc[3, 'label']": "cat",
    "tr.iloc[-1]['label']": "cat",
    "tr.iloc[1:]['id'].tolist()": [7, 9],
    "s.loc[s.split == 'train', 'id'].tolist()": [3, 7, 9],
    "s.loc[s.split == 'train', ['id', 'label']].shape": (3, 2),
    "s.query(\"split == 'train' and id > 3\")['id'].tolist()": [7, 9],
    "s[(s.id > 3) & ~(s.split == 'val')].label.tolist()": ["dog", "cat"],
    "s[s.id.between(4, 9) | s['text'].isna()].id.tolist()": [7, 9, 9],
    "len(s[s.label.isin(['cat', 'bird'])])": 3,
    "len(s[s.label.str.contains('a|d')])": 4,
    "len(s[s.label.str.startswith('c')])": 2,
    "s['text'].str.len().max()": 3,
    "new['twice'].tolist()": [6, 14, 18, 18],
    "new['code'].isna().sum()": 1,
    "new['one'].sum()": 4,
    "new['code'].fillna(-1).astype(int).tolist()": [0, 1, -1, 0],
    "s['label'].map({c: i for i, c in enumerate(sorted(s['label'].unique()))}).tolist()": [
        *(1, 2, 0, 1)
    ],
    "s['label'].astype('category').cat.codes.tolist()": [1, 2, 0, 1],
    "s['label'].replace({'cat': 'dog'}).nunique()": 2,
    "s['id'].apply(lambda x: x * 2).tolist()": [6, 14, 18, 18],
    "len(s.dropna())": 3,
    "len(s.dropna(subset=['id']))": 4,
    "s.drop_duplicates('label').id.tolist()": [3, 7, 9],
    "s['label'].value_counts().to_dict()": {"cat": 2, "dog": 1, "bird": 1},
    "s['label'].value_counts().idxmax()": "cat",
    "s.sort_values('label').id.tolist()[:1]": [9],
    "s.sort_values('id', ascending=False).id.tolist()": [9, 9, 7, 3],
    "pd.factorize(s['label'])[0].tolist()": [0, 1, 2, 0],
    "s.sample(frac=1, random_state=0)['id'].tolist()": [9, 9, 7, 3],
    "((s.id - 3) / 2).tolist()": [0.0, 2.0, 3.0, 3.0],
    "s['label'].unique().tolist()": ["cat", "dog", "bird"],
    "s.head(2).label.values.tolist()": ["cat", "dog"],
    "s.id.values[s.split == 'val'].tolist()": [9],
    "s['id'].mean()": 7.0,
    "s['id'].median()": 8.0,
    "pd.read_csv('s.csv', index_col='id').loc[7]['label']": "dog",
    "pd.read_csv('s.csv', dtype={'id': str}).id.tolist()": ["3", "7", "9", "9"],
    "pd.to_numeric(pd.read_csv('odd.csv').q, errors='coerce').max()": 4.0,
    "pd.read_csv('odd.csv', na_values=['n.d.']).q.sum()": 6.0,
    "s.columns[1]": "split",
    "made.groupby('k').size().to_dict()": {"a": 2, "b": 1},
    "made.groupby('k')['v'].mean().max()": 2.5,
    "made.groupby('k')['v'].transform('sum').tolist()": [5, 2, 5],
    "[(k, len(g)) for k, g in made.groupby('k')]": [("a", 2), ("b", 1)],
    "made.groupby('k').ngroups": 2,
    "made.groupby('k').get_group('a').v.tolist()": [1, 4],
    "made.groupby('k').cumcount().tolist()": [0, 0, 1],
    "joined.shape": (3, 5),
    "sorted(joined.code.tolist())": [5, 5, 6],
    "len(s.merge(names, on='label', how='left'))": 4,
    "s.merge(names, on='label', how='left').code.isna().sum()": 1,
    "pd.concat([made, made], ignore_index=True).v.tolist()": [1, 2, 4, 1, 2, 4],
    "pd.concat([made, made.rename(columns={'k': 'l', 'v': 'w'})], axis=1).w.max()": 4,
    "pd.concat([made, made]).v.sum()": 14,
    "by_key.loc['b', 'v']": 2,
    "made.assign(w=lambda t: t.v + 1).w.tolist()": [2, 3, 5],
    "made[['v']].max()['v']": 4,
    "made.nunique()['k']": 2,
    "s.isna().sum().sum()": 1,
    "s.isna().sum()['text']": 1,
    "s.fillna(s[['id']].median()).id.tolist()": [3, 7, 9, 9],
    "pd.get_dummies(made).reindex(columns=['v', 'k_a', 'k_z'], fill_value=0).shape": (3, 3),
    "lines.x.max()": 5,
    "lines[lines.y == 'a'].x.tolist()": [1, 3],
    "s.columns.str.upper().tolist()": ["ID", "SPLIT", "LABEL", "TEXT"],
    "'id' in s.columns": True,
    "[c for c in s.columns if c not in ('id', 'split')]": ["label", "text"],
}
REFUSED = {
    "tr['label'][2]": "key",
    "tr.loc[2]": "key",
    "va.iloc[0]": "index",
    "tr.iloc[3]": "index",
    "s.median()": "type",
    "made.groupby('k').get_group('c')": "key",
    "made.groupby('z')": "key",
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


def test_what_pandas_refuses(tmp_path: Path) -> None:
    lines = [f"v{i} = {text}" for i, text in enumerate(REFUSED)]
    interpreter, _ = followed(tmp_path, HEAD + "\n".join(lines), FILES)
    found = {line: kind for (_, line), kind in interpreter.elsewhere}
    start = HEAD.count("\n") + 1
    assert {text: found.get(start + i) for i, text in enumerate(REFUSED)} == REFUSED


def test_the_selecting_and_the_counting_line_are_origins(tmp_path: Path) -> None:
    program = (
        "import pandas as pd\n"
        "s = pd.read_csv('s.csv')\n"
        "wanted = 'valid'\n"
        "part = s[s['split'] == wanted]\n"
        "count = s.id.nunique()\n"
        "total = 0\n"
        "for row in part.itertuples():\n"
        "    total += 1\n"
    )
    _, names = followed(tmp_path, program, FILES)
    assert {("main.py", 5), ("s.csv", 1)} <= names["count"].origins
    assert {("main.py", 3), ("main.py", 4)} <= names["total"].origins
    assert ("main.py", 6) not in names["total"].origins


def test_a_loader_over_no_rows_has_no_steps(tmp_path: Path) -> None:
    program = (
        "import pandas as pd\n"
        "from torch.utils.data import DataLoader, Dataset\n"
        "class Rows(Dataset):\n"
        "    def __init__(self, split):\n"
        "        s = pd.read_csv('s.csv')\n"
        "        self.rows = s[s['split'] == split]\n"
        "    def __len__(self):\n"
        "        return len(self.rows)\n"
        "    def __getitem__(self, index):\n"
        "        return self.rows.iloc[index]['id']\n"
        "steps = {}\n"
        "for split in ('train', 'valid'):\n"
        "    loader = DataLoader(Rows(split), batch_size=2)\n"
        "    total = 0\n"
        "    for batch in loader:\n"
        "        total += 1\n"
        "    steps[split] = total\n"
        "    count = len(loader)\n"
        "DataLoader(Rows('valid'), shuffle=True)\n"
    )
    interpreter, names = followed(tmp_path, program, FILES)
    assert shown(names["steps"])["valid"] == 0  # type: ignore[index]
    assert shown(names["count"]) == 0
    assert {("main.py", 6), ("main.py", 12)} <= names["total"].origins
    assert interpreter.elsewhere == {(("main.py", 19), "value")}


def test_renamed_columns_are_those_of_the_table(tmp_path: Path) -> None:
    program = (
        "import pandas as pd\n"
        "s = pd.read_csv('s.csv')\n"
        "s.columns = s.columns.str.upper()\n"
        "kept = s[s['ID'] > 3]['ID'].tolist()\n"
    )
    interpreter, names = followed(tmp_path, program, FILES)
    assert not interpreter.elsewhere
    assert shown(names["kept"]) == [7, 9, 9]


def test_draws_are_those_of_numpy() -> None:
    # numpy.random.RandomState(0).permutation(10), then permutation(4).
    draws = Draws(0)
    assert draws.permutation(10) == [2, 8, 4, 9, 1, 6, 7, 3, 0, 5]
    assert draws.permutation(4) == [1, 3, 2, 0]
