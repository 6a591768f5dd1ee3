"""Elements of Python files and notebooks, whole and broken."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dl_bug_lsp.workspace import FileElements, Workspace
from dl_bug_lsp.workspace.elements import elements_of, outline, python_record, split_lines
from dl_bug_lsp.workspace.notebooks import read_cells

SOURCE = '''\
import os, torch.nn as nn
from . import data
from ..models.net import UNet, *
from .utils import *

@register("head")
class Head(nn.Module):
    """A linear head."""

    def __init__(self, dim=512):
        super().__init__()
        def inner():
            return 3e-4
        self.fc = nn.Linear(dim, 10)  # outputFeatures

    @property
    async def numClasses(self): return HTTPServer2

if True:
    def late(x):
        return x
else:
    try:
        pass
    finally:
        class Last: pass
match late:
    case 1:
        def matched(): ...
'''


def elements(text: str, file: str = "a.py") -> FileElements:
    return elements_of(file, python_record(text))


def test_functions_have_dotted_names_and_lines() -> None:
    found = elements(SOURCE.replace(", *", ""))
    assert [(f.name, f.line, f.end_line, f.is_class) for f in found.functions] == [
        ("Head", 7, 17, True),
        ("Head.__init__", 10, 14, False),
        ("Head.__init__.inner", 12, 13, False),
        ("Head.numClasses", 17, 17, False),
        ("late", 20, 21, False),
        ("Last", 26, 26, True),
        ("matched", 29, 29, False),
    ]


def test_imports_name_modules_that_may_be_meant() -> None:
    assert elements(SOURCE.replace(", *", "")).imports == (
        "os",
        "torch.nn",
        ".",
        ".data",
        "..models.net",
        "..models.net.UNet",
        ".utils",
    )


def test_broken_python_keeps_its_outline(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "import os\nclass A:\n    def f(self):\n        x = (1\n    def g(self):\n        pass\n"
        "\n# end\n)\ndef h():\n\treturn 1\n"
    )
    workspace = Workspace(tmp_path, cache=False)
    found = workspace.elements("a.py")
    assert [(f.name, f.line, f.end_line) for f in found.functions] == [
        ("A", 2, 6),
        ("A.f", 3, 4),
        ("A.g", 5, 6),
        ("h", 10, 11),
    ]
    assert found.imports == ("os",)
    # Which words and which of the two lines depends on the interpreter.
    assert found.problem is not None
    assert found.problem_line in (4, 5)
    assert workspace.tree("a.py") is None
    assert workspace.enclosing_function("a.py", 4) == "A.f"


BROKEN = [
    "x = 1\0",
    "def f(:\n",
    "(" * 500,
    "-" * 100_000 + "1",
    "\x0c\ndef f():\n  return 1\n",
    "class\n",
    "print 'python 2'\n",
    "'\\d'\n",
    "\tdef f(): pass\n def g(): pass",
]


@pytest.mark.parametrize("text", BROKEN)
def test_no_source_makes_the_index_raise(text: str) -> None:
    found = elements(text)
    assert all(f.line <= f.end_line for f in found.functions)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="defclass (:)\n\t\"'#=1ab,", max_size=80))
def test_arbitrary_text_is_indexed(text: str) -> None:
    found = elements(text)
    assert all(1 <= f.line <= f.end_line for f in found.functions)


def test_the_outline_agrees_with_the_syntax_tree_on_sound_files() -> None:
    for path in sorted(Path(ast.__file__).parent.glob("[a-d]*.py"))[:25]:
        text = path.read_text("utf-8")
        exact = {(f.name, f.line) for f in elements(text).functions}
        scanned = {(name, line) for name, line, _, _ in outline(split_lines(text))}
        assert len(exact & scanned) >= 0.95 * len(exact), path.name


def notebook(cells: list[dict[str, object]], indent: int | None = 1) -> str:
    return json.dumps({"cells": cells, "nbformat": 4}, indent=indent)


def code(source: object, count: int | None = None) -> dict[str, object]:
    return {"cell_type": "code", "execution_count": count, "source": source, "outputs": []}


def test_a_notebook_is_read_on_the_lines_of_the_file(tmp_path: Path) -> None:
    text = notebook([code(["%%time\n", "x = !ls\n", "def f(a):\n", "    return a\n"], 5)])
    (tmp_path / "n.ipynb").write_text(text)
    workspace = Workspace(tmp_path, cache=False)
    lines = workspace.lines("n.ipynb")
    tree = workspace.tree("n.ipynb")
    assert tree is not None
    function = tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    assert "def f(a)" in lines[function.lineno - 1]
    assert "return a" in lines[function.body[0].lineno - 1]
    found = workspace.elements("n.ipynb")
    assert [(f.name, f.line) for f in found.functions] == [("f", function.lineno)]
    assert workspace.enclosing_function("n.ipynb", function.lineno + 1) == "f"
    assert "n.ipynb" in workspace.python_files()


SHAPES = [
    (notebook([code("a = 1\nb = 2")]), [("a = 1", "b = 2")]),
    (notebook([code(["a = 1\n", "b = 2"])], None), [("a = 1", "b = 2")]),
    (notebook([code(["a = 1\nb", " = 2"])]), [("a = 1", "b = 2")]),
    (notebook([code([]), code("")]), [(), ()]),
    (notebook([{"cell_type": "markdown", "source": ["x"]}]), []),
    (
        json.dumps({"worksheets": [{"cells": [{"cell_type": "code", "input": ["a"]}]}]}),
        [("a",)],
    ),
    ('{"cells": [{"cell_type": "code", "source": ["a = 1\\n", ', [("a = 1",)]),
    ("", []),
    ("[]", []),
    ('{"cells": 3}', []),
]


LOGGED = [
    "def accuracy(right, whole):\n",
    "    print('Accuracy: %d of %d'\n",
    "          %(right, whole))\n",
    "    note = 'a' + \\\n",
    "        '%s' \\\n",
    "        % right\n",
    "    text = '''\n",
    "%time is no magic in here\n",
    "'''\n",
    "    return right / whole\n",
    "%time result = accuracy(\n",
    "    1, 2)\n",
    "%timeit accuracy(1, 2)\n",
    "%matplotlib inline\n",
]


def test_a_percent_sign_is_an_operator_inside_of_a_statement(tmp_path: Path) -> None:
    (tmp_path / "n.ipynb").write_text(notebook([code(LOGGED)]))
    tree = Workspace(tmp_path, cache=False).tree("n.ipynb")
    assert tree is not None
    functions = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    names = [n.targets[0].id for n in tree.body if isinstance(n, ast.Assign)]  # type: ignore[attr-defined]
    assert (functions, names) == (["accuracy"], ["result"])


@pytest.mark.parametrize(("text", "expected"), SHAPES)
def test_notebook_shapes(text: str, expected: list[tuple[str, ...]]) -> None:
    assert [cell.lines for cell in read_cells(text)] == expected


def test_one_broken_cell_does_not_hide_the_rest(tmp_path: Path) -> None:
    (tmp_path / "n.ipynb").write_text(notebook([code("def f(:\n"), code("def g(): pass")]))
    workspace = Workspace(tmp_path, cache=False)
    tree = workspace.tree("n.ipynb")
    assert tree is not None
    assert [node.name for node in tree.body if isinstance(node, ast.FunctionDef)] == ["g"]
    found = workspace.elements("n.ipynb")
    assert found.problem is not None
    assert found.problem_line is not None
    assert "def f(:" in workspace.lines("n.ipynb")[found.problem_line - 1]
