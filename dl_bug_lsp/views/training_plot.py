"""A recorded training as a picture: its losses, its rates, and what one layer did.

The picture is SVG 1.1 in a data address, which Markdown previews show without loading anything.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from dataclasses import dataclass

from dl_bug_lsp.monitoring.training_run import Layer, Run
from dl_bug_lsp.views.escape import escape, shorten

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 640, 160, 64, 36, 22
"""Pixels of a panel, and of its margins for numbers."""
MOST_POINTS = 400
"""Points of a line; of more every n-th is drawn, and the extremes of what lies between."""
_COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e")
_MANY = 30.0
"""Where the largest value is so many times the smallest, the axis is logarithmic."""

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Line:
    """A series of a panel: steps and values, of which some may be no numbers."""

    name: str
    points: Points


@dataclass(frozen=True, slots=True)
class Panel:
    """One diagram over the steps."""

    title: str
    lines: tuple[Line, ...]
    marked: float | None = None
    """The step at which a line from top to bottom stands."""


def training_section(run: Run, layer: int | None = None) -> str:
    """Return a section of Markdown with the picture of a run; empty where nothing can be drawn."""
    shown = panels(run, layer)
    if not shown:
        return ""
    data = base64.b64encode(svg(shown).encode()).decode()
    closely = sum(1 for step in run.train_steps if step.sampled)
    return (
        "## The training\n\n"
        f"![losses, rates and one layer over the steps](data:image/svg+xml;base64,{data})\n\n"
        f"{run.process.steps or len(run.train_steps)} steps, {closely} of them looked at closely.\n"
    )


def panels(run: Run, layer: int | None = None) -> tuple[Panel, ...]:
    """Return the diagrams of a run: losses, rates, and one layer, by its number or the ill one."""
    first_bad = min((event.step for event in run.events if event.step is not None), default=None)
    marked = float(first_bad) if first_bad is not None else None
    drawn = [Panel("loss", _losses(run), marked), Panel("learning rate", _rates(run))]
    known = run.layer(layer if layer is not None else ill_layer(run))
    if known is not None:
        drawn.append(Panel(f"layer {_named(known)}", _of_layer(run, known.layer), marked))
    return tuple(panel for panel in drawn if any(len(line.points) > 1 for line in panel.lines))


def ill_layer(run: Run) -> int | None:
    """Return the layer of the first tensor that held no numbers; None where none did."""
    return next((event.layer for event in run.events if event.layer is not None), None)


def _losses(run: Run) -> tuple[Line, ...]:
    lines = []
    for phase, name in (("train", "training"), ("eval", "evaluation")):
        points = [(float(row.step), row.loss) for row in run.steps if row.phase == phase
                  and row.loss is not None]  # fmt: skip
        lines.append(Line(name, points))
    held_out = [
        (float(row.step or 0), row.value)
        for row in run.logged
        if row.key in ("val_loss", "eval_loss") and row.value is not None and row.step
    ]
    if not lines[1].points:
        lines[1] = Line("evaluation", held_out)
    return tuple(line for line in lines if line.points)


def _rates(run: Run) -> tuple[Line, ...]:
    last = float(max((step.step for step in run.steps), default=0))
    by_group: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for rate in run.rates:
        if rate.rate is not None:
            points = by_group.setdefault((rate.optimizer, rate.parameter_group), [])
            if points:
                # A rate holds until it changes.
                points.append((float(rate.step), points[-1][1]))
            points.append((float(rate.step), rate.rate))
    return tuple(
        Line(f"optimizer {optimizer}, group {group}", [*points, (last, points[-1][1])])
        for (optimizer, group), points in list(by_group.items())[: len(_COLOURS)]
    )


def _of_layer(run: Run, number: int) -> tuple[Line, ...]:
    names = {
        "gradient": "norm of gradients",
        "update": "norm of updates",
        "activation": "deviation of activations",
    }
    series: dict[str, dict[float, float]] = {name: {} for name in names.values()}
    for row in run.statistics:
        value = row.std if row.kind == "activation" else row.norm
        if row.layer == number and row.kind in names and value is not None:
            steps = series[names[row.kind]]
            before = steps.get(float(row.step), 0.0)
            # The norm of several parameters together is the root of their squares' sum.
            steps[float(row.step)] = math.hypot(before, value)
    return tuple(Line(name, sorted(steps.items())) for name, steps in series.items() if steps)


def _named(layer: Layer) -> str:
    name = " ".join(part for part in (layer.name or "(the model)", layer.function) if part)
    where = f", {layer.file}:{layer.line}" if layer.file and layer.line else ""
    return f"{name} ({layer.type}{where})"


def svg(shown: Sequence[Panel]) -> str:
    """Return diagrams as one SVG document, one below the other."""
    height = (HEIGHT + 28) * len(shown)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for at, panel in enumerate(shown):
        out.append(f'<g transform="translate(0 {at * (HEIGHT + 28)})">')
        out.extend(_panel(panel))
        out.append("</g>")
    return "".join((*out, "</svg>"))


def _panel(panel: Panel) -> list[str]:
    plotted = [point for line in panel.lines for point in line.points if math.isfinite(point[1])]
    out = [f'<text x="4" y="14" font-weight="bold">{_text(panel.title)}</text>']
    if not plotted:
        return [*out, '<text x="4" y="40">no value is a number</text>']
    steps = [step for line in panel.lines for step, _ in line.points]
    low, high = min(value for _, value in plotted), max(value for _, value in plotted)
    is_logarithmic = low > 0 and high / low > _MANY
    first, last = min(steps), max(steps)

    def x(step: float) -> float:
        return LEFT + (step - first) / ((last - first) or 1.0) * (WIDTH - LEFT - 12)

    def y(value: float) -> float:
        if is_logarithmic:
            share = math.log(max(value, low) / low) / math.log(high / low)
        else:
            # Halved first: the difference of the largest numbers is none.
            share = (value / 2 - low / 2) / ((high / 2 - low / 2) or 1.0)
        return TOP + (1.0 - share) * (HEIGHT - TOP - BOTTOM)

    frame = f'x1="{LEFT}" x2="{WIDTH - 12}" stroke="#cccccc"'
    for value in dict.fromkeys((low, high)):
        out.append(f'<line {frame} y1="{y(value):.1f}" y2="{y(value):.1f}"/>')
        out.append(
            f'<text x="{LEFT - 4}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.3g}</text>'
        )
    axis = ", logarithmic" if is_logarithmic else ""
    out.append(f'<text x="{LEFT}" y="{HEIGHT - 6}">step {first:.0f}{axis}</text>')
    out.append(f'<text x="{WIDTH - 12}" y="{HEIGHT - 6}" text-anchor="end">{last:.0f}</text>')
    if panel.marked is not None and first <= panel.marked <= last:
        out.append(
            f'<line x1="{x(panel.marked):.1f}" x2="{x(panel.marked):.1f}" y1="{TOP}" '
            f'y2="{HEIGHT - BOTTOM}" stroke="#d62728" stroke-dasharray="3 3"/>'
        )
    for at, line in enumerate(panel.lines):
        colour = _COLOURS[at % len(_COLOURS)]
        for part in _finite_parts(line.points):
            points = " ".join(f"{x(step):.1f},{y(value):.1f}" for step, value in _thinned(part))
            out.append(
                f'<polyline fill="none" stroke="{colour}" stroke-width="1.3" points="{points}"/>'
            )
            if len(part) == 1:
                (step, value) = part[0]
                out.append(
                    f'<circle cx="{x(step):.1f}" cy="{y(value):.1f}" r="2" fill="{colour}"/>'
                )
        out.append(f'<text x="{LEFT + 160 * at}" y="28" fill="{colour}">{_text(line.name)}</text>')
    return out


def _finite_parts(points: Points) -> list[list[tuple[float, float]]]:
    """Return the parts of a line between values that are no numbers."""
    parts: list[list[tuple[float, float]]] = [[]]
    for step, value in points:
        if math.isfinite(value):
            parts[-1].append((step, value))
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if part]


def _thinned(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    size = -(-len(points) // (MOST_POINTS // 2))
    if size <= 2:
        return points
    extremes: set[tuple[float, float]] = {points[0], points[-1]}
    for start in range(0, len(points), size):
        part = points[start : start + size]
        extremes.add(min(part, key=lambda point: point[1]))
        extremes.add(max(part, key=lambda point: point[1]))
    return sorted(extremes)


def _text(text: str) -> str:
    """Return a text of a recording as the text of an element, whatever it holds."""
    line = " ".join(shorten(escape(text), 70).split())
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        line = line.replace(sign, entity)
    return line
