"""Checks a folder in its lane and shows what was found; only what is sure is a warning.

The setting ``check.when`` says when: as a run starts (the client asks with ``dlBug.check`` and the
command), after a file was saved, or never. A finding goes with the first edit of its file: it was
made of the file on disk.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInternalError, JsonRpcInvalidParams, JsonRpcRequestCancelled

from dl_bug_lsp.server.app import DlBugServer
from dl_bug_lsp.server.commands import CHECK, argument
from dl_bug_lsp.server.documents import Folder, lines_range
from dl_bug_lsp.server.folder_settings import folder_settings
from dl_bug_lsp.server.jobs import CancelledError, Rank, SupersededError, Tasks, Token
from dl_bug_lsp.server.position_tracking import document_key
from dl_bug_lsp.settings.reading import Settings

if TYPE_CHECKING:
    from dl_bug_lsp.checks.findings import CheckReport, Finding


logger = logging.getLogger(__name__)

OWNER = "checks"
"""Under which these diagnostics share their document with others."""
SAVED = (".py", ".ipynb", ".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".sh", ".sbatch",
         ".txt", "Makefile")  # fmt: skip
"""Ends of the names of files after whose change a folder is checked again."""
SEVERITIES = {
    "sure": types.DiagnosticSeverity.Warning,
    "likely": types.DiagnosticSeverity.Information,
    "look": types.DiagnosticSeverity.Hint,
}
Found = tuple["CheckReport", dict[str, list[types.Diagnostic]]]


class CheckedFolders:
    """What each folder shows; used on the event loop's thread."""

    def __init__(self, ls: DlBugServer) -> None:
        self._ls = ls
        self._tasks = Tasks()
        self._started: dict[str, str] = {}
        """The command of each folder that has started and is being checked."""
        self._shown: dict[str, dict[str, str]] = {}
        """Of each folder the URIs with findings, by the keys of their documents."""

    async def check(
        self,
        folder: Folder,
        command: str,
        request: int | str | None = None,
        python: str | None = None,
        *,
        has_started: bool = False,
    ) -> CheckReport:
        """Check a folder off the loop and show what was found.

        ``python`` is the interpreter that is selected in the editor. The check of a command that
        ``has_started`` ends when the command fails: its failure says more.
        Raises `SupersededError`, `CancelledError` and what the work raised.
        """
        settings = await folder_settings(self._ls, folder)
        if has_started and self._started.get(folder.key) != command:
            raise SupersededError
        encoding = self._ls.workspace.position_encoding or types.PositionEncodingKind.Utf16
        rank = Rank.ASKED if request is not None else Rank.HEARD
        parts = [(folder.key, _work(folder, command, settings, encoding, python))]
        try:
            found = await self._ls.jobs.run(_job_name(folder.key), parts, request, rank)
        finally:
            if has_started and self._started.get(folder.key) == command:
                del self._started[folder.key]
        ((report, diagnostics),) = found
        # A command that runs none of the folder's programs says nothing about them.
        if not folder.closed.is_set() and (report.entries or not command):
            self._show(folder, diagnostics)
        return report

    def begins(self, folder: Folder, command: str, *, has_started: bool) -> None:
        """Take in that a check is asked for, before the settings for it are read."""
        self._started.pop(folder.key, None)
        if has_started:
            self._started[folder.key] = command

    def failed(self, source: str) -> None:
        """End the checks of the command that a text is from, which has failed."""
        ran = source.partition(":")[2].strip()
        for key, command in list(self._started.items()):
            if ran and (command == ran or command.endswith(f" {ran}")):
                del self._started[key]
                self._ls.jobs.drop(_job_name(key))

    def _show(self, folder: Folder, diagnostics: dict[str, list[types.Diagnostic]]) -> None:
        before = self._shown.get(folder.key, {})
        self._shown[folder.key] = {document_key(uri): uri for uri in diagnostics}
        for uri in {*before.values(), *diagnostics}:
            self._ls.diagnostics.set(OWNER, uri, diagnostics.get(uri, []))

    def edited(self, uri: str) -> None:
        """Take back the findings of a document that was edited."""
        for shown in self._shown.values():
            known = shown.pop(document_key(uri), None)
            if known is not None:
                self._ls.diagnostics.set(OWNER, known, [])

    def close(self, folder: Folder) -> None:
        """Forget a folder that was closed."""
        self._shown.pop(folder.key, None)
        self._started.pop(folder.key, None)

    def saved_soon(self, uri: str) -> None:
        """Have the folder around a document that was saved checked; returns at once."""
        self._tasks.start(self._saved(uri))

    async def _saved(self, uri: str) -> None:
        folder = self._ls.folders.around(uri)
        if folder is None or not uri.endswith(SAVED):
            return
        try:
            settings = await folder_settings(self._ls, folder)
            if settings.check_when == "save":
                await self.check(folder, "")
        except (CancelledError, SupersededError):
            pass
        except Exception:
            logger.exception("a folder could not be checked")


