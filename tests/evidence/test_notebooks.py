"""Notebook cells that make names too late, out of order or twice: real files, a log each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from followed_programs import shown
from written_notebooks import Output, notebook, printed, result

from dl_bug_lsp.interpretation.interpreter import Interpreter
from dl_bug_lsp.interpretation.values import ModuleValue
from dl_bug_lsp.localize import localize
from dl_bug_lsp.workspace import Workspace

MADE = "train = frame.head(3)"
USED = "print(train.shape)"
LATER = "below the one that failed"
"""How the reason ends where execution counts tell nothing."""
CASES = [
    # cells as (execution count, source), the reason for suspecting the cell that makes the name
    pytest.param(
        [(1, "frame = load()"), (2, USED), (None, MADE)], "no execution count", id="never run"
    ),
    pytest.param([(2, USED), (7, MADE)], "last ran after the failure", id="run afterwards"),
    pytest.param(
        [(7, MADE), (2, USED)], "last ran after the failure", id="stands above, ran afterwards"
    ),
    pytest.param([(None, USED), (None, MADE)], LATER, id="counts cleared"),
    pytest.param([(1, MADE), (2, "del train"), (3, USED)], None, id="made before"),
    pytest.param([(None, MADE), (None, USED)], None, id="stands above, counts cleared"),
]


@pytest.mark.parametrize(("cells", "reason"), CASES)
def test_a_cell_that_makes_a_name_too_late(
    cells: list[tuple[int | None, str]], reason: str | None, tmp_path: Path
) -> None:
    (tmp_path / "look.ipynb").write_text(notebook(cells), encoding="utf-8")
    count = next(count for count, source in cells if source == USED)
    text = (
        "---------------------------------------------------------------------------\n"
        "NameError                                 Traceback (most recent call last)\n"
        f"Cell In[{count or 2}], line 1\n"
        f"----> 1 {USED}\n"
        "\n"
        "NameError: name 'train' is not defined\n"
    )
    failure = localize(text, Workspace(tmp_path)).failures[0]
    line = next(
        number
        for number, raw in enumerate((tmp_path / "look.ipynb").read_text().splitlines(), 1)
        if MADE in raw
    )
    found = [e.why for s in failure.suspects if s.line == line for e in s.evidence]
    assert all(s.cell is not None and s.cell.line == 1 for s in failure.suspects)
    late = [why for why in found if "is made here, in code cell" in why]
    assert [why.endswith(reason or "") for why in late] == [True] * (reason is not None), found
    sources = [source for _, source in cells]
    # From the top a cell fails whose name only a cell below makes, or one above deletes.
    is_above = sources.index(MADE) < sources.index(USED) and "del train" not in sources
    told = any("cells may have run in another order" in a.cause for a in failure.advice)
    assert told == is_above


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([(None, MADE), (None, USED)], "run code cell 1 first, which sets it (line "),
        (
            [(1, MADE), (2, USED)],
            "code cell 1, which sets it (line 9), ran before; it may have stopped",
        ),
        (
            [(1, MADE), (3, USED), (4, "4"), (4, "5")],
            "code cell 1, which sets it (line 9), ran before; it may have stopped",
        ),
        ([(4, MADE), (4, "4"), (3, USED)], "run code cell 1 first, which sets it (line 9)"),
        ([(7, MADE), (2, USED)], "code cell 1, which sets it (line 9), last ran after the failure"),
        ([(1, MADE), (2, "del train"), (3, USED)], "is deleted here, in code cell 2"),
        ([(1, MADE), (2, "%reset_selective -f train"), (3, USED)], "deleted here, in code cell 2"),
        ([(1, "if ready:\n    " + MADE), (2, USED)], ""),
        ([(None, MADE), (None, "train = clean(train)"), (None, USED)], "run code cell 1 first, "),
        ([(None, "train = clean(train)"), (None, USED)], ""),
        ([(1, "train += 1"), (2, USED)], ""),
    ],
)
def test_a_name_that_a_cell_above_sets(
    cells: list[tuple[int | None, str]], said: str, tmp_path: Path
) -> None:
    """Had that cell run in this kernel, the name would have a value."""
    (tmp_path / "look.ipynb").write_text(notebook(cells), encoding="utf-8")
    text = (
        "---------------------------------------------------------------------------\n"
        "NameError                                 Traceback (most recent call last)\n"
        f"Cell In[3], line 1\n----> 1 {USED}\n\nNameError: name 'train' is not defined\n"
    )
    failure = localize(text, Workspace(tmp_path)).failures[0]
    found = " ".join(e.why for s in failure.suspects for e in s.evidence)
    assert said in found
    assert ("run code cell" in found) == ("first" in said)


MODEL = "model = build()"
FAILING = "fit(model, target)"
OTHER = "model = baseline()"
REMADE = "target = encode(target)"
ORDERS = [
    # cells as (execution count, source), the suspected source, the reason
    pytest.param(
        [(1, MODEL), (4, FAILING), (3, OTHER)], OTHER, "had its value from here", id="overwritten"
    ),
    pytest.param([(1, MODEL), (2, FAILING), (3, OTHER)], None, "", id="ran afterwards"),
    pytest.param([(1, OTHER), (2, MODEL), (3, FAILING)], None, "", id="in order"),
    pytest.param(
        [(4, REMADE), (3, MODEL), (5, FAILING)], REMADE, "two runs", id="ran again, out of order"
    ),
    pytest.param(
        [(1, MODEL), (3, REMADE), (4, FAILING)], REMADE, "two runs", id="ran again at once"
    ),
    pytest.param(
        [(6, OTHER), (1, MODEL), (3, REMADE), (4, FAILING), (6, OTHER)],
        None,
        "",
        id="counts of two sessions",
    ),
    pytest.param(
        [(1, MODEL), (3, "target = target.astype(int)"), (4, FAILING)],
        None,
        "",
        id="a second run changes nothing",
    ),
    pytest.param([(1, MODEL), (2, REMADE), (4, FAILING)], None, "", id="another cell ran again"),
    pytest.param([(4, "target = load()"), (3, MODEL), (5, FAILING)], None, "", id="made anew"),
]


@pytest.mark.parametrize(("cells", "source", "reason"), ORDERS)
def test_cells_that_ran_out_of_order_or_again(
    cells: list[tuple[int | None, str]], source: str | None, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "look.ipynb").write_text(notebook(cells), encoding="utf-8")
    count = next(count for count, text in cells if text == FAILING)
    text = (
        "---------------------------------------------------------------------------\n"
        "KeyError                                  Traceback (most recent call last)\n"
        f"Cell In[{count}], line 1\n"
        f"----> 1 {FAILING}\n"
        "\n"
        "KeyError: 'depth'\n"
    )
    failure = localize(text, Workspace(tmp_path)).failures[0]
    lines = (tmp_path / "look.ipynb").read_text().splitlines()
    said = [
        (lines[suspect.line - 1].strip().strip('"'), evidence.why)
        for suspect in failure.suspects
        for evidence in suspect.evidence
        if "had its value from here" in evidence.why or "two runs" in evidence.why
    ]
    assert [(line, reason in why) for line, why in said] == [(source, True)] * (source is not None)
    told = any("cells may have run in another order" in advice.cause for advice in failure.advice)
    assert told is (source is not None)


def test_the_notebook_comes_before_the_copy_that_papermill_wrote(tmp_path: Path) -> None:
    cells = [(1, "frame = None"), (2, "print(frame.shape)")]
    (tmp_path / "study.ipynb").write_text(notebook(cells))
    copy = json.loads(notebook([(1, "n = 3"), *((n + 1, text) for n, text in cells if n)]))
    copy["metadata"]["papermill"] = {"input_path": "study.ipynb", "output_path": "out.ipynb"}
    (tmp_path / "out.ipynb").write_text(json.dumps(copy, indent=1))
    log = (
        "Cell In[3], line 1\n----> 1 print(frame.shape)\n\n"
        "AttributeError: 'NoneType' object has no attribute 'shape'\n"
    )
    rule = "-" * 75
    head = f"{rule}\nAttributeError                            Traceback (most recent call last)\n"
    failure = localize(head + log, Workspace(tmp_path)).primary
    assert failure is not None
    assert [f.workspace_file for f in failure.frames] == ["study.ipynb"]
    assert failure.suspects[0].file == "study.ipynb"


def suspects(
    cells: list[tuple[int | None, str]],
    outputs: dict[int, Output],
    text: str,
    root: Path,
) -> list[tuple[str, list[str]]]:
    """Return the source lines of the suspects of a notebook, each with its reasons.

    ``outputs`` are those of cells by execution count.
    """
    written = notebook(cells, {count: [output] for count, output in outputs.items()})
    (root / "look.ipynb").write_text(written, encoding="utf-8")
    failure = localize(text, Workspace(root)).failures[0]
    lines = (root / "look.ipynb").read_text().splitlines()
    return [
        (
            lines[s.line - 1].strip().rstrip(",").strip('"').removesuffix("\\n"),
            [e.why for e in s.evidence],
        )
        for s in failure.suspects
        if s.file == "look.ipynb"
    ]


RULE = "-" * 75 + "\n"


def test_a_cell_that_maps_labels_twice(tmp_path: Path) -> None:
    rows = "\n".join(f"{n},{'yes' if n % 3 else 'no'}" for n in range(20))
    (tmp_path / "leaves.csv").write_text(f"size,label\n{rows}\n")
    mapped = "table['label'] = table['label'].map({'yes': 1, 'no': 0})"
    cells: list[tuple[int | None, str]] = [
        (1, "import pandas as pd\nfrom sklearn.model_selection import train_test_split"),
        (2, "table = pd.read_csv('leaves.csv')"),
        (4, mapped),
        (5, "table = table.dropna()"),
        (6, "train, test = train_test_split(table, test_size=0.2)"),
    ]
    text = (
        f"{RULE}ValueError                                Traceback (most recent call last)\n"
        "Cell In[6], line 1\n----> 1 train, test = train_test_split(table, test_size=0.2)\n\n"
        "ValueError: With n_samples=0, test_size=0.2 and train_size=None, the resulting train set "
        "will be empty. Adjust any of the aforementioned parameters.\n"
    )
    first, reasons = suspects(cells, {}, text, tmp_path)[0]
    assert first == mapped
    assert any("none" not in why and "become missing" in why for why in reasons)
    assert any("code cell 3 is assumed to have run more than once" in why for why in reasons)
    assert not any(
        "does not pass" in why for _, whys in suspects(cells, {}, text, tmp_path) for why in whys
    )


def test_a_cell_that_adds_an_axis_twice(tmp_path: Path) -> None:
    added = "spectra = spectra.unsqueeze(1)"
    cells: list[tuple[int | None, str]] = [
        (1, "import torch\nfrom torch import nn\nfrom torch.utils.data import DataLoader"),
        (2, "spectra = torch.zeros(40, 128)"),
        (4, added),
        (5, "loader = DataLoader(spectra, batch_size=8)"),
        (6, "conv = nn.Conv1d(1, 4, 3)"),
        (7, "for x in loader:\n    conv(x)"),
    ]
    text = (
        f"{RULE}RuntimeError                              Traceback (most recent call last)\n"
        "Cell In[7], line 2\n      1 for x in loader:\n----> 2     conv(x)\n\n"
        "RuntimeError: Expected 2D (unbatched) or 3D (batched) input to conv1d, but got input of "
        "size: [8, 1, 1, 128]\n"
    )
    first, reasons = suspects(cells, {}, text, tmp_path)[0]
    assert first == added
    assert any("with one more run of code cell 3" in why for why in reasons)


def test_columns_that_only_the_output_of_a_cell_shows(tmp_path: Path) -> None:
    shown = "   size  first name  kind\n0     3      Anna B  fern\n1     4         Cem  moss\n"
    dropped = "table.drop(['first name'], axis=1, inplace=True)"
    cells: list[tuple[int | None, str]] = [
        (1, "import pandas as pd\ntable = pd.read_csv('../input/plants.csv')\ntable.head(2)"),
        (2, dropped),
        (3, "titles = table['first name'].str.split()"),
    ]
    outputs = {1: result(shown)}
    text = (
        f"{RULE}KeyError                                  Traceback (most recent call last)\n"
        "Cell In[3], line 1\n----> 1 titles = table['first name'].str.split()\n\n"
        "KeyError: 'first name'\n"
    )
    first, reasons = suspects(cells, outputs, text, tmp_path)[0]
    assert first == dropped
    assert any("after this line `first name` is no column" in why for why in reasons)
    assert not any(
        "is no column any more" in w
        for _, whys in suspects(cells, {}, text, tmp_path)
        for w in whys
    )


SHAPES_PRINTED = [
    # how a cell prints the shape of a tensor of so many rows, what it wrote, the known shape
    pytest.param('print(f"train: {x.shape}")', "train: torch.Size([40, 3])", 40, id="f-string"),
    pytest.param('print("train: {}.".format(x.shape))', "train: (40, 3).", 40, id="format"),
    pytest.param('print("train:", x.shape, "rows")', "train: (40, 3) rows", 40, id="arguments"),
    pytest.param("print(x.shape[0])", "40", 40, id="first size"),
    pytest.param('print(f"{x.shape[0]} rows")', "40 rows", 40, id="first size and a text"),
    pytest.param("print(x.size())", "torch.Size([40, 3])", 40, id="size"),
    pytest.param("print(len(x), 'rows')", "40 rows", 40, id="length"),
    pytest.param('print(f"{x.shape}{x.shape}")', "(40, 3)(40, 3)", None, id="two splits"),
    pytest.param("print('x', x.shape, sep='')", "x(40, 3)", None, id="separator"),
    pytest.param("print(x.shape)", "(40, 3)\nmore", None, id="another line"),
    pytest.param("print(x.shape[1])", "40", None, id="second size"),
]


@pytest.mark.parametrize(("show", "output", "rows"), SHAPES_PRINTED)
def test_what_a_print_wrote_teaches_shapes(
    show: str, output: str, rows: int | None, tmp_path: Path
) -> None:
    cells = [
        (1, f"import torch\nx = torch.zeros(int(input()), 3)\n{show}"),
        (2, "raise SystemExit"),
    ]
    text = notebook(cells, {1: [printed(f"{output}\n")]})
    (tmp_path / "look.ipynb").write_text(text, encoding="utf-8")
    last = next(n for n, line in enumerate(text.splitlines(), 1) if "SystemExit" in line)
    workspace = Workspace(tmp_path, cache=False)
    interpreter = Interpreter(workspace, "look.ipynb", ("look.ipynb", last))
    interpreter.run()
    module = interpreter.modules["look.ipynb"].data
    assert isinstance(module, ModuleValue)
    assert shown(module.environment.names["x"]) == ((rows, 3), "float32")


@pytest.mark.parametrize(
    ("first", "is_sure"),
    [
        ("import numpy", True),
        ("# from widgets import *", True),
        ("from widgets import *", False),
        ("%run settings.py", False),
        ("%pylab inline", False),
        ("%load_ext snippets", False),
        ("exec(open('settings.py').read())", False),
        ("globals()['limit'] = 3", False),
    ],
)
def test_what_cannot_be_read_may_give_a_name_its_value(
    first: str, is_sure: bool, tmp_path: Path
) -> None:
    used = "show(sliders)"
    cells: list[tuple[int | None, str]] = [(1, first), (2, "def show(x):\n    pass"), (3, used)]
    text = (
        f"{RULE}NameError                                 Traceback (most recent call last)\n"
        f"Cell In[3], line 1\n----> 1 {used}\n\nNameError: name 'sliders' is not defined\n"
    )
    said = [why for _, whys in suspects(cells, {}, text, tmp_path) for why in whys]
    assert any("nothing gives `sliders` a value" in why for why in said) is is_sure, said
    assert any("gives is not known" in why for why in said) is not is_sure, said


@pytest.mark.parametrize(("now", "is_told"), [("", False), ("print(1)", False), (None, True)])
def test_a_line_that_is_gone_runs_in_no_order(
    now: str | None, is_told: bool, tmp_path: Path
) -> None:
    cells: list[tuple[int | None, str]] = [(1, "frame = load()"), (2, "frame = frame.drop('a')")]
    cells += [(7, now)] if now is not None else []
    (tmp_path / "look.ipynb").write_text(notebook(cells), encoding="utf-8")
    text = (
        f"{RULE}AttributeError                            Traceback (most recent call last)\n"
        "<ipython-input-7-78613366fb65> in <module>()\n----> 1 frame.rows[0].dtype\n\n"
        "AttributeError: 'list' object has no attribute 'dtype'\n"
    )
    failure = localize(text, Workspace(tmp_path)).failures[0]
    told = any("cells may have run in another order" in advice.cause for advice in failure.advice)
    assert told is is_told
