"""What an editor sees of a failure, spoken to the real server process."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient
from warm_server import WarmServer
from warm_start import program

from dl_bug_lsp.server.documents import Folder
from dl_bug_lsp.server.failures_file import read_folder
from dl_bug_lsp.server.jobs import Token
from dl_bug_lsp.settings.reading import Settings
from dl_bug_lsp.workspace import Workspace

FIXTURES = Path(__file__).parents[2] / "fixtures"
NAME = "413-pose-forward-name"
FIXED = "pose/heads.py"


@pytest_lsp.fixture(config=WarmServer())
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return copied(NAME, tmp_path)


def copied(name: str, to: Path) -> Path:
    place = to / "code"
    shutil.copytree(FIXTURES / name / "workspace", place)
    return place


def text_of(name: str) -> str:
    return (FIXTURES / name / "log.txt").read_text(encoding="utf-8", errors="replace")


def rich() -> types.ClientCapabilities:
    markdown = [types.MarkupKind.Markdown]
    kinds = types.ClientCodeActionKindOptions([types.CodeActionKind.QuickFix])
    return types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(
            hover=types.HoverClientCapabilities(content_format=markdown),
            code_action=types.CodeActionClientCapabilities(
                code_action_literal_support=types.ClientCodeActionLiteralOptions(kinds),
                is_preferred_support=True,
                data_support=True,
                resolve_support=types.ClientCodeActionResolveOptions(["edit"]),
            ),
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(
                related_information=True, data_support=True
            ),
            document_symbol=types.DocumentSymbolClientCapabilities(
                hierarchical_document_symbol_support=True
            ),
        ),
        window=types.WindowClientCapabilities(
            show_document=types.ShowDocumentClientCapabilities(support=True)
        ),
    )


async def start(
    client: LanguageClient,
    folder: Path,
    wanted: types.ClientCapabilities | None = None,
    **options: Any,
) -> None:
    await client.initialize_session(
        types.InitializeParams(
            capabilities=wanted or rich(),
            workspace_folders=[types.WorkspaceFolder(folder.as_uri(), "code")],
            initialization_options=options or None,
        )
    )


async def execute(client: LanguageClient, command: str, **argument: Any) -> Any:
    return await client.workspace_execute_command_async(
        types.ExecuteCommandParams(command, [argument])
    )


async def localized(client: LanguageClient, name: str = NAME) -> dict[str, Any]:
    found = await execute(client, "dlBug.localize", text=text_of(name))
    assert isinstance(found, dict)
    return found


def shown(client: LanguageClient) -> dict[str, list[types.Diagnostic]]:
    return {uri: list(found) for uri, found in client.diagnostics.items() if found}


def open_document(client: LanguageClient, uri: str, text: str, language: str = "python") -> None:
    item = types.TextDocumentItem(uri, language, 1, text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))


def at(line: int) -> types.Range:
    return types.Range(types.Position(line, 0), types.Position(line, 0))


async def actions(client: LanguageClient, uri: str, line: int, *kinds: str) -> list[Any]:
    context = types.CodeActionContext([], only=list(kinds) or None)
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), at(line), context)
    return list(await client.text_document_code_action_async(params) or [])


async def hover(client: LanguageClient, uri: str, line: int) -> types.Hover | None:
    params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, 2))
    return await client.text_document_hover_async(params)


async def marked(client: LanguageClient, folder: Path, file: str) -> tuple[str, int]:
    uri = f"{folder.as_uri()}/{file}"
    return uri, shown(client)[uri][0].range.start.line


async def test_a_certain_fix_is_offered_resolved_and_checked(
    client: LanguageClient, folder: Path
) -> None:
    await start(client, folder)
    await localized(client)
    uri, line = await marked(client, folder, FIXED)
    (fix,) = [a for a in await actions(client, uri, line) if a.title.startswith("Change")]
    assert (fix.kind, fix.is_preferred, fix.edit) == (types.CodeActionKind.QuickFix, True, None)
    resolved = await client.code_action_resolve_async(fix)
    assert resolved.edit is not None
    ((place, edits),) = (resolved.edit.changes or {}).items()
    assert (place, [edit.new_text for edit in edits]) == (uri, ["r"])
    assert await actions(client, uri, line, "refactor") == []
    fixes = {action.title for action in await actions(client, uri, line, "quickfix")}
    ways = {action.title for action in await actions(client, uri, line, "dl-bug")}
    assert fix.title in fixes
    assert ways >= {"Show the report", "Open the log at the failure"}
    assert not fixes & ways
    changed = (folder / FIXED).read_text(encoding="utf-8").replace("foward", "foreword")
    open_document(client, uri, changed)
    assert not [a for a in await actions(client, uri, line) if a.title.startswith("Change")]
    with pytest.raises(JsonRpcException) as raised:
        await client.code_action_resolve_async(fix)
    assert raised.value.code == -32801


async def test_clients_without_literals_get_commands(client: LanguageClient, folder: Path) -> None:
    await start(client, folder, types.ClientCapabilities())
    await localized(client)
    uri, line = await marked(client, folder, FIXED)
    found = await actions(client, uri, line)
    assert found
    assert all(isinstance(one, types.Command) for one in found)


async def test_hover_tells_why_and_nothing_of_a_log_becomes_markup(
    client: LanguageClient, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("def f():\n    raise ValueError(x)\n\n\nf()\n")
    evil = "[click](command:evil) ``` ![p](https://evil.example/x.png) <img src=x>"
    log = (
        "Traceback (most recent call last):\n"
        '  File "a.py", line 5, in <module>\n    f()\n'
        '  File "a.py", line 2, in f\n    raise ValueError(x)\n'
        f"ValueError: {evil}\n"
    )
    await start(client, tmp_path, commandLinks=True)
    await execute(client, "dlBug.localize", text=log)
    uri, line = await marked(client, tmp_path, "a.py")
    got = await hover(client, uri, line)
    assert got is not None
    assert isinstance(got.contents, types.MarkupContent)
    text = got.contents.value
    assert "suspicious place 1" in text
    assert "█" not in text
    fence = "`" * 4
    before, _, rest = text.partition(f"{fence}text\n")
    inside, _, after = rest.partition(f"\n{fence}\n")
    assert evil in inside
    assert "evil.example" not in before + after.replace("\\", "")
    assert "command:dlBug.next" in after
    assert await hover(client, uri, 3) is None


async def test_a_hover_beside_the_diagnostic_says_nothing_twice(
    client: LanguageClient, folder: Path
) -> None:
    await start(client, folder, hoverShowsDiagnostics=True)
    report = await localized(client)
    uri, line = await marked(client, folder, FIXED)
    got = await hover(client, uri, line)
    assert got is not None
    assert isinstance(got.contents, types.MarkupContent)
    text = got.contents.value.replace("\\", "")
    (said,) = [one.message for one in shown(client)[uri] if one.range.start.line == line]
    assert [one for one in said.splitlines() if one.removeprefix("- ") in text] == []
    # The frames follow the diagnostic in such a hover, so what helps must stand in it.
    (_verdict, _message, *reasons, helps) = said.splitlines()
    advice = report["failures"][0]["advice"]
    assert helps == f"What usually helps: {advice[0]['cause']} {advice[0]['fix']}"
    assert any(reason.startswith("- ") for reason in reasons)
    assert all(one["fix"] in text for one in advice[1:])


@pytest.mark.parametrize("is_rich", [True, False], ids=["markdown", "plain"])
async def test_what_helps_stands_once_below_the_reasons_of_the_first_place(
    client: LanguageClient, folder: Path, is_rich: bool
) -> None:
    await start(client, folder, rich() if is_rich else types.ClientCapabilities())
    failure = (await localized(client))["failures"][0]
    uri, line = await marked(client, folder, FIXED)
    got = await hover(client, uri, line)
    assert got is not None
    assert isinstance(got.contents, types.MarkupContent)
    text = got.contents.value.replace("\\", "")
    why = max(failure["suspects"][0]["evidence"], key=lambda evidence: evidence["score"])["why"]
    parts = ["suspicious place 1", failure["exception"]["type"], why, "What usually helps"]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    (listed,) = await execute(client, "dlBug.failures")
    others = [place for place in listed["failures"][0]["places"] if place["suspect"] > 1]
    for place in others:
        got = await hover(client, place["uri"], place["range"]["start"]["line"])
        assert isinstance(got, types.Hover)
        assert isinstance(got.contents, types.MarkupContent)
        assert "suspicious place 1 of" in got.contents.value or (
            "What usually helps" not in got.contents.value
        )
    assert others


async def test_marks_count_the_places_that_are_listed(client: LanguageClient, folder: Path) -> None:
    await start(client, folder)
    await localized(client)
    for _ in range(2):
        (listed,) = await execute(client, "dlBug.failures")
        places = listed["failures"][0]["places"]
        ranks = [place["suspect"] for place in places]
        numbers = [place["number"] for place in places]
        assert numbers == list(range(1, len(places) + 1))
        said = [one.message for found in shown(client).values() for one in found]
        counts = sorted(re.findall(r"suspicious place (\d+) of (\d+)", " ".join(said)))
        assert counts == sorted((str(number), str(numbers[-1])) for number in numbers)
        names = {"report": listed["report"], "failure": listed["failures"][0]["failure"]}
        await execute(client, "dlBug.dismiss", **names, suspect=ranks[-1])


async def test_plain_clients_get_plain_hovers_without_links(
    client: LanguageClient, folder: Path
) -> None:
    await start(client, folder, types.ClientCapabilities())
    await localized(client)
    uri, line = await marked(client, folder, FIXED)
    got = await hover(client, uri, line)
    assert got is not None
    assert isinstance(got.contents, types.MarkupContent)
    assert got.contents.kind == types.MarkupKind.PlainText
    assert "command:" not in got.contents.value


async def test_next_and_previous_go_round_and_show_the_place(
    client: LanguageClient, folder: Path
) -> None:
    await start(client, folder)
    await localized(client)
    (listed,) = await execute(client, "dlBug.failures")
    places = listed["failures"][0]["places"]
    ranks = [place["suspect"] for place in places]
    seen = [(await execute(client, "dlBug.next"))["suspect"] for _ in [*ranks, 0]]
    assert seen == [*ranks, ranks[0]]
    back = await execute(client, "dlBug.previous")
    assert (back["suspect"], back["uri"], back["shown"]) == (ranks[-1], places[-1]["uri"], True)
    assert client.shown_documents[-1].uri == back["uri"]


async def test_dismissing_takes_places_back_one_by_one_then_all(
    client: LanguageClient, folder: Path
) -> None:
    await start(client, folder)
    report = await localized(client)
    count = sum(map(len, shown(client).values()))
    assert await execute(client, "dlBug.dismiss", suspect=1) == 1
    assert sum(map(len, shown(client).values())) == count - 1
    failure = report["failures"][0]["id"]
    assert await execute(client, "dlBug.dismiss", failure=failure) == count - 1
    assert shown(client) == {}
    assert await execute(client, "dlBug.failures") == []


async def test_a_file_is_localized_and_its_log_opened_at_the_failure(
    client: LanguageClient, folder: Path
) -> None:
    place = folder / "train.log"
    place.write_text("step 1\nstep 2\n" + text_of(NAME), encoding="utf-8")
    await start(client, folder)
    report = await execute(client, "dlBug.localizeFile", uri=place.as_uri())
    (failure,) = report["failures"]
    opened = await execute(client, "dlBug.openLog")
    assert opened["uri"] == place.as_uri()
    assert opened["range"]["start"]["line"] == failure["span"]["first_line"] - 1
    assert await execute(client, "dlBug.report") == report


async def test_a_captured_text_is_opened_as_text_at_the_failure(
    client: LanguageClient, folder: Path
) -> None:
    # As a terminal gives it: colours, a bar that overprints itself, line feeds of its own.
    before = "\x1b[32mepoch 1\x1b[0m\r\n10 %\r20 %\r100 %\r\n"
    text = before + text_of(NAME).replace("\n", "\r\n")
    await start(client, folder)
    named = {"source": "terminal: python train.py --lr=1e-3", "captured": True, "program": True}
    (failure,) = (await execute(client, "dlBug.localize", text=text, **named))["failures"]
    opened = await execute(client, "dlBug.openLog")
    assert opened["shown"] is True
    last = client.shown_documents[-1]
    assert (last.uri, last.selection.start.line) == (
        opened["uri"],
        opened["range"]["start"]["line"],
    )
    path = Path(url2pathname(urlsplit(opened["uri"]).path))
    assert path.name.startswith("python train.py --lr=1e-3 ")
    assert path.suffix == ".log"
    if os.name == "posix":
        assert path.stat().st_mode & 0o077 == 0
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["epoch 1", "100 %"]
    at = opened["range"]["start"]["line"]
    assert lines[at] == text_of(NAME).splitlines()[failure["span"]["first_line"] - 3]
    assert lines[at:] == text_of(NAME).splitlines()[failure["span"]["first_line"] - 3 :]
    # It is a log like any other: its frames lead to the code.
    open_document(client, opened["uri"], "\n".join(lines), "log")
    document = types.TextDocumentIdentifier(opened["uri"])
    links = await client.text_document_document_link_async(types.DocumentLinkParams(document))
    assert links
    assert all((link.target or "").startswith(folder.as_uri()) for link in links)
    shown_before = len(client.shown_documents)
    again = await execute(client, "dlBug.openLog", show=False)
    assert (again["uri"], again["shown"]) == (opened["uri"], False)
    assert len(client.shown_documents) == shown_before


async def test_of_a_long_captured_text_the_part_around_the_failure_is_opened(
    client: LanguageClient, folder: Path
) -> None:
    step = "".join(f"step {number}: loss 0.5\n" for number in range(1, 9001))
    await start(client, folder)
    text = step + text_of(NAME) + step
    (failure,) = (await execute(client, "dlBug.localize", text=text))["failures"]
    opened = await execute(client, "dlBug.openLog")
    path = Path(url2pathname(urlsplit(opened["uri"]).path))
    lines = path.read_text(encoding="utf-8").splitlines()
    at = opened["range"]["start"]["line"]
    first_line = failure["span"]["first_line"]
    assert lines[at : at + 2] == text.splitlines()[first_line - 1 : first_line + 1]
    (head, first), (last, tail) = lines[:2], lines[-2:]
    left = int(head.split()[1].replace(",", "")), int(tail.split()[1].replace(",", ""))
    assert (head, tail) == (
        f"… {left[0]} lines before these left out",
        f"… {left[1]} lines after these left out",
    )
    assert first.startswith(f"step {left[0] + 1}:")
    assert last.startswith(f"step {9000 - left[1] + 1}:")


async def test_a_pasted_text_stays_with_its_report(client: LanguageClient, folder: Path) -> None:
    await start(client, folder)
    await localized(client)
    page = await execute(client, "dlBug.report", format="markdown", show=True)
    assert "NotImplementedError" in page
    assert "## The text" in page
    assert client.shown_documents[-1].uri.endswith(".md")


async def test_a_report_s_page_has_the_text_without_the_terminal_s_codes(
    client: LanguageClient, folder: Path
) -> None:
    await start(client, folder)
    lines = text_of(NAME).splitlines()
    codes = "\x1b]633;C\x07" + "\r\n".join(f"\x1b[31m{line}\x1b[0m" for line in lines) + "\r\n"
    await execute(client, "dlBug.localize", text=codes, source="terminal: python train.py")
    page = await execute(client, "dlBug.report", format="markdown")
    shown_text = page.partition("## The text")[2]
    assert lines[-1] in shown_text
    assert not any(mark in shown_text for mark in ("\\r", "\\x1b", "\x1b", "633;C"))


@pytest.mark.parametrize(
    ("command", "argument"),
    [
        ("dlBug.localizeFile", {"uri": "untitled:x"}),
        ("dlBug.localizeFile", {"uri": "file:///no/such/file.log"}),
        ("dlBug.localizeFile", {}),
        ("dlBug.report", {"format": "pdf"}),
        ("dlBug.dismiss", {"suspect": "1"}),
        ("dlBug.next", {"report": 7}),
    ],
)
async def test_wrong_arguments_are_told_in_one_sentence(
    client: LanguageClient, folder: Path, command: str, argument: dict[str, Any]
) -> None:
    await start(client, folder)
    with pytest.raises(JsonRpcException) as raised:
        await execute(client, command, **argument)
    assert raised.value.code == -32602
    assert "\n" not in raised.value.message


async def test_a_log_has_links_and_symbols(client: LanguageClient, folder: Path) -> None:
    await start(client, folder)
    uri = f"{folder.as_uri()}/train.log"
    text = text_of(NAME)
    open_document(client, uri, text, "plaintext")
    document = types.TextDocumentIdentifier(uri)
    links = await client.text_document_document_link_async(types.DocumentLinkParams(document))
    assert links
    lines = text.split("\n")
    for link in links:
        target, _, fragment = (link.target or "").partition("#L")
        assert target.startswith(folder.as_uri())
        line = lines[link.range.start.line]
        piece = line[link.range.start.character : link.range.end.character]
        assert piece.endswith(fragment)
        assert target.rpartition("/")[2] in piece
    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert symbols
    (symbol,) = symbols
    assert isinstance(symbol, types.DocumentSymbol)
    assert symbol.name.startswith("NotImplementedError")
    assert symbol.children


async def test_related_places_follow_edits_too(client: LanguageClient, folder: Path) -> None:
    await start(client, folder)
    await localized(client)
    found = [d for diagnostics in shown(client).values() for d in diagnostics]
    related = next(one for d in found for one in d.related_information or ())
    uri, line = related.location.uri, related.location.range.start.line
    file = folder / uri.removeprefix(f"{folder.as_uri()}/")
    open_document(client, uri, file.read_text(encoding="utf-8"))
    change = types.TextDocumentContentChangePartial(range=at(0), text="#\n#\n")
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(2, uri), [change])
    )
    await execute(client, "dlBug.failures")
    now = [
        one.location.range.start.line
        for diagnostics in shown(client).values()
        for d in diagnostics
        for one in d.related_information or ()
        if one.location.uri == uri and one.message == related.message
    ]
    assert line + 2 in now
    assert line not in now


async def test_a_deleted_file_takes_its_marks_along(client: LanguageClient, folder: Path) -> None:
    await start(client, folder)
    await localized(client)
    uri, _ = await marked(client, folder, FIXED)
    client.workspace_did_delete_files(types.DeleteFilesParams([types.FileDelete(uri)]))
    await execute(client, "dlBug.failures")
    assert uri not in shown(client)


async def test_failures_outlive_the_server(client: LanguageClient, folder: Path) -> None:
    await start(client, folder)
    report = await localized(client)
    kept = folder / ".dlbug" / "failures.json"
    for _ in range(200):
        if kept.is_file():
            break
        await execute(client, "dlBug.failures")
        await asyncio.sleep(0.05)
    raw = json.loads(kept.read_text(encoding="utf-8"))
    assert raw["failures"][0]["report"] == report
    assert (folder / ".dlbug" / ".gitignore").read_text(encoding="utf-8") == "*\n"
    # Another server shows what was kept. This one, when it reads late, does not: it has shown it.
    opened = Folder(folder.as_uri(), folder)
    opened.workspace = Workspace(folder, cache=False)
    utf16 = types.PositionEncodingKind.Utf16
    read = partial(read_folder, opened, Settings(), utf16, Token())
    other = read(set())
    assert [p.report.primary.id for p in other.publications if p.report.primary] == [
        report["failures"][0]["id"]
    ]
    assert read(other.known).publications == []


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"version": 1, "failures": [{}, 3]}'])
async def test_a_damaged_file_of_failures_is_passed_over(
    client: LanguageClient, folder: Path, content: bytes
) -> None:
    (folder / ".dlbug").mkdir()
    (folder / ".dlbug" / "failures.json").write_bytes(content)
    await start(client, folder)
    await localized(client)
    assert shown(client)
    assert client.messages == []


async def begin(folder: Path) -> LanguageClient:
    """Start another server in a folder."""
    from pytest_lsp import make_test_lsp_client

    client = make_test_lsp_client()
    await client.start_io(*program("server"))
    await start(client, folder)
    return client


async def end(client: LanguageClient) -> None:
    await client.shutdown_session()
    await client.stop()


async def until(condition: Any, client: LanguageClient) -> None:
    """Wait for what the server does by itself; each look is a request that it answers."""
    for _ in range(400):
        if condition():
            return
        await execute(client, "dlBug.failures")
        await asyncio.sleep(0.02)
    raise AssertionError("it did not happen")


async def test_a_later_server_shows_them_at_the_lines_of_today(folder: Path) -> None:
    kept = folder / ".dlbug" / "failures.json"
    first = await begin(folder)
    await localized(first)
    await until(kept.is_file, first)
    before = {uri: [d.range.start.line for d in found] for uri, found in shown(first).items()}
    await end(first)
    uri = f"{folder.as_uri()}/{FIXED}"
    place = folder / FIXED
    place.write_text("#\n#\n" + place.read_text(encoding="utf-8"), encoding="utf-8")
    second = await begin(folder)
    await until(lambda: len(shown(second)) == len(before), second)
    after = {uri: [d.range.start.line for d in found] for uri, found in shown(second).items()}
    before[uri] = [line + 2 for line in before[uri]]
    assert after == before
    # The text that told of them is not kept: its report stands for it.
    opened = await execute(second, "dlBug.openLog")
    assert opened == {"uri": None, "range": None, "shown": True}
    assert second.shown_documents[-1].uri.endswith(".md")
    assert await execute(second, "dlBug.dismiss") == sum(map(len, before.values()))
    await until(lambda: not kept.is_file(), second)
    await end(second)


async def test_marks_stand_in_the_cells_of_an_open_notebook(
    client: LanguageClient, tmp_path: Path
) -> None:
    code = [["import os\n", "x = 1\n"], ["def f(a):\n", "    return a / 0\n", "f(x)\n"]]
    cells = [
        {"cell_type": "code", "execution_count": n, "metadata": {}, "outputs": [], "source": lines}
        for n, lines in enumerate(code, 1)
    ]
    book = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    place = tmp_path / "a.ipynb"
    place.write_text(json.dumps(book, indent=1), encoding="utf-8")
    rule = "-" * 75
    log = (
        f"{rule}\nZeroDivisionError                         Traceback (most recent call last)\n"
        "Cell In[2], line 3\n      1 def f(a):\n      2     return a / 0\n----> 3 f(x)\n\n"
        "Cell In[2], line 2, in f(a)\n      1 def f(a):\n----> 2     return a / 0\n      3 f(x)\n\n"
        "ZeroDivisionError: division by zero\n"
    )
    await start(client, tmp_path)
    await execute(client, "dlBug.localize", text=log)
    uri = place.as_uri()
    assert uri in shown(client)
    kind = types.NotebookCellKind.Code
    names = [f"vscode-notebook-cell:{place}#c{n}" for n in (1, 2)]
    texts = ["".join(lines).rstrip("\n") for lines in code]
    client.notebook_document_did_open(
        types.DidOpenNotebookDocumentParams(
            types.NotebookDocument(
                uri, "jupyter-notebook", 1, [types.NotebookCell(kind, name) for name in names]
            ),
            [
                types.TextDocumentItem(name, "python", 1, text)
                for name, text in zip(names, texts, strict=True)
            ],
        )
    )
    await execute(client, "dlBug.failures")
    marks = {name: [d.range.start.line for d in found] for name, found in shown(client).items()}
    assert uri not in marks
    assert 1 in marks[names[1]]
    client.notebook_document_did_close(
        types.DidCloseNotebookDocumentParams(
            types.NotebookDocumentIdentifier(uri),
            [types.TextDocumentIdentifier(name) for name in names],
        )
    )
    await until(lambda: uri in shown(client), client)
    assert set(shown(client)) == {uri}

    # An editor without notebooks opens the same file as text: JSON, with the marks on its lines.
    text = place.read_text(encoding="utf-8")
    raw = 1 + next(n for n, line in enumerate(text.splitlines()) if "return a / 0" in line)
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "json", 1, text))
    )
    assert (await execute(client, "dlBug.next"))["range"]["start"]["line"] + 1 == raw
    change = types.TextDocumentContentChangePartial(
        range=types.Range(types.Position(0, 0), types.Position(0, 0)), text="\n"
    )
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(2, uri), [change])
    )
    await execute(client, "dlBug.failures")
    assert raw in [d.range.start.line for d in shown(client)[uri]]
