"""The language server: its state, and what pygls is told to do otherwise."""

from __future__ import annotations

import logging
from typing import Any

from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcException, PyglsError
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter

from dl_bug_lsp import __version__
from dl_bug_lsp.server.diagnostics import Diagnostics
from dl_bug_lsp.server.folders import Folders
from dl_bug_lsp.server.jobs import Jobs
from dl_bug_lsp.server.publication import Publication
from dl_bug_lsp.server.settings import Settings
from dl_bug_lsp.server.shelf import Shelf

logger = logging.getLogger(__name__)


class Protocol(LanguageServerProtocol):
    """Tells our jobs of cancelled requests: pygls only answers "cancelled" and goes on."""

    _server: DlBugServer

    def _handle_cancel_notification(self, msg_id: int | str) -> None:
        self._server.jobs.cancel(msg_id)
        super()._handle_cancel_notification(msg_id)

    def cancel_open_requests(self) -> None:
        """Cancel all requests but the current one.

        pygls does so at shutdown while it walks over the table that each cancelled request leaves,
        which fails as soon as one is open; so it is done here, over a copy, before.
        """
        for number, future in list(self._request_futures.items()):
            if number != self.msg_id and not future.done():
                future.cancel()

    @property
    def was_shut_down(self) -> bool:
        """Say whether the client asked for an orderly end."""
        return self._shutdown


class DlBugServer(LanguageServer):
    """The server's state; everything here belongs to the event loop's thread."""

    protocol: Protocol

    def __init__(self) -> None:
        super().__init__(
            "dl-bug-lsp",
            __version__,
            protocol_cls=Protocol,
            converter_factory=default_converter,
            max_workers=2,
        )
        self.jobs = Jobs()
        self.folders = Folders()
        self.diagnostics = Diagnostics(self.text_document_publish_diagnostics)
        self.shelf = Shelf()
        self.settings = Settings()
        self.client_commands: frozenset[str] = frozenset()
        self._has_shown_error = False

    def report_server_error(
        self, error: Exception, source: type[PyglsError] | type[JsonRpcException]
    ) -> None:
        """Log an error's class and show one message in the server's life, not one an error."""
        if source is FeatureRequestError or isinstance(error, BrokenPipeError):
            return
        logger.error("%s in the server", type(error).__name__)
        if self._has_shown_error:
            return
        self._has_shown_error = True
        self.window_show_message(
            types.ShowMessageParams(
                types.MessageType.Warning,
                "dl-bug met a problem and goes on; its log tells more.",
            )
        )

    def refresh_lenses(self) -> None:
        """Ask the client to fetch code lenses again, where it can."""
        workspace = self.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    def publish(self, new: Publication) -> None:
        """Show a publication in the place of the older one of its source."""
        self.shelf.put(new)
        self.show()

    def show(self) -> None:
        """Bring what the client shows in line with the shelf."""
        self.diagnostics.show(self.shelf.all())
        self.refresh_lenses()


def capability(root: Any, *names: str) -> Any:
    """Return a nested client capability, None where a part of the way is missing."""
    for name in names:
        root = getattr(root, name, None)
        if root is None:
            return None
    return root
