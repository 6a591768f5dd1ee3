"""The server's life: start, folders and their index, settings, end; pull diagnostics (LSP 3.17).

Clients and bridges that only ask may pull the marks that push shows. A client sees each mark once:
one that declares `publishDiagnostics` is offered the push alone, unless it asks for the pull (the
option ``pullDiagnostics``); whoever pulls is pushed nothing more.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.uris import from_fs_path

from dl_bug_lsp.server.app import DlBugServer, capability
from dl_bug_lsp.server.diagnostics import Report
from dl_bug_lsp.server.documents import Folder
from dl_bug_lsp.server.files import files_changed, index
from dl_bug_lsp.server.followed_logs import FollowedLogs
from dl_bug_lsp.server.process import end_with_parent, look_at_everything, share_heaps, watch_parent
from dl_bug_lsp.settings.reading import read_given
from dl_bug_lsp.settings.table import SECTION
from dl_bug_lsp.views.escape import one_line

logger = logging.getLogger(__name__)


WATCHED = (
    "**/*.{py,pyw,ipynb,yaml,yml,toml,json,ini,cfg,conf,txt,sh,sbatch,csv,tsv,jsonl}",
    "**/{.gitignore,.env,Dockerfile,Makefile}",
)
"""What the client is asked to tell of: sources, configs, launch scripts, tables."""


def register(server: DlBugServer) -> None:
    """Add the handlers of the server's life."""
    logs = FollowedLogs(server, WATCHED)
    server.events.settings_changed.subscribe(logs.follow_soon)
    server.events.folder_closed.subscribe(logs.leave)

    @server.feature(types.INITIALIZE)
    def initialize(ls: DlBugServer, params: types.InitializeParams) -> None:
        watch_parent(params.process_id, end_with_parent)
        ls.protocol.use_buffers()
        _take_options(ls, params)
        for uri in _folder_uris(params):
            ls.folders.open(uri)

    @server.feature(types.INITIALIZED)
    async def initialized(ls: DlBugServer, _params: types.InitializedParams) -> None:
        share_heaps()
        # Threads that import a package and one of its modules at once may each wait for the other,
        # and one then gets a package that is not whole: what several of them need comes first.
        import dl_bug_lsp.tracebacks  # noqa: F401

        for folder in ls.folders:
            index(ls, folder)
            ls.events.folder_opened.notify(folder)
        await _subscribe(ls)
        logs.begin()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(ls: DlBugServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
        for removed in params.event.removed:
            folder = ls.folders.close(removed.uri)
            if folder is not None:
                ls.closed(folder)
                look_at_everything()
        for added in params.event.added:
            folder = ls.folders.open(added.uri)
            if folder is not None:
                index(ls, folder)
                logs.follow_soon(folder)
                ls.events.folder_opened.notify(folder)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def settings_changed(ls: DlBugServer, params: types.DidChangeConfigurationParams) -> None:
        ls.settings.forget()
        sent = params.settings
        if isinstance(sent, dict) and SECTION in sent:
            ls.settings.of_start = read_given(sent[SECTION])
            ls.settings.tell(ls.settings.of_start)
        for folder in ls.folders:
            ls.settings_changed(folder)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(ls: DlBugServer, params: types.DidChangeWatchedFilesParams) -> None:
        by_folder: dict[str, tuple[Folder, dict[types.FileChangeType, list[str]]]] = {}
        for change in params.changes:
            folder = ls.folders.around(change.uri)
            name = folder.file_of(change.uri) if folder is not None else None
            if folder is not None and name is not None:
                kinds = by_folder.setdefault(folder.key, (folder, {}))[1]
                kinds.setdefault(change.type, []).append(name)
        kind = types.FileChangeType
        for folder, of in by_folder.values():
            created, changed, deleted = (
                of.get(change_kind, [])
                for change_kind in (kind.Created, kind.Changed, kind.Deleted)
            )
            files_changed(ls, folder, created, changed, deleted)

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: DlBugServer, *_arguments: Any) -> None:
        logs.stop()
        for folder in ls.folders:
            folder.closed.set()
        ls.jobs.cancel_all()
        ls.protocol.cancel_open_requests()


LONGEST_COMMAND = 60
"""Characters of the command that a client goes to the next place with."""