def register(server: DlBugServer) -> None:
    """Add the command and the handlers of edits and saves."""
    checked = CheckedFolders(server)
    server.events.folder_closed.subscribe(checked.close)
    server.events.localizing.subscribe(checked.failed)
    server.events.document_edited.subscribe(checked.edited)
    server.events.document_saved.subscribe(checked.saved_soon)

    @server.command(CHECK)
    async def check(ls: DlBugServer, *arguments: Any) -> dict[str, Any] | None:
        request = ls.protocol.msg_id
        wanted = argument(CHECK, arguments)
        folder = _folder(ls, wanted.get("workspace"))
        command, started = wanted.get("command", ""), bool(wanted.get("captured"))
        checked.begins(folder, command, has_started=started)
        settings = await folder_settings(ls, folder)
        if wanted.get("captured") and settings.check_when != "run":
            return None
        try:
            python = wanted.get("python")
            report = await checked.check(folder, command, request, python, has_started=started)
        except SupersededError:
            why = "the command failed, or a newer one took its place"
            raise JsonRpcRequestCancelled(why) from None
        except CancelledError:
            return None
        except Exception as error:
            logger.exception("a check failed")
            kind = type(error).__name__
            raise JsonRpcInternalError(f"the folder could not be checked ({kind})") from error
        from dl_bug_lsp.views.check_view import to_json

        return to_json(report)


def _job_name(key: str) -> str:
    """Return the name of a folder's check among the jobs."""
    return f"check {key}"


def _folder(ls: DlBugServer, named: str | None) -> Folder:
    folders = tuple(ls.folders)
    folder = ls.folders.named(named) if named is not None else next(iter(folders), None)
    if folder is None:
        raise JsonRpcInvalidParams(f"{CHECK} needs an open folder, or one named as 'workspace'")
    return folder


def _work(
    folder: Folder,
    command: str,
    settings: Settings,
    encoding: types.PositionEncodingKind | str,
    python: str | None,
) -> Callable[[Token], Found]:
    def work(_token: Token) -> Found:
        # Imported here, off the loop: it would hold up the answer to `initialize`.
        from dl_bug_lsp.checks.checking import CheckOptions, check

        folder.workspace.catch_up()
        options = CheckOptions(
            ignore=settings.check_ignore,
            exclude=settings.check_exclude,
            selected=python,
            in_editor=True,
        )
        report = check(folder.workspace, command, options)
        diagnostics: dict[str, list[types.Diagnostic]] = {}
        placed = [finding for finding in report.findings if finding.file]
        for finding in placed[: max(settings.max_diagnostics, 1) * 5]:
            lines = folder.workspace.lines(finding.file)
            shown = _diagnostic(
                finding, lines_range(finding.line, finding.end_line, lines, encoding)
            )
            diagnostics.setdefault(folder.uri_of(finding.file), []).append(shown)
        return report, diagnostics

    return work


def _diagnostic(finding: Finding, place: types.Range) -> types.Diagnostic:
    from dl_bug_lsp.views.escape import escape

    texts = [escape(text) for text in (finding.message, *finding.evidence)]
    return types.Diagnostic(
        range=place,
        message="\n".join(texts),
        severity=SEVERITIES[finding.certainty.value],
        source="dl-bug",
        code=finding.id,
        data={"category": finding.category, "certainty": finding.certainty.value},
    )
