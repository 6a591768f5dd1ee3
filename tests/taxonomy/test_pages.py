from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_pages_are_up_to_date() -> None:
    wanted = runpy.run_path(str(DOCS / "make_categories.py"))["pages"]()
    written = {p.name: p.read_text("utf-8") for p in (DOCS / "categories").iterdir()}
    assert written == wanted
