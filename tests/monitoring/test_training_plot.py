"""Pictures of recorded trainings: well formed, whatever the recording holds."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from dl_bug_lsp.monitoring.store import read_journal, run_of
from dl_bug_lsp.monitoring.training_run import Run
from dl_bug_lsp.views.training_plot import Line, Panel, ill_layer, panels, svg, training_section

RECORDED = Path(__file__).parent / "recorded"
SVG = "{http://www.w3.org/2000/svg}"


def recorded(name: str) -> Run:
    run = run_of(1, read_journal(RECORDED / f"{name}.jsonl")[0])
    assert run is not None
    return run


def picture_of(section: str) -> ElementTree.Element:
    (data,) = re.findall(r"\(data:image/svg\+xml;base64,([\w+/=]+)\)", section)
    return ElementTree.fromstring(base64.b64decode(data))


def test_losses_rates_and_a_layer_are_drawn() -> None:
    run = recorded("plain")
    layer = next(one for one in run.layers if one.name == "head")
    root = picture_of(training_section(run, layer.layer))
    titles = [text.text for text in root.iter(f"{SVG}text") if text.get("font-weight") == "bold"]
    assert titles == ["loss", "learning rate", f"layer head (Linear, plain.py:{layer.line})"]
    lines = list(root.iter(f"{SVG}polyline"))
    assert len(lines) >= 4
    losses = (lines[0].get("points") or "").split()
    assert len(losses) == 40
    assert "40 steps" in training_section(run)


def test_a_loss_that_becomes_nan_is_drawn_up_to_there_and_marked() -> None:
    run = recorded("faulty")
    assert ill_layer(run) is not None
    root = picture_of(training_section(run))
    marks = [line for line in root.iter(f"{SVG}line") if line.get("stroke-dasharray")]
    assert marks
    points = [line.get("points") or "" for line in root.iter(f"{SVG}polyline")]
    assert points
    assert "nan" not in "".join(points)


def test_what_a_recording_holds_is_no_markup() -> None:
    run = recorded("plain")
    hostile = '"/><script>alert(1)</script>&\x1b[31m\u202e'
    layers = tuple(replace(layer, name=hostile, type=hostile) for layer in run.layers)
    section = training_section(replace(run, layers=layers), layers[0].layer)
    root = picture_of(section)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "g", "rect", "line", "text", "polyline", "circle"
    }  # fmt: skip
    assert "\x1b" not in section


def test_the_largest_numbers_and_single_points_are_drawn() -> None:
    points = [(1.0, -1.7e308), (2.0, 1.7e308), (3.0, float("nan")), (4.0, 0.0)]
    ElementTree.fromstring(svg([Panel("x", (Line("y", points),))]))
    ElementTree.fromstring(svg([Panel("x", (Line("y", [(1.0, float("inf"))]),))]))
    many = [(float(step), (step * 7919 % 1000) / 10) for step in range(50_000)]
    assert len(svg([Panel("x", (Line("y", many),))])) < 20_000


def test_without_steps_there_is_no_picture() -> None:
    run = replace(recorded("plain"), steps=(), rates=(), statistics=(), logged=())
    assert panels(run) == ()
    assert training_section(run) == ""
