"""The real server process, spoken to as an editor does."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from failed_project import FIXTURE, LOG, WORKSPACE, capabilities, execute, shown, start
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient
from warm_server import WarmServer
from warm_start import program

from dl_bug_lsp.localize import localize
from dl_bug_lsp.report import Options
from dl_bug_lsp.workspace import Workspace

RAISED = "churn_nn/network.py"
COMMANDS = [
    *("dlBug.localize", "dlBug.localizeFile", "dlBug.clear", "dlBug.resolve", "dlBug.failures"),
    *("dlBug.dismiss", "dlBug.report", "dlBug.why", "dlBug.next", "dlBug.previous"),
    *("dlBug.openLog", "dlBug.heatmap", "dlBug.check"),
]


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """Begin without the failures that an earlier server kept."""
    shutil.rmtree(WORKSPACE / ".dlbug", ignore_errors=True)


@pytest_lsp.fixture(config=WarmServer())
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    yield
    await lsp_client.shutdown_session()


async def test_initialize_tells_the_capabilities(client: LanguageClient) -> None:
    got = await start(client)
    assert got.server_info is not None
    assert got.server_info.name == "dl-bug-lsp"
    assert got.capabilities.execute_command_provider is not None
    assert list(got.capabilities.execute_command_provider.commands) == COMMANDS
    assert got.capabilities.code_lens_provider is not None
    assert got.capabilities.diagnostic_provider is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_the_client_s_encoding_is_taken(client: LanguageClient, encoding: str) -> None:
    got = await start(client, capabilities(encoding))
    assert got.capabilities.position_encoding == encoding


async def test_a_paste_becomes_diagnostics_lenses_and_a_report(client: LanguageClient) -> None:
    await start(client)
    report = await execute(client, "dlBug.localize", {"text": LOG, "source": "clipboard"})
    (failure,) = report["failures"]
    assert failure["category"]["id"] == "tensor_mismatch"
    suspect = failure["suspects"][0]
    diagnostics = shown(client)
    marked = [s for s in failure["suspects"] if s["rank"] <= 3]
    # Of the others, those that only took part in the run are left out.
    for one in failure["suspects"][3:]:
        kinds = {evidence["kind"] for evidence in one["evidence"]}
        assert one["score"] < 0.02 or kinds <= {"provenance", "config"}
    assert set(diagnostics) == {one["file"] for one in marked}
    assert sum(map(len, diagnostics.values())) == len(marked)
    first = min(diagnostics[suspect["file"]], key=lambda found: found.data["suspect"])
    assert first.source == "dl-bug"
    assert first.code == "tensor_mismatch"
    assert first.severity == types.DiagnosticSeverity.Warning
    assert first.range.start.line == suspect["line"] - 1
    assert "(80x11 and 12x8)" in first.message
    assert first.data["failure"] == failure["id"]
    assert first.data["source"] == "clipboard"
    assert first.data["evidence"] == suspect["evidence"]
    frames = [(f["workspace_file"], f["workspace_line"]) for f in failure["frames"]]
    expected = dict.fromkeys(
        frame
        for frame in reversed(frames)
        if frame[0] and frame != (suspect["file"], suspect["line"])
    )
    related = [one.location for one in first.related_information or ()]
    assert [
        (one.uri.rpartition("/workspace/")[2], one.range.start.line + 1) for one in related
    ] == list(expected)
    assert first.code_description is not None
    assert first.code_description.href.startswith("file:")

    assert await execute(client, "dlBug.report") == report
    lenses = await code_lenses(client, suspect["file"])
    assert lenses
    assert all(lens.command and lens.command.command in COMMANDS for lens in lenses)
    command = lenses[0].command
    assert command is not None
    assert "Tensor Mismatch" in command.title
    again = await execute(client, command.command, *(command.arguments or []))
    assert again == report


async def code_lenses(client: LanguageClient, file: str) -> list[types.CodeLens]:
    uri = f"{WORKSPACE.as_uri()}/{file}"
    params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
    found = await client.text_document_code_lens_async(params) or []
    return [await client.code_lens_resolve_async(lens) for lens in found]


async def test_clear_takes_everything_back(client: LanguageClient) -> None:
    await start(client)
    await execute(client, "dlBug.localize", {"text": LOG})
    assert shown(client)
    assert await execute(client, "dlBug.clear") is None
    assert shown(client) == {}
    assert await code_lenses(client, RAISED) == []
    assert await execute(client, "dlBug.report") is None


async def test_a_new_run_takes_back_the_old_one_s_places(client: LanguageClient) -> None:
    await start(client)
    await execute(client, "dlBug.localize", {"text": LOG})
    other = "python: can't open file '/x/trian.py': [Errno 2] No such file or directory\n"
    report = await execute(client, "dlBug.localize", {"text": other})
    files = {suspect["file"] for f in report["failures"] for suspect in f["suspects"]}
    assert set(shown(client)) == files


async def test_a_plain_client_gets_plain_diagnostics(client: LanguageClient) -> None:
    got = await start(client, capabilities(rich=False))
    assert got.capabilities.position_encoding == "utf-16"
    await execute(client, "dlBug.localize", {"text": LOG})
    first = shown(client)[RAISED][0]
    assert (first.related_information, first.code_description, first.data) == (None, None, None)


async def test_a_client_s_own_lens_command_is_used_where_it_has_one(
    client: LanguageClient,
) -> None:
    await start(client, clientCommands=["dlBug.showSuspect"])
    await execute(client, "dlBug.localize", {"text": LOG})
    (command, *_) = [lens.command for lens in await code_lenses(client, RAISED)]
    assert command is not None
    assert command.command == "dlBug.showSuspect"
    assert (command.arguments or [{}])[0]["uri"].endswith(RAISED)


async def test_settings_bound_what_is_shown(client: LanguageClient) -> None:
    await start(client, settings={"top": 4, "maxDiagnostics": 1, "codeLens": False, "x": "y"})
    report = await execute(client, "dlBug.localize", {"text": LOG})
    assert len(report["failures"][0]["suspects"]) == 4
    assert sum(map(len, shown(client).values())) == 1
    assert await code_lenses(client, RAISED) == []


@pytest.mark.parametrize(
    "settings",
    [{}, {"warningFrom": 0.05}, {"informationFrom": 0.0}, {"warningFrom": 1, "informationFrom": 1}],
    ids=["default", "more warnings", "no hints", "fewest"],
)
async def test_severities_are_as_documented(
    client: LanguageClient, settings: dict[str, float]
) -> None:
    """The first place is a warning whatever its share, the next two are information at least."""
    await start(client, settings={"minScore": 0, "maxDiagnostics": 50, "top": 30, **settings})
    report = await execute(client, "dlBug.localize", {"text": LOG})
    suspects = {suspect["rank"]: suspect["score"] for suspect in report["failures"][0]["suspects"]}
    found = [one for diagnostics in shown(client).values() for one in diagnostics]
    severities = {one.data["suspect"]: one.severity for one in found}
    warning, information = types.DiagnosticSeverity.Warning, types.DiagnosticSeverity.Information
    assert len(severities) > 3
    for rank, severity in severities.items():
        score = suspects[rank]
        if score == suspects[1] or score >= settings.get("warningFrom", 0.7):
            assert severity is warning
        elif rank <= 3 or score >= settings.get("informationFrom", 0.3):
            assert severity is information
        else:
            assert severity is types.DiagnosticSeverity.Hint
    assert severities[1] is warning


async def test_marks_follow_an_edit_above_them(client: LanguageClient) -> None:
    await start(client)
    await execute(client, "dlBug.localize", {"text": LOG})
    before = sorted(found.range.start.line for found in shown(client)[RAISED])
    lens_before = [lens.range.start.line for lens in await code_lenses(client, RAISED)]
    uri = f"{WORKSPACE.as_uri()}/{RAISED}"
    text = (WORKSPACE / RAISED).read_text(encoding="utf-8")
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, text))
    )
    top = types.Position(0, 0)
    change = types.TextDocumentContentChangePartial(range=types.Range(top, top), text="#\n#\n")
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(2, uri), [change])
    )
    lens_after = [lens.range.start.line for lens in await code_lenses(client, RAISED)]
    after = sorted(found.range.start.line for found in shown(client)[RAISED])
    assert after == [line + 2 for line in before]
    assert lens_after == [line + 2 for line in lens_before]


@pytest.mark.parametrize(
    "argument",
    [
        {},
        {"text": "  \n"},
        {"text": 7},
        {"text": LOG, "workspace": "/no/such/folder"},
        {"text": LOG, "workspace": "untitled:x"},
        {"text": LOG, "workspace": 3},
        "text",
        None,
    ],
)
async def test_wrong_arguments_are_answered_with_an_error(
    client: LanguageClient, argument: object
) -> None:
    await start(client)
    with pytest.raises(JsonRpcException) as raised:
        await execute(client, "dlBug.localize", argument)
    assert raised.value.code == -32602
    assert client.messages == []


async def test_a_folder_may_be_named(client: LanguageClient) -> None:
    other = FIXTURE.parent / "102-leaf-loader-workers"
    await start(client, settings={"keepFailures": False})
    text = (other / "log.txt").read_text(encoding="utf-8")
    workspace = (other / "workspace").as_uri()
    report = await execute(client, "dlBug.localize", {"text": text, "workspace": workspace})
    assert Path(report["workspace"]) == other / "workspace"
    assert all("/102-leaf-loader-workers/" in uri for uri, f in client.diagnostics.items() if f)


async def test_the_latest_of_several_texts_wins(client: LanguageClient) -> None:
    await start(client)
    # So long that the last request comes while the first is worked on, however busy the machine is.
    slow = "".join(LOG.replace("line 17", f"line {n}") for n in range(400))
    requests = [
        asyncio.ensure_future(execute(client, "dlBug.localize", {"text": text}))
        for text in (slow, slow, LOG)
    ]
    answers = await asyncio.gather(*requests, return_exceptions=True)
    assert [getattr(answer, "code", None) for answer in answers[:2]] == [-32800, -32800]
    assert isinstance(answers[2], dict)
    assert await execute(client, "dlBug.report") == answers[2]
    assert client.messages == []


async def test_of_several_folders_the_one_that_fits_wins(client: LanguageClient) -> None:
    other = FIXTURE.parent / "124-ddpm-launch-script" / "workspace"
    folders = [types.WorkspaceFolder(folder.as_uri(), folder.name) for folder in (other, WORKSPACE)]
    await client.initialize_session(
        types.InitializeParams(capabilities=capabilities(), workspace_folders=folders)
    )
    report = await execute(client, "dlBug.localize", {"text": LOG})
    assert Path(report["workspace"]) == WORKSPACE
    removed = types.WorkspaceFoldersChangeEvent(added=[], removed=[folders[1]])
    client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(removed))
    assert await execute(client, "dlBug.report") is None
    assert shown(client) == {}


async def test_without_a_folder_one_is_asked_for(client: LanguageClient) -> None:
    await client.initialize_session(types.InitializeParams(capabilities=capabilities()))
    with pytest.raises(JsonRpcException, match="open the folder"):
        await execute(client, "dlBug.localize", {"text": LOG})


async def test_a_folder_s_settings_are_asked_for_until_they_change(
    client: LanguageClient,
) -> None:
    wanted = capabilities()
    wanted.workspace = types.WorkspaceClientCapabilities(configuration=True)
    await start(client, wanted, settings={"top": 7})
    for top in (2, 3):
        client.set_configuration({"dlBug": {"top": top}})
        changed = types.DidChangeConfigurationParams(settings=None)
        client.workspace_did_change_configuration(changed)
        report = await execute(client, "dlBug.localize", {"text": LOG})
        assert len(report["failures"][0]["suspects"]) == top
    client.set_configuration({"dlBug": {"top": 4}})
    report = await execute(client, "dlBug.localize", {"text": LOG})
    assert len(report["failures"][0]["suspects"]) == 3


async def test_settings_may_be_sent_without_being_asked_for(client: LanguageClient) -> None:
    await start(client, settings={"top": 7})
    sent = types.DidChangeConfigurationParams(settings={"dlBug": {"top": 2}})
    client.workspace_did_change_configuration(sent)
    report = await execute(client, "dlBug.localize", {"text": LOG})
    assert len(report["failures"][0]["suspects"]) == 2


BUG_REPORT = """The network gets dummies of a wrong size

