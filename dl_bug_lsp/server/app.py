"""The language server: its state, its events, and the one way from a text to a publication.

Commands, followed logs and runs all take that way. The other parts of the server subscribe to its
events.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec

from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcException, PyglsError
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from dl_bug_lsp import __version__
from dl_bug_lsp.server.diagnostics import Diagnostics
from dl_bug_lsp.server.documents import Folder, Folders
from dl_bug_lsp.server.folder_settings import FolderSettings, folder_settings
from dl_bug_lsp.server.jobs import CancelledError, Jobs, Rank, Token
from dl_bug_lsp.server.known_failures import OF_A_FOLDER, ReportedLogs, ShownFailures
from dl_bug_lsp.server.protocol import Protocol
from dl_bug_lsp.server.publication import Publication, publication
from dl_bug_lsp.server.spectra import Spectra
from dl_bug_lsp.settings.reading import Settings

if TYPE_CHECKING:
    from dl_bug_lsp.post_mortem.records import RecordedException
    from dl_bug_lsp.report import Report

logger = logging.getLogger(__name__)

Arguments = ParamSpec("Arguments")


class Event(Generic[Arguments]):
    """Something that happens again and again; its handlers are called in the order they came."""

    def __init__(self) -> None:
        self._handlers: list[Callable[Arguments, object]] = []

    def subscribe(self, handler: Callable[Arguments, object]) -> None:
        """Call a handler each time that the event happens."""
        self._handlers.append(handler)

    def notify(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        """Call all handlers; what one raises goes to the caller, and the later are not called."""
        for handler in self._handlers:
            handler(*args, **kwargs)


class Events:
    """All events of the server, on its event loop's thread."""

    def __init__(self) -> None:
        self.publishing: Event[[Publication]] = Event()
        """A new publication, before it is shown."""
        self.publishing_unasked: Event[[Publication]] = Event()
        """The same of one that a followed log or a recorded run reports: nobody asked for it."""
        self.localizing: Event[[str]] = Event()
        """A text of a source, as ``terminal: python train.py``, is about to be localized."""
        self.shown: Event[[]] = Event()
        """What is shown changed."""
        self.folder_opened: Event[[Folder]] = Event()
        """A folder is open and the client is ready."""
        self.folder_closed: Event[[Folder]] = Event()
        """A folder was closed; what it shows still stands."""
        self.settings_changed: Event[[Folder]] = Event()
        """The settings of a folder may be others than before."""
        self.document_edited: Event[[str]] = Event()
        """A document was edited, by its URI."""
        self.document_saved: Event[[str]] = Event()
        """A document was saved, by its URI."""
        self.document_closed: Event[[str]] = Event()
        """A document was closed, by its URI."""


# ---------------------------------------------------------------------- the server
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
        self.announced_command = ""
        """What goes to the next place in the client; empty unless it wants to be told of failures
        that nobody asked for."""
        self.visited: tuple[str, str, int] | None = None
        """The place visited last by its rank: the ids of report and failure, then the rank."""
        self.command_links = False
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

    def publish(self, new: Publication, *, unasked: bool = False) -> None:
        """Show a publication in the place of the older one of its source.

        Those that are ``unasked`` and come in a burst are shown together.
        """
        self.events.publishing.notify(new)
        if unasked:
            self.events.publishing_unasked.notify(new)
        self.shown_failures.put(new)
        if unasked:
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


# ---------------------------------------------------------------------- localizing
LIMIT = 32 * 2**20
"""Characters of a text that are kept, from its end."""


async def localized(
    ls: DlBugServer,
    text: str,
    source: str,
    folders: tuple[Folder, ...],
    request: int | str | None = None,
    lines_before: int = 0,
    frames: str | None = None,
) -> Publication:
    """Localize a text in a thread and return its publication for the folder that fits it best.

    ``source`` names where the text is from; a newer text of the same source takes this one's place.
    ``request`` is the client's request that waits for the answer; a text that no request waits for
    goes behind those of requests. ``lines_before`` lines of the log stand before the text;
    ``frames`` is the file with what local variables held, which need not be there.
    Raises `SupersededError`, `CancelledError` and what the work raised.
    """
    name = job_name(source, folders)
    ls.jobs.drop(name)
    ls.events.localizing.notify(source)
    settings = [await folder_settings(ls, folder) for folder in folders]
    if any(folder.closed.is_set() for folder in folders):
        raise CancelledError
    encoding = ls.workspace.position_encoding or types.PositionEncodingKind.Utf16
    text, skipped = _end_of(text)

    def part(folder: Folder, wanted: Settings) -> Callable[[Token], tuple[Report, Publication]]:
        def work(_token: Token) -> tuple[Report, Publication]:
            # Imported here, off the loop: it would hold up the answer to `initialize`.
            from dl_bug_lsp.localize import localize

            folder.workspace.catch_up()
            exceptions = _exceptions(frames, folder)
            report = localize(text, folder.workspace, wanted.options, exceptions=exceptions)
            report = report.after(skipped).shifted(lines_before)
            published = publication(report, folder, wanted, source, encoding)
            if wanted.triage_folder is not None:
                from dl_bug_lsp.triage.fingerprints import standing_of

                place = folder.real_root / Path(wanted.triage_folder).expanduser()
                published.standing = standing_of(text, place)
            return report, published

        return work

    parts = [(f.key, part(f, s)) for f, s in zip(folders, settings, strict=True)]
    rank = Rank.ASKED if request is not None else Rank.HEARD
    publications = await ls.jobs.run(name, parts, request, rank)
    return max(reversed(publications), key=lambda pair: _fit(*pair))[1]


def _exceptions(frames: str | None, folder: Folder) -> tuple[RecordedException, ...]:
    """Return what a recorder saw of the exceptions of a run, nothing where it was not at work."""
    if frames is None:
        return ()
    from dl_bug_lsp.post_mortem.records import read_kept

    return read_kept(Path(frames), folder.real_root)


def job_name(source: str, folders: tuple[Folder, ...]) -> str:
    """Return the name under which a source's latest text wins."""
    own = source.startswith(OF_A_FOLDER) and len(folders) == 1
    return f"{folders[0].key} {source}" if own else source


def _fit(report: Report, candidate: Publication) -> tuple[int, int, int, float]:
    """Return how well a folder fits a text: frames in it, how deep it lies, best score.

    First come frames printed with the very path of a file in it, then all that are found in it: a
    path of another machine, or of a folder that is not open, may well end as one of its files.
    """
    failure, folder = report.primary, candidate.folder
    depth = len(folder.real_root.parts)
    if failure is None:
        return 0, 0, depth, 0.0
    inside = [frame for frame in failure.frames if frame.workspace_file]
    exact = sum(1 for frame in inside if folder.file_of(frame.file) == frame.workspace_file)
    best = max((suspect.score for suspect in failure.suspects), default=0.0)
    return exact, len(inside), depth if inside else 0, best


def _end_of(text: str) -> tuple[str, int]:
    """Return the last `LIMIT` characters in whole lines and how many lines stand before them."""
    if len(text) <= LIMIT:
        return text, 0
    start = text.find("\n", len(text) - LIMIT) + 1 or len(text) - LIMIT
    return text[start:], text.count("\n", 0, start)
