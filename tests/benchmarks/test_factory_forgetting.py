"""A checkout's own package is imported, not the published one that a server has imported."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest


def test_packages_of_the_checkout_are_imported_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    forget_copies = importlib.import_module("factory.fork_server").forget_copies
    for root, text in (("site-packages", "'published'"), ("checkout", "'own'")):
        for package in ("brought_too", f"only_in_{root.replace('-', '_')}"):
            (tmp_path / root / package).mkdir(parents=True)
            (tmp_path / root / package / "__init__.py").write_text(f"kind = {text}\n")
            (tmp_path / root / package / "part.py").write_text(f"kind = {text}\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site-packages"))
    before = set(sys.modules)
    try:
        importlib.import_module("brought_too.part")
        importlib.import_module("only_in_site_packages")
        monkeypatch.syspath_prepend(str(tmp_path / "checkout"))
        forget_copies([str(tmp_path / "checkout"), str(tmp_path / "missing")])
        assert "only_in_site_packages" in sys.modules
        assert importlib.import_module("brought_too.part").kind == "own"
    finally:
        for name in set(sys.modules) - before:
            del sys.modules[name]
