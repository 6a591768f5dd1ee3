"""Python's own constructs: what the followed program comes to is what the program comes to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from followed_programs import followed, shown

from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.values import Array, ModuleValue
from dl_bug_lsp.workspace import Workspace

PROGRAMS = {
    "an object of a dataclass is made again": """
import dataclasses
@dataclasses.dataclass
class Width:
    inner: int = 1
    def __post_init__(self):
        self.outer = self.inner * 2
made = Width(3)
other = dataclasses.replace(made, inner=9)
result = [dataclasses.asdict(other), other.outer, made.outer]
""",
    "objects are sorted as their class says": """
class Job:
    def __init__(self, rank):
        self.rank = rank
    def __lt__(self, other):
        return self.rank < other.rank
jobs = [Job(3), Job(1), Job(2)]
ordered = [job.rank for job in sorted(jobs)]
jobs.sort(reverse=True)
result = [ordered, jobs[0].rank, sorted([2, 1], key=None)]
""",
    "a class has the methods of dict from its own base": """
class Table(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__
class Settings(Table):
    def __init__(self):
        super(Table, self).__init__()
        setattr(self, "train", Table(rate=3))
    __getattr__ = Table.__getitem__
    __setattr__ = Table.__setitem__
held = Settings()
result = [held.train.rate, held["train"]["rate"]]
""",
    "iterator that is used up": """
def numbers():
    yield from (1, 2, 3)
it = numbers()
first = next(it)
rest = list(it)
try:
    next(iter([]))
    ended = False
except StopIteration:
    ended = True
result = [first, rest, next(iter([]), 9), ended]
""",
    "generator that never ends": """
def forever():
    while True:
        yield from [(4, "a"), (4, "a")]
stream = forever()
n, letter = next(stream)
result = [n, letter, [pair[0] for pair, _ in zip(stream, range(3))][0]]
""",
    "object that is its own iterator": """
class Count:
    def __init__(self, n):
        self.n, self.at = n, 0
    def __iter__(self):
        self.at = 0
        return self
    def __next__(self):
        if self.at >= self.n:
            raise StopIteration
        self.at += 1
        return self.at * 10
result = [list(Count(3)), next(iter(Count(2))), [x for x in Count(2)]]
""",
    "numbers that chance decides": """
import random
n = random.randint(2, 5)
x = random.random()
result = [n < 9, n > 5, isinstance(n, int), isinstance(x, float), x is None,
          isinstance(max(0.0, x), float), isinstance(sum([n, n]) / 2, float), n + 3 >= 5,
          n * 3 <= 15, 10 - n >= 5, n * -1 < 0, n * n <= 25, n - random.randint(6, 9) < 0]
""",
    "subclass of dict": """
class Config(dict):
    def __getattr__(self, name):
        if name not in self:
            raise AttributeError(name)
        return self[name]
    def __setattr__(self, name, value):
        self[name] = value
class Attr(dict):
    __getattr__ = dict.get
    __setattr__ = dict.__setitem__
class Table(dict):
    def __init__(self, *rows):
        super().__init__(rows)
        self["n"] = len(rows)
    def __missing__(self, key):
        return key * 2
    def __setitem__(self, key, value):
        super().__setitem__(key, value + 1)
class Stack(list):
    def top(self):
        return self[-1]
c = Config(a=1, b={"x": 2})
c.lr = 0.5
c["d"] = 4
t = Table(("p", 1), ("q", 2))
t["r"] = 5
s = Stack([1, 2])
s.append(3)
a = Attr(k=3)
def f(**kw):
    return sorted(kw)
result = [c.a, c.lr, c["d"], "b" in c, len(c), list(c), list(c.items())[0], f(**c), c.get("z", 7),
          t["p"], t["r"], t["zz"], t["n"], s.top(), len(s), [x for x in s], a.k, a.nothing, dict(t),
          isinstance(c, dict), getattr(c, "nope", 9), hasattr(c, "a")]
""",
    "property that is set": """
class Net:
    def __init__(self, n):
        self.n = n
    @property
    def n(self):
        return self._n
    @n.setter
    def n(self, value):
        self._n = value * 2
class Wide(Net):
    "About it."
net = Wide(3)
net.n = net.n + 1
result = [net.n, net._n, Wide.__doc__, issubclass(Wide, Net), callable(Wide), callable(3),
          isinstance(Wide, type), isinstance([1], (str, int)), isinstance(net.n, bool)]
""",
    "slice of which only the length is known": """
import random
rows = [5] * 40
text = list(range(30))
i = random.randint(0, 9)
result = [len(rows[i:i + 4]), len(text[i + 1:i + 1 + 6])]
""",
    "contexts of contextlib": """
from contextlib import ExitStack, contextmanager, nullcontext
@contextmanager
def opened(n):
    yield n * 2
with nullcontext(4) as a, nullcontext() as b:
    pass
with ExitStack() as stack:
    c = stack.enter_context(opened(5))
result = [a, b, c]
""",
    "bases that are told of their subclasses": """
class Base:
    known = {}
    def __init_subclass__(cls, tag="none", **kw):
        super().__init_subclass__(**kw)
        Base.known[cls.__name__.lower()] = (cls, tag)
class Small(Base, tag="s"):
    size = 2
class Smaller(Small):
    pass
result = [sorted(Base.known), Base.known["small"][0]().size, Base.known["small"][1]]
""",
    "objects that are made numbers": """
class Meter:
    def __init__(self, n):
        self.n = n
    def __float__(self):
        return self.n / 2
    def __int__(self):
        return self.n
    def __str__(self):
        return f"m{self.n}"
result = [float(Meter(3)), int(Meter(4)), str(Meter(5))]
""",
    "queue, heap and pattern": """
import heapq, queue, re
q = queue.Queue()
for item in (1, 2, None):
    q.put(item)
total = 0
while (item := q.get()) is not None:
    total += item
heap = []
for pair in [(3, "a"), (1, "b"), (2, "c")]:
    heapq.heappush(heap, pair)
word = re.compile(r"[a-z]+|[.!]")
found = re.match(r"(\\w+)-(?P<n>[0-9])", "ab-3")
result = [total, heapq.heappop(heap), heapq.nsmallest(1, heap), word.findall("ab, c."),
          found.group(1), found["n"], found.groups(), re.search("z", "ab") is None, q.empty()]
""",
    "exceptions with what they were given": """
class Odd(Exception):
    def __init__(self, n):
        self.n = n
found = []
for one in (ValueError("bad", 3), Odd(4)):
    try:
        raise one
    except ValueError as error:
        found.append(error.args)
    except Odd as error:
        found.append(error.n)
result = found
""",
    "objects as keys": """
from enum import Enum
class Act(Enum):
    A = 1
    B = 2
class Small: pass
def one(): return 1
small = Small()
table = {Act.A: "a", Act.B: "b", Small: 3, one: 4, small: 5, int: 6}
table[Act.B] += "!"
names = {act: act.value for act in Act}
result = [table[Act.A], table[Act("2") if False else Act(2)], table[Small], table[one],
          table.get(small), table[type(3)], Act.A in table, [k.name for k in names],
          {1: 2}.get(Act.A), len(table), names[Act["B"]]]
""",
    "text of a document": """
import json
result = [json.loads('{"a": [1, 2.5]}')["a"][1]]
""",
    "context manager of a class": """
class Timer:
    def __enter__(self):
        self.total = 0
        return self
    def __exit__(self, *error):
        self.total += 5
with Timer() as timer:
    timer.total += 1
with Timer():
    pass
result = timer.total
""",
    "enumeration by value": """
from enum import Enum
class Mode(Enum):
    TRAIN = "t"
    TEST = "e"
result = [Mode("e").name, Mode["TRAIN"].value, [m.value for m in Mode], Mode.TEST is Mode("e")]
""",
    "named tuple": """
from collections import namedtuple
Point = namedtuple("Point", "x y", defaults=[5])
p = Point(2)
x, y = p
result = [p.x, p[1], x + y]
""",
    "queue of a longest length": """
from collections import deque
q = deque(maxlen=3)
for i in range(5):
    q.append(i)
result = [len(q), q[0]]
""",
    "decorator that registers": """
TABLE = {}
def register(name):
    def keep(made):
        TABLE[name] = made
        return made
    return keep
@register("add")
def add(a, b):
    return a + b
@register("box")
class Box:
    size = 4
result = [TABLE["add"](2, 3), TABLE["box"]().size, add.__name__, Box.__name__]
""",
    "decorator that wraps": """
import functools
def plus_one(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) + 1
    return wrapper
class Net:
    @plus_one
    def width(self, n):
        return n * 2
    @property
    def depth(self):
        return self._depth
    @depth.setter
    def depth(self, value):
        self._depth = value
result = Net().width(3)
""",
    "context manager of a generator": """
from contextlib import contextmanager
@contextmanager
def opened(n):
    yield n + 1
with opened(2) as value:
    result = value
""",
    "match": """
def pick(kind):
    match kind:
        case "a" | "b":
            return 1
        case None:
            return 2
        case 3 if kind > 2:
            return 3
        case other:
            return [other]
result = [pick("b"), pick(None), pick(3), pick("z")]
""",
    "nonlocal": """
def outer():
    count = 0
    def inner():
        nonlocal count
        count += 2
    inner()
    inner()
    return count
result = outer()
""",
    "operators of a class": """
class Size:
    def __init__(self, n):
        self.n = n
    def __add__(self, other):
        return Size(self.n + other.n)
    def __rmul__(self, other):
        return Size(self.n * other)
    def __contains__(self, item):
        return item < self.n
result = [(Size(2) + Size(3)).n, (4 * Size(2)).n, 1 in Size(2), 3 not in Size(2)]
""",
    "what is raised is handled": """
result = []
for text in ("4", "x"):
    try:
        result.append(int(text))
    except ValueError:
        result.append(-1)
try:
    result.append({}["k"])
except (KeyError, IndexError):
    result.append(-2)
""",
    "statements in a text": """
name, result = "collections", []
exec(f"from {name} import OrderedDict as Kept; size = len('{name}')")
result.append((Kept([("a", 1)])["a"], size))
def inner(size):
    exec("size = 3\\nother = 4")
    return size
result.append(inner(5))
held = {"n": 2}
exec("def twice(x):\\n    return x * n\\nm = twice(4)", held)
result.append(held["m"])
class Holder:
    exec("width = 7")
result.append(Holder.width)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_comes_to_what_it_comes_to(name: str, tmp_path: Path) -> None:
    real: dict[str, Any] = {}
    exec(PROGRAMS[name], real)
    interpreter, names = followed(tmp_path, PROGRAMS[name], {})
    assert shown(names["result"]) == real["result"]
    assert not interpreter.elsewhere


def test_the_order_by_what_is_not_known_is_not_known(tmp_path: Path) -> None:
    program = (
        "import random\nscore = {'a': random.random(), 'b': random.random()}\n"
        "names = sorted(score, key=score.get)\n"
        "numbers = sorted([4, 9], key=lambda n: random.random())\n"
        "pairs = sorted([('a', 1), ('b', 1)], key=lambda pair: random.random())"
    )
    _, names = followed(tmp_path, program, {})
    assert shown(names["names"]) == ["unknown", "unknown"]
    assert [shown(n) for n in names["numbers"].data] == [((), "int64")] * 2  # type: ignore[attr-defined]
    assert shown(names["pairs"]) == [("unknown", 1)] * 2


EINOPS = {
    "rearrange(im, 'b c (h p) (w q) -> b (h w) (p q c)', p=4, q=2)": (2, 12, 24),
    "rearrange(im, 'b ... -> b (...)')": (2, 288),
    "rearrange(im, '... w -> w ...')": (6, 2, 3, 16),
    "rearrange([x, x, x], 'k n d -> n (k d)')": (4, 15),
    "repeat(x, 'n d -> n k d', k=7)": (4, 7, 5),
    "reduce(im, 'b c (h 2) (w 2) -> b c h w', 'max')": (2, 3, 8, 3),
    "Rearrange('b c h w -> b (c h w)')(im)": (2, 288),
    "rearrange(x, 'n d -> d n 1')": (5, 4, 1),
}
"""Shapes as einops 0.8 documents them."""
EINOPS_HEAD = """
import torch
from einops import rearrange, reduce, repeat
from einops.layers.torch import Rearrange
im = torch.zeros(2, 3, 16, 6)
x = torch.zeros(4, 5)
"""


@pytest.mark.parametrize("expression", EINOPS)
def test_shapes_of_einops(expression: str, tmp_path: Path) -> None:
    interpreter, names = followed(tmp_path, f"{EINOPS_HEAD}y = {expression}", {})
    assert names["y"].data.sizes == EINOPS[expression]
    assert not interpreter.elsewhere


@pytest.mark.parametrize(
    "expression",
    [
        "rearrange(im, 'b c h -> b h c')",
        "rearrange(im, 'b c (h p) w -> b h p c w', p=5)",
        "rearrange(x, 'n n -> n')",
    ],
)
def test_patterns_of_einops_that_do_not_fit(expression: str, tmp_path: Path) -> None:
    interpreter, _ = followed(tmp_path, f"{EINOPS_HEAD}y = {expression}", {})
    assert [what for _, what in interpreter.elsewhere] == ["size"]


def test_an_axis_that_moves_keeps_what_moved_it(tmp_path: Path) -> None:
    program = """
import torch
x = torch.zeros(4, 5, 6)
y = x.transpose(
    1, 2)
z = x[0]
"""
    _, names = followed(tmp_path, program, {})
    assert [{line for _, line in d.origins} for d in names["y"].data.shape] == [{3}, {3, 4}, {3, 4}]
    assert [{line for _, line in d.origins} for d in names["z"].data.shape] == [{3, 6}, {3, 6}]


WIDENED = """
import torch
import unknown_library
words = unknown_library.words()
rows, seen, vocabulary, count = [], set(), {"<pad>": 0}, 0
for word in words:
    rows.append(torch.zeros(3))
    seen.add(word)
    if word not in vocabulary:
        vocabulary[word] = len(vocabulary)
    count += 1
class Memory:
    def __init__(self):
        self.items = []
    def put(self, item):
        self.items.append(item)
memory = Memory()
while unknown_library.more():
    memory.put(1)
def numbers():
    for word in words:
        yield 1
stacked = torch.stack(rows)
batches = []
loader = torch.utils.data.DataLoader(torch.zeros(95, 2), batch_size=10)
for number, batch in enumerate(loader):
    batches.append(number)
pad, other = vocabulary["<pad>"], vocabulary["tree"]
answers = [len(rows) == 1, len(seen) == 1, len(vocabulary) == 1, count == 1,
           len(memory.items) == 1, len(list(numbers())) == 1, "tree" in vocabulary]
certain = [len(batches), pad, "<pad>" in vocabulary, stacked.shape[1],
           True if vocabulary else False]
"""


def test_a_loop_over_what_is_not_known_leaves_no_certain_numbers(tmp_path: Path) -> None:
    interpreter, names = followed(tmp_path, WIDENED, {})
    answers = [shown(answer) for answer in names["answers"].data]
    assert answers == [((), "bool")] * 6 + ["unknown"]
    assert [shown(answer) for answer in names["certain"].data] == [10, 0, True, 3, True]
    assert shown(names["other"]) == ((), "int64")
    assert not interpreter.elsewhere


def test_an_attribute_that_no_model_has_is_not_taken_for_a_method(tmp_path: Path) -> None:
    program = """
import torch
from transformers import PretrainedConfig
class Config(PretrainedConfig):
    def __init__(self, width=8):
        super().__init__()
        self.width = width
config = Config()
experts = getattr(config, "experts", 0)
has = hasattr(config, "experts")
taken = "experts" if config.experts else "none"
width = getattr(config, "width", 1)
rows = zip(*[(number, "a") for number in unknown_numbers()])
numbers, letters = rows
first = next(iter(letters))
"""
    _, names = followed(tmp_path, program.replace("unknown_numbers()", "config.numbers"), {})
    assert [shown(names[name]) for name in ("experts", "has")] == ["unknown", "unknown"]
    assert shown(names["width"]) == 8
    assert shown(names["first"]) == "a"


def test_files_that_are_no_text_are_listed(tmp_path: Path) -> None:
    (tmp_path / "scans").mkdir()
    for number in range(3):
        (tmp_path / "scans" / f"{number}.png").write_bytes(b"\\x89PNG\\0")
    program = """
import glob, os
from pathlib import Path
names = sorted(os.listdir("scans"))
count = len(glob.glob("scans/*.png"))
stems = [path.stem for path in sorted(Path("scans").iterdir())]
"""
    _, names = followed(tmp_path, program, {})
    assert shown(names["names"]) == ["0.png", "1.png", "2.png"]
    assert shown(names["count"]) == 3
    assert shown(names["stems"]) == ["0", "1", "2"]


def test_a_folder_beside_the_script_is_listed(tmp_path: Path) -> None:
    files = {
        "recipes/a/data/train/mix_clean.csv": "length\n8000\n9000\n",
        "recipes/a/train.py": """
import os
import pandas as pd
names = [name for name in os.listdir("data/train") if "clean" in name]
table = pd.read_csv(os.path.join("data/train", names[0]))
rows = len(table[table["length"] >= 8500])
raise SystemExit
""",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    workspace = Workspace(tmp_path, cache=False)
    interpreter = Interpreter(workspace, "recipes/a/train.py", ("recipes/a/train.py", 7), [])
    interpreter.run()
    module = interpreter.modules["recipes/a/train.py"].data
    assert isinstance(module, ModuleValue)
    assert shown(module.environment.names["rows"]) == 1


def test_classes_and_sets_of_what_is_partly_known(tmp_path: Path) -> None:
    program = """
import pandas as pd
import torch
table = pd.DataFrame({"a": [1, 2]})
answers = [isinstance(table, pd.DataFrame), isinstance(table, pd.Series), isinstance(table, dict)]
labels = set(torch.zeros(5).numpy())
count = len(labels) == 5
"""
    _, names = followed(tmp_path, program, {})
    assert shown(names["answers"]) == [True, False, False]
    assert shown(names["count"]) == ((), "bool")


def test_names_of_a_star_import_are_no_missing_names(tmp_path: Path) -> None:
    interpreter, names = followed(
        tmp_path,
        "from keras.layers import *\nfrom mylib import *\nlayer = Dense(3)\nother = unheard()\n",
        {},
    )
    assert not interpreter.elsewhere
    assert shown(names["layer"]) == "Dense"
    assert shown(names["other"]) == "unknown"


ROUNDS = """
import torch
rounds = 12
parts = []
for number in range(rounds):
    parts.append(torch.zeros(4, 1))
joined = torch.cat(parts, dim=1)
made = torch.zeros(len(parts))
"""


def test_a_number_of_rounds_is_where_the_length_of_a_list_comes_from(tmp_path: Path) -> None:
    _, names = followed(tmp_path, ROUNDS, {})
    joined, made = names["joined"].data, names["made"].data
    assert isinstance(joined, Array)
    assert isinstance(made, Array)
    assert joined.sizes == (4, 12)
    assert joined.shape is not None
    assert made.shape is not None
    lines = {line for _, line in joined.shape[1].origins}
    assert {3, 5} <= lines
    # An array as long as another one is not what made the length.
    assert 8 not in {line for _, line in made.shape[0].origins}
    assert {3, 5} <= {line for _, line in made.shape[0].origins}


MODULES = {
    "models/__init__.py": "REGISTRY = {}\n",
    "models/backbones.py": "DEPTH = 50\ndef wide(n):\n    return n * 2\n",
    "models/head.py": 'from models import REGISTRY\nREGISTRY["head"] = 1\n',
    "zoo.py": "from models.backbones import *\ndef build(name):\n    return globals()[name](6)\n",
    "tools/models.py": "from models.backbones import DEPTH\nhalf = DEPTH // 2\n",
}
NAMED = """
import models.head
from models import backbones
from tools.models import half
from zoo import build
name = "wide"
class Base: pass
class Own(Base): pass
result = [
    backbones.__dict__[name](3), vars(backbones)["DEPTH"], eval(f"backbones.{name}")(5),
    eval("n + 1", {"n": 2}), build(name), models.head.REGISTRY, half,
    Own().__class__ == Base, Own().__class__ == Own, type(Own()) != Own,
]
"""


def test_what_is_named_by_a_text_is_found(tmp_path: Path) -> None:
    interpreter, names = followed(tmp_path, NAMED, MODULES)

    expected = [6, 50, 10, 3, 12, {"head": 1}, 25, False, True, False]
    assert not interpreter.elsewhere
    assert shown(names["result"]) == expected


def test_an_expression_in_a_text_happens_in_the_line_of_its_call(tmp_path: Path) -> None:
    _, names = followed(tmp_path, 'n = 3\ntext = "n * 4"\nresult = eval(text)', {})

    assert shown(names["result"]) == 12
    assert {("main.py", 2), ("main.py", 3)} <= names["result"].origins


def test_keys_come_from_the_line_of_their_dictionary(tmp_path: Path) -> None:
    _, names = followed(tmp_path, 'item = {"image": 1, "label": 2}\nimage, label = item', {})

    assert shown(names["image"]) == "image"
    assert names["image"].origins == {("main.py", 1)}


STARRED = {
    "zoo/__init__.py": "",
    "zoo/sequential/__init__.py": """
from os.path import basename, dirname, isfile, join
import glob

files = glob.glob(join(dirname(__file__), "*.py"))
__all__ = [basename(f)[:-3] for f in files if isfile(f) and not f.endswith("__init__.py")]
""",
    "zoo/sequential/Recurrent.py": """
class Recurrent:
    def __init__(self, size):
        self.size = size * 2
""",
    "helpers.py": '__all__ = ["tool"]\nhidden = 3\ndef tool():\n    return 1\n',
}


def test_all_says_what_a_star_takes(tmp_path: Path) -> None:
    program = """
from helpers import *
from zoo.sequential import *
name = "Recurrent"
result = [eval(f"{name}.{name}")(3).size, tool(), "hidden" in globals()]
"""
    interpreter, names = followed(tmp_path, program, STARRED)

    assert not interpreter.elsewhere
    assert shown(names["result"]) == [6, 1, False]


def test_rows_of_a_long_table_keep_their_sizes(tmp_path: Path) -> None:
    program = """
import numpy as np
def table(positions, width):
    def angle(position, at):
        return position / np.power(10000, 2 * (at // 2) / width)
    return np.array([[angle(p, at) for at in range(width)] for p in range(positions)])
result = table(1001, 256)
"""
    _, names = followed(tmp_path, program, {})

    data = names["result"].data
    assert isinstance(data, Array)
    assert (data.sizes, data.dtype) == ((1001, 256), "float64")


SLICED = """
import torch
table = torch.zeros(110, 3)
class Rows:
    def __init__(self, held):
        self.held = held
    def __getitem__(self, key):
        return self.held[key]
class Keys:
    def __getitem__(self, key):
        return key
rows, key, longer = Rows(table), (slice(None), slice(0, 2)), [i for i in range(4000)]
wide = torch.zeros(5000, 4)
result = [
    table[slice(0, 16)].shape, table[slice(2, 6), 1].shape, table[key].shape, rows[1:3].shape,
    rows[:, 0].shape, wide[longer, :].shape, [1, 2, 3, 4][slice(1, 3)], "abcdef"[slice(2)],
    Keys()[1, 2],
]
"""


def test_objects_that_cut_and_lists_of_indices(tmp_path: Path) -> None:
    interpreter, names = followed(tmp_path, SLICED, {})

    shapes = [(16, 3), (4,), (110, 2), (2, 3), (110,), (4000, 4)]
    assert not interpreter.elsewhere
    assert shown(names["result"]) == [*shapes, [2, 3], "ab", (1, 2)]


def test_a_column_does_not_have_the_bounds_of_its_table(tmp_path: Path) -> None:
    program = """
import torch
rows = torch.tensor([[24, 3, 7], [11, 2, 30]])
relations = torch.nn.Embedding(8, 16)
result = relations(rows[:, 1]).shape
"""
    interpreter, names = followed(tmp_path, program, {})

    assert not interpreter.elsewhere
    assert shown(names["result"]) == (2, 16)


APART = {
    "utils/helpers.py": "def twice(n):\n    return 2 * n\n",
    "model/detector.py": "class Detector:\n    def __init__(self, n):\n        self.n = n\n",
    "options/option.py": "def parse(n):\n    return n + 1\n",
    "other/option_table.py": "SIZE = 3\n",
}
FROM_FOLDERS = """
import sys
sys.path.append("./options")
import utils.helpers
import model.detector
from option import parse
result = [utils.helpers.twice(3), model.detector.Detector(2).n, parse(4)]
"""


def test_modules_of_folders_are_imported(tmp_path: Path) -> None:
    interpreter, names = followed(tmp_path, FROM_FOLDERS, APART)

    assert not interpreter.elsewhere
    assert shown(names["result"]) == [6, 2, 5]
    workspace = interpreter.workspace
    assert workspace.module_file("option", "main.py") == "options/option.py"
    assert workspace.module_file("option_table", "main.py") is None
    assert workspace.module_file("option", "utils/helpers.py") is None


def test_a_text_that_evaluates_itself_ends(tmp_path: Path) -> None:
    program = 'text = "eval(text)"\nendless = eval(text)\nresult = eval("1 + 2")'
    _, names = followed(tmp_path, program, {})

    assert not names["endless"].known
    assert shown(names["result"]) == 3


@pytest.mark.parametrize(
    "filling",
    [
        "table['a'][key] = 2",
        "table['a']['b'][key] = 2",
        "inner = table['a']['b']\ninner[key] = 2",
        "def fill(part):\n    part[key] = 1\nfill(table['a']['b'])",
        "table['a']['b'].update({key: 1})",
        "table['a']['b'].update([(key, 1)])",
        "table['a']['b'].update(os.environ)",
        "for name in os.listdir('other'):\n    table['a'][name] = table['a']['b'][name] = 1",
    ],
)
def test_a_dictionary_in_another_has_keys_that_are_not_known(tmp_path: Path, filling: str) -> None:
    program = (
        "import os\nkey = os.environ['HOME'] + '/x'\ntable = {'a': {'b': {}}}\n"
        f"{filling}\nprint(table['a']['b']['y'])\n"
    )
    interpreter, _ = followed(tmp_path, program, {})

    kinds = {kind for _, kind in interpreter.elsewhere}
    assert ("key" in kinds) is (filling == "table['a'][key] = 2")


def test_counters_add_and_subtract(tmp_path: Path) -> None:
    program = (
        "from collections import Counter\ncounts = Counter('aab')\ncounts.update({'a': 3})\n"
        "counts.subtract('b')\nresult = [counts['a'], counts['b'], counts['c']]\n"
    )
    _, names = followed(tmp_path, program, {})

    assert shown(names["result"]) == [5, 0, 0]


def test_sections_of_a_parser_are_gone_through(tmp_path: Path) -> None:
    program = (
        "import configparser\nparser = configparser.ConfigParser()\nparser.read('run.ini')\n"
        "result = [list(parser), [key for key in parser['train']], len(list(parser['data']))]\n"
    )
    ini = "[train]\nrate = 0.1\nepochs = 3\n[data]\nroot = x\n"
    _, names = followed(tmp_path, program, {"run.ini": ini})

    assert shown(names["result"]) == [["DEFAULT", "train", "data"], ["rate", "epochs"], 1]
