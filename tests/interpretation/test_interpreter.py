"""Programs that are followed to their failure without being run."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from dl_bug_lsp.interpretation.interpreter import Interpreter, Outcome
from dl_bug_lsp.interpretation.values import Value
from dl_bug_lsp.workspace import Workspace

PROGRAMS = {
    "a loop fills a table": (
        "index",
        """
words = ["ab", "cde"]  # origin
rows = []
for word in words:
    for letter in word:
        rows.append(letter)
print(rows[len(rows)])  # fails
""",
    ),
    "a list is as long as what it goes through": (
        "index",
        """
count = 0  # origin
offset = 3  # no origin
names = [str(n + offset) for n in range(count)]  # origin
print(names[0])  # fails
""",
    ),
    "a tuple of several values is made by its line": (
        "attribute",
        """
a = 1  # no origin
pair = (a, 2)  # origin
pair.append(3)  # fails
""",
    ),
    "a class, its base and its defaults": (
        "type",
        """
class Base:
    def __init__(self, width=3):
        self.width = width

class Net(Base):
    def __init__(self, name):
        super().__init__()
        self.name = name  # no origin
        self.step = "2"  # origin

    def forward(self):
        return self.width + self.step  # fails

Net("a").forward()
""",
    ),
    "a dataclass of settings": (
        "none",
        """
from dataclasses import dataclass, field

@dataclass
class Settings:
    sizes: list = field(default_factory=list)
    path: str = None  # origin

settings = Settings()
settings.path.upper()  # fails
""",
    ),
    "a generator and a comprehension": (
        "index",
        """
def numbers(n):
    for i in range(n):
        yield i * i

squares = [x for x in numbers(4) if x % 2 == 0]
print(squares[2])  # fails
""",
    ),
    "a key that was renamed": (
        "key",
        """
def load():
    return {"lr": 0.1, "width": 4}

config = load()
config["depth"] = 2
size = config["hidden"]  # fails
""",
    ),
    "a function that returns nothing in one branch": (
        "none",
        """
def pick(kind):
    if kind == "a":
        return [1]

kind = "b"
first = pick(kind)[0]  # fails
""",
    ),
    "what is caught does not count": (
        "key",
        """
try:
    raise ValueError("no")
except ValueError:
    table = {}
table["x"]  # fails
""",
    ),
    "an argument too many": (
        "arguments",
        """
def step(a, *, lr):
    return a

step(1, 2, lr=3)  # fails
""",
    ),
    "a while loop that ends": (
        "value",
        """
n = 5
while n:
    n -= 1
print(10 / n)  # fails
""",
    ),
    "a condition around a raise": (
        "raised",
        """
width = 6  # origin
heads = 4  # origin
other = 3  # no origin
if other and width % heads != 0:
    raise ValueError("no")  # fails
""",
    ),
    "an assertion": (
        "raised",
        """
heads, width = 3, 8
assert width % heads == 0  # fails
""",
    ),
}


def interpret(root: Path, text: str, words: tuple[str, ...] = ()) -> Outcome:
    """Follow a program up to its line with the mark ``# fails``."""
    (root / "main.py").write_text(text, encoding="utf-8")
    line = next(n for n, x in enumerate(text.split("\n"), 1) if x.endswith("# fails"))
    given = [Value(word) for word in words]
    return Interpreter(Workspace(root, cache=False), "main.py", ("main.py", line), given).run()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_failure_is_reproduced(name: str, tmp_path: Path) -> None:
    what, text = PROGRAMS[name]
    outcome = interpret(tmp_path, text)
    assert outcome.reached
    assert outcome.raised is not None
    assert outcome.raised.what == what
    origins = {line for side in outcome.raised.sides for _, line in side.origins}
    lines = text.split("\n")
    assert {n for n, x in enumerate(lines, 1) if x.endswith("# origin")} <= origins
    assert not {n for n, x in enumerate(lines, 1) if x.endswith("# no origin")} & origins


