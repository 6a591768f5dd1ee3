"""Tracebacks that IPython printed (`record_notebooks.py`) lead to the lines of the notebook."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from dl_bug_lsp.localize import localize
from dl_bug_lsp.logs import read_log
from dl_bug_lsp.report import Confidence
from dl_bug_lsp.tracebacks import read_failures
from dl_bug_lsp.views.words import finding, outside
from dl_bug_lsp.workspace import Workspace
from dl_bug_lsp.workspace.locating import Printed

HERE = Path(__file__).resolve().parent


def _recorder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("record_notebooks", HERE / "record_notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RECORDER = _recorder()
LOGS: dict[str, list[str]] = json.loads((HERE / "notebook_tracebacks.json").read_text("utf-8"))


def _as_colab(text: str) -> str:
    """Name the cells as Colab does since 2025."""
    text = re.sub(r"/tmp/ipykernel_\d+/(\d+)\.py in <module>",
                  r"/tmp/ipython-input-\1.py in <cell line: 0>()", text)  # fmt: skip
    return re.sub(r"/tmp/ipykernel_\d+/(\d+)\.py", r"/tmp/ipython-input-\1.py", text)


def _as_kaggle(text: str) -> str:
    """Name the top level as IPython 8.0 does, which Colab and Kaggle took over."""
    return re.sub(r"(/tmp/ipykernel_\d+/\d+\.py) in <module>", r"\1 in <cell line: 1>()", text)


def _as_vscode(text: str) -> str:
    """Name the cells and link the numbers of their lines as VS Code does.

    Of a header's line only the first digit is left.
    """
    text = re.sub(
        r"^Cell In\[(\d+)\], line (\d)\d*(?:, in .*)?$",
        r"/home/me/my project/nb.ipynb Cell \1 line \2", text, flags=re.MULTILINE,
    )  # fmt: skip

    def link(match: re.Match[str]) -> str:
        target = f"vscode-notebook-cell:/home/me/my%20project/nb.ipynb#X1?line={match[2]}"
        return f"{match[1]}<a href='{target}'>{match[2]}</a>{match[3] or ''}"

    return re.sub(r"^(-+> ?| +)(\d+)( .*)?$", link, text, flags=re.MULTILINE)


FORMS = {
    **{version: (version, str) for version in LOGS},
    "Colab": ("7.34.0", _as_colab),
    "Kaggle": ("7.34.0", _as_kaggle),
    "VS Code": ("8.38.0", _as_vscode),
}
CASES = [(form, cell) for form in FORMS for cell in range(1, len(RECORDER.CELLS))]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder = tmp_path_factory.mktemp("notebook")
    cells = [
        {
            "cell_type": "code",
            "execution_count": number,
            "metadata": {},
            "outputs": [],
            "source": source.splitlines(keepends=True),
        }
        for number, (source, _) in enumerate(RECORDER.CELLS, 1)
    ]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}, indent=1)
    (folder / "nb.ipynb").write_text(text, encoding="utf-8")
    return Workspace(folder, cache=False)


@pytest.mark.parametrize(("form", "cell"), CASES)
def test_the_frames_of_a_failing_cell_are_found(workspace: Workspace, form: str, cell: int) -> None:
    version, change = FORMS[form]
    failures = read_failures(read_log(change(LOGS[version][cell]))).failures
    assert [failure.primary for failure in failures] == [True]
    frames = failures[0].frames
    printed = [Printed(f.file, f.line, f.function, f.source, f.excerpt) for f in frames]
    places = [p for p in workspace.locate_stack(printed) if p is not None]
    cells = workspace.cells("nb.ipynb")
    at = [next(c for c in cells if p.line in c.raw) for p in places]
    found = [(c.number - 1, c.raw.index(p.line) + 1) for c, p in zip(at, places, strict=True)]
    expected = RECORDER.CELLS[cell][1]
    assert found == [
        (cell if number == RECORDER.OWN else number, line) for number, line in expected
    ]


@pytest.mark.parametrize(
    "line",
    [
        "<__array_function__ internals> in dot(*args, **kwargs)",
        "pandas/_libs/hashtable_class_helper.pxi in pandas._libs.PyObjectHashTable.get_item()",
        "pandas/_libs/index.pyx in pandas._libs.index.get_loc (pandas/_libs/index.c:5239)()",
        "</usr/lib/decorator.py:decorator-gen-60> in time(self, line, cell, local_ns)",
        "~/lib/gensim/_matutils.pyx in init gensim._matutils()",
        r"~\AppData\Local\Temp\ipykernel_10476\574881629.py in ?()",
        "/opt/conda/lib/python3.7/site-packages/pandas/io/parsers.pyc in _read(path, kwds)",
    ],
)
def test_frames_without_source_do_not_end_a_traceback(line: str) -> None:
    text = "\n".join((
        "-" * 75,
        "KeyError                                  Traceback (most recent call last)",
        "<ipython-input-4-5ab9e1a3c2d1> in <module>",
        "      1 total = 0",
        "----> 2 table['price']",
        "",
        line,
        "",
        "KeyError: 'price'",
    ))  # fmt: skip
    failures = read_failures(read_log(text)).failures
    assert [f.dialect for f in failures] == ["ipython"]
    sources = [frame.source for frame in failures[0].frames]
    assert sources == ["table['price']", None]


def test_a_printed_line_that_several_cells_have_is_told_by_its_neighbours(tmp_path: Path) -> None:
    sources = [["a = 1\n", "model.fit(a)"], ["b = 2\n", "model.fit(a)"]]
    cells = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": s}
        for s in sources
    ]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}, indent=1)
    (tmp_path / "nb.ipynb").write_text(text, encoding="utf-8")
    workspace = Workspace(tmp_path, cache=False)
    frame = Printed("/tmp/ipython-input-77.py", 2, None, "model.fit(a)", ((1, "b = 2"),))
    place = workspace.locate_stack([frame])[0]
    assert place is not None
    assert place.line == workspace.cells("nb.ipynb")[1].raw[1]


def test_an_interrupted_library_is_an_interruption() -> None:
    text = "\n".join((
        "KeyError                                  Traceback (most recent call last)",
        "/usr/lib/python3/dist-packages/bayes_opt/target_space.py in probe(self, params)",
        "    190         try:",
        "--> 191             target = self._cache[_hashable(x)]",
        "",
        "KeyError: (0.9, 0.98)",
        "",
        "During handling of the above exception, another exception occurred:",
        "",
        "KeyboardInterrupt                         Traceback (most recent call last)",
        "<ipython-input-9-5ab9e1a3c2d1> in <module>",
        "----> 1 optimizer.maximize(n_iter=30)",
        "",
        "KeyboardInterrupt: ",
    ))  # fmt: skip
    failures = read_failures(read_log(text)).failures
    assert [f.cause.type for f in failures if f.primary and f.cause] == ["KeyboardInterrupt"]


def _written(tmp_path: Path, *cells: tuple[int | None, str]) -> Workspace:
    rows = [
        {
            "cell_type": "code",
            "execution_count": count,
            "metadata": {},
            "outputs": [],
            "source": source.splitlines(keepends=True),
        }
        for count, source in cells
    ]
    text = json.dumps({"cells": rows, "metadata": {}, "nbformat": 4}, indent=1)
    (tmp_path / "nb.ipynb").write_text(text, encoding="utf-8")
    return Workspace(tmp_path, cache=False)


def _log(count: int, line: str, error: str) -> str:
    head = f"{error.partition(':')[0]:<34}Traceback (most recent call last)"
    return f"{'-' * 75}\n{head}\nCell In[{count}], line 1\n----> 1 {line}\n\n{error}\n"


def test_a_cell_that_was_rewritten_since_has_no_failing_line(tmp_path: Path) -> None:
    workspace = _written(tmp_path, (1, "import torch"), (2, "model = torch.nn.Linear(2, 2)"))
    log = _log(2, "from xgboost import Booster", "ModuleNotFoundError: No module named 'xgboost'")
    report = localize(log, workspace).primary
    assert report is not None
    assert [frame.workspace_line for frame in report.frames] == [None]
    assert "the cell was changed since" in outside(report)


STOOD = "the failing line stood here; the cell was changed after the run"
EDITED = {
    "small edit of the same cell": (
        [(2, "x = 1\nfit(x, epochs=5)"), (3, "print(x)")],
        (2, "fit(x, epoch=5)"),
        (),
        (0, 1),
    ),
    "stray token at the end": (
        [(2, "rows = read('a.csv')read")],
        (2, "rows = read('a.csv')"),
        (),
        (0, 0),
    ),
    "other line between the same ones": (
        [(None, "table = load(path)\ny = table.iloc[:, 3]\nmodel.fit(X, y)"), (7, "y = 2")],
        (7, "labels = frame['label']"),
        ((1, "table = load(path)"), (3, "model.fit(X, y)")),
        (0, 1),
    ),
    "two lines as good": (
        [(2, "fit(x, epochs=5)\nfit(x, epochs=6)")],
        (2, "fit(x, epochs=7)"),
        (),
        None,
    ),
    "another line of the same cell": ([(2, "import torch")], (2, "model.fit(a, b)"), (), None),
    "alike in another cell": ([(5, "fit(x, epochs=5)")], (2, "fit(x, epochs=7)"), (), None),
    "short": ([(2, "# run()")], (2, "run()"), (), None),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITED)
def test_a_line_that_was_changed_since_is_named_as_such(tmp_path: Path, name: str) -> None:
    cells, (count, printed), around, expected = EDITED[name]
    workspace = _written(tmp_path, *cells)
    frame = Printed(f"Cell In[{count}]", 2, None, printed, around)
    place = workspace.locate_stack([frame])[0]
    raw = [cell.raw for cell in workspace.cells("nb.ipynb")]
    assert (place and place.line) == (raw[expected[0]][expected[1]] if expected else None)
    assert place is None or place.edited


def test_a_line_with_another_comment_is_the_same_line(tmp_path: Path) -> None:
    cells = [(None, "sizes.remove(4)\nsizes"), (None, "sizes.remove(4)  # error\nsizes")]
    workspace = _written(tmp_path, *cells)
    printed = Printed("Cell In[9]", 2, None, "sizes.remove(4)  # KeyError: 4", ((3, "sizes"),))
    place = workspace.locate_stack([printed])[0]
    assert place is not None and not place.edited
    assert place.line == workspace.cells("nb.ipynb")[1].raw[0]


def test_a_magic_is_compared_as_it_was_typed(tmp_path: Path) -> None:
    workspace = _written(tmp_path, (3, "fit(x)"), (None, "%matplotlib inline\n!ls data\nfit(x)"))
    around = (
        (1, "get_ipython().run_line_magic('matplotlib', 'inline')"),
        (2, "get_ipython().system('ls data')"),
    )
    place = workspace.locate_stack([Printed("Cell In[9]", 3, None, "fit(x)", around)])[0]
    assert place is not None
    assert place.line == workspace.cells("nb.ipynb")[1].raw[2]


LINKED = """\
ValueError                                Traceback (most recent call last)
/home/ada/old.ipynb Cell 2 line 1
----> <a href='vscode-notebook-cell:/ada/old.ipynb#Y1?line=0'>1</a> scores = measure(words, targets)
      <a href='vscode-notebook-cell:/home/ada/old.ipynb#Y1?line=1'>2</a> print(scores)

