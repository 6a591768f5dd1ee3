"""Backward slices and contexts along a stack, over marked programs."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from marked_programs import Program, lines_of, open_node, probed, programs, sites, slice_of

from dl_bug_lsp.provenance.engine import Engine
from dl_bug_lsp.provenance.nodes import StepKind
from dl_bug_lsp.provenance.slices import MAX_STEPS, backward_slice
from dl_bug_lsp.provenance.stack import StackPlace, walk_stack
from dl_bug_lsp.workspace import Workspace

CASES = Path(__file__).parent / "cases"


def cases(file: str) -> list[object]:
    return [pytest.param(p, id=p.name.replace(" ", "-")) for p in programs(CASES / file)]


@pytest.mark.parametrize("program", cases("slices.txt"))
def test_the_slice_reaches_what_the_value_is_made_of(program: Program, tmp_path: Path) -> None:
    order = lines_of(slice_of(Engine(program.write(tmp_path)), program))
    for mark in program.of("reached"):
        assert (mark.file, mark.line) in order[: int(mark.rest)], order
    for mark in program.of("unreached"):
        assert (mark.file, mark.line) not in order, order


@pytest.mark.parametrize("program", cases("stacks.txt"))
def test_frames_are_entered_with_their_callers_arguments(program: Program, tmp_path: Path) -> None:
    engine = Engine(program.write(tmp_path))
    innermost = sites(engine, program)[-1]
    assert innermost.place == program.places()[-1]
    for mark in program.of("is"):
        found = [c.value for c in probed(engine, mark, innermost.context).constants]
        assert found == ([] if mark.rest == "unknown" else [ast.literal_eval(mark.rest)])


@pytest.mark.parametrize("program", cases("slices.txt"))
def test_steps_come_by_distance_and_know_their_way(program: Program, tmp_path: Path) -> None:
    steps = slice_of(Engine(program.write(tmp_path)), program)
    assert [s.distance for s in steps] == sorted(s.distance for s in steps)
    for step in steps:
        way = step.way()
        assert way[0].before is None and way[-1] is step and len(way) == len(step.roles) + 1


def test_a_limit_bounds_the_steps(tmp_path: Path) -> None:
    names = [f"v{i}" for i in range(300)]
    lines = [f"{name} = make({before})" for before, name in zip(["0", *names], names, strict=False)]
    (tmp_path / "main.py").write_text("\n".join([*lines, "check(v299)\n"]), encoding="utf-8")
    engine = Engine(Workspace(tmp_path, cache=False))
    tree = engine.workspace.tree("main.py")
    assert tree is not None
    last = tree.body[-1]
    assert isinstance(last, ast.Expr)
    node = open_node(engine, last.value, "main.py", last.lineno)
    assert len(backward_slice([node], 7)) == 7
    assert len(backward_slice([node])) <= MAX_STEPS


def test_what_decides_and_what_hands_on(tmp_path: Path) -> None:
    text = "def give(v):\n    return v\ndef use():\n    n = give(make(3))\n    check(n)\n"
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    engine = Engine(Workspace(tmp_path, cache=False))
    (site,) = walk_stack(engine, (StackPlace("main.py", 5, "use", None),))
    steps = {s.node.text: s for s in backward_slice(list(site.nodes))}
    assert not steps["n"].decides and not steps["v"].decides
    assert not steps["give(make(3))"].decides
    assert steps["make(3)"].decides and steps["3"].node.kind is StepKind.LITERAL


@pytest.mark.parametrize(
    ("statement", "line", "expression", "wanted"),
    [
        ("total = first(a) + second(b)", 1, "second(b)", "second(b)"),
        ("total = first(a) + second(b)", 1, None, "first(a) + second(b)"),
        ("total = outer(\n    first(a),\n    second(b),\n)", 3, None, "second(b)"),
        ("total = outer(\n    first(a),\n)", 1, None, "outer(first(a))"),
        ("rows[key(a)] = value(b)", 1, None, "value(b)"),
        ("for row in make(a):\n    use(row)", 1, None, "make(a)"),
        ("with make(a) as m:\n    use(m)", 1, None, "make(a)"),
        ("if check(a):\n    use(a)", 1, None, "check(a)"),
        ("x += step(a)", 1, None, "step(a)"),
        ('use(d["k"])', 1, "d['k']", "d['k']"),
        ("return_value = no_such(b)", 1, "something else", "no_such(b)"),
        ("@wrap(a)\ndef f():\n    pass", 2, None, "wrap(a)"),
    ],
)
def test_a_frame_points_at_the_expression_that_ran(
    statement: str, line: int, expression: str | None, wanted: str, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(statement + "\n", encoding="utf-8")
    engine = Engine(Workspace(tmp_path, cache=False))
    (site,) = walk_stack(engine, (StackPlace("main.py", line, "<module>", expression),))
    assert site.nodes[0].text == wanted


@pytest.mark.parametrize(
    "place",
    [
        StackPlace("absent.py", 1, "f", None),
        StackPlace("main.py", 10_000, "f", None),
        StackPlace("main.py", 0, None, None),
        StackPlace("main.py", -3, "<lambda>", "x"),
        StackPlace("data.csv", 1, "f", None),
    ],
)
def test_places_that_do_not_exist_harm_nothing(place: StackPlace, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("def f(x):\n    return x\nf(1)\n", encoding="utf-8")
    (tmp_path / "data.csv").write_text("a,b\n", encoding="utf-8")
    engine = Engine(Workspace(tmp_path, cache=False))
    for site in walk_stack(engine, (StackPlace("main.py", 3, "<module>", None), place)):
        backward_slice(list(site.nodes))