def test_what_is_not_known_is_left_unknown(tmp_path: Path) -> None:
    text = """
import somewhere
value = somewhere.load("x")
if value.ready():
    size = 3
rows = [1, 2, 3]
print(rows[value.count])
print(value + 1, value["a"], value.b.c(1))
print(rows[2])  # fails
"""
    outcome = interpret(tmp_path, text)
    assert outcome.reached
    assert outcome.complete
    assert outcome.raised is None
    assert not outcome.elsewhere


def test_the_budget_ends_what_has_no_end(tmp_path: Path) -> None:
    text = """
def f(n):
    return [f(n + 1) for _ in range(1000)]

f(0)
print(1)  # fails
"""
    outcome = interpret(tmp_path, text)
    assert not outcome.complete
    assert outcome.steps > 10_000


def test_modules_of_the_workspace_are_followed(tmp_path: Path) -> None:
    (tmp_path / "settings.py").write_text("SIZE = 4\n", encoding="utf-8")
    outcome = interpret(tmp_path, "from settings import SIZE\nprint('abc'[SIZE])  # fails\n")
    assert outcome.raised is not None
    assert ("settings.py", 1) in outcome.raised.sides[0].origins


def test_many_modules_are_followed_where_they_are_used(tmp_path: Path) -> None:
    package = tmp_path / "parts"
    package.mkdir()
    names = [f"part{number}" for number in range(90)]
    imports = [f"from parts.{name} import VALUE as {name.upper()}\n" for name in names]
    (package / "__init__.py").write_text("".join(imports), encoding="utf-8")
    for number, name in enumerate(names):
        (package / f"{name}.py").write_text(f"VALUE = {number}\n", encoding="utf-8")
    outcome = interpret(tmp_path, "from parts import PART85\nprint('abc'[PART85])  # fails\n")
    assert outcome.raised is not None
    assert ("parts/part85.py", 1) in outcome.raised.sides[0].origins
    assert outcome.steps < 60 * 3 + 90


def test_a_module_of_a_package_does_not_stand_for_one_of_python(tmp_path: Path) -> None:
    package = tmp_path / "parts"
    package.mkdir()
    (package / "__init__.py").write_text("from parts.work import SIZE\n", encoding="utf-8")
    (package / "math.py").write_text("raise ValueError('not this one')\n", encoding="utf-8")
    (package / "work.py").write_text("import math\nSIZE = math.floor(4.5)\n", encoding="utf-8")
    outcome = interpret(tmp_path, "from parts import SIZE\nprint('abc'[SIZE])  # fails\n")
    assert outcome.raised is not None
    assert ("parts/work.py", 2) in outcome.raised.sides[0].origins


GROWING = (
    'x = "%2000000000d" % 1',
    'x = f"{1:2000000000}"',
    'width = 2000000000\nx = f"{1:{width}}"',
    'x = "{:2000000000}".format(1)',
    'x = format(1, "2000000000d")',
    's = "ab"\nfor i in range(60):\n    s = s + s',
    's = "ab"\nfor i in range(60):\n    s += s',
    's = "aa"\nfor i in range(40):\n    s = s.replace("a", "aaaa")',
    's = "ab" * 9000\nfor i in range(6):\n    s = s.join([s] * 9000)',
    's = "ab" * 9000\nx = "%s" * 5000 % tuple([s] * 5000)',
    "a = [0] * 20000\nb = [a] * 20000\nc = [b] * 20000\ns = str(c)",
    "a = []\nfor i in range(60):\n    a = [a, a]\ns = str(a)\nb = a == a",
    "a = []\na.append(a)\ns = str(a)",
    "a = [1]\nfor i in range(60):\n    a += a",
    "a = [1]\nfor i in range(60):\n    a.extend(a)",
    "a = (1,)\nfor i in range(60):\n    a = a + a",
    "a = [0] * 20000\nk = []\nfor i in range(20000):\n    k.append(a + a)",
    "a = [0] * 20000\nk = []\nfor i in range(20000):\n    k.append(a.copy())",
    "def f(*a):\n    return a\nk = []\nfor i in range(20000):\n    k.append(f(*([0] * 20000)))",
    "x = 9**9**9\ny = 1 << 10**9\nz = b'ab' * 10**12",
    "import math\nx = math.factorial(10**7)",
    "import itertools\nx = list(itertools.permutations(range(12)))",
    "import copy\nd = []\nfor i in range(60):\n    d = [d, d]\nx = copy.deepcopy(d)",
    "import json\nd = {}\nfor i in range(60):\n    d = {'a': d, 'b': d}\nx = json.dumps(d)",
    "import numpy as np\nx = np.arange(10**12).tolist()",
)
FOLLOW = """
import json, sys
from pathlib import Path
from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.workspace import Workspace
root = Path(sys.argv[1])
for number, text in enumerate(json.load(sys.stdin)):
    name = f"m{number}.py"
    (root / name).write_text(text + "\\nprint(1)\\n", encoding="utf-8")
    outcome = Interpreter(Workspace(root, cache=False), name, (name, 99)).run()
    print(number, outcome.steps, flush=True)
"""