ValueError: no words
"""


def test_the_links_of_an_editor_are_numbers_of_lines(tmp_path: Path) -> None:
    cells = [(1, "import numpy"), (2, "scores = measure(words, targets)\nprint(scores)")]
    workspace = _written(tmp_path, *cells)
    report = localize(LINKED, workspace).primary
    assert report is not None
    assert report.suspects[0].line == workspace.cells("nb.ipynb")[1].raw[0]


def test_a_changed_line_is_never_a_sure_place(tmp_path: Path) -> None:
    workspace = _written(tmp_path, (1, "import torch"), (2, "from xgb import Booster"))
    log = _log(2, "from xgboost import Booster", "ModuleNotFoundError: No module named 'xgboost'")
    report = localize(log, workspace).primary
    assert report is not None
    assert report.frames[0].changed
    assert report.outside is None
    assert STOOD in [e.why for e in report.suspects[0].evidence]
    assert report.confidence is not Confidence.LIKELY
    assert report.diagnosis is None
    said = finding(report, "nb.ipynb:20")
    assert "where the failing line stood before the cell was changed" in said


def test_a_line_that_another_cell_has_as_well_is_not_the_failing_one(tmp_path: Path) -> None:
    workspace = _written(tmp_path, (7, "play('alarm.wav')"))
    around = ((78, "    if score > limit:"), (80, "    else:"))
    frame = Printed("/tmp/ipykernel_2764/99.py", 79, None, "play('alarm.wav')", around)
    assert workspace.locate_stack([frame]) == (None,)


def test_a_comment_at_the_end_is_not_printed(tmp_path: Path) -> None:
    workspace = _written(tmp_path, (None, "x = 1\nindex.add(x)  # all of them"))
    frame = Printed("Cell In[4]", 2, None, "index.add(x)", ((1, "x = 1"),))
    place = workspace.locate_stack([frame])[0]
    assert place is not None
    assert place.line == workspace.cells("nb.ipynb")[0].raw[1]


def test_a_name_that_another_cell_binds_is_not_called_misspelt(tmp_path: Path) -> None:
    workspace = _written(
        tmp_path,
        (1, "validation = 1"),
        (None, "nn_validation = 2"),
        (2, "print(nn_validation)"),
        (5, "cross_validation = 3"),
    )
    log = _log(2, "print(nn_validation)", "NameError: name 'nn_validation' is not defined")
    report = localize(log, workspace).primary
    assert report is not None
    said = [e.why for suspect in report.suspects for e in suspect.evidence]
    assert any("which has no execution count" in why for why in said)
    assert not any("misspelt" in why for why in said)


def test_a_name_that_is_bound_only_below_is_not_taken_for_the_meant_one(tmp_path: Path) -> None:
    workspace = _written(tmp_path, (1, "print(trains)"), (2, "train = 3"))
    log = _log(1, "print(trains)", "NameError: name 'trains' is not defined")
    report = localize(log, workspace).primary
    assert report is not None
    said = [e.why for suspect in report.suspects for e in suspect.evidence]
    assert not any("misspelt" in why for why in said)


ORDER = "another order than they stand"


@pytest.mark.parametrize(
    ("cells", "error", "told"),
    [
        ([(3, "x = 1"), (2, "print(trains)")], "NameError: name 'trains' is not defined", False),
        (
            [(3, "trains = 1"), (2, "print(trains)")],
            "NameError: name 'trains' is not defined",
            True,
        ),
        ([(3, "d = {}"), (2, "print(d['a'])")], "KeyError: 'a'", False),
        ([(3, "d['a'] = 1"), (2, "print(d['a'])")], "KeyError: 'a'", True),
        ([(3, "d = d.drop(columns='a')"), (2, "print(d['a'])")], "KeyError: 'a'", True),
    ],
)
def test_the_order_of_cells_is_named_only_where_it_can_matter(
    tmp_path: Path, cells: list[tuple[int | None, str]], error: str, told: bool
) -> None:
    report = localize(_log(2, cells[-1][1], error), _written(tmp_path, *cells)).primary
    assert report is not None
    assert any(ORDER in advice.cause for advice in report.advice) is told


def test_counts_of_several_sessions_tell_no_order(tmp_path: Path) -> None:
    cells = [(1, "import torch"), (1, "print(rate)"), (7, "rate = 0.1")]
    log = _log(1, "print(rate)", "NameError: name 'rate' is not defined")
    report = localize(log, _written(tmp_path, *cells)).primary
    assert report is not None
    said = [e.why for suspect in report.suspects for e in suspect.evidence]
    assert not any("last ran after the failure" in why for why in said)


@pytest.mark.parametrize(
    "heading", ["Caused by op 'input_1', defined at:", "Original stack trace for 'input_1':"]
)
def test_the_stack_that_made_an_operation_is_no_failure(heading: str) -> None:
    text = (
        _log(4, "session.run(loss)", "InvalidArgumentError: Shape [-1,30] has negative dimensions")
        + f"\n{heading}\n"
        '  File "/usr/lib/python3.6/runpy.py", line 193, in _run_module_as_main\n'
        '    "__main__", mod_spec)\n'
        '  File "<ipython-input-10-d2afa7167658>", line 20, in model\n'
        "    x = Input(shape=(30,))\n\n"
        "InvalidArgumentError (see above for traceback): Shape [-1,30] has negative dimensions\n"
        "\t [[Node: input_1 = Placeholder[]()]]\n"
    )
    reading = read_failures(read_log(text))
    assert [failure.primary for failure in reading.failures] == [True]
    assert reading.problems == ()


def test_a_name_that_a_cell_binds_is_not_said_to_be_bound_by_nothing(tmp_path: Path) -> None:
    for made in (
        "from sklearn.svm import SVC",
        "def SVC():\n    return 1",
        "class SVC:\n    x = 1",
    ):
        workspace = _written(tmp_path, (1, "import torch"), (None, made), (2, "model = SVC()"))
        log = _log(2, "model = SVC()", "NameError: name 'SVC' is not defined")
        report = localize(log, workspace).primary
        assert report is not None
        said = [e.why for suspect in report.suspects for e in suspect.evidence]
        assert not any(why.endswith("`)") and "nothing imports" in why for why in said), said
        assert not any("nothing gives" in why for why in said), said
        assert not any("misspelt" in advice.cause for advice in report.advice)


def test_a_renamed_notebook_is_known_by_lines_that_stand_together(tmp_path: Path) -> None:
    workspace = _written(tmp_path, (None, "a = 1\nb = 2\nmodel.fit(a, b)"))
    printed = "/home/me/old.ipynb Cell 3"
    around = ((1, "a = 1"), (2, "b = 2"))
    known = Printed(printed, 3, None, "model.fit(a, b)", around)
    alone = Printed(printed, 3, None, "model.fit(a, b)")
    places = workspace.locate_stack([known, alone])
    assert places[0] is not None
    assert places[0].line == workspace.cells("nb.ipynb")[0].raw[2]
    assert places[1] is None


@pytest.mark.parametrize("version", LOGS)
@pytest.mark.parametrize("cell", [24, 25, 26])
def test_the_parser_stopped_in_the_body_of_a_magic(
    workspace: Workspace, version: str, cell: int
) -> None:
    report = localize(LOGS[version][cell], workspace).primary
    assert report is not None
    first = report.suspects[0]
    assert first.cell is not None
    assert (first.cell.number - 1, first.cell.line) == (cell, RECORDER.CELLS[cell][1][0][1])
    assert [e.why for e in first.evidence] == ["the parser of Python stopped here"]


def test_the_parser_did_not_stop_where_a_text_was_given_to_it(tmp_path: Path) -> None:
    workspace = _written(tmp_path, (3, "import ast\nast.parse(text)"))
    log = (
        "Traceback (most recent call last):\n\n  Cell In[3], line 2\n    ast.parse(text)\n\n"
        "  File /opt/python/lib/python3.11/ast.py:50 in parse\n"
        "    return compile(source, filename, mode, flags,\n\n"
        "  File <unknown>:2\n    b = = 3\n        ^\nSyntaxError: invalid syntax\n"
    )
    report = localize(log, workspace).primary
    assert report is not None
    assert report.suspects[0].evidence[0].why == "the call from which the error came stands here"
    assert report.confidence is not Confidence.LIKELY


def test_a_timed_line_is_found_in_the_body_that_the_log_shows(tmp_path: Path) -> None:
    workspace = _written(
        tmp_path, (None, "x = 1"), (None, "%%timeit -r 1\n\na = 2\nb = a + missing")
    )
    run = r"get_ipython().run_cell_magic('timeit', '-r 1', '\na = 2\nb = a + missing\n')"
    frames = (
        Printed("/tmp/ipykernel_7/99.py", 1, None, run),
        Printed("<magic-timeit>", 2, "inner"),
    )
    places = workspace.locate_stack(frames)
    assert places[0] is None
    assert places[1] is not None
    assert places[1].line == workspace.cells("nb.ipynb")[1].raw[3]


def test_of_two_cells_with_one_text_the_failing_one_has_no_output(tmp_path: Path) -> None:
    """The printed file of IPython 7 on Windows names no cell."""
    source = "model.fit(x, y)"
    cells = [
        {"cell_type": "code", "execution_count": 8, "source": [source], "metadata": {}}
        | {"outputs": [{"output_type": "stream", "name": "stdout", "text": ["Epoch 1/2\n"]}]},
        {"cell_type": "code", "execution_count": 1, "source": [source], "metadata": {}}
        | {"outputs": []},
    ]
    book = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "nb.ipynb").write_text(json.dumps(book, indent=1), encoding="utf-8")
    text = (
        "NameError                                 Traceback (most recent call last)\n"
        r"~\AppData\Local\Temp\ipykernel_7528\1706744467.py in <module>" + "\n"
        f"----> 1 {source}\n\nNameError: name 'model' is not defined\n"
    )
    failure = localize(text, Workspace(tmp_path, cache=False)).failures[0]
    place = failure.frames[-1].workspace_line
    lines = (tmp_path / "nb.ipynb").read_text(encoding="utf-8").splitlines()
    assert place == max(n for n, line in enumerate(lines, 1) if source in line)


def test_a_name_that_another_module_lacks_is_no_matter_of_cells(tmp_path: Path) -> None:
    workspace = _written(tmp_path, (1, "rows = load()"), (2, "import tools\ntools.fit()"))
    log = _log(2, "tools.fit()", "NameError: name 'rows' is not defined").replace(
        "\n\nNameError",
        "\n\nFile ~/tools.py:3, in fit()\n      2 def fit():\n----> 3     return rows.mean()\n\n"
        "NameError",
    )
    report = localize(log, workspace).primary
    assert report is not None
    said = " ".join(e.why for suspect in report.suspects for e in suspect.evidence)
    assert "had no value when" not in said
    assert not any(ORDER in advice.cause for advice in report.advice)
