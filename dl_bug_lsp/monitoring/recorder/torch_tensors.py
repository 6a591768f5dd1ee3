"""Statistics of tensors, taken without changing them and without waiting for a GPU.

Of a large tensor every n-th element is looked at, and only its norm is of all of them.
"""

from __future__ import annotations

import math
from typing import Any, Iterator, Optional, Sequence

import torch

LARGEST = 2**16
"""Elements of a tensor that moments are computed from."""
LARGEST_NORM = 2**24
"""Elements of a tensor that its norm is computed from."""
MOST_ROWS, MOST_FEATURES = 64, 1024
"""Rows and features of an input that are compared with each other."""
_BOUNDED = {
    "sigmoid": (0.0, 1.0),
    "hardsigmoid": (0.0, 1.0),
    "softmax": (0.0, 1.0),
    "tanh": (-1.0, 1.0),
    "hardtanh": (-1.0, 1.0),
    "relu6": (None, 6.0),
}
"""The ends of an activation function's range at which it is saturated."""
_NEAR = 0.01
RECTIFIERS = frozenset({"relu", "relu6", "threshold"})
"""Functions whose units can be dead: zero for every row."""


class Measured:
    """Statistics of one tensor; `numbers` are there when `Measurements.gather` has run."""

    __slots__ = ("dead", "infs", "nans", "numbers", "on_device", "saturated", "size", "units")

    def __init__(self, size: int) -> None:
        self.size = size
        self.numbers: list[float] = []
        self.on_device: Optional[torch.Tensor] = None
        self.nans = self.infs = 0
        self.saturated: Optional[float] = None
        self.dead: Optional[float] = None
        self.units: Optional[int] = None

    @property
    def is_finite(self) -> bool:
        """Whether all elements are numbers."""
        return not self.nans and not self.infs

    @property
    def columns(self) -> list[object]:
        """The columns of ``statistic`` from ``size`` on."""
        norm, mean, std, least, greatest, zeros = self.numbers[:6]
        moments = [_short(value) for value in (norm, mean, std, least, greatest, zeros)]
        return [
            self.size,
            *moments,
            self.nans,
            self.infs,
            _short(self.saturated),
            _short(self.dead),
            self.units,
        ]


def _short(value: Optional[float]) -> Optional[float]:
    """Return a number with seven digits, as many as single precision has."""
    return value if value is None or not math.isfinite(value) else float("%.7g" % value)


