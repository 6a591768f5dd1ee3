"""Pull diagnostics (LSP 3.17) for clients and bridges that only ask; the marks that push shows.

A client sees each mark once: one that declares `publishDiagnostics` is offered the push alone,
unless it asks for the pull (the option ``pullDiagnostics``); whoever pulls is pushed nothing more.
"""

from __future__ import annotations

from lsprotocol import types

from dl_bug_lsp.server.core.app import DlBugServer, capability
from dl_bug_lsp.server.failures.diagnostics import Report


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
    _register(server)


def _register(server: DlBugServer) -> None:
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
