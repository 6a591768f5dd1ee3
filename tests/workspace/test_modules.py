"""Dotted modules as an importer would find them."""

from __future__ import annotations

import pytest

from dl_bug_lsp.workspace.locating import module_file

FILES = frozenset(
    (
        "train.py",
        "utils.py",
        "pkg/__init__.py",
        "pkg/data.py",
        "pkg/sub/__init__.py",
        "pkg/sub/net.py",
        "pkg/utils.py",
        "tools/run.py",
        "tools/utils.py",
        "src/lib/__init__.py",
        "src/lib/core.py",
        "space/part.py",
        "research/code/deep/a/b.py",
        "both.py",
        "both/__init__.py",
    )
)
CASES = [
    ("utils", "train.py", "utils.py"),
    ("utils", None, "utils.py"),
    ("utils", "tools/run.py", "tools/utils.py"),
    ("utils", "pkg/data.py", "utils.py"),
    ("pkg", "train.py", "pkg/__init__.py"),
    ("pkg.sub.net", "train.py", "pkg/sub/net.py"),
    ("pkg.missing", "train.py", None),
    (".data", "pkg/utils.py", "pkg/data.py"),
    (".", "pkg/utils.py", "pkg/__init__.py"),
    ("..data", "pkg/sub/net.py", "pkg/data.py"),
    ("..", "pkg/sub/net.py", "pkg/__init__.py"),
    (".net", "pkg/sub/__init__.py", "pkg/sub/net.py"),
    ("....x", "pkg/data.py", None),
    (".x", None, None),
    ("lib.core", "train.py", "src/lib/core.py"),
    ("lib", "src/lib/core.py", "src/lib/__init__.py"),
    ("space.part", "train.py", "space/part.py"),
    ("space", "train.py", None),
    ("deep.a.b", "train.py", "research/code/deep/a/b.py"),
    ("both", "train.py", "both/__init__.py"),
    ("torch", "train.py", None),
    ("torch.nn.functional", "train.py", None),
    ("", "train.py", None),
    ("a/b", "train.py", None),
    ("pkg..data", "train.py", None),
]


@pytest.mark.parametrize(("module", "importer", "file"), CASES)
def test_module_file(module: str, importer: str | None, file: str | None) -> None:
    assert module_file(FILES, module, importer) == file
