"""What lets the run of a big repository be followed to its failure."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dl_bug_lsp.interpretation import operators
from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.values import OneShot, Raised, Value
from dl_bug_lsp.workspace import Workspace
from tests.helpers.followed_programs import followed, shown


@pytest.mark.parametrize(
    ("program", "name", "expected"),
    [
        # What a model refuses elsewhere than at the failure is unknown; the statement goes on.
        ("a, b = 1, [2][5]", "a", 1),
        ("a = (3, None.shape, 4)[2]", "a", 4),
        ("if [1][3] == 2:\n    a = 1\na = 2", "a", 2),
        # Loops of long rounds are followed to their end where that takes few of the steps.
        (
            "def grow(items):\n"
            + "    items = items + 1\n" * 420
            + "    return items\nmade = []\nfor i in range(4):\n    made.append(grow(i))\na = made",
            "a",
            [420, 421, 422, 423],
        ),
        ("a = len(unknown_thing)", "a", ((), "int64")),
        ("import sys\na = sys.version_info >= (3, 8)", "a", True),
        ("import sys\na = sys.version_info[0]", "a", 3),
        ("import torch\na = torch.__version__ == 'parrots'", "a", False),
        (
            "import torch\nfrom packaging import version\n"
            "a = version.parse(torch.__version__) >= version.parse('2.0')",
            "a",
            True,
        ),
        ("from packaging.version import Version\na = Version('1.2.3').minor", "a", 2),
        ("import torch\na = torch.jit.is_scripting()", "a", False),
        ("import torch\na = torch.npu.is_available()", "a", False),
        ("import torch\na = torch.is_tensor(3)", "a", False),
        ("import torch\na = torch.Size((2, 3))[1]", "a", 3),
        ("import torch.distributed as dist\na = dist.get_rank()", "a", 0),
        ("import platform\na = platform.system()", "a", "Linux"),
        (
            "import inspect\ndef f(x, *, key=2):\n    pass\n"
            "a = [p for p in inspect.signature(f).parameters]",
            "a",
            ["x", "key"],
        ),
        (
            "import inspect\ndef f(x, key=2):\n    pass\n"
            "a = inspect.signature(f).parameters['key'].default",
            "a",
            2,
        ),
        (
            "import inspect\nclass A:\n    def __init__(self, size): pass\n"
            "a = inspect.getfullargspec(A).args",
            "a",
            ["self", "size"],
        ),
        (
            "import inspect\nclass A: pass\nclass B(A): pass\n"
            "a = [c.__name__ for c in inspect.getmro(B)]",
            "a",
            ["B", "A", "object"],
        ),
        ("class A:\n    x = 1\na = [n for n in dir(A()) if n[0] != '_']", "a", ["x"]),
        (
            "from torch import nn\nclass Net(nn.Module):\n    pass\na = hasattr(Net(), '_records')",
            "a",
            False,
        ),
        (
            "import argparse\na = getattr(argparse.Namespace(x=1), 'help', None)",
            "a",
            None,
        ),
        ("from torch import nn\na = isinstance(nn.Linear, nn.Module)", "a", False),
        ("a = [1] == 'all'", "a", False),
        ("import torch\na = torch.zeros(len(unknown_thing) + 1)", "a", (("?",), "float32")),
        (
            "import torch\nfrom torch.distributions.normal import Normal\n"
            "a = Normal(torch.zeros(4), torch.ones(4)).sample()",
            "a",
            ((4,), "float32"),
        ),
    ],
)
def test_what_is_known_of_a_run(tmp_path: Path, program: str, name: str, expected: object) -> None:
    opening = "unknown_thing = open('/nowhere/data.txt').read()\n"
    _, names = followed(tmp_path, opening + program, {})
    assert _plain(shown(names[name])) == _plain(expected)


def _plain(value: object) -> object:
    """Return a value with unknown sizes written as a question mark."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return "?" if value is None or str(value) in ("unknown", "None") else value


CONSTRUCTORS = """
from collections import namedtuple
from dataclasses import dataclass

class Feature(namedtuple("Feature", ["name", "size", "dim"])):
    def __new__(cls, name, size, dim=4):
        if dim == "auto":
            dim = 6 * int(pow(size, 0.25))
        return super(Feature, cls).__new__(cls, name, size, dim)

feature = Feature("a", size=16, dim="auto")
named = (feature.name, feature.size, feature.dim)

class Only:
    made = None

    def __new__(cls, *args):
        if cls.made is None:
            cls.made = object.__new__(cls)
        return cls.made

    def __init__(self, x):
        self.x = x

only = Only(3).x

class Base:
    def __init__(self):
        self.kept = 1

@dataclass
class Child(Base):
    rate: float
    size: int = 2

    def __post_init__(self):
        super().__init__()

child = Child(rate=0.5)
fields = (child.rate, child.size, child.kept)
"""


