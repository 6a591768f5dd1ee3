"""Links between the pages resolve: the file is there, and a heading gives the anchor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = (
    *(".", "docs", "docs/categories", "contrib", "client-vscode"),
    *("benchmarks", "benchmarks/factory", "benchmarks/held_out", "benchmarks/monitored"),
    *("fixtures", "fixtures/hangs", "tests/server", "tests/server/clients"),
)
"""The folders of pages; recorded programs have pages of their own, with links that others wrote."""
PAGES = sorted(
    path.relative_to(ROOT).as_posix() for name in FOLDERS for path in (ROOT / name).glob("*.md")
)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
NO_TEXT = re.compile(r"^ {4}.*$|`[^`]+`", re.MULTILINE)
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?)\s*$", re.MULTILINE)
BENCHMARK_PAGE = re.compile(r"benchmarks/(?:\w+/)?\w+\.md")


def linked(text: str) -> Iterator[str]:
    """Yield the targets of the links of a page; what stands in code is no link."""
    for target in LINK.findall(NO_TEXT.sub("", FENCED.sub("", text))):
        if not re.match(r"\w+:", target):
            yield target


def anchors(text: str) -> set[str]:
    """Return the anchors that GitHub gives the headings of a page."""
    found: dict[str, int] = {}
    names: set[str] = set()
    for heading in HEADING.findall(FENCED.sub("", text)):
        name = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", name).replace(" ", "-")
        names.add(f"{name}-{found[name]}" if name in found else name)
        found[name] = found.get(name, 0) + 1
    return names


@pytest.mark.parametrize("page", PAGES)
def test_links_of_a_page_resolve(page: str) -> None:
    file = ROOT / page
    text = file.read_text(encoding="utf-8")
    broken = []
    for target in linked(text):
        name, _, anchor = target.partition("#")
        there = file.parent / name if name else file
        if not there.exists():
            broken.append(target)
        elif anchor and there.suffix == ".md":
            other = text if there == file else there.read_text(encoding="utf-8")
            broken.extend([target] if anchor not in anchors(other) else [])
    assert broken == []


def test_code_has_neither_links_nor_headings() -> None:
    headings = "# The `x.py`, *now*\n```\n# no\n```\n## A\n## A\n"
    assert anchors(headings) == {"the-xpy-now", "a", "a-1"}
    text = "[a](b.md#c) `[no](d)` [e](https://f)\n\n    [no](g)\n\n[h](i)\n"
    assert [*linked(text)] == ["b.md#c", "i"]


@pytest.mark.parametrize("folder", ["dl_bug_lsp", "benchmarks"])
def test_pages_of_benchmarks_that_code_names_are_there(folder: str) -> None:
    files = [*(ROOT / folder).glob("*.py")]
    if folder == "dl_bug_lsp":
        files = [*(ROOT / folder).rglob("*.py")]
    named = {page for file in files for page in BENCHMARK_PAGE.findall(file.read_text("utf-8"))}
    assert named
    assert {page for page in named if not (ROOT / page).exists()} == set()


def test_the_index_of_benchmarks_names_every_script_and_page() -> None:
    text = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    names = re.findall(r"`([\w*]+\.py)`", text)
    scripts = sorted((ROOT / "benchmarks").glob("*.py"))
    assert [s.name for s in scripts if not any(s.match(name) for name in names)] == []
    pages = {path.name for path in (ROOT / "benchmarks").glob("*.md")} - {"README.md"}
    assert pages <= {target.partition("#")[0] for target in linked(text)}
