"""Suspicious layers and units: active for inputs that a model gets wrong, and not for others.

DeepFault (Eniser, Gerasimou and Sen, FASE 2019) takes a unit for a statement of a program and an
input for a test: a misclassified input fails. A unit is executed where it is active, and the
formulas of spectrum-based fault localization score it. A layer's score is the mean of its most
suspicious units, a tenth of them.

`record_units` collects the activations of a PyTorch model and imports torch only through it; all
else needs NumPy alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from dl_bug_lsp.spectrum.formulas import FORMULAS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

SHOWN = ("Tarantula", "Ochiai", "DStar")
"""The formulas that DeepFault compares."""
SHARE = 0.1
"""The share of a layer's units, the most suspicious ones, that its score is the mean of."""
MOST_ROWS = 20_000
MOST_UNITS = 4_096
"""Units of a layer that are looked at; of a map of features each channel is one unit."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of a layer, 0-based, with its score and how many failing and passing inputs it sees.

    ``failing`` and ``passing`` are the numbers of inputs for which the unit is active.
    """

    layer: str
    unit: int
    score: float
    failing: int
    passing: int


@dataclass(frozen=True, slots=True)
class Suspiciousness:
    """Units by falling score, and each layer with the mean score of its most suspicious ones."""

    formula: str
    failing: int
    passing: int
    units: tuple[Unit, ...]
    layers: tuple[tuple[str, float], ...]


def suspicious_units(
    activations: Mapping[str, Any], failed: Sequence[bool], formula: str = "Ochiai"
) -> Suspiciousness:
    """Score the units of layers; ``activations`` are (rows, units) or (rows, channels, …) arrays.

    A unit is active where its value lies above its mean over all inputs, so that units of any
    activation function count; DeepFault's own bound, zero, holds for rectified units alone. Raises
    ValueError where the numbers of rows differ, KeyError for a formula that is not known.
    """
    import numpy as np

    compute = FORMULAS[formula].compute
    wrong = np.asarray(failed, dtype=bool)
    units: list[Unit] = []
    layers: list[tuple[str, float]] = []
    for name, values in activations.items():
        active = _active(np.asarray(values, dtype=np.float64), len(wrong), name)
        ef = active[wrong].sum(axis=0).astype(np.float64)
        ep = active[~wrong].sum(axis=0).astype(np.float64)
        scores = compute(ef, ep, wrong.sum() - ef, (~wrong).sum() - ep)
        scores = np.nan_to_num(scores, nan=0.0, posinf=float(len(wrong)))
        own = [
            Unit(name, number, round(float(scores[number]), 6), int(ef[number]), int(ep[number]))
            for number in range(len(scores))
        ]
        own.sort(key=lambda unit: (-unit.score, unit.unit))
        first = own[: max(1, round(SHARE * len(own)))]
        layers.append((name, round(sum(u.score for u in first) / len(first), 6) if own else 0.0))
        units.extend(own)
    units.sort(key=lambda unit: (-unit.score, unit.layer, unit.unit))
    layers.sort(key=lambda pair: (-pair[1], pair[0]))
    return Suspiciousness(
        formula, int(wrong.sum()), int((~wrong).sum()), tuple(units), tuple(layers)
    )


def _active(values: Array, rows: int, name: str) -> NDArray[np.bool_]:
    import numpy as np

    if values.ndim < 2 or values.shape[0] != rows:
        raise ValueError(f"{name}: {values.shape} is no array of {rows} rows")
    if values.ndim > 2:
        values = values.reshape(rows, values.shape[1], -1).mean(axis=2)
    values = values[:, :MOST_UNITS]
    # Of a constant unit rounding decides otherwise.
    spread = values.std(axis=0) > 1e-12 + 1e-9 * np.abs(values).max(axis=0, initial=0.0)
    return np.asarray((values > values.mean(axis=0)) & spread, dtype=np.bool_)


def record_units(
    model: Any, batches: Iterable[tuple[Any, Any]], label: int | None = None
) -> tuple[dict[str, Array], list[bool]]:
    """Run a PyTorch model on (inputs, labels) and return its layers' activations and its errors.

    With ``label``, only inputs of that class count. Only layers without parts of their own are
    recorded. The model is left as it was.
    """
    import numpy as np
    import torch

    outputs: dict[str, list[Array]] = {}
    failed: list[bool] = []
    now: dict[str, Any] = {}
    handles = []
    for name, module in model.named_modules():
        if not any(True for _ in module.children()):
            handles.append(module.register_forward_hook(_Keeper(name, now)))
    mode = model.training
    model.train(False)
    try:
        with torch.no_grad():
            for inputs, labels in batches:
                now.clear()
                predicted = model(inputs).argmax(dim=-1)
                chosen = torch.ones_like(labels, dtype=torch.bool)
                if label is not None:
                    chosen = labels == label
                rows = chosen.nonzero(as_tuple=True)[0]
                failed.extend((predicted != labels)[rows].tolist())
                for name, output in now.items():
                    if output.ndim > 1 and output.shape[0] == len(labels):
                        outputs.setdefault(name, []).append(output[rows].float().cpu().numpy())
                if len(failed) >= MOST_ROWS:
                    break
    finally:
        for handle in handles:
            handle.remove()
        model.train(mode)
    arrays = {name: np.concatenate(parts).astype(np.float64) for name, parts in outputs.items()}
    return {n: v for n, v in arrays.items() if len(v) == len(failed)}, failed


class _Keeper:
    """A forward hook that keeps a layer's output."""

    def __init__(self, name: str, now: dict[str, Any]) -> None:
        self._name, self._now = name, now

    def __call__(self, module: Any, inputs: Any, output: Any) -> None:
        if hasattr(output, "detach"):
            self._now[self._name] = output.detach()


def table(result: Suspiciousness, most: int = 10) -> str:
    """Return the first units as a table in Markdown."""
    lines = [
        f"{result.failing} failing and {result.passing} passing inputs, {result.formula}",
        "",
        "| layer | unit | suspiciousness | active in failing | in passing |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| `{u.layer}` | {u.unit} | {u.score:.3f} | {u.failing} | {u.passing} |"
        for u in result.units[:most]
    ]
    return "\n".join(lines) + "\n"


CELL = 9
COLUMNS = 64


def picture(result: Suspiciousness) -> str:
    """Return the units as an SVG: cells for each layer, the darker the more suspicious."""
    by_layer: dict[str, dict[int, float]] = {}
    for unit in result.units:
        by_layer.setdefault(unit.layer, {})[unit.unit] = unit.score
    highest = max((u.score for u in result.units), default=0.0) or 1.0
    parts: list[str] = []
    top = 4
    for name, score in result.layers:
        shown = f"{escape(name or 'model')} {score:.3f}"
        parts.append(f'<text x="4" y="{top + 11}" font-size="11">{shown}</text>')
        top += 16
        cells = by_layer.get(name, {})
        for number, value in sorted(cells.items()):
            x, y = 4 + number % COLUMNS * CELL, top + number // COLUMNS * CELL
            light = 96 - round(56 * max(0.0, value) / highest)
            title = f"<title>unit {number}: {value:.3f}</title>"
            fill = f"hsl(14 80% {light}%)"
            parts.append(f'<rect x="{x}" y="{y}" width="8" height="8" fill="{fill}">{title}</rect>')
        top += (len(cells) + COLUMNS - 1) // COLUMNS * CELL + 8
    width = 8 + COLUMNS * CELL
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top}">'
    return head + "".join(parts) + "</svg>\n"