MIXED = """
import enum
import importlib.util
from torch import nn

class Kind(str, enum.Enum):
    LORA = "LORA"
    IA3 = "IA3"

table = {Kind.LORA: 5}
looked_up = table["LORA"]
among = "IA3" in list(Kind)
is_there = [importlib.util.find_spec(name) is not None for name in ("torch", "no_such_package")]

class Inner:
    size = 7

class Wrapper(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.inner, name)

handed_on = Wrapper(Inner()).size
"""


def test_members_of_mixed_enumerations_and_wrappers(tmp_path: Path) -> None:
    _, names = followed(tmp_path, MIXED, {})
    assert shown(names["looked_up"]) == 5
    assert shown(names["among"]) is True
    assert shown(names["is_there"]) == [True, False]
    assert shown(names["handed_on"]) == 7


def test_constructors_of_the_program(tmp_path: Path) -> None:
    _, names = followed(tmp_path, CONSTRUCTORS, {})
    assert shown(names["named"]) == ("a", 16, 12)
    assert shown(names["only"]) == 3
    # The constructor of a dataclass takes the place of its base's.
    assert shown(names["fields"]) == (0.5, 2, 1)


def test_a_loop_that_is_cut_puts_no_last_round_into_a_list_again(tmp_path: Path) -> None:
    program = (
        "numbers, texts, pairs = [], [], []\nfor i in range(4000):\n    numbers.append(i)\n"
        "    texts.append(f'row {i}')\n    pairs.append((i, 'a'))\n"
        "found = [len(numbers), numbers[3900], texts[3900], pairs[3900][1]]"
    )
    _, names = followed(tmp_path, program, {})
    assert shown(names["found"]) == [4000, ((), "int64"), "unknown", "a"]


def test_a_loop_that_is_cut_widens_a_list_of_modules(tmp_path: Path) -> None:
    body = "    x = x + 1\n" * 900
    program = (
        f"from torch import nn\ndef long(x):\n{body}    return x\n"
        "layers = nn.ModuleList([])\nfor i in range(90):\n"
        "    long(i)\n    layers.append(nn.Linear(2, 2))\nfound = layers[60]"
    )
    _, names = followed(tmp_path, program, {})
    assert shown(names["found"]) == "Linear"


def test_a_function_that_calls_itself_ends(tmp_path: Path) -> None:
    program = "def f(x):\n    return f(x)\nf(1)\na = 5"
    _, names = followed(tmp_path, program, {})
    assert shown(names["a"]) == 5


ENVIRONMENT = """
import gymnasium as gym
from gymnasium import spaces
import numpy as np

class Reach(gym.Env):
    def __init__(self, scale=1.0):
        self.scale = scale
        self.observation_space = spaces.Box(-1.0, 1.0, shape=(7,), dtype=np.float32)
        self.action_space = spaces.Discrete(3)

    def reset(self, seed=None):
        return np.zeros(7, dtype=np.float32), {}

gym.register(id="Reach-v0", entry_point="reach:Reach", kwargs={"scale": 2.0})
"""


@pytest.mark.parametrize("module", ["", "envs.", "envs.registration."])
def test_an_environment_that_a_program_registers(tmp_path: Path, module: str) -> None:
    program = (
        "import gymnasium as gym\nimport reach\nenv = gym.make('Reach-v0')\n"
        "size = env.observation_space.shape[0]\nfirst, info = env.reset()\nscale = env.scale"
    )
    registers = ENVIRONMENT.replace("gym.register", f"gym.{module}register")
    _, names = followed(tmp_path, program, {"reach.py": registers})
    assert shown(names["size"]) == 7
    assert shown(names["first"]) == ((7,), "float32")
    assert shown(names["scale"]) == 2.0


def test_options_of_one_dash(tmp_path: Path) -> None:
    program = (
        "import argparse\np = argparse.ArgumentParser()\n"
        "p.add_argument('--num-workers', '-n', type=int, default=4)\n"
        "p.add_argument('--n-layer', type=int, default=2)\n"
        "p.add_argument('--name')\na = p.parse_args()\nworkers = a.num_workers\nlayers = a.n_layer"
    )
    # Readers of commands keep the names of options without their dashes.
    _, names = followed(tmp_path, program, {}, ["--n", "0", "--n-layer", "3"])
    assert (shown(names["workers"]), shown(names["layers"])) == (0, 3)


def test_words_that_do_not_fit_leave_the_defaults(tmp_path: Path) -> None:
    program = (
        "import argparse\np = argparse.ArgumentParser()\n"
        "p.add_argument('--layers', type=int, default=2)\nlayers = p.parse_args().layers"
    )
    _, names = followed(tmp_path, program, {}, ["--width", "3"])
    assert shown(names["layers"]) == 2


