"""The language server: its state, and how it speaks of what went wrong."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcException, PyglsError
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from dl_bug_lsp import __version__
from dl_bug_lsp.server.core.events import Events
from dl_bug_lsp.server.core.protocol import Protocol
from dl_bug_lsp.server.core.settings import FolderSettings
from dl_bug_lsp.server.documents.folders import Folder, Folders
from dl_bug_lsp.server.failures.diagnostics import Diagnostics
from dl_bug_lsp.server.failures.reported_logs import ReportedLogs
from dl_bug_lsp.server.failures.shown_failures import ShownFailures
from dl_bug_lsp.server.failures.spectra import Spectra
from dl_bug_lsp.server.jobs import Jobs

if TYPE_CHECKING:
    from dl_bug_lsp.server.failures.publication import Publication

logger = logging.getLogger(__name__)

FAILURES_CHANGED = "dlBug/failuresChanged"
"""The notification that what ``dlBug.failures`` lists is another than before."""

NOTEBOOKS = types.NotebookDocumentSyncOptions(
    notebook_selector=[types.NotebookDocumentFilterWithNotebook(notebook="jupyter-notebook")]
)
"""Open notebooks are followed cell by cell: the lines of the file on disk say nothing to people."""


SHOW_SECONDS = 0.5
"""How long what nobody asked for is gathered before it is shown, after what was shown last."""


class DlBugServer(LanguageServer):
    """The server's state; everything here belongs to the event loop's thread."""

    protocol: Protocol

    def __init__(self) -> None:
        super().__init__(
            "dl-bug-lsp",
            __version__,
            notebook_document_sync=NOTEBOOKS,
            protocol_cls=Protocol,
            converter_factory=default_converter,
        )
        self.folders = Folders()
        self.jobs = Jobs(self.folders.is_open)
        self.diagnostics = Diagnostics(
            self.text_document_publish_diagnostics, self._refresh_diagnostics
        )
        self.shown_failures = ShownFailures()
        self.reported_logs = ReportedLogs()
        self.spectra = Spectra()
        self.settings = FolderSettings()
        self.client_commands: frozenset[str] = frozenset()
        self.command_links = False
        self.hover_shows_diagnostics = False
        """Whether the client's hovers show a line's diagnostics beside what the server tells."""
        self.tells_failures = False
        """Whether the client wants to be told that what is shown changed."""
        self.hears_of_cells = False
        """Whether the client itself tells of cells that fail, in notebooks that are open."""
        self.events = Events()
        self.hears_of_files = False
        """Whether the client tells of changed files, so that nobody else has to watch them."""
        self._has_shown_error = False
        self._refreshing = False
        self._showing: asyncio.TimerHandle | None = None
        self._shown_at = -SHOW_SECONDS

    def can(self, *names: str) -> bool:
        """Say whether the client declared a capability, as in ``can("workspace", "codeLens")``."""
        return bool(capability(self.client_capabilities, *names))

    def report_server_error(
        self, error: Exception, source: type[PyglsError] | type[JsonRpcException]
    ) -> None:
        """Tell the user of an error that no request is answered with."""
        if source is FeatureRequestError or isinstance(error, BrokenPipeError):
            return
        logger.error("%s in the server", type(error).__name__)
        self.tell_problem()

    def tell_problem(self) -> None:
        """Show one message in the server's life, not one an error."""
        if self._has_shown_error:
            return
        self._has_shown_error = True
        self.window_show_message(
            types.ShowMessageParams(
                types.MessageType.Warning,
                "dl-bug had an internal error and continues; see its log.",
            )
        )

    def refresh_lenses(self) -> None:
        """Ask the client to fetch code lenses again, where it can."""
        if self.can("workspace", "code_lens", "refresh_support"):
            self.workspace_code_lens_refresh(None)

    def _refresh_diagnostics(self) -> None:
        """Ask a client that pulls to do so again, where it can: once for what changes at once."""
        if self._refreshing or not self.can("workspace", "diagnostics", "refresh_support"):
            return
        self._refreshing = True
        asyncio.get_running_loop().call_soon(self._refresh_now)

    def _refresh_now(self) -> None:
        self._refreshing = False
        self.workspace_diagnostic_refresh(None)

    def settings_changed(self, folder: Folder) -> None:
        """Announce that a folder's settings may be others than before; guests have none."""
        if not self.folders.is_guest(folder):
            self.events.settings_changed.notify(folder)

    def closed(self, folder: Folder) -> None:
        """Let go of everything of a folder that was closed."""
        self.events.folder_closed.notify(folder)
        self.jobs.close(folder.key)
        self.settings.close(folder)
        self.diagnostics.close(folder.uri_of(""))
        if self.shown_failures.drop_folder(folder):
            self.show()

    def publish(self, new: Publication, *, soon: bool = False) -> None:
        """Show a publication in the place of the older one of its source.

        With ``soon`` those that come in a burst are shown together.
        """
        self.events.publishing.notify(new)
        self.shown_failures.put(new)
        if soon:
            self.show_soon()
        else:
            self.show()

    def resolve(self, source: str, folder: Folder) -> None:
        """Take back the failure that a folder's source shows: it ended well."""
        if self.shown_failures.drop_failure(source, folder):
            self.show()

    def show_soon(self) -> None:
        """Show what nobody asked for: at once after a quiet time, else gathered."""
        if self._showing is not None:
            return
        loop = asyncio.get_running_loop()
        wait = max(0.0, self._shown_at + SHOW_SECONDS - time.monotonic())
        if wait:
            self._showing = loop.call_later(wait, self.show)
        else:
            self.show()

    def show(self) -> None:
        """Bring what the client shows in line with the shown failures."""
        if self._showing is not None:
            self._showing.cancel()
            self._showing = None
        self._shown_at = time.monotonic()
        self.diagnostics.show(self.shown_failures.all())
        self.refresh_lenses()
        if self.tells_failures:
            self.protocol.notify(FAILURES_CHANGED, None)
        self.events.shown.notify()


def capability(root: Any, *names: str) -> Any:
    """Return a nested client capability, None where a part of the way is missing."""
    for name in names:
        root = getattr(root, name, None)
        if root is None:
            return None
    return root
