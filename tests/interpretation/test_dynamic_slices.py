"""The lines that failing values went through, in programs that are followed without being run."""

from __future__ import annotations

from pathlib import Path

import pytest

from dl_bug_lsp.interpretation.dynamic_slices import TracedInterpreter
from dl_bug_lsp.workspace import Workspace

PROGRAMS = {
    "names, calls and returns": """
def half(number):  # passed by
    rest = number // 2  # in
    return rest  # in

width = 9  # in
depth = 4  # out
rows = [1, 2]
print(rows[half(width)])  # fails
""",
    "only the item of a tuple that is unpacked": """
def sizes():
    first = 1  # out
    second = "2"  # in
    return first, second  # in

a, b = sizes()  # in
other = a + 1  # out
print(1 + b)  # fails
""",
    "what was put into a container": """
import torch
parts = []  # in
for number in range(2):  # out
    parts.append(torch.zeros(3, 4))  # in
parts = torch.stack(parts)  # in
weight = torch.zeros(5, 4)  # in
unused = torch.zeros(5, 6)  # out
torch.matmul(parts, weight)  # fails
""",
    "attributes of objects": """
class Net:
    def __init__(self, width, name):
        self.width = width  # in
        self.name = name  # out

    def step(self):
        return 1 + self.width  # fails

net = Net("3", "net")  # in
net.step()
""",
    "the size that fails, not the others of its array": """
import torch
rows = 8  # out
width = 3  # in
batch = torch.zeros(rows, width)  # in
layer = torch.nn.Linear(4, 2)  # in
layer(batch)  # fails
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_slice_holds_what_the_failing_values_went_through(name: str, tmp_path: Path) -> None:
    lines = PROGRAMS[name].splitlines()
    (tmp_path / "main.py").write_text(PROGRAMS[name], encoding="utf-8")
    marked = {
        mark: {n for n, line in enumerate(lines, 1) if line.endswith(f"# {mark}")}
        for mark in ("in", "out", "fails")
    }
    target = ("main.py", marked["fails"].pop())
    run = TracedInterpreter(Workspace(tmp_path, cache=False), "main.py", target)
    outcome = run.run()
    assert outcome.raised is not None
    reached = {line for _, line in outcome.dynamic_slice}
    assert reached >= marked["in"]
    assert not reached & marked["out"]


def test_lines_nearer_to_the_failure_have_less_between(tmp_path: Path) -> None:
    program = "width = '3'\nhandedon = width\nagain = handedon\nprint(1 + again)\n"
    (tmp_path / "main.py").write_text(program, encoding="utf-8")
    run = TracedInterpreter(Workspace(tmp_path, cache=False), "main.py", ("main.py", 4))
    distances = {line: n for (_, line), n in run.run().dynamic_slice.items()}
    assert distances[3] < distances[2] < distances[1]


def test_many_rounds_end(tmp_path: Path) -> None:
    program = (
        "rows = []\nfor n in range(400):\n    rows.append([n, n + 1])\n"
        "total = sum(a + b for a, b in rows)\nprint('x' + total)\n"
    )
    (tmp_path / "main.py").write_text(program, encoding="utf-8")
    run = TracedInterpreter(Workspace(tmp_path, cache=False), "main.py", ("main.py", 5))
    outcome = run.run()
    assert outcome.raised is not None
    assert ("main.py", 4) in outcome.dynamic_slice