class Measurements:
    """What is measured in one step."""

    def __init__(self) -> None:
        self._waiting: list[Measured] = []

    def of(self, tensor: torch.Tensor, function: str = "") -> Optional[Measured]:
        """Return the statistics of a tensor's elements; None where it cannot be measured.

        ``function`` is the activation function that made it, or empty.
        """
        try:
            with torch.no_grad():
                return self._measure(tensor, function)
        except (RuntimeError, NotImplementedError, TypeError, AttributeError):
            # Batched, meta and other tensors without elements of their own.
            return None

    def _measure(self, tensor: torch.Tensor, function: str) -> Optional[Measured]:
        plain = plain_tensor(tensor)
        if plain is None:
            return None
        size = plain.numel()
        flat = plain.reshape(-1)
        norm = torch.linalg.vector_norm(
            flat if size <= LARGEST_NORM else flat[:: size // LARGEST_NORM + 1],
            dtype=torch.float64 if flat.dtype == torch.float64 else torch.float32,
        )
        sample = sampled(flat).to(norm.dtype)
        std, mean = torch.std_mean(sample, correction=0)
        least, greatest = torch.aminmax(sample)
        zeros = 1.0 - torch.count_nonzero(sample) / sample.numel()
        parts = [norm, mean, std, least, greatest, zeros.to(norm.dtype)]
        measured = Measured(size)
        parts.extend(_of_function(plain, sample, function, measured))
        stacked = torch.stack(parts)
        if plain.device.type == "cpu":
            self._take(measured, stacked.tolist())
            if not math.isfinite(measured.numbers[0]):
                measured.nans = int(torch.isnan(flat).sum())
                measured.infs = int(torch.isinf(flat).sum())
        else:
            bad = torch.stack((torch.isnan(flat).sum(), torch.isinf(flat).sum()))
            measured.on_device = torch.cat((stacked, bad.to(stacked.dtype)))
            self._waiting.append(measured)
        return measured

    def gather(self) -> None:
        """Bring what lies on devices to the processor, all of it at once."""
        waiting, self._waiting = self._waiting, []
        by_kind: dict[tuple[torch.device, torch.dtype], list[Measured]] = {}
        for measured in waiting:
            if measured.on_device is not None:
                key = (measured.on_device.device, measured.on_device.dtype)
                by_kind.setdefault(key, []).append(measured)
        for group in by_kind.values():
            values = torch.cat([m.on_device for m in group if m.on_device is not None]).tolist()
            at = 0
            for measured in group:
                assert measured.on_device is not None
                numbers = values[at : at + measured.on_device.numel()]
                at += len(numbers)
                measured.on_device = None
                measured.nans, measured.infs = int(numbers[-2]), int(numbers[-1])
                self._take(measured, numbers[:-2])

    @staticmethod
    def _take(measured: Measured, numbers: list[float]) -> None:
        extra = numbers[6:]
        if measured.saturated is not None:
            measured.saturated = extra.pop(0)
        if measured.dead is not None:
            measured.dead = extra.pop(0)
        measured.numbers = numbers[:6]


def _of_function(
    plain: torch.Tensor, sample: torch.Tensor, function: str, measured: Measured
) -> Iterator[torch.Tensor]:
    """Yield the share of saturated elements and of dead units, where the function has such."""
    ends = _BOUNDED.get(function)
    if ends is not None:
        low, high = ends
        reach = _NEAR * (high - low if low is not None else high)
        near = sample > high - reach
        if low is not None and function != "softmax":
            near = near | (sample < low + reach)
        if function == "softmax" and plain.dim() > 1:
            near = plain.amax(dim=-1).reshape(-1)[:LARGEST] > high - reach
        measured.saturated = 0.0
        yield near.to(sample.dtype).mean()
    if function in RECTIFIERS and plain.dim() > 1 and plain.shape[0] > 1:
        rows = plain[: max(1, LARGEST * 4 // max(plain[0].numel(), 1))]
        # Channels of images are units; features stand last elsewhere.
        units = rows.movedim(1, -1) if rows.dim() >= 4 else rows
        alive = (units != 0).reshape(-1, units.shape[-1]).any(dim=0)
        measured.dead, measured.units = 0.0, int(units.shape[-1])
        yield 1.0 - alive.to(sample.dtype).mean()


def plain_tensor(tensor: object) -> Optional[torch.Tensor]:
    """Return a tensor of numbers without its graph; None for what has no elements to look at."""
    if not isinstance(tensor, torch.Tensor) or is_wrapped(tensor):
        return None
    plain = tensor.detach()
    local = getattr(plain, "to_local", None)
    if local is not None:
        plain = local()
    if plain.is_sparse:
        plain = plain._values()
    if (
        plain.layout != torch.strided
        or plain.device.type == "meta"
        or plain.is_quantized
        or not plain.numel()
    ):
        return None
    if plain.is_complex():
        plain = torch.view_as_real(plain.resolve_conj())
    return plain if plain.is_floating_point() else plain.to(torch.float32)


def is_wrapped(tensor: torch.Tensor) -> bool:
    """Say whether a tensor stands for others, in `torch.func.vmap` and its like."""
    asked = getattr(torch._C._functorch, "is_functorch_wrapped_tensor", None)
    return bool(asked is not None and asked(tensor))


def sampled(flat: torch.Tensor, most: int = LARGEST) -> torch.Tensor:
    """Return every n-th element, so that at most ``most`` are left."""
    size = flat.numel()
    return flat if size <= most else flat[:: -(-size // most)]


def tensors_in(value: object, most: int = 4, depth: int = 3) -> list[torch.Tensor]:
    """Return the first tensors of nested tuples, lists and dictionaries."""
    if isinstance(value, torch.Tensor):
        return [value]
    parts: Sequence[object] = ()
    if isinstance(value, (tuple, list)):
        parts = value[:32]
    elif isinstance(value, dict):
        parts = list(value.values())[:32]
    tensors: list[torch.Tensor] = []
    if depth:
        for part in parts:
            tensors.extend(tensors_in(part, most - len(tensors), depth - 1))
            if len(tensors) >= most:
                break
    return tensors[:most]


def named_tensors(value: object, name: str = "", most: int = 6) -> list[tuple[str, torch.Tensor]]:
    """Return the tensors of nested arguments, each with a name such as ``0``, ``input_ids``."""
    if isinstance(value, torch.Tensor):
        return [(name, value)]
    items: Sequence[tuple[object, object]] = ()
    if isinstance(value, (tuple, list)):
        items = list(enumerate(value[:16]))
    elif isinstance(value, dict):
        items = list(value.items())[:16]
    tensors: list[tuple[str, torch.Tensor]] = []
    for key, part in items:
        if len(tensors) < most and name.count(".") < 2:
            inner = "%s.%s" % (name, key) if name else str(key)
            tensors.extend(named_tensors(part, inner[:60], most - len(tensors)))
    return tensors


def shape_of(tensor: torch.Tensor) -> str:
    """Return a tensor's shape as text: ``32x3x224x224``; ``scalar`` for none."""
    return "x".join(map(str, tensor.shape)) or "scalar"


def dtype_of(tensor: torch.Tensor) -> str:
    """Return a tensor's dtype without its module."""
    return str(tensor.dtype).rpartition(".")[2]


def input_row(tensor: torch.Tensor) -> dict[str, Any]:
    """Return the columns of ``input`` that describe a tensor; waits for a GPU."""
    row: dict[str, Any] = {"shape": shape_of(tensor), "dtype": dtype_of(tensor)}
    measurements = Measurements()
    measured = measurements.of(tensor)
    measurements.gather()
    if measured is None:
        return row
    _, row["mean"], row["std"], row["least"], row["greatest"], row["zeros"] = measured.numbers
    row["nans"], row["infs"] = measured.nans, measured.infs
    try:
        with torch.no_grad():
            row.update(_features(tensor))
    except (RuntimeError, NotImplementedError, TypeError):
        pass
    return row


def _features(tensor: torch.Tensor) -> dict[str, Any]:
    """Return what shows only in rows and features compared."""
    row: dict[str, Any] = {}
    if not tensor.is_floating_point() or tensor.dim() < 2:
        values = sampled(tensor.detach().reshape(-1), 1024).tolist()
        distinct = len(set(values))
        row["levels"] = distinct if distinct < 1024 else None
        if tensor.dim() == 1 and len(values) > 1:
            row["neighbours"] = _neighbours(values)
    if tensor.dim() < 2 or tensor.shape[0] < 2:
        return row
    matrix = feature_matrix(tensor)
    if matrix is None:
        return row
    stds, means = torch.std_mean(matrix, dim=0, correction=0)
    constant = stds == 0
    row["constant"] = float(constant.float().mean())
    row["feature_means"] = float(means.abs().max())
    varying = stds[~constant]
    if varying.numel():
        row["feature_stds"] = float(varying.max() / varying.min())
    digests = row_digests(matrix)
    row["duplicated"] = 1.0 - len(set(digests)) / len(digests)
    return row


def feature_matrix(tensor: torch.Tensor) -> Optional[torch.Tensor]:
    """Return the first rows of a batch with some of their features, in double precision."""
    plain = plain_tensor(tensor)
    if plain is None or plain.dim() < 1 or not plain.shape[0]:
        return None
    rows = plain[:MOST_ROWS].reshape(min(MOST_ROWS, plain.shape[0]), -1)
    step = -(-rows.shape[1] // MOST_FEATURES)
    return rows[:, ::step].to(device="cpu", dtype=torch.float64)


def row_digests(matrix: torch.Tensor) -> list[float]:
    """Return a number for each row, equal for equal rows; collisions are unlikely."""
    weights = torch.sin(torch.arange(1, matrix.shape[1] + 1, dtype=torch.float64) * 12.9898)
    return [float("%.9g" % value) for value in (matrix * weights).sum(dim=1).tolist()]


def _neighbours(values: Sequence[object]) -> float:
    same = sum(value == before for value, before in zip(values[1:], values))
    return same / (len(values) - 1)


def labels_of(tensor: torch.Tensor) -> Optional[list[int]]:
    """Return the labels that a target holds, as far as they are whole numbers; None elsewhere."""
    plain = tensor.detach()
    if plain.is_floating_point():
        if plain.numel() > 65_536 or plain.dim() > 2:
            return None
        values = plain.reshape(-1)[:512].tolist()
        if plain.dim() == 2 and plain.shape[1] > 1:
            # One-hot rows: the label is the column.
            part = plain[:256]
            is_one_hot = bool(((part == 0) | (part == 1)).all()) and bool(
                (part.sum(dim=1) == 1).all()
            )
            return part.argmax(dim=1).tolist() if is_one_hot else None
        if any(value != int(value) for value in values if math.isfinite(value)):
            return None
        return [int(value) for value in values if math.isfinite(value)]
    if plain.is_complex():
        return None
    return [int(value) for value in sampled(plain.reshape(-1), 512).tolist()]
