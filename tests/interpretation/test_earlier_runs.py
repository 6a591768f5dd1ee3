"""What commands before the failing one wrote is known where it is read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dl_bug_lsp.interpretation.earlier_runs import EarlierRuns
from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.table_values import Frame
from dl_bug_lsp.interpretation.values import Array, JsonText, ModuleValue, Table, Value
from dl_bug_lsp.workspace import Workspace

WRITER = """
import json, pickle, sys
import numpy as np
import pandas as pd
table = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]})
table.to_csv("plain.csv", index=False)
table.to_csv("labelled.csv")
table.set_index("b").to_csv("named.csv")
np.save("rows", np.zeros((int(sys.argv[1]), 7)))
with open("sizes.json", "w") as file:
    json.dump({1: (2, 3)}, file)
with open("kept.pkl", "wb") as file:
    pickle.dump({"sizes": [4]}, file)
"""


@pytest.fixture
def runs(tmp_path: Path) -> EarlierRuns:
    (tmp_path / "prepare.py").write_text(WRITER, encoding="utf-8")
    (tmp_path / "main.py").write_text("print(1)\n", encoding="utf-8")
    workspace = Workspace(tmp_path, cache=False)
    return EarlierRuns(workspace, [("prepare.py", [Value("5")])], "main.py")


def data_of(runs: EarlierRuns, path: str) -> object:
    kept = runs.kept(path)
    assert kept is not None
    return kept.value.data


def lines_written(runs: EarlierRuns, path: str) -> list[Value]:
    lines = data_of(runs, path)
    assert isinstance(lines, list)
    return lines


def test_tables_are_kept_as_they_are_read_again(runs: EarlierRuns) -> None:
    plain = data_of(runs, "plain.csv")
    assert isinstance(plain, Frame)
    assert list(plain.columns) == ["a", "b"]
    labelled = data_of(runs, "labelled.csv")
    assert isinstance(labelled, Table)
    assert list(labelled.columns) == ["Unnamed: 0", "a", "b"]
    named = data_of(runs, "named.csv")
    assert isinstance(named, Table)
    assert named.columns == {"b": "object", "a": "int64"}


def test_arrays_and_objects_are_kept(runs: EarlierRuns) -> None:
    rows = data_of(runs, "rows.npy")
    assert isinstance(rows, Array)
    assert rows.sizes == (5, 7)
    (document,) = lines_written(runs, "./sizes.json")
    assert isinstance(document, JsonText)
    sizes = document.document.data
    assert isinstance(sizes, dict)
    assert [item.data for item in sizes["1"].data] == [2, 3]
    assert isinstance(data_of(runs, "kept.pkl"), dict)


def test_what_no_command_wrote_is_not_known(runs: EarlierRuns) -> None:
    assert runs.kept("other.csv") is None
    assert not runs.wrote("other.csv")
    assert runs.wrote("plain.csv")


def test_a_script_that_names_a_file_is_taken_to_have_written_it(tmp_path: Path) -> None:
    (tmp_path / "make.py").write_text(
        "import numpy as np\nnp.save('rows.npy', np.ones((2, 3)))\n", encoding="utf-8"
    )
    (tmp_path / "main.py").write_text("np.load('rows.npy')\n", encoding="utf-8")
    runs = EarlierRuns(Workspace(tmp_path, cache=False), [], "main.py")
    rows = data_of(runs, "rows.npy")
    assert isinstance(rows, Array)
    assert rows.sizes == (2, 3)


FILLING = """
import os
import numpy as np
import pandas as pd
OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clips")
os.makedirs(OUT, exist_ok=True)
for split in ("train", "test"):
    table = pd.DataFrame({"user": ["L1", "L2"], "count": [1, 2]})
    table.to_csv(os.path.join(OUT, f"{split}.csv"), sep="\\t", index=False)
    np.save(os.path.join(OUT, f"{split}.npy"), {f"{split}/a": 1})
"""


def test_files_whose_names_are_filled_in_are_read_again(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "src").mkdir()
    (tmp_path / "data/make.py").write_text(FILLING, encoding="utf-8")
    reading = (
        "import numpy as np\nimport pandas as pd\n"
        "table = pd.read_csv('../data/clips/train.csv', sep='\\t')\n"
        "other = pd.read_csv('../data/clips/train.csv')\n"
        "loaded = np.load('../data/clips/test.npy', allow_pickle=True)\n"
        "held, same = loaded.item(), loaded[()]\n"
    )
    (tmp_path / "src/main.py").write_text(reading, encoding="utf-8")
    workspace = Workspace(tmp_path, cache=False)
    interpreter = Interpreter(workspace, "src/main.py", ("src/main.py", 7))
    interpreter.earlier = EarlierRuns(workspace, [], "src/main.py")
    interpreter.run()
    module = interpreter.modules["src/main.py"].data
    assert isinstance(module, ModuleValue)
    names = module.environment.names
    table = names["table"].data
    assert isinstance(table, Table)
    assert table.columns == {"user": "object", "count": "int64"}
    assert not isinstance(names["other"].data, Table)
    assert list(names["held"].data) == list(names["same"].data) == ["test/a"]


def test_runs_are_shared_with_workspaces_whose_edit_has_no_part_in_them(runs: EarlierRuns) -> None:
    runs.kept("plain.csv")
    assert runs.in_workspace(runs.workspace, "main.py") is runs
    assert runs.in_workspace(runs.workspace, "prepare.py") is not runs


PREPARING = """
import json
import sys
from pathlib import Path

