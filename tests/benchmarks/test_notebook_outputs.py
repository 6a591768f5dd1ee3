"""What the interpreter knows of a notebook, compared with the outputs that it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from written_notebooks import Output, notebook, printed, result

from dl_bug_lsp.workspace import Workspace

if TYPE_CHECKING:
    from notebook_outputs import Compared

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def compared(
    root: Path,
    cells: Sequence[tuple[int | None, str]],
    outputs: Mapping[int, Sequence[Output]],
) -> Compared | None:
    from notebook_outputs import compare

    (root / "look.ipynb").write_text(notebook(cells, outputs), encoding="utf-8")
    return compare(Workspace(root, cache=False), "look.ipynb", 60_000)


def counts_of(root: Path, source: str, *outputs: Output) -> dict[str, int]:
    """Return the verdicts of one cell that runs after an empty one."""
    found = compared(root, [(1, "pass"), (2, source)], {2: outputs})
    return {} if found is None else dict(found.counts)


ARRAY = "import numpy as np\nx = np.zeros((2, 3))\n"
OPEN = "import numpy as np\nx = np.zeros((int(input()), 3))\n"
TENSOR = "import torch\nx = torch.zeros(4, 2)\n"
ROWS = "array([[0., 0., 0.],\n       [0., 0., 0.]])"
TABLE = "import pandas as pd\nt = pd.DataFrame({'a': range(50), 'b': range(50)})\n"


@pytest.mark.parametrize(
    ("source", "shown", "verdict"),
    [
        pytest.param("n = 3\nn", "3", "right", id="number"),
        pytest.param("n = 3\nn", "4", "wrong", id="other number"),
        pytest.param("n = float('3')\nn", "np.float64(3.0)", "right", id="number of NumPy"),
        pytest.param(f"{ARRAY}x.shape", "(2, 3)", "right", id="shape"),
        pytest.param(f"{ARRAY}x.shape", "(2, 4)", "wrong", id="other shape"),
        pytest.param(f"{TENSOR}x.shape", "torch.Size([4, 2])", "right", id="size"),
        pytest.param(f"{TENSOR}x.shape", "torch.Size([4, 3])", "wrong", id="other size"),
        pytest.param(f"{ARRAY}x", ROWS, "right", id="array"),
        pytest.param(f"{OPEN}x", ROWS, "partly", id="array of so many rows"),
        pytest.param(f"{ARRAY}x[0]", ROWS, "wrong", id="array of other axes"),
        pytest.param(f"{TABLE}t", "   a  b\n\n[50 rows x 2 columns]", "right", id="table"),
        pytest.param(f"{TABLE}t", "   a  b\n\n[50 rows x 9 columns]", "wrong", id="other table"),
        pytest.param("import gone\ngone.count()", "3", "unknown", id="call without a model"),
        pytest.param("import gone\ngone.__version__", "'1.2'", "unknown", id="version"),
        pytest.param("raise ValueError\nint('3')", "3", "missed", id="never reached"),
    ],
)
def test_each_verdict_is_counted(source: str, shown: str, verdict: str, tmp_path: Path) -> None:
    assert counts_of(tmp_path, source, result(shown)) == {verdict: 1}


def test_wrong_and_unknown_values_are_kept_with_their_places(tmp_path: Path) -> None:
    cells = [(1, "import gone\nn = 3\nn"), (2, "gone.count(n)")]
    found = compared(tmp_path, cells, {1: [result("5")], 2: [result("6")]})
    assert found is not None
    ((file, line, ours, shown),) = found.wrong
    assert (file, ours) == ("look.ipynb", "n = 3")
    assert (tmp_path / "look.ipynb").read_text().splitlines()[line - 1].strip() == '"n"'
    assert "5" in shown
    ((_, _, ours, shown),) = found.unknown
    assert ours.startswith("gone.count(n) = ")
    assert "6" in shown


@pytest.mark.parametrize(
    ("source", "shown", "counts"),
    [
        pytest.param('print(f"n is {n} of {m}")', "n is 3 of 5\n", {"right": 2}, id="f-string"),
        pytest.param('print(f"n is {n} of {m}")', "n is 3 of 6\n",
                     {"right": 1, "wrong": 1}, id="f-string, one is wrong"),
        pytest.param('print("n is {} of {}.".format(n, m))', "n is 3 of 5.\n",
                     {"right": 2}, id="format"),
        pytest.param('print("n:", n, "of", m)', "n: 3 of 4\n",
                     {"right": 1, "wrong": 1}, id="arguments"),
        pytest.param("print(n)\nprint(m)", "3\n5\n", {"right": 2}, id="a line for each print"),
        pytest.param('print(f"{n}{m}")', "335\n", {}, id="nothing between"),
        pytest.param('print(f"{n} {word}")', "3 two words\n", {}, id="two splits"),
        pytest.param('print(f"{n:>3} of {m}")', "  3 of 5\n", {"right": 1}, id="formatted"),
        pytest.param('print("{0} {1}".format(n, m))', "3 5\n", {}, id="numbered fields"),
        pytest.param("print(n, m, sep=', ')", "3, 5\n", {}, id="separator"),
        pytest.param("print(n)\nfor i in range(2):\n    print(i)", "3\n0\n1\n", {}, id="loop"),
        pytest.param('print(f"n is {n}")', "it is 3\n", {}, id="another text"),
    ],
)  # fmt: skip
def test_printed_lines_are_split_at_their_constant_texts(
    source: str, shown: str, counts: dict[str, int], tmp_path: Path
) -> None:
    head = "n, m, word = 3, 5, 'two words'\n"
    assert counts_of(tmp_path, head + source, printed(shown)) == counts


@pytest.mark.parametrize(
    ("executed", "follows"),
    [
        ((1, 2, 3), True),
        ((4, 9, 12), True),
        ((2, 1, 3), False),
        ((1, 3, 3), False),
        ((1, None, 3), True),
        ((None, None, 3), False),
    ],
)
def test_only_notebooks_whose_counts_rise_are_followed(
    executed: tuple[int | None, ...], follows: bool, tmp_path: Path
) -> None:
    cells = [*zip(executed, ("n = 3", "m = 4", "n"), strict=True)]
    found = compared(tmp_path, cells, {count: [result("3")] for count in executed if count})
    assert (found is not None) is follows


def test_what_a_cell_shows_is_known_in_later_cells_only(tmp_path: Path) -> None:
    cells = [(1, "n = int(input())\nn"), (2, "n"), (3, "n")]
    outputs = {1: [result("7")], 2: [result("7")], 3: [result("8")]}
    found = compared(tmp_path, cells, outputs)
    assert found is not None
    assert found.counts == {"unknown": 1, "right": 1, "wrong": 1}


def test_what_a_cell_prints_is_known_in_later_cells_only(tmp_path: Path) -> None:
    cells = [(1, "n = int(input())\nprint('n:', n)"), (2, "print(n)")]
    found = compared(tmp_path, cells, {1: [printed("n: 7\n")], 2: [printed("8\n")]})
    assert found is not None
    assert found.counts == {"unknown": 1, "wrong": 1}


def test_a_notebook_without_outputs_tells_nothing(tmp_path: Path) -> None:
    assert compared(tmp_path, [(1, "n = 3"), (2, "n")], {}) is None
