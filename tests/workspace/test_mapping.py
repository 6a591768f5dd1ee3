"""Frames that another machine printed, found in the workspace, or rightly not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.stores import DiskStore

TREE = {
    "train.py": "import models\n\ndef main():\n    run()\n\nmain()\n",
    "utils.py": "def seed():\n    pass\n",
    "models/__init__.py": "",
    "models/net.py": (
        "class Net:\n    def __init__(self):\n        self.fc = 1\n\n"
        "    def forward(self, x):\n        x = self.fc(x)\n        return self.fc(x)\n\n"
        "def helper(x):\n    return x + 1\n"
    ),
    "old/models/net.py": "def forward(x):\n    return x\n",
    "src/pkg/__init__.py": "",
    "src/pkg/data.py": "def load():\n    return 1\n",
    "src/pkg/deep/unique_name.py": "VALUE = 1\n",
    "tools/a/run.py": "A = 1\n",
    "tools/b/run.py": "B = 2\n",
    "mylib/utils/data.py": "def collate(batch):\n    return batch\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "ws"
    for name, text in TREE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return Workspace(root, cache=False)


FOUND = [
    ("/home/ubuntu/exp/train.py", "train.py"),
    ("train.py", "train.py"),
    ("./models/net.py", "models/net.py"),
    ("../ws/models/net.py", "models/net.py"),
    (r"C:\Users\me\proj\models\net.py", "models/net.py"),
    (r"C:\Users\me\proj\Models\Net.py", "models/net.py"),
    ("file:///workspace/models/net.py", "models/net.py"),
    ("/workspace/old/models/net.py", "old/models/net.py"),
    ("~/exp/models/net.py", "models/net.py"),
    ("…/models/net.py", "models/net.py"),
    ("/kaggle/working/./x/../models/net.py", "models/net.py"),
    ("/opt/venv/lib/python3.11/site-packages/pkg/data.py", "src/pkg/data.py"),
    ("/usr/lib/python3/dist-packages/mylib/utils/data.py", "mylib/utils/data.py"),
    ("/x/site-packages/pkg-1.0-py3.9.egg/pkg/data.py", "src/pkg/data.py"),
    ("src/pkg/deep/unique_name.py", "src/pkg/deep/unique_name.py"),
    ("/data/tools/b/run.py", "tools/b/run.py"),
]
NOT_FOUND = [
    "/opt/venv/lib/python3.11/site-packages/torch/utils/data.py",
    "/opt/conda/lib/python3.10/site-packages/other/models/net.py",
    "/usr/lib/python3.11/utils.py",
    "/home/me/.pyenv/versions/3.12.1/lib/python3.12/models/__init__.py",
    r"C:\Python311\Lib\models\__init__.py",
    r"C:\Users\me\AppData\Local\Programs\Python\Python311\Lib\utils.py",
    "<frozen importlib._bootstrap>",
    "<string>",
    "<stdin>",
    "/somewhere/__init__.py",
    "/somewhere/else/run.py",
    "/etc/passwd",
    "../../etc/passwd",
    "",
    "\0",
    "/opt/pytorch/torch/nn/modules/net.py",
    "/elsewhere/other/unique_name.py",
]


@pytest.mark.parametrize(("printed", "file"), FOUND)
def test_a_printed_path_is_found_by_its_longest_suffix(
    workspace: Workspace, printed: str, file: str
) -> None:
    place = workspace.locate(printed, 1)
    assert place is not None
    assert place.file == file


@pytest.mark.parametrize("printed", NOT_FOUND)
def test_a_library_or_foreign_path_is_never_mapped(workspace: Workspace, printed: str) -> None:
    assert workspace.locate(printed, 1, "collate", "nothing of ours") is None


def test_a_lone_name_deep_in_the_tree_needs_proof(workspace: Workspace) -> None:
    proven = workspace.locate("/elsewhere/unique_name.py", 9, "<module>", "VALUE = 1")
    assert proven is not None
    assert (proven.file, proven.line) == ("src/pkg/deep/unique_name.py", 1)


def test_the_printed_source_chooses_between_candidates(workspace: Workspace) -> None:
    place = workspace.locate("/a/models/net.py", 2, "forward", "return x")
    assert place is not None
    assert place.file == "old/models/net.py"


ANCHORS = [
    # line, function, source -> line, enclosing function
    ((6, "forward", "x = self.fc(x)"), 6, "Net.forward"),
    ((60, "forward", "return self.fc(x)"), 7, "Net.forward"),
    ((1, "Net.forward", "return   self.fc(x)"), 7, "Net.forward"),
    ((2, "helper", "return x + 1"), 10, "helper"),
    ((99, "helper", None), 9, "helper"),
    ((99, "unknown", None), 10, "helper"),
    ((0, "forward", None), 5, "Net.forward"),
    ((7, "forward", "text of another version"), 7, "Net.forward"),
    ((40, "forward", "return self.fc("), 7, "Net.forward"),
    ((40, "forward", "return self. … c(x)"), 7, "Net.forward"),
    ((40, "forward", "return self. … c(y)"), 5, "Net.forward"),
]


@pytest.mark.parametrize(("frame", "expected", "around"), ANCHORS)
def test_a_drifted_line_is_anchored_by_function_and_text(
    workspace: Workspace,
    frame: tuple[int, str, str | None],
    expected: int,
    around: str,
) -> None:
    place = workspace.locate("/w/models/net.py", *frame)
    assert place is not None
    assert (place.file, place.line, place.function) == ("models/net.py", expected, around)


def test_the_path_map_wins(workspace: Workspace) -> None:
    maps = (("/mnt/job", "old"), ("/mnt/job/code", str(workspace.root / "src")))
    first = workspace.locate("/mnt/job/models/net.py", 1, path_map=maps)
    second = workspace.locate("/mnt/job/code/pkg/data.py", 1, path_map=maps)
    assert first is not None
    assert second is not None
    assert (first.file, second.file) == ("old/models/net.py", "src/pkg/data.py")
    outside = workspace.locate("/mnt/job/passwd", 1, path_map=(("/mnt/job", "/etc"),))
    assert outside is None


def test_a_file_that_an_ignore_rule_hides_is_still_found(workspace: Workspace) -> None:
    (workspace.root / ".gitignore").write_text("local/\n")
    (workspace.root / "local").mkdir()
    (workspace.root / "local" / "exp.py").write_text("x = 1\n")
    (workspace.root / ".venv" / "bin").mkdir(parents=True)
    (workspace.root / ".venv" / "bin" / "tool.py").write_text("x = 1\n")
    assert "local/exp.py" not in workspace.files()
    place = workspace.locate("/home/a/local/exp.py", 1)
    assert place is not None
    assert place.file == "local/exp.py"
    assert workspace.locate("/home/a/.venv/bin/tool.py", 1) is None


def test_a_link_that_leads_outside_is_no_place(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("x = 1\n")
    (workspace.root / "secret.py").symlink_to(tmp_path / "secret.py")
    assert workspace.locate("/home/a/secret.py", 1) is None
    assert workspace.text("secret.py") is None


CELLS = [
    {"cell_type": "markdown", "metadata": {}, "source": ["# Title\n"]},
    {
        "cell_type": "code",
        "execution_count": 3,
        "metadata": {},
        "outputs": [],
        "source": ["%matplotlib inline\n", "import torch\n", "x = 1\n"],
    },
    {
        "cell_type": "code",
        "execution_count": 7,
        "metadata": {},
        "outputs": [{"text": ["def not_code():\n"]}],
        "source": ["def train(model):\n", "    !ls\n", "    return model(x)\n", "train(x)"],
    },
]


@pytest.fixture
def notebook(tmp_path: Path) -> Workspace:
    text = json.dumps({"cells": CELLS, "metadata": {}, "nbformat": 4}, indent=1)
    (tmp_path / "nb.ipynb").write_text(text)
    return Workspace(tmp_path, cache=False)


CELL_FRAMES = [
    ("Cell In[7]", 3, "return model(x)", "    return model(x)"),
    ("In [7]", 1, None, "def train(model):"),
    ("Input In [7]", 4, "train(x)", "train(x)"),
    ("<ipython-input-7-0a1b2c3d>", 3, "return model(x)", "    return model(x)"),
    ("/tmp/ipykernel_1234/567.py", 3, "return model(x)", "    return model(x)"),
    (r"C:\Temp\ipykernel_99\5.py", 4, "train(x)", "train(x)"),
    ("Cell In[1]", 1, "import torch", "import torch"),
    ("/home/me/nb.ipynb Cell 2", 1, None, "def train(model):"),
    ("<timed exec>", 1, "x = 1", "x = 1"),
]


@pytest.mark.parametrize(("printed", "line", "source", "expected"), CELL_FRAMES)
def test_a_notebook_cell_is_found_by_count_and_source(
    notebook: Workspace, printed: str, line: int, source: str | None, expected: str
) -> None:
    place = notebook.locate(printed, line, "train", source)
    assert place is not None
    assert place.file == "nb.ipynb"
    assert notebook.source_line("nb.ipynb", place.line) == expected
    assert expected in notebook.lines("nb.ipynb")[place.line - 1]


def test_an_unknown_cell_is_no_place(notebook: Workspace) -> None:
    assert notebook.locate("Cell In[99]", 1, None, "nothing like it") is None
    assert notebook.locate("other.ipynb Cell 2", 1) is None


def test_a_written_path_is_resolved_from_root_and_importer(workspace: Workspace) -> None:
    assert workspace.existing_file("train.py") == "train.py"
    assert workspace.existing_file("data.py", "src/pkg/__init__.py") == "src/pkg/data.py"
    assert workspace.existing_file("/abs/path/models/net.py") == "models/net.py"
    assert workspace.existing_file("missing.csv") is None
    assert workspace.existing_file("../../etc/passwd") is None


@pytest.mark.parametrize("before", ["/", "\\\\host\\share", "//host/share"])
def test_a_share_that_a_log_names_is_not_asked_for(tmp_path: Path, before: str) -> None:
    (tmp_path / "train.py").write_text("x = 1\n")
    store = DiskStore(tmp_path)
    assert store.inside(f"{tmp_path}/train.py") == "train.py"
    assert store.inside(f"{before}{tmp_path}/train.py") is None
    assert Workspace(tmp_path, cache=False).locate(f"{before}{tmp_path}/train.py", 1) is not None


def test_a_file_of_this_machine_is_not_taken_for_another(
    workspace: Workspace, tmp_path: Path
) -> None:
    other = tmp_path / "other" / "models" / "net.py"
    other.parent.mkdir(parents=True)
    other.write_text(TREE["models/net.py"])
    assert workspace.locate(str(other), 6, "forward", "x = self.fc(x)") is None
    mapped = workspace.locate(str(other), 6, path_map=((str(tmp_path / "other"), "."),))
    assert mapped is not None
    other.unlink()
    assert workspace.locate(str(other), 6, "forward", "x = self.fc(x)") is not None