import numpy as np

names = ["a", "b", "c"]
numbers = {name: at for at, name in enumerate(names, 1)}
limit = 5
text = json.dumps({"numbers": numbers, "limit": limit, "seen": sys.argv})
Path("out/index.json").write_text(text)
np.savez("out/rows.npz", rows=np.array([1, 2, 3]))
"""
READING = """
import json
from pathlib import Path

import numpy as np

index = json.loads(Path("out/index.json").read_text())
rows = np.load("out/rows.npz")["rows"]
"""


def test_a_file_that_is_there_comes_from_what_wrote_it(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "prepare.py").write_text(PREPARING, encoding="utf-8")
    (tmp_path / "main.py").write_text(READING, encoding="utf-8")
    (tmp_path / "out" / "index.json").write_text(
        '{"numbers": {"a": 1, "b": 2, "c": 4},\n "limit": 5,\n "seen": ["x"]}', encoding="utf-8"
    )
    np.savez(tmp_path / "out" / "rows.npz", rows=np.array([1, 2, 3]))
    workspace = Workspace(tmp_path, cache=False)
    run = Interpreter(workspace, "main.py", ("main.py", 8))
    run.earlier = EarlierRuns(workspace, [], "main.py")
    outcome = run.run()
    module = run.modules["main.py"].data
    assert isinstance(module, ModuleValue)
    index, rows = module.environment.names["index"], module.environment.names["rows"]
    assert isinstance(index.data, dict)
    numbers = index.data["numbers"].data
    # What the script is known to write comes from its line; what differs was changed in the file.
    assert numbers["a"].origins == {("prepare.py", 9)}
    assert numbers["c"].data == 4
    assert numbers["c"].origins == {("out/index.json", 1)}
    assert index.data["limit"].origins == {("prepare.py", 10)}
    assert ("out/index.json", 3) in index.data["seen"].origins
    assert isinstance(rows.data, Array)
    assert ("prepare.py", 13) in rows.origins
    assert outcome.generated == {"out/index.json", "out/rows.npz"}


def test_a_script_is_found_by_the_settings_that_name_its_file(tmp_path: Path) -> None:
    (tmp_path / "conf.yaml").write_text("vocabulary: built/vocab.json\n", encoding="utf-8")
    (tmp_path / "build.py").write_text(
        "import json, yaml\n\nif __name__ == '__main__':\n"
        "    cfg = yaml.safe_load(open('conf.yaml'))\n"
        "    json.dump({'size': 3}, open(cfg['vocabulary'], 'w'))\n",
        encoding="utf-8",
    )
    (tmp_path / "main.py").write_text("print(1)\n", encoding="utf-8")
    runs = EarlierRuns(Workspace(tmp_path, cache=False), [], "main.py")
    assert data_of(runs, "built/vocab.json") is not None


TEXTS = """
import os, shutil
import numpy as np
import yaml
root = os.environ["ROOT"]
for name in ("warm", "cold"):
    path = f"{root}/{name}/conf.txt"
    os.makedirs(os.path.dirname(path))
    shutil.copy("base.txt", path)
    with open(path, "a") as file:
        file.write(f"mode = {name}\\n")
        print("rows", len(name), file=file)
with open("dumped.txt", "w") as file:
    file.write("# settings\\n")
    yaml.dump({"a": 1}, file)
np.zeros((3, 2)).dump(f"{root}/rows.bin")
"""


def test_texts_are_kept_piece_by_piece_where_all_pieces_are_known(tmp_path: Path) -> None:
    (tmp_path / "prepare.py").write_text(TEXTS, encoding="utf-8")
    (tmp_path / "base.txt").write_text("size = 3\n", encoding="utf-8")
    program = (
        'import os\nimport numpy as np\nlines = open(os.getenv("ROOT") + "/cold/conf.txt")'
        '.readlines()\ndumped = open("dumped.txt").read()\n'
        'rows = np.load("out/rows.bin", allow_pickle=True)\nraise SystemExit\n'
    )
    (tmp_path / "main.py").write_text(program, encoding="utf-8")
    workspace = Workspace(tmp_path, cache=False)
    root = Value("./out", frozenset({("run.sh", 2)}))
    runs = EarlierRuns(workspace, [("prepare.py", [])], "main.py", variables={"ROOT": root})
    interpreter = Interpreter(workspace, "main.py", ("main.py", 6), [])
    interpreter.earlier = runs
    interpreter.run()
    module = interpreter.modules["main.py"].data
    assert isinstance(module, ModuleValue)
    names = module.environment.names
    lines = names["lines"].data
    assert isinstance(lines, list)
    assert [line.data for line in lines] == ["size = 3\n", "mode = cold\n", "rows 4\n"]
    assert ("base.txt", 1) in lines[0].origins
    assert ("prepare.py", 6) in lines[1].origins
    # What a library writes is not known.
    assert not names["dumped"].known
    assert isinstance(names["rows"].data, Array)
    assert names["rows"].data.sizes == (3, 2)
    assert runs.matching("out/*/conf.txt") == ["out/cold/conf.txt", "out/warm/conf.txt"]
