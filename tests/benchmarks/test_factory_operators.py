"""The operators of the failure factory on small texts, and the true lines of what they change."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]
PATHS = (
    "train.py",
    "config.yaml",
    "config.json",
    "config.toml",
    "config.ini",
    "data.csv",
    "data.jsonl",
    "run.sh",
    "Makefile",
    "requirements.txt",
)


class Case(NamedTuple):
    """The first change that an operator makes to a text: the text after it, and the true lines."""

    operator: str
    path: str
    before: str
    after: str
    lines: tuple[int, ...]


def _cases() -> Iterator[Case]:
    for part in (ROOT / "tests/benchmarks/factory_operators.txt").read_text("utf-8").split("\n## "):
        head, _, body = part.removeprefix("## ").partition("\n")
        operator, path, lines = head.split()
        before, after = body.rstrip("\n").split("\n->\n")
        numbers = tuple(int(line) for line in lines.split(","))
        yield Case(operator, path, f"{before}\n", f"{after}\n", numbers)


CASES = tuple(_cases())


@pytest.fixture(scope="module")
def factory() -> Iterator[Any]:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    modules: dict[str, ModuleType] = {
        name: import_module(f"factory.{name}") for name in ("operators", "truth", "values")
    }
    yield SimpleNamespace(**modules, Target=modules["values"].Target)
    sys.path.remove(str(ROOT / "benchmarks"))


def _first(factory: Any, case: Case) -> Any:
    operator = next(one for one in factory.operators.all_operators() if one.id == case.operator)
    return next(operator.mutate(factory.Target(case.path, case.before)))


@pytest.mark.parametrize("case", CASES, ids=[f"{case.operator}-{case.path}" for case in CASES])
def test_an_operator_changes_its_place(factory: Any, case: Case) -> None:
    mutation = _first(factory, case)
    texts = {case.path: case.before}
    assert factory.truth.apply(mutation, texts) == {case.path: case.after}
    truth = factory.truth.truth_of(mutation, texts)
    assert (truth.file, truth.lines, truth.note) == (case.path, case.lines, mutation.note)
    assert mutation.note


def test_every_operator_has_a_case_and_says_where_it_is_from(factory: Any) -> None:
    operators = factory.operators.all_operators()
    assert {operator.id for operator in operators} == {case.operator for case in CASES}
    kinds = {"python", "config", "data", "launch", "requirements"}
    for operator in operators:
        assert operator.title and operator.source and operator.weight > 0
        assert operator.targets and set(operator.targets) <= kinds


def test_no_change_is_made_twice(factory: Any) -> None:
    text = "".join(case.before for case in CASES if case.path == "train.py" and _whole(case))
    target = factory.Target("train.py", text)
    made = list(factory.operators.mutations(target))
    every = {
        m.edits for operator in factory.operators.all_operators() for m in operator.mutate(target)
    }
    assert len({frozenset(mutation.edits) for _, mutation in made}) == len(made)
    assert {frozenset(mutation.edits) for _, mutation in made} == {frozenset(one) for one in every}


def _whole(case: Case) -> bool:
    return _parses(case.before) and "__future__" not in case.before


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def _check_all(factory: Any, path: str, text: str) -> None:
    target = factory.Target(path, text)
    valid = path.endswith(".py") and _parses(text)
    lines = text.count("\n") + 1
    for operator in factory.operators.all_operators():
        for mutation in operator.mutate(target):
            after = factory.truth.apply(mutation, {path: text})[path]
            assert after != text, (operator.id, mutation.note)
            truth = factory.truth.truth_of(mutation, {path: text})
            assert truth.lines and 1 <= min(truth.lines) <= max(truth.lines) <= lines + 20
            if valid and not operator.id.startswith("syntax_"):
                assert _parses(after), (operator.id, mutation.note, after)


@pytest.mark.parametrize("case", CASES, ids=[f"{case.operator}-{case.path}" for case in CASES])
def test_all_operators_leave_a_text_that_is_read(factory: Any, case: Case) -> None:
    _check_all(factory, case.path, case.before)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "x = (",
        "\ufeffx = 1\n",
        "x = 1\x00\n",
        "größe = {'ä': 1, 'ö': f(3, dim=1)}  # ü\n",
        "x = '\udce9'\r\ny = f(2,\r\n  3)\r\n",
        "a: 1\n\tb: [\n",
        '{"a": {"b": [1, 2',
        "a,b\n1\n\n,,,\n",
        "=\n:\n-\n--\n\\\n[]\n",
        "((((((((((((((((((((1))))))))))))))))))))",
        "if x:\n\ty = 1\n\tz(2)\nelse: w = 3",
    ],
)
def test_odd_text_is_no_failure(factory: Any, path: str, text: str) -> None:
    _check_all(factory, path, text)


_LINES = st.sampled_from(sorted({line for case in CASES for line in case.before.splitlines()}))


@given(st.lists(_LINES | st.text(max_size=12), max_size=8), st.sampled_from(PATHS))
@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_lines_in_any_order_are_no_failure(factory: Any, lines: list[str], path: str) -> None:
    _check_all(factory, path, "\n".join(lines))


def _truth(factory: Any, text: str, *edits: tuple[str, str]) -> Any:
    made = []
    for old, new in edits:
        start = text.index(old)
        made.append(factory.values.Edit("a.py", start, start + len(old), new))
    mutation = factory.values.Mutation(tuple(made), "changed")
    return factory.truth.truth_of(mutation, {"a.py": text})


MODULE = """\
import os


