"""Statistics of NumPy arrays, in the columns that `torch_tensors` gives of tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

LARGEST = 2**16
"""Elements of an array that are looked at."""
MOST_ROWS, MOST_FEATURES = 256, 1024
_ENDS = {
    "sigmoid": (0.0, 1.0),
    "hard_sigmoid": (0.0, 1.0),
    "softmax": (0.0, 1.0),
    "tanh": (-1.0, 1.0),
    "relu6": (None, 6.0),
}
_NEAR = 0.01


def columns_of(value: Any, function: str = "", size: int | None = None) -> list[object] | None:
    """Return the columns of ``statistic`` from ``size`` on; None for what holds no numbers.

    Of more than `LARGEST` elements every n-th is looked at; the norm stands for ``size`` elements,
    or for all of the array's.
    """
    plain = _numbers(value)
    if plain is None:
        return None
    flat = plain.reshape(-1)
    total = flat.size if size is None else size
    sample = flat[:: -(-flat.size // LARGEST)] if flat.size > LARGEST else flat
    with np.errstate(all="ignore"):
        norm = float(np.sqrt(np.square(sample, dtype=np.float64).sum()))
        row: list[object] = [
            total,
            _short(norm * math.sqrt(total / sample.size)),
            *map(_short, (sample.mean(), sample.std(), sample.min(), sample.max())),
            _short((sample == 0).mean()),
            0 if math.isfinite(norm) else int(np.isnan(flat).sum()),
            0 if math.isfinite(norm) else int(np.isinf(flat).sum()),
        ]
    return [*row, *_of_function(plain, sample, function)]


def _of_function(plain: Any, sample: Any, function: str) -> list[object]:
    saturated = dead = units = None
    ends = _ENDS.get(function)
    if ends is not None:
        low, high = ends
        reach = _NEAR * (high - low if low is not None else high)
        near = sample > high - reach
        if function == "softmax" and plain.ndim > 1:
            near = plain.max(axis=-1).reshape(-1)[:LARGEST] > high - reach
        elif low is not None:
            near = near | (sample < low + reach)
        saturated = _short(near.mean())
    if function in ("relu", "relu6") and plain.ndim > 1 and plain.shape[0] > 1:
        alive = (plain != 0).reshape(-1, plain.shape[-1]).any(axis=0)
        dead, units = _short(1.0 - alive.mean()), int(plain.shape[-1])
    return [saturated, dead, units]


def _numbers(value: Any) -> Any:
    try:
        plain = np.asarray(value)
    except Exception:
        return None
    if plain.dtype.kind not in "fiub" or not plain.size:
        return None
    return plain if plain.dtype in (np.float32, np.float64) else plain.astype(np.float32)


def _short(value: Any) -> float:
    number = float(value)
    return float("%.7g" % number) if math.isfinite(number) else number


def input_row(value: Any) -> dict[str, Any]:
    """Return the columns of ``input`` that describe an array."""
    array = np.asarray(value)
    row: dict[str, Any] = {
        "shape": "x".join(map(str, array.shape)) or "scalar",
        "dtype": str(array.dtype),
    }
    columns = columns_of(array)
    if columns is None:
        return row
    _, _, row["mean"], row["std"], row["least"], row["greatest"], row["zeros"] = columns[:7]
    row["nans"], row["infs"] = columns[7], columns[8]
    if array.dtype.kind in "iub" or array.ndim < 2:
        values = array.reshape(-1)[:LARGEST]
        levels = len(np.unique(values))
        row["levels"] = levels if levels < 1024 else None
        if array.ndim == 1 and len(values) > 1:
            row["neighbours"] = float((values[1:] == values[:-1]).mean())
    matrix = feature_matrix(array)
    if matrix is None or len(matrix) < 2:
        return row
    means, stds = matrix.mean(axis=0), matrix.std(axis=0)
    row["constant"] = float((stds == 0).mean())
    row["feature_means"] = float(np.abs(means).max())
    if (stds != 0).any():
        row["feature_stds"] = float(stds[stds != 0].max() / stds[stds != 0].min())
    digests = row_digests(matrix)
    row["duplicated"] = 1.0 - len(set(digests)) / len(digests)
    return row


def feature_matrix(array: Any, most: int = MOST_ROWS) -> Any:
    """Return evenly chosen rows of a data set with some of their features; None without any."""
    if getattr(array, "ndim", 0) < 2 or array.dtype.kind not in "fiub":
        return None
    rows = array[:: -(-len(array) // most)] if len(array) > most else array
    rows = rows.reshape(len(rows), -1)
    return rows[:, :: -(-rows.shape[1] // MOST_FEATURES)].astype(np.float64)


def row_digests(matrix: Any) -> list[float]:
    """Return a number for each row, equal for equal rows; collisions are unlikely."""
    weights = np.sin(np.arange(1, matrix.shape[1] + 1, dtype=np.float64) * 12.9898)
    return [float("%.9g" % value) for value in (matrix * weights).sum(axis=1)]


def labels_of(value: Any) -> dict[int, int]:
    """Return how often each label occurs in a target; empty for what holds none."""
    array = np.asarray(value)
    if array.ndim == 2 and array.shape[1] > 1 and array.dtype.kind in "fiub":
        part = array[:LARGEST]
        if not (((part == 0) | (part == 1)).all() and (part.sum(axis=1) == 1).all()):
            return {}
        array = part.argmax(axis=1)
    array = array.reshape(-1)[:LARGEST]
    if array.dtype.kind not in "fiub" or not array.size or (array != np.floor(array)).any():
        return {}
    labels, counts = np.unique(array, return_counts=True)
    return {int(label): int(count) for label, count in zip(labels[:1000], counts[:1000])}
