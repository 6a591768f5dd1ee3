"""Programs that load files of arrays: the shapes that the files hold, and what NumPy refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from followed_programs import followed, shown

PROGRAM = """import numpy as np
data = np.load("data.npz")
with np.load("data.npz") as archive:
    inside = archive["x"]
alone = np.load("alone.npy")
names = data.files
labels = data["y"]
has = "x" in data
count = len(data)
classes = np.unique(labels)
pairs = {name: array.shape for name, array in data.items()}"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    np.savez(tmp_path / "data.npz", x=np.zeros((5, 2), "float32"), y=np.array([0, 2, 1, 1, 0]))
    np.save(tmp_path / "alone.npy", np.zeros((3, 4)))
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    return tmp_path


def test_arrays_have_the_shapes_of_their_files(folder: Path) -> None:
    _, names = followed(folder, PROGRAM, {})
    assert shown(names["inside"]) == ((5, 2), "float32")
    assert shown(names["alone"]) == ((3, 4), "float64")
    assert shown(names["names"]) == ["x", "y"]
    assert shown(names["labels"]) == ((5,), "int64")
    assert names["has"].data is True
    assert names["count"].data == 2


@pytest.mark.parametrize("expression", ["np.load('data.npz')['z']", "np.load('objects.npy')"])
def test_what_a_file_does_not_give_is_refused(folder: Path, expression: str) -> None:
    program = f"import numpy as np\nvalue = {expression}"
    interpreter, _ = followed(folder, program, {})
    assert [place[1] for place, _ in interpreter.elsewhere] == [2]


def test_whole_numbers_of_a_file_are_bounded_on_any_number_of_axes(tmp_path: Path) -> None:
    np.save(tmp_path / "tokens.npy", np.array([[3, 120, 7], [0, 5, 99]]))
    program = (
        "import numpy as np\nimport torch\ntokens = torch.from_numpy(np.load('tokens.npy'))\n"
        "rows = tokens[:, :2].long()\nfits = torch.nn.Embedding(121, 8)(rows)\n"
        "fails = torch.nn.Embedding(120, 8)(tokens)"
    )
    interpreter, names = followed(tmp_path, program, {})
    assert shown(names["fits"]) == ((2, 2, 8), "float32")
    assert [place[1] for place, _ in interpreter.elsewhere] == [6]
