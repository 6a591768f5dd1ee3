"""What expressions give fits their patterns, and what they can never give does not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dl_bug_lsp.provenance.engine import Engine
from dl_bug_lsp.provenance.text_patterns import TextPattern, pattern_of
from dl_bug_lsp.workspace import Workspace

EXPRESSIONS: tuple[tuple[str, str, object], ...] = (
    ("f'{stem}_{z:03d}'", "", "scan_1"),
    ("f'{stem}_{z}'", "", "scan_001"),
    ("'%s-%02d' % (stem, z)", "", "scan-1"),
    ("'{}_{:d}'.format(stem, z)", "", "scan_01"),
    ("'{1}/{0:>4}'.format(z, stem)", "", "scan"),
    ("stem + '.npy'", "", "scan.npz"),
    ("str(z).zfill(4)", "", "12"),
    ("stem.lower()", "", "Scan"),
    ("stem.upper() + '_'", "", "SCAN"),
    ("f'{z / 3:.2f}'", "", "0.5"),
    ("f'{z!s}'", "", "07"),
    ("z * 2 + 1", "", "3"),
    ("len(stem)", "", "4"),
    ("name", "name = 'a' if z else 'b'", "c"),
    ("make(z)", "def make(n):\n    return f'id{n:02d}'", "id7"),
    ("f'{n}_{stem}'", "for n, _ in enumerate('ab'): pass", "01_scan"),
)
"""Expressions, statements before them, and what each can never give."""
BEFORE = "import sys\nstem = sys.argv[1]\nfor z in range(12): pass\n"


def pattern_in(root: Path, before: str, expression: str) -> TextPattern:
    (root / "program.py").write_text(f"{before}\nlast = {expression}\n")
    engine = Engine(Workspace(root))
    module = engine.program.module("program.py")
    assert module is not None
    statement = module.node.body[-1] if isinstance(module.node, ast.Module) else None
    assert isinstance(statement, ast.Assign)
    return pattern_of(engine.node(statement.value, engine.open_context(module)))


@pytest.mark.parametrize(("expression", "statements", "never"), EXPRESSIONS)
@pytest.mark.parametrize("stem", ["scan", "Patient_7", "a.b"])
def test_what_is_given_fits_and_other_texts_do_not(
    tmp_path: Path, expression: str, statements: str, never: object, stem: str
) -> None:
    before = f"{BEFORE}{statements}\n"
    found = pattern_in(tmp_path, before, expression)
    for z in (0, 7, 11):
        names: dict[str, object] = {}
        exec(before.replace("sys.argv[1]", repr(stem)) + f"z = {z}\n{statements}\n", names)
        assert found.gives(eval(expression, names)), found
    assert found.says_something
    assert not found.gives(never), found


@pytest.mark.parametrize(
    ("before", "expression"),
    [
        ("import sys", "sys.argv[1]"),
        ("import sys", "f'{sys.argv[1]:{sys.argv[2]}}'"),
        ("import sys", "sys.argv[1] % 3"),
        ("n = unknown()", "f'{n}' if n else n"),
        ("n = unknown()", "'{:{}}'.format(n, n)"),
        ("n = unknown()", "'{'.format(n)"),
        ("n = unknown()", "'%' % n"),
    ],
)
def test_what_is_not_known_may_be_any_text(tmp_path: Path, before: str, expression: str) -> None:
    assert pattern_in(tmp_path, before, expression).gives("anything 07")