When I validate with fewer customers, `ChurnNet.forward` fails in its linear layer. I think the
number of columns in the features does not follow the categories of the settings.
"""


async def test_a_bug_report_ranks_alike_in_the_editor_in_a_shell_and_in_the_benchmark(
    client: LanguageClient, tmp_path: Path
) -> None:
    await start(client)
    told = await execute(client, "dlBug.localize", {"text": BUG_REPORT, "source": "clipboard"})
    path = tmp_path / "report.md"
    path.write_text(BUG_REPORT, encoding="utf-8")
    asked = (str(path), "--workspace", str(WORKSPACE), "--format", "json")
    shell = await asyncio.create_subprocess_exec(
        *program("localize", *asked), stdout=asyncio.subprocess.PIPE
    )
    output, _ = await shell.communicate()
    # The benchmark asks for all places of the same function.
    whole = localize(BUG_REPORT, Workspace(WORKSPACE, cache=False), Options(top=0, top_files=0))
    (ranked,) = whole.failures
    for report in (told, json.loads(output)):
        (failure,) = report["failures"]
        files = [one["file"] for one in failure["files"]]
        assert files == [one.file for one in ranked.files][: len(files)]
        assert len(files) > 1
        places = [(one["file"], one["line"]) for one in failure["suspects"]]
        assert places == [(one.file, one.line) for one in ranked.suspects][: len(places)]
        assert len(places) > 1
