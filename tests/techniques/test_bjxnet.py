from __future__ import annotations

import ast
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dl_bug_lsp.techniques.bjxnet import (
    bjxnet,
    inputs_of,
    joined,
    network_from,
    shipped,
)
from dl_bug_lsp.techniques.code_graphs import (
    EDGES,
    KINDS,
    MOST_NODES,
    CodeGraphs,
    code_graphs,
    graphs_of,
)
from dl_bug_lsp.techniques.scores import Query, Subject
from dl_bug_lsp.workspace import Workspace

RECORDED = Path(__file__).with_name("bjxnet_recorded.json")
CODE = """\
class Crop(Transform):
    margin = 1

    @staticmethod
    def apply(volume, size):
        # the first voxels
        total = 0
        for axis in range(size):
            if axis == volume:
                break
            total += axis
        try:
            self.kept = total
        except ValueError as error:
            raise RuntimeError("bad size") from error
        return total
"""


def edges(graphs: CodeGraphs, kind: str, block: str) -> set[tuple[int, int]]:
    """Return edges of a block as pairs of lines."""
    at = [b.name for b in graphs.blocks].index(block)
    lines = graphs.line
    return {
        (int(lines[source]), int(lines[target]))
        for number, source, target in graphs.edges.tolist()
        if EDGES[number] == kind and graphs.block[source] == at
    }


def test_a_function_as_a_graph() -> None:
    found = graphs_of(ast.parse(CODE), CODE)
    assert [(b.name, b.is_class) for b in found.blocks] == [
        ("", False),
        ("Crop", True),
        ("Crop.apply", False),
    ]
    own = [KINDS[k] for k, b in zip(found.kind, found.block, strict=True) if b == 2]
    assert own == [
        "head", "assign", "loop", "if", "jump", "augment", "try", "assign", "except", "raise",
        "return",
    ]  # fmt: skip
    assert edges(found, "syntax", "Crop.apply") == {
        (4, 7), (4, 8), (8, 9), (9, 10), (8, 11), (4, 12), (12, 13), (12, 14), (14, 15), (4, 16),
    }  # fmt: skip
    # The loop is left at its end and by the break; a handler may follow on all of its body.
    assert edges(found, "control", "Crop.apply") == {
        (4, 7), (7, 8), (8, 9), (9, 10), (9, 11), (11, 8), (8, 12), (10, 12), (12, 13), (12, 14),
        (13, 14), (14, 15), (13, 16),
    }  # fmt: skip
    # The value of line 7 reaches the return where the loop ran never or left at once.
    assert edges(found, "data", "Crop.apply") == {
        (4, 8), (4, 9), (8, 9), (8, 11), (7, 11), (7, 13), (11, 13), (7, 16), (11, 16), (14, 15),
    }  # fmt: skip


def test_the_words_of_statements(tmp_path: Path) -> None:
    (tmp_path / "crop.py").write_text(CODE)
    (tmp_path / "broken.py").write_text("def crop(:\n")
    given = Workspace(tmp_path, cache=False)
    found = code_graphs(given, "crop.py")
    subject = Subject(Query("voxels", ""), given)
    line = found.line[found.term_node[np.isin(found.terms, subject.summary.numbers)]]
    assert line.tolist() == [4]
    assert code_graphs(given, "broken.py").blocks == ()


def names(pattern: str, number: int) -> str:
    """Return fifty names, ``{0}`` and the end of each counted."""
    one = pattern % number
    return ", ".join(one.format(n) if "{" in one else f"{one}{n}" for n in range(50))


@pytest.mark.parametrize(
    "code",
    [
        "def f():\n" + "    x = x + 1\n" * 5000,
        "if a:\n    b\n" + "elif c:\n    d\n" * 300,
        "def f():\n" + "".join("    " * n + "while x:\n" for n in range(1, 90)) + "    " * 90 + "y",
        "x = " + "-" * 80 + "1\n",
        "match x:\n    case [a, *b]:\n        a\n    case _:\n        pass\n",
        "def f(" + ", ".join(f"a{n}" for n in range(3000)) + "): pass\n",
        "break\ncontinue\nreturn 3\n",
        "while x:\n"
        + "".join(f"    {names('v%d_', n)} = {names('v{0}_%d', n)}\n" for n in range(290)),
    ],
)
def test_graphs_of_any_code_are_bounded(code: str) -> None:
    found = graphs_of(ast.parse(code), code)
    assert np.bincount(found.block).max() <= MOST_NODES + 1
    assert found.edges.shape[1] == 3
    assert not len(found.edges) or found.edges[:, 1:].max() < len(found.kind)
    assert len(found.terms) == len(found.term_node)


def test_graphs_of_some_files_are_those_among_all(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.py").write_text(CODE.replace("Crop", f"Crop{name}"))
    given = Workspace(tmp_path, cache=False)
    graphs = [code_graphs(given, file) for file in ("a.py", "b.py", "c.py")]
    every, some = joined(graphs), joined([graphs[2], graphs[0]])
    kept = every.of_files(np.array([0, 2]))
    assert kept.names == some.names[3:] + some.names[:3]
    assert kept.file.tolist() == [0, 0, 0, 1, 1, 1]
    alone = joined([graphs[0]])
    assert np.array_equal(kept.edges[: len(alone.edges)], alone.edges)
    assert np.array_equal(kept.terms[: len(alone.terms)], alone.terms)


def test_the_network_says_what_pytorch_said(tmp_path: Path) -> None:
    """The recorded scores are PyTorch's (``benchmarks/train_bjxnet.py``) of these weights."""
    recorded = json.loads(RECORDED.read_text())
    for name, text in recorded["files"].items():
        (tmp_path / name).write_text(text)
    given = inputs_of(Subject(Query(*recorded["report"]), Workspace(tmp_path, cache=False)))
    files, _ = network_from(recorded["network"]).scores(given)
    assert files == pytest.approx(recorded["scores"], abs=1e-4)
    # What the report does not reach changes the score of no other function.
    without = replace(given, nodes=np.zeros_like(given.nodes))
    assert not np.allclose(network_from(recorded["network"]).scores(without)[0], files)


def test_the_shipped_network_ranks_functions(tmp_path: Path) -> None:
    (tmp_path / "crop.py").write_text(CODE)
    (tmp_path / "lion.py").write_text("def roar(times):\n    return times\n")
    query = Query("RuntimeError: bad size in Crop", "The kept voxels of Crop.apply are wrong.")
    ranked = bjxnet(shipped()).rank(query, Workspace(tmp_path, cache=False))
    assert ranked.files[0][0] == "crop.py"
    assert sum(share for _, share in ranked.files) == pytest.approx(1.0)
    assert ranked.functions is not None
    assert [(f.file, f.name) for f in ranked.functions[:1]] == [("crop.py", "Crop.apply")]
    assert {f.name for f in ranked.functions} == {"Crop.apply", "roar"}


def test_a_report_without_a_word_of_the_code_finds_nothing(tmp_path: Path) -> None:
    (tmp_path / "crop.py").write_text(CODE)
    (tmp_path / "lion.py").write_text("def roar(times):\n    return times\n")
    ranked = bjxnet().rank(Query("unheard", "of"), Workspace(tmp_path, cache=False))
    assert {share for _, share in ranked.files} == {0.0}
