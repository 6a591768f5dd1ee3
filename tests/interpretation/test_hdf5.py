"""HDF5 files that a program or a command before it wrote, and what h5py refuses of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from followed_programs import followed, shown

from dl_bug_lsp.interpretation.earlier_runs import EarlierRuns
from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.values import ModuleValue, Value
from dl_bug_lsp.workspace import Workspace

WRITER = """import sys
import h5py
import numpy as np
import pandas as pd

def write(group, table):
    group.create_dataset("x", data=table[["a", "b"]].to_numpy())
    group.create_dataset("e", data=table["a"].to_numpy(dtype="int32"))

table = pd.DataFrame({"a": [1, 2, 3], "b": [2.5, 3.0, 4.5]})
with h5py.File(sys.argv[1], "w") as f:
    write(f.create_group("train"), table)
    f["deep/er"] = [[1, 2], [3, 4]]
    f.create_dataset("empty", (3, 4))
    f.create_dataset("grown", (3, 4), dtype="i8", maxshape=(None, 4))
    f["grown"].resize(7, axis=0)
    f["words"] = ["a", "bb"]
    f.attrs["rate"] = 500
table.to_hdf("table.h5", key="rows")"""
READER = """import h5py
import numpy as np
import pandas as pd
f = h5py.File("out.h5")
train = f["train"]
value = EXPRESSION"""


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("f['train']['x'][()]", ((3, 2), "float64")),
        ("train['x'][:2, 1]", ((2,), "float64")),
        ("f['train/e'][...].reshape(-1, 1)", ((3, 1), "int32")),
        ("np.array(f['deep/er'])", ((2, 2), "int64")),
        ("f['/deep/er'][1, 0]", 3),
        ("f['empty'].dtype == np.float32", True),
        ("(len(f['grown']), f['grown'].shape)", (7, (7, 4))),
        ("f['words'][0]", b"a"),
        ("f['words'].asstr()[1]", "bb"),
        ("f.attrs['rate']", 500),
        ("list(f)", ["deep", "empty", "grown", "train", "words"]),
        ("('train/x' in f, 'x' in f, f.get('x'))", (True, False, None)),
        ("{name: part.shape for name, part in train.items()}", {"e": (3,), "x": (3, 2)}),
        ("[row for row in train['x']][2]", ((2,), "float64")),
        ("train['x'].astype('float32')[:]", ((3, 2), "float32")),
        ("pd.read_hdf('table.h5')", ({"a": "int64", "b": "float64"}, 3)),
    ],
)
def test_what_a_command_wrote_is_read(tmp_path: Path, expression: str, expected: object) -> None:
    (tmp_path / "prepare.py").write_text(WRITER, encoding="utf-8")
    program = READER.replace("EXPRESSION", expression)
    (tmp_path / "main.py").write_text(program, encoding="utf-8")
    workspace = Workspace(tmp_path, cache=False)
    run = Interpreter(workspace, "main.py", ("", 0))
    run.earlier = EarlierRuns(workspace, [("prepare.py", [Value("out.h5")])], "main.py")
    run.run()
    module = run.modules["main.py"].data
    assert isinstance(module, ModuleValue)
    assert shown(module.environment.names["value"]) == expected
    assert not run.elsewhere


def test_an_array_comes_from_the_line_that_joined_its_columns(tmp_path: Path) -> None:
    program = f"{WRITER}\nx = h5py.File('out.h5')['train/x'][:]"
    _, names = followed(tmp_path, program, {}, ("out.h5",))
    line = program.splitlines().index(WRITER.splitlines()[6]) + 1
    assert {("main.py", line), ("main.py", -line)} <= names["x"].origins


@pytest.mark.parametrize(
    "last",
    [
        "h5py.File('none.h5')",
        "h5py.File('a.h5', 'r')['b']",
        "h5py.File('a.h5', 'r').create_group('b')",
        "h5py.File('a.h5', 'a').create_dataset('x', (2,))",
        "kept[0]",
        "h5py.File('a.h5')['x'][9]",
    ],
)
def test_what_is_refused(tmp_path: Path, last: str) -> None:
    program = (
        "import h5py\nwith h5py.File('a.h5', 'w') as f:\n"
        f"    f['x'] = [1, 2]\n    kept = f['x']\nlength = len(h5py.File('a.h5')['x'])\n{last}"
    )
    interpreter, names = followed(tmp_path, program, {})
    assert names["length"].data == 2
    assert [place[1] for place, _ in interpreter.elsewhere] == [6]
