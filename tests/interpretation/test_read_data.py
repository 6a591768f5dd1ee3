"""How research code reads and prepares its data, from files to batches.

The expectations are those of pandas 3, NumPy 2 and PyTorch 2, with which every row was run once.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from followed_programs import followed, shown

from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.values import Array, Instance, Lazy, Value
from dl_bug_lsp.workspace import Workspace

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


LOADING = """
import random
import re
import torch
from functools import partial
from torch.utils.data import *
from torch.nn.utils.rnn import pad_sequence
import numpy as np
data = [[1, 2, 3], [4], [5, 6, 7, 8], [9, 10], [3, 4, 5], [2, 2]]
class Sentences(Dataset):
    def __init__(self):
        self.indices = list(range(6))
    def __len__(self):
        return 6
    def __getitem__(self, i):
        return i, data[i]
    def collate(self, batch, pad):
        numbers, rows = zip(*batch)
        longest = max(len(row) for row in rows)
        padded = [row + [pad] * (longest - len(row)) for row in rows]
        return torch.tensor(padded), list(numbers)
class Batches(BatchSampler):
    def __init__(self, sampler, batch_size, drop_last, seed):
        super().__init__(sampler, batch_size, drop_last)
        self.seed = seed
    def __iter__(self):
        batch = []
        for number in self.sampler:
            if self.sampler.data_source[number][1] is not None:
                batch.append(number)
            if len(batch) >= self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch
class ByLength(Sampler):
    def __init__(self, rows, size):
        self.lengths, self.size = [len(row) for row in rows], size
    def __iter__(self):
        order = sorted(range(len(self.lengths)), key=lambda i: self.lengths[i])
        batches = [order[i : i + self.size] for i in range(0, len(order), self.size)]
        random.shuffle(batches)
        yield from batches
class Grouped(Dataset):
    def __len__(self):
        return 6
    def __getitem__(self, i):
        return {"text": np.array(data[i]), "mel": np.zeros((len(data[i]) * 2, 4))}
    def collate(self, samples):
        lengths = np.array([sample["text"].shape[0] for sample in samples])
        order = np.argsort(-lengths)
        groups = order[: len(order) - len(order) % 2].reshape((-1, 2)).tolist()
        made = []
        for group in groups:
            texts = [samples[i]["text"] for i in group]
            longest = max(len(text) for text in texts)
            padded = np.stack([np.pad(text, (0, longest - len(text))) for text in texts])
            made.append((padded, [samples[i]["mel"].shape for i in group]))
        return made
def first(loader):
    for batch in loader:
        return batch
rows = Sentences()
tensors = TensorDataset(torch.randn(10, 3), torch.randint(0, 4, (10,)))
collate = partial(rows.collate, pad=0)
lengths = torch.LongTensor([len(row) for row in data])
brace = re.compile(r"(.*?)\\{(.+?)\\}(.*)")
word = re.compile("mr\\\\.", re.IGNORECASE)
"""
LOADED: dict[str, object] = {
    "first(DataLoader(rows, batch_sampler=Batches(SequentialSampler(rows), 4, False, 1),"
    " collate_fn=collate))": (((4, 4), "int64"), [0, 1, 2, 3]),
    "len(list(Batches(RandomSampler(rows), 4, False, 1)))": 2,
    "Batches(RandomSampler(rows), 4, True, 1).batch_size": 4,
    "first(DataLoader(rows, batch_sampler=ByLength(data, 2), collate_fn=collate))[0].shape[0]": 2,
    "first(DataLoader(Grouped(), batch_size=4, collate_fn=Grouped().collate))[0]": (
        ((2, 4), "int64"),
        [(8, 4), (6, 4)],
    ),
    "first(DataLoader(tensors, batch_size=None, "
    "sampler=BatchSampler(SequentialSampler(tensors), 4, False)))[0].shape": (4, 3),
    "tensors[:4][0].shape": (4, 3),
    "tensors.tensors[1].shape": (10,),
    "Subset(rows, [2, 3])[0]": (2, [5, 6, 7, 8]),
    "ConcatDataset([rows, rows])[7]": (1, [4]),
    "lengths.max().item()": 4,
    "torch.zeros(2, lengths.max().item()).shape": (2, 4),
    "pad_sequence([torch.tensor(row) for row in data], batch_first=True).max().item()": 10,
    "torch.randperm(3).tolist()": [0, 1, 2],
    "brace.match('{B}').group(2)": "B",
    "re.sub(r'\\d+', lambda m: m.group(0) + 'x', 'a1b22')": "a1xb22x",
    "word.sub('mister', 'Mr. B')": "mister B",
}


def test_what_loaders_give(tmp_path: Path) -> None:
    lines = [f"v{i} = {text}" for i, text in enumerate(LOADED)]
    interpreter, names = followed(tmp_path, LOADING + "\n".join(lines), {})
    assert not interpreter.elsewhere
    found = {text: shown(names[f"v{i}"]) for i, text in enumerate(LOADED)}
    assert found == LOADED


VOCABULARY = """
class Vocabulary:
    def __init__(self):
        self.numbers = {}
        self.words = []
        self.next = 1
    def add(self, word):
        if word not in self.numbers:
            self.words.append(word)
            self.numbers[word] = self.next
            self.next += 1
