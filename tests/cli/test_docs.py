"""The documents name what there is: options, commands, settings, exit codes; the picture is SVG."""

from __future__ import annotations

import argparse
import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dl_bug_lsp.cli import errors
from dl_bug_lsp.cli.parser import build_parser
from dl_bug_lsp.server.commands import CLEAR, LOCALIZE, REPORT
from dl_bug_lsp.server.line_features import SHOW_SUSPECT
from dl_bug_lsp.settings.reading import read_given

DOCS = Path(__file__).parents[2] / "docs"


def test_the_command_line_s_document_names_every_option() -> None:
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    commands = next(
        action for action in build_parser()._actions if isinstance(action.choices, dict)
    )
    assert isinstance(commands.choices, dict)
    for name, command in commands.choices.items():
        assert f"dl-bug-lsp {name}" in page
        for action in command._actions:
            hidden = action.help == argparse.SUPPRESS or action.dest in ("help", "stdio")
            for option in action.option_strings:
                assert hidden or option in page, option
    for code in (errors.FOUND, errors.NOT_FOUND, errors.WRONG_USE, errors.INTERNAL_ERROR):
        assert f"\n| {code} | " in page


@pytest.mark.parametrize("name", [LOCALIZE, CLEAR, REPORT, SHOW_SUSPECT])
def test_the_server_s_document_names_every_command(name: str) -> None:
    assert f"`{name}`" in (DOCS / "server.md").read_text(encoding="utf-8")


def test_the_settings_document_names_every_setting() -> None:
    page = (DOCS / "settings.md").read_text(encoding="utf-8")
    names = ("top", "topFiles", "pathMap", "maxDiagnostics", "codeLens")
    problems = read_given(dict.fromkeys(names, "odd")).problems
    assert len(problems) == len(names)
    assert all(f"| `{name}` | " in page for name in names)


def test_the_picture_is_made_of_the_terminal_s_text() -> None:
    draw = runpy.run_path(str(DOCS / "make_terminal_picture.py"))["draw"]
    lines = ["\x1b[1;31mE: <x> & y\x1b[0m", "  > 7 │ a"]
    root = ElementTree.fromstring(draw(lines, 'A "title"'))
    texts = list(root.iter("{http://www.w3.org/2000/svg}text"))
    assert [node.text for node in texts] == ["E: <x> & y", "> 7 │ a"]
    assert texts[0].get("font-weight") == "bold"
    assert float(texts[1].get("x", "0")) > float(texts[0].get("x", "0"))
