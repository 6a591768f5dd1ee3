"""Features of bug reports: terms, names, paths, imports, tests, and BM25 as its formula says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dl_bug_lsp.evidence.reports.documents import (
    K1,
    Matches,
    Query,
    compounded,
    joined,
    numbers_of,
    one_document,
    outline_of,
    source_of,
)
from dl_bug_lsp.evidence.reports.file_features import modules_of
from dl_bug_lsp.evidence.reports.report_context import FilesUnderTest, PathIndex, named_in
from dl_bug_lsp.spectrum.failing_runs import is_test_file


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("data loader", "data_loader"),
        ("early stopping", "EarlyStopping"),
        ("dataloader", "DataLoader"),
    ],
)
def test_words_meet_the_compound_that_they_make(text: str, written: str) -> None:
    assert compounded(written)[-1] in {compounded(text.replace(" ", ""))[-1]}
    assert set(numbers_of([written]).tolist()) & set(numbers_of([text]).tolist())


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/home/x/site-packages/lib/net.py", (["lib/net.py"], 2)),
        ("C:\\work\\lib\\net.py", (["lib/net.py"], 2)),
        ("net.py", (["lib/net.py", "old/net.py"], 1)),
        ("other.py", ([], 0)),
        ("", ([], 0)),
    ],
)
def test_paths_are_found_by_their_end(path: str, expected: tuple[list[str], int]) -> None:
    files = ["lib/net.py", "old/net.py", "lib/loop.py"]
    rows, shared = PathIndex(files).find(path)
    assert ([files[row] for row in rows], shared) == expected


def test_tests_lead_to_what_they_are_named_after() -> None:
    files = [
        "lib/__init__.py",
        "lib/core/net.py",
        "lib/core/loops.py",
        "tests/core/test_net.py",
        "tests/test_loop.py",
    ]
    graph = FilesUnderTest(files)
    tested = {files[row]: {files[t] for t in graph.tested[row]} for row in range(len(files))}
    assert tested["tests/core/test_net.py"] == {"lib/core/net.py"}
    assert tested["tests/test_loop.py"] == {"lib/core/loops.py"}


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("tests/a.py", True),
        ("lib/test_a.py", True),
        ("lib/a_test.py", True),
        ("lib/attest.py", False),
    ],
)
def test_tests_are_known_by_their_path(file: str, expected: bool) -> None:
    assert is_test_file(file) is expected


def test_code_shows_in_a_name() -> None:
    found = named_in(["when fit calls `step` or Net.forward(x) with batch_size"], loose=True)
    assert {name for name, strong in found.items() if strong} == {
        "step",
        "Net",
        "forward",
        "batch_size",
    }
    assert found["when"] is False


def test_bm25_is_the_formula() -> None:
    documents = [one_document(["alpha", "alpha", "beta"]), one_document(["beta"])]
    query = Query(numbers_of(["alpha"]))
    found = Matches(joined(documents), query).bm25(np.ones(query.size))
    idf = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    assert found[0] == pytest.approx(idf * 2 * (K1 + 1) / (2 + K1 * (0.25 + 0.75 * 3 / 2)))
    assert found[1] == 0


@pytest.mark.parametrize(
    "text", ["", "def broken(:\n", "x = '''never closed", "\n" * 50, "é = 1\n"]
)
def test_any_text_has_an_outline(text: str) -> None:
    found = source_of(outline_of(text))
    assert found.lines == text.count("\n") + 1
    assert found.passages.rows == len(found.functions)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lib.core.net", "lib/core/net.py"),
        ("core.net", "lib/core/net.py"),
        ("lib.core", "lib/core/__init__.py"),
        ("net", "net.py"),
        ("lib.net", None),
    ],
)
def test_modules_are_named_by_the_ends_of_their_paths(name: str, expected: str | None) -> None:
    files = ["lib/core/__init__.py", "lib/core/net.py", "net.py"]
    rows, ambiguous = modules_of(files)
    assert (files[rows[name]] if name in rows else None) == expected
    assert ambiguous == {"net"}