@pytest.mark.parametrize(
    ("program", "line"),
    [
        # The line that decides the dtype, not those that make the sizes.
        ("size = 8\nmask = torch.ones(size)\nbad = ~mask", 3),
        ("size = 8\nx = torch.ones(size).long()\nx = x.float()\nbad = nn.Embedding(4, 2)(x)", 4),
        (
            "size = 8\nx = torch.ones(size)\nmask = torch.where(x > 0, 0, 1)\n"
            "bad = x.masked_fill(mask, 1.0)",
            4,
        ),
    ],
)
def test_where_a_dtype_was_decided(tmp_path: Path, program: str, line: int) -> None:
    text = f"import torch\nfrom torch import nn\n{program}\n".replace("\n\n", "\n")
    text = text.replace("from torch import nn\n", "from torch import nn\n", 1)
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    target = ("main.py", text.count("\n"))
    outcome = Interpreter(Workspace(tmp_path, cache=False), "main.py", target, []).run()
    assert outcome.raised is not None
    decided = {-n for side in outcome.raised.sides for _, n in side.origins if n < 0}
    assert decided == {line + 1}


def test_labels_come_from_where_their_numbers_begin(tmp_path: Path) -> None:
    text = (
        "import torch\nfrom torch import nn\nnames = ['a', 'b']\n"
        "ids = {n: i for i, n in enumerate(names, 1)}\n"
        "x = torch.tensor([ids[n] for n in ['a', 'b', 'a']])\n"
        "nn.Embedding(2, 4)(x)\n"
    )
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    workspace = Workspace(tmp_path, cache=False)
    outcome = Interpreter(workspace, "main.py", ("main.py", 6), []).run()
    assert outcome.raised is not None
    assert ("main.py", 4) in outcome.raised.sides[0].origins


def test_a_size_that_nothing_explains_is_made_by_the_call_that_gives_it(tmp_path: Path) -> None:
    text = (
        "import argparse\nimport torch\nfrom torch import nn\n"
        "p = argparse.ArgumentParser()\np.add_argument('--width', type=int, default=4)\n"
        "width = p.parse_args().width\n"
        "x = torch.zeros(2, width)\n"
        "nn.Linear(5, 2)(x)\n"
    )
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    typed = [Value("--width"), Value("9")]
    workspace = Workspace(tmp_path, cache=False)
    outcome = Interpreter(workspace, "main.py", ("main.py", 8), typed).run()
    assert outcome.raised is not None
    made = {line for side in outcome.raised.sides for _, line in side.origins}
    assert made == {7, 8}


def failed(folder: Path, program: str) -> Raised:
    """Follow a program that fails in its last line; return the failure."""
    (folder / "main.py").write_text(program, encoding="utf-8")
    target = ("main.py", program.count("\n"))
    raised = Interpreter(Workspace(folder, cache=False), "main.py", target, []).run().raised
    assert raised is not None
    return raised


def test_which_of_several_arrays_is_the_odd_one(tmp_path: Path) -> None:
    parts = "import torch\nparts = [torch.zeros(2, 8) for _ in range(5)]\n"
    joined = failed(tmp_path, f"{parts}parts[3] = torch.zeros(3, 8)\ntorch.cat(parts, dim=1)\n")
    assert [side.data for side in joined.sides] == [2, 3]
    assert joined.odd == 1
    two = failed(tmp_path, "import torch\ntorch.stack([torch.zeros(2), torch.zeros(3)])\n")
    assert two.odd is None


def test_arrays_of_which_all_differ_have_no_odd_one(tmp_path: Path) -> None:
    start = "import torch\ntorch.stack([torch.zeros(n) for n in "
    unlike = failed(tmp_path, f"{start}(2, 3, 4, 5, 6)])\n")
    assert (unlike.odd, unlike.uneven) == (None, True)
    alike = failed(tmp_path, f"{start}(2, 2, 2, 5, 2)])\n")
    assert (alike.odd, alike.uneven) == (1, False)


def test_slices_and_arithmetic_make_sizes(tmp_path: Path) -> None:
    raised = failed(
        tmp_path,
        "import torch\nwide, narrow = 16, 8\nx = torch.zeros(4, 32)\n"
        "cut = x[:, :narrow]\ndouble = wide * 2\nlayer = torch.nn.Linear(double, 3)\nlayer(cut)\n",
    )
    made = [{line for _, line in side.origins} for side in raised.sides]
    assert any({2, 4} <= lines for lines in made)
    assert any({2, 5} <= lines for lines in made)


def test_an_iterator_and_a_list_in_one() -> None:
    both = operators.binary(ast.Add, Value([Value(1)]), Value(OneShot([Value(2)], None)))
    assert shown(both) == [1, 2]


@pytest.mark.parametrize(
    ("first", "second", "lines"),
    [
        ((6, 2, 5, 5), (6, 1, 5), {2}),
        ((6, 2, 5, 5), (6, 3, 5), set()),  # With no axis put in do these fit.
        ((6, 5), (5, 6), set()),
        ((4, 3, 2), (4, 3), {2}),
    ],
)
def test_what_made_the_axes_that_an_array_lacks(
    tmp_path: Path, first: tuple[int, ...], second: tuple[int, ...], lines: set[int]
) -> None:
    program = f"import torch\nx = torch.zeros{first}\ny = torch.zeros{second}\nx + y\n"
    raised = failed(tmp_path, program)
    assert {line for _, line in raised.lacking if line > 0} == lines
