"""The heat map's page: what files, tests and code are called becomes no markup."""

from __future__ import annotations

from html.parser import HTMLParser

from dl_bug_lsp.spectrum.formulas import Table, TableRow
from dl_bug_lsp.spectrum.spectrum import Element
from dl_bug_lsp.views.spectrum import HeatFile, heat_map

HOSTILE = "</title></code><script>alert(1)</script><img src=x onerror='alert(1)'>\"' \u202e&lt;"


class Page(HTMLParser):
    """Notes the tags and attributes of a page, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self.text += data


def test_hostile_names_are_text() -> None:
    row = TableRow(1, 1, 0.9, Element(HOSTILE, 1, 2, HOSTILE), 1, 0, HOSTILE)
    table = Table("Ochiai", "line", (row,), 1, 2, ((HOSTILE, HOSTILE),), HOSTILE)
    file = HeatFile(HOSTILE, (HOSTILE,), {1: 1.0}, {1: (1, 0)})
    page = Page()
    text = heat_map(HOSTILE, table, [file], lambda _: (HOSTILE,), [HOSTILE])
    page.feed(text)
    assert not page.tags & {"script", "img", "iframe", "object", "form", "base"}
    assert not [name for name in page.attributes if name.startswith("on")]
    assert page.text.count("alert(1)") > 5
    assert "\u202e" not in text
    assert "default-src 'none'" in text