def _take_options(ls: DlBugServer, params: types.InitializeParams) -> None:
    """Take in what the client says of itself and how it wants to be served."""
    ls.diagnostics.capabilities = (
        capability(params.capabilities, "text_document", "publish_diagnostics")
        or types.PublishDiagnosticsClientCapabilities()
    )
    options = params.initialization_options
    if not isinstance(options, dict):
        options = {}
    offer_pull(ls, params, is_wanted=options.get("pullDiagnostics") is True)
    if not options:
        return
    ls.settings.of_start = read_given(options.get("settings"))
    ls.settings.tell(ls.settings.of_start)
    commands = options.get("clientCommands")
    if isinstance(commands, list):
        ls.client_commands = frozenset(name for name in commands if isinstance(name, str))
    command = options.get("announce")
    if isinstance(command, str):
        ls.announced_command = one_line(command, LONGEST_COMMAND)
    ls.command_links = options.get("commandLinks") is True
    ls.diagnostics.are_hovers = options.get("hoverShowsDiagnostics") is True
    ls.tells_failures = options.get("tellFailures") is True
    ls.hears_of_cells = options.get("cellErrors") is True


def _folder_uris(params: types.InitializeParams) -> Iterable[str]:
    if params.workspace_folders is not None:
        return [folder.uri for folder in params.workspace_folders]
    if params.root_uri:
        return [params.root_uri]
    if params.root_path:
        return [from_fs_path(str(Path(params.root_path))) or ""]
    return []


async def _subscribe(ls: DlBugServer) -> None:
    """Ask the client to tell of changed files and settings, where it can be asked."""
    wanted = []
    if ls.can("workspace", "did_change_watched_files", "dynamic_registration"):
        watchers = [types.FileSystemWatcher(pattern) for pattern in WATCHED]
        options: object = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        wanted.append(types.Registration("dl-bug-files", method, options))
    if ls.can("workspace", "did_change_configuration", "dynamic_registration"):
        options = types.DidChangeConfigurationRegistrationOptions(SECTION)
        method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
        wanted.append(types.Registration("dl-bug-settings", method, options))
    if not wanted:
        return
    try:
        await ls.client_register_capability_async(types.RegistrationParams(wanted))
    except Exception:
        logger.warning("the client does not report changes; files are checked when needed")
        return
    ls.hears_of_files = any(registration.id == "dl-bug-files" for registration in wanted)


# ---------------------------------------------------------------------- pull diagnostics
def offer_pull(server: DlBugServer, params: types.InitializeParams, *, is_wanted: bool) -> None:
    """Offer the pull to a client that should use it; to be called at `initialize`.

    What such a client declares of diagnostics that it pulls bounds what they hold.
    """
    pushed = capability(params.capabilities, "text_document", "publish_diagnostics")
    pulled = capability(params.capabilities, "text_document", "diagnostic")
    if pushed is not None and not is_wanted:
        return
    if pushed is None and pulled is not None:
        server.diagnostics.capabilities = types.PublishDiagnosticsClientCapabilities(
            related_information=pulled.related_information,
            code_description_support=pulled.code_description_support,
            data_support=pulled.data_support,
        )
    if is_wanted or pulled is not None:
        server.diagnostics.is_pulled = True
    _register_pull(server)


def _register_pull(server: DlBugServer) -> None:
    options = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=True, identifier="dl-bug"
    )

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    def of_document(
        ls: DlBugServer, params: types.DocumentDiagnosticParams
    ) -> types.DocumentDiagnosticReport:
        ls.diagnostics.stop_pushing()
        report = ls.diagnostics.report(params.text_document.uri)
        if report.result_id == params.previous_result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=report.result_id)
        return types.RelatedFullDocumentDiagnosticReport(report.items, result_id=report.result_id)

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    def of_workspace(
        ls: DlBugServer, params: types.WorkspaceDiagnosticParams
    ) -> types.WorkspaceDiagnosticReport:
        ls.diagnostics.stop_pushing()
        known = {
            previous_result_id.uri: previous_result_id.value
            for previous_result_id in params.previous_result_ids
        }
        reports = ls.diagnostics.reports(known)
        return types.WorkspaceDiagnosticReport(
            [_of_workspace(uri, report, known.get(uri)) for uri, report in reports.items()]
        )


def _of_workspace(
    uri: str, report: Report, known: str | None
) -> types.WorkspaceDocumentDiagnosticReport:
    if report.result_id == known:
        return types.WorkspaceUnchangedDocumentDiagnosticReport(uri, result_id=report.result_id)
    return types.WorkspaceFullDocumentDiagnosticReport(
        uri, report.items, result_id=report.result_id
    )
