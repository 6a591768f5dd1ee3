"""The registry of checks: its page, its categories, its ids."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

from dl_bug_lsp.checks.checking import BY_ID, CHECKS
from dl_bug_lsp.taxonomy.categories import category

DOCS = Path(__file__).parent.parent.parent / "docs"


def test_the_page_is_that_of_the_registry() -> None:
    wanted = runpy.run_path(str(DOCS / "make_checks.py"))["page"]()
    assert (DOCS / "checks.md").read_text(encoding="utf-8") == wanted


def test_every_check_has_an_id_of_its_own_and_a_category_of_the_taxonomy() -> None:
    assert len(BY_ID) == len(CHECKS)
    for check in CHECKS:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", check.id)
        assert category(check.category).id == check.category
        assert check.about.endswith(".") and check.explanation.endswith(".") and check.example
