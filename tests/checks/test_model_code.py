"""Checks of model code, tables, requirements and the machine on small programs, wrong and right."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from made_environments import made_environment

from dl_bug_lsp.checks.checking import CheckOptions, check
from dl_bug_lsp.workspace import Workspace

FORWARD = "\n    def forward(self, x):\n        return x\n"
NET = "import torch.nn as nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
SKLEARN = {
    "sklearn/__init__.py": "",
    "sklearn/utils.py": "class Interval: ...\nclass StrOptions: ...\n",
    "sklearn/tree.py": (
        "from .utils import Interval, StrOptions\n\n\n"
        "class Tree:\n"
        "    _parameter_constraints: dict = {\n"
        "        'features': [Interval(int, 1, None), StrOptions({'sqrt', 'log2'}), None],\n"
        "        'splitter': ['no_validation'],\n"
        "    }\n"
    ),
    "sklearn/ensemble.py": (
        "from .tree import Tree\n\n\n"
        "class Forest(Tree):\n"
        "    _parameter_constraints: dict = {**Tree._parameter_constraints, 'jobs': [None]}\n\n"
        "    def __init__(self, features='sqrt', splitter='best', jobs=None):\n        pass\n"
    ),
    "torch-2.6.0+cpu.dist-info/METADATA": "Name: torch\nVersion: 2.6.0+cpu\n",
    "tokenizers-0.23.3.dist-info/METADATA": "Name: tokenizers\nVersion: 0.23.3\n",
    "torch/__init__.py": "def device(name): ...\n",
    "torch/nn/__init__.py": (
        "class Module:\n    def add_module(self, name, module): ...\n\n\n"
        "class Linear(Module): ...\nclass ModuleList(Module): ...\n"
        "class ModuleDict(Module):\n    def __init__(self, modules):\n"
        "        for name in modules:\n            self.add_module(name, modules[name])\n\n\n"
        "class Sequential(Module): ...\n"
    ),
    "pandas/__init__.py": "def read_csv(path, **options): ...\n",
    "lightning/__init__.py": "class LightningModule: ...\n",
}


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    return made_environment(tmp_path_factory.mktemp("venv"), SKLEARN)


def said(folder: Path, python: str, files: dict[str, str], *command: str) -> list[str]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    found = check(Workspace(folder, cache=False), command, CheckOptions(python)).findings
    return [f"{f.certainty.value} {f.id} {f.file}:{f.line}" for f in found]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (f"{NET}        pass\n{FORWARD.replace('rward', 'ward')}", "misspelt-method a.py:8"),
        (f"{NET}        pass\n{FORWARD}", None),
        ("class Rows:\n    def __int__(self, rows):\n        self.rows = rows\n",
         "misspelt-method a.py:2"),
        ("class Count:\n    def __int__(self):\n        return 3\n", None),
        (f"{NET}        self.parts = [nn.Linear(2, 2) for _ in range(3)]\n{FORWARD}",
         "unregistered-layers a.py:6"),
        (f"{NET}        self.parts = []\n        self.parts.append(nn.Linear(2, 2))\n{FORWARD}",
         "unregistered-layers a.py:6"),
        (f"{NET}        self.parts = nn.ModuleList([nn.Linear(2, 2)])\n{FORWARD}", None),
        (f"{NET}        self.parts = [nn.Linear(2, 2)]\n"
         f"        self.net = nn.Sequential(*self.parts)\n{FORWARD}", None),
        ("import pandas as pd\n\ndf = pd.read_csv('x')\ndf['age'].fillna(0)\n",
         "lost-result a.py:4"),
        ("import pandas as pd\n\ndf = pd.read_csv('x')\ndf.fillna(0, inplace=True)\n", None),
        ("import os\n\nos.rename('a', 'b')\n", None),
        ("import torch.nn as nn\n\nnn.Linear(1, 1).paramaters()\n", "missing-member a.py:3"),
        ("import torch.nn as nn\n\nparts = nn.ModuleDict(dict(head=nn.Linear(1, 1)))\n"
         "print(parts.head)\n", None),
    ],
)  # fmt: skip
def test_model_code(tmp_path: Path, python: str, code: str, expected: str | None) -> None:
    found = [row for row in said(tmp_path, python, {"a.py": code}, "python", "a.py")
             if "look" not in row]  # fmt: skip
    assert found == ([f"likely {expected}"] if expected else [])


@pytest.mark.parametrize(
    ("logged", "expected"),
    [
        ('self.log("val_loss", x)', []),
        ('self.log(f"{stage}_loss", x)', []),
        ("self.log(name, x)", []),
        ('self.log_dict({"val_loss": x})', []),
        ("self.log_dict(metrics)", []),
        ('self.log("val/loss", x)', ["likely monitored-metric net.py:5"]),
        ('self.log(f"{stage}/loss", x)', ["likely monitored-metric net.py:5"]),
    ],
)
def test_a_metric_that_nothing_logs(
    tmp_path: Path, python: str, logged: str, expected: list[str]
) -> None:
    net = "import lightning as L\n\nclass Net(L.LightningModule):\n"
    net += f"    def step(self, x, stage, name, metrics):\n        {logged}\n"
    main = "from net import Net\n\nCALLS = [dict(monitor='val_loss'), dict(monitor='val_loss')]\n"
    assert said(tmp_path, python, {"net.py": net, "a.py": main}, "python", "a.py") == expected


def test_one_watcher_is_marked_itself(tmp_path: Path, python: str) -> None:
    files = {
        "net.py": "import lightning\n\nclass Net(lightning.LightningModule):\n"
        "    def step(self, x):\n        self.log('valid/loss', x)\n",
        "a.py": "from net import Net\n\nSTOP = dict(monitor='val/auroc')\n",
    }
    assert said(tmp_path, python, files, "python", "a.py") == ["likely monitored-metric a.py:3"]


def test_metrics_of_keras_are_those_that_are_compiled(tmp_path: Path, python: str) -> None:
    code = (
        "import keras\n\nmodel = keras.Sequential()\n"
        "model.compile(loss='mse', metrics=['accuracy', keras.metrics.MeanAbsoluteError()])\n"
        "good = keras.callbacks.EarlyStopping(monitor='val_mean_absolute_error')\n"
        "wrong = keras.callbacks.EarlyStopping(monitor='val_acc')\n"
    )
    found = said(tmp_path, python, {"a.py": code}, "python", "a.py")
    assert [row for row in found if "metric" in row] == ["likely monitored-metric a.py:6"]


ROWS = "".join(f"{n},{n * 1.5}\n" for n in range(40))


@pytest.mark.parametrize(
    ("table", "code", "expected"),
    [
        (f"n,fee\n{ROWS}", "pd.read_csv('fees.csv')", []),
        (f'n,fee\n{ROWS}3,"1,204.50"\n', "pd.read_csv('fees.csv')",
         ["likely data-value fees.csv:42"]),
        (f'n,fee\n{ROWS}3,"1,204.50"\n', "pd.read_csv('fees.csv', thousands=',')", []),
        (f"n,fee\n{ROWS}3,?\n", "pd.read_csv('fees.csv').replace('?', 0)", []),
        (f"n,fee\n{ROWS}3,NA\n", "pd.read_csv('fees.csv')", []),
        (f"n,fee\n{ROWS}3,low\n4,high\n5,low\n", "pd.read_csv('fees.csv')", []),
        (f"n,fee\n{ROWS}3,4,5\n", "pd.read_csv('fees.csv')", ["likely row-width fees.csv:42"]),
        (f"n,fee\n{ROWS}3,4,5\n", "pd.read_csv('fees.csv', on_bad_lines='skip')", []),
        (f"n,fee\n{ROWS}3,?\n", "pd.read_csv('others.csv')", []),
    ],
)  # fmt: skip
def test_cells_and_rows_of_tables(
    tmp_path: Path, python: str, table: str, code: str, expected: list[str]
) -> None:
    files = {"fees.csv": table, "a.py": f"import pandas as pd\n\nframe = {code}\n"}
    found = said(tmp_path, python, files, "python", "a.py")
    assert [row for row in found if "missing-file" not in row] == expected


def test_pictures_that_a_table_names_are_looked_for_on_disk(tmp_path: Path, python: str) -> None:
    names = [f"images/{n}.png" for n in range(9)]
    (tmp_path / "images").mkdir()
    for name in names[:-1]:
        (tmp_path / name).write_bytes(b"\x89PNG\x00")
    (tmp_path / "images" / "8.PNG").write_bytes(b"\x89PNG\x00")
    files = {
        "list.csv": "file,label\n" + "".join(f"{name},1\n" for name in names),
        "a.py": "rows = open('list.csv').read()\n",
    }
    assert said(tmp_path, python, files, "python", "a.py") == [
        "likely missing-data-file list.csv:10"
    ]


def test_texts_that_an_estimator_refuses(tmp_path: Path, python: str) -> None:
    code = (
        "from sklearn.ensemble import Forest\n\n"
        "Forest(features='sqrt')\nForest(features='auto')\nForest(splitter='any')\n"
        "def later():\n    return Forest(features='all')\n"
    )
    assert said(tmp_path, python, {"a.py": code}, "python", "a.py") == [
        "sure refused-text a.py:4",
        "likely refused-text a.py:7",
    ]


@pytest.mark.parametrize(
    ("code", "words", "expected"),
    [
        ("DEVICE = 'cuda'\n", "", ["likely cuda-build a.py:3"]),
        ("DEVICE = 'cuda'\n", "--device cpu", []),
        ("DEVICE = 'cuda' if torch.cuda.is_available() else 'cpu'\n", "", []),
        ("def is_cuda(name):\n    return name == 'cuda'\n", "", []),
    ],
)
def test_cuda_of_a_build_without_it(
    tmp_path: Path, python: str, code: str, words: str, expected: list[str]
) -> None:
    files = {"a.py": f"import torch\n\n{code}"}
    found = said(tmp_path, python, files, "python", "a.py", *words.split())
    assert [row for row in found if "cuda" in row] == expected


def test_versions_against_the_requirements(tmp_path: Path, python: str) -> None:
    files = {
        "requirements.txt": "# ours\ntorch>=2.1\ntokenizers>=0.19,<0.22\n",
        "a.py": "def require_version(text):\n    return text\n\n\nrequire_version('tokenizers')\n",
    }
    assert said(tmp_path, python, files, "python", "a.py") == [
        "likely version-conflict requirements.txt:3"
    ]
    (tmp_path / "a.py").write_text("print(1)\n")
    assert said(tmp_path, python, {}, "python", "a.py") == [
        "look version-conflict requirements.txt:3"
    ]


def test_what_a_script_installs_has_to_hold_what_is_imported(tmp_path: Path, python: str) -> None:
    files = {
        "requirements.txt": "torch\n",
        "run.sh": "pip install -r requirements.txt\npython a.py\n",
        "a.py": "import json\nimport torch\nimport an_unlisted_module_of_ours\n",
    }
    found = said(tmp_path, python, files, "bash", "run.sh")
    assert found == ["likely missing-library a.py:3"]


@pytest.mark.skipif(sys.platform == "win32", reason="rights of POSIX")
def test_a_script_that_is_not_executable(tmp_path: Path, python: str) -> None:
    files = {
        "run.sh": "set -e\n./scripts/clean.sh data\nbash scripts/clean.sh data\npython a.py\n",
        "scripts/clean.sh": "echo\n",
        "a.py": "print(1)\n",
    }
    assert said(tmp_path, python, files, "bash", "run.sh") == ["likely file-rights run.sh:2"]
    (tmp_path / "scripts" / "clean.sh").chmod(0o755)
    assert said(tmp_path, python, {}, "bash", "run.sh") == []


@pytest.mark.parametrize(
    "command",
    ["jupyter execute notebooks/fit.ipynb", "papermill notebooks/fit.ipynb out.ipynb",
     "jupyter nbconvert --to notebook --execute notebooks/fit.ipynb", ""],
)  # fmt: skip
def test_a_notebook_is_a_program(tmp_path: Path, python: str, command: str) -> None:
    cells = [{"cell_type": "code", "source": ["scores = {'loss': 1}\n", "print(scores['los'])\n"],
              "metadata": {}, "outputs": [], "execution_count": None}]  # fmt: skip
    text = json.dumps(
        {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1
    )
    (found,) = said(tmp_path, python, {"notebooks/fit.ipynb": text}, *command.split())
    # One that nobody named may be run in another order.
    level = "sure" if command else "look"
    assert found.startswith(f"{level} key-error notebooks/fit.ipynb:")
    report = check(Workspace(tmp_path, cache=False), command.split(), CheckOptions(python))
    assert report.entries == ("notebooks/fit.ipynb",)
    assert report.findings[0].evidence[0] == (
        "The cells of notebooks/fit.ipynb are followed in the order of the file."
    )


def test_converting_a_notebook_runs_nothing(tmp_path: Path, python: str) -> None:
    (tmp_path / "fit.ipynb").write_text("{}")
    words = ["jupyter", "nbconvert", "--to", "html", "fit.ipynb"]
    report = check(Workspace(tmp_path, cache=False), words, CheckOptions(python))
    assert report.entries == ()


def test_a_requirement_with_a_marker_may_hold_elsewhere_only(tmp_path: Path, python: str) -> None:
    files = {
        "requirements.txt": (
            "torch<2.5; sys_platform == 'darwin'\ntokenizers<0.20;python_version<'3'\n"
        ),
        "a.py": "import torch\n",
    }
    assert said(tmp_path, python, files, "python", "a.py") == []


LOADER = "from torch.utils.data import DataLoader\nfrom data import Rows\n\n"
LOADER += "loader = DataLoader(Rows(), num_workers=2)\n"
ROWS_OF = (
    "import numpy as np\n\n\nclass Rows:\n    def __init__(self):\n        self.rng = {made}\n\n"
)
ROWS_OF += "    def __getitem__(self, i):\n        return {drawn}\n"


@pytest.mark.parametrize(
    ("made", "drawn", "expected"),
    [
        ("np.random.default_rng(0)", "self.rng.normal()", ["look worker-seed a.py:4"]),
        ("np.random.RandomState(0)", "self.rng.rand()", ["look worker-seed a.py:4"]),
        # PyTorch seeds NumPy's global generator in each worker.
        ("None", "np.random.rand()", []),
        ("np.random.default_rng(0)", "np.zeros(3)", []),
    ],
)
def test_a_generator_that_each_worker_has_a_copy_of(
    tmp_path: Path, python: str, made: str, drawn: str, expected: list[str]
) -> None:
    files = {"data.py": ROWS_OF.format(made=made, drawn=drawn), "a.py": LOADER}
    found = said(tmp_path, python, files, "python", "a.py")
    assert [row for row in found if "worker" in row] == expected


MODEL = "import torch.nn as nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
MODEL += (
    "        super().__init__()\n        self.net = nn.Sequential(nn.Linear(2, 1), nn.Sigmoid())\n"
)
STEP = "\n\nnet = Net()\nloss = nn.{}()\nloss(net(1), 2).backward()\n"


def test_a_loss_says_nothing_of_the_model_of_another_script(tmp_path: Path, python: str) -> None:
    main = "\n\nif __name__ == '__main__':\n    pass\n"
    files = {
        "plain/train.py": MODEL + STEP.format("BCELoss") + main,
        "logits/train.py": MODEL.replace(", nn.Sigmoid()", "")
        + STEP.format("BCEWithLogitsLoss")
        + main,
    }
    assert [row for row in said(tmp_path, python, files) if "loss-form" in row] == []
    twice = {"plain/train.py": MODEL + STEP.format("BCEWithLogitsLoss") + main}
    found = said(tmp_path, python, twice)
    assert [row for row in found if "loss-form" in row] == ["likely loss-form plain/train.py:7"]


def test_a_gradient_is_not_cut_to_a_limit_of_nothing(tmp_path: Path, python: str) -> None:
    step = (
        "import torch\n\n\ndef step(model, loss, max_norm=0):\n    loss.backward()\n"
        "    {}torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)\n"
    )
    right = {"a.py": step.format("if max_norm > 0:\n        ")}
    assert [row for row in said(tmp_path, python, right) if "training-value" in row] == []
    wrong = {"a.py": step.format("")}
    found = said(tmp_path, python, wrong)
    assert [row for row in found if "training-value" in row] == ["look training-value a.py:4"]
