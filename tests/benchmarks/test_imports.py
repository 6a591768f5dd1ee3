"""Scripts beside the package name only what the package has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (
    *("benchmarks", "benchmarks/factory", "benchmarks/factory/operators", "benchmarks/monitored"),
    *("fixtures", "fixtures/hangs", "docs", "client-vscode/scripts", "tests/helpers"),
)
SCRIPTS = {
    path.relative_to(ROOT).as_posix(): path
    for folder in FOLDERS
    for path in sorted((ROOT / folder).glob("*.py"))
}


def imported(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dl_bug_lsp"):
            yield from ((node.module or "", alias.name) for alias in node.names)


def test_scripts_are_found() -> None:
    assert any(name.startswith("benchmarks/factory/operators/") for name in SCRIPTS)
    assert sum(any(imported(path)) for path in SCRIPTS.values()) > 40


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_import_what_there_is(name: str) -> None:
    missing = [
        f"{module}.{member}"
        for module, member in imported(SCRIPTS[name])
        if not hasattr(import_module(module), member) and find_spec(f"{module}.{member}") is None
    ]
    assert missing == []
