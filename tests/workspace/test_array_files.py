"""Files of arrays: what they say of shapes, dtypes and numbers, and what is no such file."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.binary_files import (
    MOST_NUMBERS,
    StoredArray,
    UnfitNumbers,
    arrays_in,
    unfit_numbers,
)


def _saved(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.zeros((3, 4), "float32"), StoredArray("", (3, 4), "float32")),
        (np.array([3, 1, 2]), StoredArray("", (3,), "int64", (3, 1, 2), 1, 3)),
        (np.array([1.5, 2], ">f4"), StoredArray("", (2,), "float32", (1.5, 2.0))),
        (np.array([True, False]), StoredArray("", (2,), "bool", (True, False))),
        (np.array(7, "uint8"), StoredArray("", (), "uint8", None, 7, 7)),
        (np.array([[5, -2], [9, 0]], ">i2"), StoredArray("", (2, 2), "int16", None, -2, 9)),
        (np.array(["a", "bc"]), StoredArray("", (2,), "object")),
        (np.array([{}, []], dtype=object), StoredArray("", (2,), "object")),
        (np.zeros(0, "int32"), StoredArray("", (0,), "int32")),
        (np.zeros(2, [("a", "f4"), ("b", "i4")]), StoredArray("", (2,), "object")),
    ],
)
def test_an_array_says_its_shape_and_dtype(array: np.ndarray, expected: StoredArray) -> None:
    assert arrays_in("a.npy", _saved(array)) == (expected,)


@pytest.mark.parametrize("compressed", [False, True])
def test_an_archive_holds_arrays_by_name(tmp_path: Path, compressed: bool) -> None:
    save = np.savez_compressed if compressed else np.savez
    save(tmp_path / "data.npz", x=np.zeros((5, 2)), y=np.arange(5))
    assert Workspace(tmp_path, cache=False).arrays("data.npz") == (
        StoredArray("x", (5, 2), "float64"),
        StoredArray("y", (5,), "int64", (0, 1, 2, 3, 4), 0, 4),
    )


@pytest.mark.parametrize("dtype", ["float16", "float32", "<f8", ">f4"])
def test_numbers_that_are_none_are_counted(dtype: str) -> None:
    array = np.zeros((3, 4), dtype)
    array[0, :2], array[2, 3] = np.nan, -np.inf
    assert unfit_numbers("a.npy", _saved(array)) == (UnfitNumbers("", 2, 1, 12),)


def test_arrays_of_an_archive_that_are_fit_are_not_named(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "data.npz", x=np.full((5, 2), np.nan), y=np.arange(5), z=np.array(["a"], object)
    )
    workspace = Workspace(tmp_path, cache=False)
    assert workspace.unfit_numbers("data.npz") == (UnfitNumbers("x", 10, 0, 10),)
    assert workspace.unfit_numbers("absent.npy") == ()


def test_a_large_array_is_looked_at_in_part() -> None:
    array = np.zeros(MOST_NUMBERS + 10, "float16")
    array[[0, -1]] = np.nan
    assert unfit_numbers("a.npy", _saved(array)) == (UnfitNumbers("", 1, 0, MOST_NUMBERS),)
    whole = np.zeros(array.shape, "uint8")
    assert arrays_in("a.npy", _saved(whole)) == (StoredArray("", array.shape, "uint8"),)


def test_an_array_that_is_cut_has_no_bounds() -> None:
    data = _saved(np.arange(12).reshape(3, 4))
    assert arrays_in("a.npy", data[:-8]) == (StoredArray("", (3, 4), "int64"),)


def test_what_is_no_array_gives_none(tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(b"no array")
    workspace = Workspace(tmp_path, cache=False)
    assert workspace.arrays("a.npy") is None
    assert workspace.arrays("absent.npz") is None


@given(st.binary(max_size=200), st.integers(0, 200), st.booleans())
def test_damaged_bytes_raise_nothing(noise: bytes, at: int, packed: bool) -> None:
    stream = io.BytesIO()
    np.savez(stream, x=np.arange(4)) if packed else np.save(stream, np.arange(4))
    data = bytearray(stream.getvalue())
    data[at : at + len(noise)] = noise
    arrays_in("a.npz", bytes(data))
