from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dl_bug_lsp.retrieval import Fields, comments_of, fields_corpora, fields_of, files_corpus
from dl_bug_lsp.workspace import Workspace

SOURCE = '''
"""Trains the net."""
class Net(Base):
    """A net."""
    def forward(self, batch):  # one step
        return self.head(batch, name="# no comment")
'''


def test_fields_of_a_parsed_file() -> None:
    assert fields_of(SOURCE, ast.parse(SOURCE)) == Fields(
        classes=["Net"],
        methods=["forward"],
        variables=["Base", "self", "batch", "head", "batch", "self"],
        comments=["one", "step", "Trains", "the", "net", "A", "net"],
    )


def test_fields_of_a_broken_file_come_from_its_layout() -> None:
    broken = "class Net:\n    async def step(self:\n  # why\n"
    assert fields_of(broken, None) == Fields(["Net"], ["step"], [], ["why"])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x = 1  # a\n# b", [" a", " b"]),
        ("'# no' # yes", [" yes"]),
        ('"""\n# no\n""" # yes', [" yes"]),
        (r"'\'# no' # yes", [" yes"]),
        ("'never closed # no\n# yes", [" yes"]),
        ("", []),
    ],
)
def test_comments(text: str, wanted: list[str]) -> None:
    assert list(comments_of(text)) == wanted


@pytest.mark.parametrize("quote", ["'", '"', "'" * 3, '"' * 3])
@pytest.mark.parametrize("before", ["", "\\", "x "])
@pytest.mark.parametrize("after", ["", "\n", "\\\n"])
def test_comments_of_hostile_text_end(before: str, quote: str, after: str) -> None:
    assert list(comments_of(f"{before}{quote}{after}" * 100_000)) == []


def test_corpora_of_a_workspace(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    (tmp_path / "b.py").write_text("def broken(:\n")
    (tmp_path / "c.py").write_bytes(b"\x00\xff\xfe binary")
    workspace = Workspace(tmp_path, cache=False)
    files = workspace.python_files()
    assert len(files_corpus(workspace, files)) == len(files) == 3
    classes, methods, variables, comments = fields_corpora(workspace, files)
    assert list(classes.lengths) == [1, 0, 0]
    assert list(methods.lengths)[:2] == [1, 1]
    assert variables.lengths[0] == 4  # self is no term
    assert comments.lengths[0] == 5  # "the" and "A" are none
    assert files_corpus(workspace, ("gone.py",)).lengths[0] == 0
