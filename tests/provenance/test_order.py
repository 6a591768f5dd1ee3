"""What a value stands for does not depend on which one was asked for first, circles or not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dl_bug_lsp.provenance.engine import Engine, Node
from dl_bug_lsp.provenance.nodes import Const, Items
from dl_bug_lsp.provenance.queries import Queries
from dl_bug_lsp.workspace import Workspace

NAMES = st.sampled_from(["a", "b", "c", "d"])
TERMS = st.one_of(st.integers(1, 3).map(str), NAMES)
VALUES = st.one_of(
    TERMS,
    st.tuples(NAMES, st.integers(1, 2)).map(lambda p: f"{p[0]} + {p[1]}"),
    st.tuples(TERMS, TERMS).map(lambda p: f"{p[0]} if flag else {p[1]}"),
    st.tuples(st.sampled_from(["f", "g"]), TERMS).map(lambda p: f"{p[0]}({p[1]})"),
    st.tuples(TERMS, TERMS).map(lambda p: f"[{p[0]}, {p[1]}][0]"),
    NAMES.map(lambda name: f"box.{name}"),
)
STATEMENTS = st.one_of(
    st.tuples(NAMES, VALUES).map(lambda p: f"{p[0]} = {p[1]}"),
    st.tuples(NAMES, NAMES).map(lambda p: f"box.{p[0]} = {p[1]}"),
    st.tuples(NAMES, NAMES).map(lambda p: f"{p[0]} += {p[1]}"),
    st.tuples(NAMES, TERMS).map(lambda p: f"rows.append({p[1]}); {p[0]} = rows[0]"),
    st.tuples(NAMES, NAMES).map(lambda p: f"if flag:\n        {p[0]} = {p[1]}"),
)
HEAD = """\
class Box:
    def __init__(self):
        self.a = self.b
        self.b = 5
        self.c = self.a
        self.d = None
def f(n):
    return g(n) if n else n
def g(n):
    return f(n) if flag else 4
"""


def program(body: list[str]) -> str:
    """Return a program with the statements in a loop, where everything may lead to everything."""
    start = "a, b, c, d, rows, box = 1, 2, 3, 4, [], Box()\n"
    return HEAD + start + "for i in items:\n    " + "\n    ".join(body) + "\n"


def expressions(engine: Engine) -> list[Node]:
    tree = engine.workspace.tree("main.py")
    module = engine.program.module("main.py")
    assert tree is not None and module is not None
    found = []
    for scope in module.walk():
        context = engine.open_context(scope)
        for statement in getattr(scope.node, "body", []):
            if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                found.extend(
                    engine.node(e, context)
                    for e in ast.walk(statement)
                    if isinstance(e, ast.expr)
                    and not isinstance(getattr(e, "ctx", None), ast.Store)
                )
    return found


def shown(node: Node) -> tuple[object, ...]:
    """Return what can be compared across engines: the places, not the objects."""
    found: list[object] = []
    for value in node.values:
        if isinstance(value, Const):
            found.append(repr(value.value))
        elif isinstance(value, Items):
            found.append(sorted({(n.line, n.text) for n in value.items}))
        else:
            found.append(type(value).__name__)
    edges = sorted({(role, n.line, n.text) for role, n in node.inputs})
    return sorted(map(str, found)), edges, node.complete


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(STATEMENTS, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_asking_does_not_matter(
    tmp_path: Path, body: list[str], random: object
) -> None:
    (tmp_path / "main.py").write_text(program(body), encoding="utf-8")
    workspace = Workspace(tmp_path, cache=False)
    first, second = Engine(workspace), Engine(workspace)
    nodes, others = expressions(first), expressions(second)
    told = [shown(node) for node in nodes]
    order = list(range(len(others)))
    random.shuffle(order)  # type: ignore[attr-defined]
    for index in order:
        assert others[index].values is not None
    for index, node in enumerate(others):
        assert shown(node) == told[index], (node.text, node.line)


def test_a_circle_stands_for_all_that_goes_into_it(tmp_path: Path) -> None:
    text = "x, y = 3, 4\nfor i in r():\n    x = y if f else 1\n    y = x if f else 2\n"
    text += "probe(x)\nprobe(y)\n"
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    wanted = {5: {1, 2, 3, 4}, 6: {1, 2, 4}}
    for order in ((5, 6), (6, 5)):
        engine = Engine(Workspace(tmp_path, cache=False))
        nodes = {n.line: n for n in expressions(engine) if n.text in "xy" and n.line >= 5}
        for line in order:
            assert {c.value for c in nodes[line].constants} == wanted[line]
            assert nodes[line].complete and not engine.limits


def test_what_never_comes_to_an_end_is_not_complete(tmp_path: Path) -> None:
    text = "n = 1\nfor i in r():\n    n = n * 2\nprobe(n)\nm = 3\nprobe(m)\n"
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    engine = Engine(Workspace(tmp_path, cache=False))
    by_line = {n.line: n for n in expressions(engine) if n.text in "nm" and n.line in (4, 6)}
    assert {1, 2, 4} <= {c.value for c in by_line[4].constants}
    assert not by_line[4].complete and by_line[6].complete
    assert engine.limits == {"rounds"}


@pytest.mark.parametrize("asked", range(5))
def test_questions_in_a_ring_get_the_same_answers(asked: int) -> None:
    queries = Queries()
    own = [("one",), (), ("three",), (), ("five",)]

    def ask(number: int) -> tuple[str, ...]:
        def work() -> tuple[str, ...]:
            return tuple(sorted({*own[number], *ask((number + 1) % 5), *ask((number + 3) % 5)}))

        return queries.ask(("ring", number), work)

    for number in [asked, *range(5)]:
        assert ask(number) == ("five", "one", "three")
        assert queries.known(("ring", number)) == (("five", "one", "three"), True)


def test_a_question_that_python_cannot_be_followed_into_is_unknown() -> None:
    queries = Queries()

    def endless(depth: int = 0) -> tuple[object, ...]:
        return endless(depth + 1)

    def asks() -> tuple[object, ...]:
        return (*queries.ask(("deep",), endless), "known")

    assert queries.ask(("deep",), endless) == ()
    assert queries.ask(("above",), asks) == ("known",)
    assert "nesting" in queries.limits
    assert queries.ask(("other",), lambda: ("whole",)) == ("whole",)
