"""NumPy's models: shapes and dtypes of expressions, and what NumPy refuses.

The expectations are those of NumPy 2, with which every row was run once.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from followed_programs import followed, shown

from dl_bug_lsp.interpretation.values import Array

HEAD = "import numpy as np\nrng = np.random.default_rng(0)\nz = np.zeros((2, 3))\n"
FILES = {"a.txt": "1 2 3\n4 5 6\n", "b.csv": "x,y\n1,2\n3\n"}
EXPRESSIONS: dict[str, object] = {
    "np.array([[1, 2], [3, 4], [5, 6]])": ((3, 2), "int64"),
    "np.array([1, 2.5])": ((2,), "float64"),
    "np.array([1, 2], dtype=np.float32)": ((2,), "float32"),
    "np.array(['a', 'b'])": ((2,), "object"),
    "np.zeros(4)": ((4,), "float64"),
    "np.ones((2, 3), dtype='int32')": ((2, 3), "int32"),
    "np.full((2,), 7)": ((2,), "int64"),
    "np.zeros_like(np.arange(3))": ((3,), "int64"),
    "np.eye(3)[np.array([0, 2])]": ((2, 3), "float64"),
    "np.eye(4)[(0, 2), 1:3]": ((2, 2), "float64"),
    "np.eye(4)[:, (-1, 2, -1)]": ((4, 3), "float64"),
    "np.eye(4)[(-1, 2, -1), (0, 1, 2)]": ((3,), "float64"),
    "np.eye(4)[[[0, 1], [2, 3]]]": ((2, 2, 4), "float64"),
    "np.linalg.norm(np.array([3, 4]))": ((), "float64"),
    "np.arange(2, 11, 3)": ((3,), "int64"),
    "np.arange(0, 1, 0.25)": ((4,), "float64"),
    "np.linspace(0, 1, 11)": ((11,), "float64"),
    "rng.normal(size=(3, 5)).astype(np.float32)": ((3, 5), "float32"),
    "rng.integers(0, 7, size=10)": ((10,), "int64"),
    "np.random.randn(3, 2)": ((3, 2), "float64"),
    "np.random.rand(4)": ((4,), "float64"),
    "np.random.permutation(10)": ((10,), "int64"),
    "np.random.choice(5, size=(2, 2))": ((2, 2), "int64"),
    "np.concatenate([z, np.ones((4, 3))])": ((6, 3), "float64"),
    "np.stack([z, z], axis=1)": ((2, 2, 3), "float64"),
    "np.vstack([np.zeros(3), z])": ((3, 3), "float64"),
    "np.hstack([np.zeros(3), np.zeros(2)])": ((5,), "float64"),
    "np.column_stack([np.arange(4), np.arange(4)])": ((4, 2), "int64"),
    "np.split(np.arange(10), [3, 7])": [((3,), "int64"), ((4,), "int64"), ((3,), "int64")],
    "np.array_split(np.arange(5), 2)": [((3,), "int64"), ((2,), "int64")],
    "np.tile(z, (2, 1))": ((4, 3), "float64"),
    "np.repeat(z, 2, axis=1)": ((2, 6), "float64"),
    "np.repeat([1, 2], 3)": ((6,), "int64"),
    "np.pad(z, ((0, 0), (1, 2)))": ((2, 6), "float64"),
    "np.meshgrid(np.arange(3), np.arange(4))[0]": ((4, 3), "int64"),
    "np.mgrid[0:4, 0:5]": ((2, 4, 5), "int64"),
    "np.mgrid[0:4:2]": ((2,), "int64"),
    "np.ogrid[0:4, 1:6][1]": ((1, 5), "int64"),
    "np.mgrid[0:4, 0:5] / 3": ((2, 4, 5), "float64"),
    "np.sum(z, axis=0)": ((3,), "float64"),
    "np.mean(np.array([[1, 2], [3, 4]]), axis=1)": ((2,), "float64"),
    "np.std(z, axis=0, keepdims=True)": ((1, 3), "float64"),
    "np.argmax(z, axis=1)": ((2,), "int64"),
    "np.expand_dims(z, 0)": ((1, 2, 3), "float64"),
    "np.squeeze(np.zeros((1, 3, 1)))": ((3,), "float64"),
    "np.transpose(np.zeros((3, 4, 5)), (2, 0, 1))": ((5, 3, 4), "float64"),
    "np.reshape(np.arange(12), (3, -1))": ((3, 4), "int64"),
    "np.dot(z, np.zeros((3, 4)))": ((2, 4), "float64"),
    "np.outer(np.zeros(3), np.zeros(4))": ((3, 4), "float64"),
    "np.einsum('ij,jk->ik', z, np.zeros((3, 4)))": ((2, 4), "float64"),
    "np.linalg.norm(z, axis=1)": ((2,), "float64"),
    "np.where(z > 0, 1, 0)": ((2, 3), "int64"),
    "np.where(np.arange(4) > 1)": (((None,), "int64"),),
    "np.unique([3, 1, 3])": ((2,), "int64"),
    "np.clip(np.arange(4), 0, 2)": ((4,), "int64"),
    "np.exp(np.arange(3))": ((3,), "float64"),
    "np.isnan(z)": ((2, 3), "bool"),
    "np.cumsum(np.arange(5))": ((5,), "int64"),
    "np.diff(np.arange(5))": ((4,), "int64"),
    "np.fft.rfft(np.zeros(16))": ((9,), "complex128"),
    "np.sort(np.array([2, 1]))": ((2,), "int64"),
    "np.argsort(z, axis=1)": ((2, 3), "int64"),
    "z.ravel()": ((6,), "float64"),
    "z.T.copy()": ((3, 2), "float64"),
    "np.loadtxt('a.txt')": ((2, 3), "float64"),
    "np.sqrt(16)": 4.0,
    "np.float32(2)": 2.0,
}
REFUSED = {
    "np.array([[1, 2], [3]])": "size",
    "np.zeros((2, -1))": "value",
    "np.zeros(2.5)": "type",
    "np.array(['a'], dtype=float)": "value",
    "np.concatenate([z, np.zeros((2, 4))])": "size",
    "np.concatenate([z, np.zeros(3)])": "size",
    "np.stack([z, np.zeros((2, 4))])": "size",
    "np.stack([])": "value",
    "np.split(np.arange(10), 3)": "value",
    "np.random.choice(3, size=5, replace=False)": "value",
    "np.random.randint(5, 5, size=2)": "value",
    "np.random.default_rng(0).integers(3, 2, endpoint=True)": "value",
    "np.pad(z, ((0, 0), (0, -1)))": "value",
    "np.dot(z, z)": "size",
    "np.loadtxt('b.csv', delimiter=',', skiprows=1)": "value",
    "np.load('missing.npy')": "file",
    "np.linalg.inv(z)": "size",
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


def test_what_numpy_refuses(tmp_path: Path) -> None:
    lines = [f"v{i} = {text}" for i, text in enumerate(REFUSED)]
    interpreter, _ = followed(tmp_path, HEAD + "\n".join(lines), FILES)
    found = {line: kind for (_, line), kind in interpreter.elsewhere}
    start = HEAD.count("\n") + 1
    assert {text: found.get(start + i) for i, text in enumerate(REFUSED)} == REFUSED


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("np.arange(3, 9)", (3, 8)),
        ("np.random.randint(0, 10, size=4)", (0, 9)),
        ("np.random.default_rng(0).integers(3, 3, size=4, endpoint=True)", (3, 3)),
        ("np.array([4, 2])", (2, 4)),
        ("np.concatenate([np.arange(3), np.arange(8)])", (0, 7)),
        ("np.arange(5).astype(np.int32)", (0, 4)),
        ("np.arange(5).astype(np.float32)", (None, None)),
    ],
)
def test_whole_numbers_are_bounded(tmp_path: Path, text: str, bounds: tuple[int, int]) -> None:
    _, names = followed(tmp_path, f"{HEAD}value = {text}", {})
    data = names["value"].data
    assert isinstance(data, Array)
    assert (data.lowest, data.highest) == bounds


def test_a_size_keeps_where_it_is_written(tmp_path: Path) -> None:
    _, names = followed(tmp_path, "import numpy as np\nn = 3\nz = np.zeros((n, 2))", {})
    data = names["z"].data
    assert isinstance(data, Array) and data.shape is not None
    assert data.shape[0].origins == {("main.py", 2)}


KNOWN = "a = np.array([1, 2, 3])\nm = np.array([[1, 2], [3, 4]])\nb = a\n"
WRITTEN = {
    "an augmented assignment": ("a += 1", "b[0]", 2),
    "a part": ("a[0] = 9", "b[0]", 9),
    "a slice of it": ("a[1:][0] = 9", "b[1]", 9),
    "a slice with a name": ("s = a[:2]\ns[0] = 9", "b[0]", 9),
    "a slice with a step": ("s = a[::-1]\ns[0] = 9", "b[2]", 9),
    "a method": ("a.fill(7)", "b[1]", 7),
    "sorting": ("a = np.array([3, 1, 2])\nb = a\na.sort()", "b[0]", 1),
    "an argument for the result": ("np.add(a, 1, out=a)", "b[0]", 2),
    "another shape": ("m.reshape(4)[3] = 0", "m[1, 1]", 0),
    "the transpose": ("m.T[0, 1] = 0", "m[1, 0]", 0),
    "rows in a loop": ("for row in m:\n    row[0] = 9", "m[0, 0]", 9),
    "an array that is taken as it is": ("np.asarray(a)[0] = 9", "b[0]", 9),
}
COPIED = {
    "a copy": ("c = a.copy()\nc[0] = 9", "a[0]", 1),
    "positions in a list": ("c = a[[0, 1]]\nc[0] = 9", "a[0]", 1),
    "a mask": ("c = a[a > 1]\nc[0] = 9", "a[1]", 2),
    "another dtype": ("c = a.astype(float)\nc[0] = 9", "a[0]", 1),
    "a sum": ("b = b + 1", "a[0]", 1),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_what_shows_the_same_memory_is_no_longer_known(name: str, tmp_path: Path) -> None:
    program, expression, real = WRITTEN[name]
    namespace: dict[str, object] = {}
    whole = f"{HEAD}{KNOWN}{program}\nx = {expression}"
    exec(whole, namespace)
    assert namespace["x"] == real
    _, names = followed(tmp_path, whole, {})
    assert shown(names["x"]) in (real, ((), "int64"))


@pytest.mark.parametrize("name", COPIED)
def test_a_copy_is_an_array_of_its_own(name: str, tmp_path: Path) -> None:
    program, expression, real = COPIED[name]
    _, names = followed(tmp_path, f"{HEAD}{KNOWN}{program}\nx = {expression}", {})
    assert shown(names["x"]) == real


def test_another_shape_is_given_to_all_names_of_an_array(tmp_path: Path) -> None:
    program = "g = np.arange(24)\nh = g\ng.shape = (2, 3, -1)\nx = h[1, 2]"
    _, names = followed(tmp_path, HEAD + program, {})
    assert shown(names["h"]) == ((2, 3, 4), "int64")
    assert shown(names["x"]) == ((4,), "int64")


def test_a_list_is_indexed_by_arrays_without_axes_alone(tmp_path: Path) -> None:
    program = (
        "names = ['a', 'b', 'c']\nlabels = np.zeros((5, 1), dtype=int)\n"
        "x = names[labels[0, 0]]\ny = names[labels[0]]"
    )
    interpreter, _ = followed(tmp_path, HEAD + program, {})
    assert interpreter.elsewhere == {(("main.py", HEAD.count("\n") + 4), "type")}