def test_no_value_outgrows_the_memory(tmp_path: Path) -> None:
    limit = 2 << 30
    done = subprocess.run(
        [sys.executable, "-c", FOLLOW, str(tmp_path)],
        input=json.dumps(GROWING),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == len(GROWING)


def follow(
    root: Path, text: str, *lines: str, reported: tuple[tuple[int, int], ...] = ()
) -> Outcome:
    """Follow a program whose frames are the lines that end with these comments, outermost first."""
    (root / "main.py").write_text(text, encoding="utf-8")
    numbered = list(enumerate(text.splitlines(), 1))
    frames = [
        ("main.py", next(n for n, line in numbered if line.endswith(f"# {mark}"))) for mark in lines
    ]
    workspace = Workspace(root, cache=False)
    return Interpreter(workspace, "main.py", frames[-1], frames=frames, reported=reported).run()


def test_what_the_message_says_stands_for_a_size_that_is_not_known(tmp_path: Path) -> None:
    text = """
import torch
from torch import nn
from somewhere import load

WIDTH = 12
net = nn.Sequential(nn.Linear(WIDTH, 8), nn.ReLU(), nn.Linear(8, 2))
x = load("x")
y = net(x)  # fails
"""
    outcome = follow(tmp_path, text, "fails", reported=((13, 12),))
    assert outcome.raised is not None
    assert sorted(side.data for side in outcome.raised.sides) == [12, 13]
    known = next(side for side in outcome.raised.sides if side.data == 12)
    assert ("main.py", 6) in known.origins
    assert follow(tmp_path, text, "fails", reported=((13, 5),)).raised is None
    assert follow(tmp_path, text, "fails").raised is None


def test_a_frame_that_the_run_did_not_come_to_is_entered(tmp_path: Path) -> None:
    text = """
import torch
from torch import nn
from somewhere import parallel

class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, 2)

    def forward(self, x):
        return self.layer(x[:, None].expand(4, 3))  # fails

net = Net(5)
parallel(net, 3)  # outer
"""
    outcome = follow(tmp_path, text, "outer", "fails", reported=((3, 5),))
    assert outcome.raised is not None
    assert {("main.py", 14)} <= set().union(*(side.origins for side in outcome.raised.sides))


def test_sizes_that_fitted_are_counted(tmp_path: Path) -> None:
    text = """
import torch
from torch import nn
WIDTH = 6
x = torch.zeros(4, 6)
first = nn.Linear(WIDTH, WIDTH)
last = nn.Linear(7, 2)
y = last(first(x))  # fails
"""
    outcome = follow(tmp_path, text, "fails")
    assert outcome.raised is not None
    assert ("main.py", 4) in outcome.agreed
    assert ("main.py", 7) not in outcome.agreed


def test_only_an_operand_is_what_a_comparison_refuses(tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text(
        "import somelib\nmarks = ['a', 'b']\nwidth = 3\nrow = somelib.row(width)\n"
        "row >= len(marks)\n",
        encoding="utf-8",
    )
    message = "'>=' not supported between instances of 'list' and 'int'"
    place = ("run.py", 5)
    workspace = Workspace(tmp_path, cache=False)
    run = Interpreter(workspace, "run.py", place, exception="TypeError", message=message)
    raised = run.run().raised
    assert raised is not None
    origins = {line for side in raised.sides for _, line in side.origins}
    assert 3 in origins
    assert 2 not in origins