vocabulary = Vocabulary()
sentences, sentence = [], []
for number in range(9000):
    for letter in "a" + str(number):
        vocabulary.add(letter)
    vocabulary.add(str(number))
    sentence.append(vocabulary.numbers[str(number)])
    if number % 5 == 4:
        sentences.append([sentence, len(sentence)])
        sentence = []
batch = sentences[3:6]
words = [str(word) for word in range(9000)]
"""


def test_a_loop_that_is_cut_leaves_counts_that_are_no_lower(tmp_path: Path) -> None:
    _, names = followed(tmp_path, VOCABULARY, {})
    held = names["vocabulary"].data
    assert isinstance(held, Instance)
    count = held.attributes["next"].data
    assert isinstance(count, Array)
    assert count.lowest is not None
    assert count.lowest > 100
    assert count.highest is None
    assert isinstance(names["batch"].data, Lazy)
    sentence, length = names["batch"].data.item.data
    assert length.data == 5
    assert len(sentence.data) == 5
    assert isinstance(names["words"].data, Lazy)
    assert names["words"].data.length.data == 9000


def test_folders_of_pictures_are_listed(tmp_path: Path) -> None:
    for name in ("cat/0.png", "cat/1.png", "dog/0.png"):
        path = tmp_path / "pictures" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    program = """
import glob, os
classes = sorted(os.listdir("pictures"))
files = sorted(glob.glob("pictures/*/*.png"))
"""
    _, names = followed(tmp_path, program, {})
    assert shown(names["classes"]) == ["cat", "dog"]
    assert shown(names["files"]) == [
        *("pictures/cat/0.png", "pictures/cat/1.png", "pictures/dog/0.png"),
    ]


def test_a_package_is_followed_before_its_module(tmp_path: Path) -> None:
    files = {
        "text/__init__.py": "from text.symbols import symbols\nids = {s: i for i, s in "
        "enumerate(symbols)}\n",
        "text/symbols.py": "from text import more\nsymbols = ['a'] + more.letters\n",
        "text/more.py": "letters = ['b']\n",
    }
    program = "from text.symbols import symbols\nfrom text import ids"
    _, names = followed(tmp_path, program, files)
    assert shown(names["ids"]) == {"a": 0, "b": 1}


def test_data_are_read_after_a_folder_was_removed(tmp_path: Path) -> None:
    program = """
import shutil
from pathlib import Path
shutil.rmtree("runs")
shutil.copy2("train.tsv", "runs/train.tsv")
lines = Path("train").with_suffix(".tsv").read_text(encoding="utf-8").splitlines()
kept = Path("runs/train.tsv").read_text(encoding="utf-8")
"""
    _, names = followed(tmp_path, program, FILES)
    assert isinstance(names["lines"].data, list)
    assert len(names["lines"].data) == 7
    assert shown(names["kept"]) == FILES["train.tsv"]


def test_reductions_keep_the_precision_of_a_table(tmp_path: Path) -> None:
    program = """
import numpy as np
import pandas as pd
x = pd.read_csv("meta.tsv", sep="\\t").to_numpy(dtype=np.float32)
result = (x - x.mean(0)) / (x.std(0) + 1e-8)
sums = x.sum(axis=1)
"""
    interpreter, names = followed(tmp_path, program, FILES)

    assert not interpreter.elsewhere
    assert shown(names["result"]) == ((5, 2), "float32")
    assert shown(names["sums"]) == ((5,), "float32")


@pytest.mark.parametrize(
    ("encoding", "fails"),
    [("'ascii'", True), ("'utf-8'", False), ("'latin-1'", False), ("'ascii', 'replace'", False)],
)
def test_a_file_in_another_encoding_is_refused_where_it_is_read(
    tmp_path: Path, encoding: str, fails: bool
) -> None:
    (tmp_path / "birds.csv").write_text("place,bird\nwald,käuzchen\n", encoding="utf-8")
    (tmp_path / "main.py").write_text(
        f"kept = open('birds.csv', 'r', -1, {encoding})\nrows = kept.readlines()\n"
    )
    run = Interpreter(Workspace(tmp_path, cache=False), "main.py", ("main.py", 2))
    raised = run.run().raised
    assert (raised is not None and raised.what == "value") is fails


def test_checksums_of_known_bytes(tmp_path: Path) -> None:
    text = "import zlib\nown = zlib.crc32(b'owl') % 7\n"
    _, names = followed(tmp_path, text, {})
    assert shown(names["own"]) == zlib.crc32(b"owl") % 7
