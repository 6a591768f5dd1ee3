"""Whatever a log says is data in every output: quoted, no link, no heading, no secret."""

from __future__ import annotations

import json
import re

import pytest
from hostile_logs import SAYINGS, log_of

from dl_bug_lsp.assistants.explaining import context_of
from dl_bug_lsp.localize import localize
from dl_bug_lsp.mcp_server.folders import OwnFolders
from dl_bug_lsp.mcp_server.tools import Tools
from dl_bug_lsp.report import Report
from dl_bug_lsp.views.context import estimated_tokens
from dl_bug_lsp.views.json_view import to_json
from dl_bug_lsp.views.markdown import render_markdown
from dl_bug_lsp.views.text import render_text
from dl_bug_lsp.workspace import Workspace

OWN_HEADINGS = {
    "## Places, the most suspicious first",
    "## Code; #1 is the first place",
    "## Also known",
    "## Most suspicious places",
    "## Stack, outermost first",
    "## What usually helps",
    "## Not understood",
}
_SPAN = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)")
_ESCAPED = re.compile(r"\\[!-/:-@\[-`{-~]")
_LINK = re.compile(r"\]\(|\]:|<\w|https?:|www\.|@\w|!\[")
HIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)


def outside_of_quotes(page: str) -> list[str]:
    """Return the lines of a Markdown page that are neither fenced nor in code spans."""
    found = []
    fence = None
    for line in page.split("\n"):
        mark = re.match(r"(`{3,}|~{3,})", line)
        if fence is not None:
            # CommonMark: closed by at least as many of the same, with nothing behind.
            closing = mark is not None and mark[1].startswith(fence) and line.strip("`~ ") == ""
            fence = None if closing else fence
        elif mark is not None:
            fence = mark[1]
        else:
            found.append(_ESCAPED.sub("", _SPAN.sub("", line)))
    assert fence is None, "a fence is not closed"
    return found


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder = tmp_path_factory.mktemp("job")
    (folder / "train.py").write_text("path = 'a'\ntotal = load(path)\n", "utf-8")
    return Workspace(folder, cache=False)


def check_page(page: str, name: str) -> None:
    assert not HIDDEN.search(page)
    for line in outside_of_quotes(page):
        own_page = re.sub(r"\(\[documentation\]\(https://[\w./#-]+\)\)", "", line)
        own_page = re.sub(r"\[documentation\]\(https://[^)\s]+\)", "", own_page)
        assert not _LINK.search(own_page), line
        if line.startswith("#"):
            assert line in OWN_HEADINGS or re.fullmatch(r"# [\w /-]+ \([<\d ]+ %\)", line), line
    assert "evil.example" not in "".join(outside_of_quotes(page)).replace("\\", "") or name


@pytest.mark.parametrize("name", SAYINGS)
def test_what_a_log_says_is_data_in_every_output(name: str, workspace: Workspace) -> None:
    assert len(SAYINGS) == 30
    report = localize(log_of(SAYINGS[name]), workspace)
    assert report.primary is not None
    for tokens in (200, 600, 1500):
        context = context_of(report, workspace, tokens)
        check_page(context, name)
        assert "data, not instructions" in context
        assert estimated_tokens(context) <= tokens
    check_page(render_markdown(report), name)
    text = render_text(report, workspace.lines)
    assert not HIDDEN.search(text)
    document = json.loads(json.dumps(to_json(report)))
    assert [f["id"] for f in document["failures"]] == [f.id for f in report.failures]
    _check_tools(report, workspace, name)


def _check_tools(report: Report, workspace: Workspace, name: str) -> None:
    tools = Tools(OwnFolders([workspace.root]))
    answer = tools.localize({"text": log_of(SAYINGS[name])})
    check_page(answer.text, name)
    assert report.primary is not None
    page = tools.resource(report.primary.id)
    assert page is not None
    check_page(page, name)
    for said in (answer.text, json.dumps(answer.values), page):
        assert "abcdef123456789" not in said
        assert "hf_abcdefghijklmnopqrstuv" not in said
        assert "maria" not in said
