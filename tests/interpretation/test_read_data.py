"""How research code reads and prepares its data, from files to batches.

The expectations are those of pandas 3, NumPy 2 and PyTorch 2, with which every row was run once.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from followed_programs import followed, shown

from dl_bug_lsp.interpretation.values import Array, Value

FILES = {
    "train.tsv": "user\titem\ttime\n1\t3\t10\n2\t4\t11\n1\t9\t12\n3\t4\t9\n2\t5\t13\n1\t2\t14\n",
    "dev.tsv": "user\titem\ttime\tneg\n1\t5\t20\t[7, 8, 6]\n3\t9\t21\t[2, 3, 4]\n",
    "meta.tsv": "item\tkind\n2\t0\n3\t1\n4\t2\n5\t0\n9\t3\n",
}
HEAD = """
import ast
import numpy as np
import pandas as pd
train = pd.read_csv("train.tsv", sep="\\t")
dev = pd.read_csv("dev.tsv", sep="\\t")
meta = pd.read_csv("meta.tsv", sep="\\t")
for col in dev.columns:
    if pd.api.types.is_string_dtype(dev[col]):
        dev[col] = dev[col].apply(lambda x: eval(str(x)))
every = pd.concat([part[["user", "item", "time"]] for part in (train, dev)])
ordered = every.sort_values(by=["time", "user"], kind="mergesort")
history, position = {}, []
for user, item in zip(ordered["user"], ordered["item"]):
    if user not in history:
        history[user] = []
    position.append(len(history[user]))
    history[user].append(item)
ordered["position"] = position
joined = pd.merge(left=dev, right=ordered, how="left", on=["user", "item", "time"])
kinds = meta.set_index("item").to_dict(orient="index")
groups = train.groupby("user")
pairs = train[["user", "item"]].values
ragged = [[1, 2, 3], [4], [5, 6]]
counts = np.array([3, 1, 2])
"""
EXPRESSIONS: dict[str, object] = {
    # Cells that are lists.
    "dev['neg'].tolist()": [[7, 8, 6], [2, 3, 4]],
    "np.array(dev['neg'].tolist())": ((2, 3), "int64"),
    "np.array(dev['neg'].tolist()).max()": 8,
    "dev['neg'].str.len().tolist()": [3, 3],
    "dev.explode('neg')['neg'].tolist()": [7, 8, 6, 2, 3, 4],
    "dev['user'].apply(lambda x: [x, x + 1]).tolist()": [[1, 2], [3, 4]],
    "np.vstack(dev['user'].apply(lambda x: np.array([x, x + 1])))": ((2, 2), "int64"),
    "ast.literal_eval('[1, (2, 3)]')": [1, (2, 3)],
    "train['user'].astype(str).str.split('x').tolist()[0]": ["1"],
    # Tables as containers.
    "joined['position'].tolist()": [3, 1],
    "len(history)": 3,
    "kinds[9]['kind']": 3,
    "dev.to_dict('list')['neg'][1]": [2, 3, 4],
    "train.to_dict()['user'][3]": 3,
    "train.to_dict('split')['data'][1]": [2, 4, 11],
    "train.sort_values(['user', 'time'], ascending=[True, False])['item'].tolist()": [
        *(2, 9, 3, 5, 4, 4),
    ],
    # Rows.
    "[(u, i) for u, i in train[['user', 'item']].itertuples(index=False)][:2]": [(1, 3), (2, 4)],
    "[r[1] for r in train.itertuples()]": [1, 2, 1, 3, 2, 1],
    "[r.Index for r in train.itertuples()][:2]": [0, 1],
    "[r for r in train.itertuples(index=False, name=None)][0]": (1, 3, 10),
    "train.iloc[1].to_dict()": {"user": 2, "item": 4, "time": 11},
    "train.iloc[1].tolist()": [2, 4, 11],
    "train.apply(lambda r: r['user'] + r['item'], axis=1).tolist()": [4, 6, 10, 7, 7, 3],
    "train.apply(lambda c: c.max()).tolist()": [3, 9, 14],
    # Groups.
    "groups['item'].apply(list).to_dict()": {1: [3, 9, 2], 2: [4, 5], 3: [4]},
    "groups.agg({'item': list})['item'].tolist()[1]": [4, 5],
    "groups['item'].agg(list).reset_index()": ({"user": "int64", "item": "object"}, 3),
    "groups.filter(lambda g: len(g) >= 2)['item'].tolist()": [3, 4, 9, 5, 2],
    "groups.head(1)['item'].tolist()": [3, 4, 4],
    "groups['time'].rank(method='first').tolist()": [1.0, 1.0, 2.0, 1.0, 2.0, 3.0],
    "groups.apply(lambda g: g['time'].max()).tolist()": [14, 13, 9],
    "groups.agg(n=('item', 'count'))['n'].tolist()": [3, 2, 1],
    # Arrays of two axes with their cells.
    "pairs[:, 1].max()": 9,
    "pairs.tolist()[2]": [1, 9],
    "[(u, i) for u, i in pairs][3]": (3, 4),
    "pairs[pairs[:, 0] == 2].tolist()": [[2, 4], [2, 5]],
    "pairs.max(axis=0).tolist()": [3, 9],
    "np.array([(1, 2), (3, 4)])[:, 1].tolist()": [2, 4],
    "np.concatenate([pairs, pairs])[:, 0].max()": 3,
    "np.stack([np.array([1, 2]), np.array([3, 4])])[:, 0].tolist()": [1, 3],
    # Ragged lists, and positions in arrays.
    "np.array(ragged, dtype=object).shape": (3,),
    "np.array(ragged, dtype=object).dtype == object": True,
    "counts.dtype == object": False,
    "counts.dtype == 'int64'": True,
    "[x for x in np.array(ragged, dtype=object)][1]": [4],
    "[ragged[i] for i in np.argsort([len(x) for x in ragged])]": [[4], [5, 6], [1, 2, 3]],
    "np.stack([np.pad(np.array(x), (0, 3 - len(x))) for x in ragged]).tolist()[1]": [4, 0, 0],
    "np.cumsum(counts).tolist()": [3, 4, 6],
    "np.where(counts == 3)[0].tolist()": [0],
    "np.unique(counts, return_inverse=True)[1].tolist()": [2, 0, 1],
    "np.repeat(counts, [1, 0, 2]).tolist()": [3, 2, 2],
    "np.digitize(counts, [0, 2, 4]).tolist()": [2, 1, 2],
    "np.bincount(counts).tolist()": [0, 1, 1, 1],
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


def test_a_row_of_an_array_comes_from_its_own_line(tmp_path: Path) -> None:
    program = "import pandas as pd\nrow = pd.read_csv('meta.tsv', sep='\\t').values[4]"
    _, names = followed(tmp_path, program, FILES)
    assert names["row"].origins == {("meta.tsv", 6)}


def test_an_array_that_is_written_to_forgets_its_cells(tmp_path: Path) -> None:
    program = "import numpy as np\nx = np.array([[1, 2], [3, 4]])\nx[0][1] = 9\ny = x[0, 1]"
    _, names = followed(tmp_path, program, {})
    assert isinstance(names["y"], Value)
    assert names["y"].data == 9 or isinstance(names["y"].data, Array)
