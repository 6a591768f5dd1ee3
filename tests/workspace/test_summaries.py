"""What a glance at an unparsed source file tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from dl_bug_lsp.workspace import Workspace

WORDS = frozenset({"loss", "loader", "rate", "fit"})
MODULES = frozenset({"torch", "jax"})


@pytest.mark.parametrize(
    ("text", "imports", "words"),
    [
        ("import torch\nDataLoader(x)\nbenefit, LR_rate\n", {"torch"}, {"loader", "rate"}),
        ("    from jax.numpy import dot\nLOSS = 1\n", {"jax"}, {"loss"}),
        ("import torchvision\nloss = 1\n", set(), set()),
        ("loss = fit()\n", set(), set()),
    ],
)
def test_imports_and_words(tmp_path: Path, text: str, imports: set[str], words: set[str]) -> None:
    (tmp_path / "a.py").write_text(text, "utf-8")
    found = Workspace(tmp_path, cache=False).source_summary("a.py", WORDS, MODULES)
    assert (set(found.imports), set(found.words)) == (imports, words)
    assert found.size == len(text)


def test_a_file_that_is_not_there_tells_nothing(tmp_path: Path) -> None:
    found = Workspace(tmp_path, cache=False).source_summary("absent.py", WORDS, MODULES)
    assert (found.size, found.words, found.imports) == (0, frozenset(), frozenset())
