"""BM25 over what the index keeps: the scores of the published library, without counting again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from dl_bug_lsp.evidence.bm25 import FileDocuments, file_documents, okapi

TERMS = st.sampled_from(["loss", "batch", "dim", "self", "label", "head", "item"])
DOCUMENTS = st.lists(st.lists(TERMS, max_size=9), min_size=1, max_size=6)


def _file(name: str, texts: list[list[str]]) -> FileDocuments:
    return file_documents(name, [(n, f"f{n}", text) for n, text in enumerate(texts, 1)])


@given(st.lists(DOCUMENTS, min_size=1, max_size=4), st.lists(TERMS, max_size=8))
@settings(max_examples=200, deadline=None)
def test_scores_are_those_of_rank_bm25(files: list[list[list[str]]], query: list[str]) -> None:
    flat = [text or [""] for texts in files for text in texts]
    expected = BM25Okapi(flat).get_scores(query)
    found = okapi([_file(str(n), texts) for n, texts in enumerate(files)], query)
    assert found == pytest.approx(list(expected), rel=1e-12, abs=1e-12)


@given(DOCUMENTS, st.integers(1, 6))
@settings(max_examples=100, deadline=None)
def test_a_cut_file_is_one_with_fewer_documents(texts: list[list[str]], most: int) -> None:
    assert _file("a.py", texts).cut(most) == _file("a.py", texts[:most])


def test_a_second_failure_reads_and_parses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dl_bug_lsp.localize import localize
    from dl_bug_lsp.workspace import Workspace
    from dl_bug_lsp.workspace.sources import Source

    fixture = Path(__file__).parents[2] / "fixtures" / "101-leaf-resnet-head"
    text = (fixture / "log.txt").read_text("utf-8")
    workspace = Workspace(fixture / "workspace", cache=False)
    first = localize(text, workspace)
    parsed: list[str] = []
    parse = Source.parse
    monkeypatch.setattr(Source, "parse", lambda self: parsed.append(self.file) or parse(self))
    workspace._trees.clear()
    assert localize(text, workspace) == first
    assert set(parsed) <= {frame.workspace_file for frame in first.failures[0].frames}
