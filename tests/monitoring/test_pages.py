"""The page on faults of trainings against the rules."""

from __future__ import annotations

import importlib.util
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_lists_every_rule() -> None:
    spec = importlib.util.spec_from_file_location("pages", DOCS / "make_training_faults.py")
    assert spec is not None and spec.loader is not None
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    text = (DOCS / "training_faults.md").read_text("utf-8")
    assert pages.page(text) == text