class Net:
    size = 1

    @cached
    def forward(self, x):
        x = first(x)
        y = second(
            x,
            2,
        )
        return y


def last():
    return 1
"""


def test_a_deleted_statement_stands_between_its_neighbours(factory: Any) -> None:
    truth = _truth(factory, MODULE, ("        x = first(x)\n", ""))
    assert truth.lines == (8, 9)
    assert (truth.function, truth.function_lines) == ("Net.forward", (7, 13))
    assert truth.deleted == "x = first(x)"


def test_neighbours_stay_inside_of_the_function(factory: Any) -> None:
    truth = _truth(factory, MODULE, ("        return y\n", ""))
    assert (truth.lines, truth.function, truth.deleted) == ((13,), "Net.forward", "return y")


def test_a_part_of_a_line_is_missed_on_that_line(factory: Any) -> None:
    truth = _truth(factory, MODULE, ("first(x)", "x"))
    assert (truth.lines, truth.deleted) == ((9,), None)
    assert _truth(factory, MODULE, ("self, x", "self")).lines == (8,)


def test_lines_that_an_edit_repeats_do_not_count(factory: Any) -> None:
    old = "        y = second(\n            x,\n            2,\n"
    truth = _truth(factory, MODULE, (old, old.replace("2", "3")))
    assert (truth.lines, truth.deleted) == ((12,), None)


def test_new_depth_counts_only_alone(factory: Any) -> None:
    text = "if a:\n    b()\n    c()\n"
    spans = ((0, 6), (6, 10), (14, 18))
    edits = tuple(factory.values.Edit("a.py", start, end, "") for start, end in spans)
    unwrapped = factory.truth.truth_of(factory.values.Mutation(edits, "unwrapped"), {"a.py": text})
    assert (unwrapped.lines, unwrapped.deleted) == ((1,), "if a:")
    deeper = factory.values.Mutation(edits[2:], "less deep")
    assert factory.truth.truth_of(deeper, {"a.py": text}).lines == (3,)


def test_a_function_is_told_where_the_text_is_no_python_any_more(factory: Any) -> None:
    truth = _truth(factory, MODULE, ("first(x)", "first(x"))
    assert (truth.lines, truth.function, truth.function_lines) == ((9,), "Net.forward", (7, 14))


def test_edits_that_overlap_are_refused(factory: Any) -> None:
    with pytest.raises(ValueError, match="overlap"):
        _truth(factory, MODULE, ("import os", ""), ("os", "re"))
    edit = factory.values.Edit("a.py", 5, 99, "")
    with pytest.raises(ValueError, match="outside"):
        factory.truth.apply(factory.values.Mutation((edit,), "gone"), {"a.py": "short\n"})


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_offsets_are_of_characters(factory: Any, newline: str) -> None:
    text = newline.join(["größe = 'ßß'", "x = f(größe, 5)  # ä", ""])
    (swap,) = (one for one in factory.operators.all_operators() if one.id == "arguments_swapped")
    (mutation,) = swap.mutate(factory.Target("a.py", text))
    assert factory.truth.apply(mutation, {"a.py": text}) == {
        "a.py": text.replace("f(größe, 5)", "f(5, größe)")
    }
