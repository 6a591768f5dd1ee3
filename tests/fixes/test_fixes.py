"""Fixes in small workspaces: what is certain is offered, what may be meant otherwise is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from dl_bug_lsp.fixes import find_fixes
from dl_bug_lsp.fixes.fix_context import distance, is_slip
from dl_bug_lsp.localize import localize
from dl_bug_lsp.workspace import Workspace

NET = "class Net:\n    def __init__(self):\n        self.weight = 1\n        self.bias = 2\n"


def log(file: str, line: int, source: str, error: str) -> str:
    frame = f'  File "{file}", line {line}, in <module>\n    {source}\n'
    return f"Traceback (most recent call last):\n{frame}{error}\n"


def fixes(folder: Path, files: dict[str, str], text: str) -> list[str]:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    workspace = Workspace(folder, cache=False)
    report = localize(text, workspace)
    found = [fix for failure in report.failures for fix in find_fixes(failure, workspace)]
    return [f"{e.file}:{e.line} {e.after}" for fix in found for e in fix.edits]


ATTRIBUTE = "AttributeError: 'Net' object has no attribute 'wieght'"

NO_INTS = (
    "TypeError: empty(): argument 'size' (position 1) must be tuple of ints, "
    "but found element of type str at pos 0"
)

CASES: dict[str, tuple[dict[str, str], str, list[str]]] = {
    "an attribute with one near match": (
        {"a.py": NET + "print(Net().wieght)\n"},
        log("a.py", 5, "print(Net().wieght)", ATTRIBUTE),
        ["a.py:5 print(Net().weight)"],
    ),
    "an option without a type whose default is annotated": (
        {
            "a.py": "import argparse\nimport torch\n\n\nclass Width:\n    hidden: int = 64\n\n\n"
            "p = argparse.ArgumentParser()\n"
            "p.add_argument('--hidden', default=Width.hidden)\n"
            "args = p.parse_args()\nprint(torch.nn.Linear(8, args.hidden))\n",
        },
        log("a.py", 12, "print(torch.nn.Linear(8, args.hidden))", NO_INTS),
        ["a.py:10 p.add_argument('--hidden', type=int, default=Width.hidden)"],
    ),
    "an option without a type or a known default": (
        {
            "a.py": "import argparse\nimport torch\nfrom widths import HIDDEN\n\n"
            "p = argparse.ArgumentParser()\np.add_argument('--hidden', default=HIDDEN)\n"
            "args = p.parse_args()\nprint(torch.nn.Linear(8, args.hidden))\n",
        },
        log("a.py", 8, "print(torch.nn.Linear(8, args.hidden))", NO_INTS),
        [],
    ),
    "an attribute with two near matches": (
        {"a.py": NET + "    weght = 3\nprint(Net().wieght)\n"},
        log("a.py", 6, "print(Net().wieght)", ATTRIBUTE),
        [],
    ),
    "an attribute that differs by a digit": (
        {"a.py": "class Net:\n    layer1 = 1\nprint(Net().layer2)\n"},
        log("a.py", 3, "x", "AttributeError: 'Net' object has no attribute 'layer2'"),
        [],
    ),
    "an attribute twice on its line": (
        {"a.py": NET + "print(Net().wieght, Net().wieght)\n"},
        log("a.py", 5, "x", ATTRIBUTE),
        [],
    ),
    "a name": (
        {"a.py": "labels = [1]\nprint(lables)\n"},
        log("a.py", 2, "print(lables)", "NameError: name 'lables' is not defined"),
        ["a.py:2 print(labels)"],
    ),
    "a name of another function": (
        {"a.py": "def f():\n    labels = 1\ndef g():\n    print(lables)\n"},
        log("a.py", 4, "print(lables)", "NameError: name 'lables' is not defined"),
        [],
    ),
    "a keyword of an own function": (
        {"a.py": "def fit(epochs, rate):\n    pass\nfit(epocs=3, rate=1)\n"},
        log(
            "a.py",
            3,
            "fit(epocs=3, rate=1)",
            "TypeError: fit() got an unexpected keyword argument 'epocs'",
        ),
        ["a.py:3 fit(epochs=3, rate=1)"],
    ),
    "a key that its config alone spells so": (
        {
            "c.yaml": "lerning_rate: 1\nsteps: 2\n",
            "a.py": "import yaml\nc = yaml.safe_load(open('c.yaml'))\nprint(c['learning_rate'])\n",
        },
        log("a.py", 3, "print(c['learning_rate'])", "KeyError: 'learning_rate'"),
        ["c.yaml:1 learning_rate: 1"],
    ),
    "a key that the code alone spells so": (
        {"a.py": "scores = {'accuracy': 0.5}\nprint(scores['acuracy'])\n"},
        log("a.py", 2, "print(scores['acuracy'])", "KeyError: 'acuracy'"),
        ["a.py:2 print(scores['accuracy'])"],
    ),
    "a key of a config, whose words stand elsewhere": (
        {
            "c.yaml": "learning_rate: 1\nsteps: 2\n",
            "a.py": "# The learning of c.yaml.\nc = load('c.yaml')\nprint(c['lerning_rate'])\n",
        },
        log("a.py", 3, "print(c['lerning_rate'])", "KeyError: 'lerning_rate'"),
        ["a.py:3 print(c['learning_rate'])"],
    ),
    "a key with nothing near": (
        {"c.yaml": "steps: 2\n", "a.py": "c = {}\nprint(c['learning_rate'])\n"},
        log("a.py", 2, "print(c['learning_rate'])", "KeyError: 'learning_rate'"),
        [],
    ),
    "a known package": (
        {"requirements.txt": "numpy\n", "a.py": "import cv2\n"},
        log("a.py", 1, "import cv2", "ModuleNotFoundError: No module named 'cv2'"),
        ["requirements.txt:1 numpy\nopencv-python"],
    ),
    "a known package in a project's list": (
        {
            "pyproject.toml": '[project]\nname = "a"\ndependencies = [\n  "numpy>=1"\n]\n',
            "a.py": "import cv2\n",
        },
        log("a.py", 1, "import cv2", "ModuleNotFoundError: No module named 'cv2'"),
        ['pyproject.toml:4   "numpy>=1",\n  "opencv-python",'],
    ),
    "a package that no table knows": (
        {"requirements.txt": "numpy\n", "a.py": "import inhouse\n"},
        log("a.py", 1, "import inhouse", "ModuleNotFoundError: No module named 'inhouse'"),
        [],
    ),
    "a package that is declared": (
        {"requirements.txt": "opencv-python>=4\n", "a.py": "import cv2\n"},
        log("a.py", 1, "import cv2", "ModuleNotFoundError: No module named 'cv2'"),
        [],
    ),
    "an import under a name that is used otherwise": (
        {"a.py": "import os\nprint(np.ones(3))\n", "b.py": "import jax.numpy as np\n"},
        log("a.py", 2, "print(np.ones(3))", "NameError: name 'np' is not defined"),
        [],
    ),
    "an option": (
        {
            "train.py": "import argparse\np = argparse.ArgumentParser()\n"
            "p.add_argument('--batch-size', type=int)\np.parse_args()\n",
            "run.sh": "python train.py --bacth-size 4\n",
        },
        "usage: train.py [-h] [--batch-size BATCH_SIZE]\n"
        "train.py: error: unrecognized arguments: --bacth-size 4\n",
        ["run.sh:1 python train.py --batch-size 4"],
    ),
    "a path in another case": (
        {"data/Train.csv": "a,b\n1,2\n", "c.yaml": "file: data/train.csv\n", "a.py": "open(1)\n"},
        log(
            "a.py",
            1,
            "open(1)",
            "FileNotFoundError: [Errno 2] No such file or directory: 'data/train.csv'",
        ),
        ["c.yaml:1 file: data/Train.csv"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_only_what_is_certain_is_offered(name: str, tmp_path: Path) -> None:
    files, text, expected = CASES[name]
    assert fixes(tmp_path, files, text) == expected


@pytest.mark.parametrize(
    ("one", "other", "slip"),
    [
        ("weight", "wieght", True),
        ("learning_rate", "learning-rate", True),
        ("learningRate", "learning_rate", True),
        ("evaluation", "evalation", True),
        ("conv1", "conv2", False),
        ("pad_id", "unk_id", False),
        ("min", "max", False),
        ("train", "train", False),
        ("val_masked_acc", "val_masked_accuracy", False),
    ],
)
def test_slips(one: str, other: str, slip: bool) -> None:
    assert is_slip(one, other) is is_slip(other, one) is slip


def test_distance_counts_swapped_neighbours_once_and_stops_at_its_limit() -> None:
    assert [distance("ab", "ba", 2), distance("abc", "abc", 2), distance("abcd", "a", 2)] == [
        1,
        0,
        3,
    ]
